/* What the recorder says of real programs against what their sources (tests/record/programs) do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "run.h"
#include "simulate/replay/replay.h"
#include "simulate/tasks/queues.h"

enum { NONE = TRACE_NONE };

static void expect_whole(const struct trace *trace)
{
    assert_int_equal(trace->rank_count, 4);
    assert_int_equal(trace->provenance.clock.violations, 0);
    for (uint32_t i = 0; i < 4; i++) assert_false(trace->ranks[i].incomplete);
}

static void expect_site(const struct trace *trace, const struct trace_call *call, const char *function,
                        const char *file)
{
    const struct trace_site *site = &trace->definitions.sites[call->site];
    assert_non_null(site->function);
    assert_string_equal(site->function, function);
    assert_non_null(site->file);
    assert_string_equal(strrchr(site->file, '/') + 1, file);
    assert_true(site->line > 0);
}

static int sorted_pair(int a, int b, int32_t pair[2])
{
    pair[0] = a < b ? a : b;
    pair[1] = a < b ? b : a;
    return 2;
}

static void pscw_halo(void **state)
{
    (void)state;
    struct trace *trace = run_recorded("", "pscw_halo", 0);
    expect_whole(trace);
    assert_int_equal(trace->definitions.window_count, 1);
    for (int rank = 0; rank < 4; rank++) {
        struct walk walk = walk_begin(trace, (uint32_t)rank);
        int left = (rank + 3) % 4, right = (rank + 1) % 4;
        int32_t both[2];
        sorted_pair(left, right, both);
        walk_plain(&walk, "MPI_Init", NONE);
        walk_plain(&walk, "MPI_Comm_group", 0);
        walk_plain(&walk, "MPI_Group_incl", NONE);
        expect_site(trace, walk_plain(&walk, "MPI_Win_allocate", 0), "main", "pscw_halo.c");
        walk_plain(&walk, "MPI_Win_set_name", 0);
        for (int i = 0; i < 5; i++) {
            expect_group(trace, walk_plain(&walk, "MPI_Win_post", 0), 2, both);
            expect_group(trace, walk_plain(&walk, "MPI_Win_start", 0), 2, both);
            walk_call(&walk, "MPI_Put", 0, left, 0, 512, 512);
            walk_call(&walk, "MPI_Put", 0, right, 0, 512, 0);
            walk_plain(&walk, "MPI_Win_complete", 0);
            walk_plain(&walk, "MPI_Win_wait", 0);
        }
        walk_plain(&walk, "MPI_Group_free", NONE);
        walk_plain(&walk, "MPI_Group_free", NONE);
        walk_plain(&walk, "MPI_Win_free", 0);
        walk_plain(&walk, "MPI_Finalize", NONE);
        walk_end(&walk);
        assert_int_equal(trace->definitions.windows[0].bytes[rank], 1024);
        assert_int_equal(trace->definitions.windows[0].disp_unit[rank], 1);
    }
    assert_string_equal(trace->definitions.windows[0].name, "halo of 512");
    assert_int_equal(trace->definitions.group_count, 2); /* {1,3} for ranks 0 and 2, {0,2} for ranks 1 and 3 */
    trace_free(trace);
}

/* Computing between the calls is at least what the program sleeps: 1 ms + rank ms, from wait's exit to the next post.
 */
static void computing_is_outside_calls(void **state)
{
    (void)state;
    struct trace *trace = run_recorded("", "pscw_halo", 0);
    assert_true(trace->provenance.clock.known && trace->provenance.clock.worst_error_s == 0);
    for (uint32_t rank = 0; rank < 4; rank++)
        for (size_t i = 1; i < trace->ranks[rank].count; i++) {
            const struct trace_call *call = &trace->ranks[rank].calls[i];
            if (call->call != ID_Win_post) continue;
            assert_true(call->enter_ps - call[-1].exit_ps >= (1 + (int64_t)rank) * INT64_C(1000000000));
        }
    trace_free(trace);
}

static void offsets_are_measured_on_request(void **state)
{
    (void)state;
    struct trace *trace = run_recorded("RMACAST_CLOCK=pingpong", "locks", 0);
    assert_true(trace->provenance.clock.known && trace->provenance.clock.worst_error_s > 0);
    for (uint32_t rank = 0; rank < 4; rank++) assert_false(trace->ranks[rank].incomplete);
    trace_free(trace);
}

