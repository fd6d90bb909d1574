/* The loggp engine's inboxes: when the ranks of a node are told of what has come to it.
 *
 * Most arrivals only change what the destination reads when it acts next: a post while the origin computes, an
 * acknowledgement. The sender says so (enum message_effect). The engine delivers such a message at the next event of
 * the node. Where a rank waits, it delivers at the first moment at which the rank can go on: a rank that needs four
 * notifications is not woken by the third. Messages that are delivered lazily keep their order and their own times, so
 * results equal those of an engine that delivers at once (property late).
 *
 * A message that is answered may be delivered lazily, too, until its answer could arrive. Request and answer are then
 * one event, which visits both nodes. An answer that arrives alone, at the moment of the event, is delivered at once. A
 * lock's release is delivered with the next request, or at its moment where a request waits. */
#include "common/units.h"
#include "simulate/engine/loggp/state.h"

/* The earliest moment at which an answer's head may arrive, before all other events of that moment. Between two nodes the
 * latency is the same for all sizes (engine.in_order). */
static struct event_time answer_due(struct engine *engine, const struct flight *flight)
{
    int64_t arrival_ps = flight->place.time_ps + (flight->taken_in ? 0 : flight->transmit_ps);
    if (engine->answer_latency_ps >= 0) return (struct event_time){arrival_ps + engine->answer_latency_ps, 0};
    const struct engine_message back = {.src_node = flight->dst_node, .dst_node = flight->src_node};
    return (struct event_time){arrival_ps + cost_recall(&engine->costs, &back)->latency_ps, 0};
}

enum status loggp_push_answer(struct engine *engine, uint32_t index, struct err *err)
{
    struct event_time due = answer_due(engine, &engine->flights[index]);
    engine->answers++;
    return event_queue_push_lane(&engine->queue, LANE_ANSWERS, due, EVENT_ANSWER, index, err);
}

/* The receiving NIC takes messages one after another. True: the message has arrived, or may be told of now. */
static bool take_in(struct engine *engine, struct flight *flight, int64_t *arrival_ps)
{
    *arrival_ps = flight->place.time_ps;
    if (flight->taken_in || !flight->network) return true;
    struct nic *nic = &engine->nics[flight->dst_node];
    bool behind = nic->receive_free_ps == *arrival_ps; /* what comes in now was there first */
    if (nic->receive_free_ps > *arrival_ps) *arrival_ps = nic->receive_free_ps;
    *arrival_ps = units_add_ps(*arrival_ps, flight->transmit_ps);
    flight->taken_in = true;
    if (flight->transmit_ps > 0) {
        nic->receive_free_ps = *arrival_ps;
        nic->head_ps = flight->place.time_ps;
        nic->key = event_key(flight->place.order);
        nic->before = 0;
    }
    return flight->early || (*arrival_ps == flight->place.time_ps && !behind);
}

/* The flight would be the next that look_until() takes. */
static bool is_next(const struct engine *engine, const struct flight *flight, struct event_time limit)
{
    if (flight->effect == EFFECT_ACTS || event_before(limit, flight->place)) return false;
    uint32_t first = inbox_first(&engine->nics[flight->dst_node].inbox, engine->flights);
    return first == FLIGHT_NONE || event_before(flight->place, engine->flights[first].place);
}

/* The flight has arrived at arrival_ps, or will with its head at head_ps. */
static inline void tell_arrived(struct engine *engine, uint32_t index, int64_t head_ps, int64_t arrival_ps)
{
    struct flight *flight = &engine->flights[index];
    const struct engine_note note = flight->note;
    struct inbox *inbox = &engine->nics[flight->dst_node].inbox;
    flight->told = true;
    flight->next = engine->free_flight;
    engine->free_flight = index;
    if (flight->effect == EFFECT_COUNTS && !inbox_awaits(inbox, note.ref)) {
        engine->callbacks.lazy.counters[note.ref]++;
        return;
    }
    inbox_count_arrival(inbox);
    engine->callbacks.arrived(engine->callbacks.context, &note, head_ps, arrival_ps);
}

/* Its tail comes later than its head: arrives then, unless it would be told of next. limit: what comes to the node until
 * then is told of now. */
