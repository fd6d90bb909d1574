/* The inboxes of the loggp engine: when it delivers messages to a node.
 *
 * Most arrivals only change state that the destination reads when it acts next: a post while the origin computes, an
 * acknowledgement. The sender says so (enum message_effect). The engine delivers such a message at the next event of
 * the node. Where a rank waits, it delivers at the first moment at which the rank can go on: a rank that needs four
 * notifications is not woken by the third. Messages that are delivered lazily keep their order and their own times. So
 * results equal those of an engine that delivers at once (property late).
 *
 * The alarm of a message with bytes is at the earliest time at which its tail can arrive. The NIC receives its head then,
 * behind all earlier heads. So a message that is awaited is one event, and not one at its head and one at its tail.
 *
 * A message that is answered may also be delivered lazily, until its answer could arrive. Request and answer are then
 * one event, which visits both nodes. So are several requests that one node sends while the first one is on its way, as those of
 * a flush, and the first answer. An answer that arrives alone, at the moment of the event, is delivered at once.
 */
#include "common/units.h"
#include "simulate/engine/loggp/deliver.h"
#include "simulate/engine/loggp/query.h"
#include "simulate/engine/loggp/reception.h"
#include "simulate/engine/loggp/schedule.h"

int64_t loggp_answer_latency_ps(struct engine *engine, const struct flight *flight)
{
    const struct engine_message back = {.src_node = flight->dst_node, .dst_node = flight->src_node};
    return cost_recall(&engine->costs, &back)->latency_ps;
}

/* The receiving NIC receives messages one after another. True: the message has arrived. */
static bool receive_flight(struct engine *engine, struct flight *flight, int64_t *arrival_ps)
{
    *arrival_ps = flight->time.time_ps;
    if (!flight->to_nic) return true;
    struct nic *nic = &engine->nics[flight->dst_node];
    bool behind = nic->receive_free_ps == *arrival_ps; /* the earlier message came first */
    if (nic->receive_free_ps > *arrival_ps) *arrival_ps = nic->receive_free_ps;
    *arrival_ps = units_add_ps(*arrival_ps, flight->transmit_ps);
    flight->to_nic = false;
    if (flight->transmit_ps > 0) {
        nic->receive_free_ps = *arrival_ps;
        nic->head_ps = flight->time.time_ps;
        nic->key = event_key(flight->time.order);
        nic->before = nic->key;
    }
    return *arrival_ps == flight->time.time_ps && !behind;
}

/* loggp_drain_until() would deliver this flight next, whose head came now: before it come only heads that the NIC receives
 * behind it, if any. */
static bool is_next(const struct engine *engine, const struct flight *flight, struct event_time limit)
{
    if (flight->effect == EFFECT_ACTS || event_before(limit, flight->time)) return false;
    if (engine->queries && loggp_received_query(engine, flight->dst_node, flight->time)) return false;
    const struct inbox *inbox = &engine->nics[flight->dst_node].inbox;
    uint32_t first = inbox_first(inbox, engine->flights);
    if (first == FLIGHT_NONE || event_before(flight->time, engine->flights[first].time)) return true;
    return engine->flights[first].to_nic && inbox->tails_until_ps < engine->now.time_ps;
}

static inline void deliver_arrived(struct engine *engine, uint32_t index, int64_t arrival_ps)
{
    struct flight *flight = &engine->flights[index];
    const struct engine_note note = flight->note;
    enum message_effect effect = flight->effect;
    struct inbox *inbox = &engine->nics[flight->dst_node].inbox;
    flight->effect = EFFECT_ACTS;
    flight->next = engine->free_flight;
    engine->free_flight = index;
    if (effect == EFFECT_COUNTS && !inbox_awaits(inbox, note.ref)) {
        engine->callbacks.lazy.counters[note.ref]++;
        return;
    }
    inbox_count_arrival(inbox, effect);
    engine->callbacks.arrived(engine->callbacks.context, &note, arrival_ps);
}

/* The tail has arrived later than loggp_drain_until() may deliver it now: it waits for its moment. later: than without
 * the messages before it. */
