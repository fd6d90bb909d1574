/* include/rmacast/trace.h: the handle is a struct trace. */
#include <inttypes.h>
#include <math.h>

#include "common/public.h"
#include "common/units.h"
#include <rmacast/trace.h>
#include "trace/open.h"

static const struct trace *trace_inside(const struct rmacast_trace *trace)
{
    return (const struct trace *)trace;
}

PUBLIC enum rmacast_status rmacast_trace_open(const char *path, struct rmacast_trace **trace,
                                              struct rmacast_error *error)
{
    struct err err = {.text = ""};
    struct trace *opened;
    const struct public_argument arguments[] = {
        {.name = "path", PUBLIC_TEXT, path}, {.name = "trace", PUBLIC_POINTER, trace}, {0}};
    enum status status = public_check(arguments, &err);
    if (status == STATUS_OK) status = trace_open(path, &opened, &err);
    if (status == STATUS_OK && (status = public_open(PUBLIC_TRACE, opened, &err)) != STATUS_OK) trace_free(opened);
    if (status == STATUS_OK) *trace = (struct rmacast_trace *)opened;
    return public_status(status, &err, error);
}

PUBLIC void rmacast_trace_free(struct rmacast_trace *trace)
{
    if (public_close(PUBLIC_TRACE, trace)) trace_free((struct trace *)trace);
}

PUBLIC enum rmacast_status rmacast_trace_save(const struct rmacast_trace *trace, const char *path,
                                              struct rmacast_error *error)
{
    struct err err = {.text = ""};
    const struct public_argument arguments[] = {
        {.name = "trace", PUBLIC_TRACE, trace}, {.name = "path", PUBLIC_TEXT, path}, {0}};
    enum status status = public_check(arguments, &err);
    if (status == STATUS_OK) status = trace_save(trace_inside(trace), path, &err);
    return public_status(status, &err, error);
}

PUBLIC uint32_t rmacast_trace_rank_count(const struct rmacast_trace *trace)
{
    return public_is(PUBLIC_TRACE, trace) ? trace_inside(trace)->rank_count : 0;
}

PUBLIC size_t rmacast_trace_call_count(const struct rmacast_trace *trace, uint32_t rank)
{
    return rank < rmacast_trace_rank_count(trace) ? trace_inside(trace)->ranks[rank].count : 0;
}

PUBLIC double rmacast_trace_run_time_s(const struct rmacast_trace *trace)
{
    if (!public_is(PUBLIC_TRACE, trace)) return (double)NAN;
    int64_t begin_ps = trace_begin_ps(trace_inside(trace)), end_ps = begin_ps;
    for (uint32_t i = 0; i < trace_inside(trace)->rank_count; i++) {
        int64_t rank_end_ps = trace_rank_end_ps(trace_inside(trace), i);
        if (rank_end_ps > end_ps) end_ps = rank_end_ps;
    }
    return units_s(end_ps - begin_ps);
}

PUBLIC int rmacast_trace_is_simulated(const struct rmacast_trace *trace)
{
    return public_is(PUBLIC_TRACE, trace) && trace_inside(trace)->provenance.simulated;
}

PUBLIC int rmacast_trace_is_complete(const struct rmacast_trace *trace)
{
    bool complete = public_is(PUBLIC_TRACE, trace);
    for (uint32_t i = 0; complete && i < trace_inside(trace)->rank_count; i++)
        complete = !trace_inside(trace)->ranks[i].incomplete;
    return complete;
}

static enum status check_call(const struct rmacast_trace *trace, uint32_t rank, size_t index, struct err *err)
{
    if (index < rmacast_trace_call_count(trace, rank)) return STATUS_OK;
    return err_set(err, STATUS_USAGE, trace_inside(trace)->name, NULL,
                   "call %zu of rank %" PRIu32 " does not exist, expected a rank below %" PRIu32 " and an index below %zu", index,
                   rank, trace_inside(trace)->rank_count, rmacast_trace_call_count(trace, rank));
}

PUBLIC enum rmacast_status rmacast_trace_call(const struct rmacast_trace *trace, uint32_t rank, size_t index,
                                              struct rmacast_call *call, struct rmacast_error *error)
{
    struct err err = {.text = ""};
    const struct public_argument arguments[] = {
        {.name = "trace", PUBLIC_TRACE, trace}, {.name = "call", PUBLIC_POINTER, call}, {0}};
    enum status status = public_check(arguments, &err);
    if (status == STATUS_OK) status = check_call(trace, rank, index, &err);
    if (status != STATUS_OK) return public_status(status, &err, error);
    const struct trace_call *one = &trace_inside(trace)->ranks[rank].calls[index];
    bool on_window = call_row(one->call)->allowed & F_WIN;
    *call = (struct rmacast_call){.name = call_name(one->call),
                                  .enter_s = units_s(one->enter_ps),
                                  .exit_s = units_s(one->exit_ps),
                                  .window = on_window ? one->handle : -1,
                                  .peer = one->peer,
                                  .bytes = one->bytes,
                                  .thread = trace_call_thread(trace_inside(trace), rank, index)};
    return public_status(STATUS_OK, &err, error);
}