static enum status tell_tail(struct engine *engine, uint32_t index, int64_t arrival_ps, struct event_time limit,
                             struct err *err)
{
    struct flight *flight = &engine->flights[index];
    bool later = arrival_ps > flight->place.time_ps + flight->transmit_ps;
    uint32_t key = event_key(flight->place.order);
    if (flight->transmit_ps == 0) key = loggp_key_behind(&engine->nics[flight->dst_node], flight->place.time_ps, key);
    flight->place = (struct event_time){arrival_ps, event_queue_order(&engine->queue, key)};
    if (is_next(engine, flight, limit)) {
        engine->now = flight->place;
        tell_arrived(engine, index, arrival_ps, arrival_ps);
        return STATUS_OK;
    }
    if (later && flight->effect == EFFECT_REPLIES) TRY(loggp_push_answer(engine, index, err));
    return loggp_put(engine, index, err);
}

static inline enum status tell(struct engine *engine, uint32_t index, struct event_time limit, struct err *err)
{
    int64_t head_ps = engine->flights[index].place.time_ps, arrival_ps;
    if (!take_in(engine, &engine->flights[index], &arrival_ps))
        return tell_tail(engine, index, arrival_ps, limit, err);
    tell_arrived(engine, index, head_ps, arrival_ps);
    return STATUS_OK;
}

void loggp_prefetch_inbox(const struct engine *engine, const struct inbox *inbox, struct prefetch_lines *lines)
{
    if (inbox->first == FLIGHT_NONE) return;
    const struct flight *first = &engine->flights[inbox->first];
    lines_want(lines, &engine->flights[first->next], LINE_BYTES);
    engine->callbacks.prefetch(engine->callbacks.context, 0, &first->note, ENGINE_NEAR, lines);
}

static enum status look_until(struct engine *engine, int32_t node, struct event_time limit, struct err *err)
{
    struct inbox *inbox = &engine->nics[node].inbox;
    struct event_time now = engine->now;
    for (;;) {
        uint32_t first = inbox_first(inbox, engine->flights);
        bool comes = first != FLIGHT_NONE && !event_before(limit, engine->flights[first].place);
        if (inbox->counter_messages != COUNTER_NONE &&
            !loggp_counted_all(engine, node, comes ? engine->flights[first].place : limit))
            continue;
        if (!comes) break;
        inbox_take(inbox, engine->flights, first);
        if (engine->prefetches) loggp_prefetch_inbox(engine, inbox, &engine->lines);
        engine->now = engine->flights[first].place;
        TRY(tell(engine, first, limit, err));
    }
    engine->now = now;
    return STATUS_OK;
}

/* Something has come to the node by the limit, or a counter message may have. */
static inline bool has_come(const struct engine *engine, int32_t node, struct event_time limit)
{
    const struct inbox *inbox = &engine->nics[node].inbox;
    uint32_t first = inbox_first(inbox, engine->flights);
    return inbox->counter_messages != COUNTER_NONE ||
           (first != FLIGHT_NONE && !event_before(limit, engine->flights[first].place));
}

enum status loggp_poll_until(struct engine *engine, int32_t node, struct event_time limit, struct err *err)
{
    return look_until(engine, node, limit, err);
}

/* The earliest place at which a waiting rank may go on by what has been sent to the node. */
static inline struct event_time due(const struct engine *engine, const struct inbox *inbox)
{
    struct event_time arrives = inbox_due(inbox, engine->flights);
    if (inbox->counter_messages == COUNTER_NONE || inbox->awaits == ENGINE_NO_COUNTER) return arrives;
    struct event_time counted = loggp_counter_due(engine, inbox);
    return event_before(counted, arrives) ? counted : arrives;
}

static inline enum status watch(struct engine *engine, int32_t node, struct err *err)
{
    return loggp_set_alarm(engine, node, due(engine, &engine->nics[node].inbox), err);
}

/* A rank that waits again meanwhile need not be watched twice. */
static enum status look_and_watch(struct engine *engine, int32_t node, struct event_time limit, struct err *err)
{
    int32_t outer = engine->looking;
    engine->looking = node;
    enum status status = look_until(engine, node, limit, err);
    engine->looking = outer;
    return status == STATUS_OK ? watch(engine, node, err) : status;
}

enum status loggp_poll(struct engine *engine, int32_t node, struct err *err)
{
    return look_and_watch(engine, node, engine->now, err);
}

