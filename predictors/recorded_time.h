/* What a recorded run took, and where, to explain that its replay takes another time. */
#ifndef PREDICTORS_RECORDED_TIME_H
#define PREDICTORS_RECORDED_TIME_H

#include "model/result/result.h"
#include "trace/trace.h"

struct recorded_time {
    bool known; /* false: the trace is no recording */
    double run_time_s;
    uint32_t ranks;
    struct result_disturbance parts; /* all ranks: computing, MPI, and of these without a core, if that was recorded */
};

/* trace is as it was read, before trace_use_computing(). */
enum status recorded_time_find(const struct trace *trace, struct recorded_time *made, struct err *err);

/* Writes one line if the replayed run time differs by more than a tenth: both times, and the mean of a rank's computing, of its
 * time without a core, of its other time in MPI, and of the replayed time in MPI. Returns text, or NULL. */
enum { RECORDED_TIME_BYTES = 400 };
char *recorded_time_text(const struct recorded_time *recorded, double replayed_s, double replayed_mpi_s,
                         char text[RECORDED_TIME_BYTES]);

#endif
