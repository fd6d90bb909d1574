/* A run of a program model whose calls are made when they are needed. The trace has the next few calls of each rank;
 * calls that are no longer needed are replaced. The memory does not depend on the length of the run.
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
    bool sleeps;    /* some computing has sleep */
};

/* Whether the model can be run so. Collectives with sizes per rank and OpenSHMEM need the whole run at once. */
bool program_source_possible(const struct program_model *model);

/* Makes the first calls of each rank. */
enum status program_source_open(const struct program_model *model, const struct program_model_options *options,
                                struct program_source *source, struct err *err);

/* Replaces the calls of the rank in the trace by the next ones; by none if the rank has ended. context is a struct
 * program_source. */
enum status program_source_next(void *context, uint32_t rank, struct err *err);
void program_source_close(struct program_source *source);

/* An estimate of a run, made from a few of its ranks. */
struct program_survey {
    double calls;       /* of all ranks */
    double computing_s; /* the expected computing time of one rank */
    double error;       /* its relative error: the errors of all computings, weighted by their shares */
    double *computings_s; /* borrowed, may be NULL: gets the same of each computing of the model */
};
/* *survey is as before the call where it says nothing else. */
enum status program_source_survey(const struct program_model *model, const struct program_model_options *options,
                                  struct program_survey *survey, struct err *err);

#endif