enum status loggp_await(struct engine *engine, int32_t node, uint32_t rank, uint32_t need, uint32_t counter,
                        struct err *err)
{
    inbox_await(&engine->nics[node].inbox, rank, need, counter);
    return node == engine->looking ? STATUS_OK : watch(engine, node, err);
}

/* Whoever tells it watches the inbox afterwards. */
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
    return node == engine->looking ? STATUS_OK : watch(engine, node, err);
}

/* --- events ----------------------------------------------------------------------------------------------------------
 */

/* An alarm that was set again for earlier, or whose rank went on, is stale. */
enum status loggp_on_alarm(struct engine *engine, int32_t node, struct event_time place, struct err *err)
{
    struct inbox *inbox = &engine->nics[node].inbox;
    if (place.time_ps != inbox->alarm.time_ps || place.order != inbox->alarm.order) return STATUS_OK;
    engine->now = place;
    engine->stats.events++;
    inbox->alarm = INBOX_NO_ALARM;
    return look_and_watch(engine, node, place, err);
}

enum status loggp_on_message(struct engine *engine, uint32_t index, struct err *err)
{
    int32_t node = engine->flights[index].dst_node;
    engine->stats.events++;
    TRY(look_until(engine, node, engine->now, err));
    TRY(tell(engine, index, engine->now, err));
    return watch(engine, node, err);
}

/* The node tells of what came by the event's place. The alarm of a rank that waits for one message, or for none, stands
 * as early as it did. */
static enum status look_for_answer(struct engine *engine, int32_t node, int32_t asker, struct event_time place,
                                   struct err *err)
{
    const struct inbox *inbox = &engine->nics[node].inbox;
    bool changes = inbox->need > 1 || inbox->queued > 0;
    engine->answered = asker;
    engine->answer_ps = place.time_ps;
    enum status status = look_until(engine, node, place, err);
    engine->answered = NO_NODE;
    return status == STATUS_OK && changes ? watch(engine, node, err) : status;
}

/* The answer that nobody has put anywhere. alone: nothing else happens at this moment. */
static enum status take_answer(struct engine *engine, int32_t node, int32_t asker, bool alone, struct err *err)
{
    const struct answer answer = engine->answer;
    engine->holds_answer = false;
    if (alone && has_come(engine, asker, answer.place)) TRY(look_until(engine, asker, answer.place, err));
    bool behind = engine->nics[asker].receive_free_ps >= answer.place.time_ps; /* what is taken in */
    if (alone && !behind) {
        engine->now = answer.place;
        inbox_count_arrival(&engine->nics[asker].inbox);
        engine->callbacks.arrived(engine->callbacks.context, &answer.note, answer.place.time_ps, answer.place.time_ps);
        return STATUS_OK;
    }
    uint32_t index;
    TRY(loggp_take_flight(engine, &index, err));
    engine->flights[index] = (struct flight){.place = answer.place,
                                             .note = answer.note,
                                             .dst_node = asker,
                                             .src_node = node,
                                             .effect = EFFECT_CHANGES,
                                             .network = true};
    return loggp_put(engine, index, err);
}

/* An answer's destination mostly waits for it: it is told at once unless something else happens at this moment, and with
 * it what comes behind it at this moment. An event is stale if its message has
 * been told of, or arrived later than it might have. */
enum status loggp_on_answer(struct engine *engine, uint32_t index, struct event_time place, struct err *err)
{
    const struct flight *flight = &engine->flights[index];
    if (flight->told || flight->effect != EFFECT_REPLIES) return STATUS_OK;
    if (answer_due(engine, flight).time_ps != place.time_ps) return STATUS_OK;
    int32_t node = flight->dst_node, asker = flight->src_node;
    engine->now = place;
    engine->stats.events++;
    TRY(look_for_answer(engine, node, asker, place, err));
    struct event_time last = {place.time_ps, UINT64_MAX};
    bool alone = engine->queue.count == 0 || place.time_ps < event_queue_first_ps(&engine->queue);
    alone = alone && !(engine->holds_next && event_before(engine->next.place, last));
    engine->looking = asker;
    enum status status = STATUS_OK;
    if (engine->holds_answer) status = take_answer(engine, node, asker, alone, err);
    if (status == STATUS_OK && alone && has_come(engine, asker, last)) {
        engine->now = last;
        status = look_until(engine, asker, last, err);
    }
    engine->looking = NO_NODE;
    return status == STATUS_OK ? watch(engine, asker, err) : status;
}
