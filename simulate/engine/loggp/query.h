/* Queries, which are only answered, and their answers (engine_lazy.query(), reply()). A flush of all sends one to each other
 * rank, so there may be as many on their way as there are pairs of ranks.
 *
 * All cost the same and take the receiving NIC time. They are no flights: each node has a box with them, in the order of their
 * heads. The NIC receives them one after another. So those that it has received are in the order of their arrivals, too, and in
 * front of the others. They are delivered several at a time: a query lets no rank go on, and an answer does so only if a
 * waiting rank needs no other message.
 *
 * A query may be delivered late, until its answer could arrive, as an answered flight may. One event of the destination
 * delivers all queries that have arrived by then, whoever sent them. */
#ifndef SIMULATE_ENGINE_LOGGP_QUERY_H
#define SIMULATE_ENGINE_LOGGP_QUERY_H

#include "simulate/engine/loggp/state.h"

_Static_assert(2 * sizeof(struct engine_query) == LINE_BYTES, "many are on their way at once");

struct query_box { /* all-zero is the empty box; owned: items */
    struct engine_query *items;
    /* [first, heads) have been received and not delivered: their times are those of their arrivals. [heads, end) are on their
     * way: their times are those of their heads. Each part is in the order of its times. */
    uint32_t first, heads, end, room;
    uint32_t asks;  /* queries among them */
    int64_t due_ps; /* of the event that delivers them, no later than their first answer may arrive; 0: none */
};

/* Members of the descriptor. */
enum status loggp_query(struct engine *engine, const struct engine_query *query, uint32_t source, const int32_t *nodes,
                        const uint32_t *to, uint32_t count, int64_t *left_ps, struct err *err);
enum status loggp_reply(struct engine *engine, const struct engine_query *messages, uint32_t count, const int32_t *nodes,
                        int64_t from_ps, int64_t *left_ps, struct err *err);

/* The following are called only where engine.queries exists. */

/* Delivers what arrives at the node by the limit and before its first flight. */
void loggp_take_queries(struct engine *engine, int32_t node, struct event_time limit);
/* Pushes the event by which the node's queries are delivered, if there are any and no event is due before. */
enum status loggp_push_queries(struct engine *engine, int32_t node, struct err *err);
void loggp_clear_queries(struct engine *engine);

/* Whether the NIC has received a message that arrives before the time and is not delivered. */
static inline bool loggp_received_query(const struct engine *engine, int32_t node, struct event_time time)
{
    const struct query_box *box = &engine->queries[node];
    return box->first < box->heads && event_before(box->items[box->first].time, time);
}

/* When the first head or tail arrives; INBOX_NO_ALARM: the box is empty. */
static inline struct event_time loggp_first_query(const struct engine *engine, int32_t node)
{
    const struct query_box *box = &engine->queries[node];
    struct event_time first = box->heads < box->end ? box->items[box->heads].time : INBOX_NO_ALARM;
    return loggp_received_query(engine, node, first) ? box->items[box->first].time : first;
}

/* When the NIC has received a message that it begins to receive then. No other message arrives at that moment: it is the first
 * one of its key. */
static inline struct event_time loggp_query_tail(const struct engine *engine, struct event_time begin)
{
    return (struct event_time){begin.time_ps + engine->control_cost.transmit_ps, event_first_of_key(begin.order)};
}

/* A time before which no message of the box arrives; INBOX_NO_ALARM: it is empty. */
static inline struct event_time loggp_queries_due(const struct engine *engine, int32_t node)
{
    const struct query_box *box = &engine->queries[node];
    if (box->first < box->heads) return box->items[box->first].time;
    return box->heads < box->end ? loggp_query_tail(engine, box->items[box->heads].time) : INBOX_NO_ALARM;
}

#endif