static enum status put_tail(struct engine *engine, uint32_t index, bool later, struct err *err)
{
    const struct flight *flight = &engine->flights[index];
    struct inbox *inbox = &engine->nics[flight->dst_node].inbox;
    if (inbox->tails_until_ps < flight->time.time_ps) inbox->tails_until_ps = flight->time.time_ps;
    if (later && flight->effect == EFFECT_REPLIES) TRY(loggp_push_answer(engine, index, err));
    if (flight->effect == EFFECT_ACTS || flight->dst_node != engine->draining) return loggp_put(engine, index, err);
    inbox_put(inbox, engine->flights, index); /* watched after the drain */
    return STATUS_OK;
}

/* Where the tail comes later than the head, the message is delivered when the tail arrives, unless loggp_drain_until()
 * would take it next: then it is delivered now. limit: everything that comes to the node until then is delivered now. */
static inline enum status deliver_inbox(struct engine *engine, uint32_t index, struct event_time limit, struct err *err)
{
    struct flight *flight = &engine->flights[index];
    int64_t head_ps = flight->time.time_ps, arrival_ps;
    if (!receive_flight(engine, flight, &arrival_ps)) {
        bool later = arrival_ps > head_ps + flight->transmit_ps;
        uint32_t key = event_key(flight->time.order);
        if (flight->transmit_ps == 0) key = loggp_key_behind(&engine->nics[flight->dst_node], head_ps, key);
        flight->time = (struct event_time){arrival_ps, event_queue_order(&engine->queue, key)};
        if (!is_next(engine, flight, limit)) return put_tail(engine, index, later, err);
        engine->now = flight->time;
    }
    deliver_arrived(engine, index, arrival_ps);
    return STATUS_OK;
}

void loggp_prefetch_inbox(const struct engine *engine, const struct inbox *inbox, struct prefetch_lines *lines)
{
    if (inbox->first == FLIGHT_NONE) return;
    const struct flight *first = &engine->flights[inbox->first];
    lines_want(lines, &engine->flights[first->next], LINE_BYTES);
    engine->callbacks.prefetch(engine->callbacks.context, 0, &first->note, ENGINE_NEAR, lines);
}

enum status loggp_drain_until(struct engine *engine, int32_t node, struct event_time limit, struct err *err)
{
    struct nic *nic = &engine->nics[node];
    struct inbox *inbox = &nic->inbox;
    struct event_time now = engine->now;
    for (;;) {
        if (engine->queries) loggp_take_queries(engine, node, limit);
        uint32_t first = inbox_first(inbox, engine->flights);
        bool comes = first != FLIGHT_NONE && !event_before(limit, engine->flights[first].time);
        if (!comes) break;
        inbox_take(inbox, engine->flights, first);
        if (engine->prefetches) loggp_prefetch_inbox(engine, inbox, &engine->lines);
        engine->now = engine->flights[first].time;
        TRY(deliver_inbox(engine, first, limit, err));
    }
    engine->now = now;
    return STATUS_OK;
}

/* A message for the node has arrived by the limit. */
static inline bool has_pending(const struct engine *engine, int32_t node, struct event_time limit)
{
    const struct nic *nic = &engine->nics[node];
    uint32_t first = inbox_first(&nic->inbox, engine->flights);
    return (first != FLIGHT_NONE && !event_before(limit, engine->flights[first].time)) ||
           (engine->queries && !event_before(limit, loggp_first_query(engine, node)));
}

/* The earliest time at which a message to the node may let a waiting rank go on, or an earlier one. */
static inline struct event_time next_due(const struct engine *engine, int32_t node)
{
    const struct nic *nic = &engine->nics[node];
    struct event_time arrives = inbox_due(&nic->inbox, engine->flights);
    if (engine->queries && inbox_awaits_first(&nic->inbox)) {
        struct event_time query = loggp_queries_due(engine, node);
        if (event_before(query, arrives)) arrives = query;
    }
    return arrives;
}

