/* fence=pscw and fence=notify, worked out by hand. */
#include <math.h>

#include "transform_test.h"

#define assert_us(a, b) assert_true(fabs((a) - (b)) < 1e-6)

/* Epoch 0: rank 0 puts to 1. Epoch 1: rank 1 puts to 0. Rank 2 takes no part: its fences go, its computing (15 + 4 + 20
 * us) stays, and a mark keeps its begin. The first call in a fence's place has its recorded duration. */
static void groups_come_from_the_operations(void **state)
{
    (void)state;
    test_gives("fence=pscw",
               "ranks 3\nwindow 0 comm=0\n"
               "0 0.000000 0.000010 MPI_Win_fence win=0 assert=NOPRECEDE\n"
               "0 0.000020 0.000020 MPI_Put win=0 target=1 bytes=8\n"
               "0 0.000030 0.000040 MPI_Win_fence win=0 assert=NOSTORE\n"
               "0 0.000060 0.000060 MPI_Win_fence win=0\n"
               "1 0.000000 0.000010 MPI_Win_fence win=0\n"
               "1 0.000015 0.000015 MPI_Win_fence win=0\n"
               "1 0.000045 0.000045 MPI_Put win=0 target=0 bytes=8\n"
               "1 0.000050 0.000050 MPI_Win_fence win=0 assert=NOSUCCEED\n"
               "2 0.000000 0.000010 MPI_Win_fence win=0\n"
               "2 0.000025 0.000026 MPI_Win_fence win=0\n"
               "2 0.000030 0.000030 MPI_Win_fence win=0\n"
               "2 0.000050 0.000051 MPI_Comm_group comm=0\n",
               "0 0.000000 0.000010 MPI_Win_start win=0 group=1\n"
               "0 0.000020 0.000020 MPI_Put win=0 target=1 bytes=8\n"
               "0 0.000030 0.000040 MPI_Win_complete win=0\n"
               "0 0.000040 0.000040 MPI_Win_post win=0 group=1 assert=NOSTORE\n"
               "0 0.000060 0.000060 MPI_Win_wait win=0\n"
               "1 0.000000 0.000010 MPI_Win_post win=0 group=0\n"
               "1 0.000015 0.000015 MPI_Win_wait win=0\n"
               "1 0.000015 0.000015 MPI_Win_start win=0 group=0\n"
               "1 0.000045 0.000045 MPI_Put win=0 target=0 bytes=8\n"
               "1 0.000050 0.000050 MPI_Win_complete win=0\n"
               "2 0.000000 enter rewritten\n"
               "2 0.000000 leave rewritten\n"
               "2 0.000039 0.000040 MPI_Comm_group comm=0\n");
}

/* Rank 0 puts 1 MB to rank 1, which computes for 300 us. Fences: the first barrier ends at 10, the put's data leave
 * until 110, arrive at 120, their ack is back at 130; rank 1 enters the second fence at 310 and its message lets rank 0
 * go at 320. Post/start: start returns at 10, complete at 110, the notification is there at 120; rank 1 waits at 300
 * for nothing. */
static const char two_ranks[] = "ranks 2\nwindow 0 comm=0\n"
                                "0 0.000000 0.000000 MPI_Win_fence win=0\n"
                                "0 0.000000 0.000000 MPI_Put win=0 target=1 bytes=1000000\n"
                                "0 0.000000 0.000000 MPI_Win_fence win=0\n"
                                "1 0.000000 0.000000 MPI_Win_fence win=0\n"
                                "1 0.000300 0.000300 MPI_Win_fence win=0\n";

static void without_barriers_the_run_is_shorter(void **state)
{
    (void)state;
    static const char *const none[] = {NULL}, *const pscw[] = {"fence=pscw", NULL};
    assert_us(test_run_rewritten_us(two_ranks, "a", none), 320);
    assert_us(test_run_rewritten_us(two_ranks, "a", pscw), 300);
}

#define EPOCH                                                                                                          \
    "ranks 2\nwindow 0 comm=0\n0 0 0 MPI_Win_fence win=0\n1 0 0 MPI_Win_fence win=0\n0 1 1 MPI_Put win=0 target=1 "    \
    "bytes=8\n"

