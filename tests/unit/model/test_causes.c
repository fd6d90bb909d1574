/* Root causes and the critical path on runs worked out by hand. */
#include "model_test.h"

#include <string.h>

#include "model/result/result.h"

static struct result *analyzed(const char *text)
{
    struct err err;
    struct result *result;
    struct analyze_options options = ANALYZE_DEFAULTS;
    struct trace *trace = trace_of(text);
    options.intervals = true;
    if (model_analyze(trace, &options, &result, &err) != STATUS_OK) fail_msg("%s", err.text);
    trace_free(trace);
    return result;
}

static void expect(const struct result_shares *shares, size_t index, const char *callpath, const char *activity,
                   double us)
{
    assert_true(index < shares->count);
    assert_string_equal(shares->items[index].callpath, callpath);
    assert_string_equal(shares->items[index].activity, activity);
    assert_float_equal((float)(shares->items[index].time_s * 1e6), (float)us, 1e-3f);
}

static void barrier(void **state)
{
    (void)state;
    /* Rank 1 computes in "slow" until 80, then 10 more outside; rank 0 waits in the barrier 30-90, ends at 150.
     * Causes: of the 60 us, 50 in slow, 10 behind it. Path: slow 80 (from 0), computing 10, then rank 0 or 1? The last
     * is rank 0: barrier 90-100, computing 100-150, all after the wait: 10 + 50. */
    const char *text = "ranks 2\n0 0.0 0.0 MPI_Comm_group comm=0\n0 0.000030 0.000100 MPI_Barrier comm=0\n"
                       "0 0.000150 0.000150 MPI_Comm_group comm=0\n1 0.0 enter slow\n1 0.000080 leave slow\n"
                       "1 0.000090 0.000100 MPI_Barrier comm=0\n";
    struct result *result = analyzed(text);
    assert_float_equal((float)(result->causes.total_s * 1e6), 60.0f, 1e-3f);
    assert_int_equal(result->causes.count, 2);
    expect(&result->causes, 0, "slow", "computing", 50);
    expect(&result->causes, 1, "", "computing", 10);
    assert_int_equal(result->causes.items[0].who.rank, 1);
    assert_float_equal((float)(result->critical_path.total_s * 1e6), 150.0f, 1e-3f);
    expect(&result->critical_path, 0, "slow", "computing", 80);
    expect(&result->critical_path, 1, "", "computing", 10 + 50);
    expect(&result->critical_path, 2, "", "MPI_Barrier", 10);
    result_free(result);
}

static void post_of_another_target(void **state)
{
    (void)state;
    /* Rank 1 has posted at 5; the put to it, 20-155, waits until rank 2, which computes in "late" until 150, posts: 130. The
     * path: late 150, the rest of the put 5, complete 160-165, computing 5 before it. */
    struct result *result =
        analyzed("ranks 3\nwindow 0 comm=0\n0 0.000020 0.000020 MPI_Win_start win=0 group=1,2\n"
                 "0 0.000020 0.000155 MPI_Put win=0 target=1 bytes=8\n0 0.000160 0.000165 MPI_Win_complete win=0\n"
                 "1 0.000005 0.000005 MPI_Win_post win=0 group=0\n1 0.000165 0.000165 MPI_Win_wait win=0\n"
                 "2 0.0 enter late\n2 0.000150 leave late\n"
                 "2 0.000150 0.000150 MPI_Win_post win=0 group=0\n2 0.000165 0.000165 MPI_Win_wait win=0\n");
    assert_float_equal((float)(result->causes.total_s * 1e6), 130.0f, 1e-3f);
    assert_int_equal(result->causes.count, 1);
    expect(&result->causes, 0, "late", "computing", 130);
    assert_int_equal(result->causes.items[0].who.rank, 2);
    expect(&result->critical_path, 0, "late", "computing", 150);
    result_free(result);
}

