/* Inside the loggp engine: what its files share. Not for use outside simulate/engine/loggp/. */
#ifndef SIMULATE_ENGINE_LOGGP_STATE_H
#define SIMULATE_ENGINE_LOGGP_STATE_H

#include "simulate/engine/cost.h"
#include "simulate/engine/engine.h"
#include "simulate/engine/loggp/inbox.h"
#include "simulate/engine/lines.h"
#include "simulate/engine/loggp/link_queues.h"

enum event_type { EVENT_TIMER, EVENT_MESSAGE, EVENT_ALARM, EVENT_LINK, EVENT_ANSWER };
enum { NO_NODE = -1 };
enum { LANE_ALARMS, LANE_ANSWERS }; /* of the queue: mostly as far ahead as a message takes */

struct nic { /* who sends to it touches the first of its two cache lines only */
    _Alignas(LINE_BYTES) struct inbox inbox;
    int64_t send_free_ps, receive_free_ps;
    int64_t head_ps;      /* when the last head came of what has bytes or waited */
    uint32_t key, before; /* the largest key of these that arrive at receive_free_ps; of those whose heads came before head_ps */
    uint32_t pending;     /* events of the node in the queue, alarms aside; of use where nodes run ahead */
};
_Static_assert(offsetof(struct inbox, heap) <= LINE_BYTES, "who sends touches one cache line of the NIC");

/* What count() sends takes the receiving NIC no time: it keeps nothing else waiting, and need not lie among the flights
 * in their order. */
enum { COUNTER_NONE = 0 };
struct counter_message {
    struct event_time place; /* of its arrival if nothing kept it waiting; final: of its arrival */
    uint32_t counter, rank;
    uint32_t next; /* of its node's, or free */
    bool final;
};

struct answer {
    struct event_time place;
    struct engine_note note;
};

struct engine {
    const struct platform *platform;
    struct cost_memory costs;
    struct engine_callbacks callbacks;
    struct event_queue queue;
    struct nic *nics;
    struct flight *flights;
    size_t flight_count, flight_capacity;
    uint32_t free_flight;
    struct counter_message *counter_messages;
    size_t counter_message_count, counter_message_capacity;
    uint32_t free_counter;
    struct cost count_cost; /* of what count() sends */
    struct link_queues links;
    struct event_time now;
    int32_t answered;     /* the node to which an answer is being made: its alarm is set behind it; or NO_NODE */
    int64_t answer_ps;    /* when the answer may arrive, of use while there is such a node */
    struct answer answer; /* where holds_answer: it arrives at answer_ps, and lies nowhere else */
    bool holds_answer;
    int32_t looking;           /* the node that is being looked at and will be watched then, or NO_NODE */
    int64_t answer_latency_ps; /* between any two nodes, for messages of any size; -1: they differ */
    int64_t lookahead_ps; /* the least latency; 0: nobody runs ahead */
    int64_t watermark_ps; /* what is sent from now on does not arrive before it, unless it is an answer */
    size_t answers;       /* their events in the queue */
    struct event next;    /* where holds_next: made by the event that is being handled, perhaps to be handled next */
    int32_t next_node;
    bool holds_next;
    bool contention;     /* of the platform */
    bool at_once;        /* a message between two nodes may come at the moment of its sending */
    bool plain;          /* in order, not at once, and no link queues: told as the sender says */
    bool peeks;          /* the trace is */
    bool prefetches;     /* its state is too large for the processor's caches */
    struct prefetch_lines lines; /* where prefetches: by the events that come */
    bool in_order;       /* messages between two nodes arrive in the order of their sending, whatever their size */
    struct engine_stats stats;
};

static inline enum status loggp_take_flight(struct engine *engine, uint32_t *index, struct err *err)
{
    *index = engine->free_flight;
    if (*index == FLIGHT_NONE) {
        TRY(lines_reserve((void **)&engine->flights, &engine->flight_capacity, engine->flight_count + 1,
                          sizeof *engine->flights, err));
        *index = (uint32_t)engine->flight_count++;
        return STATUS_OK;
    }
    engine->free_flight = engine->flights[*index].next;
    __builtin_prefetch(&engine->flights[engine->free_flight]);
    return STATUS_OK;
}

static inline enum status loggp_into_queue(struct engine *engine, const struct event *event, int32_t node,
                                           struct err *err)
{
    if (event->type == EVENT_ALARM)
        return event_queue_push_lane(&engine->queue, LANE_ALARMS, event->place, event->type, event->id, err);
    if (node >= 0) engine->nics[node].pending++;
    return event_queue_push_at(&engine->queue, event->place, event->type, event->id, err);
}

