/* The links inside the network that a message passes, one by one. They are those of SimGrid 3.32 on the same shape;
 * tests/unit/platforms/test_topology_routes.c compares all pairs. */
#include "platforms/topology/shape.h"

int32_t crossbar_route(const struct topology *topology, int32_t src, int32_t dst, const struct topology_part *part)
{
    (void)topology, (void)src, (void)dst, (void)part;
    return 0;
}

/* Counts the links of a route, and keeps the requested ones. */
struct walk {
    const struct topology_part *part;
    int32_t count;
};

static void pass_link(struct walk *walk, uint64_t id, int32_t width)
{
    int32_t place = walk->count++ - walk->part->first;
    if (place >= 0 && place < walk->part->room) walk->part->links[place] = (struct topology_link){id, width};
}

/* --- fat tree: a switch is its level and its label, one digit per level: a parent's below its level, a child's from
 * there on. Up by destination modulo ports (d-mod-k; E. Zahavi, D-Mod-K Routing, 2010), down to the destination, over
 * the cable that the source's number gives. --- */

struct tree_switch {
    int32_t level, label[LEVELS_MAX];
};

static uint64_t tree_link(const struct topology *topology, const struct tree_switch *below, int32_t port, bool up)
{
    uint64_t position = 0;
    for (int32_t i = topology->levels; i-- > 0;)
        position =
            position * (uint64_t)(i < below->level ? topology->up[i] : topology->size[i]) + (uint64_t)below->label[i];
    uint64_t ports = (uint64_t)topology->up[below->level] * (uint64_t)topology->parallel[below->level];
    return ((position * ports + (uint64_t)port) * LEVELS_MAX + (uint64_t)below->level) * 2 + up;
}

static bool is_above(const struct tree_switch *at, const int32_t *label, int32_t levels)
{
    for (int32_t i = at->level; i < levels; i++)
        if (at->label[i] != label[i]) return false;
    return at->level > 0;
}

static void climb_tree(const struct topology *topology, struct tree_switch *at, int32_t dst, struct walk *walk)
{
    int32_t port = dst;
    for (int32_t i = 0; i < at->level; i++) port /= topology->up[i] * topology->parallel[i];
    port %= topology->up[at->level] * topology->parallel[at->level];
    if (at->level > 0) pass_link(walk, tree_link(topology, at, port, true), 1);
    at->label[at->level] = port % topology->up[at->level];
    at->level++;
}

/* SimGrid looks for the port of the child below from the place of the last one found on, and begins with the source's
 * cable anew only when it finds none: with parallel cables this decides which is taken. */
static void descend_tree(const struct topology *topology, struct tree_switch *at, int32_t src, const int32_t *label,
                         struct walk *walk)
{
    int32_t port = src % topology->parallel[at->level - 1] * topology->size[at->level - 1];
    for (; at->level > 0; port++) {
        int32_t level = at->level - 1, children = topology->size[level];
        port += (label[level] - port % children + children) % children; /* the next one of this child */
        if (port >= children * topology->parallel[level]) return;
        int32_t parent = at->label[level], cable = port / children;
        at->label[level] = label[level];
        at->level = level;
        if (level > 0) pass_link(walk, tree_link(topology, at, parent + cable * topology->up[level], false), 1);
    }
}

int32_t fat_tree_route(const struct topology *topology, int32_t src, int32_t dst, const struct topology_part *part)
{
    struct walk walk = {.part = part};
    struct tree_switch at = {.level = 0};
    int32_t label[LEVELS_MAX] = {0};
    for (int32_t i = 0, from = src, to = dst; i < topology->levels; i++) {
        at.label[i] = from % topology->size[i];
        label[i] = to % topology->size[i];
        from /= topology->size[i];
        to /= topology->size[i];
    }
    while (!is_above(&at, label, topology->levels)) climb_tree(topology, &at, dst, &walk);
    while (at.level > 0) descend_tree(topology, &at, src, label, &walk);
    return walk.count;
}

