/* A program model's run whose ranks are made one after the other: the trace holds the calls of one rank at a time. Memory is that
 * of the definitions and of the longest rank.
 *
 * Order of calls: program_ranks_open, program_ranks_make of each rank in their order, program_ranks_close. */
#ifndef TRACE_PROGRAM_MODEL_RANKS_H
#define TRACE_PROGRAM_MODEL_RANKS_H

#include "trace/program_model/run.h"

struct program_ranks {
    struct program_run run;  /* run.trace: definitions, and the calls of the rank made last */
    struct trace_rank *last; /* the rank made last; NULL: none */
    int64_t first_ps;        /* first enter of the ranks so far; the trace has it with its last rank */
};

enum status program_ranks_open(const struct program_model *model, const struct program_model_options *options,
                               struct program_ranks *ranks, struct err *err);

/* context: a struct program_ranks. All calls of the rank, checked; those of the rank before are gone. */
enum status program_ranks_make(void *context, uint32_t rank, struct err *err);
void program_ranks_close(struct program_ranks *ranks);

/* Adds all calls of a rank to run->trace, not checked. STATUS_DATA if they are more than *room, which is reduced by them. */
enum { PROGRAM_CALLS_MAX = 1 << 28 }; /* 17 GB */
enum status program_run_add_rank(struct program_run *run, uint32_t rank, uint64_t *room, struct err *err);

#endif
