/* Traces in memory: definitions, ranks of communicators and groups, order of time, faults that no text can bring. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/generate/generate.h"
#include "trace_test.h"

static struct trace *new_trace(uint32_t ranks)
{
    struct trace *trace;
    struct err err;
    if (trace_new("t", ranks, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    return trace;
}

static struct trace_call plain(enum mpi_call call, int64_t enter_ps, int64_t exit_ps)
{
    return (struct trace_call){.call = (uint16_t)call,
                               .enter_ps = enter_ps,
                               .exit_ps = exit_ps,
                               .any = TRACE_NO_MEMBERS,
                               .handle = TRACE_NONE,
                               .peer = TRACE_NONE};
}

static void a_new_trace_holds_the_world(void **state)
{
    (void)state;
    struct trace *trace = new_trace(3);
    assert_int_equal(trace->definitions.comm_count, 1);
    assert_int_equal(trace->definitions.comms[0].count, 3);
    assert_int_equal(trace->definitions.comms[0].members[2], 2);
    assert_int_equal(trace->definitions.site_count, 1);
    assert_null(trace->definitions.sites[TRACE_NO_SITE].file);
    assert_int_equal(trace_begin_ps(trace), 0);
    assert_int_equal(trace_rank_end_ps(trace, 1), 0);
    trace_free(trace);
    trace_free(NULL);
}

static void equal_groups_are_one(void **state)
{
    (void)state;
    struct trace *trace = new_trace(9);
    struct err err;
    uint32_t one, two, empty, again, other, twice, copy;
    assert_int_equal(trace_add_group(trace, (int32_t[]){5, 1, 3}, 3, &one, &err), STATUS_OK);
    assert_int_equal(trace_add_group(trace, (int32_t[]){1, 3, 5}, 3, &two, &err), STATUS_OK);
    assert_int_equal(trace_add_group(trace, NULL, 0, &empty, &err), STATUS_OK);
    assert_int_equal(trace_add_group(trace, (int32_t[]){0}, 0, &again, &err), STATUS_OK);
    assert_int_equal(trace_add_group(trace, (int32_t[]){1, 3}, 2, &other, &err), STATUS_OK);
    assert_int_equal(one, two);
    assert_int_equal(empty, again);
    assert_int_not_equal(one, other);
    /* one that names a rank twice has the same members, and says so */
    assert_int_equal(trace_add_group(trace, (int32_t[]){5, 1, 3, 1}, 4, &twice, &err), STATUS_OK);
    assert_int_equal(trace_copy_group(trace, &trace->definitions.groups[twice], &copy, &err), STATUS_OK);
    assert_int_not_equal(twice, one);
    assert_int_equal(copy, twice);
    assert_int_equal(trace->definitions.groups[twice].count, 3);
    assert_true(trace->definitions.groups[twice].repeats && !trace->definitions.groups[one].repeats);
    assert_int_equal(trace->definitions.group_count, 4);
    const struct trace_group *group = &trace->definitions.groups[one];
    assert_int_equal(group->count, 3);
    assert_int_equal(trace_group_rank(group, 3), 1);
    assert_int_equal(trace_group_rank(group, 5), 2);
    assert_int_equal(trace_group_rank(group, 2), TRACE_NONE);
    assert_int_equal(trace_group_rank(&trace->definitions.groups[empty], 0), TRACE_NONE);
    trace_free(trace);
}

