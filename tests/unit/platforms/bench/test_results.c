#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/files/remove_tree.h"
#include "platforms/bench/results.h"

static char directory[64], file[96];

static int make_directory(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/rmacast-results-XXXXXX");
    if (!mkdtemp(directory)) return -1;
    snprintf(file, sizeof file, "%s/rank-000000.csv", directory);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    remove_tree(directory);
    return 0;
}

static void write_file(const char *rows)
{
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fprintf(out, "%s%s", bench_results_header, rows);
    fclose(out);
}

/* 1 2 3 4 100: mean 22, median 3; deviations from it 2 1 0 1 97, their median 1. The sample's standard deviation is
 * sqrt((21^2 + 20^2 + 19^2 + 18^2 + 78^2) / 4) = 43.6177; Student's t of 4 degrees at 97.5 % is 2.776445. */
static void statistics_by_hand(void **state)
{
    (void)state;
    double values[] = {100, 3, 1, 4, 2};
    struct bench_statistics statistics;
    bench_statistics_of(values, 5, &statistics);
    assert_true(statistics.least == 1 && statistics.most == 100 && statistics.median == 3 && statistics.mean == 22);
    assert_true(fabs(statistics.mean_half_width - 2.776445 * 43.6177 / sqrt(5)) < 1e-3);
    assert_true(fabs(statistics.median_error - 1.2533 * 1.4826 / sqrt(5)) < 1e-9);
    assert_true(bench_statistics_refused(&statistics));
    bench_statistics_of(values, 0, &statistics);
    assert_true(statistics.median == 0 && statistics.count == 0);
}

/* Of an even number of deviations the upper middle one counts: 1 2 3 10 have the median 2.5, from which they deviate
 * by 1.5, 0.5, 0.5 and 7.5; two values deviate alike. One value has no error. */
