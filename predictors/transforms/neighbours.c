#include "predictors/transforms/neighbours.h"

#include <stdlib.h>

#include "common/array.h"
#include "model/match/instances.h"
#include "predictors/transforms/epoch_exchange.h"
#include "predictors/transforms/timeline.h"

struct flattening {
    const struct trace *trace;
    struct transform_report *report;
    struct instances instances;
    bool *stays;          /* by instance */
    size_t *first, *of;   /* per rank: number of calls of the ranks before; by call: its instance, or INSTANCE_NONE */
    int32_t tag;          /* that no other message has: the n-th send of a pair is for its n-th receive */
    uint64_t collectives; /* calls that change */
    struct map requests;  /* of a rank: those of collectives to the pair of the first new one and their number */
    uint32_t next_request;
};

static const struct trace_call *call_of(const struct flattening *flattening, uint32_t rank, size_t call)
{
    return &flattening->trace->ranks[rank].calls[call];
}

static size_t instance_of(const struct flattening *flattening, uint32_t rank, size_t call)
{
    return flattening->of[flattening->first[rank] + call];
}

static const struct trace_call *call_of_member(const struct flattening *flattening, const struct instance *instance, int32_t rank,
                                               struct trace_neighbors *all)
{
    const struct trace *trace = flattening->trace;
    const int32_t member = trace_comm_rank(instance_comm(trace, instance), rank);
    const struct trace_call *call =
        member == TRACE_NONE ? NULL : instance_call(trace, &flattening->instances, instance, (uint32_t)member);
    return call && trace_call_neighbors(trace, call, all) ? call : NULL;
}

/* The number-th occurrence of a rank; count: there is none. */
static uint32_t find_occurrence(const int64_t *ranks, uint32_t count, int64_t rank, uint32_t number)
{
    uint32_t at = 0;
    while (at < count && (ranks[at] != rank || number-- > 0)) at++;
    return at;
}

static uint32_t number_before(const int64_t *ranks, uint32_t index)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < index; i++) number += ranks[i] == ranks[index];
    return number;
}

/* The bytes of the number-th message of a sender to a receiver; -1: it sends none. */
static int64_t edge_bytes(const struct flattening *flattening, const struct instance *instance, int32_t from, int32_t to,
                          uint32_t number)
{
    struct trace_neighbors all;
    const struct trace_call *call = call_of_member(flattening, instance, from, &all);
    const uint32_t at = call ? find_occurrence(all.destinations, all.destination_count, to, number) : 0;
    if (!call || at == all.destination_count) return -1;
    const int64_t *counts = trace_call_counts(flattening->trace, call);
    return counts ? counts[at] : call->bytes / all.destination_count;
}

static bool is_received(const struct flattening *flattening, const struct instance *instance, int32_t from, int32_t to,
                        uint32_t number)
{
    struct trace_neighbors all;
    return call_of_member(flattening, instance, to, &all) &&
           find_occurrence(all.sources, all.source_count, from, number) < all.source_count;
}

/* ---- which collectives stay */

static enum status refuse_instance(struct flattening *flattening, size_t number, uint32_t rank, size_t call, const char *why,
                                   struct err *err)
{
    const struct instance *instance = &flattening->instances.items[number];
    if (flattening->stays[number]) return STATUS_OK;
    flattening->stays[number] = true;
    flattening->report->considered += instance->size;
    return transform_refuse(flattening->report, flattening->trace, rank, call, instance->size, err, "%s", why);
}

static const char *reason_of(const struct flattening *flattening, const struct instance *instance, uint32_t rank,
                             const struct trace_call *call)
{
    struct trace_neighbors all;
    if (!instance_complete(instance)) return "not all ranks of its communicator call it to the end";
    if (flattening->trace->ranks[rank].thread_count > 1) return "its rank has threads";
    if (!trace_call_neighbors(flattening->trace, call, &all)) return "the trace does not say its neighbours";
    for (uint32_t i = 0; i < all.source_count; i++)
        if (edge_bytes(flattening, instance, (int32_t)all.sources[i], (int32_t)rank, number_before(all.sources, i)) < 0)
            return "one of its sources sends it nothing";
    for (uint32_t i = 0; i < all.destination_count; i++)
        if (!is_received(flattening, instance, (int32_t)rank, (int32_t)all.destinations[i], number_before(all.destinations, i)))
            return "one of its destinations receives nothing from it";
    return NULL;
}