/* Many groups, so that the index grows and hashes meet. */
/* Of two members, two lists that differ in one number, and one that is the first again; a copy has them too. */
static void equal_counts_are_one(void **state)
{
    (void)state;
    static const int64_t one[] = {1, INT64_C(1) << 40}, two[] = {1, 2}, shorter[] = {1};
    struct trace *trace = new_trace(2), *like;
    uint32_t first, second, third, fourth;
    struct err err;
    assert_int_equal(trace_add_counts(trace, one, 2, &first, &err), STATUS_OK);
    assert_int_equal(trace_add_counts(trace, two, 2, &second, &err), STATUS_OK);
    assert_int_equal(trace_add_counts(trace, one, 2, &third, &err), STATUS_OK);
    assert_int_equal(trace_add_counts(trace, shorter, 1, &fourth, &err), STATUS_OK);
    assert_int_equal(first, third);
    assert_int_not_equal(first, second);
    assert_int_equal(trace->definitions.counts_count, 3);
    assert_int_equal(trace_new_like(trace, &like, &err), STATUS_OK);
    struct trace_call call = plain(ID_Alltoallv, 0, 0);
    call.handle = 0;
    assert_null(trace_call_counts(like, &call));
    call.collective.counts = first;
    assert_int_equal(trace_call_counts(like, &call)[1], INT64_C(1) << 40);
    call.collective.counts = fourth;
    assert_int_equal(trace_add_call(trace, 0, &call, &err), STATUS_OK);
    assert_int_equal(trace_check(trace, &err), STATUS_DATA);
    assert_string_equal(
        err.text, "t:rank 0, event 1 (MPI_Alltoallv) at 0.000000 s: 1 counts, expected one for each of the 2 members");
    trace_free(like);
    trace_free(trace);
}

static void many_groups_keep_their_ids(void **state)
{
    (void)state;
    enum { GROUPS = 5000 };
    struct trace *trace = new_trace(2);
    struct err err;
    for (int round = 0; round < 2; round++)
        for (int32_t i = 0; i < GROUPS; i++) {
            uint32_t id;
            assert_int_equal(trace_add_group(trace, (int32_t[]){i, i + 7}, 2, &id, &err), STATUS_OK);
            assert_int_equal(id, i);
        }
    assert_int_equal(trace->definitions.group_count, GROUPS);
    trace_free(trace);
}

static void ranks_of_a_communicator_follow_its_order(void **state)
{
    (void)state;
    struct trace *trace = new_trace(8);
    struct err err;
    int32_t mixed, rising;
    assert_int_equal(trace_add_comm(trace, (int32_t[]){6, 1, 4, 0}, 4, &mixed, &err), STATUS_OK);
    assert_int_equal(trace_add_comm(trace, (int32_t[]){2, 3, 7}, 3, &rising, &err), STATUS_OK);
    static const int32_t expected[2][8] = {{3, 1, -1, -1, 2, -1, 0, -1}, {-1, -1, 0, 1, -1, -1, -1, 2}};
    for (int32_t i = 0; i < 8; i++) {
        assert_int_equal(trace_comm_rank(&trace->definitions.comms[0], i), i);
        assert_int_equal(trace_comm_rank(&trace->definitions.comms[mixed], i), expected[0][i]);
        assert_int_equal(trace_comm_rank(&trace->definitions.comms[rising], i), expected[1][i]);
    }
    assert_int_equal(trace_comm_rank(&trace->definitions.comms[0], TRACE_NONE), TRACE_NONE);
    assert_int_equal(trace_comm_rank(&trace->definitions.comms[0], 8), TRACE_NONE);
    trace_free(trace);
}

static void regions_and_sites_are_one_each(void **state)
{
    (void)state;
    struct trace *trace = new_trace(1);
    struct err err;
    uint32_t a, b, c, none;
    assert_int_equal(trace_add_region(trace, "main", &a, &err), STATUS_OK);
    assert_int_equal(trace_add_region(trace, "loop", &b, &err), STATUS_OK);
    assert_int_equal(trace_add_region(trace, "main", &c, &err), STATUS_OK);
    assert_int_equal(a, c);
    assert_int_not_equal(a, b);
    assert_int_equal(trace_add_site(trace, "main", "a.c", 3, &a, &err), STATUS_OK);
    assert_int_equal(trace_add_site(trace, "main", "a.c", 4, &b, &err), STATUS_OK);
    assert_int_equal(trace_add_site(trace, "main", "a.c", 3, &c, &err), STATUS_OK);
    assert_int_equal(trace_add_site(trace, NULL, NULL, 0, &none, &err), STATUS_OK);
    assert_int_equal(a, c);
    assert_int_not_equal(a, b);
    assert_int_equal(none, TRACE_NO_SITE);
    assert_int_equal(trace_add_site(trace, NULL, "main", 3, &b, &err), STATUS_OK);
    assert_int_not_equal(a, b);
    trace_free(trace);
}