static void fence_rma(void **state)
{
    (void)state;
    struct trace *trace = run_recorded("", "fence_rma", 0);
    expect_whole(trace);
    for (int rank = 0; rank < 4; rank++) {
        struct walk walk = walk_begin(trace, (uint32_t)rank);
        int right = (rank + 1) % 4;
        walk_plain(&walk, "MPI_Init", NONE);
        walk_plain(&walk, "MPI_Win_create", 0);
        assert_int_equal(walk_plain(&walk, "MPI_Win_fence", 0)->flags, TRACE_NOPRECEDE);
        walk_call(&walk, "MPI_Put", 0, right, 0, 16, 16);
        walk_call(&walk, "MPI_Accumulate", 0, right, trace_op_by_name("SUM"), 24, 80);
        assert_int_equal(walk_plain(&walk, "MPI_Win_fence", 0)->flags, 0);
        walk_call(&walk, "MPI_Get", 0, right, 0, 16, 88);
        walk_call(&walk, "MPI_Put", 0, NONE, 0, 0, -1); /* to MPI_PROC_NULL nothing moves */
        assert_int_equal(walk_plain(&walk, "MPI_Win_fence", 0)->flags, TRACE_NOSTORE | TRACE_NOSUCCEED);
        walk_plain(&walk, "MPI_Win_free", 0);
        walk_plain(&walk, "MPI_Finalize", NONE);
        walk_end(&walk);
    }
    assert_int_equal(trace->definitions.windows[0].flavor, 'c');
    assert_int_equal(trace->definitions.windows[0].disp_unit[3], 8);
    trace_free(trace);
}

static void locks(void **state)
{
    (void)state;
    struct trace *trace = run_recorded("", "locks", 0);
    expect_whole(trace);
    for (int rank = 0; rank < 4; rank++) {
        struct walk walk = walk_begin(trace, (uint32_t)rank);
        walk_plain(&walk, "MPI_Init", NONE);
        walk_plain(&walk, "MPI_Win_allocate", 0);
        if (rank > 0) {
            assert_int_equal(walk_call(&walk, "MPI_Win_lock", 0, 0, 0, 0, 0)->flags, TRACE_EXCLUSIVE);
            walk_call(&walk, "MPI_Put", 0, 0, 0, 8, 8 * rank);
            walk_call(&walk, "MPI_Win_unlock", 0, 0, 0, 0, 0);
            assert_int_equal(walk_call(&walk, "MPI_Win_lock", 0, 0, 0, 0, 0)->flags, 0);
            walk_call(&walk, "MPI_Get", 0, 0, 0, 8, 8 * rank);
            walk_call(&walk, "MPI_Win_unlock", 0, 0, 0, 0, 0);
        }
        walk_plain(&walk, "MPI_Win_free", 0);
        walk_plain(&walk, "MPI_Finalize", NONE);
        walk_end(&walk);
    }
    trace_free(trace);
}

static void expect_list(const struct trace *trace, const struct trace_call *call, uint32_t count,
                        const uint32_t *requests)
{
    assert_true(call->ref < trace->definitions.list_count);
    const struct trace_list *list = &trace->definitions.lists[call->ref];
    assert_int_equal(list->count, count);
    assert_memory_equal(&trace->definitions.requests[list->first], requests, count * sizeof *requests);
}

static void expect_sender(const struct trace *trace, struct walk *walk)
{
    static const char *const blocking[] = {"MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Rsend"};
    static const char *const started[] = {"MPI_Isend", "MPI_Issend", "MPI_Ibsend", "MPI_Irsend"};
    walk_plain(walk, "MPI_Buffer_attach", NONE);
    walk_plain(walk, "MPI_Barrier", 0);
    for (int i = 0; i < 4; i++) walk_call(walk, blocking[i], 0, 1, 1 + i, 100 + 100 * i, 0);
    for (int i = 0; i < 4; i++) assert_int_equal(walk_call(walk, started[i], 0, 1, 5 + i, 500 + 100 * i, 0)->ref, i);
    expect_list(trace, walk_plain(walk, "MPI_Waitall", NONE), 4, (const uint32_t[]){0, 1, 2, 3});
    assert_int_equal(walk_call(walk, "MPI_Isend", 0, NONE, 9, 0, 0)->ref, 4);
    assert_int_equal(walk_plain(walk, "MPI_Wait", NONE)->ref, 4);
    walk_plain(walk, "MPI_Buffer_detach", NONE);
}

