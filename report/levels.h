/* Levels of detail of a run that is too long to show each call: per row of ranks and piece of time what its ranks mostly do,
 * and how much of it they wait. The finest level is filled; each coarser one has pieces four times as long.
 *
 * The run's length need not be known: pieces grow to twice their length when time goes beyond the last one. Order of calls:
 * levels_new, levels_add_call for each rank's calls in their order, levels_add_wait, levels_write. Memory is bounded. */
#ifndef REPORT_LEVELS_H
#define REPORT_LEVELS_H

#include <stdio.h>

#include "trace/trace.h"

struct levels;

/* Times outside from_ps to until_ps are left out; INT64_MIN and INT64_MAX: there are none. */
enum status levels_new(uint32_t rank_count, int64_t from_ps, int64_t until_ps, struct levels **levels, struct err *err);
/* NULL is legal. */
void levels_free(struct levels *levels);

/* The next call of the rank's first thread: the time since the one before is computing. */
void levels_add_call(struct levels *levels, uint32_t rank, const struct trace_call *call);
void levels_add_wait(struct levels *levels, uint32_t rank, int64_t from_ps, int64_t until_ps);

/* When the first call that was added began, and the last one ended; 0 if none was. */
int64_t levels_begin_ps(const struct levels *levels);
int64_t levels_end_ps(const struct levels *levels);

/* Writes the key "levels", the finest first, behind a comma: [{"from_ps", "piece_ps", "rows": ["..."]}]. Three letters per
 * piece, from "A" on: the activity with most time, its share of the piece and the share of waiting, in 21sts; "   ": nothing.
 * Times are since begin_ps. */
void levels_write(const struct levels *levels, int64_t begin_ps, FILE *out);

#endif
