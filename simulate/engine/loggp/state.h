/* What the files of the loggp engine share. Not for use outside simulate/engine/loggp/. */
#ifndef SIMULATE_ENGINE_LOGGP_STATE_H
#define SIMULATE_ENGINE_LOGGP_STATE_H

#include "common/map.h"
#include "simulate/engine/cost.h"
#include "simulate/engine/engine.h"
#include "simulate/engine/event_queue.h"
#include "simulate/engine/loggp/inbox_wait.h"
#include "simulate/engine/loggp/jitter.h"
#include "simulate/engine/loggp/link_queues.h"

enum event_type { EVENT_TIMER, EVENT_MESSAGE, EVENT_LINK, EVENT_TAIL, EVENT_LOCAL, EVENT_ALARM, EVENT_ASKS, EVENT_QUERIES };
enum { NO_NODE = -1 };

struct nic { /* senders touch only the first of its two cache lines */
    _Alignas(LINE_BYTES) struct inbox inbox;
    int64_t send_free_ps, receive_free_ps;
    int64_t head_ps;  /* the last arrival of the head of a message that has bytes or waited */
    uint32_t key;     /* the largest key of the messages that arrive at receive_free_ps */
    uint32_t before;  /* the largest key of those among them that have bytes or whose heads arrived before head_ps */
    uint32_t pending; /* events of the node in the queue without alarms; valid where nodes run ahead */
};
_Static_assert(sizeof(struct nic) == 2 * LINE_BYTES, "a million nodes have a million of them");
_Static_assert(offsetof(struct inbox, heap) <= LINE_BYTES, "who sends touches one cache line of the NIC");

/* Answered messages of one node, delivered by one event when the first answer may arrive: the others have arrived by then. */
enum { ASKS_NONE = 0, ASKS_MOST = 12 };
struct asks {
    int64_t due_ps;
    int32_t node;
    uint32_t count; /* in the free list: the next one */
    uint32_t flights[ASKS_MOST];
};

struct engine {
    const struct platform *platform;
    struct cost_memory costs;
    struct engine_callbacks callbacks;
    struct event_queue queue;
    struct nic *nics;
    struct reception *receptions; /* by node (reception.h); NULL: a NIC receives each message at the full rate */
    struct locals *locals; /* receptions within nodes (local.h); NULL: all at the full rate */
    struct flight *flights;
    size_t flight_count, flight_capacity;
    uint32_t free_flight;
    struct asks *asks;
    size_t asks_count, asks_capacity;
    uint32_t free_asks, *last_asks; /* last_asks: by node */
    struct query_boxes *queries; /* NULL: no message of query() or reply() has been sent */
    struct cost control_cost; /* of a message of query() or reply() */
    struct link_queues links;
    struct jitter jitter;
    struct map pairs; /* platform.nic = pairs: when the head of the last message arrives, by both nodes */
    int64_t gap_ps;   /* of the platform */
    struct event_time now;
    int32_t answered;     /* the node to which an answer is being made, or NO_NODE; its alarm is set afterwards */
    int64_t answer_ps;    /* when the answer may arrive; valid while there is such a node */
    uint32_t answer;      /* the flight that arrives at answer_ps and is in no inbox, or FLIGHT_NONE */
    int32_t draining;          /* the node that is being drained and is watched afterwards, or NO_NODE */
    int64_t least_latency_ps;
    int64_t answer_latency_ps; /* the least one between any two nodes; -1: they differ */
    int64_t lookahead_ps;      /* the least latency; 0: no node runs ahead */
    int64_t watermark_ps;      /* no message that is sent from now on arrives earlier, unless it is an answer */
    size_t answers;            /* events of types EVENT_ASKS and EVENT_QUERIES in the queue */
    struct event
        next; /* valid where holds_next: an event that the current one has made, and that may be the next one */
    int32_t next_node;
    bool holds_next;
    bool contention;             /* of the platform */
    bool at_once;                /* a message between two nodes may arrive at the time at which it is sent */
    bool plain;                  /* in order, not at once, no link queues: delivered as the sender says */
    bool prefetches;             /* trace and state are too large for the caches */
    struct prefetch_lines lines; /* where prefetches: of the coming events */
    bool in_order; /* messages between two nodes arrive in the order of their sending, whatever their size */
    struct engine_stats stats;
};

#endif
