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

struct account {
    uint32_t rank_count;
    int64_t *severity_ps[PATTERN_COUNT]; /* per rank */
    uint64_t *count[PATTERN_COUNT];      /* per rank */
    wide_ps in_kind_ps[CALL_KIND_COUNT]; /* waits that are no part of others, by the kind of call that they are in: a
                                            detector's account only */
};

enum status account_init(struct account *account, uint32_t rank_count, struct err *err);
void account_clear(struct account *account);

/* Adds one wait of severity_ps > 0 to a rank; smaller values are ignored. */
void account_add(struct account *account, enum pattern pattern, uint32_t rank, int64_t severity_ps);

/* Sums over ranks. */
wide_ps account_total_ps(const struct account *account, enum pattern pattern);
uint64_t account_total_count(const struct account *account, enum pattern pattern);

#endif
