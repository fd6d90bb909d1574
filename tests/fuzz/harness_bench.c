/* Configurations and results of the bench, and the platform that is fitted to them. Parts (parts.h): "config.json", a
 * configuration; "r/...", a directory of results. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "platforms/bench/results.h"
#include "platforms/fit/calibration.h"
#include "platforms/fit/plot.h"
#include "platforms/fit/values.h"
#include "platforms/platform.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/harnesses.h"
#include "tests/fuzz/mutate_text.h"
#include "tests/fuzz/oracle.h"
#include "tests/fuzz/parts.h"

enum { PATH_BYTES = 128 };

/* --- configurations --- */

static void check_job(const struct bench_job *job)
{
    if (job->size_count < 1 || job->min_repeats < 0 || !isfinite(job->max_duration_s) || job->max_duration_s < 0 ||
        !isfinite(job->confidence) || job->confidence < 0 || job->demand.nodes < 1 || job->demand.ranks < 1)
        fuzz_finding("%s has %d sizes, %d repetitions, %g s, confidence %g, %d nodes, %d ranks", job->test,
                     job->size_count, job->min_repeats, job->max_duration_s, job->confidence, job->demand.nodes,
                     job->demand.ranks);
    for (int i = 0; i < job->size_count; i++)
        if (job->sizes[i] < 0 || job->sizes[i] > BENCH_BYTES_MOST)
            fuzz_finding("%s has a size of %" PRId64, job->test, job->sizes[i]);
}

static void check_config(const char *path)
{
    struct bench_config config;
    struct err err;
    enum status status = bench_config_open(path, &config, &err);
    fuzz_check_error("bench_config_open", status, &err);
    if (status != STATUS_OK) return;
    for (int i = 0; i < config.count; i++) check_job(&config.jobs[i]);
    bench_config_share(&config, 3);
    status = bench_config_place_pairs(&config, 3, &err);
    fuzz_check_error("bench_config_place_pairs", status, &err);
    for (int i = 0; i < config.count; i++) check_job(&config.jobs[i]);
    bench_config_clear(&config);
}

/* --- results --- */

static void write_series(const struct bench_series *series, FILE *out)
{
    struct bench_job job = {.demand = series->demand};
    strcpy(job.test, series->test);
    strcpy(job.spec, series->spec);
    for (size_t i = 0; i < series->count; i++)
        if (!bench_results_write(out, &job, series->place, series->bytes, (int)i, &series->repetitions[i]))
            fuzz_finding("a row cannot be written");
}

static bool is_near(double a, double b, double within)
{
    return fabs(a - b) <= within * fmax(fabs(a), 1e-300);
}

static void check_same(const struct bench_series *a, const struct bench_series *b)
{
    bool same = strcmp(a->test, b->test) == 0 && strcmp(a->spec, b->spec) == 0 && strcmp(a->place, b->place) == 0 &&
                a->function == b->function && a->bytes == b->bytes && a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        const struct bench_repetition *one = &a->repetitions[i], *two = &b->repetitions[i];
        same = is_near(one->root, two->root, 1e-8) && is_near(one->least, two->least, 1e-8) &&
               is_near(one->mean, two->mean, 1e-8) && is_near(one->most, two->most, 1e-8) &&
               one->losses == two->losses && is_near(one->reference_s, two->reference_s, 1e-3) &&
               is_near(one->work_s, two->work_s, 1e-3);
    }
    if (!same) fuzz_finding("series %s of %s is another one when it is read back", a->spec, a->test);
}

/* A series begins with repetition 0, so each series of the results is one again. */
static void check_written(const struct bench_results *results)
{
    char place[64];
    char *text = NULL;
    size_t size;
    struct bench_results again;
    struct err err;
    FILE *out = open_memstream(&text, &size);
    if (!out) abort();
    fputs(bench_results_header, out);
    for (size_t i = 0; i < results->count; i++) write_series(&results->series[i], out);
    fclose(out);
    fuzz_directory("again", place, sizeof place);
    command_write(place, "rank-000000.csv", text, size);
    if (bench_results_open(place, &again, &err) != STATUS_OK)
        fuzz_finding("rows of ours do not read back: %s", err.text);
    if (again.count != results->count) fuzz_finding("%zu series are %zu when read back", results->count, again.count);
    for (size_t i = 0; i < again.count; i++) check_same(&results->series[i], &again.series[i]);
    bench_results_clear(&again);
    free(text);
    fuzz_remove(place);
}

