#include "cli/calibrate/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/launcher.h"
#include "common/files/output_file.h"
#include "common/json.h"
#include "common/json/json_write.h"
#include "common/units.h"
#include "platforms/fit/size_curve.h"
#include "platforms/stated_errors.h"
#include "trace/open.h"
#include "validate/skeletons.h"

enum { WORDS_MOST = 512, KEPT_LEAST = 10 };

#define TEST(NAME) "    \"" CALIBRATE_CHECK_PREFIX NAME "\": "
/* Every way to synchronise, with small and large data, both directions at once, a put behind a pause of 10 ms, and late posts. */
static const char tests[] =
    "{ \"tests\": {\n" TEST("curves") "{ \"conf\": [[2, 2], [1, 2]], \"sizes\": [8, \"4K\", \"64K\"], \"minRepeats\": 40,\n"
    "      \"maxDuration\": 0.2, \"confidence\": 0,\n"
    "      \"tests\": [\"putLatency -s flush\", \"putLatency -s lock\", \"putLatency -s lock_all\", \"putLatency -s pscw\",\n"
    "                \"putLatency -s fence\", \"getLatency -s flush\", \"getLatency -s lock\", \"accumulateLatency -s flush\",\n"
    "                \"pingPong\"] },\n"
    TEST("words") "{ \"conf\": [[2, 2], [1, 2]], \"sizes\": 8, \"minRepeats\": 40, \"maxDuration\": 0.2, \"confidence\": 0,\n"
    "      \"tests\": [\"fetchAndOpLatency -s flush\", \"lockRoundTrip\", \"pscwSkeleton\",\n"
    "                \"fenceSkeleton\", \"allreduceTrain\", \"barrier\"] },\n"
    TEST("both") "{ \"conf\": [[2, 2], [1, 2]], \"sizes\": [\"4K\", \"256K\"], \"minRepeats\": 40, \"maxDuration\": 0.2,\n"
    "      \"tests\": [\"putBothWays\", \"getBothWays\", \"accumulateBothWays\"] },\n"
    TEST("ahead") "{ \"conf\": [[2, 2], [1, 2]], \"sizes\": [1, 2, 4], \"minRepeats\": 11, \"maxDuration\": 0,\n"
    "      \"tests\": \"epochsAhead\" },\n"
    TEST("room") "{ \"conf\": [[2, 2], [1, 2]], \"sizes\": [64, \"64K\"], \"minRepeats\": 11, \"maxDuration\": 0,\n"
    "      \"tests\": \"putsAhead\" },\n"
    TEST("group") "{ \"conf\": [[3, 3], [2, 4], [1, 3]], \"sizes\": 8, \"minRepeats\": 11, \"maxDuration\": 0, "
    "\"tests\": \"lateGroup\" },\n"
    TEST("pause") "{ \"conf\": [[2, 2], [1, 2]], \"sizes\": 10000, \"minRepeats\": 40, \"maxDuration\": 0.2, \"confidence\": 0,\n"
    "      \"tests\": \"putBehindPause\" } } }\n";
#undef TEST

struct files {
    char self[CALIBRATE_PATH_BYTES], bench[CALIBRATE_PATH_BYTES], config[CALIBRATE_PATH_BYTES + 32];
    char results[CALIBRATE_PATH_BYTES + 32], measured[CALIBRATE_PATH_BYTES + 32], predicted[CALIBRATE_PATH_BYTES + 32];
};

