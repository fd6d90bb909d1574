#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "predictors/comparison.h"
#include "predictors/prediction.h"
#include "trace/open.h"

#define assert_close(a, b) assert_true(fabs((a) - (b)) <= 1e-9 * fabs(b))

static const char platform_file[] = "tests/cases/base.json",
                  trace_file[] = "tests/cases/active/worked_example.case";

static struct platform *open_platform(const char *override)
{
    struct platform *platform;
    struct err err;
    if (platform_open(platform_file, &override, 1, &platform, &err) != STATUS_OK) fail_msg("%s", err.text);
    return platform;
}

static struct trace *open_trace(const char *file)
{
    struct trace *trace;
    struct err err;
    if (trace_open(file, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    return trace;
}

/* docs/simulation.md, b: the put is entered at 50 and returns at 410, its data move from 410 to 520, when the target's
 * wait ends: at least 1 MB / 470 us, at most 1 MB / 360 us. */
static void a_prediction_is_the_worked_example(void **state)
{
    (void)state;
    struct trace *trace = open_trace(trace_file);
    struct platform *platform = open_platform("mpi.rma.semantics=b");
    const int64_t us = 1000000;
    for (int apart = 0; apart < 2; apart++) {
        struct prediction prediction = {
            .trace = trace, .platform = platform, .engine = engine_by_name("loggp"), .keep_trace = true, .apart = apart};
        struct err err;
        assert_int_equal(prediction_run(&prediction, &err), STATUS_OK);
        assert_close(prediction.result->run_time_s, 520e-6);
        assert_close(prediction.result->rank_time_s[0], 510e-6);
        assert_close(prediction.result->patterns[PATTERN_EARLY_TRANSFER].severity_s, 350e-6);
        assert_string_equal(prediction.result->trace, trace_file);
        assert_string_equal(prediction.result->semantics, "b");
        assert_string_equal(prediction.result->engine, "loggp");
        const struct trace_sim *put = &prediction.outcome.trace->ranks[0].sim[1];
        assert_true(put->xfer_start_ps == 410 * us && put->xfer_end_ps == 520 * us);
        assert_true(put->base_end_ps == 410 * us && put->extended_end_ps == 520 * us);
        assert_close(prediction.result->lower_bound_Bps.median, 1e6 / 470e-6);
        assert_close(prediction.result->upper_bound_Bps.median, 1e6 / 360e-6);
        assert_int_equal(prediction.outcome.bounds.transfers, 1);
        assert_int_equal(prediction.outcome.bounds.outside, 0);
        assert_int_equal(prediction.result->note_count, 0);
        prediction_clear(&prediction);
    }
    platform_free(platform);
    trace_free(trace);
}

static void a_failed_prediction_leaves_nothing(void **state)
{
    (void)state;
    struct trace *trace = open_trace("tests/cases/active/unmatched_start.case");
    struct platform *platform = open_platform("mpi.rma.semantics=a");
    struct prediction prediction = {.trace = trace, .platform = platform, .engine = engine_by_name("loggp")};
    struct err err;
    assert_int_equal(prediction_run(&prediction, &err), STATUS_DATA);
    assert_null(prediction.result);
    assert_null(prediction.outcome.trace);
    platform_free(platform);
    trace_free(trace);
}

/* An engine that dies under c. */
static int death;
static enum status open_deadly(const struct platform *platform, const int32_t (*pairs)[2], size_t pair_count,
                               const struct engine_callbacks *callbacks, struct engine **engine, struct err *err)
{
    if (strcmp(platform->semantics.name, "c") == 0) {
        signal(SIGABRT, SIG_DFL);
        fputs("no route between node-0 and node-1\n", stderr);
        raise(death);
    }
    return engine_by_name("loggp")->open(platform, pairs, pair_count, callbacks, engine, err);
}

static void a_row_whose_process_dies_is_named(void **state)
{
    (void)state;
    struct engine_descriptor deadly = *engine_by_name("loggp");
    deadly.open = open_deadly;
    struct trace *trace = open_trace(trace_file);
    struct platform *platforms[] = {open_platform("mpi.rma.semantics=a"), open_platform("mpi.rma.semantics=c")};
    const struct comparison_row rows[] = {{.name = "a", .platform = platforms[0]},
                                          {.name = "c", .platform = platforms[1]}};
    for (int i = 0; i < 2; i++) {
        death = i ? SIGABRT : SIGKILL;
        struct comparison comparison;
        struct err err;
        assert_int_equal(comparison_run(trace, rows, 2, &deadly, NULL, &comparison, &err), STATUS_SYSTEM);
        assert_non_null(strstr(err.text, "semantics c: child process ended by signal"));
        assert_non_null(strstr(err.text, "no route between node-0 and node-1"));
        assert_null(strchr(err.text, '\n'));
        assert_true(comparison_has_results(&comparison));
        assert_close(comparison.results[0]->run_time_s, 570e-6);
        assert_null(comparison.results[1]);
        assert_string_equal(comparison.failures[1], err.text);
        comparison_clear(&comparison);
    }
    struct comparison comparison;
    struct err err;
    assert_int_equal(comparison_run(trace, rows, 1, &deadly, NULL, &comparison, &err), STATUS_OK);
    assert_int_equal(comparison.count, 1);
    assert_close(comparison.results[0]->run_time_s, 570e-6);
    comparison_clear(&comparison);
    for (int i = 0; i < 2; i++) platform_free(platforms[i]);
    trace_free(trace);
}

/* SimGrid simulates once per process: this process runs none, its children one each, more than once. */
static void comparisons_can_be_repeated(void **state)
{
    (void)state;
    struct trace *trace = open_trace(trace_file);
    struct platform *platform = open_platform("mpi.rma.semantics=d");
    const struct comparison_row row = {.name = "d", .platform = platform}, rows[] = {row, row, row};
    for (int i = 0; i < 2; i++) {
        struct comparison comparison;
        struct err err;
        if (comparison_run(trace, rows, 3, engine_by_name("simgrid"), NULL, &comparison, &err) != STATUS_OK)
            fail_msg("%s", err.text);
        for (size_t r = 0; r < 3; r++) assert_close(comparison.results[r]->run_time_s, 520e-6);
        comparison_clear(&comparison);
    }
    platform_free(platform);
    trace_free(trace);
}

/* The name takes 9 columns, run time 13, the share of waiting 10, each of five wait states 11, each of two bounds 14. In 80
 * columns the first block has all but one wait state and the bounds: 76. In 30 the share and one wait state take 30, and each
 * other column stands alone. In 1 all do; the bounds are widest. */
static void a_table_is_no_wider_than_what_shows_it(void **state)
{
    (void)state;
    static const struct {
        int columns;
        size_t blocks, widest;
    } cases[] = {{0, 1, 9 + 13 + 10 + 5 * 11 + 2 * 14},
                 {80, 2, 9 + 13 + 10 + 4 * 11},
                 {30, 8, 9 + 10 + 11},
                 {1, 9, 9 + 14}};
    char a[] = "a", b[] = "b", *names[] = {a, b}, *failures[] = {NULL, NULL};
    struct result *results[2];
    struct err err;
    for (int r = 0; r < 2; r++) {
        assert_int_equal(result_new(1, &results[r], &err), STATUS_OK);
        for (int p = 0; p < 5; p++) {
            results[r]->patterns[p].severity_s = 1e-3 * (p + 1);
            results[r]->patterns[p].count = 1;
        }
        results[r]->trace = strdup("t");
        results[r]->platform = strdup("p");
        results[r]->engine = strdup("e");
    }
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct comparison comparison = {
            .results = results, .names = names, .failures = failures, .count = 2, .columns = cases[c].columns};
        char *text = NULL;
        size_t size, blocks = 0, widest = 0;
        FILE *out = open_memstream(&text, &size);
        comparison_print(&comparison, out);
        fclose(out);
        char *line = strchr(text, '\n') + 2; /* behind the sentence and an empty line */
        for (char *end; strncmp(line, "Fastest", 7) != 0; line = end + 1) {
            end = strchr(line, '\n');
            if ((size_t)(end - line) > widest) widest = (size_t)(end - line);
            blocks += strncmp(line, "semantics", 9) == 0;
        }
        assert_int_equal(blocks, cases[c].blocks);
        assert_int_equal(widest, cases[c].widest);
        free(text);
    }
    result_free(results[0]);
    result_free(results[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prediction_is_the_worked_example),
        cmocka_unit_test(a_failed_prediction_leaves_nothing),
        cmocka_unit_test(a_table_is_no_wider_than_what_shows_it),
        cmocka_unit_test(a_row_whose_process_dies_is_named),
        cmocka_unit_test(comparisons_can_be_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
