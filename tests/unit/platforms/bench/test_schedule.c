/* Plans on described machines. Each expected plan follows from the rules of schedule.h by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "platforms/bench/config.h"
#include "platforms/bench/schedule.h"

enum { RANKS_MOST = 64 };
#define ASKS(NODES, RANKS) {.nodes = NODES, .ranks = RANKS}

/* A machine whose nodes have sizes[i] ranks, numbered node by node. */
static void make_machine(const int *sizes, int nodes, struct bench_environment *environment)
{
    static char hosts[RANKS_MOST][BENCH_HOST_BYTES];
    struct err err;
    int ranks = 0;
    memset(hosts, 0, sizeof hosts);
    for (int i = 0; i < nodes; i++)
        for (int k = 0; k < sizes[i]; k++) snprintf(hosts[ranks++], BENCH_HOST_BYTES, "node%d", i);
    assert_int_equal(bench_environment_init((const char(*)[BENCH_HOST_BYTES])hosts, ranks, environment, &err), STATUS_OK);
    assert_int_equal(environment->node_count, nodes);
}

/* "demand@round:node,node=rank,rank" of each placement, separated by blanks, then the fits as letters p, n, u, -. */
static void plan(const int *sizes, int nodes, const struct bench_demand *demands, int count, char text[1024])
{
    struct bench_environment environment;
    struct bench_schedule schedule;
    struct err err;
    size_t used = 0;
    make_machine(sizes, nodes, &environment);
    assert_int_equal(bench_schedule_init(&environment, demands, count, &schedule, &err), STATUS_OK);
    for (int i = 0; i < schedule.count; i++) {
        const struct bench_placement *placement = &schedule.placements[i];
        used += (size_t)snprintf(text + used, 1024 - used, "%d@%d:", placement->demand, placement->round);
        for (int k = 0; k < placement->node_count; k++)
            used += (size_t)snprintf(text + used, 1024 - used, "%s%d", k ? "," : "", placement->nodes[k]);
        for (int k = 0; k < placement->rank_count; k++)
            used += (size_t)snprintf(text + used, 1024 - used, "%c%d", k ? ',' : '=', placement->ranks[k]);
        used += (size_t)snprintf(text + used, 1024 - used, " ");
    }
    for (int i = 0; i < count; i++) used += (size_t)snprintf(text + used, 1024 - used, "%c", "pnu-"[schedule.fits[i]]);
    bench_schedule_clear(&schedule);
    bench_environment_clear(&environment);
}

static void one_node_runs_one_test_at_a_time(void **state)
{
    (void)state;
    char text[1024];
    const struct bench_demand demands[] = {ASKS(1, 2), ASKS(1, 4), ASKS(2, 2)};
    plan((int[]){4}, 1, demands, 3, text);
    /* The perfect fit first; two nodes are not there. */
    assert_string_equal(text, "1@0:0=0,1,2,3 0@1:0=0,1 np-");
}

/* Two nodes of two ranks run two tests in one round, unless they share cores. */
static void nodes_that_share_cores_run_one_test_at_a_time(void **state)
{
    (void)state;
    const struct bench_demand demands[] = {ASKS(1, 2), ASKS(1, 2)};
    for (int shares = 0; shares < 2; shares++) {
        struct bench_environment environment;
        struct bench_schedule schedule;
        struct err err;
        make_machine((int[]){2, 2}, 2, &environment);
        environment.shares_cores = shares;
        assert_int_equal(bench_schedule_init(&environment, demands, 2, &schedule, &err), STATUS_OK);
        assert_int_equal(schedule.count, 2);
        assert_int_equal(schedule.rounds, 1 + shares);
        bench_schedule_clear(&schedule);
        bench_environment_clear(&environment);
    }
}