static enum status name_files(const struct calibrate_run *run, struct files *files, struct err *err)
{
    if (!realpath("/proc/self/exe", files->self))
        return err_set(err, STATUS_SYSTEM, "/proc/self/exe", NULL, "does not tell which program this is");
    snprintf(files->config, sizeof files->config, "%s/check.json", run->directory);
    snprintf(files->results, sizeof files->results, "%s/check", run->directory);
    snprintf(files->measured, sizeof files->measured, "%s/check.rma", run->directory);
    snprintf(files->predicted, sizeof files->predicted, "%s/predicted.rma", run->directory);
    TRY(launcher_find_program(run->mpi == CALIBRATE_OPENMPI ? "rmacast-bench-openmpi" : "rmacast-bench",
                              "RMACAST_BENCH", files->bench, sizeof files->bench, err));
    FILE *out;
    TRY(output_file_open_again(files->config, &out, err)); /* for the recording, and for its comparison */
    fputs(tests, out);
    return output_file_close(files->config, out, STATUS_OK, err);
}

static bool drop_line(void *context, const char *line)
{
    (void)context, (void)line;
    return false;
}

static enum status run_self(char *const *command, const char *last, const char *const *arguments, double limit_s, struct err *err)
{
    struct launcher_outcome outcome;
    TRY(launcher_run(command, last, arguments, limit_s, drop_line, NULL, &outcome, err));
    if (outcome.end == LAUNCHER_EXITED && outcome.exit_status == 0) return STATUS_OK;
    return err_set(err, STATUS_DATA, "--check", command[1], "ended %s%d, expected it to end with status 0",
                   outcome.end == LAUNCHER_EXITED ? "with status " : "early, status ", outcome.exit_status);
}

static enum status record_program(const struct calibrate_run *run, struct files *files, struct err *err)
{
    char *words[WORDS_MOST] = {files->self, "record", "-o", files->measured, "--"};
    const char *const arguments[] = {"--output", files->results, "--config", files->config, "--once", "--quiet", NULL};
    int count = 5;
    for (char *const *word = run->command; *word; word++) {
        if (count == WORDS_MOST - 1)
            return err_set(err, STATUS_USAGE, NULL, NULL, "--check: the launcher has more than %d words", WORDS_MOST - 6);
        words[count++] = *word;
    }
    return run_self(words, files->bench, arguments, run->limit_s, err);
}

/* On the platform with the shift. */
static enum status replay_trace(const struct calibrate_run *run, struct files *files, const char *platform,
                                const struct platform_shift *shift, struct err *err)
{
    char *const words[] = {files->self, "simulate", files->measured, "--platform", NULL};
    const char *arguments[7 + 2 * ERROR_SECTIONS] = {"--engine", "loggp", "-o", files->predicted};
    size_t count = 4;
    for (size_t i = 0; i < shift->count; i++) {
        arguments[count++] = "--set";
        arguments[count++] = shift->overrides[i];
    }
    /* Between its calls the bench does nothing: what the recording has there is the recorder's. Sleep stays. */
    arguments[count++] = "--set";
    arguments[count++] = "nodes.speed=1e6";
    return run_self(words, platform, arguments, run->limit_s, err);
}

static enum status compare_traces(const struct files *files, struct skeletons *rows, struct err *err)
{
    struct trace *measured, *predicted;
    struct skeletons series = {0};
    TRY(trace_open(files->measured, &measured, err));
    enum status status = trace_open(files->predicted, &predicted, err);
    if (status == STATUS_OK) {
        status = skeletons_compare(measured, predicted, 0, &series, err);
        trace_free(predicted);
    }
    trace_free(measured);
    if (status == STATUS_OK) status = skeletons_join(&series, rows, err);
    skeletons_clear(&series);
    return status;
}

/* The rows of the recording and of its replay on the platform, as it is stated or slower by the errors of its values. */
static enum status predict_rows(const struct calibrate_run *run, struct files *files, const char *platform,
                                enum platform_errors errors, struct skeletons *rows, struct err *err)
{
    struct platform_shift shift;
    TRY(platform_shift_make(platform, NULL, 0, errors, &shift, err));
    enum status status = replay_trace(run, files, platform, &shift, err);
    platform_shift_clear(&shift);
    return status == STATUS_OK ? compare_traces(files, rows, err) : status;
}

