/* pscw=notify and rma=p2p, worked out by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/generate/generate.h"
#include "transform_test.h"

#define assert_us(a, b) assert_true(fabs((a) - (b)) < 1e-6)
#define TWO "ranks 2\nwindow 0 comm=0\n"

/* The last of two puts carries the signal. A place is 8 * ((2 * window + what) * ranks + sender); what: 0 data, 1 in place of a
 * post. */
static void last_put_has_the_signal(void **state)
{
    (void)state;
    test_gives("pscw=notify",
               TWO "0 0.000000 0.000001 MPI_Win_start win=0 group=1\n"
                   "0 0.000002 0.000002 MPI_Put win=0 target=1 bytes=8\n"
                   "0 0.000003 0.000003 MPI_Put win=0 target=1 bytes=16\n"
                   "0 0.000004 0.000006 MPI_Win_complete win=0\n"
                   "1 0.000000 0.000000 MPI_Win_post win=0 group=0\n"
                   "1 0.000009 0.000010 MPI_Win_wait win=0\n",
               "0 0.000000 0.000001 shmem_signal_wait_until win=1 disp=24\n"
               "0 0.000002 0.000002 shmem_put_nbi win=1 target=1 bytes=8\n"
               "0 0.000003 0.000003 shmem_put_signal_req win=1 target=1 bytes=16 disp=0 req=0\n"
               "0 0.000004 0.000006 MPI_Waitall reqs=0\n"
               "1 0.000000 0.000000 shmem_put_signal_nbi win=1 target=0 bytes=0 disp=24\n"
               "1 0.000009 0.000010 shmem_signal_wait_until win=1 disp=0\n");
}

/* Rank 0 puts to rank 1, gets from rank 2, and has no operation with rank 3. NOCHECK: the posts are there, so nobody waits for
 * them. A put to nobody goes. The signal of the get is behind the quiet: its data have left the target. */
static void signals_without_data(void **state)
{
    (void)state;
    test_gives("pscw=notify",
               "ranks 4\nwindow 0 comm=0\n"
               "0 0.000000 0.000000 MPI_Win_start win=0 group=1,2,3 assert=NOCHECK\n"
               "0 0.000001 0.000001 MPI_Put win=0 target=1 bytes=16\n"
               "0 0.000002 0.000002 MPI_Get win=0 target=2 bytes=32\n"
               "0 0.000003 0.000003 MPI_Put win=0 target=2 bytes=8\n"
               "0 0.000004 0.000004 MPI_Put win=0 target=-1 bytes=8\n"
               "0 0.000006 0.000006 MPI_Win_complete win=0\n"
               "1 0.000001 0.000001 MPI_Win_post win=0 group=0 assert=NOCHECK\n"
               "1 0.000001 0.000001 MPI_Win_wait win=0\n"
               "2 0.000001 0.000001 MPI_Win_post win=0 group=0 assert=NOCHECK\n"
               "2 0.000001 0.000001 MPI_Win_wait win=0\n"
               "3 0.000001 0.000001 MPI_Win_post win=0 group=0 assert=NOCHECK\n"
               "3 0.000001 0.000001 MPI_Win_wait win=0\n",
               "0 0.000000 enter rewritten\n"
               "0 0.000000 leave rewritten\n"
               "0 0.000001 0.000001 shmem_put_signal_req win=1 target=1 bytes=16 disp=0 req=0\n"
               "0 0.000002 0.000002 shmem_get_nbi win=1 target=2 bytes=32\n"
               "0 0.000003 0.000003 shmem_put_nbi win=1 target=2 bytes=8\n"
               "0 0.000006 0.000006 shmem_put_signal_nbi win=1 target=3 bytes=0 disp=0\n"
               "0 0.000006 0.000006 MPI_Waitall reqs=0\n"
               "0 0.000006 0.000006 shmem_quiet win=1\n"
               "0 0.000006 0.000006 shmem_put_signal_nbi win=1 target=2 bytes=0 disp=0\n"
               "1 0.000001 0.000001 shmem_signal_wait_until win=1 disp=0\n"
               "2 0.000001 0.000001 shmem_signal_wait_until win=1 disp=0\n"
               "3 0.000001 0.000001 shmem_signal_wait_until win=1 disp=0\n");
}

