/* The descriptor of a network's shape. topology.c (reading, distances) and route.c (links of a route) share it. */
#ifndef PLATFORMS_TOPOLOGY_SHAPE_H
#define PLATFORMS_TOPOLOGY_SHAPE_H

#include "platforms/topology/topology.h"

/* Limit of a tree's depth and a torus's dimensions. */
enum { LEVELS_MAX = 8 };

/* Indices of the dragonfly's levels in size; up has the link widths of the first three. */
enum { GROUPS, CHASSIS, ROUTERS, NODES };

/* As topology_inner_route. */
typedef int32_t shape_route(const struct topology *topology, int32_t src, int32_t dst, const struct topology_part *part);
shape_route crossbar_route, fat_tree_route, torus_route, dragonfly_route;

struct shape {
    const char *name, *simgrid_name;
    bool outermost_first; /* size[0] is the level that varies slowest in a node's number */
    enum status (*read)(const struct json_node *node, struct topology *topology, struct err *err);
    /* Links that a message crosses between two different nodes, the nodes' own included. */
    int32_t (*links)(const struct topology *topology, int32_t src, int32_t dst);
    void (*parameters)(const struct topology *topology, FILE *out);
    shape_route *route;
};

struct topology {
    const struct shape *shape;
    int32_t shape_nodes;   /* the shape's own count; node_count of the platform may be smaller */
    int32_t nearest_links; /* links between the two nearest nodes: network.latency_s covers these */
    double hop_latency_s;
    int32_t levels;           /* of the tree; dimensions of the torus; 4 for the dragonfly */
    int32_t size[LEVELS_MAX]; /* children per switch; extent; groups, chassis, routers, nodes */
    int32_t up[LEVELS_MAX];   /* parents per switch or node; the dragonfly's link counts (group, chassis, router) */
    int32_t parallel[LEVELS_MAX];
};

#endif
