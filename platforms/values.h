/* Every time and rate of an opened platform as a number that can be changed in place: for replays at other values. The keys are
 * those of --set, but for rows by size, which have a number: "network.segments[1].latency_s". Of several groups of nodes each
 * has its own: "nodes[2-5].speed". */
#ifndef PLATFORMS_VALUES_H
#define PLATFORMS_VALUES_H

#include "platforms/keys.h"

enum { VALUE_KEY_BYTES = 96 };
struct platform_value {
    char key[VALUE_KEY_BYTES];
    enum key_kind kind;  /* KEY_TIME, KEY_PAUSE, KEY_COST, KEY_RATE or KEY_SPEED */
    double *at, *follows; /* borrowed from the platform; follows: has the same value, since the file says nothing; NULL: none */
    const struct node_group *group; /* of a value of nodes; NULL: of none */
    int32_t first;                  /* of its nodes */
};

struct platform_values {
    struct platform_value *items; /* owned */
    size_t count, capacity;
};

/* Makes a group of the nodes that a name of --set has by number, as "nodes[3].speed"; other names are left alone. Before
 * platform_values_find(). STATUS_USAGE with the option for nodes that the platform has not. */
enum status platform_nodes_split(struct platform *platform, const char *option, const char *name, struct err *err);
/* Whether a name of --set has this value: its key, or that of several nodes: nodes.KEY, nodes[2-5].KEY, nodes[GROUP].KEY. */
bool platform_value_is(const struct platform_value *value, const char *name);

/* Values that are drawn (network.jitter_s) are left out. Inits *values. */
enum status platform_values_find(struct platform *platform, struct platform_values *values, struct err *err);
void platform_values_clear(struct platform_values *values);

/* Makes all times factor times as long, and the rates as low; the speed stays. With a power of two nothing is rounded. */
void platform_values_stretch(const struct platform_values *values, double factor);

#endif