/* Two windows, of which one stays for its accumulate: with its partners' epochs, on both sides. */
static void paired_epochs_stay_together(void **state)
{
    (void)state;
    static const char text[] = "ranks 3\nwindow 0 comm=0\n"
                               "0 0.000000 0.000000 MPI_Win_start win=0 group=1\n"
                               "0 0.000000 0.000000 MPI_Accumulate win=0 target=1 bytes=8 op=SUM\n"
                               "0 0.000000 0.000000 MPI_Win_complete win=0\n"
                               "0 0.000001 0.000001 MPI_Win_start win=0 group=1\n"
                               "0 0.000001 0.000001 MPI_Win_complete win=0\n"
                               "1 0.000000 0.000000 MPI_Win_post win=0 group=0,2\n"
                               "1 0.000000 0.000000 MPI_Win_wait win=0\n"
                               "1 0.000001 0.000001 MPI_Win_post win=0 group=0\n"
                               "1 0.000001 0.000001 MPI_Win_wait win=0\n"
                               "2 0.000000 0.000000 MPI_Win_start win=0 group=1\n"
                               "2 0.000000 0.000000 MPI_Win_complete win=0\n";
    static const char *const spec = "pscw=notify";
    struct trace *trace = test_read(text);
    struct rewrite rewrite;
    struct err err;
    if (rewrite_run(trace, &spec, 1, &rewrite, &err) != STATUS_OK) fail_msg("%s", err.text);
    const struct transform_report *report = &rewrite.reports[0];
    assert_int_equal(report->considered, 5);
    assert_int_equal(report->changed, 2);
    assert_int_equal(report->refusal_count, 1);
    assert_int_equal(report->refusals[0].count, 3);
    assert_string_equal(report->refusals[0].reason, "only puts and gets can have a signal behind them");
    assert_non_null(strstr(report->refusals[0].place, "rank 0, event 2 (MPI_Accumulate)"));
    char *got = test_calls(rewrite.trace);
    assert_non_null(strstr(got, "MPI_Win_post win=0 group=0,2\n"));
    assert_non_null(strstr(got, "shmem_signal_wait_until win=1 disp=0\n"));
    free(got);
    rewrite_clear(&rewrite);
    trace_free(trace);
}

static void what_cannot_change(void **state)
{
    (void)state;
    test_refuses("pscw=notify",
                 TWO "0 0.0 0.0 MPI_Win_start win=0 group=1\n0 0.0 0.0 MPI_Win_complete win=0\n"
                     "1 0.0 0.0 MPI_Win_post win=0 group=0\n1 0.0 0.0 MPI_Win_test win=0 flag=1\n",
                 "rank 1, event 1 (MPI_Win_post): pscw=notify changes nothing: MPI_Win_test asks for its end");
    test_refuses("rma=p2p",
                 TWO "0 0.0 0.0 MPI_Win_lock win=0 target=1 lock=shared\n0 0.0 0.0 MPI_Put win=0 target=1 bytes=8\n"
                     "0 0.0 0.0 MPI_Win_unlock win=0 target=1\n",
                 "rank 0, event 1 (MPI_Win_lock): rma=p2p changes nothing: the target of a lock has no call that could receive");
    test_refuses("rma=p2p",
                 TWO "0 0.0 0.0 MPI_Win_start win=0 group=1\n"
                     "0 0.0 0.0 MPI_Fetch_and_op win=0 target=1 bytes=8 result_bytes=8 op=SUM\n"
                     "0 0.0 0.0 MPI_Win_complete win=0\n"
                     "1 0.0 0.0 MPI_Win_post win=0 group=0\n1 0.0 0.0 MPI_Win_wait win=0\n",
                 "its answer would be made of what arrives");
}

/* A put is a message to the target, a get one from it, an accumulate one that the target adds up by itself. The target's requests
 * are those that its wait completes; calls without computing between them have one MPI_Waitall. The messages have other tags than
 * the program's. The window goes. */
