#include "predictors/recorded_time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/units.h"

static const double NOTABLE = 0.1;

void recorded_time_add(const struct trace *trace, uint32_t rank, size_t first, struct disturbance_inside *inside,
                       struct recorded_time *made)
{
    const struct trace_rank *process = &trace->ranks[rank];
    disturbance_add_rank(process, first, &inside[rank]);
    for (size_t i = first; i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        if (call_is_library(call->call)) made->mpi_s += units_s(call->exit_ps - call->enter_ps);
    }
}

enum status recorded_time_end(const struct trace *trace, const struct disturbance_inside *inside, struct recorded_time *made,
                              struct err *err)
{
    struct timelines timelines;
    made->known = trace_origin(trace) == TRACE_RECORDED;
    made->ranks = trace->rank_count;
    if (!made->known) return STATUS_OK;
    const int64_t begin_ps = trace_begin_ps(trace);
    for (uint32_t r = 0; r < trace->rank_count; r++)
        made->run_time_s = fmax(made->run_time_s, units_s(trace_rank_end_ps(trace, r) - begin_ps));
    TRY(timelines_build(trace, &timelines, err));
    disturbance_report(&timelines, inside, &made->parts);
    timelines_clear(&timelines);
    made->parts.mpi_s = made->mpi_s;
    return STATUS_OK;
}

enum status recorded_time_find(const struct trace *trace, struct recorded_time *made, struct err *err)
{
    struct disturbance_inside *inside = calloc((size_t)trace->rank_count + 1, sizeof *inside);
    *made = (struct recorded_time){.known = false};
    if (!inside) return err_memory(err);
    for (uint32_t r = 0; r < trace->rank_count && trace_origin(trace) == TRACE_RECORDED; r++)
        recorded_time_add(trace, r, 0, inside, made);
    enum status status = recorded_time_end(trace, inside, made, err);
    free(inside);
    return status;
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
