#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "predictors/draws.h"
#include "trace/open.h"

static struct trace *open_trace(const char *file)
{
    struct trace *trace;
    struct err err;
    if (trace_open(file, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    return trace;
}

/* Messages with a jitter, semantics d, and a buffer in which one of two puts of 1 MB has room. */
static struct platform *open_platform(void)
{
    static const char *const overrides[] = {"network.jitter_s=1us", "mpi.rma.semantics=d", "mpi.rma.buffer_bytes=1500000"};
    struct platform *platform;
    struct err err;
    if (platform_open("tests/cases/base.json", overrides, 3, &platform, &err) != STATUS_OK) fail_msg("%s", err.text);
    return platform;
}

static const struct analyze_options plain = ANALYZE_DEFAULTS;

static enum status draw(const char *file, const char *row, struct err *err)
{
    struct trace *trace = open_trace(file);
    struct platform *platform = open_platform();
    struct draws draws;
    const struct draws_request request = {
        .engine = engine_by_name("loggp"), .analyze = &plain, .count = 3, .seed = 1, .row = row};
    enum status status = draws_run(trace, platform, &request, &draws, err);
    draws_clear(&draws);
    platform_free(platform);
    trace_free(trace);
    return status;
}

/* In the case rank 0's second put waits for room, which there is when rank 1 has posted. Rank 1 posts when it has received what
 * rank 0 sends behind that put. So each draw fails, and the error is of the first one. */
static void an_error_names_the_draw(void **state)
{
    static const char deadlock[] = "tests/cases/active/buffer_deadlock.case";
    static const char alone[] = "draw 1 of 3: ", of_row[] = "semantics d+post-early, draw 1 of 3: ";
    struct err err;
    (void)state;
    assert_int_equal(draw(deadlock, NULL, &err), STATUS_DATA);
    assert_memory_equal(err.text, alone, strlen(alone));
    assert_int_equal(draw(deadlock, "d+post-early", &err), STATUS_DATA);
    assert_memory_equal(err.text, of_row, strlen(of_row));
}

static void count(void *context, uint64_t calls, uint64_t all_calls)
{
    atomic_uint_least64_t *told = context;
    assert_true(calls <= all_calls);
    *told += 1;
}

/* Draws run in processes of their own, which tell of each draw's replay. */
static void each_draw_tells_its_progress(void **state)
{
    enum { DRAWS = 3 };
    atomic_uint_least64_t *told = mmap(NULL, DRAWS * sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    void *const contexts[DRAWS] = {&told[0], &told[1], &told[2]};
    struct trace *trace = open_trace("tests/cases/active/worked_example.case");
    struct platform *platform = open_platform();
    struct draws draws;
    struct err err;
    const struct draws_request request = {.engine = engine_by_name("loggp"),
                                          .analyze = &plain,
                                          .count = DRAWS,
                                          .seed = 1,
                                          .progress = count,
                                          .progress_contexts = contexts};
    (void)state;
    assert_ptr_not_equal(told, MAP_FAILED);
    assert_int_equal(draws_run(trace, platform, &request, &draws, &err), STATUS_OK);
    for (int i = 0; i < DRAWS; i++) assert_true(told[i] > 0);
    draws_clear(&draws);
    platform_free(platform);
    trace_free(trace);
    munmap(told, DRAWS * sizeof *told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_draw_tells_its_progress),
        cmocka_unit_test(an_error_names_the_draw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
