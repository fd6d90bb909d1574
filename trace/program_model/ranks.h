/* A run of a program model whose ranks are made one after the other. The trace has the calls of one rank at a time, so
 * the memory is that of the definitions and of the longest rank.
 *
 * Order of calls: program_ranks_open, program_ranks_make for each rank in ascending order, program_ranks_close. */
#ifndef TRACE_PROGRAM_MODEL_RANKS_H
#define TRACE_PROGRAM_MODEL_RANKS_H

#include "trace/program_model/run.h"

struct program_ranks {
    struct program_run run;  /* run.trace: definitions, and the calls of the rank made last */
    struct trace_rank *last; /* the rank made last; NULL: none */
    int64_t first_ps;        /* the first enter of all ranks so far; the trace gets it with its last rank */
};

enum status program_ranks_open(const struct program_model *model, const struct program_model_options *options,
                               struct program_ranks *ranks, struct err *err);

/* Makes and checks all calls of the rank, and removes those of the rank before. context is a struct program_ranks. */
enum status program_ranks_make(void *context, uint32_t rank, struct err *err);
void program_ranks_close(struct program_ranks *ranks);

/* Adds all calls of a rank to run->trace, without checking them, and subtracts their number from run->room. Returns
 * STATUS_DATA if there are more calls than that. */
enum status program_run_add_rank(struct program_run *run, uint32_t rank, struct err *err);

#endif
