#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/json/json_write.h"
#include "validate/validate.h"

enum { MANY = 20 };
#define assert_close(a, b) assert_true(fabs((a) - (b)) < 1e-12)

static struct result *make(uint32_t ranks, const double *rank_time_s, double late_post_s)
{
    struct result *result;
    struct err err;
    assert_int_equal(result_new(ranks, &result, &err), STATUS_OK);
    for (uint32_t r = 0; r < ranks; r++) {
        result->rank_time_s[r] = rank_time_s[r];
        if (rank_time_s[r] > result->run_time_s) result->run_time_s = rank_time_s[r];
    }
    struct result_pattern *late_post = &result->patterns[PATTERN_LATE_POST];
    late_post->severity_s = late_post_s;
    late_post->rank_severity_s[0] = late_post_s;
    late_post->count = late_post_s > 0;
    return result;
}

static struct validation *compare(const struct result *predicted, const struct result *const *measured, size_t count)
{
    const char *names[] = {"m0", "m1", "m2"};
    struct validation *validation;
    struct err err;
    assert_int_equal(validate_results(predicted, "p", measured, names, count, &validation, &err), STATUS_OK);
    return validation;
}

/* predicted 1.1, 0.9; measured 1.0, 1.0: errors +0.1 and -0.1, 10 % each. late_post 0.25 against 0.05: +0.2, 400 % of
 * the measured figure. That is below a tenth of the measured run's time, 0.1 (1.0 + 1.0) = 0.2, of which it is 100 %. */
static void errors_are_signed_and_relative(void **state)
{
    (void)state;
    struct result *predicted = make(2, (double[]){1.1, 0.9}, 0.25), *measured = make(2, (double[]){1.0, 1.0}, 0.05);
    struct validation *v = compare(predicted, (const struct result *const[]){measured}, 1);
    assert_close(v->run_time.error_s, 0.1);
    assert_close(v->run_time.relative, 0.1);
    assert_close(v->rank_time[1].error_s, -0.1);
    assert_close(v->rank_time[1].relative, -0.1);
    assert_close(v->rank_error_median, 0.1);
    assert_close(v->rank_error_p95, 0.1);
    const struct validate_pattern *late_post = &v->patterns[PATTERN_LATE_POST];
    assert_close(late_post->total.error_s, 0.2);
    assert_close(late_post->total.relative, 4.0);
    assert_close(late_post->total.deviation, 1.0);
    assert_close(late_post->ranks[0].error_s, 0.2);
    assert_close(late_post->ranks[1].error_s, 0);
    assert_true(isnan(late_post->ranks[1].relative));
    assert_true(isnan(v->patterns[PATTERN_EARLY_WAIT].total.relative));
    assert_close(v->patterns[PATTERN_EARLY_WAIT].total.deviation, 0);
    assert_false(v->run_time.within_spread);
    validation_free(v);
    result_free(predicted);
    result_free(measured);
}

/* Run times 1.0, 1.3, 1.1: median 1.1, range 1.0 to 1.3; 1.2 lies inside, off by 0.1. */
static void repetitions_give_median_and_range(void **state)
{
    (void)state;
    struct result *predicted = make(1, (double[]){1.2}, 0);
    struct result *runs[] = {make(1, (double[]){1.0}, 0), make(1, (double[]){1.3}, 0), make(1, (double[]){1.1}, 0)};
    struct validation *v = compare(predicted, (const struct result *const *)runs, 3);
    assert_close(v->run_time.measured_s, 1.1);
    assert_close(v->run_time.measured_min_s, 1.0);
    assert_close(v->run_time.measured_max_s, 1.3);
    assert_close(v->run_time.error_s, 0.1);
    assert_true(v->run_time.within_spread);
    validation_free(v);
    v = compare(predicted, (const struct result *const *)runs, 2);
    assert_close(v->run_time.measured_s, 1.15);
    validation_free(v);
    for (int i = 0; i < 3; i++) result_free(runs[i]);
    result_free(predicted);
}