static void unclear_post_of_another_target(void **state)
{
    (void)state;
    /* The first epoch shows that the library waits for the group: behind rank 1's post (5) the put waits 20-150 for
     * rank 2, which computes in "late": 130. In the second the posts at 230 and 250 both lie in the put, 220-255: it
     * waits 30 for rank 2, which computes outside "late", not 10 for rank 1. The path from the end: rank 0's complete
     * 260-265, computing 255-260, the put 250-255; then rank 2, which computes 150-250, its calls take no time, and
     * 0-150 in late. */
    struct result *result =
        analyzed("ranks 3\nwindow 0 comm=0\n0 0.000020 0.000020 MPI_Win_start win=0 group=1,2\n"
                 "0 0.000020 0.000155 MPI_Put win=0 target=1 bytes=8\n0 0.000160 0.000165 MPI_Win_complete win=0\n"
                 "0 0.000220 0.000220 MPI_Win_start win=0 group=1,2\n"
                 "0 0.000220 0.000255 MPI_Put win=0 target=1 bytes=8\n0 0.000260 0.000265 MPI_Win_complete win=0\n"
                 "1 0.000005 0.000005 MPI_Win_post win=0 group=0\n1 0.000165 0.000165 MPI_Win_wait win=0\n"
                 "1 0.000230 0.000230 MPI_Win_post win=0 group=0\n1 0.000265 0.000265 MPI_Win_wait win=0\n"
                 "2 0.0 enter late\n2 0.000150 leave late\n"
                 "2 0.000150 0.000150 MPI_Win_post win=0 group=0\n2 0.000165 0.000165 MPI_Win_wait win=0\n"
                 "2 0.000250 0.000250 MPI_Win_post win=0 group=0\n2 0.000265 0.000265 MPI_Win_wait win=0\n");
    assert_float_equal((float)(result->causes.total_s * 1e6), 160.0f, 1e-3f);
    assert_int_equal(result->causes.count, 2);
    expect(&result->causes, 0, "late", "computing", 130);
    expect(&result->causes, 1, "", "computing", 30);
    assert_int_equal(result->causes.items[1].who.rank, 2);
    expect(&result->critical_path, 0, "late", "computing", 150);
    expect(&result->critical_path, 1, "", "computing", 5 + 100);
    assert_int_equal(result->critical_path.items[1].who.rank, 2);
    result_free(result);
}

static void chain(void **state)
{
    (void)state;
    /* Rank 2 receives from 1 at 10-90, rank 1 from 0 at 20-70; rank 0 sends at 60, rank 1 at 80.
     * Rank 2 waits 10-80: rank 1 computes 10-20, waits 20-60 (rank 0 computes: 40), receives 60-70, computes 70-80.
     * Rank 1 waits 20-60: rank 0 computes 40. All: computing 10 + 40 + 10 + 40, MPI_Recv 10; 70 + 40 us. */
    const char *text =
        "ranks 3\n0 0.0 0.0 MPI_Comm_group comm=0\n0 0.000060 0.000061 MPI_Send comm=0 peer=1 tag=1 bytes=8\n"
        "1 0.0 0.0 MPI_Comm_group comm=0\n1 0.000020 0.000070 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n"
        "1 0.000080 0.000081 MPI_Send comm=0 peer=2 tag=1 bytes=8\n"
        "2 0.0 0.0 MPI_Comm_group comm=0\n2 0.000010 0.000090 MPI_Recv comm=0 peer=1 tag=1 bytes=8\n";
    struct result *result = analyzed(text);
    assert_float_equal((float)(result->causes.total_s * 1e6), 110.0f, 1e-3f);
    expect(&result->causes, 0, "", "computing", 100);
    expect(&result->causes, 1, "", "MPI_Recv", 10);
    assert_int_equal(result->causes.items[0].who.rank, 0); /* 80 us of rank 0, 20 of rank 1 */
    /* Path: rank 0 computes 0-60, rank 1 receives 60-70 and computes 70-80, rank 2 receives 80-90. */
    expect(&result->critical_path, 0, "", "computing", 70);
    expect(&result->critical_path, 1, "", "MPI_Recv", 20);
    assert_float_equal((float)(result->critical_path.total_s * 1e6), 90.0f, 1e-3f);
    result_free(result);
}

static void lock(void **state)
{
    (void)state;
    /* Rank 1 is in lock 10-50, until rank 0, which took the lock at 0, has left unlock 30-45: 35 us, 20 of them
     * computing, 15 in unlock. */
    const char *text = "ranks 2\nwindow 0 comm=0\n0 0.0 0.0 MPI_Win_lock win=0 target=0 lock=exclusive\n"
                       "0 0.000030 0.000045 MPI_Win_unlock win=0 target=0\n"
                       "1 0.000010 0.000050 MPI_Win_lock win=0 target=0 lock=exclusive\n"
                       "1 0.000050 0.000051 MPI_Win_unlock win=0 target=0\n";
    struct result *result = analyzed(text);
    expect(&result->causes, 0, "", "computing", 20);
    expect(&result->causes, 1, "", "MPI_Win_unlock", 15);
    assert_float_equal((float)(result->critical_path.total_s * 1e6), 51.0f, 1e-3f);
    result_free(result);
}