static void the_upper_middle_deviation(void **state)
{
    (void)state;
    static const struct {
        double values[4], deviation;
        size_t count;
    } rows[] = {{{10, 1, 3, 2}, 1.5, 4}, {{1, 2}, 0.5, 2}, {{7}, 0, 1}, {{1, 2, 3, 3}, 0.5, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double values[4];
        struct bench_statistics statistics;
        memcpy(values, rows[i].values, sizeof values);
        bench_statistics_of(values, rows[i].count, &statistics);
        double expected = 1.2533 * 1.4826 * rows[i].deviation / sqrt((double)rows[i].count);
        if (fabs(statistics.median_error - expected) > 1e-12) fail_msg("row %zu: %g", i, statistics.median_error);
    }
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    struct bench_job job = {.test = "t",
                            .spec = "putLatency -s lock",
                            .function = BENCH_FUNCTION_put_latency,
                            .demand = {.nodes = 2, .ranks = 3}};
    const struct bench_repetition first = {1e-6, 1e-6, 2e-6, 3e-6, 2.5e-7, 2e-6, 3}, second = {3e-6, 1e-6, 2e-6, 3e-6, 0, 0, 0};
    struct bench_results results;
    struct bench_statistics statistics;
    struct err err;
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs(bench_results_header, out);
    assert_true(bench_results_write(out, &job, "0+1", 64, 0, &first));
    assert_true(bench_results_write(out, &job, "0+1", 64, 1, &second));
    assert_true(bench_results_write(out, &job, "0+1", 128, 0, &second));
    fputs("t,putLatency -s lock,2,3,0+1,128,1,1e-0", out); /* its writer was killed */
    fclose(out);
    assert_int_equal(bench_results_open(directory, &results, &err), STATUS_OK);
    assert_int_equal(results.count, 2);
    assert_int_equal(results.series[0].count, 2);
    assert_int_equal(results.series[0].demand.ranks, 3);
    assert_true(results.series[0].repetitions[0].reference_s == 2.5e-7 && results.series[0].repetitions[1].reference_s == 0);
    assert_true(results.series[0].repetitions[0].work_s == 2e-6 && results.series[0].repetitions[1].work_s == 0);
    assert_true(results.series[0].repetitions[0].losses == 3 && results.series[0].repetitions[1].losses == 0);
    assert_int_equal(results.series[1].count, 1);
    assert_int_equal(results.series[1].bytes, 128);
    assert_int_equal(bench_series_statistics(&results.series[0], &statistics, &err), STATUS_OK);
    assert_true(fabs(statistics.median - 2e-6) < 1e-15); /* of the root's times */
    bench_results_clear(&results);
}

/* Two passes over two sizes: four series, which a table joins. */
static void passes_are_kept_and_joined(void **state)
{
    (void)state;
    struct bench_results results;
    struct err err;
    write_file("t,bcast,1,2,0,8,0,1e-6,1e-6,1e-6,1e-6\nt,bcast,1,2,0,8,1,2e-6,2e-6,2e-6,2e-6\n"
               "t,bcast,1,2,0,64,0,3e-6,3e-6,3e-6,3e-6\nt,bcast,1,2,0,8,0,4e-6,4e-6,4e-6,4e-6\n"
               "t,bcast,1,2,0,64,0,5e-6,5e-6,5e-6,5e-6\n");
    assert_int_equal(bench_results_open(directory, &results, &err), STATUS_OK);
    assert_int_equal(results.count, 4);
    assert_int_equal(results.series[0].count, 2);
    assert_int_equal(bench_results_join(&results, &err), STATUS_OK);
    assert_int_equal(results.count, 2);
    assert_int_equal(results.series[0].count, 3);
    assert_true(results.series[0].repetitions[2].root == 4e-6);
    assert_int_equal(results.series[1].bytes, 64);
    assert_true(results.series[1].count == 2 && results.series[1].repetitions[1].root == 5e-6);
    bench_results_clear(&results);
}

/* Two passes of one size: the repetition begins with 0 again. Rows of earlier versions have one column more, or none. */
static void a_pass_begins_with_repetition_0(void **state)
{
    (void)state;
    struct bench_results results;
    struct err err;
    write_file("t,bcast,1,2,0,8,0,1e-6,1e-6,1e-6,1e-6,3e-7\nt,bcast,1,2,0,8,1,2e-6,2e-6,2e-6,2e-6,3e-7\n"
               "t,bcast,1,2,0,8,0,3e-6,3e-6,3e-6,3e-6\n");
    assert_int_equal(bench_results_open(directory, &results, &err), STATUS_OK);
    assert_int_equal(results.count, 2);
    assert_true(results.series[0].count == 2 && results.series[0].repetitions[1].reference_s == 3e-7);
    assert_true(results.series[1].count == 1 && results.series[1].repetitions[0].reference_s == 0);
    bench_results_clear(&results);
}

/* The line of the seed. */
static void the_original_line(void **state)
{
    (void)state;
    struct bench_repetition times[] = {{0.02, 0.010863, 0.013, 0.02, 0, 0, 0}, {0.02, 0.011, 0.014046, 0.022209, 0, 0, 0}};
    struct bench_series series = {.spec = "bcast",
                                  .function = BENCH_FUNCTION_bcast,
                                  .demand = {.nodes = 2, .ranks = 10},
                                  .bytes = 1048576,
                                  .repetitions = times,
                                  .count = 2};
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    bench_series_print_line(&series, out);
    fclose(out);
    assert_string_equal(text, "Test:bcast, Nodes:2 Ranks:10, Size:1048576 byte, minDuration:0.010863s, maxDuration:0.022209s, "
                              "avgDuration:0.013523s\n");
    free(text);
}

/* The median of `empty`, 0.2 or 1.5 us: the bound is 1 us. */
static void a_bench_that_takes_long_itself(void **state)
{
    (void)state;
    for (int slow = 0; slow < 2; slow++) {
        struct bench_results results;
        struct err err;
        double own_s;
        char *text;
        size_t bytes;
        write_file(slow ? "t,empty,1,1,0,0,0,1e-7,1e-7,1e-7,1e-7\nt,empty,1,1,0,0,1,1.5e-6,1.5e-6,1.5e-6,1.5e-6\n"
                          "t,empty,1,1,0,0,2,9e-6,9e-6,9e-6,9e-6\n"
                        : "t,empty,1,1,0,0,0,2e-7,2e-7,2e-7,2e-7\nt,barrier,1,2,0,0,0,9e-6,9e-6,9e-6,9e-6\n");
        if (bench_results_open(directory, &results, &err) != STATUS_OK) fail_msg("%s", err.text);
        assert_int_equal(bench_results_own_s(&results, &own_s, &err), STATUS_OK);
        assert_true(own_s == (slow ? 1.5e-6 : 2e-7));
        FILE *out = open_memstream(&text, &bytes);
        assert_int_equal(bench_results_print(&results, out, &err), STATUS_OK);
        fclose(out);
        const char *warning = strstr(text, "\nwarning: the bench adds 1.5 us to each repetition, expected at most 1 us\n");
        assert_true(slow ? warning != NULL : strstr(text, "warning") == NULL);
        free(text);
        bench_results_clear(&results);
    }
}

/* The offset of two clocks has a sign: least -2 ms, most 3 us, both with their unit. */
static void signed_times_have_units(void **state)
{
    (void)state;
    struct bench_results results;
    struct err err;
    char *text;
    size_t bytes;
    write_file("t,clockOffset,1,2,0,0,0,-2e-3,-2e-3,-2e-3,-2e-3\nt,clockOffset,1,2,0,0,1,3e-6,3e-6,3e-6,3e-6\n");
    if (bench_results_open(directory, &results, &err) != STATUS_OK) fail_msg("%s", err.text);
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(bench_results_print(&results, out, &err), STATUS_OK);
    fclose(out);
    assert_non_null(strstr(text, "  -2 ms "));
    assert_non_null(strstr(text, "  3 us "));
    free(text);
    bench_results_clear(&results);
}

static void faults_name_file_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *row, *reason;
    } rows[] = {
        {"t,bcast,2,3,0+1,64,0,1e-6,1e-6", "expected test,function,nodes,ranks,place,bytes,repetition,root_s,least_s,mean_s,"},
        {"t,bcast,2,3,0+1,64,0,1e-6,1e-6,1e-6,1e-6,7,8", "expected test,function,nodes,"},
        {"", "expected test,function,nodes,"},
        {"t,bcast,2,3,0+1,64,0,nan,1e-6,1e-6,1e-6", "root_s is 'nan', expected seconds from 0 to 3600"},
        {"t,bcast,2,3,0+1,64,0,-1e-6,1e-6,1e-6,1e-6", "root_s is '-1e-6', expected seconds from 0 to 3600"},
        {"t,bcast,2,3,0+1,64,0,1e9,1e-6,1e-6,1e-6", "root_s is '1e9', expected seconds from 0 to 3600"},
        {"t,bcast,2,3,0+1,64,0,1e-6,inf,1e-6,1e-6", "least_s is 'inf', expected seconds"},
        {"t,bcast,2,3,0+1,64,0,1e-6,1e-6,1e-6,", "most_s is '', expected seconds"},
        {"t,bcast,2,3,0+1,64,0,1e-6,1e-6,1e-6,1e-6,-1e-7", "reference_s is '-1e-7', expected seconds from 0 to 3600"},
        {"t,bcast,2,3,0+1,64,0,1e-6,1e-6,1e-6,1e-6,0,x,0", "work_s is 'x', expected seconds from 0 to 3600"},
        {"t,bcast,2,3,0+1,64,0,1e-6,1e-6,1e-6,1e-6,0,0,-1", "losses is '-1', expected a whole number from 0 to 2147483647"},
        {"t,bcast,2,3,0+1,64,0,1e-6,1e-6,1e-6,1e-6,0,0,0,0", "expected test,function,nodes,"},
        {"t,clockOffset,2,3,0+1,64,0,-1e5,1e-6,1e-6,1e-6", "root_s is '-1e5', expected seconds from -3600 to 3600"},
        {"t,broadcast,2,3,0+1,64,0,1e-6,1e-6,1e-6,1e-6", "function is 'broadcast', expected a test that rmacast-bench --list"},
        {"t,bcast,0,3,0+1,64,0,1e-6,1e-6,1e-6,1e-6", "nodes is '0', expected a whole number from 1 to 2147483647"},
        {"t,bcast,2,3,0+1,-64,0,1e-6,1e-6,1e-6,1e-6", "bytes is '-64', expected a whole number from 0 to 1099511627776"},
        {"t,bcast,2,3,0+1,9223372036854775807,0,1e-6,1e-6,1e-6,1e-6", "bytes is '9223372036854775807', expected a whole number"},
    };
    struct bench_results results;
    struct err err = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256], expected[256];
        snprintf(text, sizeof text, "%s\n", rows[i].row);
        snprintf(expected, sizeof expected, "rank-000000.csv:2: no row of a bench run: %s", rows[i].reason);
        write_file(text);
        assert_int_equal(bench_results_open(directory, &results, &err), STATUS_DATA);
        if (!strstr(err.text, expected)) fail_msg("'%s' is not '%s'", err.text, expected);
    }
    /* Clocks differ in both directions. */
    write_file("t,clockOffset,2,3,0+1,64,0,-1e-3,-1e-3,-1e-3,-1e-3\n");
    assert_int_equal(bench_results_open(directory, &results, &err), STATUS_OK);
    bench_results_clear(&results);
    assert_int_equal(bench_results_open("/nonexistent", &results, &err), STATUS_SYSTEM);
}

