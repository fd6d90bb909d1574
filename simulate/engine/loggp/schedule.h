/* Puts events into the queue, and messages into the inbox of their node or into the queue. */
#ifndef SIMULATE_ENGINE_LOGGP_SCHEDULE_H
#define SIMULATE_ENGINE_LOGGP_SCHEDULE_H

#include "common/units.h"
#include "simulate/engine/loggp/deliver.h"

static inline enum status loggp_into_queue(struct engine *engine, const struct event *event, int32_t node,
                                           struct err *err)
{
    if (node >= 0 && event->type != EVENT_ALARM) engine->nics[node].pending++;
    return event_queue_push_at(&engine->queue, event->time, event->type, event->id, err);
}

/* node: of the event; negative: not known, and no node runs ahead. */
static inline enum status loggp_schedule(struct engine *engine, struct event_time time, enum event_type type,
                                         uint32_t id, int32_t node, struct err *err)
{
    const struct event event = {time, type, id};
    if (engine->holds_next || time.time_ps >= engine->watermark_ps || type == EVENT_MESSAGE || type == EVENT_LINK)
        return loggp_into_queue(engine, &event, node, err);
    engine->next = event;
    engine->next_node = node;
    engine->holds_next = true;
    return STATUS_OK;
}

/* The earliest moment at which the head of an answer may arrive, before all other events of that moment. */
static inline struct event_time loggp_answer_due(struct engine *engine, const struct flight *flight)
{
    int64_t latency_ps = engine->answer_latency_ps, tail_ps = flight->to_nic ? flight->transmit_ps : 0;
    if (latency_ps < 0) latency_ps = loggp_answer_latency_ps(engine, flight);
    return (struct event_time){flight->time.time_ps + tail_ps + latency_ps, 0};
}

/* Pushes the event by which an answered flight is delivered at the latest, unless the last one of its sender delivers it:
 * it has arrived by then, and its answer arrives later. */
static inline enum status loggp_push_answer(struct engine *engine, uint32_t index, struct err *err)
{
    const struct flight *flight = &engine->flights[index];
    struct event_time due = loggp_answer_due(engine, flight);
    uint32_t *last = &engine->last_asks[flight->src_node];
    int64_t tail_ps = flight->time.time_ps + (flight->to_nic ? flight->transmit_ps : 0);
    struct asks *asks = &engine->asks[*last];
    if (*last != ASKS_NONE && tail_ps < asks->due_ps && asks->due_ps <= due.time_ps && asks->count < ASKS_MOST) {
        asks->flights[asks->count++] = index;
        return STATUS_OK;
    }
    *last = engine->free_asks;
    if (*last == ASKS_NONE) {
        TRY(lines_reserve((void **)&engine->asks, &engine->asks_capacity, engine->asks_count + 1, sizeof *engine->asks, err));
        *last = (uint32_t)engine->asks_count++;
    } else {
        engine->free_asks = engine->asks[*last].count;
    }
    engine->asks[*last] = (struct asks){.due_ps = due.time_ps, .node = flight->src_node, .count = 1, .flights = {index}};
    engine->answers++;
    return event_queue_push_at(&engine->queue, due, EVENT_ASKS, *last, err);
}

static inline enum status loggp_set_alarm(struct engine *engine, int32_t node, struct event_time due, struct err *err)
{
    struct inbox *inbox = &engine->nics[node].inbox;
    if (!event_before(due, inbox->alarm) || node == engine->answered) return STATUS_OK;
    inbox->alarm = due;
    return loggp_schedule(engine, due, EVENT_ALARM, (uint32_t)node, node, err);
}

/* Puts the flight into its node's inbox or into the queue; holds the first answer that may arrive. Between the old alarm
 * and the new message no time is early enough for a waiting rank: with this message, one more has arrived by then. */
__attribute__((always_inline)) static inline enum status loggp_put(struct engine *engine, uint32_t index,
                                                                   struct err *err)
{
    const struct flight *flight = &engine->flights[index];
    int32_t node = flight->dst_node;
    if (flight->effect == EFFECT_ACTS) return loggp_schedule(engine, flight->time, EVENT_MESSAGE, index, node, err);
    struct inbox *inbox = &engine->nics[node].inbox;
    enum message_effect effect = flight->effect;
    if (node == engine->answered && effect == EFFECT_CHANGES && engine->answer == FLIGHT_NONE && flight->to_nic &&
        flight->transmit_ps == 0 && flight->time.time_ps == engine->answer_ps) {
        engine->answer = index;
        return STATUS_OK;
    }
    inbox_put(inbox, engine->flights, index);
    if ((inbox->queued | inbox->waiting) == 0) return STATUS_OK;
    struct event_time due = inbox_flight_due(inbox, flight);
    if (inbox->queued > 0) return loggp_set_alarm(engine, node, due, err);
    if (effect == EFFECT_COUNTS)
        return inbox_awaits(inbox, flight->note.ref) ? loggp_set_alarm(engine, node, due, err) : STATUS_OK;
    if (effect != EFFECT_CHANGES || inbox->count < inbox->need || inbox_awaits_one(inbox)) return STATUS_OK;
    return loggp_set_alarm(engine, node, inbox->count == inbox->need ? inbox->latest : due, err);
}

#endif
