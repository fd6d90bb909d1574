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

/* traces: at least two, of different numbers of ranks, in any order; borrowed during the call only. STATUS_DATA naming
 * trace, rank, call and reason where no program describes all runs. The caller owns *program. */
enum status scale_learn(const struct trace *const *traces, size_t count, struct program **program, struct err *err);

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

#endif