/* Receives say what arrived, not what was asked for: sender, tag and bytes of the sends above. */
static void expect_receiver(const struct trace *trace, struct walk *walk)
{
    assert_int_equal(walk_call(walk, "MPI_Irecv", 0, 0, 4, 400, 0)->ref, 0);
    assert_int_equal(walk_call(walk, "MPI_Irecv", 0, 0, 8, 800, 0)->ref, 1);
    walk_plain(walk, "MPI_Barrier", 0);
    for (int i = 0; i < 3; i++) walk_call(walk, "MPI_Recv", 0, 0, 1 + i, 100 + 100 * i, 0);
    assert_int_equal(walk_plain(walk, "MPI_Wait", NONE)->ref, 0);
    assert_int_equal(walk_call(walk, "MPI_Irecv", 0, 0, 5, 500, 0)->ref, 2);
    assert_int_equal(walk_call(walk, "MPI_Irecv", 0, 0, 6, 600, 0)->ref, 3);
    expect_list(trace, walk_plain(walk, "MPI_Waitall", NONE), 2, (const uint32_t[]){2, 3});
    assert_int_equal(walk_call(walk, "MPI_Irecv", 0, 0, 7, 700, 0)->ref, 4);
    const struct trace_call *test;
    do {
        test = walk_plain(walk, "MPI_Test", NONE);
        assert_int_equal(test->ref, 4);
    } while (!(test->flags & TRACE_FLAG));
    do {
        test = walk_plain(walk, "MPI_Request_get_status", NONE);
        assert_int_equal(test->ref, 1);
    } while (!(test->flags & TRACE_FLAG));
    expect_list(trace, walk_plain(walk, "MPI_Waitall", NONE), 1, (const uint32_t[]){1});
}

static void messages(void **state)
{
    (void)state;
    struct trace *trace = run_recorded("", "messages", 0);
    expect_whole(trace);
    assert_int_equal(trace->definitions.region_count, 1);
    assert_string_equal(trace->definitions.regions[0], "collect");
    for (uint32_t rank = 0; rank < 4; rank++) {
        struct walk walk = walk_begin(trace, rank);
        walk_plain(&walk, "MPI_Init_thread", NONE);
        if (rank == 0)
            expect_sender(trace, &walk);
        else if (rank == 1)
            expect_receiver(trace, &walk);
        else
            walk_plain(&walk, "MPI_Barrier", 0);
        walk_plain(&walk, "enter", NONE);
        walk_call(&walk, "MPI_Bcast", 0, 1, 0, 24, 0);
        walk_call(&walk, "MPI_Reduce", 0, 0, trace_op_by_name("SUM"), 32, 0);
        walk_call(&walk, "MPI_Allreduce", 0, NONE, trace_op_by_name("MAX"), 4, 0);
        walk_call(&walk, "MPI_Gather", 0, 2, 0, 16, 0);
        walk_call(&walk, "MPI_Scatter", 0, 3, 0, 8, 0);
        walk_call(&walk, "MPI_Allgather", 0, NONE, 0, 24, 0);
        walk_call(&walk, "MPI_Alltoall", 0, NONE, 0, 32, 0);
        walk_plain(&walk, "leave", NONE);
        walk_plain(&walk, "MPI_Pcontrol", NONE);
        walk_plain(&walk, "MPI_Finalize", NONE);
        walk_end(&walk);
    }
    trace_free(trace);
}

static void expect_comm(const struct trace *trace, int32_t id, uint32_t count, const int32_t *members)
{
    assert_true(id >= 0 && (size_t)id < trace->definitions.comm_count);
    assert_int_equal(trace->definitions.comms[id].count, count);
    assert_memory_equal(trace->definitions.comms[id].members, members, count * sizeof *members);
}

/* Exposures of groups.c in order: target, origins; the origins' start names the target alone. */
static const struct {
    int32_t target;
    uint32_t count;
    int32_t origins[3];
} exposures[] = {{2, 2, {1, 3}}, {2, 3, {0, 1, 3}}, {3, 3, {0, 1, 2}}, {2, 2, {1, 3}}, {1, 2, {0, 2}}};

static void expect_exposures(const struct trace *trace, struct walk *walk, int32_t window)
{
    for (size_t i = 0; i < sizeof exposures / sizeof *exposures; i++) {
        int32_t rank = (int32_t)walk->rank, target = exposures[i].target;
        bool origin = false;
        for (uint32_t k = 0; k < exposures[i].count; k++) origin = origin || exposures[i].origins[k] == rank;
        if (i == 3) walk_plain(walk, "MPI_Group_incl", NONE);
        if (i == 4) {
            walk_plain(walk, "MPI_Group_free", NONE);
            walk_plain(walk, "MPI_Group_incl", NONE);
        }
        if (rank == target)
            expect_group(trace, walk_plain(walk, "MPI_Win_post", window), exposures[i].count, exposures[i].origins);
        if (origin) {
            expect_group(trace, walk_plain(walk, "MPI_Win_start", window), 1, &target);
            walk_call(walk, "MPI_Put", window, target, 0, 4, 4);
            walk_plain(walk, "MPI_Win_complete", window);
        }
        if (rank == target) walk_plain(walk, "MPI_Win_wait", window);
    }
}