/* node: where it happens; negative: not known, and nobody runs ahead. */
static inline enum status loggp_schedule(struct engine *engine, struct event_time place, enum event_type type,
                                         uint32_t id, int32_t node, struct err *err)
{
    const struct event event = {place, type, id};
    if (engine->holds_next || place.time_ps >= engine->watermark_ps || type == EVENT_MESSAGE || type == EVENT_LINK)
        return loggp_into_queue(engine, &event, node, err);
    engine->next = event;
    engine->next_node = node;
    engine->holds_next = true;
    return STATUS_OK;
}

static inline enum status loggp_set_alarm(struct engine *engine, int32_t node, struct event_time due, struct err *err)
{
    struct inbox *inbox = &engine->nics[node].inbox;
    if (!event_before(due, inbox->alarm) || node == engine->answered) return STATUS_OK;
    inbox->alarm = due;
    return loggp_schedule(engine, due, EVENT_ALARM, (uint32_t)node, node, err);
}

/* Into its node's inbox, or the queue. Every place between the old alarm and the new message's is too late for a waiting
 * rank: with the message, one more has come by then. */
__attribute__((always_inline)) static inline enum status loggp_put(struct engine *engine, uint32_t index,
                                                                    struct err *err)
{
    const struct flight *flight = &engine->flights[index];
    struct event_time place = flight->place;
    if (flight->effect == EFFECT_ACTS)
        return loggp_schedule(engine, place, EVENT_MESSAGE, index, flight->dst_node, err);
    int32_t node = flight->dst_node;
    struct inbox *inbox = &engine->nics[node].inbox;
    enum message_effect effect = flight->effect;
    inbox_put(inbox, engine->flights, index);
    if (inbox->queued > 0) return loggp_set_alarm(engine, node, place, err);
    if (inbox->waiting == 0) return STATUS_OK;
    if (effect == EFFECT_COUNTS && !inbox_awaits(inbox, flight->note.ref)) return STATUS_OK;
    if (effect == EFFECT_COUNTS) return loggp_set_alarm(engine, node, place, err);
    if (effect != EFFECT_CHANGES || inbox->count < inbox->need || inbox_awaits_one(inbox)) return STATUS_OK;
    return loggp_set_alarm(engine, node, inbox->count == inbox->need ? inbox->latest : place, err);
}

/* deliver.c */

/* The key by which a message is ordered that has no bytes and waits for what its NIC takes in: messages arrive in the order of
 * their heads, those of equal heads in the order of their senders. */
static inline uint32_t loggp_key_behind(struct nic *nic, int64_t head_ps, uint32_t key)
{
    if (head_ps > nic->head_ps) nic->before = nic->key;
    nic->head_ps = head_ps;
    if (key < nic->before) key = nic->before;
    if (key > nic->key) nic->key = key;
    return key;
}

/* The event at which an answered flight is told of at the latest. */
enum status loggp_push_answer(struct engine *engine, uint32_t index, struct err *err);
/* Tells of everything that has come to the node up to the limit. What is sent then leaves at the time of what is told. */
enum status loggp_poll_until(struct engine *engine, int32_t node, struct event_time limit, struct err *err);
/* Events of these types happen. */
enum status loggp_on_alarm(struct engine *engine, int32_t node, struct event_time place, struct err *err);
enum status loggp_on_message(struct engine *engine, uint32_t index, struct err *err);
enum status loggp_on_answer(struct engine *engine, uint32_t index, struct event_time place, struct err *err);
void loggp_prefetch_inbox(const struct engine *engine, const struct inbox *inbox, struct prefetch_lines *lines);

/* Of the descriptor. */
enum status loggp_poll(struct engine *engine, int32_t node, struct err *err);
enum status loggp_await(struct engine *engine, int32_t node, uint32_t rank, uint32_t need, uint32_t counter,
                        struct err *err);
void loggp_await_next(struct engine *engine, int32_t node, uint32_t counter);
void loggp_resume(struct engine *engine, int32_t node);
enum status loggp_watch_all(struct engine *engine, int32_t node, bool on, struct err *err);

/* counter.c */
bool loggp_counts(struct engine *engine, int64_t bytes);
enum status loggp_count(struct engine *engine, const struct engine_count *message, struct err *err);
/* Counts what has come to the node by the limit. False, and no more is counted, if a rank awaited one of them: it has
 * been told and may have gone on. All that came before the limit has been taken in. */
bool loggp_counted_all(struct engine *engine, int32_t node, struct event_time limit);
/* The place of the first one that is awaited, or an earlier one. */
struct event_time loggp_counter_due(const struct engine *engine, const struct inbox *inbox);

#endif
