/* Our shapes against SimGrid's own routing: the platform that topology_write_simgrid makes is loaded with all link
 * latencies set to 1 s, so that the latency of a route is its number of links. One child process per shape: SimGrid
 * loads one platform per process. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <xbt/dynar.h>

#include "common/children.h"
#include "platforms/topology/shape.h"
#include "tests/unit/platforms/platform_test.h"

static const char *const shapes[] = {
    "{\"type\": \"crossbar\"}",
    "{\"type\": \"fat_tree\", \"down\": [4], \"up\": [1]}",
    "{\"type\": \"fat_tree\", \"down\": [4, 4], \"up\": [1, 2], \"parallel\": [1, 2]}",
    "{\"type\": \"fat_tree\", \"down\": [2, 3, 4], \"up\": [1, 2, 2], \"parallel\": [1, 1, 2]}",
    "{\"type\": \"torus\", \"dimensions\": [7]}",
    "{\"type\": \"torus\", \"dimensions\": [4, 5]}",
    "{\"type\": \"torus\", \"dimensions\": [3, 4, 2]}",
    "{\"type\": \"dragonfly\", \"groups\": 1, \"chassis\": 1, \"routers\": 4, \"nodes\": 2}",
    "{\"type\": \"dragonfly\", \"groups\": 3, \"chassis\": 1, \"routers\": 4, \"nodes\": 2, \"group_links\": 4}",
    "{\"type\": \"dragonfly\", \"groups\": 3, \"chassis\": 2, \"routers\": 3, \"nodes\": 2, \"chassis_links\": 3}",
    "{\"type\": \"dragonfly\", \"groups\": 2, \"chassis\": 3, \"routers\": 2, \"nodes\": 1}",
    /* only a part of these is made for SimGrid; the routes are the whole shape's */
    "{\"type\": \"fat_tree\", \"down\": [4, 4, 3], \"up\": [1, 2, 2], \"parallel\": [1, 2, 2]}",
    "{\"type\": \"fat_tree\", \"down\": [2, 3, 4], \"up\": [1, 2, 2], \"parallel\": [1, 1, 1]}",
    "{\"type\": \"fat_tree\", \"down\": [1, 1048576, 2047], \"up\": [1, 1, 1]}",
    "{\"type\": \"torus\", \"dimensions\": [3, 4, 1000000]}",
    "{\"type\": \"dragonfly\", \"groups\": 3, \"chassis\": 2, \"routers\": 3, \"nodes\": 2}",
    "{\"type\": \"dragonfly\", \"groups\": 3, \"chassis\": 2, \"routers\": 3, \"nodes\": 2}",
    "{\"type\": \"dragonfly\", \"groups\": 1, \"chassis\": 1024, \"routers\": 1048576, \"nodes\": 1}",
    /* Cables in parallel on two levels: SimGrid chooses the lower one by the number of children at the top. From node
     * 17 to node 12 the search goes on from place 4 of three children, so it finds port 7, the second cable; of a part
     * with two children it would go on from place 3 and find port 3, the first one. */
    "{\"type\": \"fat_tree\", \"down\": [4, 4, 3], \"up\": [1, 2, 2], \"parallel\": [1, 2, 2]}",
    "{\"type\": \"fat_tree\", \"down\": [2, 2, 3], \"up\": [2, 1, 2], \"parallel\": [2, 3, 2]}",
};
enum { SHAPES = sizeof shapes / sizeof *shapes };
static const int node_counts[SHAPES] = {5, 4, 16, 24, 7, 20, 24, 8, 24, 36, 12, 14, 14, 9, 10, 14, 8, 5, 20, 12};

