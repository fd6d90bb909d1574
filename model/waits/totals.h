/* Seconds and occurrences per wait state and rank: what a detector finds, or a simulator knows. */
#ifndef MODEL_WAITS_TOTALS_H
#define MODEL_WAITS_TOTALS_H

#include <stdint.h>

#include "common/status.h"
#include "common/wide.h"
#include "trace/calls/calls.h"

enum pattern {
#define PATTERN(ID, NAME, TITLE, PARENT, MEANING) PATTERN_##ID,
#include "model/waits/patterns.def"
#undef PATTERN
    PATTERN_COUNT
};

struct pattern_row {
    const char *name;    /* "late_post": the name in results */
    const char *title;   /* "Late Post" */
    const char *parent;  /* the property it is part of */
    const char *meaning; /* one sentence */
};
const struct pattern_row *pattern_row(enum pattern pattern);
/* The pattern whose time holds all of this one's; the pattern itself if there is none. */
enum pattern pattern_whole(enum pattern pattern);

struct totals {
    uint32_t rank_count;
    int64_t *severity_ps[PATTERN_COUNT]; /* per rank */
    uint64_t *count[PATTERN_COUNT];      /* per rank */
    wide_ps in_kind_ps[CALL_KIND_COUNT]; /* waits that are no part of others, by the kind of call that they are in: a
                                            detector's account only */
};

enum status totals_init(struct totals *totals, uint32_t rank_count, struct err *err);
void totals_clear(struct totals *totals);

/* Adds one wait of severity_ps > 0 to a rank; smaller values are ignored. */
void totals_add(struct totals *totals, enum pattern pattern, uint32_t rank, int64_t severity_ps);

/* Sums over ranks. */
wide_ps totals_severity_ps(const struct totals *totals, enum pattern pattern);
uint64_t totals_count(const struct totals *totals, enum pattern pattern);

#endif
