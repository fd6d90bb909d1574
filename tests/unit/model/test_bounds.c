/* Bounds of transfers by MPI's completion rules R1-R6 on hand-made times. */
#include "model_test.h"

#include <string.h>

#include "model/transfers/bounds.h"

struct expected {
    int64_t start_us, lower_us, upper_us; /* upper -1: not known */
};

static void check(const char *text, const struct expected *rows, size_t count)
{
    struct err err;
    struct transfers transfers;
    struct trace *trace = trace_of(text);
    if (bounds_find(trace, &transfers, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_int_equal(transfers.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(transfers.items[i].start_ps, rows[i].start_us * US);
        assert_int_equal(transfers.items[i].lower_end_ps, rows[i].lower_us * US);
        assert_int_equal(transfers.items[i].upper_end_ps,
                         rows[i].upper_us < 0 ? TRACE_UNKNOWN_PS : rows[i].upper_us * US);
    }
    transfers_clear(&transfers);
    trace_free(trace);
}

#define CHECK(text, ...)                                                                                               \
    do {                                                                                                               \
        const struct expected rows_[] = {__VA_ARGS__};                                                                 \
        check(text, rows_, sizeof rows_ / sizeof *rows_);                                                              \
    } while (0)

#define TWO "ranks 2\nwindow 0 comm=0\n"

static void active_target(void **state)
{
    (void)state;
    /* R3: put and accumulate end by the target's wait (exit 90); R1: the get by the origin's complete (exit 60). */
    CHECK(TWO "0 0.000010 0.000011 MPI_Win_start win=0 group=1\n0 0.000020 0.000021 MPI_Put win=0 target=1 bytes=8\n"
              "0 0.000022 0.000023 MPI_Get win=0 target=1 bytes=8\n"
              "0 0.000024 0.000025 MPI_Accumulate win=0 target=1 bytes=8 op=SUM\n"
              "0 0.000050 0.000060 MPI_Win_complete win=0\n"
              "1 0.000000 0.000001 MPI_Win_post win=0 group=0\n1 0.000002 0.000090 MPI_Win_wait win=0\n",
          {20, 21, 90}, {22, 23, 60}, {24, 25, 90});
}

static void successful_test(void **state)
{
    (void)state;
    CHECK(TWO "0 0.000010 0.000011 MPI_Win_start win=0 group=1\n0 0.000020 0.000021 MPI_Put win=0 target=1 bytes=8\n"
              "0 0.000050 0.000060 MPI_Win_complete win=0\n"
              "1 0.000000 0.000001 MPI_Win_post win=0 group=0\n1 0.000002 0.000003 MPI_Win_test win=0 flag=0\n"
              "1 0.000070 0.000071 MPI_Win_test win=0 flag=1\n",
          {20, 21, 71});
}

static void fence(void **state)
{
    (void)state;
    /* R2: the put by the target's closing fence (exit 57), the get by the origin's (55). The fence NOPRECEDE at 30
     * closes nothing; the second epoch's put ends with the third completing fence (target's exit 93). */
    CHECK(TWO "0 0.000000 0.000001 MPI_Win_fence win=0\n0 0.000010 0.000011 MPI_Put win=0 target=1 bytes=8\n"
              "0 0.000012 0.000013 MPI_Get win=0 target=1 bytes=8\n"
              "0 0.000030 0.000031 MPI_Win_fence win=0 assert=NOPRECEDE\n"
              "0 0.000050 0.000055 MPI_Win_fence win=0\n0 0.000060 0.000061 MPI_Put win=0 target=1 bytes=8\n"
              "0 0.000090 0.000092 MPI_Win_fence win=0 assert=NOSUCCEED\n"
              "1 0.000000 0.000002 MPI_Win_fence win=0\n1 0.000030 0.000032 MPI_Win_fence win=0 assert=NOPRECEDE\n"
              "1 0.000050 0.000057 MPI_Win_fence win=0\n1 0.000090 0.000093 MPI_Win_fence win=0 assert=NOSUCCEED\n",
          {10, 11, 57}, {12, 13, 55}, {60, 61, 93});
}

static void no_epoch_after_nosucceed(void **state)
{
    (void)state;
    expect_fault(TWO "0 0.0 0.1 MPI_Win_fence win=0 assert=NOSUCCEED\n0 0.2 0.3 MPI_Put win=0 target=1 bytes=8\n",
                 (const char *const[]){"event 2 (MPI_Put)", "outside any access epoch", NULL});
}

static void locks(void **state)
{
    (void)state;
    /* R4: everything by the origin's unlock of that target; several targets may be locked at once, oneself too. */
    CHECK(TWO "0 0.000000 0.000001 MPI_Win_lock win=0 target=1 lock=shared\n"
              "0 0.000002 0.000003 MPI_Win_lock win=0 target=0 lock=exclusive\n"
              "0 0.000010 0.000011 MPI_Put win=0 target=1 bytes=8\n0 0.000012 0.000013 MPI_Get win=0 target=0 bytes=8\n"
              "0 0.000020 0.000030 MPI_Win_unlock win=0 target=0\n0 0.000031 0.000040 MPI_Win_unlock win=0 target=1\n",
          {10, 11, 40}, {12, 13, 30});
}

static void open_epochs(void **state)
{
    (void)state;
    /* The origin never completes; of the second pair the target never waits. */
    CHECK("ranks 2\nwindow 0 comm=0\nwindow 1 comm=0\n"
          "0 0.000010 0.000011 MPI_Win_start win=0 group=1\n0 0.000020 0.000021 MPI_Put win=0 target=1 bytes=8\n"
          "0 0.000030 0.000031 MPI_Win_start win=1 group=1\n0 0.000040 0.000041 MPI_Put win=1 target=1 bytes=8\n"
          "0 0.000042 0.000043 MPI_Get win=1 target=1 bytes=8\n0 0.000050 0.000051 MPI_Win_complete win=1\n"
          "1 0.000000 0.000001 MPI_Win_post win=0 group=0\n1 0.000001 0.000002 MPI_Win_post win=1 group=0\n",
          {20, 21, -1}, {40, 41, -1}, {42, 43, 51});
}

static void within_bounds(void **state)
{
    (void)state;
    struct err err;
    struct transfers transfers;
    struct trace *trace =
        trace_of(TWO "0 0.000000 0.000001 MPI_Win_lock win=0 target=1 lock=shared\n"
                     "0 0.000010 0.000020 MPI_Put win=0 target=1 bytes=8\n"
                     "0 0.000030 0.000040 MPI_Win_unlock win=0 target=1\n");
    struct trace_sim sim[3] = {{.xfer_end_ps = TRACE_UNKNOWN_PS}};
    assert_int_equal(bounds_find(trace, &transfers, &err), STATUS_OK);
    assert_false(transfer_within_bounds(trace, &transfers.items[0]));
    trace->ranks[0].sim = sim;
    const int64_t ends_us[] = {19, 20, 40, 41};
    const bool within[] = {false, true, true, false};
    for (size_t i = 0; i < 4; i++) {
        sim[1].xfer_end_ps = ends_us[i] * US;
        assert_int_equal(transfer_within_bounds(trace, &transfers.items[0]), within[i]);
    }
    trace->ranks[0].sim = NULL;
    transfers_clear(&transfers);
    trace_free(trace);
}

/* OpenSHMEM: what waits for an answer has it at its exit; the rest ends with the rank's next quiet, barrier or
 * clear_lock. The last put has none. */
static void shmem(void **state)
{
    (void)state;
    CHECK("ranks 2\nwindow 0 comm=0 flavor=heap\n"
          "0 0.000010 0.000011 shmem_put win=0 target=1 bytes=8\n"
          "0 0.000012 0.000013 shmem_get_nbi win=0 target=1 bytes=8\n"
          "0 0.000014 0.000020 shmem_get win=0 target=1 bytes=8\n"
          "0 0.000021 0.000022 shmem_atomic_inc win=0 target=1 bytes=8\n"
          "0 0.000023 0.000030 shmem_quiet win=0\n"
          "0 0.000031 0.000033 shmem_atomic_swap win=0 target=1 bytes=8 result_bytes=8\n"
          "0 0.000034 0.000035 shmem_put_nbi win=0 target=1 bytes=8\n0 0.000040 0.000050 shmem_barrier_all comm=0\n"
          "1 0.000039 0.000050 shmem_barrier_all comm=0\n"
          "1 0.000060 0.000061 shmem_p win=0 target=0 bytes=8\n",
          {10, 11, 30}, {12, 13, 30}, {14, 20, 20}, {21, 22, 30}, {31, 33, 33}, {34, 35, 50}, {60, 61, -1});
}

/* A call in which the timeline breaks off completes nothing: a put is not complete at a quiet, a get not at its exit; an earlier
 * quiet that returned completes the puts before it. Of MPI: fence, wait, complete of a get, unlock. */
static void calls_that_break_off(void **state)
{
    (void)state;
#define HEAP "ranks 2\nwindow 0 comm=0 flavor=heap\n"
    CHECK(HEAP "0 0.000010 0.000020 shmem_put win=0 target=1 bytes=8\n0 0.000030 0.000040 shmem_quiet win=0 break=1\n",
          {10, 20, -1});
    CHECK(HEAP "0 0.000010 0.000020 shmem_put win=0 target=1 bytes=8\n0 0.000030 0.000040 shmem_quiet win=0\n"
               "0 0.000050 0.000060 shmem_atomic_inc win=0 target=1 bytes=8\n0 0.000070 0.000080 shmem_quiet win=0 break=1\n",
          {10, 20, 40}, {50, 60, -1});
    CHECK(HEAP "0 0.000010 0.000020 shmem_get win=0 target=1 bytes=8 break=1\n", {10, 20, -1});
    CHECK(HEAP "0 0.000010 0.000020 shmem_atomic_swap win=0 target=1 bytes=8 result_bytes=8 break=1\n", {10, 20, -1});
    CHECK(TWO "0 0.000000 0.000001 MPI_Win_fence win=0\n0 0.000010 0.000011 MPI_Put win=0 target=1 bytes=8\n"
              "0 0.000012 0.000013 MPI_Get win=0 target=1 bytes=8\n0 0.000050 0.000055 MPI_Win_fence win=0\n"
              "1 0.000000 0.000002 MPI_Win_fence win=0\n1 0.000050 0.000057 MPI_Win_fence win=0 break=1\n",
          {10, 11, -1}, {12, 13, 55});
    CHECK(TWO "0 0.000010 0.000011 MPI_Win_start win=0 group=1\n0 0.000020 0.000021 MPI_Put win=0 target=1 bytes=8\n"
              "0 0.000022 0.000023 MPI_Get win=0 target=1 bytes=8\n0 0.000050 0.000060 MPI_Win_complete win=0 break=1\n"
              "1 0.000000 0.000001 MPI_Win_post win=0 group=0\n1 0.000002 0.000090 MPI_Win_wait win=0 break=1\n",
          {20, 21, -1}, {22, 23, -1});
    CHECK(TWO "0 0.000000 0.000001 MPI_Win_lock win=0 target=1 lock=shared\n0 0.000010 0.000011 MPI_Put win=0 target=1 bytes=8\n"
              "0 0.000031 0.000040 MPI_Win_unlock win=0 target=1 break=1\n",
          {10, 11, -1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(active_target), cmocka_unit_test(successful_test),
        cmocka_unit_test(fence),         cmocka_unit_test(no_epoch_after_nosucceed),
        cmocka_unit_test(locks),         cmocka_unit_test(open_epochs),
        cmocka_unit_test(within_bounds), cmocka_unit_test(shmem),
        cmocka_unit_test(calls_that_break_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
