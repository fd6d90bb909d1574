/* CPU time beside wall time, for programs that were recorded with more ranks than cores; computing that is not the time
 * between two calls. */
#include <stdlib.h>

#include "common/array.h"
#include "trace/trace.h"

/* Sets one of values, which are parallel to a rank's calls; those before it that are not yet there are unknown. */
static enum status set(const struct trace_rank *stream, int64_t **values, size_t *capacity, size_t index, int64_t ps,
                       struct err *err)
{
    size_t known = *values ? stream->count : 0, room = stream->capacity > index ? stream->capacity : index + 1;
    TRY(array_reserve((void **)values, capacity, room, sizeof **values, err));
    for (; known < stream->count; known++) (*values)[known] = TRACE_UNKNOWN_PS;
    (*values)[index] = ps;
    return STATUS_OK;
}

enum status trace_set_cpu(struct trace *trace, uint32_t rank, size_t index, int64_t cpu_ps, struct err *err)
{
    struct trace_rank *stream = &trace->ranks[rank];
    return set(stream, &stream->cpu_ps, &stream->cpu_capacity, index, cpu_ps, err);
}

enum status trace_set_compute(struct trace *trace, uint32_t rank, size_t index, int64_t compute_ps, struct err *err)
{
    struct trace_rank *stream = &trace->ranks[rank];
    return set(stream, &stream->compute_ps, &stream->compute_capacity, index, compute_ps, err);
}

static void use_cpu(struct trace_rank *stream, int64_t cost_ps)
{
    int64_t moved_ps = 0, before_ps = 0; /* before_ps: the exit of the call before as recorded */
    for (size_t i = 0; i < stream->count; i++) {
        struct trace_call *call = &stream->calls[i];
        int64_t gap_ps = call->enter_ps - before_ps, cpu_ps = stream->cpu_ps[i] > 0 ? stream->cpu_ps[i] : 0;
        before_ps = call->exit_ps;
        if (i > 0 && stream->cpu_ps[i] != TRACE_UNKNOWN_PS && cpu_ps < gap_ps - cost_ps)
            moved_ps -= gap_ps - cost_ps - cpu_ps;
        call->enter_ps += moved_ps;
        call->exit_ps += moved_ps;
    }
}

/* The thread's call before: of its first one, time zero. */
static enum status use_thread_cpu(struct trace *trace, uint32_t rank, struct err *err)
{
    const struct trace_rank *stream = &trace->ranks[rank];
    size_t *before = calloc(trace_thread_count(trace, rank), sizeof *before); /* per thread: its call before, from 1 */
    enum status status = before ? STATUS_OK : err_memory(err);
    for (size_t i = 0; status == STATUS_OK && i < stream->count; i++) {
        uint32_t thread = trace_call_thread(trace, rank, i);
        int64_t cpu_ps = stream->cpu_ps[i] > 0 ? stream->cpu_ps[i] : 0;
        if (before[thread] > 0 && stream->cpu_ps[i] != TRACE_UNKNOWN_PS) {
            int64_t gap_ps =
                stream->calls[i].enter_ps - stream->calls[before[thread] - 1].exit_ps - trace->record_cost_ps;
            if (cpu_ps < gap_ps) status = trace_set_compute(trace, rank, i, cpu_ps, err);
        }
        before[thread] = i + 1;
    }
    free(before);
    return status;
}

enum status trace_use_cpu(struct trace *trace, struct err *err)
{
    bool any = false;
    for (uint32_t i = 0; i < trace->rank_count; i++) any = any || trace->ranks[i].cpu_ps;
    if (!any)
        return err_set(err, STATUS_DATA, trace->name, NULL,
                       "no CPU times, expected a trace that was recorded with --cpu-time");
    for (uint32_t i = 0; i < trace->rank_count; i++) {
        if (!trace->ranks[i].cpu_ps) continue;
        if (trace->ranks[i].thread_count > 0)
            TRY(use_thread_cpu(trace, i, err));
        else
            use_cpu(&trace->ranks[i], trace->record_cost_ps);
    }
    return STATUS_OK;
}