/* Rank r is off by (r + 1) %: the middle of 20 values is (10 + 11) / 2 = 10.5 %, 19 of 20 values are at most 19 %. */
static void rank_errors_have_median_and_95th_percentile(void **state)
{
    (void)state;
    double predicted_s[MANY], measured_s[MANY];
    for (int r = 0; r < MANY; r++) {
        measured_s[r] = 2.0;
        predicted_s[r] = 2.0 * (1 + (r % 2 ? 0.01 : -0.01) * (r + 1));
    }
    struct result *predicted = make(MANY, predicted_s, 0), *measured = make(MANY, measured_s, 0);
    struct validation *v = compare(predicted, (const struct result *const[]){measured}, 1);
    assert_close(v->rank_error_median, 0.105);
    assert_close(v->rank_error_p95, 0.19);
    assert_close(v->rank_error_worst, 0.2);
    assert_int_equal(v->worst_rank, 19);
    validation_free(v);
    result_free(predicted);
    result_free(measured);
}

/* Ranks 1.02 and 0.94 against 1.0 and 1.0: rank 1 is off by 6 %, the run by 2 %, late_post by 0.01 of 0.1 (1.0 + 1.0),
 * 5 %. */
static void tolerance_names_the_worst(void **state)
{
    (void)state;
    struct result *predicted = make(2, (double[]){1.02, 0.94}, 0.01), *measured = make(2, (double[]){1.0, 1.0}, 0);
    struct validation *v = compare(predicted, (const struct result *const[]){measured}, 1);
    struct err err;
    assert_int_equal(validate_tolerance(v, 0.0601, &err), STATUS_OK);
    assert_int_equal(validate_tolerance(v, 0.05, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "p: tolerance 5% does not hold: time of rank 1"));
    assert_null(strchr(err.text, '\n'));
    validation_free(v);
    predicted->rank_time_s[1] = 1.0;
    v = compare(predicted, (const struct result *const[]){measured}, 1);
    assert_int_equal(validate_tolerance(v, 0.04, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "late_post"));
    assert_int_equal(validate_tolerance(v, 0.0501, &err), STATUS_OK);
    validation_free(v);
    result_free(predicted);
    result_free(measured);
}

/* Both ranks and the run are off by a quarter, which a tolerance of a quarter allows; of equal deviations the first one
 * is named, and the first rank. A wait state that was not measured is off by 0.05 of a tenth of the time: of both ranks
 * 0.2, of one 0.1. */
static void equal_deviations(void **state)
{
    (void)state;
    struct result *predicted = make(2, (double[]){1.25, 0.75}, 0.05), *measured = make(2, (double[]){1.0, 1.0}, 0);
    struct validation *v = compare(predicted, (const struct result *const[]){measured}, 1);
    struct err err;
    assert_int_equal(validate_tolerance(v, 0.25, &err), STATUS_OK);
    assert_int_equal(validate_tolerance(v, 0.2499, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "does not hold: run time is predicted"));
    assert_int_equal(v->worst_rank, 0);
    assert_close(v->rank_error_worst, 0.25);
    assert_close(v->patterns[PATTERN_LATE_POST].total.deviation, 0.25);   /* 0.05 of 0.2 */
    assert_close(v->patterns[PATTERN_LATE_POST].ranks[0].deviation, 0.5); /* 0.05 of 0.1 of its own second */
    validation_free(v);
    result_free(predicted);
    result_free(measured);
}

/* Runs of 1 and 1.5 s: both ends are in their spread, and what is behind them is not. A single run has no spread. */
static void ends_of_the_spread(void **state)
{
    (void)state;
    struct result *runs[] = {make(1, (double[]){1.0}, 0), make(1, (double[]){1.5}, 0)};
    static const double predicted_s[] = {1.0, 1.5, 0.999, 1.501};
    for (int i = 0; i < 4; i++) {
        struct result *predicted = make(1, &predicted_s[i], 0);
        struct validation *v = compare(predicted, (const struct result *const *)runs, 2);
        assert_int_equal(v->run_time.within_spread, i < 2);
        assert_int_equal(v->rank_time[0].within_spread, i < 2);
        validation_free(v);
        v = compare(predicted, (const struct result *const *)runs, 1);
        assert_false(v->run_time.within_spread);
        validation_free(v);
        result_free(predicted);
    }
    for (int i = 0; i < 2; i++) result_free(runs[i]);
}

