/* Prediction at other scales: the program that runs at several numbers of ranks have in common, and its run at another
 * one.
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

/* STATUS_DATA naming trace, rank, call and reason where no program describes all runs. The caller owns *program. */
enum status scale_learn(const struct scale_runs *runs, struct program **program, struct err *err);

struct scale_options {
    uint32_t ranks;
    double compute; /* factor of all computing: 1, or what the error of the times allows */
    uint64_t seed;  /* of which execution's time is taken where all are alike */
};

/* The run of a program as a trace: calls take the time that they took in the largest run, which replay does not look
 * at. The caller owns *trace. */
enum status scale_make(const struct program *program, const struct scale_options *options, struct trace **trace,
                       struct err *err);

/* The program as a program model (trace/program_model/program_model.h). What could not be written is out's to say. */
void program_write(const struct program *program, FILE *out);
enum status program_to_model(const struct program *program, struct program_model **model, struct err *err);

/* The program as lines for people: steps, partners, functions. */
void program_print(const struct program *program, FILE *out);

/* A line for each number that the runs explain by several functions which differ at one of these numbers of ranks; n: what
 * the program's parameter is there. */
void program_print_doubts(const struct program *program, const uint32_t *ranks, const int64_t *n, size_t count, FILE *out);

#endif
