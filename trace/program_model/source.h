/* A program model's run whose calls are made as they are needed: of each rank the trace holds the next few, and those that nobody
 * needs any more are replaced. Memory is that of the ranks' places in the program, whatever the run's length.
 *
 * Order of calls: program_source_open, program_source_next as often as wanted, program_source_close. */
#ifndef TRACE_PROGRAM_MODEL_SOURCE_H
#define TRACE_PROGRAM_MODEL_SOURCE_H

#include "trace/program_model/run.h"

struct program_source {
    struct program_run run; /* run.trace: definitions, and the next calls of each rank, checked */
    struct run_rank *ranks; /* owned */
    struct trace_checker *checker;
    bool finalizes; /* all ranks call MPI_Finalize */
};

/* False: the replay needs the whole run at once, for collectives with sizes per rank and for OpenSHMEM. */
bool program_source_possible(const struct program_model *model);

/* With the first calls of each rank. */
enum status program_source_open(const struct program_model *model, const struct program_model_options *options,
                                struct program_source *source, struct err *err);

/* context: a struct program_source. The calls behind those that the trace holds of the rank; none: the rank has ended. */
enum status program_source_next(void *context, uint32_t rank, struct err *err);
void program_source_close(struct program_source *source);

/* About what the run has, by a few of its ranks. */
struct program_survey {
    double calls;       /* of all ranks */
    double computing_s; /* that is expected of one rank */
    double error;       /* relative, of it: that of each computing, by its share */
};
enum status program_source_survey(const struct program_model *model, const struct program_model_options *options,
                                  struct program_survey *survey, struct err *err);

#endif
