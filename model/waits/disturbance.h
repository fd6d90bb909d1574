/* Measures how much a recording was disturbed: how long threads waited for a core, computing and in MPI. It sums per rank,
 * over a whole trace or its slices. */
#ifndef MODEL_WAITS_DISTURBANCE_H
#define MODEL_WAITS_DISTURBANCE_H

#include "model/match/timelines.h"
#include "model/result/result.h"
#include "trace/trace.h"

struct disturbance_inside { /* the time that a rank spent inside calls, and inside those of trace_core_wait_is_known() */
    int64_t all_ps, mpi_ps;
};

/* Adds it; of a slice, inside its new calls. inside has rank_count elements. */
void disturbance_add_rank(const struct trace_rank *rank, size_t first, struct disturbance_inside *inside); /* from `first` on */
void disturbance_add(const struct trace *trace, struct disturbance_inside *inside);

/* timelines belong to the trace at its end. The disturbance is unknown for a simulated trace, and where core waits were
 * not recorded: there *made has computing and MPI alone. */
void disturbance_report(const struct timelines *timelines, const struct disturbance_inside *inside,
                        struct result_disturbance *made);

/* The share of each rank's computing, sleep and time in MPI, with all its threads, in which it waited for a core while it was
 * recorded. Above DISTURBANCE_MOSTLY the waits that it causes are the scheduler's, and no change of the program removes them.
 * Two ranks for each core, which poll while they wait, are below. */
#define DISTURBANCE_MOSTLY 0.6
void disturbance_shares(const struct timelines *timelines, const struct disturbance_inside *inside, double *shares);

/* disturbance_add() and disturbance_report() for a whole trace. */
enum status disturbance_find(const struct trace *trace, struct result_disturbance *made, struct err *err);

#endif