/* The seed: 30 ranks on 6 nodes, tests of 2 nodes and 10 ranks. Three at once, each on two whole nodes. */
static void thirty_ranks_on_six_nodes(void **state)
{
    (void)state;
    char text[1024];
    struct bench_demand demands[4];
    for (int i = 0; i < 4; i++) demands[i] = (struct bench_demand)ASKS(2, 10);
    plan((int[]){5, 5, 5, 5, 5, 5}, 6, demands, 4, text);
    assert_string_equal(text, "0@0:0,1=0,1,2,3,4,5,6,7,8,9 1@0:2,3=10,11,12,13,14,15,16,17,18,19 "
                              "2@0:4,5=20,21,22,23,24,25,26,27,28,29 3@1:0,1=0,1,2,3,4,5,6,7,8,9 pppp");
}

/* The first MPI network bench printed eleven tests of 2 nodes and 10 ranks with 1 MiB, for 30 ranks on 6 nodes, in this order.
 * Three fit at once, each on two whole nodes. The documented JSON example is its configuration. */
static void the_example_gives_the_schedule_of_the_first_bench(void **state)
{
    (void)state;
    static const char *const printed[] = {"barrier", "reduceTo0", "sendToRoot", "allreduce", "bcast", "gather",
                                          "scatter", "allgather", "sendRecvRightNeighbour", "sendRecvToRoot", "sendRecvPaired"};
    enum { TESTS = sizeof printed / sizeof *printed };
    struct bench_demand demands[TESTS];
    struct bench_environment environment;
    struct bench_schedule schedule;
    struct bench_config config;
    struct err err;
    if (bench_config_open("examples/network-bench.json", &config, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_int_equal(config.count, TESTS);
    for (int i = 0; i < TESTS; i++) demands[i] = config.jobs[i].demand;
    make_machine((int[]){5, 5, 5, 5, 5, 5}, 6, &environment);
    assert_int_equal(bench_schedule_init(&environment, demands, TESTS, &schedule, &err), STATUS_OK);
    assert_int_equal(schedule.count, TESTS);
    for (int i = 0; i < TESTS; i++) {
        const struct bench_placement *placement = &schedule.placements[i];
        const struct bench_job *job = &config.jobs[placement->demand];
        assert_string_equal(job->spec, printed[i]);
        assert_true(i == 0 || (job->size_count == 1 && job->sizes[0] == 1 << 20)); /* a barrier has no size */
        assert_int_equal(placement->round, i / 3);
        assert_int_equal(placement->node_count, 2);
        assert_int_equal(placement->rank_count, 10);
        for (int k = 0; k < 10; k++) assert_int_equal(placement->ranks[k], i % 3 * 10 + k);
    }
    bench_schedule_clear(&schedule);
    bench_environment_clear(&environment);
    bench_config_clear(&config);
}

/* The seed: 8 ranks on 2 nodes run on two nodes of 5 ranks, two of which are left out. */
static void eight_ranks_on_two_nodes_of_five(void **state)
{
    (void)state;
    char text[1024];
    const struct bench_demand demands[] = {ASKS(2, 8)};
    plan((int[]){5, 5}, 2, demands, 1, text);
    assert_string_equal(text, "0@0:0,1=0,1,2,3,5,6,7,8 n");
}

/* Nodes of 2, 4, 4, 3 ranks. (2, 8) has two nodes of 4; (1, 3) has its own; (1, 2) has its own: all in round 0. The second (1, 2)
 * finds no free node. */
static void perfect_fits_before_near_ones(void **state)
{
    (void)state;
    char text[1024];
    const struct bench_demand demands[] = {ASKS(1, 2), ASKS(1, 3), ASKS(2, 8), ASKS(1, 2)};
    plan((int[]){2, 4, 4, 3}, 4, demands, 4, text);
    assert_string_equal(text, "2@0:1,2=2,3,4,5,6,7,8,9 1@0:3=10,11,12 0@0:0=0,1 3@1:0=0,1 pppp");
}

/* A near fit takes the smallest node that does: (1, 2) takes the node of 3, not that of 8. (1, 8) comes first in its round. */
static void near_fits_take_the_smallest_node(void **state)
{
    (void)state;
    char text[1024];
    const struct bench_demand demands[] = {ASKS(1, 2), ASKS(1, 8)};
    plan((int[]){8, 3}, 2, demands, 2, text);
    assert_string_equal(text, "1@0:0=0,1,2,3,4,5,6,7 0@0:1=8,9 np");
}

/* Nodes of 6 and 2: 8 ranks on two nodes can only be uneven; 4 ranks are even, on the first ranks of each. */
static void uneven_nodes(void **state)
{
    (void)state;
    char text[1024];
    const struct bench_demand demands[] = {ASKS(2, 8), ASKS(2, 4), ASKS(2, 9)};
    plan((int[]){6, 2}, 2, demands, 3, text);
    assert_string_equal(text, "1@0:0,1=0,1,6,7 0@1:0,1=0,1,2,3,4,5,6,7 un-");
}

/* 9 ranks on 2 nodes are shared out as 5 and 4. */
static void odd_numbers_of_ranks(void **state)
{
    (void)state;
    char text[1024];
    const struct bench_demand demands[] = {ASKS(2, 9)};
    plan((int[]){4, 5}, 2, demands, 1, text);
    assert_string_equal(text, "0@0:0,1=0,1,2,3,4,5,6,7,8 p");
}

/* Too many ranks, too many nodes, more nodes than ranks; the others run. */
static void too_large_tests_are_left_out(void **state)
{
    (void)state;
    char text[1024];
    const struct bench_demand demands[] = {ASKS(1, 5), ASKS(3, 3), ASKS(2, 1), ASKS(2, 2)};
    plan((int[]){4, 4}, 2, demands, 4, text);
    assert_string_equal(text, "3@0:0,1=0,4 ---n");
}

/* Ranks dealt to the nodes in turn: node 0 has 0, 2, 4, node 1 has 1, 3. */
static void ranks_dealt_in_turn(void **state)
{
    (void)state;
    char hosts[5][BENCH_HOST_BYTES] = {"a", "b", "a", "b", "a"};
    struct bench_environment environment;
    struct err err;
    assert_int_equal(bench_environment_init((const char(*)[BENCH_HOST_BYTES])hosts, 5, &environment, &err), STATUS_OK);
    assert_int_equal(environment.node_count, 2);
    assert_string_equal(environment.nodes[1].host, "b");
    assert_int_equal(environment.nodes[0].rank_count, 3);
    assert_memory_equal(environment.nodes[0].ranks, ((int[]){0, 2, 4}), 3 * sizeof(int));
    assert_memory_equal(environment.nodes[1].ranks, ((int[]){1, 3}), 2 * sizeof(int));
    bench_environment_clear(&environment);
}

/* Whatever is asked: in a round no node is used twice, every test that fits somewhere is placed once, with the ranks
 * asked for. */
static void any_plan_is_sound(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int trial = 0; trial < 500; trial++) {
        int sizes[8], nodes = 1 + trial % 8, used[200][8] = {{0}}, placed[20] = {0};
        struct bench_demand demands[20] = {ASKS(0, 0)};
        struct bench_environment environment;
        struct bench_schedule schedule;
        struct err err;
        for (int i = 0; i < nodes; i++) sizes[i] = 1 + (int)((seed = seed * 1664525 + 1013904223) >> 28) % 6;
        for (int i = 0; i < 20; i++) {
            demands[i].nodes = 1 + (int)((seed = seed * 1664525 + 1013904223) >> 28) % 5;
            demands[i].ranks = 1 + (int)((seed = seed * 1664525 + 1013904223) >> 27) % 20;
        }
        make_machine(sizes, nodes, &environment);
        assert_int_equal(bench_schedule_init(&environment, demands, 20, &schedule, &err), STATUS_OK);
        for (int i = 0; i < schedule.count; i++) {
            const struct bench_placement *placement = &schedule.placements[i];
            placed[placement->demand]++;
            assert_int_equal(placement->node_count, demands[placement->demand].nodes);
            assert_int_equal(placement->rank_count, demands[placement->demand].ranks);
            for (int k = 0; k < placement->node_count; k++) assert_int_equal(used[placement->round][placement->nodes[k]]++, 0);
        }
        for (int i = 0; i < 20; i++) assert_int_equal(placed[i], schedule.fits[i] != BENCH_FIT_NONE);
        bench_schedule_clear(&schedule);
        bench_environment_clear(&environment);
    }
}

/* Three nodes of 2, 1 and 1 ranks: 1 -> 2 is perfect and comes first, then, of what is left, 0 -> 1, which has an idle
 * rank; back is the first rank of the second node first. */
static void fixed_pairs_are_where_they_are_asked_for(void **state)
{
    (void)state;
    char text[1024];
    const struct bench_demand demands[] = {
        {2, 2, true, {0, 1}}, {2, 2, true, {1, 2}}, {2, 2, true, {2, 1}}, {2, 2, true, {1, 3}}, {1, 2, false, {0, 0}}};
    plan((int[]){2, 1, 1}, 3, demands, 5, text);
    assert_string_equal(text, "1@0:1,2=2,3 4@0:0=0,1 2@1:2,1=3,2 0@2:0,1=0,2 npp-p");
}

/* What a machine has instead of what is asked for, in words. */
static void the_machine_is_the_reason(void **state)
{
    (void)state;
    static const struct {
        int sizes[4], nodes;
        struct bench_demand demand;
        const char *asked, *text;
    } rows[] = {
        {{2}, 1, ASKS(2, 2), "2 ranks on 2 nodes", "2 ranks on 1 node"},
        {{1}, 1, ASKS(1, 2), "2 ranks on 1 node", "1 rank on 1 node"},
        {{1, 2}, 2, ASKS(1, 4), "4 ranks on 1 node", "3 ranks on 2 nodes"},
        {{1, 2, 1}, 3, ASKS(1, 3), "3 ranks on 1 node", "4 ranks on 3 nodes, 2 of them on the largest"},
        {{1, 2, 1, 2}, 4, ASKS(2, 5), "5 ranks on 2 nodes", "6 ranks on 4 nodes, 4 of them on the 2 largest"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench_environment environment;
        char asked[BENCH_DEMAND_BYTES], text[BENCH_MACHINE_BYTES], fit[1024];
        plan(rows[i].sizes, rows[i].nodes, &rows[i].demand, 1, fit);
        assert_string_equal(fit, "-");
        make_machine(rows[i].sizes, rows[i].nodes, &environment);
        assert_string_equal(bench_demand_text(rows[i].demand.nodes, rows[i].demand.ranks, asked), rows[i].asked);
        assert_string_equal(bench_machine_text(&environment, &rows[i].demand, text), rows[i].text);
        bench_environment_clear(&environment);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_node_runs_one_test_at_a_time), cmocka_unit_test(thirty_ranks_on_six_nodes),
        cmocka_unit_test(nodes_that_share_cores_run_one_test_at_a_time),
        cmocka_unit_test(the_example_gives_the_schedule_of_the_first_bench),
        cmocka_unit_test(eight_ranks_on_two_nodes_of_five), cmocka_unit_test(perfect_fits_before_near_ones),
        cmocka_unit_test(near_fits_take_the_smallest_node), cmocka_unit_test(uneven_nodes),
        cmocka_unit_test(odd_numbers_of_ranks),             cmocka_unit_test(too_large_tests_are_left_out),
        cmocka_unit_test(fixed_pairs_are_where_they_are_asked_for),
        cmocka_unit_test(the_machine_is_the_reason),
        cmocka_unit_test(ranks_dealt_in_turn),              cmocka_unit_test(any_plan_is_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