/* Rows of other ranks and rounds go, other files stay. */
/* The launch of the directory, and that of a round. Without the file there is none. */
static void launches_are_read(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "init_least_s,init_most_s,finalize_s\n",
                                        "init_least_s,init_most_s,finalize_s\n2,1,0\n",
                                        "init_least_s,init_most_s,finalize_s\n1,2,nan\n",
                                        "init_least_s,init_most_s,finalize_s\n1,2\n"};
    const struct bench_launch first = {0.5, 0.75, 0.125}, second = {0.25, 0.25, -1};
    char round[512], path[600];
    struct bench_results results;
    struct err err;
    assert_int_equal(bench_results_open(directory, &results, &err), STATUS_OK);
    assert_int_equal(results.launch_count, 0);
    bench_results_clear(&results);
    snprintf(round, sizeof round, "%s/round-1", directory);
    assert_int_equal(mkdir(round, 0777), 0);
    assert_true(bench_launch_write(directory, &first) && bench_launch_write(round, &second));
    assert_int_equal(bench_results_open(directory, &results, &err), STATUS_OK);
    assert_int_equal(results.launch_count, 2);
    assert_memory_equal(&results.launches[0], &first, sizeof first);
    assert_memory_equal(&results.launches[1], &second, sizeof second);
    bench_results_clear(&results);
    snprintf(path, sizeof path, "%s/launch.csv", round);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        FILE *out = fopen(path, "w");
        assert_true(out && fputs(wrong[i], out) >= 0 && fclose(out) == 0);
        assert_int_equal(bench_results_open(directory, &results, &err), STATUS_DATA);
        assert_non_null(strstr(err.text, "round-1/launch.csv: no times of a launch"));
    }
}

