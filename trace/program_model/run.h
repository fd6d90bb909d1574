/* Runs a program model at a number of ranks, call by call. The state of each rank is its position in the program.
 * run_rank_next makes the next call of a rank.
 *
 * Order of calls: program_run_open; for each rank run_rank_open, run_rank_next until the end, run_rank_clear;
 * program_run_clear. */
#ifndef TRACE_PROGRAM_MODEL_RUN_H
#define TRACE_PROGRAM_MODEL_RUN_H

#include "trace/program_model/program_model.h"

struct program_run {
    const struct program_model *model; /* borrowed */
    struct program_model_options options;
    struct trace *trace; /* owned: definitions; groups and lists are added as calls name them */
    struct grid grid, observed;
    double *variables;
    double doublings; /* from the nearest recorded scale */
    int32_t *members;
    int32_t *comm_first; /* per communicator of the model: the first of its communicators in the trace */
    int32_t *window_first;
    uint64_t work;       /* the number of statements and members that may still be evaluated */
    uint64_t idle;       /* of those that are far behind their rank's last call */
    uint64_t room;       /* the number of calls that may still be kept; PROGRAM_CALLS_MAX at first where calls are kept */
    struct err *err;     /* of the current call */
};

enum { PROGRAM_CALLS_MAX = 1 << 28 }; /* 17 GB */

/* The statements from which the computing between two calls is taken; place_of() of run.c has the rule. */
struct run_place {
    const struct statement *entered, *previous, *body;
};

struct run_frame {
    const struct statement *body, *loop; /* loop: the statement whose body it is; NULL: the program itself */
    const struct statement *place;       /* the body to which computing belongs: for a block the body around it */
    size_t count, next;
    int64_t round, rounds;
    uint64_t calls;                  /* of the rank, when the loop began */
    int64_t computed_ps, plain_ps;   /* of the rank, when the loop began */
    const struct statement *entered; /* run_place.entered before the loop began */
};

struct run_rank {
    uint32_t rank, like; /* like: the rank of the observed run with the same place */
    struct run_frame *frames; /* owned */
    uint32_t depth;
    struct run_place place;
    int64_t now_ps, computed_ps; /* of statements "compute" since the last call, with sleep */
    bool placed; /* one of them has a computing by name: that of the next call does not count */
    int64_t computed_slept_ps;   /* the sleep in that */
    int64_t slept_ps;            /* the sleep before the last call */
    int64_t plain_ps;            /* the sum of all statements "compute E" so far */
    uint64_t calls, idle; /* idle: statements since the last call */
    uint32_t *executions; /* owned, per computing: the number of executions so far */
    struct run_request {
        uint32_t number, name; /* name: struct statement.request_name */
    } *open;              /* owned: requests that no call has completed */
    size_t open_count, open_capacity;
    uint32_t next_request;
};

enum status program_run_open(const struct program_model *model, const struct program_model_options *options,
                             struct program_run *run, struct err *err);
void program_run_clear(struct program_run *run);

/* Computes a variable that does not depend on the rank, a parameter. */
enum status run_variable(const struct program_model *model, uint32_t ranks, uint32_t variable, double *value, struct err *err);

enum status run_rank_open(const struct program_run *run, uint32_t rank, struct run_rank *state, struct err *err);
void run_rank_clear(struct run_rank *state);

/* The mean of a computing on a rank, 0 or more, and its relative error. */
enum status run_computing_mean(struct program_run *run, uint32_t rank, size_t computing, double *seconds, double *error,
                               struct err *err);

/* Makes the next call of the rank. Sets *ended, and not *call, if there is none. */
enum status run_rank_next(struct program_run *run, struct run_rank *state, struct trace_call *call, bool *ended,
                          struct err *err);
/* STATUS_DATA with PROGRAM_CALLS_MAX. */
enum status run_too_long(const struct program_run *run, struct err *err);
/* Appends that call, with the sleep before it, to the run's trace. */
enum status run_rank_add(struct program_run *run, struct run_rank *state, const struct trace_call *call, struct err *err);

#endif
