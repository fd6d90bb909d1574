/* Time and number of waits per wait state and rank, as a detector found them or a simulator counted them. */
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
/* The pattern that includes all time of this one; the pattern itself if there is none. */
enum pattern pattern_whole(enum pattern pattern);
/* What a wait for a write is, by the call that waits. */
enum pattern pattern_of_write(enum mpi_call wait);

struct totals {
    uint32_t rank_count;
    int64_t *severity_ps[PATTERN_COUNT]; /* per rank */
    uint64_t *count[PATTERN_COUNT];      /* per rank */
    wide_ps in_kind_ps[CALL_KIND_COUNT]; /* waits that are not part of other waits; filled by detectors only, with
                                            totals_add_in_kind() */
};

enum status totals_init(struct totals *totals, uint32_t rank_count, struct err *err);
void totals_clear(struct totals *totals);

/* Adds one wait of severity_ps > 0 to a rank; smaller values are ignored. */
void totals_add(struct totals *totals, enum pattern pattern, uint32_t rank, int64_t severity_ps);

/* Adds a wait to the kind of its call. Only one-sided operations wait for progress, also in a wait for their requests: there it
 * is added to the operations (CALL_PUT). */
void totals_add_in_kind(struct totals *totals, enum call_kind kind, enum pattern pattern, int64_t severity_ps);

/* Sums over ranks. */
wide_ps totals_severity_ps(const struct totals *totals, enum pattern pattern);
uint64_t totals_count(const struct totals *totals, enum pattern pattern);

#endif
