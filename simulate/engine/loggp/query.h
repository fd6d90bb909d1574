/* Queries, which are only answered, and their answers (engine_lazy.query(), reply()). A flush of all sends one to each other
 * rank, so there may be as many on their way as there are pairs of ranks.
 *
 * All cost the same and take the receiving NIC time. They are no flights: each node has a box with a list of queries and one of
 * answers, each in the order of the heads. The NIC receives both one after another. So those that it has received are in the
 * order of their arrivals, too, and in front of the others. They are delivered several at a time: a query lets no rank go on, and
 * an answer does so only if a waiting rank needs no other message.
 *
 * A query may be delivered late, until an answer to any query could arrive, as an answered flight may. One event delivers all
 * queries that have arrived by then. It visits the nodes in their order, in which a rank queries them: so the answers to one rank
 * are sent nearly in the order of their heads. */
#ifndef SIMULATE_ENGINE_LOGGP_QUERY_H
#define SIMULATE_ENGINE_LOGGP_QUERY_H

#include "simulate/engine/loggp/state.h"

_Static_assert(8 * sizeof(struct engine_query) == 3 * LINE_BYTES, "many are on their way at once");

struct query_list { /* all-zero is the empty list; owned: items */
    struct engine_query *items;
    /* [first, heads) have been received and not delivered: their times are those of their arrivals. [heads, end) are on their
     * way: their times are those of their heads. Each part is in the order of its times. */
    uint32_t first, heads, end, room;
};

struct query_box { /* of a node */
    _Alignas(LINE_BYTES) struct query_list queries;
    struct query_list answers;
};

struct query_boxes {
    struct query_box *of; /* by node; NULL: no message of query() or reply() has been sent */
    uint64_t *queried;    /* a bit by node: it has queries, or had some */
    uint32_t words;       /* of queried */
    int64_t due_ps;       /* of the event that delivers their queries, no later than the first answer may arrive; 0: none */
};

/* Members of the descriptor. */
enum status loggp_query(struct engine *engine, const struct engine_query *query, uint32_t source, const int32_t *nodes,
                        const uint32_t *to, uint32_t count, int64_t *left_ps, struct err *err);
enum status loggp_reply(struct engine *engine, const struct engine_query *queries, uint32_t count, const int32_t *nodes,
                        int64_t from_ps, int64_t *left_ps, struct err *err);

/* The following are called only where engine.queries exists. */

/* Delivers what arrives at the node by the limit and before its first flight. */
void loggp_take_queries(struct engine *engine, int32_t node, struct event_time limit);
/* Pushes the event by which queries are delivered that arrive at tail_ps, unless one is due before. */
enum status loggp_push_queries(struct engine *engine, int64_t tail_ps, struct err *err);
void loggp_clear_queries(struct engine *engine);

/* When the head of a message arrives. Another message of its source that arrives at that moment took the sending NIC no time, so
 * it was sent before: the message is the last one of its key. */
static inline struct event_time loggp_query_head(const struct engine_query *message)
{
    return (struct event_time){message->time_ps, event_last_of_key(message->source)};
}

/* When the message arrives, once the NIC has received it. No other message arrives at that moment: it is the first one of its
 * key. */
static inline struct event_time loggp_query_arrival(const struct engine_query *message)
{
    return (struct event_time){message->time_ps, event_order_of_key(message->source)};
}

/* When it arrives if the NIC begins to receive it as its head arrives. */
static inline struct event_time loggp_query_tail(const struct engine *engine, const struct engine_query *message)
{
    return (struct event_time){message->time_ps + engine->control_cost.transmit_ps, event_order_of_key(message->source)};
}

static inline bool query_list_is_empty(const struct query_list *list)
{
    return list->first == list->end;
}

/* A time before which no message of the list arrives; INBOX_NO_ALARM: it is empty. */
static inline struct event_time loggp_list_due(const struct engine *engine, const struct query_list *list)
{
    if (list->first < list->heads) return loggp_query_arrival(&list->items[list->first]);
    return list->heads < list->end ? loggp_query_tail(engine, &list->items[list->heads]) : INBOX_NO_ALARM;
}

/* When the first head or tail of the node's messages arrives; INBOX_NO_ALARM: there are none. */
struct event_time loggp_first_query(const struct engine *engine, int32_t node);

/* As loggp_list_due() of both lists of the node. */
static inline struct event_time loggp_queries_due(const struct engine *engine, int32_t node)
{
    const struct query_box *box = &engine->queries->of[node];
    struct event_time query = loggp_list_due(engine, &box->queries), answer = loggp_list_due(engine, &box->answers);
    return event_before(answer, query) ? answer : query;
}

/* Whether the NIC has received a message that arrives before the time and is not delivered. */
static inline bool loggp_received_query(const struct engine *engine, int32_t node, struct event_time time)
{
    const struct query_list *queries = &engine->queries->of[node].queries, *answers = &engine->queries->of[node].answers;
    return (queries->first < queries->heads && event_before(loggp_query_arrival(&queries->items[queries->first]), time)) ||
           (answers->first < answers->heads && event_before(loggp_query_arrival(&answers->items[answers->first]), time));
}

#endif