static void time_does_not_run_backwards(void **state)
{
    (void)state;
    struct trace *trace = new_trace(2);
    struct err err;
    struct trace_call first = plain(ID_Init, 5, 9), touching = plain(ID_Finalize, 9, 9),
                      inside = plain(ID_Finalize, 8, 20), reversed = plain(ID_Finalize, 20, 19),
                      other = plain(ID_Init, 2, 3);
    assert_int_equal(trace_add_call(trace, 0, &first, &err), STATUS_OK);
    assert_int_equal(trace_add_call(trace, 0, &inside, &err), STATUS_DATA);
    assert_string_equal(err.text, "t:rank 0, event 2 (MPI_Finalize) at 0.000000000008 s: time runs backwards: enter at "
                                  "0.000000000008 s, expected no "
                                  "earlier than the exit of the call before at 0.000000000009 s");
    assert_int_equal(trace_add_call(trace, 0, &reversed, &err), STATUS_DATA);
    assert_int_equal(trace_add_call(trace, 0, &touching, &err), STATUS_OK);
    assert_int_equal(trace_add_call(trace, 1, &other, &err), STATUS_OK);
    assert_int_equal(trace->ranks[0].count, 2);
    assert_int_equal(trace_begin_ps(trace), 2);
    assert_int_equal(trace_rank_end_ps(trace, 0), 9);
    trace_free(trace);
}

static void simulated_traces_carry_what_the_simulation_knows(void **state)
{
    (void)state;
    enum { CALLS = 100 };
    struct trace *trace = new_trace(1);
    struct err err;
    trace->provenance.simulated = true;
    for (int i = 0; i < CALLS; i++) {
        struct trace_call call = plain(ID_Init, i, i);
        assert_int_equal(trace_add_call(trace, 0, &call, &err), STATUS_OK);
    }
    for (int i = 0; i < CALLS; i++) {
        assert_true(trace->ranks[0].sim[i].xfer_end_ps == TRACE_UNKNOWN_PS);
        assert_int_equal(trace->ranks[0].sim[i].blocked_ps, 0);
    }
    trace_free(trace);
}

static void a_trace_like_another_has_its_definitions(void **state)
{
    (void)state;
    struct trace *trace = trace_of(
        "rmacast-trace 1\nranks 3\nproperty simulated=1 platform=p engine=e semantics=b lock=lazy\n"
        "property clock_offset=1 clock_error=2 clock_violations=3 record_cost=4e-9\n"
        "note taken for granted\n"
        "node 0 name=host2 ranks=0,2\ncomm 1 ranks=2,0\nwindow 0 comm=1 bytes=8,16 disp_unit=1,2 flavor=create\n"
        "0 0 0 MPI_Win_post win=0 group=2 site=f@a.c:1\n0 0 enter r\n0 0 0 MPI_Waitall reqs=\n");
    struct trace *like;
    struct err err;
    assert_int_equal(trace_new_like(trace, &like, &err), STATUS_OK);
    assert_int_equal(like->ranks[0].count, 0);
    assert_int_equal(like->definitions.group_count, 1);
    assert_int_equal(like->definitions.list_count, 1);
    assert_string_equal(like->definitions.regions[0], "r");
    assert_string_equal(like->definitions.sites[1].file, "a.c");
    free(trace->ranks[0].sim);
    trace->ranks[0].sim = NULL;
    trace->ranks[0].count = 0;
    assert_traces_equal(trace, like);
    trace_free(trace);
    trace_free(like);
}

static void expect_check_fault(struct trace_call call, const char *message)
{
    struct trace *trace = new_trace(2);
    struct err err = {.text = ""};
    assert_int_equal(trace_add_call(trace, 1, &call, &err), STATUS_OK);
    assert_int_equal(trace_check(trace, &err), STATUS_DATA);
    assert_string_equal(err.text, message);
    trace_free(trace);
}

