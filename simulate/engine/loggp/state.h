/* What the files of the loggp engine share. Not for use outside simulate/engine/loggp/. */
#ifndef SIMULATE_ENGINE_LOGGP_STATE_H
#define SIMULATE_ENGINE_LOGGP_STATE_H

#include "simulate/engine/cost.h"
#include "simulate/engine/engine.h"
#include "simulate/engine/loggp/inbox.h"
#include "simulate/engine/lines.h"
#include "simulate/engine/loggp/link_queues.h"

enum event_type { EVENT_TIMER, EVENT_MESSAGE, EVENT_ALARM, EVENT_LINK, EVENT_ANSWER };
enum { NO_NODE = -1 };
enum { RING_ALARMS, RING_ANSWERS }; /* of the queue: their events are mostly one message's time ahead */

struct nic { /* senders touch only the first of its two cache lines */
    _Alignas(LINE_BYTES) struct inbox inbox;
    int64_t send_free_ps, receive_free_ps;
    int64_t head_ps; /* when the last head arrived of a message that has bytes or waited */
    /* largest key of these that arrive at receive_free_ps; of those whose heads came before head_ps */
    uint32_t key, before;
    uint32_t pending; /* events of the node in the queue without alarms; valid where nodes run ahead */
};
_Static_assert(offsetof(struct inbox, heap) <= LINE_BYTES, "who sends touches one cache line of the NIC");

/* A message of count() takes the receiving NIC no time. It delays no other message and need not be ordered among the
 * flights. */
enum { COUNTER_NONE = 0 };
struct counter_message {
    struct event_time time; /* of its arrival if nothing delays it; final: of its arrival */
    uint32_t counter, rank;
    uint32_t next; /* in the list of its node, or in the free list */
    bool final;
};

struct answer {
    struct event_time time;
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
    struct cost count_cost; /* of a message of count() */
    struct link_queues links;
    struct map pairs; /* platform.nic = pairs: until when each pair's sending queue is busy, by both nodes */
    struct event_time now;
    int32_t answered;     /* the node to which an answer is being made, or NO_NODE; its alarm is set afterwards */
    int64_t answer_ps;    /* when the answer may arrive; valid while there is such a node */
    struct answer answer; /* valid where holds_answer: it arrives at answer_ps and is in no inbox */
    bool holds_answer;
    int32_t draining;          /* the node that is being drained and is watched afterwards, or NO_NODE */
    int64_t answer_latency_ps; /* between any two nodes, for messages of any size; -1: they differ */
    int64_t lookahead_ps;      /* the least latency; 0: no node runs ahead */
    int64_t watermark_ps;      /* what is sent from now on does not arrive before, unless it is an answer */
    size_t answers;            /* events of answers in the queue */
    struct event next; /* valid where holds_next: made by the event that is being handled, perhaps handled next */
    int32_t next_node;
    bool holds_next;
    bool contention;             /* of the platform */
    bool at_once;                /* a message between two nodes may arrive at the moment of its sending */
    bool plain;                  /* in order, not at once, no link queues: delivered as the sender says */
    bool peeks;                  /* the trace is too large for the caches */
    bool prefetches;             /* the state is too large for the caches, too */
    struct prefetch_lines lines; /* where prefetches: of the coming events */
    bool in_order; /* messages between two nodes arrive in the order of their sending, whatever their size */
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
        return event_queue_push_ring(&engine->queue, RING_ALARMS, event->time, event->type, event->id, err);
    if (node >= 0) engine->nics[node].pending++;
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

static inline enum status loggp_set_alarm(struct engine *engine, int32_t node, struct event_time due, struct err *err)
{
    struct inbox *inbox = &engine->nics[node].inbox;
    if (!event_before(due, inbox->alarm) || node == engine->answered) return STATUS_OK;
    inbox->alarm = due;
    return loggp_schedule(engine, due, EVENT_ALARM, (uint32_t)node, node, err);
}

/* Puts the flight into its node's inbox or into the queue. Between the old alarm and the new message no time is early
 * enough for a waiting rank: with this message, one more has arrived by then. */
__attribute__((always_inline)) static inline enum status loggp_put(struct engine *engine, uint32_t index,
                                                                   struct err *err)
{
    const struct flight *flight = &engine->flights[index];
    if (flight->effect == EFFECT_ACTS)
        return loggp_schedule(engine, flight->time, EVENT_MESSAGE, index, flight->dst_node, err);
    int32_t node = flight->dst_node;
    struct inbox *inbox = &engine->nics[node].inbox;
    enum message_effect effect = flight->effect;
    inbox_put(inbox, engine->flights, index);
    if (inbox->queued == 0 && inbox->waiting == 0) return STATUS_OK;
    struct event_time due = inbox_flight_due(inbox, flight);
    if (inbox->queued > 0) return loggp_set_alarm(engine, node, due, err);
    if (effect == EFFECT_COUNTS && !inbox_awaits(inbox, flight->note.ref)) return STATUS_OK;
    if (effect == EFFECT_COUNTS) return loggp_set_alarm(engine, node, due, err);
    if (effect != EFFECT_CHANGES || inbox->count < inbox->need || inbox_awaits_one(inbox)) return STATUS_OK;
    return loggp_set_alarm(engine, node, inbox->count == inbox->need ? inbox->latest : due, err);
}

/* deliver.c */

/* The key that orders a message without bytes that waits for other messages at its NIC. Messages arrive in the order of
 * their heads; messages with equal heads arrive in the order of their senders. */
static inline uint32_t loggp_key_behind(struct nic *nic, int64_t head_ps, uint32_t key)
{
    if (head_ps > nic->head_ps) nic->before = nic->key;
    nic->head_ps = head_ps;
    if (key < nic->before) key = nic->before;
    if (key > nic->key) nic->key = key;
    return key;
}

/* Pushes the event by which an answered flight is delivered at the latest. */
enum status loggp_push_answer(struct engine *engine, uint32_t index, struct err *err);
/* Delivers everything that has arrived at the node by the limit. What the node sends then leaves at the time of the
 * delivered message. */
enum status loggp_poll_until(struct engine *engine, int32_t node, struct event_time limit, struct err *err);
/* Handlers of the events of these types. */
enum status loggp_on_alarm(struct engine *engine, int32_t node, struct event_time time, struct err *err);
enum status loggp_on_message(struct engine *engine, uint32_t index, struct err *err);
enum status loggp_on_answer(struct engine *engine, uint32_t index, struct event_time time, struct err *err);
void loggp_prefetch_inbox(const struct engine *engine, const struct inbox *inbox, struct prefetch_lines *lines);

/* Members of the descriptor. */
enum status loggp_poll(struct engine *engine, int32_t node, struct err *err);
enum status loggp_await(struct engine *engine, int32_t node, uint32_t rank, uint32_t need, uint32_t counter,
                        struct err *err);
void loggp_await_next(struct engine *engine, int32_t node, uint32_t counter);
void loggp_resume(struct engine *engine, int32_t node);
enum status loggp_watch_all(struct engine *engine, int32_t node, bool on, struct err *err);

/* counter.c */
bool loggp_counts(struct engine *engine, int64_t bytes);
enum status loggp_count(struct engine *engine, const struct engine_count *message, struct err *err);
/* Counts the messages that have arrived at the node by the limit. False: a rank awaited one of them and may have gone
 * on, and no further message is counted. All messages before the limit have been received. */
bool loggp_counted_all(struct engine *engine, int32_t node, struct event_time limit);
/* The time of the first one that is awaited, or an earlier time. */
struct event_time loggp_counter_due(const struct engine *engine, const struct inbox *inbox);

#endif