/* 0.5 of 2.0 is measured: 0.55 is off by a tenth of the wait state itself, though by 2.5 % of the run. */
static void wait_states_are_measured_by_themselves(void **state)
{
    (void)state;
    struct result *predicted = make(2, (double[]){1, 1}, 0.55), *measured = make(2, (double[]){1, 1}, 0.5);
    struct validation *v = compare(predicted, (const struct result *const[]){measured}, 1);
    struct err err;
    assert_close(v->patterns[PATTERN_LATE_POST].total.deviation, 0.1);
    assert_int_equal(validate_tolerance(v, 0.05, &err), STATUS_DATA);
    assert_int_equal(validate_tolerance(v, 0.101, &err), STATUS_OK);
    validation_free(v);
    result_free(predicted);
    result_free(measured);
}

static void sections_must_be_the_same(void **state)
{
    (void)state;
    struct result *predicted = make(1, (double[]){1}, 0), *measured = make(1, (double[]){1}, 0);
    struct validation *v;
    struct err err;
    predicted->section = (struct result_section){.known = true, .from = strdup("MPI_Barrier#2")};
    assert_int_equal(validate_results(predicted, "p", (const struct result *const[]){measured}, (const char *[]){"m"}, 1,
                                      &v, &err),
                     STATUS_DATA);
    assert_non_null(strstr(err.text, "m: is of the whole run, expected from MPI_Barrier#2 as in the prediction p"));
    measured->section = (struct result_section){.known = true, .from = strdup("MPI_Barrier#2")};
    v = compare(predicted, (const struct result *const[]){measured}, 1);
    assert_string_equal(v->section.from, "MPI_Barrier#2");
    validation_free(v);
    result_free(predicted);
    result_free(measured);
}

/* A section that has nothing in some runs may have appeared with a change. One that has nothing in any run was mistyped. */
static void some_run_has_the_section(void **state)
{
    (void)state;
    for (unsigned empty = 0; empty < 8; empty++) { /* bits: the prediction, two measured runs */
        struct result *runs[3];
        struct validation *v = NULL;
        struct err err = {.text = ""};
        for (int i = 0; i < 3; i++) {
            runs[i] = make(1, (double[]){1}, 0);
            runs[i]->section = (struct result_section){.known = true, .from = strdup("MPI_Barrier#2"), .empty = empty >> i & 1};
        }
        enum status status = validate_results(runs[0], "p", (const struct result *const *)runs + 1,
                                              (const char *const[]){"m0", "m1"}, 2, &v, &err);
        assert_int_equal(status, empty == 7 ? STATUS_DATA : STATUS_OK);
        if (status == STATUS_OK) validation_free(v);
        else assert_non_null(strstr(err.text, "p: no call and no computing of any run is from MPI_Barrier#2"));
        for (int i = 0; i < 3; i++) result_free(runs[i]);
    }
}

static void nothing_measured_allows_no_error(void **state)
{
    (void)state;
    struct result *predicted = make(1, (double[]){0}, 0), *measured = make(1, (double[]){0}, 0);
    struct validation *v = compare(predicted, (const struct result *const[]){measured}, 1);
    struct err err;
    assert_int_equal(validate_tolerance(v, 0, &err), STATUS_OK);
    assert_true(isnan(v->rank_error_median));
    validation_free(v);
    predicted->run_time_s = 1e-9;
    v = compare(predicted, (const struct result *const[]){measured}, 1);
    assert_int_equal(validate_tolerance(v, 10, &err), STATUS_DATA);
    validation_free(v);
    result_free(predicted);
    result_free(measured);
}

static void different_runs_are_refused(void **state)
{
    (void)state;
    struct result *predicted = make(2, (double[]){1, 1}, 0), *measured = make(1, (double[]){1}, 0);
    struct validation *v;
    struct err err;
    assert_int_equal(validate_results(predicted, "p", (const struct result *const[]){measured},
                                      (const char *const[]){"m"}, 1, &v, &err),
                     STATUS_DATA);
    assert_string_equal(err.text, "m: has 1 rank, expected 2 as in the prediction p");
    result_free(measured);
    measured = make(2, (double[]){1, 1}, 0);
    strcpy(predicted->late_post, "latest");
    strcpy(measured->late_post, "earliest");
    assert_int_equal(validate_results(predicted, "p", (const struct result *const[]){measured},
                                      (const char *const[]){"m"}, 1, &v, &err),
                     STATUS_DATA);
    assert_non_null(strstr(err.text, "earliest"));
    result_free(predicted);
    result_free(measured);
}

