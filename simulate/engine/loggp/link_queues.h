/* Links inside the network as queues, first in, first out in the order in which heads arrive (engine.links = queue of
 * the loggp engine). A message cuts through: its head goes on as soon as the link is free, and the link is busy until
 * the last byte has passed, transmit_ps / width later. Switches store messages that wait. The latency of the route is
 * divided into equal parts, one before each link inside and one before the receiving NIC. So a message that is alone
 * takes as long as without queues. Source of cut-through: P. Kermani, L. Kleinrock, Virtual Cut-Through, Computer
 * Networks 3, 1979; routes: platforms/topology/topology.h. */
#ifndef SIMULATE_ENGINE_LOGGP_LINK_QUEUES_H
#define SIMULATE_ENGINE_LOGGP_LINK_QUEUES_H

#include "platforms/platform.h"
#include "platforms/topology/topology.h"

enum { LINKS_KNOWN = 4, LINK_NO_PATH = 0 }; /* a longer route is found in parts; path 0 is never used */

struct link_path { /* of a message on its way through links; two cache lines */
    uint32_t message, key;       /* the owner's; message: in the free list, the next one */
    int32_t src_node, dst_node;
    int32_t link, links;         /* the next one, all */
    int64_t part_ps;             /* of the latency, before each link and before the NIC; whole picoseconds, */
    int64_t longer;              /* so before the first so many links one more */
    int64_t transmit_ps;
    int64_t head_ps;             /* when its head left the last link, or the sending NIC */
    struct topology_link known[LINKS_KNOWN]; /* link is known[link % LINKS_KNOWN] */
    uint64_t unused;
};

struct link_queue {
    uint64_t id; /* that of the link, plus 1; 0: unused */
    int64_t free_ps;
};

struct link_queues {
    const struct platform *platform;
    bool used;               /* the platform asks for queues, and its shape has links inside */
    struct link_path *paths; /* few: most messages have arrived, and wait until their node acts */
    size_t path_count, path_capacity;
    uint32_t free_path; /* LINK_NO_PATH: none */
    struct link_queue *queues; /* of the links used so far: a hash table of 2^bits entries, at most half of them used */
    size_t count;
    unsigned bits;
};

/* Borrows platform. */
void link_queues_init(struct link_queues *queues, const struct platform *platform);
void link_queues_clear(struct link_queues *queues);

/* A message that takes latency_ps and transmit_ps leaves its NIC at head_ps. *path is valid until link_queues_leave. */
struct link_entry {
    uint32_t message, key;
    int32_t src_node, dst_node;
    int64_t latency_ps, transmit_ps, head_ps;
};
enum status link_queues_enter(struct link_queues *queues, const struct link_entry *entry, uint32_t *path, struct err *err);
/* Sets *head_ps to the arrival of the head at the next link (true) or, after the last link, at the receiving NIC
 * (false). */
bool link_queues_next(const struct link_queues *queues, uint32_t path, int64_t *head_ps);
/* The head arrives at the link at now_ps. Called in the order of arrivals. */
enum status link_queues_pass(struct link_queues *queues, uint32_t path, int64_t now_ps, struct err *err);
/* Where the queue of the message's next link probably is, for a prefetch; NULL: there is none yet. */
const struct link_queue *link_queues_first(const struct link_queues *queues, const struct link_path *path);
/* Returns the message. */
uint32_t link_queues_leave(struct link_queues *queues, uint32_t path);

#endif
