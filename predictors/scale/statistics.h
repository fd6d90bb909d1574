/* Parts of a program that no rule describes call by call. Each is a statistical step: a user region, named after the call that
 * does not fit, which takes the time of all its calls, with their waits, and moves nothing.
 *
 * A part reaches from one collective call of all ranks, at which no rank has anything open, to the next one. */
#ifndef PREDICTORS_SCALE_STATISTICS_H
#define PREDICTORS_SCALE_STATISTICS_H

#include "trace/trace.h"

enum { STATISTICS_MAX = 32, STATISTICS_NAME_BYTES = 160 };

/* The call that does not fit, as learning finds it; a hash of function and call site that all runs share. */
struct misfit {
    bool known;
    uint64_t hash;
    char name[STATISTICS_NAME_BYTES]; /* "MPI_Send in redistribute, main.c:212" */
};

struct statistics {
    struct misfit of[STATISTICS_MAX];
    char why[STATISTICS_MAX][ERR_TEXT_BYTES];
    size_t count;
    bool whole; /* the whole run is one step; it is the last one */
};

/* Calls begin to end - 1 of a rank are a step; may be none, where other ranks have some. */
struct statistics_block {
    size_t begin, end;
    uint32_t step; /* of struct statistics */
};
struct statistics_blocks {
    struct statistics_block *items; /* owned, per rank; by rising begin */
    size_t count, capacity;
};

/* A hash of function and call site that runs share. Waits and tests at one site are one call. */
uint64_t misfit_hash(const struct trace *definitions, const struct trace_call *call);

/* Describes a call; definitions are those of its site and region. */
void misfit_set(struct misfit *misfit, const struct trace *definitions, const struct trace_call *call);

/* Finds the blocks of each rank. The caller frees *blocks with statistics_blocks_free(). */
enum status statistics_find(const struct statistics *statistics, const struct trace *trace, struct statistics_blocks **blocks,
                            struct err *err);
void statistics_blocks_free(struct statistics_blocks *blocks, uint32_t ranks);

#endif
