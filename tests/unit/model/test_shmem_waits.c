/* Wait for Write and Late Signal: which write ends a wait of OpenSHMEM, and for how long it was waited. */
#include "model_test.h"

#include <string.h>

#include "model/match/shmem_writes.h"
#include "model/result/result.h"

#define HEAP(RANKS) "ranks " #RANKS "\nwindow 0 comm=0 flavor=heap\n"

static void expect(const char *text, uint32_t rank, int64_t us, uint64_t count)
{
    struct totals totals = account_of(text, NULL);
    assert_int_equal(totals.severity_ps[PATTERN_WAIT_FOR_WRITE][rank], us * US);
    assert_int_equal(totals_count(&totals, PATTERN_WAIT_FOR_WRITE), count);
    totals_clear(&totals);
}

/* PE 1 waits from 15 on. */
static void bounded_by_the_put(void **state)
{
    (void)state;
    /* The put has returned at 55, before the wait does: 55 - 15. */
    expect(HEAP(2) "0 0.000045 0.000055 shmem_put win=0 target=1 bytes=8 disp=64\n"
                   "1 0.000015 0.000062 shmem_wait_until win=0 disp=64\n",
           1, 40, 1);
    /* An atomic is a write, too. */
    expect(HEAP(2) "0 0.000045 0.000055 shmem_atomic_add win=0 target=1 bytes=8 disp=64 op=SUM\n"
                   "1 0.000015 0.000062 shmem_wait_until win=0 disp=64\n",
           1, 40, 1);
    /* No other put than the one that is still under way can have ended the wait: 62 - 15. */
    expect(HEAP(2) "0 0.000045 0.000070 shmem_put win=0 target=1 bytes=8 disp=64\n"
                   "1 0.000015 0.000062 shmem_wait_until win=0 disp=64\n",
           1, 47, 1);
}

static void the_latest_put_to_the_address(void **state)
{
    (void)state;
    /* Those of PE 0 at 30 and of PE 2 at 40 have returned, PE 0's second one at 70 has not; 50 is of another address,
     * 45 of another PE: 40 - 15. */
    expect(HEAP(3) "0 0.000028 0.000030 shmem_put win=0 target=1 bytes=8 disp=64\n"
                   "2 0.000020 0.000040 shmem_put win=0 target=1 bytes=100 disp=0\n"
                   "2 0.000044 0.000045 shmem_put win=0 target=0 bytes=100 disp=0\n"
                   "2 0.000049 0.000050 shmem_put win=0 target=1 bytes=8 disp=128\n"
                   "0 0.000060 0.000070 shmem_put win=0 target=1 bytes=8 disp=64\n"
                   "1 0.000015 0.000062 shmem_wait_until win=0 disp=64\n",
           1, 25, 1);
}

static void no_wait(void **state)
{
    (void)state;
    /* The put returned as the wait began; nobody wrote there; the put began behind the wait; the PE wrote itself. */
    expect(HEAP(2) "0 0.000005 0.000015 shmem_put win=0 target=1 bytes=8 disp=64\n"
                   "1 0.000015 0.000016 shmem_wait_until win=0 disp=64\n",
           1, 0, 0);
    expect(HEAP(2) "0 0.000045 0.000055 shmem_put win=0 target=1 bytes=8 disp=72\n"
                   "1 0.000015 0.000062 shmem_wait_until win=0 disp=64\n",
           1, 0, 0);
    expect(HEAP(2) "0 0.000063 0.000064 shmem_put win=0 target=1 bytes=8 disp=64\n"
                   "1 0.000015 0.000062 shmem_wait_until win=0 disp=64\n",
           1, 0, 0);
    expect(HEAP(2) "1 0.000005 0.000012 shmem_put win=0 target=1 bytes=8 disp=64\n"
                   "1 0.000015 0.000062 shmem_wait_until win=0 disp=64\n",
           1, 0, 0);
}

/* What counts of a row is the time inside its tests up to the put's return at 25: 10-12, 20-22 and of 24-28 one; the
 * test of another address at 14-16 belongs to a row without end. The wait at 40 begins a new row: the put at 44-52 ends
 * the test at 50-54 and was not there in the one at 46-47: 1 + 2. */
static void rows_of_tests(void **state)
{
    (void)state;
    expect(HEAP(2) "0 0.000021 0.000025 shmem_put win=0 target=1 bytes=8 disp=64\n"
                   "0 0.000044 0.000052 shmem_put win=0 target=1 bytes=8 disp=64\n"
                   "1 0.000010 0.000012 shmem_test win=0 disp=64 flag=0\n"
                   "1 0.000014 0.000016 shmem_test win=0 disp=128 flag=0\n"
                   "1 0.000020 0.000022 shmem_test win=0 disp=64 flag=0\n"
                   "1 0.000024 0.000028 shmem_test win=0 disp=64 flag=1\n"
                   "1 0.000040 0.000040 shmem_wait_until win=0 disp=64\n"
                   "1 0.000046 0.000047 shmem_test win=0 disp=64 flag=0\n"
                   "1 0.000050 0.000054 shmem_test win=0 disp=64 flag=1\n",
           1, 2 + 2 + 1 + 1 + 2, 2);
}

static void expect_signal(const char *text, int64_t us)
{
    struct totals totals = account_of(text, NULL);
    assert_int_equal(totals.severity_ps[PATTERN_LATE_SIGNAL][1], us * US);
    assert_int_equal(totals_count(&totals, PATTERN_WAIT_FOR_WRITE), 0);
    totals_clear(&totals);
}

