/* A platform grown until it has room for so many ranks: more nodes, in the topology's own way. Other values stay.
 *
 * crossbar: more nodes. fat_tree: more children of the topmost switches, which get as many more ports. torus: the
 * shortest dimension first, by one. dragonfly: more groups; where there are as many as routers in a chassis, more
 * routers, too. */
#ifndef PLATFORMS_GROW_H
#define PLATFORMS_GROW_H

#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

enum { GROWTH_MAX = 3, GROWTH_BYTES = 200 };

struct platform_growth {
    char overrides[GROWTH_MAX][GROWTH_BYTES]; /* for platform_open(), behind all others */
    size_t count;                             /* 0: there is room */
    char text[GROWTH_BYTES];                  /* "fat_tree of 128 nodes, network.topology.down=[16,8]" */
};

/* file, overrides: as of platform_open(). STATUS_DATA: it cannot grow, since it names each rank's node, or its nodes
 * are those of a SimGrid file; or STATUS_DATA and STATUS_USAGE as of platform_open(). */
enum status platform_grow(const char *file, const char *const *overrides, size_t override_count, uint32_t ranks,
                          struct platform_growth *growth, struct err *err);

#endif
