/* A real run whose ranks have clocks with different offsets and drifts (programs/shifted_clock.c, preloaded): the trace
 * has the machine's times within the error that the ping-pong states, and no effect before its cause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "run.h"

enum { RANKS = 4, MARKS = 8 };

/* When the machine's clock says that a mark was made: not before, not after. */
struct marks {
    long long before_ns[MARKS], behind_ns[MARKS];
};

static void read_marks(const char *prefix, int rank, struct marks *marks)
{
    char name[128];
    snprintf(name, sizeof name, "%s.%d", prefix, rank);
    FILE *in = fopen(name, "r");
    assert_non_null(in);
    for (int i = 0; i < MARKS; i++)
        assert_int_equal(fscanf(in, "%lld %lld", &marks->before_ns[i], &marks->behind_ns[i]), 2);
    fclose(in);
    unlink(name);
}

/* The enter of the send to nobody with tag i, in ns of the trace. */
static double mark_ns(const struct trace *trace, int rank, int i)
{
    const struct trace_rank *process = &trace->ranks[rank];
    for (size_t k = 0; k < process->count; k++)
        if (process->calls[k].call == ID_Send && process->calls[k].message.tag == i)
            return (double)process->calls[k].enter_ps / 1000;
    fail_msg("rank %d has no mark %d", rank, i);
    return 0;
}

/* Rank 0's clock is the machine's: every mark of it bounds trace time minus machine time. moved_ns: repairing effects
 * before their causes may have moved a mark forward by so much. */
static void bound_shift(const struct trace *trace, const struct marks *marks, double moved_ns, double *low_ns,
                        double *high_ns)
{
    *low_ns = -1e300;
    *high_ns = 1e300;
    for (int i = 0; i < MARKS; i++) {
        double at_ns = mark_ns(trace, 0, i);
        double low = at_ns - moved_ns - (double)marks->behind_ns[i], high = at_ns - (double)marks->before_ns[i];
        if (low > *low_ns) *low_ns = low;
        if (high < *high_ns) *high_ns = high;
    }
    assert_true(*low_ns <= *high_ns);
}

/* An effect stands before its cause by no more than the errors of both ranks. */
static void expect_times(const struct trace *trace, const char *prefix)
{
    struct marks marks[RANKS];
    double low_ns, high_ns, error_ns = trace->provenance.clock.worst_error_s * 1e9;
    double moved_ns = trace->provenance.clock.violations > 0 ? 2 * error_ns : 0;
    for (int rank = 0; rank < RANKS; rank++) read_marks(prefix, rank, &marks[rank]);
    bound_shift(trace, &marks[0], moved_ns, &low_ns, &high_ns);
    for (int rank = 1; rank < RANKS; rank++)
        for (int i = 0; i < MARKS; i++) {
            double at_ns = mark_ns(trace, rank, i);
            double least_ns = (double)marks[rank].before_ns[i] + low_ns - error_ns;
            double most_ns = (double)marks[rank].behind_ns[i] + high_ns + error_ns + moved_ns;
            if (at_ns < least_ns || at_ns > most_ns)
                fail_msg("rank %d, mark %d: %.0f ns, expected %.0f to %.0f", rank, i, at_ns, least_ns, most_ns);
        }
}

/* The k-th exchange of a rank has received from the k-th of its left neighbour; nobody leaves a barrier before the last
 * came. */
static void expect_order(const struct trace *trace)
{
    const struct trace_call *exchanges[RANKS][MARKS], *barriers[RANKS][MARKS];
    for (int rank = 0; rank < RANKS; rank++) {
        int exchange = 0, barrier = 0;
        for (size_t k = 0; k < trace->ranks[rank].count; k++) {
            const struct trace_call *call = &trace->ranks[rank].calls[k];
            if (call->call == ID_Sendrecv_replace) exchanges[rank][exchange++] = call;
            if (call->call == ID_Barrier) barriers[rank][barrier++] = call;
        }
        assert_int_equal(exchange, MARKS);
        assert_int_equal(barrier, MARKS / 4);
    }
    for (int rank = 0; rank < RANKS; rank++) {
        for (int i = 0; i < MARKS; i++)
            assert_true(exchanges[rank][i]->exit_ps >= exchanges[(rank + 3) % RANKS][i]->enter_ps);
        for (int other = 0; other < RANKS; other++)
            for (int i = 0; i < MARKS / 4; i++) assert_true(barriers[rank][i]->exit_ps >= barriers[other][i]->enter_ps);
    }
}

/* Offsets are up to 1000 s and drifts up to 2 %: of the 0.3 s that the program takes 6 ms. The error must be small
 * against them for the test to say something. */
static struct trace *offsets_and_drifts(const char *timer)
{
    char prefix[] = "/tmp/rmacast-marks-XXXXXX", settings[160];
    int file = mkstemp(prefix);
    assert_true(file >= 0);
    close(file);
    snprintf(settings, sizeof settings, "RMACAST_CLOCK=pingpong MARKS=%s RMACAST_TIMER=%s", prefix, timer);
    setenv("TEST_PRELOAD", PROGRAMS "/shifted_clock.so:", 1);
    struct trace *trace = run_recorded(settings, "marks", 0);
    unsetenv("TEST_PRELOAD");
    unlink(prefix);
    assert_true(trace->provenance.clock.known);
    assert_true(trace->provenance.clock.worst_offset_s > 999.9 && trace->provenance.clock.worst_offset_s < 1000.1);
    assert_true(trace->provenance.clock.worst_error_s > 0 && trace->provenance.clock.worst_error_s < 0.1);
    expect_times(trace, prefix);
    expect_order(trace);
    return trace;
}

static void by_the_clock(void **state)
{
    (void)state;
    struct trace *trace = offsets_and_drifts("monotonic");
    assert_int_equal(trace->provenance.clock.source, TRACE_CLOCK_MONOTONIC);
    trace_free(trace);
}

/* Each rank's counter is told from its own clock: the clocks' offsets and drifts are what the conversion brings in. */
static void by_the_counter(void **state)
{
    (void)state;
    trace_free(offsets_and_drifts("tsc"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_the_clock), cmocka_unit_test(by_the_counter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
