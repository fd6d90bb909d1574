/* Levels of detail of a run that is too long to show each call. For each row of ranks and each piece of time a level
 * has the main activity and the share of waiting. Calls fill the finest level; each coarser one has pieces four times
 * as long.
 *
 * The run's length need not be known: when time exceeds the last piece, all pieces double their length. Order of calls:
 * levels_new, levels_add_call for each rank's calls in their order, levels_add_wait, levels_write. Memory is
 * bounded. */
#ifndef REPORT_LEVELS_H
#define REPORT_LEVELS_H

#include <stdio.h>

#include "trace/trace.h"

struct levels;

/* Times outside from_ps to until_ps are left out; INT64_MIN and INT64_MAX: no limits. */
enum status levels_new(uint32_t rank_count, int64_t from_ps, int64_t until_ps, struct levels **levels, struct err *err);
/* NULL is legal. */
void levels_free(struct levels *levels);

/* The next call of the rank's first thread: the time since the one before is computing. */
void levels_add_call(struct levels *levels, uint32_t rank, const struct trace_call *call);
void levels_add_wait(struct levels *levels, uint32_t rank, int64_t from_ps, int64_t until_ps);

/* The begin of the first added call, and the end of the last one; 0 without calls. */
int64_t levels_begin_ps(const struct levels *levels);
int64_t levels_end_ps(const struct levels *levels);

/* Writes a comma and the key "levels", the finest level first: [{"from_ps", "piece_ps", "rows": ["..."]}]. A piece has
 * three letters from "A" on: the activity with the most time, its share of the piece, and the share of waiting, both in
 * 21sts. Three blanks: no activity. Times are since begin_ps. */
void levels_write(const struct levels *levels, int64_t begin_ps, FILE *out);

#endif
