/* Which nodes need a route to each other on a user's platform of two million nodes: their square would not fit into any
 * memory, the pairs that are used do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "simulate/replay/core.h"
#include "simulate/replay/driver.h"
#include "verify_test.h"

enum { NODES = 2000000 };

static void expect_pairs(struct trace *trace, int32_t *rank_nodes, const int32_t (*expected)[2], size_t count)
{
    struct platform *described = test_platform("a", NULL), platform = *described;
    char file[] = "platform.xml";
    platform.simgrid_xml = file;
    platform.node_count = NODES;
    platform.rank_nodes = rank_nodes;
    struct err err;
    struct core core = {.replay = {.trace = trace, .platform = &platform, .err = &err}};
    replay_use_drivers(&core.replay);
    int32_t(*pairs)[2];
    size_t found;
    if (replay_used_pairs(&core.replay, &pairs, &found) != STATUS_OK) fail_msg("%s", err.text);
    assert_int_equal(found, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(pairs[i][0], expected[i][0]);
        assert_int_equal(pairs[i][1], expected[i][1]);
    }
    free(pairs);
    platform_free(described);
    trace_free(trace);
}

static void operations_and_messages_need_their_own_pair(void **state)
{
    (void)state;
    struct trace *trace = test_trace(5, 1);
    int32_t nodes[] = {3, NODES - 1, 0, 1000000, 3};
    test_call(trace, 0, ID_Put, 0, 0)->peer = 1;
    test_call(trace, 2, ID_Send, 0, 0)->peer = 3;
    test_call(trace, 3, ID_Recv, 0, 0)->peer = 2;
    test_call(trace, 4, ID_Recv, 0, 0)->peer = 0; /* on one node */
    const int32_t expected[][2] = {{0, 1000000}, {3, NODES - 1}, {1000000, 0}, {NODES - 1, 3}};
    expect_pairs(trace, nodes, expected, 4);
}

/* The tree of MPI_Bcast among 8 from 0: 0 to 4, 2, 1; 4 to 6, 5; 2 to 3; 6 to 7. Called twice. */
static void a_collective_needs_the_pairs_of_its_algorithm(void **state)
{
    (void)state;
    struct trace *trace = test_trace(8, 1);
    int32_t nodes[] = {0, 10, 20, 30, 40, 50, 60, NODES - 1};
    for (uint32_t rank = 0; rank < 8; rank++)
        for (int i = 0; i < 2; i++) {
            struct trace_call *call = test_call(trace, rank, ID_Bcast, i, i);
            call->peer = 0;
            call->bytes = 8;
        }
    const int32_t expected[][2] = {{0, 10},  {0, 20},  {0, 40},  {10, 0},         {20, 0},  {20, 30}, {30, 20},
                                   {40, 0},  {40, 50}, {40, 60}, {50, 40},        {60, 40}, {60, NODES - 1},
                                   {NODES - 1, 60}};
    expect_pairs(trace, nodes, expected, 14);
}

/* Dissemination among 6: to the ranks 1, 2 and 4 further on, from those before; each lacks the one that is 3 away. */
static void a_fence_needs_the_pairs_of_its_barrier(void **state)
{
    (void)state;
    struct trace *trace = test_trace(6, 1);
    int32_t nodes[] = {0, 1, 2, 3, 4, 5}, expected[24][2];
    size_t count = 0;
    for (uint32_t rank = 0; rank < 6; rank++) test_call(trace, rank, ID_Win_fence, 0, 0);
    for (int32_t i = 0; i < 6; i++)
        for (int32_t k = 0; k < 6; k++) {
            if (i == k || abs(i - k) == 3) continue;
            expected[count][0] = i;
            expected[count++][1] = k;
        }
    assert_int_equal(count, 24);
    expect_pairs(trace, nodes, (const int32_t(*)[2])expected, count);
}

/* Two groups, ranks 0 to 2 and rank 3. MPI_Bcast from 0 needs 0 and 3. MPI_Comm_dup needs them, too; it reduces among 0 to 2 (0
 * and 1, 1 and 2), and broadcasts there, which needs 0 and 2 though the broadcast of both groups before had the same root. */
static void the_plans_of_two_groups_differ(void **state)
{
    (void)state;
    static const int32_t members[] = {0, 1, 2, 3};
    struct trace *trace = test_trace(4, 1);
    int32_t nodes[] = {0, 1, 2, 3}, comm;
    struct err err;
    assert_int_equal(trace_add_comm(trace, members, 4, &comm, &err), STATUS_OK);
    trace->definitions.comms[comm].first_group = 3;
    for (uint32_t rank = 0; rank < 4; rank++) {
        struct trace_call *call = test_call(trace, rank, ID_Bcast, 0, 0);
        call->handle = comm;
        call->peer = 0;
        call->bytes = 8;
        call = test_call(trace, rank, ID_Comm_dup, 1, 1);
        call->handle = comm;
        call->comm.newcomm = TRACE_NO_REF;
    }
    const int32_t expected[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 2}, {2, 0}, {2, 1}, {3, 0}};
    expect_pairs(trace, nodes, expected, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_and_messages_need_their_own_pair),
        cmocka_unit_test(a_collective_needs_the_pairs_of_its_algorithm),
        cmocka_unit_test(a_fence_needs_the_pairs_of_its_barrier),
        cmocka_unit_test(the_plans_of_two_groups_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