static void messages_of_epochs(void **state)
{
    (void)state;
    test_gives("rma=p2p",
               TWO "0 0.000000 0.000000 MPI_Win_create win=0\n"
                   "0 0.000000 0.000000 MPI_Isend comm=0 peer=1 tag=4 bytes=8 req=7\n"
                   "0 0.000000 0.000000 MPI_Win_start win=0 group=1\n"
                   "0 0.000001 0.000001 MPI_Put win=0 target=1 bytes=8\n"
                   "0 0.000002 0.000002 MPI_Get win=0 target=1 bytes=16\n"
                   "0 0.000003 0.000003 MPI_Accumulate win=0 target=1 bytes=24 op=SUM\n"
                   "0 0.000004 0.000006 MPI_Win_complete win=0\n"
                   "0 0.000006 0.000006 MPI_Win_free win=0\n"
                   "0 0.000006 0.000006 MPI_Wait req=7\n"
                   "1 0.000000 0.000000 MPI_Win_create win=0\n"
                   "1 0.000000 0.000000 MPI_Recv comm=0 peer=0 tag=4 bytes=8\n"
                   "1 0.000001 0.000002 MPI_Win_post win=0 group=0,1\n"
                   "1 0.000002 0.000002 MPI_Win_start win=0 group=1\n"
                   "1 0.000002 0.000002 MPI_Put win=0 target=1 bytes=32\n"
                   "1 0.000003 0.000003 MPI_Win_complete win=0\n"
                   "1 0.000003 0.000004 MPI_Win_wait win=0\n"
                   "1 0.000004 0.000004 MPI_Win_free win=0\n",
               "0 0.000000 0.000000 MPI_Isend comm=0 peer=1 tag=4 bytes=8 req=7\n"
               "0 0.000001 0.000001 MPI_Isend comm=0 peer=1 tag=5 bytes=8 req=8\n"
               "0 0.000002 0.000002 MPI_Irecv comm=0 peer=1 tag=6 bytes=16 req=9\n"
               "0 0.000003 0.000003 MPI_Isend comm=0 peer=1 tag=5 bytes=24 req=10\n"
               "0 0.000004 0.000006 MPI_Waitall reqs=8,9,10\n"
               "0 0.000006 0.000006 MPI_Wait req=7\n"
               "1 0.000000 0.000000 MPI_Recv comm=0 peer=0 tag=4 bytes=8\n"
               "1 0.000001 0.000002 MPI_Irecv comm=0 peer=0 tag=5 bytes=8 req=0\n"
               "1 0.000002 0.000002 MPI_Isend comm=0 peer=0 tag=6 bytes=16 req=1\n"
               "1 0.000002 0.000002 MPI_Irecv comm=0 peer=0 tag=5 bytes=24 req=2\n"
               "1 0.000002 0.000002 MPI_Irecv comm=0 peer=1 tag=5 bytes=32 req=3\n"
               "1 0.000002 0.000002 MPI_Isend comm=0 peer=1 tag=5 bytes=32 req=4\n"
               "1 0.000003 0.000003 MPI_Waitall reqs=0,1,2,3,4\n");
}

/* The target computes for 30 before its post. 1 MB leave in 100 and are there 10 later; 10000 bytes leave in 1.
 * put, notify: ready at 40, data 40 to 140, there at 150 (10000: 41, 51). p2p, 1 MB: asked for at 0, the receive of 30 is known
 * at 40, data until 140, there at 150. 10000 bytes are sent at once, and there at 11, before 30. get, notify: ready at 40, asked
 * until 50, data 50 to 150, there at 160; the signal at 170. p2p: the target asks at 30, is let go at 50, data until 150, there
 * at 160. */
static void times_by_hand(void **state)
{
    (void)state;
    static const char *const operations[] = {"MPI_Put", "MPI_Put", "MPI_Get"};
    static const int bytes[] = {1000000, 10000, 1000000};
    static const double notify_us[] = {150, 51, 170}, p2p_us[] = {150, 30, 160};
    static const char *const notify[] = {"pscw=notify", NULL}, *const p2p[] = {"rma=p2p", NULL};
    for (int i = 0; i < 3; i++)
        for (const char *letter = "abcd"; *letter; letter++) {
            char text[400], semantics[] = {*letter, '\0'};
            snprintf(text, sizeof text,
                     TWO "0 0.0 0.0 MPI_Win_start win=0 group=1\n0 0.0 0.0 %s win=0 target=1 bytes=%d\n"
                         "0 0.0 0.0 MPI_Win_complete win=0\n"
                         "1 0.0 enter early\n1 0.00003 leave early\n"
                         "1 0.00003 0.00003 MPI_Win_post win=0 group=0\n1 0.00003 0.00003 MPI_Win_wait win=0\n",
                     operations[i], bytes[i]);
            assert_us(test_run_rewritten_us(text, semantics, notify), notify_us[i]);
            assert_us(test_run_rewritten_us(text, semantics, p2p), p2p_us[i]);
        }
}

/* Rank 0 puts data and, behind a flush, a flag, for which rank 1 polls. The last data carry the signal; where the flush was, rank
 * 0 waits until they have left; flag and second flush go, with their time. A place is 2^40 * (1 + rank + ranks * window) + the
 * flag's. The second flag has no data. A put behind it keeps the flush, and the signal is waited for before that. */
