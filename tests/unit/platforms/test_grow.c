/* Platforms that grow: their sizes by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "platforms/grow.h"
#include "platforms/platform.h"

static char file[] = "/tmp/rmacast-test-grow-XXXXXX";

static void write_platform(const char *topology, int nodes, const char *mapping)
{
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fprintf(out,
            "{\"schema\": \"rmacast.platform/1\", \"nodes\": {\"count\": %d}, \"network\": {\"latency_s\": 1e-6, "
            "\"bandwidth_Bps\": 1e9, \"topology\": %s}, \"mapping\": %s}",
            nodes, topology, mapping);
    assert_int_equal(fclose(out), 0);
}

#define TREE "{\"type\": \"fat_tree\", \"down\": [16, 4], \"up\": [1, 16]}"
#define TORUS "{\"type\": \"torus\", \"dimensions\": [4, 3, 4]}"
#define DRAGONFLY "{\"type\": \"dragonfly\", \"groups\": 4, \"chassis\": 2, \"routers\": 4, \"nodes\": 2}"
#define TWO_GROUPS "{\"type\": \"dragonfly\", \"groups\": 2, \"chassis\": 2, \"routers\": 4, \"nodes\": 2}"
#define ONE "{\"ranks_per_node\": 1}"

/* 16 x 4 = 64 nodes; 100 need 7 switches of 16. 4 x 3 x 4 are 48 nodes; the 3 grows to 4 (64), then each to 5 (80, 100).
 * 4 groups of 2 x 4 x 2 = 16 nodes, as many groups as routers; with 5 routers a group has 20, and 4 groups have room for 65. */
static void topologies_grow_in_their_own_way(void **state)
{
    static const struct {
        const char *topology, *mapping;
        int nodes;
        uint32_t ranks;
        const char *overrides[GROWTH_MAX];
    } cases[] = {
        {"{\"type\": \"crossbar\"}", "{\"ranks_per_node\": 4}", 2, 9, {"nodes.count=3"}},
        {"{\"type\": \"crossbar\"}", ONE, 8, 8, {NULL}},
        {TREE, ONE, 64, 100, {"nodes.count=100", "network.topology.down=[16,7]"}},
        {TREE, ONE, 32, 60, {"nodes.count=60"}},
        {TORUS, ONE, 48, 49, {"nodes.count=49", "network.topology.dimensions=[4,4,4]"}},
        {TORUS, ONE, 48, 81, {"nodes.count=81", "network.topology.dimensions=[5,5,4]"}},
        {DRAGONFLY, ONE, 64, 65, {"nodes.count=65", "network.topology.routers=5", "network.topology.groups=4"}},
        /* exactly as many nodes as there is room for; 2 groups become the 4 that 4 routers connect */
        {TREE, ONE, 32, 64, {"nodes.count=64"}},
        {TORUS, ONE, 32, 48, {"nodes.count=48"}},
        {DRAGONFLY, ONE, 32, 64, {"nodes.count=64"}},
        {TWO_GROUPS, ONE, 32, 33, {"nodes.count=33", "network.topology.groups=3"}},
        {TWO_GROUPS, ONE, 32, 64, {"nodes.count=64", "network.topology.groups=4"}},
        {TWO_GROUPS, ONE, 32, 65, {"nodes.count=65", "network.topology.routers=5", "network.topology.groups=4"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct platform_growth growth;
        struct platform *platform;
        struct err err;
        const char *overrides[GROWTH_MAX];
        size_t expected = 0;
        write_platform(cases[i].topology, cases[i].nodes, cases[i].mapping);
        if (platform_grow(file, NULL, 0, cases[i].ranks, &growth, &err) != STATUS_OK) fail_msg("%s", err.text);
        while (expected < GROWTH_MAX && cases[i].overrides[expected]) expected++;
        assert_int_equal(growth.count, expected);
        for (size_t k = 0; k < expected; k++) {
            assert_string_equal(growth.overrides[k], cases[i].overrides[k]);
            overrides[k] = growth.overrides[k];
        }
        if (platform_open(file, overrides, growth.count, &platform, &err) != STATUS_OK) fail_msg("%s", err.text);
        assert_int_equal(platform_check_ranks(platform, cases[i].ranks, NULL), STATUS_OK);
        platform_free(platform);
    }
}

static void what_is_given_does_not_grow(void **state)
{
    struct platform_growth growth;
    struct err err;
    (void)state;
    write_platform("{\"type\": \"crossbar\"}", 2, "{\"ranks\": [0, 1]}");
    assert_int_equal(platform_grow(file, NULL, 0, 3, &growth, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "mapping.ranks"));
}

static int make_file(void **state)
{
    (void)state;
    int fd = mkstemp(file);
    return fd < 0 || close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(topologies_grow_in_their_own_way),
        cmocka_unit_test(what_is_given_does_not_grow),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