static void ids_out_of_range_are_found(void **state)
{
    (void)state;
    struct trace_call call = plain(ID_Barrier, 0, 0);
    call.handle = 1;
    expect_check_fault(
        call, "t:rank 1, event 1 (MPI_Barrier) at 0.000000 s: comm=1 is not defined, expected one of 1 communicators");
    call.handle = -2;
    expect_check_fault(
        call, "t:rank 1, event 1 (MPI_Barrier) at 0.000000 s: comm=-2 is not defined, expected one of 1 communicators");
    call.handle = 0;
    call.site = 7;
    expect_check_fault(call, "t:rank 1, event 1 (MPI_Barrier) at 0.000000 s: site 7 is not defined");
    call = plain(ID_Win_fence, 0, 0);
    call.handle = 0;
    expect_check_fault(
        call, "t:rank 1, event 1 (MPI_Win_fence) at 0.000000 s: win=0 is not defined, expected one of 0 windows");
    call = plain(ID_Init, 0, 0);
    call.handle = 0;
    expect_check_fault(call, "t:rank 1, event 1 (MPI_Init) at 0.000000 s: handle 0, expected none");
    call = plain(ID_Waitall, 0, 0);
    expect_check_fault(call, "t:rank 1, event 1 (MPI_Waitall) at 0.000000 s: request list 4294967295 is not defined");
    call = plain(ID_Wait, 0, 0);
    call.ref = 3;
    expect_check_fault(call, "t:rank 1, event 1 (MPI_Wait) at 0.000000 s: req=3 is used before it was made");
    call = plain(ID_Comm_dup, 0, 0);
    call.handle = 0;
    call.ref = 5;
    expect_check_fault(call, "t:rank 1, event 1 (MPI_Comm_dup) at 0.000000 s: newcomm=5 is not defined");
    call = plain(ID_region_enter, 0, 0);
    call.ref = 0;
    expect_check_fault(call, "t:rank 1, event 1 (enter) at 0.000000 s: region 0 is not defined");
    call = plain(ID_Send, 0, 0);
    call.handle = 0;
    call.peer = 2;
    expect_check_fault(call, "t:rank 1, event 1 (MPI_Send) at 0.000000 s: peer=2 is not a rank, expected 0 to 1");
    call.peer = 0;
    call.bytes = -1;
    expect_check_fault(call, "t:rank 1, event 1 (MPI_Send) at 0.000000 s: bytes=-1, expected 0 or more");
    call = plain(ID_Sendrecv, 0, 0);
    call.handle = 0;
    call.exchange.source = 5;
    expect_check_fault(call, "t:rank 1, event 1 (MPI_Sendrecv) at 0.000000 s: source=5 is not a rank, expected 0 to 1");
    call = plain(ID_Allgatherv, 0, 0);
    call.handle = 0;
    call.collective.counts = 3;
    expect_check_fault(call, "t:rank 1, event 1 (MPI_Allgatherv) at 0.000000 s: counts 3 are not defined");
    /* One member of a call holds different fields: the fault names the call's own. */
    call = plain(ID_pthread_cond_wait, 0, 0);
    call.ref = 0;
    call.primitive.mutex = -3;
    expect_check_fault(call, "t:rank 1, event 1 (pthread_cond_wait) at 0.000000 s: mutex=-3, expected 0 or more");
    struct trace *trace = new_trace(1);
    struct trace_call right = plain(ID_Init, 0, 0);
    struct err err;
    assert_int_equal(trace_add_call(trace, 0, &right, &err), STATUS_OK);
    trace->ranks[0].calls[0].call = MPI_CALL_COUNT;
    assert_int_equal(trace_check(trace, &err), STATUS_DATA);
    trace_free(trace);
}

