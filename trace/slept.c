/* Fits the recorded sleep between calls (trace/trace.h) into its gaps. */
#include <stdlib.h>

#include "trace/trace.h"

static void fit_rank(struct trace *trace, uint32_t rank, int64_t *left_ps)
{
    struct trace_rank *process = &trace->ranks[rank];
    int64_t *slept_ps = process->before_ps[BEFORE_SLEPT];
    for (size_t i = 0; i < process->count; i++) {
        int64_t *from_ps = &left_ps[trace_call_thread(trace, rank, i)];
        int64_t most_ps = process->calls[i].enter_ps - *from_ps;
        most_ps -= trace_before_ps(process, BEFORE_CORE_WAIT, i);
        most_ps -= trace_before_ps(process, BEFORE_PAUSED, i);
        if (slept_ps[i] > most_ps) slept_ps[i] = most_ps > 0 ? most_ps : 0;
        *from_ps = process->calls[i].exit_ps;
    }
}

enum status trace_fit_slept(struct trace *trace, struct err *err)
{
    int64_t begin_ps = trace_begin_ps(trace);
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        if (!trace->ranks[rank].before_ps[BEFORE_SLEPT]) continue;
        uint32_t threads = trace_thread_count(trace, rank);
        int64_t *left_ps = malloc(((size_t)threads + 1) * sizeof *left_ps);
        if (!left_ps) return err_memory(err);
        for (uint32_t t = 0; t <= threads; t++) left_ps[t] = begin_ps;
        fit_rank(trace, rank, left_ps);
        free(left_ps);
    }
    return STATUS_OK;
}
