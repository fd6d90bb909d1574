/* Prediction at other scales: learns the program that runs at several numbers of ranks have in common, and makes its
 * run at another number.
 *
 * Order of calls: scale_learn, scale_make as often as wanted, program_free. */
#ifndef PREDICTORS_SCALE_SCALE_H
#define PREDICTORS_SCALE_SCALE_H

#include <stdio.h>

#include "predictors/scale/program.h"
#include "trace/program_model/program_model.h"
#include "trace/trace.h"

/* Borrowed. The runs of one program: of different numbers of ranks, or of different values of a parameter. */
struct scale_runs {
    const struct trace *const *traces;
    size_t count; /* 1 or more */
    const char *parameter; /* its name, as of a program model; NULL: there is none */
    const int64_t *values; /* of it, per trace, 1 to SCALE_PARAMETER_MAX */
};
#define SCALE_PARAMETER_MAX (INT64_C(1) << 53)

/* Returns STATUS_DATA with trace, rank, call and reason if no program describes all runs. The caller owns *program. */
enum status scale_learn(const struct scale_runs *runs, struct program **program, struct err *err);

struct scale_options {
    uint32_t ranks;
    double compute; /* factor of all computing: 1, or a bound by the error of the times */
    uint64_t seed;  /* seed of the choice among executions that are alike */
};

/* Makes the run of a program as a trace. Calls have their durations in the largest run, which a replay does not use.
 * The caller owns *trace. */
enum status scale_make(const struct program *program, const struct scale_options *options, struct trace **trace,
                       struct err *err);

/* The program as a program model (trace/program_model/program_model.h). Errors of writing are left in out. */
void program_write(const struct program *program, FILE *out);
enum status program_to_model(const struct program *program, struct program_model **model, struct err *err);

/* The program as lines for people: steps, partners, functions. */
void program_print(const struct program *program, FILE *out);

/* Prints a line for each number for which several functions hold in all runs, if they differ at one of these numbers of
 * ranks; an equal line once. n has the parameter's value at each number of ranks. */
enum status program_print_doubts(const struct program *program, const uint32_t *ranks, const int64_t *n, size_t count, FILE *out,
                                 struct err *err);

#endif
