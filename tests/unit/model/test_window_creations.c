/* Windows that are created again and again at one place of the program. */
#include "model_test.h"

#include <string.h>

#include "model/result/result.h"

/* Two ranks create a window three times at solve.c:12, each time 10 us (rank 0) and 4 us (rank 1), one at setup.c:5
 * once, and two at places that are not known. In the loop: 6 calls, 3 of a rank, 3 x (10 + 4) = 42 us. */
#define MAKE(rank, number, from, to, at)                                                                               \
#rank " 0.000" from " 0.000" to " MPI_Win_create win=" #number at "\n" #rank " 0.000" to " 0.000" to               \
          " MPI_Win_free win=" #number "\n"
#define LOOP  " site=solve@solve.c:12"
#define SETUP " site=setup@setup.c:5"
static const char *const text =
    "ranks 2\nwindow 0 comm=0\nwindow 1 comm=0\nwindow 2 comm=0\nwindow 3 comm=0\nwindow 4 comm=0\nwindow 5 "
    "comm=0\n" MAKE(0, 0, "000", "010", LOOP) MAKE(0, 1, "020", "030", LOOP) MAKE(0, 2, "040", "050", LOOP)
        MAKE(0, 3, "060", "070", SETUP) MAKE(0, 4, "080", "090", "") MAKE(0, 5, "100", "110", "")
            MAKE(1, 0, "006", "010", LOOP) MAKE(1, 1, "026", "030", LOOP) MAKE(1, 2, "046", "050", LOOP)
                MAKE(1, 3, "060", "070", SETUP) MAKE(1, 4, "080", "090", "") MAKE(1, 5, "100", "110", "");

static void in_a_loop(void **state)
{
    (void)state;
    struct err err;
    struct result *result;
    struct trace *trace = trace_of(text);
    if (model_analyze(trace, NULL, &result, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_int_equal(result->creation_count, 1);
    const struct result_creation *loop = &result->creations[0];
    assert_int_equal(loop->call, ID_Win_create);
    assert_string_equal(loop->file, "solve.c");
    assert_int_equal(loop->line, 12);
    assert_int_equal(loop->count, 6);
    assert_int_equal(loop->most, 3);
    assert_float_equal((float)(loop->time_s * 1e6), 42.0f, 1e-3f);
    result_free(result);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_a_loop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
