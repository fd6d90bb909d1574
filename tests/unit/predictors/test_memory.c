/* Missing memory is an error that says so, and never another answer: whether a program scales strongly, a platform with a changed
 * list of steps, and a comparison. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "common/files/input_file.h"
#include "common/json.h"
#include "platforms/platform.h"
#include "predictors/comparison.h"
#include "predictors/curve/points.h"
#include "tests/faults/wrapped_memory.h"
#include "trace/program_model/program_model.h"

/* 8 ms of computing divided by the ranks: strong. */
static const char text[] = "rmacast-model 1\nranks 2\ncompute 8ms/nranks\nMPI_Barrier comm=0\n";

static void expect_no_memory(unsigned long number, enum status status, const struct err *err)
{
    if (status != STATUS_SYSTEM || !strstr(err->text, "memory")) fail_msg("allocation %lu: %d: %s", number, status, err->text);
}

static void strong_is_found(void **state)
{
    (void)state;
    struct program_model *model;
    struct err err;
    struct input_file in;
    assert_int_equal(input_file_of_text(text, strlen(text), "m", &in, &err), STATUS_OK);
    if (program_model_read(&in, &model, &err) != STATUS_OK) fail_msg("%s", err.text);
    const struct points_origin origin = {.model = model};
    for (unsigned long number = 1;; number++) {
        bool strong = false;
        err = (struct err){0};
        allocation_fails(number);
        enum status status = points_find_strong(&origin, &strong, &err);
        if (!allocation_failed()) {
            assert_true(status == STATUS_OK && strong && number > 5);
            break;
        }
        expect_no_memory(number, status, &err);
    }
    program_model_free(model);
}

/* The override by a name changes the file's list of steps. cJSON allocates by the test's functions. A text that one allocation
 * fails in is read once more; where all behind it fail, too, memory is what is missing. */
static void open_platform(bool on)
{
    const char *const overrides[] = {"mpi.rma.fence=notify"};
    for (unsigned long number = 1;; number++) {
        struct platform *platform;
        struct err err = {0};
        (on ? allocations_fail_from : allocation_fails)(number);
        enum status status = platform_open("platforms/two-nodes.json", overrides, 1, &platform, &err);
        const bool failed = allocation_failed();
        if (status == STATUS_OK) {
            assert_int_equal(platform->protocol.calls[STEPS_FENCE].form, FORM_FENCE_NOTIFY);
            assert_false(failed && on);
            platform_free(platform);
        } else {
            expect_no_memory(number, status, &err);
        }
        if (failed) continue;
        assert_true(status == STATUS_OK && number > 50);
        break;
    }
}

static void a_platform_is_opened(void **state)
{
    cJSON_Hooks hooks = {.malloc_fn = malloc, .free_fn = free};
    (void)state;
    cJSON_InitHooks(&hooks);
    open_platform(false);
    open_platform(true);
    cJSON_InitHooks(NULL);
}

/* The answers, and the four arrays of a comparison: who asks it for its rows finds as many as it has. */
static void a_comparison_is_empty(void **state)
{
    (void)state;
    struct trace *trace;
    struct err err = {0};
    assert_int_equal(trace_new("t", 1, &trace, &err), STATUS_OK);
    const struct comparison_row row = {.name = "a"};
    for (unsigned long number = 1; number <= 5; number++) {
        struct comparison comparison = {.count = 0};
        allocation_fails(number);
        enum status status = comparison_run(trace, &row, 1, engine_by_name("loggp"), NULL, &comparison, &err);
        assert_true(allocation_failed());
        expect_no_memory(number, status, &err);
        assert_true(comparison.count == 0 || (comparison.results && comparison.failures));
        comparison_clear(&comparison);
    }
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(strong_is_found), cmocka_unit_test(a_platform_is_opened),
                                       cmocka_unit_test(a_comparison_is_empty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
