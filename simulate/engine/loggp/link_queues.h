/* Links inside the network as queues, first in, first out in the order in which heads arrive (engine.links = queue of
 * the loggp engine). A message cuts through: its head goes on as soon as the link is free, and the link is busy until
 * the last byte has passed, transmit_ps / width later. Switches store messages that wait. The latency of the route is
 * divided into equal parts, one before each link inside and one before the receiving NIC. So a message that is alone
 * takes as long as without queues. Source of cut-through: P. Kermani, L. Kleinrock, Virtual Cut-Through, Computer
 * Networks 3, 1979; routes: platforms/topology/topology.h. */
#ifndef SIMULATE_ENGINE_LOGGP_LINK_QUEUES_H
#define SIMULATE_ENGINE_LOGGP_LINK_QUEUES_H

#include "common/map.h"
#include "platforms/platform.h"
#include "platforms/topology/topology.h"

struct link_path { /* of one message */
    int32_t src_node, dst_node;
    int32_t link, links;       /* the next one, all */
    struct topology_link next; /* that one, if there is one */
    int64_t latency_ps, transmit_ps;
    int64_t head_ps; /* when its head left the last link, or the sending NIC */
};

struct link_queues {
    const struct platform *platform;
    bool used;               /* the platform asks for queues, and its shape has links inside */
    struct link_path *paths; /* by the owner's number of the message */
    size_t capacity;
    struct map free_ps; /* of each link used so far, by its id */
};

/* Borrows platform. */
void link_queues_init(struct link_queues *queues, const struct platform *platform);
void link_queues_clear(struct link_queues *queues);

/* A message leaves its NIC at path->head_ps. The caller sets all members but link, links and next. */
enum status link_queues_enter(struct link_queues *queues, uint32_t message, const struct link_path *path,
                              struct err *err);
/* Sets *head_ps to the arrival of the head at the next link (true) or, after the last link, at the receiving NIC
 * (false). */
bool link_queues_next(const struct link_queues *queues, uint32_t message, int64_t *head_ps);
/* The head arrives at the link at now_ps. Called in the order of arrivals. */
enum status link_queues_pass(struct link_queues *queues, uint32_t message, int64_t now_ps, struct err *err);

#endif