static void groups(void **state)
{
    (void)state;
    static const char *const made[] = {"MPI_Group_incl",       "MPI_Group_excl",  "MPI_Group_range_incl",
                                       "MPI_Group_range_excl", "MPI_Group_union", "MPI_Group_intersection",
                                       "MPI_Group_difference", "MPI_Group_incl"};
    static const int32_t reversed[] = {3, 2, 1, 0};
    struct trace *trace = run_recorded("", "groups", 0);
    expect_whole(trace);
    assert_int_equal(trace->definitions.comm_count, 6); /* world, reversed, two pairs, copy, twin */
    assert_int_equal(trace->definitions.window_count, 1);
    int32_t window_comm = trace->definitions.windows[0].comm;
    for (int32_t rank = 0; rank < 4; rank++) {
        struct walk walk = walk_begin(trace, (uint32_t)rank);
        walk_plain(&walk, "MPI_Init", NONE);
        int32_t split = (int32_t)walk_plain(&walk, "MPI_Comm_split", 0)->ref;
        expect_comm(trace, split, 4, reversed);
        int32_t pair = (int32_t)walk_plain(&walk, "MPI_Comm_split", 0)->ref;
        expect_comm(trace, pair, 2, (const int32_t[]){rank % 2, rank % 2 + 2});
        int32_t copy = (int32_t)walk_plain(&walk, "MPI_Comm_dup", split)->ref;
        expect_comm(trace, copy, 4, reversed);
        assert_int_equal(copy, window_comm);
        assert_int_not_equal(copy, split);
        walk_plain(&walk, "MPI_Win_allocate", 0);
        walk_plain(&walk, "MPI_Comm_group", 0);
        walk_plain(&walk, "MPI_Win_get_group", 0);
        for (size_t i = 0; i < sizeof made / sizeof *made; i++) walk_plain(&walk, made[i], NONE);
        expect_exposures(trace, &walk, 0);
        uint32_t twin = walk_plain(&walk, "MPI_Comm_split", 0)->ref;
        if (rank == 0) {
            assert_int_equal(twin, TRACE_NO_REF);
        } else {
            expect_comm(trace, (int32_t)twin, 3, (const int32_t[]){1, 2, 3});
            walk_call(&walk, "MPI_Allreduce", (int32_t)twin, NONE, trace_op_by_name("SUM"), 4, 0);
            walk_plain(&walk, "MPI_Comm_free", (int32_t)twin);
        }
        walk_call(&walk, "MPI_Bcast", pair, rank % 2 + 2, 0, 4, 0); /* rank 1 of {0,2} is 2, of {1,3} is 3 */
        walk_plain(&walk, "MPI_Win_free", 0);
        walk_plain(&walk, "MPI_Comm_free", copy);
        walk_plain(&walk, "MPI_Comm_free", pair);
        walk_plain(&walk, "MPI_Comm_free", split);
        for (int i = 0; i < 11; i++) walk_plain(&walk, "MPI_Group_free", NONE);
        walk_plain(&walk, "MPI_Finalize", NONE);
        walk_end(&walk);
    }
    trace_free(trace);
}

/* Both queues are found, and a replay decides again who makes which task: each call is made once. */
static void tasks(void **state)
{
    (void)state;
    struct trace *trace = run_recorded("", "tasks", 0);
    struct task_queues queues;
    struct platform *platform;
    struct replay_outcome outcome;
    const struct replay_options options = {.engine = engine_by_name("loggp"), .keep_trace = true};
    assert_int_equal(task_queues_find(trace, &queues, NULL), STATUS_OK);
    assert_int_equal(queues.item_count, 2);
    for (int q = 0; q < 2; q++) {
        assert_string_equal(queues.items[q].why, "");
        assert_int_equal(queues.items[q].tasks, 12);
        assert_int_equal(queues.items[q].ranks, 3);
        assert_int_equal(queues.claims[queues.items[q].first].locked, q == 1);
    }
    task_queues_clear(&queues);
    assert_int_equal(platform_open("ideal", NULL, 0, &platform, NULL), STATUS_OK);
    assert_int_equal(replay_run(trace, platform, &options, &outcome, NULL), STATUS_OK);
    assert_non_null(outcome.decided);
    assert_int_equal(trace_all_calls(outcome.trace), trace_all_calls(trace));
    replay_outcome_clear(&outcome);
    platform_free(platform);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pscw_halo),
        cmocka_unit_test(computing_is_outside_calls),
        cmocka_unit_test(offsets_are_measured_on_request),
        cmocka_unit_test(fence_rma),
        cmocka_unit_test(locks),
        cmocka_unit_test(messages),
        cmocka_unit_test(groups),
        cmocka_unit_test(tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