static void what_fences_do_not_promise_is_refused(void **state)
{
    (void)state;
    test_refuses("fence=pscw", EPOCH "0 2 2 MPI_Win_fence win=0 assert=NOPRECEDE\n1 2 2 MPI_Win_fence win=0\n",
                 "rank 0, event 3 (MPI_Win_fence): fence=pscw changes nothing: MPI_MODE_NOPRECEDE");
    test_refuses(
        "fence=pscw", EPOCH "0 2 2 MPI_Win_fence win=0\n",
        "rank 1, event 1 (MPI_Win_fence): fence=pscw changes nothing: the rank ends with 1 fences of window 0, "
        "others have 2");
    test_refuses( /* more than the first rank's, too */
        "fence=pscw", EPOCH "0 2 2 MPI_Win_fence win=0\n1 2 2 MPI_Win_fence win=0\n1 3 3 MPI_Win_fence win=0\n",
        "rank 1, event 3 (MPI_Win_fence): fence=pscw changes nothing: the rank ends with 3 fences of window 0, others have 2");
    test_refuses("fence=pscw", "ranks 2\nwindow 0 comm=0\n1 0 0 MPI_Win_fence win=0\n",
                 "rank 1, event 1 (MPI_Win_fence): fence=pscw changes nothing: rank 0 of window 0 has no calls");
    test_refuses("fence=pscw", EPOCH, "rank 0, event 1 (MPI_Win_fence): fence=pscw changes nothing: no fence closes");
    test_refuses("fence=pscw",
                 "ranks 2\nwindow 0 comm=0\n0 0 0 MPI_Win_fence win=0 assert=NOSUCCEED\n1 0 0 MPI_Win_fence win=0\n"
                 "0 3 3 MPI_Put win=0 target=1 bytes=8\n0 4 4 MPI_Win_fence win=0\n1 4 4 MPI_Win_fence win=0\n",
                 "rank 0, event 2 (MPI_Put): fence=pscw changes nothing: the fence before it has MPI_MODE_NOSUCCEED");
    test_refuses("fence=pscw",
                 "ranks 2\nwindow 0 comm=0\n0 0 0 MPI_Win_fence win=0\n1 0 0 MPI_Win_fence win=0\n"
                 "1 3 3 MPI_Win_lock win=0 target=0 lock=shared\n1 4 4 MPI_Win_unlock win=0 target=0\n",
                 "rank 1, event 2 (MPI_Win_lock): fence=pscw changes nothing: its window is synchronised by more");
    test_refuses("fence=pscw",
                 "ranks 2\nwindow 0 comm=0\n0 0 0 MPI_Put win=0 target=1 bytes=8\n0 1 1 MPI_Win_fence win=0\n"
                 "1 1 1 MPI_Win_fence win=0\n",
                 "rank 0, event 1 (MPI_Put): fence=pscw changes nothing: no MPI_Win_fence of its window stands before");
    test_refuses("fence=pscw", EPOCH "incomplete 0 killed\n0 2 2 MPI_Win_fence win=0 break=1\n1 2 2 MPI_Win_fence win=0\n",
                 "rank 0, event 3 (MPI_Win_fence): fence=pscw changes nothing: the timeline breaks off inside it");
}

/* Each rank has its own operations: that rank 0 put in its second call says nothing of rank 1's second call, in which another
 * thread is while the fence is called. */
static void operations_of_other_ranks_are_no_matter(void **state)
{
    (void)state;
    test_gives("fence=pscw",
               "ranks 2\nwindow 0 comm=0\n"
               "0 0.000000 0.000000 MPI_Win_fence win=0\n0 0.000001 0.000001 MPI_Put win=0 target=1 bytes=8\n"
               "0 0.000002 0.000002 MPI_Win_fence win=0\n"
               "1 0.000000 0.000000 MPI_Win_fence win=0\n1 0.000001 0.000005 MPI_Comm_group comm=0 thread=1\n"
               "1 0.000002 0.000002 MPI_Win_fence win=0\n",
               "0 0.000000 0.000000 MPI_Win_start win=0 group=1\n0 0.000001 0.000001 MPI_Put win=0 target=1 bytes=8\n"
               "0 0.000002 0.000002 MPI_Win_complete win=0\n"
               "1 0.000000 0.000000 MPI_Win_post win=0 group=0\n1 0.000001 0.000005 MPI_Comm_group comm=0 thread=1\n"
               "1 0.000002 0.000002 MPI_Win_wait win=0\n");
}

