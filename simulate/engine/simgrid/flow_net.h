/* NIC queues and the event loop of an engine whose messages share links as flows. It has everything but the flows. The
 * sending NIC of a node is first in, first out and sends one message at a time. flow_net_run executes the events that
 * are due. A flow that has begun is a job: the owner takes the job, simulates its flow, and reports its end. If
 * flow_net knows the links (flow_net_watch), a flow becomes a job only when it begins to share a link, with the bytes
 * that are left then. Times are in picoseconds. */
#ifndef SIMULATE_ENGINE_SIMGRID_FLOW_NET_H
#define SIMULATE_ENGINE_SIMGRID_FLOW_NET_H

#include "simulate/engine/cost.h"
#include "simulate/engine/event_queue.h"
#include "simulate/engine/simgrid/lone_flows.h"

struct flow_item { /* a message that has not arrived yet */
    struct engine_note note;
    uint32_t key, next;
    int32_t dst_node;
    bool want_left, flow;
    int64_t began_ps;
    double flow_bytes;
    struct cost cost;
};

/* Invariant: the first item is a flow that has begun, or that an event at free_ps will begin. A queue without a first
 * item is empty. */
struct flow_nic {
    int64_t free_ps;
    uint32_t first, last; /* in items; 0: none */
    bool alone;           /* the first item is a flow that has begun and is no job */
    double job_bytes;     /* if it is a job: the bytes that were left when it became one */
};

struct flow_net {
    const struct platform *platform;
    struct engine_callbacks callbacks;
    struct event_queue queue;
    struct flow_nic *nics;
    struct flow_item *items;
    size_t item_count, item_capacity;
    uint32_t free_item;
    uint32_t *jobs; /* nodes whose first item has begun to flow and is not taken yet: a ring of node_count */
    size_t job_first, job_count;
    size_t flows; /* jobs that are not reported as ended */
    struct lone_flows lone;
    int64_t now_ps;
    struct engine_stats stats;
};

struct flow_job {
    int32_t src_node, dst_node;
    double bytes;
};

/* Borrows platform. */
enum status flow_net_init(struct flow_net *net, const struct platform *platform,
                          const struct engine_callbacks *callbacks, struct err *err);
void flow_net_clear(struct flow_net *net);
/* From now on a flow that shares no link with another one is no job. The platform must have a topology. */
enum status flow_net_watch(struct flow_net *net, struct err *err);

/* As engine.send. With flow_bytes > 0 the job has so many bytes; with 0 the message takes the time of its cost. */
enum status flow_net_send(struct flow_net *net, const struct engine_message *message, const struct cost *cost,
                          double flow_bytes, struct engine_departure *departure, struct err *err);
enum status flow_net_timer(struct flow_net *net, int64_t at_ps, uint32_t key, uint32_t id, struct err *err);

/* Executes all events up to limit_ps. With flow_net_watch, while there are no jobs, it also executes later ones, up to
 * the moment now_ps at which there are. *more is false when nothing is left, or when the stop callback returned
 * true. */
enum status flow_net_run(struct flow_net *net, int64_t limit_ps, bool *more, struct err *err);
/* When the next event is due; INT64_MAX: none is pending. */
int64_t flow_net_due_ps(struct flow_net *net);

/* Takes the next job. job_count must be above 0. */
struct flow_job flow_net_take_job(struct flow_net *net);
/* The flow from that node has ended at end_ps by the owner's clock. If that is within rounding of the time that the
 * message takes alone, it is set to that time. So an uncontended message costs exactly what cost_message says. */
enum status flow_net_ended(struct flow_net *net, int32_t src_node, int64_t end_ps, struct err *err);

#endif