/* PE 1 waits for its signal at 64 from 15 on. */
static void signals(void **state)
{
    (void)state;
    /* The put returned at 55. It has no bytes, and a signal all the same. */
    expect_signal(HEAP(2) "0 0.000045 0.000055 shmem_put_signal win=0 target=1 bytes=0 disp=64\n"
                          "1 0.000015 0.000062 shmem_signal_wait_until win=0 disp=64\n",
                  40);
    /* The later put, of 100 bytes, has its signal at 0: its data are not at 0 to 99. */
    expect_signal(HEAP(2) "0 0.000020 0.000030 shmem_put_signal win=0 target=1 bytes=8 disp=64\n"
                          "0 0.000045 0.000055 shmem_put_signal win=0 target=1 bytes=100 disp=0\n"
                          "1 0.000015 0.000062 shmem_signal_wait_until win=0 disp=64\n",
                  15);
    /* An atomic sets the signal, too. */
    expect_signal(HEAP(2) "0 0.000030 0.000040 shmem_atomic_set win=0 target=1 bytes=8 disp=64\n"
                          "1 0.000015 0.000062 shmem_signal_wait_until win=0 disp=64\n",
                  25);
}

/* What the n-th wait waits for, whatever the times say; a place that two ranks put to, or that has another number of waits, is
 * not paired. */
static void pairs_of_signals(void **state)
{
    (void)state;
    struct err err;
    struct shmem_writes writes;
    struct trace *trace = trace_of(HEAP(3) "0 0.0 0.0 shmem_signal_wait_until win=0 disp=8\n"
                                           "0 0.0 0.0 shmem_signal_wait_until win=0 disp=16\n"
                                           "0 0.0 0.0 shmem_signal_wait_until win=0 disp=8\n"
                                           "0 0.0 0.0 shmem_signal_wait_until win=0 disp=24\n"
                                           "1 0.1 0.1 shmem_put_signal win=0 target=0 bytes=1 disp=16\n"
                                           "1 0.2 0.2 shmem_put_signal_nbi win=0 target=0 bytes=9 disp=8\n"
                                           "1 0.3 0.3 shmem_put_signal_req win=0 target=0 bytes=0 disp=8 req=1\n"
                                           "1 0.3 0.3 shmem_put_signal win=0 target=0 bytes=0 disp=24\n"
                                           "2 0.1 0.1 shmem_put_signal win=0 target=0 bytes=0 disp=16\n"
                                           "2 0.1 0.1 shmem_put_signal win=0 target=0 bytes=0 disp=32\n");
    assert_int_equal(shmem_writes_find(trace, &writes, &err), STATUS_OK);
    assert_int_equal(shmem_writes_pair(trace, &writes, &err), STATUS_OK);
    static const int causes[] = {1, -1, 2, 3}; /* calls of PE 1 */
    for (size_t i = 0; i < 4; i++) {
        const struct shmem_write *cause = shmem_writes_cause(&writes, trace, 0, i);
        assert_int_equal(cause ? (int)cause->call : -1, causes[i]);
    }
    shmem_writes_clear(&writes);
    trace_free(trace);
}

/* PE 0 computes in "late" from 0 to 40 and puts from 40 to 50; PE 1 waits from 10 to 53 and ends at 60. Of the 40 us of
 * the wait PE 0 computes 30 and puts 10. The path is PE 0's up to 50, then PE 1's: 3 in the wait, 7 computing. */
static void causes_of_waits(void **state)
{
    (void)state;
    struct err err;
    struct result *result;
    struct analyze_options options = ANALYZE_DEFAULTS;
    options.intervals = true;
    struct trace *trace = trace_of(HEAP(2) "0 0.0 enter late\n0 0.000040 leave late\n"
                                           "0 0.000040 0.000050 shmem_put win=0 target=1 bytes=8 disp=64\n"
                                           "1 0.000010 0.000053 shmem_wait_until win=0 disp=64\n"
                                           "1 0.000060 0.000060 shmem_fence win=0\n");
    if (model_analyze(trace, &options, &result, &err) != STATUS_OK) fail_msg("%s", err.text);
    const struct result_share *causes = result->causes.items, *path = result->critical_path.items;
    assert_int_equal(result->causes.count, 2);
    assert_string_equal(causes[0].callpath, "late");
    assert_float_equal((float)(causes[0].time_s * 1e6), 30.0f, 1e-3f);
    assert_string_equal(causes[1].activity, "shmem_put");
    assert_float_equal((float)(causes[1].time_s * 1e6), 10.0f, 1e-3f);
    assert_float_equal((float)(result->critical_path.total_s * 1e6), 60.0f, 1e-3f);
    assert_string_equal(path[0].callpath, "late");
    assert_float_equal((float)(path[0].time_s * 1e6), 40.0f, 1e-3f);
    assert_int_equal(path[0].who.rank, 0);
    assert_string_equal(path[1].activity, "shmem_put");
    const char *advice = result->patterns[PATTERN_WAIT_FOR_WRITE].places[0].advice;
    assert_string_equal(advice, "move shmem_put of rank 0 up to 40 us earlier, or shmem_wait_until up to 40 us later");
    result_free(result);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounded_by_the_put),
        cmocka_unit_test(the_latest_put_to_the_address),
        cmocka_unit_test(no_wait),
        cmocka_unit_test(rows_of_tests),
        cmocka_unit_test(signals),
        cmocka_unit_test(pairs_of_signals),
        cmocka_unit_test(causes_of_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