/* Epoch 0: rank 0 puts to 1. Epoch 1: rank 1 puts under a lock, so it stays. Epoch 2: rank 1 puts to 0. The fences on both sides
 * of epoch 1 stay on both ranks; the second one no longer opens an epoch. The last fence closes epoch 2 only. */
#define LOCKED(RANK, TIME)                                                                                             \
    RANK " " TIME " " TIME " MPI_Win_lock win=0 target=0 lock=shared\n" RANK " " TIME " " TIME                         \
         " MPI_Put win=0 target=0 bytes=8\n" RANK " " TIME " " TIME " MPI_Win_unlock win=0 target=0\n"
#define MIXED                                                                                                          \
    "ranks 2\nwindow 0 comm=0\n"                                                                                       \
    "0 0.000000 0.000010 MPI_Win_fence win=0\n0 0.000020 0.000020 MPI_Put win=0 target=1 bytes=8\n"                    \
    "0 0.000030 0.000040 MPI_Win_fence win=0\n0 0.000050 0.000060 MPI_Win_fence win=0 assert=NOSTORE\n"                \
    "0 0.000070 0.000080 MPI_Win_fence win=0\n"                                                                        \
    "1 0.000000 0.000010 MPI_Win_fence win=0\n1 0.000030 0.000040 MPI_Win_fence win=0\n" LOCKED("1", "0.000045")       \
    "1 0.000050 0.000060 MPI_Win_fence win=0 assert=NOSTORE\n1 0.000065 0.000065 MPI_Put win=0 target=0 bytes=8\n"     \
    "1 0.000070 0.000080 MPI_Win_fence win=0\n"

static void epochs_are_left_one_by_one(void **state)
{
    (void)state;
    test_gives("fence=pscw", MIXED,
               "0 0.000000 0.000010 MPI_Win_start win=0 group=1\n0 0.000020 0.000020 MPI_Put win=0 target=1 bytes=8\n"
               "0 0.000030 0.000040 MPI_Win_complete win=0\n0 0.000040 0.000040 MPI_Win_fence win=0\n"
               "0 0.000050 0.000060 MPI_Win_fence win=0 assert=NOSTORE|NOSUCCEED\n"
               "0 0.000060 0.000060 MPI_Win_post win=0 group=1 assert=NOSTORE\n0 0.000070 0.000080 MPI_Win_wait win=0\n"
               "1 0.000000 0.000010 MPI_Win_post win=0 group=0\n"
               "1 0.000030 0.000040 MPI_Win_wait win=0\n1 0.000040 0.000040 MPI_Win_fence win=0\n" LOCKED("1", "0.000045")
               "1 0.000050 0.000060 MPI_Win_fence win=0 assert=NOSTORE|NOSUCCEED\n"
               "1 0.000060 0.000060 MPI_Win_start win=0 group=0\n1 0.000065 0.000065 MPI_Put win=0 target=0 bytes=8\n"
               "1 0.000070 0.000080 MPI_Win_complete win=0\n");
    /* What is before the first fence and behind the last one stays, too: only the epoch between them is rewritten. */
    test_gives("fence=pscw",
               "ranks 2\nwindow 0 comm=0\n" LOCKED("0", "0.000000")
               "0 0.000010 0.000010 MPI_Win_fence win=0\n0 0.000010 0.000010 MPI_Put win=0 target=1 bytes=8\n"
               "0 0.000020 0.000020 MPI_Win_fence win=0\n"
               "1 0.000010 0.000010 MPI_Win_fence win=0\n1 0.000020 0.000020 MPI_Win_fence win=0\n" LOCKED("1", "0.000030"),
               LOCKED("0", "0.000000")
               "0 0.000010 0.000010 MPI_Win_fence win=0 assert=NOSUCCEED\n0 0.000010 0.000010 MPI_Win_start win=0 group=1\n"
               "0 0.000010 0.000010 MPI_Put win=0 target=1 bytes=8\n"
               "0 0.000020 0.000020 MPI_Win_complete win=0\n0 0.000020 0.000020 MPI_Win_fence win=0\n"
               "1 0.000010 0.000010 MPI_Win_fence win=0 assert=NOSUCCEED\n1 0.000010 0.000010 MPI_Win_post win=0 group=0\n"
               "1 0.000020 0.000020 MPI_Win_wait win=0\n1 0.000020 0.000020 MPI_Win_fence win=0\n" LOCKED("1", "0.000030"));
}

