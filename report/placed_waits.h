/* Waits as a page draws them: time, place, and cause. */
#ifndef REPORT_PLACED_WAITS_H
#define REPORT_PLACED_WAITS_H

#include <stdio.h>

#include "model/waits/waits.h"

struct placed_wait {
    int64_t from_ps, until_ps, severity_ps;
    int64_t call;       /* its number among the rank's calls of the page, from 0; -1: these are not in it */
    int64_t cause_rank; /* -1: no single one */
    uint32_t rank;
    uint16_t thread, pattern;
};

struct placed_waits {
    struct placed_wait *items;
    size_t count, capacity;
    size_t found; /* of which the items are the longest */
};

/* A wait without a known cause is drawn at its call's begin. wait->call is a call of the trace; that of the page is set to -1. */
struct placed_wait placed_wait_of(const struct trace *trace, const struct wait *wait);
enum status placed_waits_add(struct placed_waits *waits, struct placed_wait wait, struct err *err);
/* Sorts the waits, the longest first, and keeps the first `most`. */
void placed_waits_keep_longest(struct placed_waits *waits, size_t most);
void placed_waits_clear(struct placed_waits *waits);

/* Writes a comma and the keys "waits", "wait_count" and "patterns" (report/web/timeline_data.js); times are since
 * begin_ps. */
void placed_waits_write(const struct placed_waits *waits, int64_t begin_ps, FILE *out);

#endif
