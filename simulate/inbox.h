/* Messages on their way to one node that nobody has been told of: the loggp engine's, for messages whose arrival only
 * changes what ranks of that node look at (engine.h, notice). They cost no event of the queue unless a rank waits.
 *
 * Flights by place: a list, since messages mostly come in the order of their sending, and a pairing heap (M. Fredman et
 * al., The pairing heap, Algorithmica 1, 1986) for those that would have to go far up the list. */
#ifndef SIMULATE_INBOX_H
#define SIMULATE_INBOX_H

#include "simulate/engine.h"
#include "simulate/event_queue.h"

enum { FLIGHT_NONE = 0 }; /* flight 0 is never used */

struct flight {               /* a message that has not arrived yet: one cache line */
    struct event_place place; /* of its head's arrival, then of its own */
    int64_t transmit_ps;
    struct engine_note note;
    int32_t dst_node;
    uint32_t next, before; /* in the list; next: in the free list */
    int32_t src_node;
    uint8_t notice;       /* enum engine_notice */
    bool early : 1;       /* as in engine_message */
    bool taken_in : 1;    /* the head has arrived */
    bool network : 1;     /* passes the receiving NIC */
    bool in_heap : 1;     /* before: the first child */
    bool told : 1;        /* in the free list */
};

struct inbox {
    uint32_t first, last, heap; /* or FLIGHT_NONE */
    uint32_t count;             /* of the watched ones: ENGINE_WHEN_LOOKING */
    uint32_t waiting;           /* ranks of the node that wait for messages */
    uint32_t need;              /* none of them goes on before so many watched ones more have arrived */
    uint32_t waiter;            /* one of them, for hints */
    uint32_t queued;            /* what queues at the node and may go on by any message */
    struct event_place last_place;
    struct event_place latest; /* of the watched ones; of use while count > 0 */
    struct event_place alarm;  /* when the engine looks into it, INBOX_NO_ALARM: at the node's next event */
};

#define INBOX_NO_ALARM ((struct event_place){INT64_MAX, UINT64_MAX})

void inbox_init(struct inbox *inbox);
void inbox_put(struct inbox *inbox, struct flight *flights, uint32_t index);
/* The earliest of all, or FLIGHT_NONE. */
uint32_t inbox_first(const struct inbox *inbox, const struct flight *flights);
/* Removes what inbox_first returned. */
void inbox_take(struct inbox *inbox, struct flight *flights, uint32_t first);

/* A rank waits, and does not go on before `need` (0 is taken as 1) messages have arrived at the node. */
void inbox_await(struct inbox *inbox, uint32_t rank, uint32_t need);
void inbox_resume(struct inbox *inbox);
/* Something queues at the node, or no longer. */
void inbox_watch_all(struct inbox *inbox, bool on);
/* A message has arrived at the node, through the inbox or past it. */
void inbox_count_arrival(struct inbox *inbox);
/* The earliest place at which a waiting rank may go on by what is in the inbox; INBOX_NO_ALARM: by nothing in it. */
struct event_place inbox_due(const struct inbox *inbox, const struct flight *flights);

#endif