static inline enum status watch_inbox(struct engine *engine, int32_t node, struct err *err)
{
    return loggp_set_alarm(engine, node, next_due(engine, node), err);
}

/* A rank that waits again during the drain need not be watched twice. */
enum status loggp_poll(struct engine *engine, int32_t node, struct err *err)
{
    if (!has_pending(engine, node, engine->now)) return STATUS_OK;
    int32_t outer = engine->draining;
    engine->draining = node;
    enum status status = loggp_drain_until(engine, node, engine->now, err);
    engine->draining = outer;
    return status == STATUS_OK ? watch_inbox(engine, node, err) : status;
}

enum status loggp_await(struct engine *engine, int32_t node, uint32_t rank, uint32_t need, uint32_t counter,
                        struct err *err)
{
    inbox_await(&engine->nics[node].inbox, rank, need, counter);
    return node == engine->draining ? STATUS_OK : watch_inbox(engine, node, err);
}

/* The caller that delivers watches the inbox afterwards. */
void loggp_await_next(struct engine *engine, int32_t node, uint32_t counter)
{
    inbox_await_next(&engine->nics[node].inbox, counter);
}

void loggp_resume(struct engine *engine, int32_t node)
{
    inbox_resume(&engine->nics[node].inbox);
}

enum status loggp_watch_all(struct engine *engine, int32_t node, bool on, struct err *err)
{
    inbox_watch_all(&engine->nics[node].inbox, on);
    return node == engine->draining ? STATUS_OK : watch_inbox(engine, node, err);
}

/* --- events --- */

/* Whether the alarm would be the next event, at the moment of the last one. */
static bool rings_next(struct engine *engine, struct event_time alarm, struct event_time last)
{
    return alarm.time_ps == last.time_ps && event_before(last, alarm) && !engine->holds_next &&
           event_queue_is_after(&engine->queue, alarm.time_ps);
}

/* An alarm is stale if it was set again for an earlier time, or if its rank has gone on. An alarm may be a bound for the
 * arrival of a message whose head the NIC receives only now: then the message itself mostly comes next. */
enum status loggp_on_alarm(struct engine *engine, int32_t node, struct event_time time, struct err *err)
{
    struct inbox *inbox = &engine->nics[node].inbox;
    if (time.time_ps != inbox->alarm.time_ps || time.order != inbox->alarm.order) return STATUS_OK;
    engine->stats.events++;
    inbox->alarm = INBOX_NO_ALARM;
    struct event_time next = time;
    do {
        engine->now = time = next;
        engine->draining = node;
        TRY(loggp_drain_until(engine, node, time, err));
        engine->draining = NO_NODE;
        next = next_due(engine, node);
    } while (rings_next(engine, next, time));
    return loggp_set_alarm(engine, node, next, err);
}

enum status loggp_on_message(struct engine *engine, uint32_t index, struct err *err)
{
    int32_t node = engine->flights[index].dst_node;
    engine->stats.events++;
    TRY(loggp_drain_until(engine, node, engine->now, err));
    if (engine->receptions && engine->flights[index].to_nic) {
        bool arrived;
        TRY(loggp_receive(engine, index, &arrived, err));
        if (!arrived) return STATUS_OK;
    }
    TRY(deliver_inbox(engine, index, engine->now, err));
    return watch_inbox(engine, node, err);
}

/* Drains the node of an ask up to the event's time. If one message or none is awaited, the alarm keeps its time. */
static enum status drain_for_answer(struct engine *engine, int32_t node, int32_t asker, struct event_time time,
                                    struct err *err)
{
    const struct inbox *inbox = &engine->nics[node].inbox;
    bool changes = inbox->need > 1 || inbox->queued > 0;
    engine->now = time;
    engine->answered = asker;
    engine->answer_ps = time.time_ps;
    enum status status = loggp_drain_until(engine, node, time, err);
    engine->answered = NO_NODE;
    return status == STATUS_OK && changes ? watch_inbox(engine, node, err) : status;
}

