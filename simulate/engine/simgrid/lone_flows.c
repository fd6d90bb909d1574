#include "simulate/engine/simgrid/lone_flows.h"

#include <stdlib.h>

#include "common/array.h"
#include "platforms/topology/topology.h"

enum status lone_flows_init(struct lone_flows *lone, const struct platform *platform, struct err *err)
{
    *lone = (struct lone_flows){.platform = platform};
    lone->receivers = calloc((size_t)platform->node_count, sizeof *lone->receivers);
    return lone->receivers ? STATUS_OK : err_memory(err);
}

void lone_flows_clear(struct lone_flows *lone)
{
    FREE_ALL(lone->receivers, lone->links, lone->met);
    map_clear(&lone->inner);
    *lone = (struct lone_flows){.platform = NULL};
}

static enum status enter_link(struct lone_flows *lone, struct lone_link *link, int32_t src_node, struct err *err)
{
    if (link->flows++ > 0) {
        ARRAY_PUSH(lone->met, lone->met_count, lone->met_capacity, link->first, err);
    } else {
        link->first = src_node;
    }
    return STATUS_OK;
}

enum status lone_flows_begin(struct lone_flows *lone, int32_t src_node, int32_t dst_node, bool *alone, struct err *err)
{
    const struct topology *topology = lone->platform->topology;
    int32_t count = topology_inner_links(topology, src_node, dst_node);
    lone->met_count = 0;
    TRY(enter_link(lone, &lone->receivers[dst_node], src_node, err));
    for (int32_t i = 0; i < count; i++) {
        const struct lone_link unused = {.flows = 0};
        uint64_t *index;
        TRY(map_put(&lone->inner, topology_inner_link(topology, src_node, dst_node, i).id, lone->link_count, &index,
                    err));
        if (*index == lone->link_count) ARRAY_PUSH(lone->links, lone->link_count, lone->link_capacity, unused, err);
        TRY(enter_link(lone, &lone->links[*index], src_node, err));
    }
    *alone = lone->met_count == 0;
    return STATUS_OK;
}

void lone_flows_end(struct lone_flows *lone, int32_t src_node, int32_t dst_node)
{
    const struct topology *topology = lone->platform->topology;
    int32_t count = topology_inner_links(topology, src_node, dst_node);
    lone->receivers[dst_node].flows--;
    for (int32_t i = 0; i < count; i++)
        lone->links[*map_find(&lone->inner, topology_inner_link(topology, src_node, dst_node, i).id)].flows--;
}