/* The bench gives half a ping-pong, and one call of a train; a row has all calls. */
static double calls_of(const char *spec)
{
    static const struct {
        const char *spec;
        double calls;
    } parts[] = {{"pingPong", 2}, {"fenceSkeleton", BENCH_TRAIN}, {"allreduceTrain", BENCH_TRAIN}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(parts[i].spec, spec) == 0) return parts[i].calls;
    return 1;
}

/* Fewer than 20 repetitions are under the conditions of the fit, but they do not matter: the repetitions under all conditions are
 * steady, as where a rank sleeps. */
static bool holds_anyway(const struct curve_size *size)
{
    return size->elsewhere && !bench_statistics_refused(&size->all);
}

/* What the fit takes of the size. An overhead without references is of all passes (docs/calibration.md, Overhead). So is the row
 * of start and complete without operations, if nobody had its core meanwhile. */
static const struct bench_statistics *statistics_of(const struct curve_size *size, const char *spec)
{
    return (strcmp(spec, "pscwSkeleton") == 0 && !size->selected) || holds_anyway(size) ? &size->all : &size->statistics;
}

/* The calls of a pair's first rank do not tell that the other one makes the same ones. */
static void name_both_ways(const char *spec, struct skeleton *row)
{
    const char *words = strstr(spec, "BothWays") ? ", both ways" : "";
    if (strlen(row->name) + strlen(words) < sizeof row->name) strcat(row->name, words);
}

/* Leaves out the row of a size whose repetitions tell nothing of the platform file. Says which repetitions do not count. Where
 * the core is kept in fewer than a tenth of the calls, these are no usual ones. */
static void judge_size(const struct curve_size *size, struct skeleton *row)
{
    if (size->elsewhere && !holds_anyway(size)) {
        row->left_out = true;
        snprintf(row->remark, sizeof row->remark, "fewer than %d of its %zu repetitions are under the conditions of the fit",
                 CONDITIONS_REPETITIONS_LEAST, size->all.count);
    } else if (size->lost.count > 0) {
        char with[UNITS_TEXT_BYTES];
        row->left_out = !size->selected || KEPT_LEAST * size->statistics.count < size->all.count;
        snprintf(row->remark, sizeof row->remark,
                 "another process had the core in %zu of %zu repetitions, which take %s; they do not count", size->lost.count,
                 size->all.count, units_format_duration(size->lost.median, with));
    }
}

/* The rows get what the bench measured of the series, under the conditions of the fit. */
static enum status take_measured(const struct bench_results *results, const struct bench_series *series,
                                 const struct conditions conditions[2], struct skeletons *rows, struct err *err)
{
    char region[BENCH_SERIES_NAME_BYTES];
    const bool between = series->demand.nodes > 1;
    struct size_curve curve;
    bench_series_name(series->spec, series->demand.nodes, series->bytes, region);
    TRY(size_curve_collect(results, series->spec, between, &conditions[between], &curve, err));
    for (size_t i = 0; i < curve.count; i++) {
        const struct bench_statistics *statistics = statistics_of(&curve.sizes[i], series->spec);
        if (curve.points[i].x != (double)series->bytes) continue;
        for (size_t k = 0; k < rows->count; k++) {
            struct skeleton *row = &rows->items[k];
            if (strcmp(row->region, region) != 0) continue;
            row->measured_median_s = calls_of(series->spec) * statistics->median;
            row->measured_p10_s = calls_of(series->spec) * statistics->p10;
            row->measured_error_s =
                calls_of(series->spec) * size_curve_three_errors(&curve.sizes[i], statistics->median_error);
            row->count = statistics->count;
            name_both_ways(series->spec, row);
            judge_size(&curve.sizes[i], row);
        }
    }
    return STATUS_OK;
}

/* The results of the fit's tests or of the check's. */
static enum status open_results(const struct calibrate_run *run, bool check, struct bench_results *results, struct err *err)
{
    TRY(bench_results_open(run->directory, results, err));
    bench_results_keep(results, CALIBRATE_CHECK_PREFIX, check);
    return STATUS_OK;
}

