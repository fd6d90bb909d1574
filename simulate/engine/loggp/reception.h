/* Receptions whose rate changes while they last (mpi.rma.protocol.reverse_share, docs/simulation.md).
 *
 * While other NICs receive data of a node, a share of these data comes back, and the node's own NIC receives more slowly what
 * others send. So the end of a reception is not known at its begin: a NIC begins with a message at the tail of the one before,
 * and the event of a tail is made again where the rate changes. A node changes the rate of another one without a message between
 * them. So each message is an event of the queue, no node runs ahead, and nothing is delivered late. */
#ifndef SIMULATE_ENGINE_LOGGP_RECEPTION_H
#define SIMULATE_ENGINE_LOGGP_RECEPTION_H

#include "simulate/engine/loggp/state.h"
#include "simulate/engine/loggp/stretch.h"

struct reception { /* of the NIC of one node */
    uint32_t flight;           /* that it receives, or FLIGHT_NONE */
    uint32_t first, last;      /* flights behind it, in the order of their heads: a list by flight.next, or FLIGHT_NONE */
    struct stretch stretch;    /* of the flight */
    int64_t reverse_e9;        /* the sum of flight.reverse_e9 of the node's data that others receive now */
};

/* The head of a message arrives at its NIC now. *arrived: so does the whole message. */
enum status loggp_receive(struct engine *engine, uint32_t index, bool *arrived, struct err *err);
/* Handler of EVENT_TAIL. The event is stale if it was made again for another time. */
enum status loggp_on_tail(struct engine *engine, int32_t node, struct event_time time, struct err *err);

#endif