static struct platform *platform_with(size_t index)
{
    struct platform *platform = NULL;
    struct err err = {.text = ""};
    char topology[256], nodes[32];
    snprintf(topology, sizeof topology, "network.topology=%s", shapes[index]);
    snprintf(nodes, sizeof nodes, "nodes.count=%d", node_counts[index]);
    const char *const overrides[] = {topology, nodes};
    if (platform_from_text(PLATFORM_TEXT("", "", ""), overrides, 2, &platform, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    return platform;
}

/* The generated platform with lat="1s", in memory; *name is its path. */
static enum status write_variant(const struct platform *platform, char *name, size_t room, struct err *err)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    TRY(topology_write_simgrid(platform->topology, platform->node_count, &(struct topology_rates){.bandwidth_Bps = 1e9},
                               memory, err));
    fclose(memory);
    char *latency = strstr(text, "lat=\"0s\"");
    if (!latency) return err_set(err, STATUS_DATA, NULL, NULL, "no lat=\"0s\" in: %s", text);
    latency[5] = '1';
    int fd = memfd_create("variant", 0);
    FILE *out = fdopen(fd, "w");
    fputs(text, out);
    fflush(out);
    free(text);
    snprintf(name, room, "/proc/self/fd/%d", fd);
    return STATUS_OK;
}

/* Lines "links latency name name ..." for all ordered pairs. */
static enum status ask_simgrid(void *context, size_t index, FILE *out, struct err *err)
{
    (void)context;
    char file[64], program[] = "test", quiet[] = "--log=root.thres:critical";
    char *args[] = {program, quiet, NULL};
    int count = 2;
    struct platform *platform = platform_with(index);
    TRY(write_variant(platform, file, sizeof file, err));
    simgrid_init(&count, args);
    simgrid_load_platform(file);
    for (int src = 0; src < platform->node_count; src++)
        for (int dst = 0; dst < platform->node_count; dst++) {
            if (src == dst) continue;
            char names[2][32];
            snprintf(names[0], sizeof names[0], "node-%d", src);
            snprintf(names[1], sizeof names[1], "node-%d", dst);
            sg_host_t from = sg_host_by_name(names[0]), to = sg_host_by_name(names[1]);
            xbt_dynar_t links = xbt_dynar_new(sizeof(void *), NULL);
            sg_host_get_route(from, to, links);
            fprintf(out, "%lu %.17g", xbt_dynar_length(links), sg_host_get_route_latency(from, to));
            unsigned i;
            sg_link_t link;
            xbt_dynar_foreach (links, i, link) fprintf(out, " %s", sg_link_get_name(link));
            fputc('\n', out);
            xbt_dynar_free(&links);
        }
    platform_free(platform);
    return STATUS_OK;
}

/* SimGrid 3.32's fault: between routers of different slots in one group it goes on from chassis 0 after the first step,
 * whatever the source's chassis is. What it then counts, or ours where that does not apply. */
static int simgrid_links(size_t index, const struct platform *platform, int src, int dst)
{
    static const int dragonfly[SHAPES][4] = {
        [7] = {1, 1, 4, 2}, [8] = {3, 1, 4, 2}, [9] = {3, 2, 3, 2}, [10] = {2, 3, 2, 1},
        [15] = {3, 2, 3, 2}, [16] = {3, 2, 3, 2}, [17] = {1, 1024, 1048576, 1}};
    const int *size = dragonfly[index];
    int ours = platform->topology->shape->links(platform->topology, src, dst);
    if (!size[0]) return ours;
    int src_router = src / size[3], dst_router = dst / size[3], per_group = size[1] * size[2];
    int dst_chassis = dst_router / size[2] % size[1];
    if (src_router / per_group != dst_router / per_group || src_router % size[2] == dst_router % size[2]) return ours;
    return 3 + (dst_chassis != 0);
}

/* The shape's links as names and as our ids: each has one of the other. */
struct namings {
    struct naming {
        char name[80];
        uint64_t id;
    } items[2048];
    size_t count;
};

static void same_link(struct namings *namings, size_t shape, const char *name, uint64_t id)
{
    for (size_t i = 0; i < namings->count; i++) {
        bool name_known = strcmp(namings->items[i].name, name) == 0, id_known = namings->items[i].id == id;
        if (name_known != id_known)
            fail_msg("%s: SimGrid's link %s and ours %" PRIu64 " are elsewhere %s and %" PRIu64, shapes[shape], name,
                     id, namings->items[i].name, namings->items[i].id);
        if (name_known) return;
    }
    assert_true(namings->count < sizeof namings->items / sizeof *namings->items);
    struct naming *made = &namings->items[namings->count++];
    snprintf(made->name, sizeof made->name, "%s", name);
    made->id = id;
}

/* A part of the route has its links, and not one more. */
static void compare_parts(const struct topology *topology, int src, int dst)
{
    enum { ROOM = 3 };
    int links = topology_inner_links(topology, src, dst);
    for (int first = 0; first <= links; first++) {
        struct topology_link found[ROOM + 1] = {{7, 7}, {7, 7}, {7, 7}, {7, 7}};
        assert_int_equal(topology_inner_route(topology, src, dst, &(struct topology_part){first, ROOM, found}), links);
        for (int i = 0; i <= ROOM; i++) {
            struct topology_link expected = {7, 7};
            if (i < ROOM && first + i < links) expected = topology_inner_link(topology, src, dst, first + i);
            assert_true(found[i].id == expected.id && found[i].width == expected.width);
        }
    }
}

/* SimGrid's route in names, without the nodes' own links where the shape has such. */
static const char *compare_route(struct namings *namings, size_t shape, const struct topology *topology, int src,
                                 int dst, int links, const char *names)
{
    int own = strcmp(topology->shape->name, "torus") != 0;
    if (topology_inner_links(topology, src, dst) != links - 2 * own)
        fail_msg("%s: %d to %d: %d links inside, SimGrid has %d", shapes[shape], src, dst,
                 topology_inner_links(topology, src, dst), links - 2 * own);
    for (int i = 0, used; i < links; i++, names += used) {
        char name[80];
        assert_int_equal(sscanf(names, " %79s%n", name, &used), 1);
        if (i >= own && i < links - own)
            same_link(namings, shape, name, topology_inner_link(topology, src, dst, i - own).id);
    }
    compare_parts(topology, src, dst);
    return names + 1;
}

static void routes(void **state)
{
    (void)state;
    struct child_answer answers[SHAPES];
    struct err err = {.text = ""};
    if (children_run(ask_simgrid, NULL, SHAPES, 0, answers, &err) != STATUS_OK) fail_msg("%s", err.text);
    for (size_t i = 0; i < SHAPES; i++) {
        if (answers[i].status != STATUS_OK) fail_msg("%s: %s", shapes[i], answers[i].err.text);
        struct platform *platform = platform_with(i);
        const char *line = answers[i].data;
        static struct namings namings;
        namings.count = 0;
        for (int src = 0; src < platform->node_count; src++)
            for (int dst = 0; dst < platform->node_count; dst++) {
                if (src == dst) continue;
                int links = 0, used = 0;
                double latency = 0;
                assert_int_equal(sscanf(line, "%d %lf%n", &links, &latency, &used), 2);
                line = compare_route(&namings, i, platform->topology, src, dst, links, line + used);
                int expected = simgrid_links(i, platform, src, dst);
                if (links != expected || latency != expected)
                    fail_msg("%s: %d to %d: SimGrid has %d links, expected %d", shapes[i], src, dst, links, expected);
            }
        assert_int_equal(*line, '\0');
        platform_free(platform);
    }
    child_answers_clear(answers, SHAPES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(routes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
