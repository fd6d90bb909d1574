/* Waits as they are drawn: when, where, and for whom. */
#ifndef REPORT_PLACED_WAITS_H
#define REPORT_PLACED_WAITS_H

#include <stdio.h>

#include "model/waits/waits.h"

struct placed_wait {
    int64_t from_ps, until_ps, severity_ps;
    int64_t enter_ps;   /* of the call that waits */
    int64_t cause_rank; /* -1: no single one */
    uint32_t rank;
    uint16_t thread, pattern;
};

struct placed_waits {
    struct placed_wait *items;
    size_t count, capacity;
    size_t found; /* of which the items are the longest */
};

/* A wait without a cause that is known is put where its call begins. wait->call is one of the trace's. */
struct placed_wait placed_wait_of(const struct trace *trace, const struct wait *wait);
enum status placed_waits_add(struct placed_waits *waits, struct placed_wait wait, struct err *err);
/* Sorts them, the longest first, and leaves out what is behind the first `most` ones. */
void placed_waits_keep_longest(struct placed_waits *waits, size_t most);
void placed_waits_clear(struct placed_waits *waits);

/* Writes the keys "waits", "wait_count" and "patterns" behind a comma (report/web/timeline_data.js); times are since begin_ps. */
void placed_waits_write(const struct placed_waits *waits, int64_t begin_ps, FILE *out);

#endif
