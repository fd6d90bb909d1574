/* Several messages over one link, both engines, worked out by hand: SimGrid's flows share it (max-min), the queues of
 * the loggp engine take one after the other. A unit is 10 us, the time that 0.1 MB take at 10 GB/s; there is no
 * latency; all begin at 0.
 *
 * Shared, a message of s units has ended when each other one has had min(its size, s): the sum of these. In a queue it
 * has ended when those before it and itself have passed. So the last byte of all is there at the same time; with
 * the small ones first none is later in a queue than shared; and none is later than the last one, either way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/simulate/engine_test.h"

enum { FLOWS_MAX = 8, UNIT_BYTES = 100000, TOLERANCE_PS = 100 };

static const int64_t unit_ps = 10000000;

/* In the order of sizes, which ascend. */
static const struct load {
    int count;
    int units[FLOWS_MAX], shared[FLOWS_MAX], small_first[FLOWS_MAX], large_first[FLOWS_MAX];
} loads[] = {
    {2, {1, 1}, {2, 2}, {1, 2}, {2, 1}},
    {2, {1, 2}, {2, 3}, {1, 3}, {3, 2}},
    {3, {1, 2, 3}, {3, 5, 6}, {1, 3, 6}, {6, 5, 3}},
    {3, {1, 2, 10}, {3, 5, 13}, {1, 3, 13}, {13, 12, 10}},
    {8,
     {1, 2, 3, 4, 5, 6, 7, 8},
     {8, 15, 21, 26, 30, 33, 35, 36},
     {1, 3, 6, 10, 15, 21, 28, 36},
     {36, 35, 33, 30, 26, 21, 15, 8}},
};

/* The i-th message in the order of the queue, of `count`. */
struct ends {
    int32_t src, dst;
};

/* All into one node. */
static struct ends star(int i, int count)
{
    (void)count;
    return (struct ends){i, FLOWS_MAX};
}

/* Nodes 0 to 7 are below one switch, 8 to 15 below the other; one link leads from each switch to the root. */
static struct ends fat_tree(int i, int count)
{
    (void)count;
    return (struct ends){i, FLOWS_MAX + i};
}

/* Nodes 8 to 15 are at the router of their group that leads to the other group, where 16 to 23 are at the one that it
 * comes to. */
static struct ends dragonfly(int i, int count)
{
    (void)count;
    return (struct ends){FLOWS_MAX + i, 2 * FLOWS_MAX + i};
}

/* All pass from node count - 1 to count. The message of node 0 is through before any other begins; behind it each waits
 * on its own first link, from 0 on, and so before those that come to that link from further away when they have been
 * let go: the nearest is next. */
static struct ends torus(int i, int count)
{
    int32_t src = i == 0 ? 0 : count - i;
    return (struct ends){src, count + src};
}

static const struct network {
    const char *name, *topology;
    struct ends (*ends)(int i, int count);
} networks[] = {
    {"star", "network.topology={\"type\": \"crossbar\"}", star},
    {"fat tree", "network.topology={\"type\": \"fat_tree\", \"down\": [8, 4], \"up\": [1, 1]}", fat_tree},
    {"dragonfly",
     "network.topology={\"type\": \"dragonfly\", \"groups\": 2, \"chassis\": 1, \"routers\": 2, \"nodes\": 8}",
     dragonfly},
    {"torus", "network.topology={\"type\": \"torus\", \"dimensions\": [32]}", torus},
};

static void check(const struct network *network, const struct load *load, const char *engine, bool large_first,
                  const int *expected)
{
    struct test_send sends[FLOWS_MAX];
    struct test_fate fates[FLOWS_MAX];
    struct err err = {.text = ""};
    for (int i = 0; i < load->count; i++) {
        int size = large_first ? load->count - 1 - i : i;
        struct ends ends = network->ends(i, load->count);
        sends[i] = (struct test_send){0, ends.src, ends.dst, (int64_t)load->units[size] * UNIT_BYTES, false};
    }
    const struct test_case test = {network->name,
                                   "platforms/two-nodes.json",
                                   {"nodes.count=32", "network.latency_s=0", network->topology, "engine.links=queue"},
                                   NULL,
                                   sends,
                                   (size_t)load->count,
                                   0};
    if (test_run_apart(engine_by_name(engine), &test, fates, &err) != STATUS_OK)
        fail_msg("%s: %s: %s", engine, network->name, err.text);
    for (int i = 0; i < load->count; i++) {
        int size = large_first ? load->count - 1 - i : i;
        if (llabs(fates[i].arrived_ps - expected[size] * unit_ps) > TOLERANCE_PS)
            fail_msg("%s: %s: of %d messages that of %d units arrived at %lld ps, expected %d units", engine,
                     network->name, load->count, load->units[size], (long long)fates[i].arrived_ps, expected[size]);
    }
}

static void engines(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++)
        for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
            check(&networks[n], &loads[i], "simgrid", false, loads[i].shared);
            check(&networks[n], &loads[i], "simgrid", true, loads[i].shared);
            check(&networks[n], &loads[i], "loggp", false, loads[i].small_first);
            check(&networks[n], &loads[i], "loggp", true, loads[i].large_first);
        }
}

/* The tables above are right about themselves. */
static void bracket(void **state)
{
    (void)state;
    for (size_t l = 0; l < sizeof loads / sizeof *loads; l++) {
        const struct load *load = &loads[l];
        int all = 0;
        for (int i = 0; i < load->count; i++) all += load->units[i];
        for (int i = 0; i < load->count; i++) {
            assert_true(load->units[i] <= load->small_first[i]);
            assert_true(load->small_first[i] <= load->shared[i]);
            assert_true(load->shared[i] <= all && load->large_first[i] <= all);
        }
        assert_int_equal(load->shared[load->count - 1], all);
        assert_int_equal(load->small_first[load->count - 1], all);
        assert_int_equal(load->large_first[0], all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines),
        cmocka_unit_test(bracket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