/* Those of the fit: of its own tests. */
static enum status find_conditions(const struct calibrate_run *run, struct conditions conditions[2], struct err *err)
{
    struct bench_results results;
    enum status status = STATUS_OK;
    TRY(open_results(run, false, &results, err));
    for (int between = 0; between < 2 && status == STATUS_OK; between++)
        status = conditions_find(&results, between, &conditions[between], err);
    bench_results_clear(&results);
    return status;
}

enum status calibrate_count_missing(const struct calibrate_run *run, size_t *sizes, size_t *missing, struct err *err)
{
    struct conditions conditions[2];
    enum status status = STATUS_OK;
    *sizes = *missing = 0;
    TRY(find_conditions(run, conditions, err));
    for (int check = 0; check < 2 && status == STATUS_OK; check++) {
        struct bench_results results;
        TRY(open_results(run, check, &results, err));
        for (int between = 0; between < 2 && status == STATUS_OK; between++) {
            size_t counted = 0, few = 0;
            status = conditions_count(&results, between, &conditions[between], &counted, &few, err);
            *sizes += counted;
            *missing += few;
        }
        bench_results_clear(&results);
    }
    return status;
}

static enum status take_all_measured(const struct calibrate_run *run, struct skeletons *rows, struct err *err)
{
    struct bench_results results;
    struct conditions conditions[2];
    TRY(find_conditions(run, conditions, err));
    TRY(open_results(run, true, &results, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < results.count && status == STATUS_OK; i++)
        if (bench_results_is_first(&results, i)) status = take_measured(&results, &results.series[i], conditions, rows, err);
    bench_results_clear(&results);
    return status;
}

/* The default's tests and the check's are for machines of one node and of several. */
static void make_optional(cJSON *list)
{
    cJSON *test;
    cJSON_ArrayForEach (test, list) json_add_bool(test, "optional", true);
}

enum status calibrate_check_config(const struct calibrate_run *run, const char *file, struct err *err)
{
    struct json_document own, check;
    TRY(run->config ? json_open(run->config, &own, err) : json_parse(bench_config_default, "(default)", &own, err));
    enum status status = json_parse(tests, "(check)", &check, err);
    cJSON *added, *to = cJSON_GetObjectItem(own.root, "tests");
    if (!run->config) make_optional(to);
    make_optional(cJSON_GetObjectItem(check.root, "tests"));
    cJSON_ArrayForEach (added, cJSON_GetObjectItem(check.root, "tests"))
        json_put(to, added->string, cJSON_Duplicate(added, true));
    if (status == STATUS_OK) status = cli_write_json_now(own.root, file, err);
    json_close(&check);
    json_close(&own);
    return status;
}

enum status calibrate_check_record(const struct calibrate_run *run, struct err *err)
{
    struct files *files = calloc(1, sizeof *files);
    if (!files) return err_memory(err);
    enum status status = name_files(run, files, err);
    if (status == STATUS_OK) status = record_program(run, files, err);
    free(files);
    return status;
}

enum status calibrate_check(const struct calibrate_run *run, const char *platform, struct err *err)
{
    struct files *files = calloc(1, sizeof *files);
    struct skeletons rows = {0}, slower = {0};
    if (!files) return err_memory(err);
    enum status status = name_files(run, files, err);
    if (status == STATUS_OK) status = predict_rows(run, files, platform, PLATFORM_SLOWER, &slower, err);
    if (status == STATUS_OK) status = predict_rows(run, files, platform, PLATFORM_AS_STATED, &rows, err);
    if (status == STATUS_OK) skeletons_take_errors(&rows, &slower);
    if (status == STATUS_OK) status = take_all_measured(run, &rows, err);
    if (status == STATUS_OK) skeletons_leave_out(&rows);
    if (status == STATUS_OK) skeletons_print(&rows, cli_table());
    skeletons_clear(&slower);
    skeletons_clear(&rows);
    free(files);
    return status;
}
