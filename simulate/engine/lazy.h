/* What an engine may offer beyond the network (simulate/engine/engine.h): it tells of a message only when somebody looks, as
 * late as its effect allows. The replay core uses it through simulate/mailbox/. */
#ifndef SIMULATE_ENGINE_LAZY_H
#define SIMULATE_ENGINE_LAZY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/status.h"

struct engine;

/* What a message's arrival does to its destination. */
enum message_effect {
    EFFECT_ACTS,     /* on others: arrived() at its moment, no earlier event after it */
    EFFECT_COUNTS,   /* it adds one to counters[note.ref], and only who awaits that count looks at it: arrived() at its
                        moment if somebody does, else nobody is told */
    EFFECT_CHANGES,  /* only what ranks of the destination's node look at: arrived() before the next event of that node, or
                        at its moment where a rank that waits may go on by it */
    EFFECT_PRECEDES, /* the same, and nobody waits for it but for what is sent behind it to the same node */
    EFFECT_RELEASES, /* the same, and nobody waits for it but what queues at the node (watch) */
    EFFECT_REPLIES,  /* for queues, and it makes the destination send messages, in answer to the sender's node or on behalf
                        of what queued: arrived() before the answer can arrive or be overtaken */
};

/* Who awaits no counter, and who may go on by messages of any kind. */
#define ENGINE_NO_COUNTER UINT32_MAX
#define ENGINE_ANY_COUNTER (UINT32_MAX - 1)

struct engine_lazy_callbacks {
    bool apart; /* what happens at a node is known to others by messages only: it may be told of earlier than what comes
                   before it elsewhere and cannot change it; now_ps then never decreases for one node */
    uint8_t *counters; /* of EFFECT_COUNTS; whoever is told by arrived() counts himself; modulo 256 */
    /* The rank awaits the counter, and a message of count() has arrived: as arrived() of one of EFFECT_COUNTS. */
    void (*counted)(void *context, uint32_t rank, uint32_t counter, int64_t now_ps);
};

/* A message between two nodes that has nothing to say but that it has come: for count(). */
struct engine_count {
    uint32_t source, destination; /* ranks; the source breaks ties */
    uint32_t counter;
    int32_t src_node, dst_node;
};

struct engine_lazy {
    /* An event of the node that is no message's: tells of all that has come to it. */
    enum status (*poll)(struct engine *engine, int32_t node, struct err *err);
    /* A rank of the node waits for messages until it resumes, and cannot go on before at least `need` (0: 1) have come to the
     * node, counted ones aside; `counter`: before one of those that this counter counts, or ENGINE_NO_COUNTER, _ANY_COUNTER.
     * await_next: what is told by arrived() lets a rank that waits for a counter wait for the next one. */
    enum status (*await)(struct engine *engine, int32_t node, uint32_t rank, uint32_t need, uint32_t counter,
                         struct err *err);
    void (*await_next)(struct engine *engine, int32_t node, uint32_t counter);
    void (*resume)(struct engine *engine, int32_t node);
    /* From on to off something queues at the node that any message may let go; calls come in pairs. */
    enum status (*watch)(struct engine *engine, int32_t node, bool on, struct err *err);
    /* A message of EFFECT_COUNTS at less cost, between nodes of one rank each; counts: whether it may be used for messages of
     * so many bytes. */
    bool (*counts)(struct engine *engine, int64_t bytes);
    enum status (*count)(struct engine *engine, const struct engine_count *message, struct err *err);
};

#endif