static void init_and_finalize(void **state)
{
    (void)state;
    /* Rank 0 is in MPI_Init 0-20 and in MPI_Finalize 40-160, rank 1 in MPI_Init 10-20 and in MPI_Finalize 150-155. All leave
     * behind rank 1's arrival. The path from the end: MPI_Finalize of rank 0 150-160, rank 1's computing 20-150, its MPI_Init
     * 10-20, its computing 0-10, which begins with the trace. No wait state, and no root cause. */
    struct result *result = analyzed("ranks 2\n0 0.0 0.000020 MPI_Init\n0 0.000040 0.000160 MPI_Finalize\n"
                                     "1 0.000010 0.000020 MPI_Init\n1 0.000150 0.000155 MPI_Finalize\n");
    assert_float_equal((float)(result->causes.total_s * 1e6), 0.0f, 1e-3f);
    assert_float_equal((float)(result->critical_path.total_s * 1e6), 160.0f, 1e-3f);
    expect(&result->critical_path, 0, "", "computing", 130 + 10);
    assert_int_equal(result->critical_path.items[0].who.rank, 1);
    result_free(result);
    /* Rank 0 leaves MPI_Finalize at 60, before rank 1 comes at 150: nobody waits there. Nor where rank 1's is missing. Rank 0
     * ends last: MPI_Finalize 40-160, computing 20-40, MPI_Init 0-20. */
    const char *apart[] = {"ranks 2\n0 0.0 0.000020 MPI_Init\n0 0.000040 0.000060 MPI_Finalize\n"
                           "1 0.0 0.000020 MPI_Init\n1 0.000150 0.000155 MPI_Finalize\n",
                           "ranks 2\n0 0.0 0.000020 MPI_Init\n0 0.000040 0.000160 MPI_Finalize\n1 0.000150 0.000150 "
                           "MPI_Comm_group comm=0\n"};
    result = analyzed(apart[0]);
    expect(&result->critical_path, 0, "", "computing", 130);
    expect(&result->critical_path, 1, "", "MPI_Init", 20);
    expect(&result->critical_path, 2, "", "MPI_Finalize", 5);
    result_free(result);
    result = analyzed(apart[1]);
    expect(&result->critical_path, 0, "", "MPI_Finalize", 120);
    result_free(result);
}

static void without_waits(void **state)
{
    (void)state;
    struct result *result =
        analyzed("ranks 2\n0 0.000010 0.000030 MPI_Comm_group comm=0\n1 0.0 0.000020 MPI_Comm_group comm=0\n");
    assert_int_equal(result->causes.count, 0);
    expect(&result->critical_path, 0, "", "MPI_Comm_group", 20);
    expect(&result->critical_path, 1, "", "computing", 10);
    result_free(result);
}

/* Equal shares come by their lines: the call at line 2 comes first in the run, that at line 1 in the result. */
static void equal_shares_come_by_line(void **state)
{
    (void)state;
    struct result *result = analyzed("ranks 1\n0 0.0 0.000010 MPI_Comm_group comm=0 site=f@a.c:2\n"
                                     "0 0.000010 0.000020 MPI_Comm_group comm=0 site=f@a.c:1\n");
    assert_int_equal(result->critical_path.count, 2);
    for (int i = 0; i < 2; i++) assert_int_equal(result->critical_path.items[i].line, i + 1);
    result_free(result);
}

/* Everybody waits for nobody and all time stamps are one: no path, no loop. */
static void no_time(void **state)
{
    (void)state;
    struct result *result = analyzed("ranks 2\n0 0.0 0.0 MPI_Barrier comm=0\n1 0.0 0.0 MPI_Barrier comm=0\n");
    assert_int_equal(result->critical_path.count, 0);
    result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barrier),
        cmocka_unit_test(post_of_another_target),
        cmocka_unit_test(unclear_post_of_another_target),
        cmocka_unit_test(chain),
        cmocka_unit_test(lock),
        cmocka_unit_test(init_and_finalize),
        cmocka_unit_test(without_waits),
        cmocka_unit_test(equal_shares_come_by_line), cmocka_unit_test(no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
