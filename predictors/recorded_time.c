#include "predictors/recorded_time.h"

#include <math.h>
#include <stdio.h>

#include "common/units.h"
#include "model/waits/disturbance.h"

static const double NOTABLE = 0.1;

/* With MPI_Init, of which no wait for a core is known. */
static double sum_mpi_s(const struct trace *trace)
{
    double sum_s = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            if (call_is_library(call->call)) sum_s += units_s(call->exit_ps - call->enter_ps);
        }
    return sum_s;
}

enum status recorded_time_find(const struct trace *trace, struct recorded_time *made, struct err *err)
{
    *made = (struct recorded_time){.known = trace_origin(trace) == TRACE_RECORDED, .ranks = trace->rank_count};
    if (!made->known) return STATUS_OK;
    const int64_t begin_ps = trace_begin_ps(trace);
    for (uint32_t r = 0; r < trace->rank_count; r++)
        made->run_time_s = fmax(made->run_time_s, units_s(trace_rank_end_ps(trace, r) - begin_ps));
    TRY(disturbance_find(trace, &made->parts, err));
    made->parts.mpi_s = sum_mpi_s(trace);
    return STATUS_OK;
}

char *recorded_time_text(const struct recorded_time *recorded, double replayed_s, double replayed_mpi_s,
                         char text[RECORDED_TIME_BYTES])
{
    const struct result_disturbance *parts = &recorded->parts;
    const double ranks = recorded->ranks > 0 ? recorded->ranks : 1;
    char run[UNITS_TEXT_BYTES], replayed[UNITS_TEXT_BYTES], computing[UNITS_TEXT_BYTES], mpi[UNITS_TEXT_BYTES],
        waited[UNITS_TEXT_BYTES], inside[UNITS_TEXT_BYTES], left[UNITS_TEXT_BYTES], core[2 * UNITS_TEXT_BYTES + 40];
    if (!recorded->known || fabs(replayed_s - recorded->run_time_s) <= NOTABLE * recorded->run_time_s) return NULL;
    if (parts->known)
        snprintf(core, sizeof core, "%s without a core (%s of it in MPI)",
                 units_format_duration((parts->waited_s + parts->mpi_waited_s) / ranks, waited),
                 units_format_duration(parts->mpi_waited_s / ranks, inside));
    else
        snprintf(core, sizeof core, "waits for a core were not recorded");
    snprintf(text, RECORDED_TIME_BYTES,
             "%s recorded, %s replayed; of the recorded time, mean of a rank: %s computing, %s, %s else in MPI, where the "
             "replay has %s",
             units_format_duration(recorded->run_time_s, run), units_format_duration(replayed_s, replayed),
             units_format_duration((parts->computing_s - parts->waited_s) / ranks, computing), core,
             units_format_duration((parts->mpi_s - parts->mpi_waited_s) / ranks, left),
             units_format_duration(replayed_mpi_s, mpi));
    return text;
}