static void operations_have_mpi_names(void **state)
{
    (void)state;
    assert_string_equal(trace_op_name(TRACE_OP_SUM), "MPI_SUM");
    assert_string_equal(trace_op_name(0), "?");
    assert_string_equal(trace_op_name(-1), "?");
    assert_string_equal(trace_op_name(TRACE_OP_COUNT), "?");
    assert_int_equal(trace_op_by_name("SUM"), TRACE_OP_SUM);
    assert_int_equal(trace_op_by_name("MPI_SUM"), TRACE_OP_SUM);
    assert_int_equal(trace_op_by_name("sum"), TRACE_OP_UNKNOWN);
    for (int32_t i = 1; i < TRACE_OP_COUNT; i++) assert_int_equal(trace_op_by_name(trace_op_name(i)), i);
}

static void calls_are_found_by_name(void **state)
{
    (void)state;
    enum mpi_call call;
    for (int i = 0; i < ID_region_enter; i++) {
        assert_true(call_by_name(call_name((enum mpi_call)i), &call));
        assert_int_equal(call, i);
        assert_int_equal(call_row(call)->needed & ~call_row(call)->allowed, 0);
    }
    assert_false(call_by_name("MPI_Pu", &call));
    assert_false(call_by_name("enter", &call));
}

/* So many calls that several threads check them. */
static void of_a_large_trace_the_first_rank_at_fault_is_told(void **state)
{
    (void)state;
    struct generate_options what = {
        .pattern = "ring", .sync = "p2p", .ranks = 300, .iterations = 300, .bytes = 64, .seed = 1};
    struct trace *trace;
    struct err err = {.text = ""};
    assert_int_equal(generate_trace(&what, &trace, &err), STATUS_OK);
    assert_int_equal(trace_check(trace, &err), STATUS_OK);
    trace->ranks[299].calls[0].peer = 300;
    trace->ranks[201].calls[3].peer = 301;
    trace->ranks[202].calls[1].peer = 302;
    assert_int_equal(trace_check(trace, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "rank 201, event 4 (MPI_Irecv)"));
    assert_non_null(strstr(err.text, "peer=301 is not a rank"));
    assert_int_equal(err.list, 201);
    assert_int_equal(err.item, 3);
    trace_free(trace);
}

/* The ranks take 40 and 60 ms. Of these 100 ms 5 are not more than 5 %, 6 are. */
static void core_waits_are_a_share_of_all_time(void **state)
{
    (void)state;
    for (int ms = 5; ms <= 6; ms++) {
        char text[400];
        snprintf(text, sizeof text, "rmacast-trace 1\nranks 2\n0 0.000 0.001 MPI_Init\n"
                 "0 0.030 0.031 MPI_Barrier comm=0 core_wait=0.00%d\n0 0.040 0.040 MPI_Finalize\n"
                 "1 0.000 0.001 MPI_Init\n1 0.030 0.031 MPI_Barrier comm=0 core_wait=0.002\n1 0.060 0.060 MPI_Finalize\n",
                 ms - 2);
        struct trace *trace = trace_of(text);
        struct trace_core_waits waits = trace_core_waits(trace);
        assert_float_equal((float)(waits.waited_s * 1e3), (float)ms, 1e-6f);
        assert_float_equal((float)(waits.share * 100), (float)ms, 1e-6f);
        assert_int_equal(waits.notable, ms > 5);
        trace_free(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_trace_holds_the_world),
        cmocka_unit_test(equal_groups_are_one),
        cmocka_unit_test(equal_counts_are_one),
        cmocka_unit_test(many_groups_keep_their_ids),
        cmocka_unit_test(ranks_of_a_communicator_follow_its_order),
        cmocka_unit_test(regions_and_sites_are_one_each),
        cmocka_unit_test(time_does_not_run_backwards),
        cmocka_unit_test(simulated_traces_carry_what_the_simulation_knows),
        cmocka_unit_test(a_trace_like_another_has_its_definitions),
        cmocka_unit_test(ids_out_of_range_are_found),
        cmocka_unit_test(of_a_large_trace_the_first_rank_at_fault_is_told),
        cmocka_unit_test(operations_have_mpi_names),
        cmocka_unit_test(calls_are_found_by_name),
        cmocka_unit_test(core_waits_are_a_share_of_all_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