/* A test may find it complete at any time. */
static enum status refuse_tested(struct flattening *flattening, uint32_t rank, size_t index, const struct map *requests,
                                 struct err *err)
{
    const struct trace_call *call = call_of(flattening, rank, index);
    const enum call_kind kind = call_kind(call->call);
    uint32_t count;
    const uint32_t *ids = trace_call_completed(flattening->trace, call, &count);
    if (kind != CALL_REQUEST_TEST && kind != CALL_REQUEST_TESTALL && kind != CALL_REQUEST_QUERY) return STATUS_OK;
    if (count == 0 && kind != CALL_REQUEST_TESTALL) ids = &call->completion.request, count = 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *instance = map_find(requests, ids[i]);
        if (instance)
            TRY(refuse_instance(flattening, (size_t)*instance, rank, index, "a neighbourhood collective is tested for", err));
    }
    return STATUS_OK;
}

static enum status look_at_rank(struct flattening *flattening, uint32_t rank, struct map *requests, struct err *err)
{
    const struct trace_rank *process = &flattening->trace->ranks[rank];
    for (size_t i = 0; i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        const size_t number = instance_of(flattening, rank, i);
        TRY(refuse_tested(flattening, rank, i, requests, err));
        if (number == INSTANCE_NONE) continue;
        const char *why = reason_of(flattening, &flattening->instances.items[number], rank, call);
        if (why) TRY(refuse_instance(flattening, number, rank, i, why, err));
        if (call_makes_request(call->call)) TRY(map_set(requests, call->collective.request, number, err));
    }
    return STATUS_OK;
}

static enum status find_instances(struct flattening *flattening, struct err *err)
{
    const struct trace *trace = flattening->trace;
    struct map requests = {0};
    TRY(instances_build_of(trace, CALL_NEIGHBOR, &flattening->instances, err));
    const struct instances *all = &flattening->instances;
    flattening->stays = calloc(all->count + 1, sizeof *flattening->stays);
    flattening->first = calloc((size_t)trace->rank_count + 1, sizeof *flattening->first);
    if (!flattening->stays || !flattening->first) return err_memory(err);
    for (uint32_t r = 0; r < trace->rank_count; r++) flattening->first[r + 1] = flattening->first[r] + trace->ranks[r].count;
    const size_t calls = flattening->first[trace->rank_count];
    flattening->of = malloc((calls + 1) * sizeof *flattening->of);
    if (!flattening->of) return err_memory(err);
    for (size_t i = 0; i < calls; i++) flattening->of[i] = INSTANCE_NONE;
    for (size_t n = 0; n < all->count; n++) {
        const struct trace_comm *comm = instance_comm(trace, &all->items[n]);
        for (uint32_t m = 0; m < comm->count; m++) {
            size_t call = all->calls[all->items[n].member_first + m];
            if (call != INSTANCE_NONE) flattening->of[flattening->first[comm->members[m]] + call] = n;
        }
    }
    enum status status = STATUS_OK;
    for (uint32_t r = 0; status == STATUS_OK && r < trace->rank_count; r++) {
        map_empty(&requests);
        status = look_at_rank(flattening, r, &requests, err);
    }
    map_clear(&requests);
    return status;
}

/* ---- the messages */

static enum status push_end(struct flattening *flattening, struct epoch_exchange_site *site, enum mpi_call id, int32_t comm,
                            int32_t peer, int64_t bytes, struct err *err)
{
    struct trace_call call = {.call = (uint16_t)id, .handle = comm, .peer = peer, .bytes = bytes, .any = TRACE_NO_MEMBERS};
    call.message.tag = flattening->tag;
    call.message.request = flattening->next_request++;
    return epoch_exchange_push(site, &call, err);
}

static enum status push_messages(struct flattening *flattening, uint32_t rank, struct epoch_exchange_site *site,
                                 struct trace *made, struct err *err)
{
    const struct trace_call call = *call_of(flattening, rank, site->item.index);
    const struct instance *instance = &flattening->instances.items[instance_of(flattening, rank, site->item.index)];
    const uint32_t first = flattening->next_request;
    struct trace_neighbors all;
    trace_call_neighbors(flattening->trace, &call, &all);
    for (uint32_t i = 0; i < all.source_count; i++)
        TRY(push_end(flattening, site, ID_Irecv, call.handle, (int32_t)all.sources[i],
                     edge_bytes(flattening, instance, (int32_t)all.sources[i], (int32_t)rank, number_before(all.sources, i)),
                     err));
    for (uint32_t i = 0; i < all.destination_count; i++)
        TRY(push_end(flattening, site, ID_Isend, call.handle, (int32_t)all.destinations[i],
                     edge_bytes(flattening, instance, (int32_t)rank, (int32_t)all.destinations[i],
                                number_before(all.destinations, i)),
                     err));
    const uint32_t count = flattening->next_request - first;
    flattening->collectives++;
    if (call_makes_request(call.call))
        return map_set(&flattening->requests, call.collective.request, map_pair(first, count), err);
    uint32_t *requests = malloc(((size_t)count + 1) * sizeof *requests);
    if (!requests) return err_memory(err);
    for (uint32_t i = 0; i < count; i++) requests[i] = first + i;
    enum status status = epoch_exchange_push_waitall(site, made, requests, count, err);
    free(requests);
    return status;
}

