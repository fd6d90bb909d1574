#include "platforms/topology/topology.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "platforms/topology/shape.h"

enum { PARAMETER_MAX = 1 << 20 };

/* One kind of network. links is for two different nodes. */
static enum status read_list(const struct json_node *parent, const char *key, int32_t values[LEVELS_MAX],
                             int32_t *count, struct err *err)
{
    struct json_node list = json_member(parent, key);
    TRY(json_array(&list, err));
    size_t found = json_count(&list);
    if (found < 1 || found > LEVELS_MAX)
        return json_error(&list, err, "%zu value%s, expected 1 to %d", found, units_plural(found), LEVELS_MAX);
    if (*count && found != (size_t)*count)
        return json_error(&list, err, "%zu value%s, expected one for each of the %" PRId32 " levels", found, units_plural(found),
                          *count);
    for (size_t i = 0; i < found; i++) {
        struct json_node element = json_element(&list, i);
        int64_t value;
        TRY(json_integer(&element, 1, PARAMETER_MAX, &value, err));
        values[i] = (int32_t)value;
    }
    *count = (int32_t)found;
    return STATUS_OK;
}

static void print_list(const int32_t *values, int32_t count, const char *separator, FILE *out)
{
    for (int32_t i = 0; i < count; i++) fprintf(out, "%s%" PRId32, i ? separator : "", values[i]);
}

/* crossbar: a star of one full-duplex link per node around an ideal switch. */

static enum status crossbar_read(const struct json_node *node, struct topology *topology, struct err *err)
{
    static const char *const keys[] = {"type", "hop_latency_s", NULL};
    (void)topology;
    return json_known_keys(node, keys, err);
}

static int32_t crossbar_links(const struct topology *topology, int32_t src, int32_t dst)
{
    (void)topology, (void)src, (void)dst;
    return 2;
}

/* fat_tree: SimGrid's extended generalised fat tree (Ohring et al. 1995; Zahavi 2010), d-mod-k routing. */

static enum status fat_tree_read(const struct json_node *node, struct topology *topology, struct err *err)
{
    static const char *const keys[] = {"type", "hop_latency_s", "levels", "down", "up", "parallel", NULL};
    TRY(json_known_keys(node, keys, err));
    struct json_node levels = json_member(node, "levels");
    int64_t count = 0;
    if (levels.item) TRY(json_integer(&levels, 1, LEVELS_MAX, &count, err));
    topology->levels = (int32_t)count;
    TRY(read_list(node, "down", topology->size, &topology->levels, err));
    TRY(read_list(node, "up", topology->up, &topology->levels, err));
    struct json_node parallel = json_member(node, "parallel");
    if (parallel.item) return read_list(node, "parallel", topology->parallel, &topology->levels, err);
    for (int32_t i = 0; i < topology->levels; i++) topology->parallel[i] = 1;
    return STATUS_OK;
}

/* Up to the lowest switch that has both below it, and down again. */
static int32_t fat_tree_links(const struct topology *topology, int32_t src, int32_t dst)
{
    int32_t level = 0;
    for (; src != dst; level++) {
        src /= topology->size[level];
        dst /= topology->size[level];
    }
    return 2 * level;
}

static void fat_tree_parameters(const struct topology *topology, FILE *out)
{
    fprintf(out, "%" PRId32 ";", topology->levels);
    print_list(topology->size, topology->levels, ",", out);
    fputc(';', out);
    print_list(topology->up, topology->levels, ",", out);
    fputc(';', out);
    print_list(topology->parallel, topology->levels, ",", out);
}

/* torus: nodes are linked directly, one dimension after another, the shorter way round. */

static enum status torus_read(const struct json_node *node, struct topology *topology, struct err *err)
{
    static const char *const keys[] = {"type", "hop_latency_s", "dimensions", NULL};
    TRY(json_known_keys(node, keys, err));
    return read_list(node, "dimensions", topology->size, &topology->levels, err);
}

static int32_t torus_links(const struct topology *topology, int32_t src, int32_t dst)
{
    int32_t links = 0;
    for (int32_t i = 0; i < topology->levels; i++) {
        int32_t extent = topology->size[i];
        int32_t apart = abs(src % extent - dst % extent);
        links += apart <= extent - apart ? apart : extent - apart;
        src /= extent;
        dst /= extent;
    }
    return links;
}

