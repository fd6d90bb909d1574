/* Links and latencies counted by hand on small drawings of each shape. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "platforms/topology/shape.h"
#include "tests/unit/platforms/platform_test.h"

struct pair {
    int src, dst, links;
};

static int links_between(const struct platform *platform, int src, int dst)
{
    return platform->topology->shape->links(platform->topology, src, dst);
}

/* latency_s is 1 us at the shortest distance, hop_latency_s 0.25 us. */
static void check(const char *topology, const char *nodes, int nearest, const struct pair *pairs, size_t count)
{
    struct platform *platform;
    struct err err = {.text = ""};
    const char *const overrides[] = {topology, nodes};
    if (platform_from_text(PLATFORM_TEXT("", "", ""), overrides, 2, &platform, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < count; i++) {
        const struct pair *pair = &pairs[i];
        double expected_s = 1e-6 + 0.25e-6 * (pair->links - nearest);
        for (int back = 0; back < 2; back++) {
            int src = back ? pair->dst : pair->src, dst = back ? pair->src : pair->dst;
            if (links_between(platform, src, dst) != pair->links ||
                fabs(platform_latency_s(platform, src, dst, 8, false) - expected_s) > 1e-18)
                fail_msg("%s: %d to %d: %d links, %g s", topology, src, dst, links_between(platform, src, dst),
                         platform_latency_s(platform, src, dst, 8, false));
        }
    }
    platform_free(platform);
}

#define CHECK(TOPOLOGY, NODES, NEAREST, PAIRS) check(TOPOLOGY, NODES, NEAREST, PAIRS, sizeof(PAIRS) / sizeof *(PAIRS))

/* Up the node's link, down the other's. */
static void crossbar(void **state)
{
    (void)state;
    static const struct pair pairs[] = {{0, 1, 2}, {0, 7, 2}, {3, 5, 2}};
    CHECK("network.topology={\"type\": \"crossbar\", \"hop_latency_s\": 0.25e-6}", "nodes.count=8", 2, pairs);
}

/* Switches of 2 nodes, 3 such switches below one of the next level, 2 of those: nodes 0 1 | 2 3 | 4 5 || 6 7 | 8 9 |
 * 10 11. */
static void fat_tree(void **state)
{
    (void)state;
    static const struct pair pairs[] = {{0, 1, 2}, {0, 2, 4}, {1, 5, 4}, {5, 6, 6}, {0, 11, 6}, {10, 11, 2}};
    CHECK(
        "network.topology={\"type\": \"fat_tree\", \"down\": [2, 3, 2], \"up\": [1, 2, 2], \"hop_latency_s\": 0.25e-6}",
        "nodes.count=12", 2, pairs);
}

/* x runs fastest: node = x + 4 y + 12 z of a 4 x 3 x 2 torus. 0 to 3 is one step over the edge, 0 to 2 is two; 0 to 8
 * (y = 2) one; 0 to 23 (3, 2, 1) is 1 + 1 + 1; 1 to 18 (2, 1, 1) from (1, 0, 0) is 1 + 1 + 1; 0 to 18 is 2 + 1 + 1. */
static void torus(void **state)
{
    (void)state;
    static const struct pair pairs[] = {{0, 1, 1}, {0, 2, 2}, {0, 3, 1}, {0, 8, 1}, {0, 23, 3}, {1, 18, 3}, {0, 18, 4}};
    CHECK("network.topology={\"type\": \"torus\", \"dimensions\": [4, 3, 2], \"hop_latency_s\": 0.25e-6}",
          "nodes.count=24", 1, pairs);
}

/* 2 groups x 2 chassis x 3 routers x 2 nodes: node = 12 g + 6 c + 2 r + n. Between groups through router (other group)
 * of chassis 0: 0 (0,0,0) to 12 (1,0,0): node, to router 1, to the other group (arrives at router 0), node: 4 links. 11
 * (0,1,2) to 23 (1,1,2): node, router 1, chassis 0, group, router 2, chassis 1, node: 7. 2 (0,0,1) to 12: no router
 * step: 3. */
static void dragonfly(void **state)
{
    (void)state;
    static const struct pair pairs[] = {{0, 1, 2},  {0, 2, 3},  {0, 6, 3},   {0, 8, 4},
                                        {7, 11, 3}, {0, 12, 4}, {11, 23, 7}, {2, 12, 3}};
    CHECK("network.topology={\"type\": \"dragonfly\", \"groups\": 2, \"chassis\": 2, \"routers\": 3, \"nodes\": 2,"
          " \"hop_latency_s\": 0.25e-6}",
          "nodes.count=24", 2, pairs);
}

/* With one node per router the nearest two are three links apart. */
static void nearest_nodes(void **state)
{
    (void)state;
    static const struct pair pairs[] = {{0, 1, 3}, {0, 2, 3}, {0, 3, 4}};
    CHECK("network.topology={\"type\": \"dragonfly\", \"groups\": 1, \"chassis\": 2, \"routers\": 2, \"nodes\": 1,"
          " \"hop_latency_s\": 0.25e-6}",
          "nodes.count=4", 3, pairs);
}

/* 2 groups x 1 chassis x 2 routers x 1 node: node = 2 g + r. The neighbour in the group is nearest, 3 links; so is the
 * router of the other group to which the own one leads, 1 to 2. 0 to 2 goes through router 1: 4; 0 to 3 arrives at
 * router 0, too: 5. */
static void nearest_router(void **state)
{
    (void)state;
    static const struct pair pairs[] = {{0, 1, 3}, {1, 2, 3}, {0, 2, 4}, {1, 3, 4}, {0, 3, 5}};
    CHECK("network.topology={\"type\": \"dragonfly\", \"groups\": 2, \"chassis\": 1, \"routers\": 2, \"nodes\": 1,"
          " \"hop_latency_s\": 0.25e-6}",
          "nodes.count=4", 3, pairs);
}

/* 1 group x 3 chassis x 1 router x 1 node: chassis are linked directly. 1 x 2 x 2 x 2: nodes of a router are nearest.
 */
static void nearest_chassis(void **state)
{
    (void)state;
    static const struct pair alone[] = {{0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
    static const struct pair pairs[] = {{0, 1, 2}, {0, 2, 3}, {0, 4, 3}, {0, 6, 4}};
    CHECK("network.topology={\"type\": \"dragonfly\", \"groups\": 1, \"chassis\": 3, \"routers\": 1, \"nodes\": 1,"
          " \"hop_latency_s\": 0.25e-6}",
          "nodes.count=3", 3, alone);
    CHECK("network.topology={\"type\": \"dragonfly\", \"groups\": 1, \"chassis\": 2, \"routers\": 2, \"nodes\": 2,"
          " \"hop_latency_s\": 0.25e-6}",
          "nodes.count=8", 2, pairs);
}

/* Levels of one child and dimensions of one node have no neighbours. Half-way round a ring of 5 are 2 steps, of 4
 * are 2. */
static void levels_of_one(void **state)
{
    (void)state;
    static const struct pair tree[] = {{0, 1, 4}, {0, 2, 4}, {0, 3, 6}, {2, 5, 6}};
    static const struct pair torus[] = {{0, 1, 1}, {0, 2, 2}, {0, 3, 2},  {0, 4, 1},
                                        {0, 5, 1}, {1, 8, 3}, {0, 15, 1}, {0, 12, 4}};
    CHECK(
        "network.topology={\"type\": \"fat_tree\", \"down\": [1, 3, 2], \"up\": [1, 1, 1], \"hop_latency_s\": 0.25e-6}",
        "nodes.count=6", 4, tree);
    CHECK("network.topology={\"type\": \"torus\", \"dimensions\": [1, 5, 4], \"hop_latency_s\": 0.25e-6}",
          "nodes.count=20", 1, torus);
}

#define TREE(PARALLEL) "{\"type\": \"fat_tree\", \"down\": [4, 4, 3], \"up\": [1, 2, 2], \"parallel\": " PARALLEL "}"
#define TORUS "{\"type\": \"torus\", \"dimensions\": [3, 4, 1000000]}"
#define DRAGONFLY "{\"type\": \"dragonfly\", \"groups\": 3, \"chassis\": 2, \"routers\": 3, \"nodes\": 2}"

/* The part that SimGrid gets has no level that holds all nodes in one part, and the top switches of a tree have no more children
 * than the nodes need, unless cables in parallel decide there. A group has 12 nodes, a chassis 6, a router 2: what is whole is
 * not cut. */
static void parts_for_simgrid(void **state)
{
    (void)state;
    static const struct {
        const char *shape;
        int nodes;
        const char *parameters;
        int last; /* node of the part */
    } rows[] = {
        {TREE("[1, 1, 1]"), 3, "1;3;1;1", 2},
        {TREE("[1, 1, 1]"), 4, "1;4;1;1", 3},
        {TREE("[1, 1, 1]"), 5, "2;4,2;1,2;1,1", 7},
        {TREE("[1, 1, 1]"), 16, "2;4,4;1,2;1,1", 15},
        {TREE("[1, 1, 1]"), 17, "3;4,4,2;1,2,2;1,1,1", 31},
        {TREE("[1, 1, 1]"), 32, "3;4,4,2;1,2,2;1,1,1", 31},
        {TREE("[1, 2, 2]"), 3, "1;3;1;1", 2},
        {TREE("[1, 2, 2]"), 5, "2;4,4;1,2;1,2", 15},
        {TREE("[1, 2, 2]"), 17, "3;4,4,3;1,2,2;1,2,2", 47},
        {TORUS, 3, "3", 2},
        {TORUS, 4, "3,4", 11},
        {TORUS, 12, "3,4", 11},
        {TORUS, 13, "3,4,1000000", 11999999},
        {DRAGONFLY, 1, "1,1;1,1;1,1;1", 0},
        {DRAGONFLY, 2, "1,1;1,1;1,1;2", 1},
        {DRAGONFLY, 3, "1,1;1,1;2,1;2", 3},
        {DRAGONFLY, 6, "1,1;1,1;3,1;2", 5},
        {DRAGONFLY, 7, "1,1;2,1;3,1;2", 11},
        {DRAGONFLY, 12, "1,1;2,1;3,1;2", 11},
        {DRAGONFLY, 13, "2,1;2,1;3,1;2", 23},
        {DRAGONFLY, 25, "3,1;2,1;3,1;2", 35},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char topology[200], count[32], expected[100], last[40], *text = NULL;
        struct platform *platform = NULL;
        struct err err = {.text = ""};
        size_t bytes;
        snprintf(topology, sizeof topology, "network.topology=%s", rows[i].shape);
        snprintf(count, sizeof count, "nodes.count=%d", rows[i].nodes);
        const char *const overrides[] = {topology, count};
        if (platform_from_text(PLATFORM_TEXT("", "", ""), overrides, 2, &platform, &err) != STATUS_OK) fail_msg("%s", err.text);
        FILE *out = open_memstream(&text, &bytes);
        assert_int_equal(topology_write_simgrid(platform->topology, rows[i].nodes,
                                                &(struct topology_rates){.bandwidth_Bps = 1e9}, out, &err), STATUS_OK);
        fclose(out);
        snprintf(expected, sizeof expected, "topo_parameters=\"%s\"", rows[i].parameters);
        snprintf(last, sizeof last, "radical=\"0-%d\"", rows[i].last);
        if (!strstr(text, expected) || !strstr(text, last)) fail_msg("row %zu: %s", i, text);
        free(text);
        platform_free(platform);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossbar),        cmocka_unit_test(fat_tree),      cmocka_unit_test(torus),
        cmocka_unit_test(dragonfly),       cmocka_unit_test(nearest_nodes), cmocka_unit_test(nearest_router),
        cmocka_unit_test(nearest_chassis), cmocka_unit_test(levels_of_one),
        cmocka_unit_test(parts_for_simgrid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
