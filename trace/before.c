/* Keeps the times that are recorded beside each call (enum trace_before in trace/trace.h). */
#include "common/array.h"
#include "trace/trace.h"

const char *trace_before_key(enum trace_before what)
{
    static const char *const keys[BEFORE_COUNT] = {
#define BEFORE(ID, KEY, ATTRIBUTE, DESCRIPTION) KEY,
#include "trace/before.def"
#undef BEFORE
    };
    return keys[what];
}

/* Sets one of the values, which are parallel to a rank's calls. Earlier calls without a value get an unknown one. */
static enum status set_value(const struct trace_rank *rank, int64_t **values, size_t *capacity, size_t index, int64_t ps,
                       struct err *err)
{
    size_t known = *values ? rank->count : 0, room = rank->capacity > index ? rank->capacity : index + 1;
    TRY(array_reserve((void **)values, capacity, room, sizeof **values, err));
    for (; known < rank->count; known++) (*values)[known] = TRACE_UNKNOWN_PS;
    (*values)[index] = ps;
    return STATUS_OK;
}

enum status trace_set_before(struct trace *trace, uint32_t rank, size_t index, enum trace_before what, int64_t ps,
                             struct err *err)
{
    struct trace_rank *process = &trace->ranks[rank];
    trace_sum_before(trace, rank, what, ps);
    return set_value(process, &process->before_ps[what], &process->before_capacity[what], index, ps, err);
}

/* A damaged file may have any value; trace_check() refuses it later. */
void trace_sum_before(struct trace *trace, uint32_t rank, enum trace_before what, int64_t ps)
{
    int64_t *sum_ps = &trace->ranks[rank].before_sum_ps[what];
    if (ps < 0) return;
    if (what == BEFORE_CORE_WAIT || what == BEFORE_CORE_WAIT_INSIDE) trace->provenance.core_waits = true;
    *sum_ps = *sum_ps > INT64_MAX - ps ? INT64_MAX : *sum_ps + ps;
}

enum status trace_set_compute(struct trace *trace, uint32_t rank, size_t index, int64_t compute_ps, struct err *err)
{
    struct trace_rank *process = &trace->ranks[rank];
    return set_value(process, &process->compute_ps, &process->compute_capacity, index, compute_ps, err);
}
