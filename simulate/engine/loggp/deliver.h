/* Delivers messages: at their moment, at the alarm of an inbox, and when a node polls. */
#ifndef SIMULATE_ENGINE_LOGGP_DELIVER_H
#define SIMULATE_ENGINE_LOGGP_DELIVER_H

#include "simulate/engine/loggp/state.h"

/* The key that orders a message without bytes that waits for other messages at its NIC. Messages arrive in the order of
 * their heads; messages with equal heads arrive behind data, in the order of their senders. */
static inline uint32_t loggp_key_behind(struct nic *nic, int64_t head_ps, uint32_t key)
{
    if (head_ps > nic->head_ps) nic->before = nic->key;
    nic->head_ps = head_ps;
    if (key < nic->before) key = nic->before;
    if (key > nic->key) nic->key = key;
    return key;
}

/* Of an answer to the flight. Between two nodes it is the same for messages of all sizes (engine.in_order). */
int64_t loggp_answer_latency_ps(struct engine *engine, const struct flight *flight);
/* Delivers everything that has arrived at the node by the limit. What the node sends then leaves at the time of the
 * delivered message. */
enum status loggp_drain_until(struct engine *engine, int32_t node, struct event_time limit, struct err *err);
/* Handlers of the events of these types. */
enum status loggp_on_alarm(struct engine *engine, int32_t node, struct event_time time, struct err *err);
enum status loggp_on_message(struct engine *engine, uint32_t index, struct err *err);
enum status loggp_on_asks(struct engine *engine, uint32_t id, struct event_time time, struct err *err);
enum status loggp_on_queries(struct engine *engine, struct event_time time, struct err *err);
void loggp_prefetch_inbox(const struct engine *engine, const struct inbox *inbox, struct prefetch_lines *lines);

/* Members of the descriptor. */
enum status loggp_poll(struct engine *engine, int32_t node, struct err *err);
enum status loggp_await(struct engine *engine, int32_t node, uint32_t rank, uint32_t need, uint32_t counter,
                        struct err *err);
void loggp_await_next(struct engine *engine, int32_t node, uint32_t counter);
void loggp_resume(struct engine *engine, int32_t node);
enum status loggp_watch_all(struct engine *engine, int32_t node, bool on, struct err *err);

#endif
