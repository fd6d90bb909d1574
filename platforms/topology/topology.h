/* Shapes of networks: distances between nodes, routes, and the same shape as a SimGrid platform. */
#ifndef PLATFORMS_TOPOLOGY_TOPOLOGY_H
#define PLATFORMS_TOPOLOGY_TOPOLOGY_H

#include "common/json.h"
#include "platforms/platform.h"

struct topology;

/* Reads network.topology; node_count must fit the shape (error names the key path and the shape's own count).
 * Parameters per type are described in docs/platforms.md. */
enum status topology_read(const struct json_node *node, int32_t node_count, struct topology **topology,
                          struct err *err);
enum status topology_new_crossbar(int32_t node_count, struct topology **topology, struct err *err);
void topology_free(struct topology *topology);

/* Additional one-way latency of the route between two different nodes beyond network.latency_s: hops between switches
 * times hop_latency_s (0 for the crossbar and where topology is NULL). Symmetric. */
double topology_extra_latency_s(const struct topology *topology, int32_t src, int32_t dst);
/* It is 0 between any two nodes. */
bool topology_is_flat(const struct topology *topology);

/* Number of links that a message crosses between two different nodes, the nodes' own links included. */
int32_t topology_links(const struct topology *topology, int32_t src, int32_t dst);

/* The links inside the network that a message passes between two different nodes: without the first and the last one,
 * which are the nodes' own (a torus has no such: all). index counts from src. Equal ids are the same link; a link as
 * wide as `width` cables carries as many messages at full rate. */
struct topology_link {
    uint64_t id;
    int32_t width;
};
int32_t topology_inner_links(const struct topology *topology, int32_t src, int32_t dst);
struct topology_link topology_inner_link(const struct topology *topology, int32_t src, int32_t dst, int32_t index);

/* All pairs of nodes are alike, so that a part of the nodes is the same shape. */
bool topology_is_crossbar(const struct topology *topology);

/* The shape as a SimGrid 3.32 platform (XML, version 4.1): hosts "node-0".."node-N-1", N at least `nodes`: of the shape only
 * the part that messages between its first `nodes` nodes pass. (The engine gives no latencies, since CM02 shares unfairly between
 * routes of different latency: it adds them itself.) */
struct topology_rates {
    double bandwidth_Bps, latency_s;          /* of each link */
    double loopback_Bps, loopback_latency_s;  /* loopback_Bps 0: the nodes have none */
};
enum status topology_write_simgrid(const struct topology *topology, int32_t nodes, const struct topology_rates *rates, FILE *out,
                                   struct err *err);
/* Links between the two nearest different nodes. */
int32_t topology_nearest_links(const struct topology *topology);

#endif
