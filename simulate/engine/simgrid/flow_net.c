#include "simulate/engine/simgrid/flow_net.h"

#include <math.h>
#include <stdlib.h>

#include "common/array.h"

enum { NONE = 0 }; /* item 0 is never used: all-zero NICs are empty */

/* The owner's clock is a double of seconds. Tolerance: some rounding steps of it, at least 10 ps. */
enum { SNAP_PS = 10, SNAP_SHIFT = 50 };

enum event_type { EVENT_TIMER, EVENT_BEGIN, EVENT_ALONE_END, EVENT_FLOW_END, EVENT_LEFT, EVENT_ARRIVED };

enum status flow_net_init(struct flow_net *net, const struct platform *platform,
                          const struct engine_callbacks *callbacks, struct err *err)
{
    size_t nodes = (size_t)platform->node_count;
    struct flow_item unused = {.next = NONE};
    *net = (struct flow_net){.platform = platform, .callbacks = *callbacks};
    net->nics = calloc(nodes, sizeof *net->nics);
    net->jobs = calloc(nodes, sizeof *net->jobs);
    if (!net->nics || !net->jobs) return err_memory(err);
    ARRAY_PUSH(net->items, net->item_count, net->item_capacity, unused, err);
    return STATUS_OK;
}

void flow_net_clear(struct flow_net *net)
{
    event_queue_clear(&net->queue);
    lone_flows_clear(&net->lone);
    FREE_ALL(net->nics, net->jobs, net->items);
    *net = (struct flow_net){.platform = NULL};
}

enum status flow_net_watch(struct flow_net *net, struct err *err)
{
    return lone_flows_init(&net->lone, net->platform, err);
}

static enum status take_item(struct flow_net *net, const struct flow_item *item, uint32_t *index, struct err *err)
{
    if (net->free_item != NONE) {
        *index = net->free_item;
        net->free_item = net->items[*index].next;
        net->items[*index] = *item;
        return STATUS_OK;
    }
    *index = (uint32_t)net->item_count;
    ARRAY_PUSH(net->items, net->item_count, net->item_capacity, *item, err);
    return STATUS_OK;
}

static enum status push_arrival(struct flow_net *net, uint32_t index, int64_t left_ps, struct err *err)
{
    const struct flow_item *item = &net->items[index];
    return event_queue_push(&net->queue, left_ps + item->cost.latency_ps, item->key, EVENT_ARRIVED, index, err);
}

static void make_job(struct flow_net *net, uint32_t node, double bytes)
{
    size_t room = (size_t)net->platform->node_count;
    net->nics[node].alone = false;
    net->nics[node].job_bytes = bytes;
    net->jobs[(net->job_first + net->job_count++) % room] = node;
    net->flows++;
}

static int64_t alone_end_ps(const struct flow_item *item)
{
    return item->began_ps + item->cost.transmit_ps;
}

/* A flow that was alone shares a link from now on. Its end is in the future, so at least one byte is left. */
static void end_loneliness(struct flow_net *net, uint32_t node)
{
    const struct flow_item *item = &net->items[net->nics[node].first];
    if (!net->nics[node].alone) return;
    double left = (double)(alone_end_ps(item) - net->now_ps) / (double)item->cost.transmit_ps;
    make_job(net, node, fmax(1, round(item->flow_bytes * left)));
}

/* The end of a flow that stays alone precedes all other events of its time, like an end that the owner reports. */
static enum status begin_flow(struct flow_net *net, uint32_t node, struct err *err)
{
    struct flow_item *item = &net->items[net->nics[node].first];
    bool alone = false;
    item->began_ps = net->now_ps;
    if (net->lone.platform) TRY(lone_flows_begin(&net->lone, (int32_t)node, item->dst_node, &alone, err));
    if (alone) {
        struct event_time end = {alone_end_ps(item), 0};
        net->nics[node].alone = true;
        return event_queue_push_at(&net->queue, end, EVENT_ALONE_END, node, err);
    }
    for (size_t i = 0; i < net->lone.met_count; i++) end_loneliness(net, (uint32_t)net->lone.met[i]);
    make_job(net, node, item->flow_bytes);
    return STATUS_OK;
}

/* Sends the messages at the head of the queue that are only timed, and begins the first flow. */
static enum status begin_next(struct flow_net *net, uint32_t node, struct err *err)
{
    struct flow_nic *nic = &net->nics[node];
    while (nic->first != NONE) {
        uint32_t index = nic->first;
        struct flow_item *item = &net->items[index];
        int64_t begin_ps = nic->free_ps > net->now_ps ? nic->free_ps : net->now_ps;
        if (item->flow && begin_ps > net->now_ps)
            return event_queue_push(&net->queue, begin_ps, item->key, EVENT_BEGIN, node, err);
        if (item->flow) return begin_flow(net, node, err);
        nic->first = item->next;
        nic->free_ps = begin_ps + item->cost.occupy_ps;
        item->began_ps = begin_ps;
        int64_t left_ps = begin_ps + item->cost.transmit_ps;
        if (item->want_left) TRY(event_queue_push(&net->queue, left_ps, item->key, EVENT_LEFT, index, err));
        TRY(push_arrival(net, index, left_ps, err));
    }
    return STATUS_OK;
}