static void json_has_null_for_what_is_unknown(void **state)
{
    (void)state;
    struct result *predicted = make(1, (double[]){1.5}, 0.5), *measured = make(1, (double[]){1.0}, 0);
    struct validation *v = compare(predicted, (const struct result *const[]){measured}, 1);
    cJSON *json;
    struct err err;
    assert_int_equal(validation_to_json(v, 0.05, &json, &err), STATUS_OK);
    char *text = cJSON_PrintUnformatted(json);
    cJSON_Delete(json);
    json = cJSON_Parse(text);
    assert_string_equal(cJSON_GetObjectItem(json, "schema")->valuestring, "rmacast.validation/1");
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(json, "holds")));
    const cJSON *run = cJSON_GetObjectItem(json, "run_time");
    assert_close(cJSON_GetObjectItem(run, "relative")->valuedouble, 0.5);
    const cJSON *late_post = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "patterns"), PATTERN_LATE_POST);
    assert_string_equal(cJSON_GetObjectItem(late_post, "name")->valuestring, "late_post");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(late_post, "relative")));
    assert_close(cJSON_GetObjectItem(late_post, "error_s")->valuedouble, 0.5);
    cJSON_Delete(json);
    assert_int_equal(validation_to_json(v, -1, &json, &err), STATUS_OK);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "tolerance")));
    assert_null(cJSON_GetObjectItem(json, "holds"));
    cJSON_Delete(json);
    free(text);
    validation_free(v);
    result_free(predicted);
    result_free(measured);
}

static void write_file(char *path, const char *text)
{
    strcpy(path, "/tmp/rmacast-validate-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *out = fdopen(fd, "w");
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static enum status open_result(const char *path, const char *semantics, struct result **result, struct err *err)
{
    struct trace *trace = NULL;
    enum status status = validate_open_run(path, semantics, false, NULL, &trace, result, err);
    if (status == STATUS_OK) trace_free(trace);
    return status;
}

/* A comparison of two results of one rank, 2 s under a and 1 s under d. */
static void a_comparison_needs_a_choice(void **state)
{
    (void)state;
    cJSON *root = cJSON_CreateObject(), *results;
    cJSON_AddStringToObject(root, "schema", "rmacast.comparison/1");
    results = cJSON_AddArrayToObject(root, "results");
    struct err err;
    for (int i = 0; i < 2; i++) {
        struct result *result = make(1, (double[]){i ? 1.0 : 2.0}, 0);
        cJSON *json;
        result->semantics = strdup(i ? "d" : "a");
        assert_int_equal(result_to_json(result, &json, &err), STATUS_OK);
        cJSON_AddItemToArray(results, json);
        result_free(result);
    }
    char path[64], *text = json_print(root, JSON_LINES);
    write_file(path, text);
    struct result *result;
    assert_int_equal(open_result(path, NULL, &result, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "expected --semantics"));
    assert_int_equal(open_result(path, "b", &result, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "no row 'b'"));
    assert_int_equal(open_result(path, "d", &result, &err), STATUS_OK);
    assert_close(result->run_time_s, 1.0);
    result_free(result);
    remove(path);
    free(text);
    text = json_print(cJSON_GetArrayItem(results, 0), JSON_LINES);
    write_file(path, text);
    assert_int_equal(open_result(path, NULL, &result, &err), STATUS_OK);
    result_free(result);
    assert_int_equal(open_result(path, "d", &result, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "is of semantics 'a', expected 'd'"));
    remove(path);
    free(text);
    cJSON_Delete(root);
    write_file(path, "{\"schema\": \"something/1\"}");
    assert_int_equal(open_result(path, NULL, &result, &err), STATUS_DATA);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_signed_and_relative),
        cmocka_unit_test(repetitions_give_median_and_range),
        cmocka_unit_test(rank_errors_have_median_and_95th_percentile),
        cmocka_unit_test(tolerance_names_the_worst),
        cmocka_unit_test(equal_deviations),
        cmocka_unit_test(ends_of_the_spread),
        cmocka_unit_test(wait_states_are_measured_by_themselves),
        cmocka_unit_test(sections_must_be_the_same),
        cmocka_unit_test(some_run_has_the_section),
        cmocka_unit_test(nothing_measured_allows_no_error),
        cmocka_unit_test(different_runs_are_refused),
        cmocka_unit_test(json_has_null_for_what_is_unknown),
        cmocka_unit_test(a_comparison_needs_a_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