static void an_earlier_run_is_removed(void **state)
{
    (void)state;
    static const char *const ours[] = {"rank-000000.csv", "rank-000007.csv", "round-1/rank-000000.csv", "round-1/run.json",
                                       "round-2/rank-000003.csv", "launch.csv", "round-1/launch.csv"},
                             *const others[] = {"rank-notes", "mine.csv", "round-2/mine.csv"};
    static const char *const rounds[] = {"round-1", "round-2"};
    char path[512];
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, rounds[i]);
        assert_int_equal(mkdir(path, 0777), 0);
    }
    for (size_t i = 0; i < 7 + 3; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, i < 7 ? ours[i] : others[i - 7]);
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fclose(out);
    }
    bench_results_remove(directory);
    for (size_t i = 0; i < 7 + 3; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, i < 7 ? ours[i] : others[i - 7]);
        assert_int_equal(access(path, F_OK), i < 7 ? -1 : 0);
    }
    snprintf(path, sizeof path, "%s/round-1", directory);
    assert_int_equal(access(path, F_OK), -1);
    bench_results_remove("/nonexistent");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_by_hand),
        cmocka_unit_test(the_upper_middle_deviation),
        cmocka_unit_test_setup_teardown(what_is_written_is_read, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(passes_are_kept_and_joined, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(a_pass_begins_with_repetition_0, make_directory, remove_directory),
        cmocka_unit_test(the_original_line),
        cmocka_unit_test_setup_teardown(a_bench_that_takes_long_itself, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(signed_times_have_units, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(launches_are_read, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(an_earlier_run_is_removed, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(faults_name_file_line_and_column, make_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