static void check_statistics(const struct bench_series *series)
{
    struct bench_statistics s;
    struct err err;
    if (bench_series_statistics(series, &s, &err) != STATUS_OK) fuzz_finding("statistics: %s", err.text);
    const double ordered[] = {s.least, s.p10, s.p25, s.median, s.p90, s.most},
                 within = 1e-12 * (fabs(s.least) + fabs(s.most));
    for (int i = 1; i < 6; i++)
        if (!(ordered[i - 1] <= ordered[i] + within))
            fuzz_finding("%s: %g before %g", series->spec, ordered[i - 1], ordered[i]);
    if (!(s.mean >= s.least - within && s.mean <= s.most + within) || !isfinite(s.mean_half_width + s.median_error))
        fuzz_finding("%s: mean %g +- %g of %g to %g", series->spec, s.mean, s.mean_half_width, s.least, s.most);
}

/* --- the fit --- */

static void check_numbers(const cJSON *item)
{
    if (cJSON_IsNumber(item) && !isfinite(item->valuedouble))
        fuzz_finding("%s is %g", item->string ? item->string : "a number", item->valuedouble);
    const cJSON *child;
    cJSON_ArrayForEach(child, item) check_numbers(child);
}

static void check_platform(const cJSON *json)
{
    struct err err;
    struct platform *platform;
    struct json_document again;
    cJSON *differences;
    char *text = cJSON_Print(json);
    enum status status = platform_open(fuzz_file(text, strlen(text)), NULL, 0, &platform, &err);
    fuzz_check_error("the fitted platform", status,
                     &err); /* calibrate refuses it with a line: mpi.json may be at fault */
    if (status == STATUS_OK) {
        check_numbers(json);
        platform_free(platform);
    }
    if (json_parse(text, "platform.json", &again, &err) != STATUS_OK)
        fuzz_finding("a platform that is no JSON: %s", err.text);
    if (platform_differences(again.root, again.root, &differences, &err) != STATUS_OK)
        fuzz_finding("differences: %s", err.text);
    if (cJSON_GetArraySize(differences) > 0)
        fuzz_finding("a platform differs from itself: %s", cJSON_PrintUnformatted(differences));
    cJSON_Delete(differences);
    char *second = cJSON_Print(again.root);
    if (strcmp(text, second) != 0) fuzz_finding("a platform differs when it is read back: %s became %s", text, second);
    cJSON_free(second);
    status = platform_print_values(json, true, oracle_nowhere(), &err);
    fuzz_check_error("platform_print_values", status, &err);
    status = platform_plot(json, "platform.json", oracle_nowhere(), &err);
    fuzz_check_error("platform_plot", status, &err);
    json_close(&again);
    cJSON_free(text);
}

static void check_fit(const struct bench_results *results, const char *place)
{
    char path[PATH_BYTES];
    struct json_document run, section = {.root = NULL};
    struct calibration *calibration;
    struct err err;
    cJSON *platform;
    snprintf(path, sizeof path, "%s/r/run.json", place);
    enum status status = json_open(path, &run, &err);
    fuzz_check_error("run.json", status, &err);
    if (status != STATUS_OK) return;
    status = calibration_new(results, run.root, &calibration, &err);
    json_close(&run);
    if (status == STATUS_DATA && err.text[0] && !strchr(err.text, '\n'))
        return; /* calibrate says the directory before it */
    fuzz_check_error("calibration_new", status, &err);
    snprintf(path, sizeof path, "%s/r/mpi.json", place);
    if (json_open(path, &section, &err) != STATUS_OK) section.root = NULL;
    status = calibration_to_platform(calibration, section.root, "fuzz", &platform, &err);
    if (status != STATUS_DATA) fuzz_check_error("calibration_to_platform", status, &err);
    if (status == STATUS_OK) {
        check_platform(platform);
        cJSON_Delete(platform);
    }
    if (section.root) json_close(&section);
    free(calibration);
}

