/* The groups of nodes in the JSON of a platform file (docs/platforms.md, Nodes). */
#ifndef PLATFORMS_NODES_H
#define PLATFORMS_NODES_H

#include <cjson/cJSON.h>

#include "common/status.h"

/* The numbers of a group's nodes, "2-5" or "2", as --set nodes[2-5].speed takes them. */
enum { NODES_RANGE_BYTES = 48 };
void nodes_range(const cJSON *groups, const cJSON *group, char text[NODES_RANGE_BYTES]);
/* Splits the groups of two files so that they begin with the same nodes, unless both have a single group. */
enum status nodes_align(cJSON *a, cJSON *b, struct err *err);

#endif
