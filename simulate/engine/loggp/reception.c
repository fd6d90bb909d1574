#include "simulate/engine/loggp/reception.h"

#include "simulate/engine/loggp/deliver.h"

static enum status make_tail(struct engine *engine, int32_t node, struct err *err)
{
    struct reception *at = &engine->receptions[node];
    stretch_find_end(&at->stretch, at->reverse_e9);
    const struct event_time tail = {at->stretch.end_ps, engine->flights[at->flight].time.order};
    return event_queue_push_at(&engine->queue, tail, EVENT_TAIL, (uint32_t)node, err);
}

/* Others begin or end to receive data of the node. */
static enum status change_reverse(struct engine *engine, int32_t node, int64_t by_e9, struct err *err)
{
    struct reception *at = &engine->receptions[node];
    int64_t now_ps = engine->now.time_ps;
    bool goes_on = at->flight != FLIGHT_NONE && at->stretch.end_ps > now_ps;
    if (by_e9 == 0) return STATUS_OK;
    if (goes_on) stretch_receive_until(&at->stretch, at->reverse_e9, now_ps);
    at->reverse_e9 += by_e9;
    return goes_on ? make_tail(engine, node, err) : STATUS_OK;
}

static enum status begin_reception(struct engine *engine, uint32_t index, struct err *err)
{
    const struct flight *flight = &engine->flights[index];
    struct reception *at = &engine->receptions[flight->dst_node];
    at->flight = index;
    at->stretch = (struct stretch){.since_ps = engine->now.time_ps, .rest_ps = flight->transmit_ps};
    TRY(make_tail(engine, flight->dst_node, err));
    return change_reverse(engine, flight->src_node, flight->reverse_e9, err);
}

/* A message without bytes arrives now, behind others: its order says behind which ones. */
static enum status arrive_behind(struct engine *engine, uint32_t index, struct err *err)
{
    struct flight *flight = &engine->flights[index];
    flight->time.time_ps = engine->now.time_ps;
    return event_queue_push_at(&engine->queue, flight->time, EVENT_MESSAGE, index, err);
}

static enum status receive_now(struct engine *engine, uint32_t index, struct err *err)
{
    bool lasts = engine->flights[index].transmit_ps > 0;
    return lasts ? begin_reception(engine, index, err) : arrive_behind(engine, index, err);
}

/* As deliver.c does where the rate is always the full one: the order of an arrival is that in which its head came. */
enum status loggp_receive(struct engine *engine, uint32_t index, bool *arrived, struct err *err)
{
    struct flight *flight = &engine->flights[index];
    struct nic *nic = &engine->nics[flight->dst_node];
    struct reception *at = &engine->receptions[flight->dst_node];
    bool busy = at->flight != FLIGHT_NONE;
    uint32_t key = event_key(flight->time.order);
    flight->to_nic = false;
    *arrived = !busy && flight->transmit_ps == 0 && nic->receive_free_ps != flight->time.time_ps;
    if (*arrived) return STATUS_OK;
    if (flight->transmit_ps == 0) {
        key = loggp_key_behind(nic, flight->time.time_ps, key);
    } else {
        nic->head_ps = flight->time.time_ps;
        nic->key = key;
        nic->before = key;
    }
    flight->time.order = event_queue_order(&engine->queue, key);
    if (!busy) return receive_now(engine, index, err);
    flight->next = FLIGHT_NONE;
    *(at->first == FLIGHT_NONE ? &at->first : &engine->flights[at->last].next) = index;
    at->last = index;
    return STATUS_OK;
}

/* Those without bytes up to the next one that has bytes, and that one. */
static enum status receive_next(struct engine *engine, struct reception *at, struct err *err)
{
    while (at->first != FLIGHT_NONE && at->flight == FLIGHT_NONE) {
        uint32_t index = at->first;
        at->first = engine->flights[index].next;
        TRY(receive_now(engine, index, err));
    }
    return STATUS_OK;
}

enum status loggp_on_tail(struct engine *engine, int32_t node, struct event_time time, struct err *err)
{
    struct reception *at = &engine->receptions[node];
    uint32_t index = at->flight;
    if (index == FLIGHT_NONE || time.time_ps != at->stretch.end_ps || time.order != engine->flights[index].time.order)
        return STATUS_OK;
    struct flight *flight = &engine->flights[index];
    flight->time = time;
    at->flight = FLIGHT_NONE;
    engine->nics[node].receive_free_ps = time.time_ps;
    TRY(change_reverse(engine, flight->src_node, -(int64_t)flight->reverse_e9, err));
    TRY(receive_next(engine, at, err));
    return loggp_on_message(engine, index, err);
}
