/* Links inside the network as queues, first in, first out by the arrival of heads (engine.links = queue of the loggp
 * engine). A message cuts through: its head goes on as soon as the link is free, the link is busy until its last byte has
 * passed, transmit_ps / width later; switches hold what waits. The latency of the route is spent in equal parts before
 * each link inside and before the receiving NIC, so that a message alone takes what it takes without queues.
 * Source of cut-through: P. Kermani, L. Kleinrock, Virtual Cut-Through, Computer Networks 3, 1979; routes:
 * platforms/topology/topology.h. */
#ifndef SIMULATE_ENGINE_LOGGP_LINK_QUEUES_H
#define SIMULATE_ENGINE_LOGGP_LINK_QUEUES_H

#include "common/map.h"
#include "platforms/platform.h"

struct link_path { /* of one message */
    int32_t src_node, dst_node;
    int32_t link, links; /* the next one, all */
    int64_t latency_ps, transmit_ps;
    int64_t head_ps; /* when its head left the last link, or the sending NIC */
};

struct link_queues {
    const struct platform *platform;
    bool used;             /* the platform wants them and its shape has links inside */
    struct link_path *paths; /* by the owner's number of the message */
    size_t capacity;
    struct map free_ps; /* of each link used so far, by its id */
};

/* Borrows platform. */
void link_queues_init(struct link_queues *queues, const struct platform *platform);
void link_queues_clear(struct link_queues *queues);

/* A message leaves its NIC at path->head_ps; its other members but link and links are set. */
enum status link_queues_enter(struct link_queues *queues, uint32_t message, const struct link_path *path,
                              struct err *err);
/* *head_ps is when its head arrives at the next link: true; or, behind the last one, at the receiving NIC: false. */
bool link_queues_next(const struct link_queues *queues, uint32_t message, int64_t *head_ps);
/* The head is at the link at now_ps and takes it in its turn. Called in the order of arrivals. */
enum status link_queues_pass(struct link_queues *queues, uint32_t message, int64_t now_ps, struct err *err);

#endif
