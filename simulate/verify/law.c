#include "simulate/verify/law.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "simulate/engine/cost.h"

void verify_breach(struct verify_row *row, const char *format, ...)
{
    row->breaches++;
    if (row->state == VERIFY_BROKEN) return;
    row->state = VERIFY_BROKEN;
    va_list args;
    va_start(args, format);
    vsnprintf(row->detail, sizeof row->detail, format, args);
    va_end(args);
}

void verify_skip(struct verify_row *row, const char *format, ...)
{
    row->state = VERIFY_NOT_APPLICABLE;
    va_list args;
    va_start(args, format);
    vsnprintf(row->detail, sizeof row->detail, format, args);
    va_end(args);
}

void verify_after(const struct verify_context *context, struct verify_row *row, uint32_t rank, size_t call,
                  int64_t time_ps, int64_t cause_ps, const char *cause)
{
    row->checked++;
    if (time_ps + context->slack_ps >= cause_ps) return;
    char place[TRACE_PLACE_BYTES];
    verify_breach(row, "%s: %s at %" PRId64 " ps, %" PRId64 " ps too early",
                  trace_place(context->predicted, rank, call, place), cause, time_ps, cause_ps - time_ps);
}

/* Nothing where only the engine knows the route. */
static struct cost least_cost(const struct verify_context *context, uint32_t from, uint32_t to, int64_t bytes, bool two_sided)
{
    struct engine_message message = {
        .src_node = platform_node_of(context->platform, from),
        .dst_node = platform_node_of(context->platform, to),
        .bytes = bytes,
        .to_self = from == to,
        .two_sided = two_sided,
    };
    if (context->platform->simgrid_xml) return (struct cost){0};
    struct cost cost = cost_message(context->platform, &message);
    if (message.src_node == message.dst_node && from != to)
        cost.transmit_ps = (int64_t)((double)cost.transmit_ps * platform_least_within(context->platform));
    return cost;
}

static int64_t message_ps(const struct verify_context *context, uint32_t from, uint32_t to, int64_t bytes)
{
    struct cost cost = least_cost(context, from, to, bytes, false);
    return cost.transmit_ps + cost.latency_ps;
}

int64_t verify_send_ps(const struct verify_context *context, uint32_t from, uint32_t to, int64_t bytes)
{
    struct cost cost = least_cost(context, from, to, bytes, true);
    return cost.transmit_ps + cost.latency_ps;
}

int64_t verify_send_transmit_ps(const struct verify_context *context, uint32_t from, uint32_t to, int64_t bytes)
{
    return least_cost(context, from, to, bytes, true).transmit_ps;
}

static int64_t transmit_ps(const struct verify_context *context, uint32_t from, uint32_t to, int64_t bytes)
{
    return least_cost(context, from, to, bytes, false).transmit_ps;
}

/* The least over `bytes` and, with aggregation, over larger messages, which may be in a faster segment. */
static int64_t operation_ps(const struct verify_context *context, uint32_t from, uint32_t to, int64_t bytes,
                            int64_t (*of_message)(const struct verify_context *, uint32_t, uint32_t, int64_t))
{
    const struct platform *platform = context->platform;
    bool local = platform_node_of(platform, from) == platform_node_of(platform, to);
    const struct net_segment *segments = local ? platform->loopback : platform->segments;
    size_t count = local ? platform->loopback_count : platform->segment_count;
    int64_t least_ps = of_message(context, from, to, bytes);
    for (size_t i = 0; platform->aggregate && i + 1 < count; i++) {
        if (segments[i].upto_bytes < bytes) continue;
        int64_t larger_ps = of_message(context, from, to, segments[i].upto_bytes + 1);
        if (larger_ps < least_ps) least_ps = larger_ps;
    }
    return least_ps;
}

int64_t verify_operation_ps(const struct verify_context *context, uint32_t from, uint32_t to, int64_t bytes)
{
    return operation_ps(context, from, to, bytes, message_ps);
}

int64_t verify_leaving_ps(const struct verify_context *context, uint32_t from, uint32_t to, int64_t bytes)
{
    return operation_ps(context, from, to, bytes, transmit_ps);
}

int64_t verify_control_ps(const struct verify_context *context, uint32_t from, uint32_t to)
{
    return message_ps(context, from, to, context->platform->control_bytes);
}

int64_t verify_known_ps(const struct verify_context *context, uint32_t origin, size_t index)
{
    const struct trace_rank *rank = &context->predicted->ranks[origin];
    uint32_t target = (uint32_t)rank->calls[index].peer;
    return rank->sim[index].xfer_end_ps + (target == origin ? 0 : verify_control_ps(context, target, origin));
}

static enum rma_kind protocol_kind(const struct verify_context *context, uint32_t origin, size_t index)
{
    const struct trace_call *call = &context->predicted->ranks[origin].calls[index];
    enum rma_kind kind = verify_rma_kind(call_kind(call->call));
    if (kind != RMA_PUT || call_is_shmem(call->call)) return kind;
    return window_mode_accumulates(&context->modes[call->handle], context->predicted, origin, index) ? RMA_ACCUMULATE : RMA_PUT;
}

int64_t verify_local_ps(const struct verify_context *context, uint32_t origin, size_t index)
{
    const struct trace_rank *rank = &context->predicted->ranks[origin];
    const struct trace_call *call = &rank->calls[index];
    switch (context->platform->protocol.local[protocol_kind(context, origin, index)]) {
    case LOCAL_COPIED: return call->exit_ps;
    case LOCAL_ACKNOWLEDGED: return verify_known_ps(context, origin, index);
    case LOCAL_LEFT: break;
    }
    return rank->sim[index].xfer_start_ps + verify_leaving_ps(context, origin, (uint32_t)call->peer, call->bytes);
}

enum rma_kind verify_rma_kind(enum call_kind kind)
{
    kind = call_operation(kind);
    return kind == CALL_GET || kind == CALL_GET_ACCUMULATE ? RMA_GET
           : kind == CALL_ACCUMULATE                       ? RMA_ACCUMULATE
                                                           : RMA_PUT;
}
