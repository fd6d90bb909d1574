/* Shapes of networks: distances between nodes, routes, and the shape as a SimGrid platform. */
#ifndef PLATFORMS_TOPOLOGY_TOPOLOGY_H
#define PLATFORMS_TOPOLOGY_TOPOLOGY_H

#include "common/json.h"
#include "platforms/platform.h"

struct topology;

/* Reads network.topology. node_count must fit the shape; the error names the key path and the shape's own count.
 * docs/platforms.md describes the parameters per type. The caller owns *topology. */
enum status topology_read(const struct json_node *node, int32_t node_count, struct topology **topology,
                          struct err *err);
enum status topology_new_crossbar(int32_t node_count, struct topology **topology, struct err *err);
void topology_free(struct topology *topology);

/* Additional one-way latency of the route between two different nodes beyond network.latency_s: hops between switches
 * times hop_latency_s (0 for the crossbar and where topology is NULL). Symmetric. */
double topology_extra_latency_s(const struct topology *topology, int32_t src, int32_t dst);
/* What topology_extra_latency_s() counts hops times, to change it; NULL: the shape has no hops. */
double *topology_hop_latency(struct topology *topology);
/* Whether topology_extra_latency_s() is 0 between any two nodes. */
bool topology_is_flat(const struct topology *topology);

/* Number of links that a message crosses between two different nodes, the nodes' own links included. */
int32_t topology_links(const struct topology *topology, int32_t src, int32_t dst);

/* The links inside the network on the route between two different nodes: all but the first and the last one, which are
 * the nodes' own (in a torus: all). index counts from src. Equal ids denote the same link. A link of `width` cables
 * carries `width` messages at full rate. */
struct topology_link {
    uint64_t id;
    int32_t width;
};
int32_t topology_inner_links(const struct topology *topology, int32_t src, int32_t dst);
struct topology_link topology_inner_link(const struct topology *topology, int32_t src, int32_t dst, int32_t index);
/* Returns the number of links. Sets part->links[0 .. room) to the first-th link and those after it, as far as there are
 * so many. */
struct topology_part {
    int32_t first, room;
    struct topology_link *links;
};
int32_t topology_inner_route(const struct topology *topology, int32_t src, int32_t dst, const struct topology_part *part);

/* Whether all pairs of nodes are alike, so that a subset of the nodes has the same shape. */
bool topology_is_crossbar(const struct topology *topology);

/* The shape as a SimGrid 3.32 platform (XML, version 4.1): hosts "node-0".."node-N-1", N at least `nodes`. It has only
 * the part of the shape that messages between its first `nodes` nodes use. (The engine passes no latencies: CM02 shares
 * unfairly between routes of different latency, so the engine adds them itself.) */
struct topology_rates {
    double bandwidth_Bps, latency_s;          /* of each link */
    double loopback_Bps, loopback_latency_s;  /* loopback_Bps 0: nodes have no loopback */
    const struct node_group *groups; /* speeds and cores of the nodes; speed 1 is 1 Gf. NULL: all have 1 Gf and one core */
    size_t group_count;              /* more than one: of a crossbar only */
};
enum status topology_write_simgrid(const struct topology *topology, int32_t nodes, const struct topology_rates *rates, FILE *out,
                                   struct err *err);
/* Links between the two nearest different nodes. */
int32_t topology_nearest_links(const struct topology *topology);

#endif