static void check_results(const char *place, unsigned fit_once_in)
{
    char path[PATH_BYTES];
    struct bench_results results;
    struct err err;
    double own_s;
    snprintf(path, sizeof path, "%s/r", place);
    enum status status = bench_results_open(path, &results, &err);
    if (status == STATUS_SYSTEM) { /* a file that is missing or a directory */
        if (strchr(err.text, '\n')) fuzz_finding("an error of several lines: %s", err.text);
        return;
    }
    fuzz_check_error("bench_results_open", status, &err);
    if (status != STATUS_OK) return;
    for (size_t i = 0; i < results.count; i++) check_statistics(&results.series[i]);
    check_written(&results);
    if (bench_results_print(&results, oracle_nowhere(), &err) != STATUS_OK) fuzz_finding("print: %s", err.text);
    if (bench_results_own_s(&results, &own_s, &err) != STATUS_OK || !isfinite(own_s))
        fuzz_finding("own time: %s", err.text);
    if (fuzz_once_in(fit_once_in)) check_fit(&results, place);
    if (bench_results_join(&results, &err) != STATUS_OK) fuzz_finding("join: %s", err.text);
    for (size_t i = 0; i < results.count; i++)
        if (!bench_results_is_first(&results, i))
            fuzz_finding("two series of %s after they were joined", results.series[i].spec);
    bench_results_keep(&results, "t", false);
    bench_results_clear(&results);
}

static void check_command(const char *place, const char *path)
{
    char *words[] = {(char *)command_program, "calibrate", "--config", (char *)path, "-o", "-", "--", "true", NULL};
    struct bench_config config;
    struct err err;
    enum status status = bench_config_open(path, &config, &err);
    if (status == STATUS_OK) bench_config_clear(&config);
    if (status == STATUS_DATA) command_check_same(place, words, status, &err);
}

static void run(const uint8_t *data, size_t size)
{
    enum { FIT_ONCE_IN = 4, COMMAND_ONCE_IN = 4000 };
    char place[64], path[PATH_BYTES];
    struct part parts[PARTS_MAX];
    parts_place(data, size, parts, place, sizeof place);
    snprintf(path, sizeof path, "%s/config.json", place);
    check_config(path);
    check_results(place, FIT_ONCE_IN);
    if (fuzz_once_in(COMMAND_ONCE_IN)) check_command(place, path);
    fuzz_remove(place);
}

static size_t mutate(struct random *random, uint8_t *data, size_t size, size_t room)
{
    static const char *const lines[] = {"t,putLatency -s flush,2,2,0+1,8,0,4.5e-06,4.5e-06,4.5e-06,4.5e-06",
                                        "t,pingPong,1,2,0,8,0,1e-6,1e-6,1e-6,1e-6,1e-7,1e-3,0",
                                        "t,empty,1,1,0,0,0,1e-7,1e-7,1e-7,1e-7,0,0,1",
                                        "t,putBehindPause,2,2,0+1,1000,0,3600,3600,3600,3600",
                                        "t,putOpposed,2,2,1+0,4096,0,-1e-6,0,1e-6,3600",
                                        "t,barrier,2,10,0+1,0,2147483647,0,0,0,0",
                                        "test,function,nodes,ranks,place,bytes,repetition,root_s,least_s,mean_s,most_s",
                                        "init_least_s,init_most_s,finalize_s",
                                        "0.1,0.2,-1",
                                        ",,,,,,,,,,",
                                        "nan,inf"};
    if (random_chance(random, 30)) return mutate_digits(random, data, size, room);
    return parts_mutate(random, lines, sizeof lines / sizeof *lines, data, size, room);
}

const struct fuzz_harness harness_bench = {
    .name = "bench",
    .summary = "configurations and results of the bench: read, written and read again, fitted",
    .run = run,
    .mutate = mutate,
    .splices = true,
};
