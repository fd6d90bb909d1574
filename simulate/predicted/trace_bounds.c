#include "simulate/predicted/trace_bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"
#include "model/transfers/bounds.h"
#include "simulate/engine/cost.h"

/* Each latency less its error, each rate with it. With aggregation an operation may travel in a larger message: then a
 * segment is as fast as the fastest one from it on. */
static struct net_segment *favour_segments(const struct net_segment *segments, size_t count, bool aggregate)
{
    struct net_segment *best = malloc((count + 1) * sizeof *best);
    if (!best) return NULL;
    memcpy(best, segments, count * sizeof *best);
    for (size_t i = count; i-- > 0;) {
        best[i].latency_s = fmax(0, best[i].latency_s - best[i].latency_error_s);
        best[i].bandwidth_Bps += best[i].bandwidth_error_Bps;
        if (!aggregate || i + 1 == count) continue;
        best[i].latency_s = fmin(best[i].latency_s, best[i + 1].latency_s);
        best[i].bandwidth_Bps = fmax(best[i].bandwidth_Bps, best[i + 1].bandwidth_Bps);
    }
    return best;
}

static int64_t message_ps(const struct platform *platform, uint32_t from, uint32_t to, int64_t bytes)
{
    const struct engine_message message = {.src_node = platform_node_of(platform, from),
                                           .dst_node = platform_node_of(platform, to),
                                           .bytes = bytes,
                                           .to_self = from == to};
    const struct cost cost = cost_message(platform, &message);
    return cost.latency_ps + cost.transmit_ps;
}

enum status least_ends_open(struct least_ends *ends, const struct platform *platform, struct err *err)
{
    struct platform *best = &ends->best;
    *best = *platform;
    best->segments = favour_segments(platform->segments, platform->segment_count, platform->aggregate);
    best->loopback = favour_segments(platform->loopback, platform->loopback_count, platform->aggregate);
    if (!best->segments || !best->loopback) {
        least_ends_clear(ends);
        return err_memory(err);
    }
    for (size_t i = 0; i < best->loopback_count; i++) best->loopback[i].bandwidth_Bps /= platform_least_within(platform);
    return STATUS_OK;
}

void least_ends_clear(struct least_ends *ends)
{
    FREE_ALL(ends->best.segments, ends->best.loopback);
    ends->best.segments = ends->best.loopback = NULL;
}

/* On a user's SimGrid platform only the engine knows the routes. */
int64_t least_ends_of(const struct least_ends *ends, uint32_t origin, const struct trace_call *operation)
{
    const struct platform *best = &ends->best;
    uint32_t target = (uint32_t)operation->peer;
    if (best->simgrid_xml) return operation->enter_ps;
    enum call_kind kind = call_operation(call_kind(operation->call));
    if (kind == CALL_GET) return operation->enter_ps + message_ps(best, target, origin, operation->bytes);
    int64_t there_ps = message_ps(best, origin, target, operation->bytes), back_ps = 0;
    if (kind == CALL_GET_ACCUMULATE) back_ps = message_ps(best, target, origin, operation->rma.result_bytes);
    return operation->enter_ps + units_max_ps(there_ps, back_ps);
}

enum status trace_bounds_keep(struct trace *predicted, const struct relations *relations, const struct least_ends *ends,
                              struct trace_bounds *bounds, struct err *err)
{
    struct transfers transfers;
    TRY(bounds_from_relations(relations, &transfers, err));
    for (size_t i = 0; i < transfers.count; i++) {
        const struct transfer *transfer = &transfers.items[i];
        const struct trace_rank *rank = &predicted->ranks[transfer->origin];
        struct trace_sim *sim = &rank->sim[transfer->call];
        sim->base_end_ps = transfer->lower_end_ps;
        sim->extended_end_ps = transfer->upper_end_ps;
        sim->xfer_least_ps = least_ends_of(ends, transfer->origin, &rank->calls[transfer->call]);
        bool ends_at_all = sim->xfer_end_ps != TRACE_UNKNOWN_PS;
        bounds->endless += !ends_at_all;
        bounds->outside += ends_at_all && !transfer_within_bounds(predicted, transfer);
    }
    bounds->transfers += transfers.count;
    transfers_clear(&transfers);
    return STATUS_OK;
}