/* A wait for the collective is one for its messages. */
static enum status push_wait(struct flattening *flattening, struct epoch_exchange_site *site, struct trace *made, struct err *err)
{
    uint32_t count, *requests = NULL;
    size_t kept = 0, capacity = 0;
    bool changes = false;
    const uint32_t *ids = trace_call_completed(flattening->trace, &site->item.call, &count);
    for (uint32_t i = 0; i < count; i++) changes = changes || map_find(&flattening->requests, ids[i]);
    if (!changes) return timeline_push(site->now, site->item, err);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
        const uint64_t *of = map_find(&flattening->requests, ids[i]);
        const uint32_t first = of ? (uint32_t)(*of >> 32) : ids[i], more = of ? (uint32_t)*of : 1;
        status = array_reserve((void **)&requests, &capacity, kept + more, sizeof *requests, err);
        for (uint32_t k = 0; status == STATUS_OK && k < more; k++) requests[kept++] = first + k;
    }
    if (status == STATUS_OK) status = epoch_exchange_push_waitall(site, made, requests, (uint32_t)kept, err);
    free(requests);
    if (status == STATUS_OK) timeline_defer(site->now, &site->item);
    return status;
}

static enum status flatten_timeline(void *context, uint32_t rank, struct timeline_edit *timeline, struct trace *made,
                                    struct err *err)
{
    struct flattening *flattening = context;
    struct timeline_edit now = {.tail_ps = 0};
    enum status status = STATUS_OK;
    if (flattening->trace->ranks[rank].thread_count > 1) return STATUS_OK;
    flattening->next_request = timeline_free_request(&flattening->trace->ranks[rank]);
    map_empty(&flattening->requests);
    for (size_t i = 0; status == STATUS_OK && i < timeline->count; i++) {
        struct epoch_exchange_site site = {&now, timeline->items[i]};
        const size_t number = instance_of(flattening, rank, site.item.index);
        if (number != INSTANCE_NONE && !flattening->stays[number]) {
            status = push_messages(flattening, rank, &site, made, err);
            if (status == STATUS_OK) timeline_defer(&now, &site.item);
        } else if (call_arm(call_kind(site.item.call.call)) == ARM_COMPLETION) {
            status = push_wait(flattening, &site, made, err);
        } else {
            status = timeline_push(&now, site.item, err);
        }
    }
    return timeline_replace(timeline, &now, status);
}

static enum status flatten_collectives(struct flattening *flattening, struct trace **made, struct err *err)
{
    bool any = false;
    TRY(find_instances(flattening, err));
    for (size_t n = 0; n < flattening->instances.count; n++)
        any = any || !flattening->stays[n];
    flattening->tag = timeline_free_tag(flattening->trace);
    return any ? timeline_each(flattening->trace, flatten_timeline, flattening, made, err) : STATUS_OK;
}

enum status neighbours_as_messages(const struct trace *trace, struct transform_report *report, struct trace **made,
                                   uint64_t *collectives, struct err *err)
{
    struct flattening flattening = {.trace = trace, .report = report};
    bool any = false;
    *made = NULL;
    *collectives = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count && !any; i++)
            any = call_kind(trace->ranks[r].calls[i].call) == CALL_NEIGHBOR;
    if (!any) return STATUS_OK;
    enum status status = flatten_collectives(&flattening, made, err);
    if (status == STATUS_OK && *made) status = trace_check(*made, err);
    *collectives = flattening.collectives;
    instances_clear(&flattening.instances);
    FREE_ALL(flattening.stays, flattening.first, flattening.of);
    map_clear(&flattening.requests);
    if (status != STATUS_OK) trace_free(*made);
    return status;
}