/* Delivers the answer, which is in no inbox. alone: nothing else happens at this moment. */
static enum status take_answer(struct engine *engine, int32_t asker, bool alone, struct err *err)
{
    uint32_t answer = engine->answer;
    const struct event_time time = engine->flights[answer].time;
    engine->answer = FLIGHT_NONE;
    if (alone && has_pending(engine, asker, time)) TRY(loggp_drain_until(engine, asker, time, err));
    bool behind = engine->nics[asker].receive_free_ps >= time.time_ps; /* the NIC still receives */
    if (!alone || behind) return loggp_put(engine, answer, err);
    engine->now = time;
    deliver_arrived(engine, answer, time.time_ps);
    return STATUS_OK;
}

/* The destination of answers mostly waits for them. An answer without bytes is delivered at once unless something else
 * happens at this moment; so is what follows it at this moment. */
static enum status take_answers(struct engine *engine, int32_t asker, struct event_time time, struct err *err)
{
    engine->stats.events++;
    if (engine->answer == FLIGHT_NONE) return watch_inbox(engine, asker, err);
    struct event_time last = {time.time_ps, UINT64_MAX};
    bool alone = event_queue_is_after(&engine->queue, time.time_ps);
    alone = alone && !(engine->holds_next && event_before(engine->next.time, last));
    engine->draining = asker;
    enum status status = take_answer(engine, asker, alone, err);
    if (status == STATUS_OK && alone && has_pending(engine, asker, last)) {
        engine->now = last;
        status = loggp_drain_until(engine, asker, last, err);
    }
    engine->draining = NO_NODE;
    return status == STATUS_OK ? watch_inbox(engine, asker, err) : status;
}

/* Delivers the asks that were not delivered before. If all were, the event is stale. */
enum status loggp_on_asks(struct engine *engine, uint32_t id, struct event_time time, struct err *err)
{
    int32_t asker = engine->asks[id].node;
    bool delivers = false;
    if (engine->last_asks[asker] == id) engine->last_asks[asker] = ASKS_NONE;
    for (uint32_t i = 0; i < engine->asks[id].count; i++) {
        const struct flight *flight = &engine->flights[engine->asks[id].flights[i]];
        if (flight->effect != EFFECT_REPLIES || flight->src_node != asker) continue;
        TRY(drain_for_answer(engine, flight->dst_node, asker, time, err));
        delivers = true;
    }
    engine->asks[id].count = engine->free_asks;
    engine->free_asks = id;
    return delivers ? take_answers(engine, asker, time, err) : STATUS_OK;
}

/* Delivers the queries that have arrived at the node. *first: when its next one may arrive. */
static inline enum status visit_queried(struct engine *engine, uint32_t node, struct event_time time, struct event_time *first,
                                        struct err *err)
{
    const struct query_list *queries = &engine->queries->of[node].queries;
    *first = loggp_list_due(engine, queries);
    if (!event_before(*first, time)) return STATUS_OK;
    TRY(drain_for_answer(engine, (int32_t)node, NO_NODE, time, err));
    *first = loggp_list_due(engine, queries);
    if (query_list_is_empty(queries)) engine->queries->queried[node / 64] &= ~(UINT64_C(1) << node % 64);
    return STATUS_OK;
}

/* A query that is not there yet is delivered by a later event. An event is stale if queries were sent for which it is late. */
enum status loggp_on_queries(struct engine *engine, struct event_time time, struct err *err)
{
    const struct query_boxes *boxes = engine->queries;
    struct event_time due = INBOX_NO_ALARM, first;
    if (boxes->due_ps != time.time_ps) return STATUS_OK;
    engine->stats.events++;
    engine->queries->due_ps = 0;
    for (uint32_t word = 0; word < boxes->words; word++) {
        for (uint64_t left = boxes->queried[word]; left; left &= left - 1) {
            TRY(visit_queried(engine, word * 64 + (uint32_t)__builtin_ctzll(left), time, &first, err));
            if (event_before(first, due)) due = first;
        }
    }
    return due.time_ps < INT64_MAX ? loggp_push_queries(engine, due.time_ps, err) : STATUS_OK;
}
