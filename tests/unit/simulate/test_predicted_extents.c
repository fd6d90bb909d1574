/* A predicted trace keeps what the buffers of the calls span, also where its threads' calls come in another order, and
 * through a child process; traces that differ in it have other digests. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "simulate/verify/child_replay.h"
#include "simulate/verify/digest.h"
#include "simulate/verify/permute.h"
#include "trace_test.h"
#include "verify_test.h"

/* Thread 1's receive ended at 1 ms when it was recorded, and its send (tag 2) came before thread 0's (tag 3) at 2 ms.
 * But rank 1 sends at 5 ms only, so in the replay tag 3 goes first. */
static const char threads[] = "rmacast-trace 1\nranks 2\n"
                              "0 0 0.000001 MPI_Init_thread\n"
                              "0 0.000001 0.001 MPI_Recv comm=0 peer=1 tag=1 bytes=8 recv_extent=40 thread=1\n"
                              "0 0.0011 0.001101 MPI_Send comm=0 peer=1 tag=2 bytes=8 send_extent=16 thread=1\n"
                              "0 0.002 0.002001 MPI_Send comm=0 peer=1 tag=3 bytes=24 send_extent=%d\n"
                              "1 0 0.000001 MPI_Init_thread\n"
                              "1 0.005 0.005001 MPI_Send comm=0 peer=0 tag=1 bytes=8\n"
                              "1 0.006 0.0061 MPI_Recv comm=0 peer=0 tag=2 bytes=8\n"
                              "1 0.0062 0.0063 MPI_Recv comm=0 peer=0 tag=3 bytes=24 recv_extent=56\n";

static struct trace *trace_with(int extent)
{
    char text[2048];
    snprintf(text, sizeof text, threads, extent);
    return trace_of(text);
}

static void assert_predicted(const struct trace *made)
{
    static const struct {
        int32_t tag;
        int64_t send, receive;
    } expected[2][4] = {{{0, 0, 0}, {1, 0, 40}, {3, 57, 0}, {2, 16, 0}}, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 56}}};
    for (uint32_t rank = 0; rank < 2; rank++) {
        assert_int_equal(made->ranks[rank].count, 4);
        for (size_t i = 0; i < 4; i++) {
            struct trace_extents extents = trace_call_extents(made, rank, i);
            assert_int_equal(made->ranks[rank].calls[i].message.tag, expected[rank][i].tag);
            assert_int_equal(extents.of[TRACE_SEND], expected[rank][i].send);
            assert_int_equal(extents.of[TRACE_TARGET], 0);
            assert_int_equal(extents.of[TRACE_RECEIVE], expected[rank][i].receive);
        }
    }
}

static void replays_keep_them(void **state)
{
    (void)state;
    struct trace *trace = trace_with(57);
    struct platform *platform = test_platform("a", NULL);
    struct replay_options options = {.engine = engine_by_name("loggp"), .keep_trace = true};
    struct err err = {.text = ""};
    struct replay_outcome outcome = {0}, apart = {0};
    if (replay_run(trace, platform, &options, &outcome, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_predicted(outcome.trace);
    if (child_replay(trace, platform, &options, &apart, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_predicted(apart.trace);
    assert_traces_equal(outcome.trace, apart.trace);
    replay_outcome_clear(&outcome);
    replay_outcome_clear(&apart);
    platform_free(platform);
    trace_free(trace);
}

static uint64_t digest_of(const struct trace *trace)
{
    uint64_t digest;
    struct err err;
    assert_int_equal(verify_digest(trace, &digest, &err), STATUS_OK);
    return digest;
}

static void digests_tell_them_apart(void **state)
{
    (void)state;
    struct trace *one = trace_with(57), *other = trace_with(58), *permuted;
    struct err err;
    assert_int_equal(verify_permute(one, &permuted, &err), STATUS_OK);
    assert_true(digest_of(one) == digest_of(permuted));
    assert_true(digest_of(one) != digest_of(other));
    trace_free(one);
    trace_free(other);
    trace_free(permuted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replays_keep_them),
        cmocka_unit_test(digests_tell_them_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
