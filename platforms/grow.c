#include "platforms/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "platforms/profile.h"

enum { SIZES_MAX = 8 };

static int64_t number_of(const cJSON *object, const char *key, int64_t fallback)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? (int64_t)item->valuedouble : fallback;
}

static size_t read_sizes(const cJSON *topology, const char *key, int64_t sizes[SIZES_MAX])
{
    const cJSON *item;
    size_t count = 0;
    cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive(topology, key))
        if (count < SIZES_MAX) sizes[count++] = (int64_t)item->valuedouble;
    return count;
}

static int64_t sizes_product(const int64_t *sizes, size_t count)
{
    int64_t all = 1;
    for (size_t i = 0; i < count; i++) all *= sizes[i];
    return all;
}

static int64_t quotient_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static void add_sizes(struct platform_growth *growth, const char *key, const int64_t *sizes, size_t count)
{
    char *text = growth->overrides[growth->count++];
    int length = snprintf(text, GROWTH_BYTES, "network.topology.%s=[", key);
    for (size_t i = 0; i < count; i++)
        length += snprintf(text + length, GROWTH_BYTES - (size_t)length, "%s%" PRId64, i ? "," : "", sizes[i]);
    snprintf(text + length, GROWTH_BYTES - (size_t)length, "]");
}

static void add_number(struct platform_growth *growth, const char *key, int64_t number)
{
    snprintf(growth->overrides[growth->count++], GROWTH_BYTES, "%s=%" PRId64, key, number);
}

/* Adds the overrides that give the topology at least so many nodes. */
typedef void grow_shape(const cJSON *topology, int64_t nodes, struct platform_growth *growth);

static void grow_fat_tree(const cJSON *topology, int64_t nodes, struct platform_growth *growth)
{
    int64_t down[SIZES_MAX];
    size_t levels = read_sizes(topology, "down", down);
    if (levels == 0 || sizes_product(down, levels) >= nodes) return;
    down[levels - 1] = quotient_up(nodes, sizes_product(down, levels - 1));
    add_sizes(growth, "down", down, levels);
}

static void grow_torus(const cJSON *topology, int64_t nodes, struct platform_growth *growth)
{
    int64_t extents[SIZES_MAX];
    size_t count = read_sizes(topology, "dimensions", extents);
    if (count == 0 || sizes_product(extents, count) >= nodes) return;
    while (sizes_product(extents, count) < nodes) {
        size_t shortest = 0;
        for (size_t i = 1; i < count; i++)
            if (extents[i] < extents[shortest]) shortest = i;
        extents[shortest]++;
    }
    add_sizes(growth, "dimensions", extents, count);
}

static void grow_dragonfly(const cJSON *topology, int64_t nodes, struct platform_growth *growth)
{
    int64_t routers = number_of(topology, "routers", 1), more = routers;
    int64_t of_router = number_of(topology, "chassis", 1) * number_of(topology, "nodes", 1);
    if (number_of(topology, "groups", 1) * routers * of_router >= nodes) return;
    while (more * more * of_router < nodes) more++;
    if (more > routers) add_number(growth, "network.topology.routers", more);
    add_number(growth, "network.topology.groups", quotient_up(nodes, more * of_router));
}

static const struct {
    const char *name;
    grow_shape *grow;
} growers[] = {{"fat_tree", grow_fat_tree}, {"torus", grow_torus}, {"dragonfly", grow_dragonfly}};

/* The nodes of a list of groups: more of them would be of some group, but nothing says of which. */
static enum status check_groups(const cJSON *groups, const cJSON *per_node, const char *file, uint32_t ranks, struct err *err)
{
    const cJSON *group;
    int64_t room = 0;
    cJSON_ArrayForEach (group, groups)
        room += number_of(group, "count", 0) * (cJSON_IsNumber(per_node) ? (int64_t)per_node->valuedouble
                                                : per_node ? number_of(group, "cores", 1) : 1);
    if (room >= ranks) return STATUS_OK;
    return err_set(err, STATUS_DATA, file, "nodes",
                   "there are several groups of nodes, so the platform cannot grow, expected --set nodes=[...] with more, or "
                   "nodes[GROUP].count of a group with a name");
}

static enum status grow_json(const cJSON *platform, const char *file, uint32_t ranks, struct platform_growth *growth,
                             struct err *err)
{
    const cJSON *nodes = cJSON_GetObjectItemCaseSensitive(platform, "nodes");
    const cJSON *mapping = cJSON_GetObjectItemCaseSensitive(platform, "mapping");
    const cJSON *network = cJSON_GetObjectItemCaseSensitive(platform, "network");
    const cJSON *topology = cJSON_GetObjectItemCaseSensitive(network, "topology");
    const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(topology, "type"));
    const cJSON *group = cJSON_IsArray(nodes) ? nodes->child : nodes;
    const bool by_cores = cJSON_IsString(cJSON_GetObjectItemCaseSensitive(mapping, "ranks_per_node"));
    int64_t need = quotient_up(ranks, by_cores ? number_of(group, "cores", 1) : number_of(mapping, "ranks_per_node", 1));
    if (cJSON_GetObjectItemCaseSensitive(mapping, "ranks"))
        return err_set(err, STATUS_DATA, file, "mapping.ranks",
                       "the platform names each rank's node, so it cannot grow");
    if (cJSON_GetArraySize(nodes) > 1 && cJSON_IsArray(nodes))
        return check_groups(nodes, cJSON_GetObjectItemCaseSensitive(mapping, "ranks_per_node"), file, ranks, err);
    if (number_of(group, "count", 0) >= need) return STATUS_OK;
    if (cJSON_GetObjectItemCaseSensitive(topology, "simgrid_xml"))
        return err_set(err, STATUS_DATA, file, "network.topology",
                       "the nodes are those of a SimGrid file, so they cannot grow");
    add_number(growth, "nodes.count", need);
    for (size_t i = 0; type && i < sizeof growers / sizeof *growers; i++)
        if (strcmp(growers[i].name, type) == 0) growers[i].grow(topology, need, growth);
    int length = snprintf(growth->text, GROWTH_BYTES, "%s of %" PRId64 " nodes", type ? type : "crossbar", need);
    for (size_t i = 1; i < growth->count; i++)
        length += snprintf(growth->text + length, GROWTH_BYTES - (size_t)length, ", %.60s", growth->overrides[i]);
    return STATUS_OK;
}

enum status platform_grow(const char *file, const char *const *overrides, size_t override_count, uint32_t ranks,
                          struct platform_growth *growth, struct err *err)
{
    cJSON *platform;
    *growth = (struct platform_growth){.count = 0};
    TRY(platform_effective(file, overrides, override_count, &platform, err));
    enum status status = grow_json(platform, file, ranks, growth, err);
    cJSON_Delete(platform);
    return status;
}