enum status flow_net_send(struct flow_net *net, const struct engine_message *message, const struct cost *cost,
                          double flow_bytes, struct engine_departure *departure, struct err *err)
{
    struct flow_nic *nic = &net->nics[message->src_node];
    bool queued = cost->network && net->platform->contention && !message->passes;
    struct flow_item item = {.note = message->note,
                             .key = message->key,
                             .dst_node = message->dst_node,
                             .want_left = message->want_left,
                             .flow = queued && flow_bytes > 0,
                             .flow_bytes = flow_bytes,
                             .cost = *cost};
    uint32_t index;
    net->stats.messages++;
    TRY(take_item(net, &item, &index, err));
    if (!item.flow && (!queued || nic->first == NONE)) {
        int64_t begin_ps = queued && nic->free_ps > net->now_ps ? nic->free_ps : net->now_ps;
        if (queued) nic->free_ps = begin_ps + cost->occupy_ps;
        *departure = (struct engine_departure){begin_ps, begin_ps + cost->transmit_ps};
        return push_arrival(net, index, departure->left_ps, err);
    }
    *departure = (struct engine_departure){ENGINE_LATER, ENGINE_LATER};
    bool first = nic->first == NONE;
    *(first ? &nic->first : &net->items[nic->last].next) = index;
    nic->last = index;
    return first ? begin_next(net, (uint32_t)message->src_node, err) : STATUS_OK;
}

enum status flow_net_timer(struct flow_net *net, int64_t at_ps, uint32_t key, uint32_t id, struct err *err)
{
    return event_queue_push(&net->queue, at_ps, key, EVENT_TIMER, id, err);
}

static void report_left(const struct flow_net *net, const struct flow_item *item)
{
    const struct engine_callbacks *on = &net->callbacks;
    if (item->want_left) on->left(on->context, &item->note, item->began_ps, net->now_ps);
}

static enum status end_flow(struct flow_net *net, uint32_t node, struct err *err)
{
    struct flow_nic *nic = &net->nics[node];
    uint32_t index = nic->first;
    struct flow_item item = net->items[index];
    int64_t gap_end_ps = item.began_ps + item.cost.occupy_ps;
    nic->first = item.next;
    nic->free_ps = gap_end_ps > net->now_ps ? gap_end_ps : net->now_ps;
    TRY(push_arrival(net, index, net->now_ps, err));
    TRY(begin_next(net, node, err));
    report_left(net, &item);
    return STATUS_OK;
}

/* The event is stale if the flow became a job. */
static enum status end_alone(struct flow_net *net, uint32_t node, struct err *err)
{
    struct flow_nic *nic = &net->nics[node];
    const struct flow_item *item = &net->items[nic->first];
    if (!nic->alone || alone_end_ps(item) != net->now_ps) return STATUS_OK;
    nic->alone = false;
    lone_flows_end(&net->lone, (int32_t)node, item->dst_node);
    return event_queue_push(&net->queue, net->now_ps, item->key, EVENT_FLOW_END, node, err);
}

static enum status execute_event(struct flow_net *net, struct event event, struct err *err)
{
    const struct engine_callbacks *on = &net->callbacks;
    net->now_ps = event.time.time_ps;
    net->stats.events++;
    switch ((enum event_type)event.type) {
    case EVENT_TIMER: on->timer(on->context, event.id, event.time.time_ps); break;
    case EVENT_BEGIN: return begin_flow(net, event.id, err);
    case EVENT_ALONE_END: return end_alone(net, event.id, err);
    case EVENT_FLOW_END: return end_flow(net, event.id, err);
    case EVENT_LEFT: {
        const struct flow_item item = net->items[event.id];
        report_left(net, &item);
        break;
    }
    case EVENT_ARRIVED: {
        const struct engine_note note = net->items[event.id].note;
        net->items[event.id].next = net->free_item;
        net->free_item = event.id;
        on->arrived(on->context, &note, net->now_ps);
        break;
    }
    }
    return STATUS_OK;
}

/* Without jobs the owner's clock only follows. */
static bool is_due(struct flow_net *net, int64_t limit_ps)
{
    int64_t due_ps = flow_net_due_ps(net);
    return due_ps <= limit_ps || (net->lone.platform && (net->flows == 0 || due_ps == net->now_ps));
}

enum status flow_net_run(struct flow_net *net, int64_t limit_ps, bool *more, struct err *err)
{
    const struct engine_callbacks *on = &net->callbacks;
    *more = false;
    while (net->queue.count > 0 && is_due(net, limit_ps)) {
        TRY(execute_event(net, event_queue_pop(&net->queue), err));
        if (on->stop(on->context)) return STATUS_OK;
    }
    *more = net->queue.count > 0 || net->flows > 0;
    return STATUS_OK;
}

int64_t flow_net_due_ps(struct flow_net *net)
{
    return net->queue.count > 0 ? event_queue_first_ps(&net->queue) : INT64_MAX;
}

struct flow_job flow_net_take_job(struct flow_net *net)
{
    uint32_t node = net->jobs[net->job_first];
    const struct flow_item *item = &net->items[net->nics[node].first];
    net->job_first = (net->job_first + 1) % (size_t)net->platform->node_count;
    net->job_count--;
    return (struct flow_job){(int32_t)node, item->dst_node, net->nics[node].job_bytes};
}

enum status flow_net_ended(struct flow_net *net, int32_t src_node, int64_t end_ps, struct err *err)
{
    const struct flow_item *item = &net->items[net->nics[src_node].first];
    int64_t alone_ps = alone_end_ps(item);
    if (end_ps < alone_ps + SNAP_PS + (end_ps >> SNAP_SHIFT)) end_ps = alone_ps;
    if (end_ps < net->now_ps) end_ps = net->now_ps;
    net->flows--;
    if (net->lone.platform) lone_flows_end(&net->lone, src_node, item->dst_node);
    return event_queue_push(&net->queue, end_ps, item->key, EVENT_FLOW_END, (uint32_t)src_node, err);
}
