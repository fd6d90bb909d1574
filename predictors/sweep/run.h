/* Runs points of a sweep: one in this process, or all in child processes. */
#ifndef PREDICTORS_SWEEP_RUN_H
#define PREDICTORS_SWEEP_RUN_H

#include <stdio.h>

#include "predictors/scale/program.h"
#include "predictors/sweep/sweep.h"
#include "trace/trace.h"

/* The inputs of all points. */
struct sweep_input {
    const struct sweep *sweep; /* borrowed until sweep_input_close() */
    struct trace *trace;       /* if there is one trace and it is no program model; else NULL */
    struct program *program;   /* if there are several traces */
};

/* Reads the traces. STATUS_DATA as trace_open() and scale_learn(). */
enum status sweep_input_open(const struct sweep *sweep, struct sweep_input *input, struct err *err);
void sweep_input_close(struct sweep_input *input);

/* Writes the line of a point; for a child process (common/children.h), since it may end its process. context is a
 * struct sweep_one; index does not matter. */
struct sweep_one {
    const struct sweep_input *input;
    size_t point;
};
enum status sweep_run_one(void *context, size_t index, FILE *out, struct err *err);

/* Called after each point. */
struct sweep_observer {
    void (*told)(void *context, const struct sweep *sweep);
    void *context;
};

/* Runs all points that are left, at most at_once at a time (0: one per processor). */
enum status sweep_run(struct sweep *sweep, size_t at_once, const struct sweep_observer *observer, struct err *err);

#endif