/* --- torus: dimension after dimension, the shorter way round; half-way as SimGrid decides. A link belongs to the node
 * from which it leads to the next higher one. --- */

static bool goes_up(int32_t from, int32_t to, int32_t extent)
{
    int32_t half = extent / 2;
    return (to > from && to <= from + half) || (from > half && (from + half) % extent >= to);
}

/* Skips the links before the requested ones, and those after them: a route may have thousands. */
static void pass_dimension(const struct topology *topology, struct walk *walk, int32_t dimension, int32_t node,
                           int32_t stride, int32_t from, int32_t steps, bool up)
{
    const int32_t extent = topology->size[dimension], end = walk->count + steps;
    int32_t step = walk->part->first > walk->count ? walk->part->first - walk->count : 0;
    for (walk->count += step; walk->count < end && walk->count - walk->part->first < walk->part->room; step++) {
        int32_t owner = ((up ? from + step : from - step - 1) + extent) % extent;
        uint64_t at = (uint64_t)(node + (owner - from) * stride);
        pass_link(walk, (at * LEVELS_MAX + (uint64_t)dimension) * 2 + up, 1);
    }
    walk->count = end;
}

int32_t torus_route(const struct topology *topology, int32_t src, int32_t dst, const struct topology_part *part)
{
    struct walk walk = {.part = part};
    int32_t stride = 1, node = src;
    for (int32_t i = 0; i < topology->levels; i++) {
        int32_t extent = topology->size[i], from = src / stride % extent, to = dst / stride % extent;
        bool up = goes_up(from, to, extent);
        int32_t steps = ((up ? to - from : from - to) + extent) % extent;
        pass_dimension(topology, &walk, i, node, stride, from, steps, up);
        node += (to - from) * stride;
        stride *= extent;
    }
    return walk.count;
}

/* --- dragonfly: within the chassis to the router that leads on, to chassis 0, to the other group; there within the
 * chassis, then to the chassis. SimGrid 3.32 goes on from chassis 0 behind the step inside the last chassis, whatever
 * chassis that was (docs/platforms.md). --- */

enum dragonfly_link { LINK_ROUTER, LINK_CHASSIS, LINK_GROUP };

static void pass_on(const struct topology *topology, struct walk *walk, int32_t router, enum dragonfly_link kind,
                    int32_t to)
{
    static const int width[] = {[LINK_ROUTER] = ROUTERS, [LINK_CHASSIS] = CHASSIS, [LINK_GROUP] = GROUPS};
    uint64_t id = ((uint64_t)router * 4 + kind) << 20 | (uint64_t)to;
    pass_link(walk, id, topology->up[width[kind]]);
}

int32_t dragonfly_route(const struct topology *topology, int32_t src, int32_t dst, const struct topology_part *part)
{
    const int32_t routers = topology->size[ROUTERS], per_group = topology->size[CHASSIS] * routers;
    struct walk walk = {.part = part};
    int32_t at = src / topology->size[NODES], target = dst / topology->size[NODES];
    if (at == target) return 0;
    int32_t group = target / per_group, slot = target % routers, chassis = target / routers % topology->size[CHASSIS];
    if (at / per_group != group) {
        int32_t own = at / per_group;
        if (at % routers != group) {
            pass_on(topology, &walk, at, LINK_ROUTER, group);
            at += group - at % routers;
        }
        if (at / routers % topology->size[CHASSIS] != 0) {
            pass_on(topology, &walk, at, LINK_CHASSIS, 0);
            at = own * per_group + group;
        }
        pass_on(topology, &walk, at, LINK_GROUP, group);
        at = group * per_group + own;
    }
    if (at % routers != slot) {
        pass_on(topology, &walk, at, LINK_ROUTER, slot);
        at = group * per_group + slot;
    }
    if (at / routers % topology->size[CHASSIS] != chassis) pass_on(topology, &walk, at, LINK_CHASSIS, chassis);
    return walk.count;
}