/* All 8 fences of both ranks are changed; the four beside epoch 1 stay, with a call of another epoch beside each. */
static void the_summary_says_what_is_left(void **state)
{
    (void)state;
    struct trace *trace = test_read(MIXED);
    const char *spec = "fence=pscw";
    struct rewrite rewrite;
    struct err err;
    if (rewrite_run(trace, &spec, 1, &rewrite, &err) != STATUS_OK) fail_msg("%s", err.text);
    const struct transform_report *report = &rewrite.reports[0];
    assert_int_equal(report->refused, 1);
    assert_string_equal(report->refusals[0].place, "rank 1, event 3 (MPI_Win_lock)");
    assert_string_equal(report->summary, "8 of 8 fences became 2 post, 2 start, 2 complete, 2 wait calls; 0 of them had no "
                                         "partners and went; 1 epoch of 1 window stays as recorded");
    rewrite_clear(&rewrite);
    trace_free(trace);
}

/* One window is refused, the other is rewritten. */
static void windows_are_refused_one_by_one(void **state)
{
    (void)state;
    struct trace *trace = test_read("ranks 1\nwindow 0 comm=0\nwindow 1 comm=0\n"
                                    "0 0 0 MPI_Win_fence win=0\n0 0 0 MPI_Win_fence win=1\n"
                                    "0 0 0 MPI_Put win=1 target=0 bytes=8\n0 0 0 MPI_Put win=0 target=0 bytes=8\n"
                                    "0 1 1 MPI_Win_fence win=1\n");
    const char *spec = "fence=pscw";
    struct rewrite rewrite;
    struct err err;
    if (rewrite_run(trace, &spec, 1, &rewrite, &err) != STATUS_OK) fail_msg("%s", err.text);
    const struct transform_report *report = &rewrite.reports[0];
    assert_int_equal(report->considered, 3);
    assert_int_equal(report->changed, 2);
    assert_int_equal(report->refused, 1);
    assert_string_equal(report->refusals[0].place, "rank 0, event 1 (MPI_Win_fence)");
    assert_string_equal(report->summary,
                        "2 of 3 fences became 1 post, 1 start, 1 complete, 1 wait calls; 0 of them had "
                        "no partners and went; 1 epoch of 1 window stays as recorded");
    rewrite_clear(&rewrite);
    trace_free(trace);
}

static void notifying_fences_are_the_platforms(void **state)
{
    (void)state;
    struct trace *trace = test_read(two_ranks);
    const char *spec = "fence=notify";
    struct rewrite rewrite;
    struct err err;
    assert_string_equal(transform_override(spec), "mpi.rma.fence=notify");
    assert_null(transform_override("post-early"));
    if (rewrite_run(trace, &spec, 1, &rewrite, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_null(rewrite.trace);
    assert_int_equal(rewrite.reports[0].changed, 4);
    rewrite_clear(&rewrite);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_come_from_the_operations),       cmocka_unit_test(without_barriers_the_run_is_shorter),
        cmocka_unit_test(what_fences_do_not_promise_is_refused), cmocka_unit_test(windows_are_refused_one_by_one),
        cmocka_unit_test(epochs_are_left_one_by_one),            cmocka_unit_test(the_summary_says_what_is_left),
        cmocka_unit_test(notifying_fences_are_the_platforms),    cmocka_unit_test(operations_of_other_ranks_are_no_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