static void torus_parameters(const struct topology *topology, FILE *out)
{
    print_list(topology->size, topology->levels, ",", out);
}

/* dragonfly: SimGrid's model of the Cray XC (Kim et al. 2008; Faanes et al. 2012): groups of chassis of routers; all
 * routers of a chassis, and the routers of one slot in all chassis of a group, are linked; router g of chassis 0 leads
 * to group g. */
static enum status dragonfly_read(const struct json_node *node, struct topology *topology, struct err *err)
{
    static const char *const keys[] = {"type",  "hop_latency_s", "groups",        "chassis",      "routers",
                                       "nodes", "group_links",   "chassis_links", "router_links", NULL};
    TRY(json_known_keys(node, keys, err));
    topology->levels = 4;
    for (int i = 0; i < 7; i++) {
        struct json_node member = json_member(node, keys[2 + i]);
        int64_t value = 1;
        if (i < 4 || member.item) TRY(json_integer(&member, 1, PARAMETER_MAX, &value, err));
        *(i < 4 ? &topology->size[i] : &topology->up[i - 4]) = (int32_t)value;
    }
    if (topology->size[GROUPS] <= topology->size[ROUTERS]) return STATUS_OK;
    struct json_node groups = json_member(node, "groups");
    return json_error(&groups, err, "%" PRId32 " groups, expected at most one per router of a chassis (%" PRId32 ")",
                      topology->size[GROUPS], topology->size[ROUTERS]);
}

/* Up to the router, across, and down. SimGrid 3.32 agrees but for one fault: between different routers of one group it
 * goes on from chassis 0 after the first hop, whatever the source's chassis (docs/platforms.md). */
static int32_t dragonfly_links(const struct topology *topology, int32_t src, int32_t dst)
{
    const int32_t *size = topology->size;
    int32_t src_router = src / size[NODES], dst_router = dst / size[NODES];
    if (src_router == dst_router) return 2;
    int32_t src_slot = src_router % size[ROUTERS], dst_slot = dst_router % size[ROUTERS];
    int32_t src_chassis = src_router / size[ROUTERS] % size[CHASSIS],
            dst_chassis = dst_router / size[ROUTERS] % size[CHASSIS];
    int32_t src_group = src_router / size[ROUTERS] / size[CHASSIS],
            dst_group = dst_router / size[ROUTERS] / size[CHASSIS];
    if (src_group == dst_group) return 2 + (src_slot != dst_slot) + (src_chassis != dst_chassis);
    return 3 + (src_slot != dst_group) + (src_chassis != 0) + (dst_slot != src_group) + (dst_chassis != 0);
}

static void dragonfly_parameters(const struct topology *topology, FILE *out)
{
    for (int i = 0; i < 3; i++) fprintf(out, "%" PRId32 ",%" PRId32 ";", topology->size[i], topology->up[i]);
    fprintf(out, "%" PRId32, topology->size[NODES]);
}

static const struct shape shapes[] = {
    {"crossbar", NULL, false, crossbar_read, crossbar_links, NULL, crossbar_route},
    {"fat_tree", "FAT_TREE", false, fat_tree_read, fat_tree_links, fat_tree_parameters, fat_tree_route},
    {"torus", "TORUS", false, torus_read, torus_links, torus_parameters, torus_route},
    {"dragonfly", "DRAGONFLY", true, dragonfly_read, dragonfly_links, dragonfly_parameters, dragonfly_route},
};
enum { SHAPE_COUNT = sizeof shapes / sizeof *shapes };

/* Node 0 has a nearest neighbour as near as any in all shapes: it differs in one coordinate, by one. */
static int32_t nearest_switch(const struct topology *topology)
{
    int32_t links = topology->levels ? INT32_MAX : topology->shape->links(topology, 0, 1), stride = 1;
    for (int32_t i = 0; i < topology->levels; i++) {
        int32_t extent = topology->size[topology->shape->outermost_first ? topology->levels - 1 - i : i];
        int32_t found = extent > 1 ? topology->shape->links(topology, 0, stride) : INT32_MAX;
        if (found < links) links = found;
        stride *= extent;
    }
    return links;
}

