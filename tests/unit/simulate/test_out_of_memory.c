/* Each allocation of a replay fails once, and each time the replay ends with that reason. Freed memory is filled (mallopt), and
 * the trace has threads, so that what is read or freed behind its end does not pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/replay/replay.h"
#include "tests/faults/wrapped_memory.h"
#include "trace/open.h"
#include "verify_test.h"

/* Whether the replay got to its allocation number; what it says without memory. */
static bool replay_with_fault(const struct trace *trace, const struct platform *platform, unsigned long number,
                              enum status *status, struct err *err)
{
    struct replay_options options = {.engine = engine_by_name("loggp"), .keep_trace = true};
    struct replay_outcome outcome;
    allocation_fails(number);
    *status = replay_run(trace, platform, &options, &outcome, err);
    bool failed = allocation_failed();
    if (*status == STATUS_OK) replay_outcome_clear(&outcome);
    return failed;
}

static void each_allocation_fails(void **state)
{
    (void)state;
    struct trace *trace;
    struct err err;
    assert_int_equal(trace_open("tests/cases/threads/threads_flush.case", &trace, &err), STATUS_OK);
    struct platform *platform = test_platform("a", NULL);
    mallopt(M_PERTURB, 165);
    enum status status;
    unsigned long number = 1;
    for (; replay_with_fault(trace, platform, number, &status, &err); number++)
        if (status != STATUS_SYSTEM || !strstr(err.text, "memory")) fail_msg("allocation %lu: %d: %s", number, status, err.text);
    assert_int_equal(status, STATUS_OK);
    assert_true(number > 50);
    mallopt(M_PERTURB, 0);
    platform_free(platform);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
