/* The table of what would explain the error, of replays that are given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "validate/explain/explain.h"

static char *printed(const struct explanation *explanation, size_t top)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    explanation_print(explanation, top, out);
    fclose(out);
    return text;
}

#define HEAD "\nWhat would explain the error\nexplained    run time   all calls  change\n"
#define TAIL                                                                                                           \
    "9 changes of one value tried: 4 change no time, 2 are refused. Run time: its error; all calls: sum of the "       \
    "errors "                                                                                                          \
    "without sign.\n"

/* As many changes are shown as are asked for, and none that explains less than a hundredth of a percent. */
static void changes_that_explain(void **state)
{
    (void)state;
    static char key[] = "network.latency_s", from[] = "1e-06", to[] = "2e-06", override[] = "network.latency_s=2e-06";
    struct platform_change change = {key, from, to, override, CHANGE_STATED_ERROR};
    struct explanation_replay replays[] = {
        {.change = &change, .explained = 0.5, .run_time_error_s = -1e-6, .absolute_s = 50e-6},
        {.change = &change, .explained = 2e-4, .run_time_error_s = 2e-6, .absolute_s = 99.98e-6},
        {.change = &change, .explained = 1e-4, .run_time_error_s = 2e-6, .absolute_s = 99.99e-6},
    };
    struct explanation explanation = {.unchanged = {.run_time_error_s = 3e-6, .absolute_s = 100e-6},
                                      .replays = replays,
                                      .count = 3,
                                      .without_effect = 4,
                                      .failed = 2};
    explanation.changes.count = 9;
    static const char unchanged[] = "                 3 us      100 us  as predicted\n",
                      half[] = "   +50.0%       -1 us       50 us  network.latency_s: 1e-06 -> 2e-06 (stated error)\n",
                      little[] =
                          "    +0.0%        2 us    99.98 us  network.latency_s: 1e-06 -> 2e-06 (stated error)\n";
    for (size_t top = 0; top <= 3; top++) {
        char expected[1024], *text = printed(&explanation, top);
        snprintf(expected, sizeof expected, HEAD "%s%s%s%s" TAIL, unchanged, top > 0 ? half : "", top > 1 ? little : "",
                 top == 0 ? "No single change makes the error smaller.\n" : "");
        assert_string_equal(text, expected);
        free(text);
    }
    explanation.computing_known = true;
    explanation.computing =
        (struct explanation_replay){.explained = -0.25, .run_time_error_s = 0, .absolute_s = 125e-6};
    explanation.count = 0;
    char *text = printed(&explanation, 3);
    assert_string_equal(text, HEAD "                 3 us      100 us  as predicted\n"
                                   "   -25.0%           0      125 us  with the computing of the measured runs\n"
                                   "No single change makes the error smaller.\n" TAIL);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changes_that_explain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
