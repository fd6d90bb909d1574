/* Whether a program scales strongly is an answer or an error: never the other answer because memory was missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "common/files/input_file.h"
#include "predictors/curve/points.h"
#include "tests/faults/wrapped_memory.h"
#include "trace/program_model/program_model.h"

/* 8 ms of computing divided by the ranks: strong. */
static const char text[] = "rmacast-model 1\nranks 2\ncompute 8ms/nranks\nMPI_Barrier comm=0\n";

static void each_allocation_fails(void **state)
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
        if (status != STATUS_SYSTEM || !strstr(err.text, "memory")) fail_msg("allocation %lu: %d: %s", number, status, err.text);
    }
    program_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