#define POLL(AT) "1 0.0000" AT " 0.0000" AT " MPI_Fetch_and_op win=0 target=1 bytes=0 result_bytes=8 disp=0 op=NO_OP\n"
static const char polled[] = TWO "0 0.000000 0.000000 MPI_Win_lock_all win=0\n"
                                 "0 0.000030 0.000030 MPI_Put win=0 target=1 bytes=20 disp=20\n"
                                 "0 0.000030 0.000030 MPI_Put win=0 target=1 bytes=10000 disp=100\n"
                                 "0 0.000030 0.000032 MPI_Win_flush win=0 target=1\n"
                                 "0 0.000032 0.000032 MPI_Put win=0 target=1 bytes=8 disp=0\n"
                                 "0 0.000032 0.000040 MPI_Win_flush_all win=0\n"
                                 "0 0.000060 0.000060 MPI_Accumulate win=0 target=1 bytes=8 disp=0 op=SUM\n"
                                 "0 0.000060 0.000060 MPI_Put win=0 target=1 bytes=16 disp=20\n"
                                 "0 0.000060 0.000070 MPI_Win_flush win=0 target=1\n"
                                 "0 0.000080 0.000080 MPI_Win_unlock_all win=0\n"
                                 "1 0.000000 0.000000 MPI_Win_lock_all win=0\n" POLL("10") POLL("30") POLL("50")
                                 "1 0.000050 0.000055 MPI_Win_flush win=0 target=1\n"
                                 "1 0.000055 0.000055 MPI_Win_sync win=0\n"
                                 "1 0.000060 enter next\n1 0.000060 leave next\n" POLL("65") POLL("75")
                                 "1 0.000085 0.000085 MPI_Win_unlock_all win=0\n";

static void flags_of_puts(void **state)
{
    (void)state;
    test_gives("flag=notify", polled,
               "0 0.000000 0.000000 MPI_Win_lock_all win=0\n"
               "0 0.000030 0.000030 shmem_put_nbi win=1 target=1 bytes=20\n"
               "0 0.000030 0.000030 shmem_put_signal_req win=1 target=1 bytes=10000 disp=1099511627776 req=0\n"
               "0 0.000030 0.000032 MPI_Waitall reqs=0\n"
               "0 0.000052 0.000052 shmem_put_signal_req win=1 target=1 bytes=8 disp=1099511627776 req=1\n"
               "0 0.000052 0.000052 MPI_Put win=0 target=1 bytes=16 disp=20\n"
               "0 0.000052 0.000062 MPI_Waitall reqs=1\n"
               "0 0.000062 0.000072 MPI_Win_flush win=0 target=1\n"
               "0 0.000082 0.000082 MPI_Win_unlock_all win=0\n"
               "1 0.000000 0.000000 MPI_Win_lock_all win=0\n"
               "1 0.000010 0.000010 shmem_signal_wait_until win=1 disp=1099511627776\n"
               "1 0.000010 0.000015 MPI_Win_flush win=0 target=1\n"
               "1 0.000015 0.000015 MPI_Win_sync win=0\n"
               "1 0.000020 enter next\n1 0.000020 leave next\n"
               "1 0.000025 0.000025 shmem_signal_wait_until win=1 disp=1099511627776\n"
               "1 0.000035 0.000035 MPI_Win_unlock_all win=0\n");
}

/* The wait for the flag's request would be for nothing. */
static void flags_with_requests_stay(void **state)
{
    (void)state;
    test_refuses("flag=notify",
                 TWO "0 0.000000 0.000000 MPI_Win_lock_all win=0\n"
                     "0 0.000030 0.000030 MPI_Rput win=0 target=1 bytes=8 disp=0 req=1\n"
                     "0 0.000032 0.000040 MPI_Wait req=1\n"
                     "0 0.000080 0.000080 MPI_Win_unlock_all win=0\n"
                     "1 0.000000 0.000000 MPI_Win_lock_all win=0\n" POLL("10") POLL("30") POLL("50")
                 "1 0.000085 0.000085 MPI_Win_unlock_all win=0\n",
                 "a call waits for the flag's request");
}

/* In the recorded times each write comes before its poll ends, and each program would never end: what rank 0 does before it
 * writes waits for what rank 1 does behind its polls. A lock of rank 1 keeps the writer out. In the last
 * program nothing waits. */
