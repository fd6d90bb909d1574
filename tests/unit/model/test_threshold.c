/* Every pattern exactly at the threshold: the pictures' traces (tests/timelines/cases), whose longest wait is worked
 * out beside its row, with that threshold and with one picosecond more. */
#include <stdio.h>

#include "model_test.h"
#include "trace/open.h"

static const struct {
    enum pattern pattern;
    uint32_t rank; /* that has the longest wait */
    int64_t us;
} rows[] = {
    {PATTERN_LATE_POST, 0, 45 - 10},
    {PATTERN_EARLY_TRANSFER, 0, 55 - 22},
    {PATTERN_EARLY_WAIT, 1, 70 - 30},
    {PATTERN_LATE_COMPLETE, 1, 70 - 40},
    {PATTERN_WAIT_AT_FENCE, 0, 60 - 15},
    {PATTERN_EARLY_FENCE, 1, 60 - 40},
    {PATTERN_WAIT_AT_CREATE, 0, 60 - 15},
    {PATTERN_WAIT_AT_FREE, 1, 65 - 20},
    {PATTERN_LOCK_CONTENTION, 1, 60 - 20},
    {PATTERN_WAIT_FOR_PROGRESS, 0, 65 - 25 - (72 - 65)}, /* the request takes as long as the answer */
    {PATTERN_LATE_SENDER, 1, 55 - 15},
    {PATTERN_LATE_RECEIVER, 0, 50 - 15},
    {PATTERN_WRONG_ORDER, 1, 55 - 25},
    {PATTERN_WAIT_AT_BARRIER, 0, 60 - 20},
    {PATTERN_BARRIER_COMPLETION, 2, 82 - 58},
    {PATTERN_WAIT_AT_NXN, 1, 60 - 20},
    {PATTERN_EARLY_REDUCE, 0, 50 - 15},
    {PATTERN_LATE_BROADCAST, 1, 55 - 20},
    {PATTERN_EARLY_SCAN, 1, 40 - 20},
    {PATTERN_WAIT_IN_SENDER_COMPLETION, 0, 85 - 30},
    {PATTERN_WAIT_IN_RECEIVER_COMPLETION, 1, 80 - 28},
    {PATTERN_THREAD_LOCK_CONTENTION, 0, 60 - 20},
    {PATTERN_THREAD_BARRIER_WAIT, 0, 55 - 20},
    {PATTERN_JOIN_WAIT, 0, 65 - 25},
    {PATTERN_SEMAPHORE_WAIT, 0, 50 - 15},
    {PATTERN_WAIT_FOR_WRITE, 1, 55 - 15},
    {PATTERN_LATE_SIGNAL, 1, 55 - 15},
};

static struct trace *picture(enum pattern pattern)
{
    struct err err;
    struct trace *trace;
    char path[200];
    snprintf(path, sizeof path, "tests/timelines/cases/%s.txt", pattern_row(pattern)->name);
    if (trace_open(path, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    return trace;
}

/* Occurrences over all ranks. */
static void expect(enum pattern pattern, const struct analyze_options *options, uint32_t rank, int64_t ps,
                   uint64_t count)
{
    struct err err;
    struct totals totals;
    struct trace *trace = picture(pattern);
    if (model_totals(trace, options, &totals, &err) != STATUS_OK) fail_msg("%s", err.text);
    if (totals.severity_ps[pattern][rank] != ps || totals_count(&totals, pattern) != count)
        fail_msg("%s of rank %u: %lld ps and %llu waits, expected %lld ps and %llu", pattern_row(pattern)->name, rank,
                 (long long)totals.severity_ps[pattern][rank], (unsigned long long)totals_count(&totals, pattern),
                 (long long)ps, (unsigned long long)count);
    totals_clear(&totals);
    trace_free(trace);
}

static void threshold_of_every_pattern(void **state)
{
    (void)state;
    bool seen[PATTERN_COUNT] = {[PATTERN_CLOSE_SEND_RECEIVE] = true};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct analyze_options options = ANALYZE_DEFAULTS;
        options.epsilon_ps = rows[i].us * US;
        expect(rows[i].pattern, &options, rows[i].rank, rows[i].us * US, 1);
        options.epsilon_ps++;
        expect(rows[i].pattern, &options, rows[i].rank, 0, 0);
        seen[rows[i].pattern] = true;
    }
    for (int p = 0; p < PATTERN_COUNT; p++)
        if (!seen[p]) fail_msg("%s has no row here", pattern_row((enum pattern)p)->name);
}

/* Each receive begins 5 us after the send; nearer than delta is close. */
static void threshold_of_close_send_receive(void **state)
{
    (void)state;
    struct analyze_options options = ANALYZE_DEFAULTS;
    options.close_ps = 5 * US;
    expect(PATTERN_CLOSE_SEND_RECEIVE, &options, 0, 0, 0);
    options.close_ps++;
    expect(PATTERN_CLOSE_SEND_RECEIVE, &options, 0, 0, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threshold_of_every_pattern),
        cmocka_unit_test(threshold_of_close_send_receive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
