/* Platforms: a described cluster. Nodes, network, the MPI library's behaviour, where the ranks sit (docs/platforms.md). */
#ifndef RMACAST_PLATFORM_H
#define RMACAST_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#include "rmacast/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rmacast_platform;

/* Reads a platform file (schema rmacast.platform/1). file is what --platform takes: a path; where there is none, the name of
 * an installed platform as "two-nodes"; "-" for standard input; "ideal", the built-in platform of zero latency and infinite
 * bandwidth. settings: "KEY=VALUE" as of --set, which replace values of the file, for example
 * "mpi.rma.semantics=c" or "network.latency_s=1e-6"; may be NULL where count is 0. The
 * caller owns *platform; file and settings are not kept. RMACAST_DATA: the file is at fault; the text names file and
 * key path. RMACAST_USAGE: a setting is no KEY=VALUE, or at fault, which the text names; count is beyond 65536. */
enum rmacast_status rmacast_platform_open(const char *file, const char *const *settings, size_t count,
                                          struct rmacast_platform **platform, struct rmacast_error *error);
void rmacast_platform_free(struct rmacast_platform *platform); /* NULL is legal */

/* The name in the file; it lives as long as the platform. NULL: no platform. */
const char *rmacast_platform_name(const struct rmacast_platform *platform);
/* The number of nodes, at least 1; 0: no platform. */
int32_t rmacast_platform_node_count(const struct rmacast_platform *platform);

/* Whether ranks 0 to rank_count - 1 have a node each, by the platform's mapping. RMACAST_DATA: one has none; the text says
 * how many nodes there are and how many ranks are expected to have room. RMACAST_USAGE: rank_count is 0. rmacast_simulate()
 * checks the same. */
enum rmacast_status rmacast_platform_check_ranks(const struct rmacast_platform *platform, uint32_t rank_count,
                                                 struct rmacast_error *error);

#ifdef __cplusplus
}
#endif
#endif
