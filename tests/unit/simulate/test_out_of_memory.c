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
#include "trace/open.h"
#include "verify_test.h"

static unsigned long count, failing; /* the allocation that fails, from 1; 0: none */

static bool fails(void)
{
    return ++count == failing;
}

/* The linker puts them in malloc()'s place and so on. */
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t items, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t items, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

__attribute__((used)) void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

__attribute__((used)) void *__wrap_calloc(size_t items, size_t bytes)
{
    return fails() ? NULL : __real_calloc(items, bytes);
}

__attribute__((used)) void *__wrap_realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __real_realloc(old, bytes);
}

static enum status replay_with_fault(const struct trace *trace, const struct platform *platform, unsigned long number,
                                     struct err *err)
{
    struct replay_options options = {.engine = engine_by_name("loggp"), .keep_trace = true};
    struct replay_outcome outcome;
    count = 0;
    failing = number;
    enum status status = replay_run(trace, platform, &options, &outcome, err);
    failing = 0;
    if (status == STATUS_OK) replay_outcome_clear(&outcome);
    return status;
}

static void each_allocation_fails(void **state)
{
    (void)state;
    struct trace *trace;
    struct err err;
    assert_int_equal(trace_open("tests/cases/threads/threads_flush/trace.txt", &trace, &err), STATUS_OK);
    struct platform *platform = test_platform("a", NULL);
    mallopt(M_PERTURB, 165);
    unsigned long number = 1;
    for (; number < 100000; number++) {
        err = (struct err){0};
        enum status status = replay_with_fault(trace, platform, number, &err);
        if (status == STATUS_OK && count < number) break;
        if (status != STATUS_SYSTEM || !strstr(err.text, "memory")) fail_msg("allocation %lu: %d: %s", number, status, err.text);
    }
    assert_true(number > 50 && number < 100000);
    mallopt(M_PERTURB, 0);
    platform_free(platform);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
