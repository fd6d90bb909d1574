/* Enlarges a platform until it can place a number of ranks. It adds nodes in the topology's own way and changes no
 * other value.
 *
 * crossbar: more nodes. fat_tree: more children of the topmost switches, which get as many more ports. torus: the
 * shortest dimension first, by one. dragonfly: more groups; when there are as many groups as routers in a chassis, more
 * routers, too. */
#ifndef PLATFORMS_GROW_H
#define PLATFORMS_GROW_H

#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

enum { GROWTH_MAX = 3, GROWTH_BYTES = 200 };

struct platform_growth {
    char overrides[GROWTH_MAX][GROWTH_BYTES]; /* for platform_open(), after all other overrides */
    size_t count;                             /* 0: the platform is large enough */
    char text[GROWTH_BYTES];                  /* "fat_tree of 128 nodes, network.topology.down=[16,8]" */
};

/* file and overrides are those of platform_open(), and so are the errors. Also returns STATUS_DATA if the platform
 * cannot grow: it names each rank's node, or its nodes are those of a SimGrid file. */
enum status platform_grow(const char *file, const char *const *overrides, size_t override_count, uint32_t ranks,
                          struct platform_growth *growth, struct err *err);

#endif
