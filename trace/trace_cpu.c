/* CPU time beside wall time: for programs that were recorded with more ranks than cores. */
#include "common/array.h"
#include "trace/trace.h"

enum status trace_set_cpu(struct trace *trace, uint32_t rank, size_t index, int64_t cpu_ps, struct err *err)
{
    struct trace_rank *stream = &trace->ranks[rank];
    size_t known = stream->cpu_ps ? stream->count : 0, room = stream->capacity > index ? stream->capacity : index + 1;
    TRY(array_reserve((void **)&stream->cpu_ps, &stream->cpu_capacity, room, sizeof *stream->cpu_ps, err));
    for (; known < stream->count; known++) stream->cpu_ps[known] = TRACE_UNKNOWN_PS;
    stream->cpu_ps[index] = cpu_ps;
    return STATUS_OK;
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

enum status trace_use_cpu(struct trace *trace, struct err *err)
{
    bool any = false;
    for (uint32_t i = 0; i < trace->rank_count; i++) any = any || trace->ranks[i].cpu_ps;
    if (!any)
        return err_set(err, STATUS_DATA, trace->name, NULL,
                       "no CPU times, expected a trace that was recorded with --cpu-time");
    TRY(trace_check_one_thread(trace, "CPU times in place of wall time", err));
    for (uint32_t i = 0; i < trace->rank_count; i++)
        if (trace->ranks[i].cpu_ps) use_cpu(&trace->ranks[i], trace->record_cost_ps);
    return STATUS_OK;
}