static enum status size_of_shape(const struct json_node *node, int32_t node_count, struct topology *topology,
                                 struct err *err)
{
    int64_t nodes = topology->levels ? 1 : node_count;
    for (int32_t i = 0; i < topology->levels; i++) {
        nodes *= topology->size[i];
        if (nodes > INT32_MAX)
            return json_error(node, err, "more than 2^31 nodes, expected a smaller %s", topology->shape->name);
    }
    if (node_count > nodes)
        return json_error(node, err, "this %s has %" PRId64 " nodes, expected at least nodes.count = %" PRId32,
                          topology->shape->name, nodes, node_count);
    topology->shape_nodes = (int32_t)nodes;
    topology->nearest_links = nearest_switch(topology);
    return STATUS_OK;
}

static const struct shape *shape_by_name(const char *name)
{
    for (int i = 0; i < SHAPE_COUNT; i++)
        if (strcmp(shapes[i].name, name) == 0) return &shapes[i];
    return NULL;
}

enum status topology_read(const struct json_node *node, int32_t node_count, struct topology **topology, struct err *err)
{
    struct json_node type = json_member(node, "type"), hop = json_member(node, "hop_latency_s");
    const char *name;
    TRY(json_object(node, err));
    TRY(json_string(&type, &name, err));
    struct topology found = {.shape = shape_by_name(name)};
    if (!found.shape)
        return json_error(&type, err, "unknown topology '%s', expected crossbar, fat_tree, torus or dragonfly", name);
    TRY(found.shape->read(node, &found, err));
    if (hop.item) TRY(json_number(&hop, 0, 3600, &found.hop_latency_s, err));
    TRY(size_of_shape(node, node_count, &found, err));
    struct topology *made = malloc(sizeof *made);
    if (!made) return err_memory(err);
    *made = found;
    *topology = made;
    return STATUS_OK;
}

enum status topology_new_crossbar(int32_t node_count, struct topology **topology, struct err *err)
{
    struct topology *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    made->shape = &shapes[0];
    made->shape_nodes = node_count;
    made->nearest_links = 2;
    *topology = made;
    return STATUS_OK;
}

void topology_free(struct topology *topology)
{
    free(topology);
}

double *topology_hop_latency(struct topology *topology)
{
    return topology && !topology_is_crossbar(topology) ? &topology->hop_latency_s : NULL;
}

bool topology_is_flat(const struct topology *topology)
{
    return topology->hop_latency_s == 0;
}

double topology_extra_latency_s(const struct topology *topology, int32_t src, int32_t dst)
{
    if (!topology || topology->hop_latency_s == 0) return 0;
    return topology->hop_latency_s * (topology->shape->links(topology, src, dst) - topology->nearest_links);
}

int32_t topology_links(const struct topology *topology, int32_t src, int32_t dst)
{
    return topology->shape->links(topology, src, dst);
}

int32_t topology_inner_route(const struct topology *topology, int32_t src, int32_t dst, const struct topology_part *part)
{
    return topology->shape->route(topology, src, dst, part);
}

int32_t topology_inner_links(const struct topology *topology, int32_t src, int32_t dst)
{
    return topology_inner_route(topology, src, dst, &(struct topology_part){.room = 0});
}

struct topology_link topology_inner_link(const struct topology *topology, int32_t src, int32_t dst, int32_t index)
{
    struct topology_link link = {0, 1};
    topology_inner_route(topology, src, dst, &(struct topology_part){index, 1, &link});
    return link;
}

bool topology_is_crossbar(const struct topology *topology)
{
    return !topology->shape->simgrid_name; /* no address: the module of the engine simgrid has a copy of the table */
}

static int32_t parts_for(int32_t nodes, int32_t each)
{
    return nodes / each + (nodes % each > 0);
}

/* Messages between the first nodes do not use outer levels that hold these nodes in one part. The top switches of a
 * tree need no more children than those nodes use, unless parallel cables there decide, by the children's number, which
 * cable is taken below. */
static void shrink_levels(struct topology *topology, int32_t nodes, bool trims)
{
    int32_t below = 1;
    for (int32_t i = 0; i + 1 < topology->levels; i++) below *= topology->size[i];
    while (topology->levels > 1 && nodes <= below) below /= topology->size[--topology->levels - 1];
    int32_t top = topology->levels - 1;
    if (trims && topology->parallel[top] == 1) topology->size[top] = parts_for(nodes, below);
}

/* Groups are linked to all others, as are chassis in a group and routers in a chassis: the first ones are whole without
 * the rest. */
