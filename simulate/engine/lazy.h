/* What an engine may offer beyond a network (simulate/engine/engine.h): lazy delivery. It delivers a message only when
 * the state that the message changes is read, as late as the effect allows. The replay core uses it through
 * simulate/mailbox/. */
#ifndef SIMULATE_ENGINE_LAZY_H
#define SIMULATE_ENGINE_LAZY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/status.h"
#include "simulate/engine/event_time.h"

struct engine;
struct engine_note;

/* What a message's arrival does to its destination. */
enum message_effect {
    EFFECT_ACTS,     /* acts on others: arrived() at its moment, after all earlier events */
    EFFECT_COUNTS,   /* adds one to counters[note.ref], which only a rank that awaits that count reads: arrived() at its
                        moment if one does, else not at all */
    EFFECT_CHANGES,  /* only changes what ranks of the destination's node read: arrived() before the next event of that
                        node, or at its moment where a waiting rank may go on by it */
    EFFECT_PRECEDES, /* as EFFECT_CHANGES; ranks wait only for what is sent after it to the same node */
    EFFECT_REPLIES,  /* for queues; makes the destination send messages, in answer to the sender's node or for what
                        queued: arrived() before the answer can arrive or be overtaken */
};

/* For await: the rank awaits no counter; messages of any kind may let it go on. */
#define ENGINE_NO_COUNTER UINT32_MAX
#define ENGINE_ANY_COUNTER (UINT32_MAX - 1)

/* A message of query() or reply(): a query (EFFECT_REPLIES), which is only answered, or its answer (EFFECT_CHANGES). */
struct engine_query {
    int64_t time_ps;              /* when it arrives */
    uint32_t source, destination; /* ranks */
    uint32_t ref, type;           /* the replay core's: an answer has those of its query */
};

struct engine_lazy_callbacks {
    /* Nodes learn of each other by messages only. So a message may be delivered before earlier ones of other nodes that
     * cannot change it; now_ps then never decreases for one node. */
    bool apart;
    uint8_t *counters; /* of EFFECT_COUNTS, modulo 256; a receiver of arrived() counts itself */
    /* Queries and answers to one rank have arrived, each in the order of their times; one of the counts may be 0. The answers
     * have the same ref and type. No rank goes on before the last message. Valid until the callback returns. */
    void (*queries)(void *context, const struct engine_query *queries, uint32_t query_count, const struct engine_query *answers,
                    uint32_t answer_count);
};

struct engine_lazy {
    /* The node has an event that is no message: delivers everything that has arrived at it. */
    enum status (*poll)(struct engine *engine, int32_t node, struct err *err);
    /* A rank of the node waits for messages until it resumes. It cannot go on before at least `need` (0 means 1)
     * messages of EFFECT_ACTS or EFFECT_CHANGES have reached the node; or, with `counter`, before a message of that
     * counter. await_next: a rank that waited for a counter waits for the next one; called from arrived(). */
    enum status (*await)(struct engine *engine, int32_t node, uint32_t rank, uint32_t need, uint32_t counter,
                         struct err *err);
    void (*await_next)(struct engine *engine, int32_t node, uint32_t counter);
    void (*resume)(struct engine *engine, int32_t node);
    /* on: something queues at the node that any message may let go on; off: no longer. Calls come in pairs. */
    enum status (*watch)(struct engine *engine, int32_t node, bool on, struct err *err);
    /* Cheaper messages of one size between two nodes. queries: whether query() and reply() may send messages of so many bytes.
     * *left_ps: when the last byte has left. Between nodes only; nodes: of all ranks. query() sends a query with ref and type
     * of `query` to each of the ranks to[0] to to[count - 1], one after the other; count > 0. reply() answers the
     * queries to one rank, one after the other, each when it has arrived, and not before from_ps; count > 0. */
    bool (*queries)(struct engine *engine, int64_t bytes);
    enum status (*query)(struct engine *engine, const struct engine_query *query, uint32_t source, const int32_t *nodes,
                         const uint32_t *to, uint32_t count, int64_t *left_ps, struct err *err);
    enum status (*reply)(struct engine *engine, const struct engine_query *queries, uint32_t count, const int32_t *nodes,
                         int64_t from_ps, int64_t *left_ps, struct err *err);
};

#endif
