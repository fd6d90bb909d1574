/* Which flows share no link with another one: their times are known without a flow model. A flow passes the links
 * inside the network (platforms/topology/topology.h) and the link of its receiver. Its sender's own link is never
 * shared, since a NIC sends one message at a time. Flows are named by their sending nodes. */
#ifndef SIMULATE_ENGINE_SIMGRID_LONE_FLOWS_H
#define SIMULATE_ENGINE_SIMGRID_LONE_FLOWS_H

#include "common/map.h"
#include "platforms/platform.h"

struct lone_link {
    uint32_t flows;
    int32_t first; /* the flow that came when the link was free; with others on the link it may have ended */
};

struct lone_flows {
    const struct platform *platform; /* NULL: not used, every flow counts as shared */
    struct lone_link *receivers;     /* by node */
    struct map inner;                /* a link's id to its index in links */
    struct lone_link *links;
    size_t link_count, link_capacity;
    int32_t *met; /* flows that share links with the flow that began last; a flow that was alone is among these */
    size_t met_count, met_capacity;
};

/* Borrows platform, which has a topology. All-zero: see platform. */
enum status lone_flows_init(struct lone_flows *lone, const struct platform *platform, struct err *err);
void lone_flows_clear(struct lone_flows *lone);

/* The flow begins. Sets *alone if no other flow is on any of its links; else lone.met has the flows on its links. */
enum status lone_flows_begin(struct lone_flows *lone, int32_t src_node, int32_t dst_node, bool *alone, struct err *err);
void lone_flows_end(struct lone_flows *lone, int32_t src_node, int32_t dst_node);

#endif