static void shrink_dragonfly(struct topology *topology, int32_t nodes)
{
    int32_t each = 1;
    for (int i = CHASSIS; i <= NODES; i++) each *= topology->size[i];
    for (int i = GROUPS; i <= NODES; i++) {
        topology->size[i] = parts_for(nodes, each);
        if (topology->size[i] > 1 || i == NODES) return;
        each /= topology->size[i + 1];
    }
}

/* A small shape with the first nodes of this one, between which a message passes the same links. */
static struct topology part_with(const struct topology *topology, int32_t nodes)
{
    struct topology part = *topology;
    if (topology->shape->outermost_first)
        shrink_dragonfly(&part, nodes);
    else if (topology->levels)
        shrink_levels(&part, nodes, topology->shape->links == fat_tree_links);
    part.shape_nodes = part.levels ? 1 : nodes;
    for (int32_t i = 0; i < part.levels; i++) part.shape_nodes *= part.size[i];
    return part;
}

int32_t topology_nearest_links(const struct topology *topology)
{
    return topology->nearest_links;
}

/* Nodes first .. last of the shape, which are alike. group NULL: they have 1 Gf and one core. */
static void write_cluster(const struct topology *part, const char *id, int32_t first, int32_t last,
                          const struct node_group *group, const struct topology_rates *rates, FILE *out)
{
    fprintf(out,
            "  <cluster id=\"%s\" prefix=\"node-\" suffix=\"\" radical=\"%" PRId32 "-%" PRId32
            "\" speed=\"%.17gGf\" bw=\"%.17gBps\" lat=\"%.17gs\"",
            id, first, last, group ? group->speed : 1, rates->bandwidth_Bps, rates->latency_s);
    if (group && group->cores > 1) fprintf(out, " core=\"%" PRId32 "\"", group->cores);
    if (rates->loopback_Bps > 0)
        fprintf(out, " loopback_bw=\"%.17gBps\" loopback_lat=\"%.17gs\"", rates->loopback_Bps, rates->loopback_latency_s);
    if (part->shape->simgrid_name) {
        fprintf(out, " topology=\"%s\" topo_parameters=\"", part->shape->simgrid_name);
        part->shape->parameters(part, out);
        fputc('"', out);
    }
    fputs("/>\n", out);
}

/* A cluster of SimGrid's has nodes that are alike, so each group is one. A message between two has the links of its two
 * nodes, and one that limits nothing, since SimGrid refuses an empty route between clusters. */
static void write_clusters(const struct topology *part, const struct topology_rates *rates, FILE *out)
{
    int32_t first = 0;
    char id[32];
    fputs("  <zone id=\"network\" routing=\"Full\">\n", out);
    for (size_t i = 0; i < rates->group_count; first += rates->groups[i++].count) {
        snprintf(id, sizeof id, "group-%zu", i);
        write_cluster(part, id, first, first + rates->groups[i].count - 1, &rates->groups[i], rates, out);
    }
    fprintf(out, "  <link id=\"switch\" bandwidth=\"%.17gBps\" latency=\"0s\" sharing_policy=\"FATPIPE\"/>\n",
            rates->bandwidth_Bps);
    for (size_t i = 0; i < rates->group_count; i++)
        for (size_t k = i + 1; k < rates->group_count; k++)
            fprintf(out,
                    "  <zoneRoute src=\"group-%zu\" dst=\"group-%zu\" gw_src=\"node-group-%zu_router\" "
                    "gw_dst=\"node-group-%zu_router\"><link_ctn id=\"switch\"/></zoneRoute>\n",
                    i, k, i, k);
    fputs("  </zone>\n", out);
}

enum status topology_write_simgrid(const struct topology *topology, int32_t nodes, const struct topology_rates *rates, FILE *out,
                                   struct err *err)
{
    const struct topology part = part_with(topology, nodes);
    fputs("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n",
          out);
    if (rates->group_count > 1)
        write_clusters(&part, rates, out);
    else
        write_cluster(&part, "network", 0, part.shape_nodes - 1, rates->groups, rates, out);
    fputs("</platform>\n", out);
    if (fflush(out) != 0 || ferror(out))
        return err_set(err, STATUS_SYSTEM, NULL, NULL, "the SimGrid platform cannot be written: %s", strerror(errno));
    return STATUS_OK;
}
