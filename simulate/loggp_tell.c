/* The loggp engine's inboxes: when the ranks of a node are told of what has come to it. */
#include "simulate/loggp_state.h"

struct event_place loggp_answer_due(struct engine *engine, const struct flight *flight)
{
    const struct engine_message back = {.src_node = flight->dst_node, .dst_node = flight->src_node};
    int64_t arrival_ps = flight->place.time_ps + (flight->taken_in ? 0 : flight->transmit_ps);
    return (struct event_place){arrival_ps + cost_recall(&engine->costs, &back)->latency_ps, 0};
}

enum status loggp_push_answer(struct engine *engine, uint32_t index, struct err *err)
{
    struct event_place due = loggp_answer_due(engine, &engine->flights[index]);
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
    *arrival_ps += flight->transmit_ps;
    nic->receive_free_ps = *arrival_ps;
    flight->taken_in = true;
    return flight->early || (*arrival_ps == flight->place.time_ps && !behind);
}

/* The flight would be the next that look() takes. */
static bool is_next(const struct engine *engine, const struct flight *flight, struct event_place limit)
{
    if (flight->notice == ENGINE_NOW || event_before(limit, flight->place)) return false;
    uint32_t first = inbox_first(&engine->nics[flight->dst_node].inbox, engine->flights);
    return first == FLIGHT_NONE || event_before(flight->place, engine->flights[first].place);
}

enum status loggp_tell(struct engine *engine, uint32_t index, struct event_place limit, struct err *err)
{
    struct flight *flight = &engine->flights[index];
    int64_t head_ps = flight->place.time_ps, arrival_ps;
    if (!take_in(engine, flight, &arrival_ps)) {
        uint32_t key = event_key(flight->place.order);
        flight->place = (struct event_place){arrival_ps, event_queue_order(&engine->queue, key)};
        if (!is_next(engine, flight, limit)) {
            bool later = arrival_ps > head_ps + flight->transmit_ps;
            if (later && flight->notice == ENGINE_ANSWERED) TRY(loggp_push_answer(engine, index, err));
            return loggp_put(engine, index, err);
        }
        engine->now = flight->place;
        head_ps = arrival_ps;
    }
    const struct engine_note note = flight->note;
    struct inbox *inbox = &engine->nics[flight->dst_node].inbox;
    flight->told = true;
    flight->next = engine->free_flight;
    engine->free_flight = index;
    if (flight->notice == ENGINE_COUNTED && !inbox_awaits(inbox, flight)) {
        engine->callbacks.counters[note.ref]++;
        return STATUS_OK;
    }
    inbox_count_arrival(inbox);
    engine->callbacks.arrived(engine->callbacks.context, &note, head_ps, arrival_ps);
    return STATUS_OK;
}

void loggp_foresee_inbox(const struct engine *engine, const struct inbox *inbox)
{
    if (!engine->foresees || inbox->first == FLIGHT_NONE) return;
    const struct flight *first = &engine->flights[inbox->first];
    __builtin_prefetch(&engine->flights[first->next]);
    engine->callbacks.soon_arrived(engine->callbacks.context, &first->note);
}

enum status loggp_look_until(struct engine *engine, int32_t node, struct event_place limit, struct err *err)
{
    struct inbox *inbox = &engine->nics[node].inbox;
    struct event_place now = engine->now;
    for (uint32_t first; (first = inbox_first(inbox, engine->flights)) != FLIGHT_NONE;) {
        if (event_before(limit, engine->flights[first].place)) break;
        inbox_take(inbox, engine->flights, first);
        loggp_foresee_inbox(engine, inbox);
        engine->now = engine->flights[first].place;
        TRY(loggp_tell(engine, first, limit, err));
    }
    engine->now = now;
    return STATUS_OK;
}

enum status loggp_watch(struct engine *engine, int32_t node, struct err *err)
{
    return loggp_set_alarm(engine, node, inbox_due(&engine->nics[node].inbox, engine->flights), err);
}

enum status loggp_look(struct engine *engine, int32_t node, struct err *err)
{
    TRY(loggp_look_until(engine, node, engine->now, err));
    return loggp_watch(engine, node, err);
}

enum status loggp_await(struct engine *engine, int32_t node, uint32_t rank, uint32_t need, uint32_t counter,
                        struct err *err)
{
    inbox_await(&engine->nics[node].inbox, rank, need, counter);
    return loggp_watch(engine, node, err);
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
    return loggp_watch(engine, node, err);
}
