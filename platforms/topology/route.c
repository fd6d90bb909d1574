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

/* Of one route, by level: the digits of both nodes from there on, the parents' label below, and how many such labels
 * there are. */
struct tree_path {
    int32_t src[LEVELS_MAX + 1], dst[LEVELS_MAX + 1], parent[LEVELS_MAX];
    uint64_t label[LEVELS_MAX + 1], labels[LEVELS_MAX + 1];
};

static uint64_t tree_link(const struct topology *topology, const struct tree_path *path, int32_t level, int32_t port, bool up)
{
    uint64_t position = (uint64_t)(up ? path->src : path->dst)[level] * path->labels[level] + path->label[level];
    uint64_t ports = (uint64_t)topology->up[level] * (uint64_t)topology->parallel[level];
    return ((position * ports + (uint64_t)port) * LEVELS_MAX + (uint64_t)level) * 2 + up;
}

static void climb_tree(const struct topology *topology, struct tree_path *path, int32_t level, int32_t port, struct walk *walk)
{
    const int32_t up = topology->up[level];
    if (level > 0) pass_link(walk, tree_link(topology, path, level, port, true), 1);
    path->parent[level] = topology->parallel[level] == 1 ? port : port % up;
    path->label[level + 1] = path->label[level] + (uint64_t)path->parent[level] * path->labels[level];
    path->labels[level + 1] = path->labels[level] * (uint64_t)up;
}

/* SimGrid looks for the port of the child below from the place of the last one found on, and begins with the source's
 * cable anew only when it finds none: with parallel cables this decides which is taken. before: the first place. */
static int32_t child_port(const struct topology *topology, int32_t level, int32_t child, int32_t src, int32_t before)
{
    int32_t children = topology->size[level], cables = topology->parallel[level];
    if (cables == 1) return child;
    int32_t port = before + (child - before % children + children) % children;
    return port < children * cables ? port : src % cables * children + child;
}

int32_t fat_tree_route(const struct topology *topology, int32_t src, int32_t dst, const struct topology_part *part)
{
    struct walk walk = {.part = part};
    struct tree_path path;
    int32_t top = 0;
    path.src[0] = src, path.dst[0] = dst;
    for (; path.src[top] != path.dst[top] && top < topology->levels; top++) {
        path.src[top + 1] = path.src[top] / topology->size[top];
        path.dst[top + 1] = path.dst[top] / topology->size[top];
    }
    path.label[0] = 0, path.labels[0] = 1;
    for (int32_t level = 0, digits = dst; level < top; level++) {
        climb_tree(topology, &path, level, digits % (topology->up[level] * topology->parallel[level]), &walk);
        digits /= topology->up[level];
    }
    int32_t port = top > 0 ? topology->size[top - 1] * topology->parallel[top - 1] : 0;
    for (int32_t level = top - 1; level > 0; level--, port++) {
        port = child_port(topology, level, path.dst[level] - path.dst[level + 1] * topology->size[level], src, port);
        int32_t cable = topology->parallel[level] == 1 ? 0 : port / topology->size[level];
        pass_link(&walk, tree_link(topology, &path, level, path.parent[level] + cable * topology->up[level], false), 1);
    }
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
