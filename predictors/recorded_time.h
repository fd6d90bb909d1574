/* What a recorded run took, and where, to explain that its replay takes another time. */
#ifndef PREDICTORS_RECORDED_TIME_H
#define PREDICTORS_RECORDED_TIME_H

#include "model/result/result.h"
#include "model/waits/disturbance.h"
#include "trace/trace.h"

struct recorded_time {
    bool known; /* false: the trace is no recording */
    double run_time_s;
    double mpi_s; /* of all ranks, with MPI_Init, of which no wait for a core is known */
    uint32_t ranks;
    struct result_disturbance parts; /* all ranks: computing, MPI, and of these without a core, if that was recorded */
};

/* Its parts, for a trace of which one rank at a time has calls: adds those of a rank from index `first` on to the zeroed
 * *made and inside[rank]; then, where each rank has at least its last call. */
void recorded_time_add(const struct trace *trace, uint32_t rank, size_t first, struct disturbance_inside *inside,
                       struct recorded_time *made);
enum status recorded_time_end(const struct trace *trace, const struct disturbance_inside *inside, struct recorded_time *made,
                              struct err *err);

/* trace is as it was read, before trace_use_computing(). */
enum status recorded_time_find(const struct trace *trace, struct recorded_time *made, struct err *err);

/* Writes one line if the replayed run time differs by more than a tenth: both times, and the mean of a rank's computing, of its
 * time without a core, of its other time in MPI, and of the replayed time in MPI. Returns text, or NULL. */
enum { RECORDED_TIME_BYTES = 400 };
char *recorded_time_text(const struct recorded_time *recorded, double replayed_s, double replayed_mpi_s,
                         char text[RECORDED_TIME_BYTES]);

#endif