static void polls_that_never_end(void **state)
{
    (void)state;
#define POLLS POLL("10") POLL("30") POLL("50")
#define WRITES(BEFORE)                                                                                                 \
    "0 0.000001 0.000001 MPI_Win_lock_all win=0\n" BEFORE "0 0.000032 0.000032 MPI_Put win=0 target=1 bytes=8 disp=0\n"        \
    "0 0.000032 0.000040 MPI_Win_flush win=0 target=1\n0 0.000080 0.000080 MPI_Win_unlock_all win=0\n"
#define POLLED(BEHIND)                                                                                                 \
    "1 0.000000 0.000000 MPI_Win_lock_all win=0\n" POLLS BEHIND "1 0.000085 0.000085 MPI_Win_unlock_all win=0\n"
    static const struct {
        const char *text, *why;
    } rows[] = {
        {TWO WRITES("0 0.000002 0.000003 MPI_Barrier comm=0\n") POLLED("1 0.000060 0.000061 MPI_Barrier comm=0\n"),
         "comes behind it"},
        {TWO WRITES("0 0.000002 0.000003 MPI_Recv comm=0 peer=1 tag=0 bytes=8\n")
             POLLED("1 0.000060 0.000061 MPI_Send comm=0 peer=0 tag=0 bytes=8\n"),
         "comes behind it"},
        {TWO WRITES("0 0.000002 0.000003 MPI_Irecv comm=0 peer=1 tag=0 bytes=8 req=1\n0 0.000004 0.000005 MPI_Wait req=1\n")
             POLLED("1 0.000060 0.000061 MPI_Send comm=0 peer=0 tag=0 bytes=8\n"),
         "comes behind it"},
        {TWO WRITES("0 0.000002 0.000003 MPI_Ibarrier comm=0 req=1\n0 0.000004 0.000005 MPI_Wait req=1\n")
             POLLED("1 0.000060 0.000061 MPI_Ibarrier comm=0 req=1\n1 0.000062 0.000063 MPI_Wait req=1\n"),
         "comes behind it"},
        {TWO "window 1 comm=0\n" WRITES("0 0.000002 0.000003 MPI_Win_start win=1 group=1\n"
                                         "0 0.000004 0.000005 MPI_Win_complete win=1\n")
             POLLED("1 0.000060 0.000061 MPI_Win_post win=1 group=0\n1 0.000062 0.000063 MPI_Win_wait win=1\n"),
         "may wait for what comes behind it"},
        {TWO WRITES("0 0.000002 0.000003 MPI_Send comm=0 peer=1 tag=0 bytes=8\n")
             POLLED("1 0.000060 0.000061 MPI_Recv comm=0 peer=0 tag=0 bytes=8\n"),
         "may wait for what comes behind it"},
        {TWO "0 0.000031 0.000031 MPI_Win_lock win=0 target=1 lock=shared\n"
             "0 0.000032 0.000032 MPI_Put win=0 target=1 bytes=8 disp=0\n"
             "0 0.000032 0.000040 MPI_Win_unlock win=0 target=1\n"
             "1 0.000000 0.000001 MPI_Win_lock win=0 target=1 lock=exclusive\n" POLLS
             "1 0.000060 0.000061 MPI_Win_unlock win=0 target=1\n",
         "holds a lock that keeps others out"},
        {TWO WRITES("0 0.000002 0.000003 MPI_Irecv comm=0 peer=1 tag=0 bytes=8 req=1\n")
             "0 0.000090 0.000091 MPI_Wait req=1\n" POLLED("1 0.000060 0.000061 MPI_Send comm=0 peer=0 tag=0 bytes=8\n"),
         NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const char *const specs[][2] = {{"polls", NULL}, {"flag=notify", NULL}};
        for (int k = 0; k < 2; k++)
            if (rows[i].why)
                test_refuses(specs[k][0], rows[i].text, rows[i].why);
            else
                assert_true(test_run_rewritten_us(rows[i].text, "a", specs[k]) > 0);
    }
}

/* One heap for both; the places of the second begin behind those of the first. */
static void one_heap(void **state)
{
    (void)state;
    static const char *const specs[][2] = {{"flag=notify", "pscw=notify"}, {"pscw=notify", "flag=notify"}};
    char text[4096];
    snprintf(text, sizeof text, "%s%s", polled,
             "0 0.0002 0.0002 MPI_Win_start win=1 group=1\n0 0.0002 0.0002 MPI_Win_complete win=1\n"
             "1 0.0002 0.0002 MPI_Win_post win=1 group=0\n1 0.0002 0.0002 MPI_Win_wait win=1\n");
    char *windows = strstr(text, "window 0 comm=0\n");
    memmove(windows + 32, windows + 16, strlen(windows + 16) + 1);
    memcpy(windows + 16, "window 1 comm=0\n", 16);
    for (int i = 0; i < 2; i++) {
        struct trace *trace = test_read(text);
        struct rewrite rewrite;
        struct err err;
        if (rewrite_run(trace, specs[i], 2, &rewrite, &err) != STATUS_OK) fail_msg("%s", err.text);
        assert_int_equal(rewrite.trace->definitions.window_count, 3);
        assert_true(rewrite.reports[0].changed > 0 && rewrite.reports[1].changed > 0);
        char *calls = test_calls(rewrite.trace);
        assert_non_null(strstr(calls, "disp=1099511627776"));
        free(calls);
        rewrite_clear(&rewrite);
        trace_free(trace);
    }
}

/* The receives that follow each other, in the order of their ranks: a group has no order. */
static int compare_lines(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Calls without times, requests and marks. */
static char *names_of(const struct trace *trace)
{
    char *calls = test_calls(trace), *lines[16384], *text = calloc(strlen(calls) + 1, 1);
    size_t count = 0;
    assert_non_null(text);
    for (char *line = strtok(calls, "\n"); line; line = strtok(NULL, "\n")) {
        if (strstr(line, " enter ") || strstr(line, " leave ")) continue;
        char *request = strstr(line, " req"), *call = strstr(line, " MPI_");
        if (request) *request = '\0';
        memmove(line + strcspn(line, " "), call, strlen(call) + 1);
        assert_true(count < sizeof lines / sizeof *lines);
        lines[count++] = line;
    }
    for (size_t i = 0, end; i < count; i = end > i ? end : i + 1) {
        for (end = i; end < count && strstr(lines[end], "MPI_Irecv") && *lines[end] == *lines[i]; end++) continue;
        if (end > i + 1) qsort(lines + i, end - i, sizeof *lines, compare_lines);
    }
    for (size_t i = 0; i < count; i++) strcat(strcat(text, lines[i]), "\n");
    free(calls);
    return text;
}

/* A generated exchange by post, start, complete and wait, or by fences, becomes the generated exchange by messages;
 * and that one, turned into epochs and back, is what it was. */
static void generated_messages(void **state)
{
    (void)state;
    static const struct {
        const char *sync, *specs[2];
        size_t count;
    } ways[] = {{"pscw", {"rma=p2p"}, 1},
                {"fence", {"rma=p2p"}, 1},
                {"p2p", {"p2p=pscw", "rma=p2p"}, 2},
                {"p2p", {"p2p=fence", "rma=p2p"}, 2}};
    enum { WAYS = sizeof ways / sizeof *ways };
    for (size_t i = 0; generate_patterns()[i / WAYS]; i++) {
        struct generate_options options = {.pattern = generate_patterns()[i / WAYS],
                                           .sync = ways[i % WAYS].sync,
                                           .ranks = 6,
                                           .iterations = 3,
                                           .bytes = 5000,
                                           .compute_s = 1e-3};
        struct trace *epochs, *messages;
        struct rewrite rewrite;
        struct err err;
        if (generate_trace(&options, &epochs, &err) != STATUS_OK) fail_msg("%s", err.text);
        options.sync = "p2p";
        if (generate_trace(&options, &messages, &err) != STATUS_OK) fail_msg("%s", err.text);
        if (rewrite_run(epochs, ways[i % WAYS].specs, ways[i % WAYS].count, &rewrite, &err) != STATUS_OK)
            fail_msg("%s", err.text);
        char *got = names_of(rewrite.trace), *expected = names_of(messages);
        assert_string_equal(got, expected);
        free(got);
        free(expected);
        rewrite_clear(&rewrite);
        trace_free(epochs);
        trace_free(messages);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_put_has_the_signal), cmocka_unit_test(signals_without_data),
        cmocka_unit_test(paired_epochs_stay_together), cmocka_unit_test(what_cannot_change),
        cmocka_unit_test(messages_of_epochs), cmocka_unit_test(times_by_hand),
        cmocka_unit_test(flags_of_puts), cmocka_unit_test(flags_with_requests_stay),
        cmocka_unit_test(polls_that_never_end), cmocka_unit_test(one_heap),
        cmocka_unit_test(generated_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
