#include "predictors/draws.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/scramble.h"
#include "common/search.h"
#include "common/units.h"
#include "predictors/comparison.h"

enum { NAME_BYTES = 32 };

/* Sorts the values. */
static struct draws_range range_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return (struct draws_range){(values[(count - 1) / 2] + values[count / 2]) / 2, values[0], values[count - 1]};
}

static enum status find_ranges(struct result *const *results, struct draws *draws, struct err *err)
{
    size_t count = draws->count;
    double *values = calloc(count, sizeof *values);
    draws->run_times_s = calloc(count, sizeof *draws->run_times_s);
    draws->rank_time = calloc(draws->rank_count, sizeof *draws->rank_time);
    if (!values || !draws->run_times_s || !draws->rank_time) {
        free(values);
        return err_memory(err);
    }
    for (size_t i = 0; i < count; i++) values[i] = draws->run_times_s[i] = results[i]->run_time_s;
    draws->run_time = range_of(values, count);
    for (uint32_t rank = 0; rank < draws->rank_count; rank++) {
        for (size_t i = 0; i < count; i++) values[i] = results[i]->rank_time_s[rank];
        draws->rank_time[rank] = range_of(values, count);
    }
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++) {
        for (size_t i = 0; i < count; i++) values[i] = results[i]->patterns[pattern].severity_s;
        draws->patterns[pattern] = range_of(values, count);
    }
    free(values);
    return STATUS_OK;
}

enum status draws_check(const struct platform *platform, const struct engine_descriptor *engine, struct err *err)
{
    if (strcmp(engine->name, "loggp") != 0)
        return err_set(err, STATUS_USAGE, NULL, NULL, "--draws with engine %s, expected --engine loggp", engine->name);
    if (platform->jitter_s > 0) return STATUS_OK;
    return err_set(err, STATUS_DATA, platform->file, "network.jitter_s",
                   "--draws needs the standard deviation of a message's latency, expected a value above 0");
}

enum status draws_run(const struct trace *trace, const struct platform *platform, const struct engine_descriptor *engine,
                      const struct analyze_options *analyze, bool keep_going, size_t count, uint64_t seed,
                      struct draws *draws, struct err *err)
{
    struct comparison comparison = {0};
    struct analyze_options plain = *analyze;
    plain.intervals = plain.verify = plain.per_rank = false;
    *draws = (struct draws){
        .count = count, .seed = seed, .jitter_s = platform->jitter_s, .rank_count = trace->rank_count};
    TRY(draws_check(platform, engine, err));
    struct comparison_row *rows = calloc(count, sizeof *rows);
    struct platform *platforms = calloc(count, sizeof *platforms); /* borrow the memory of platform */
    char(*names)[NAME_BYTES] = calloc(count, sizeof *names);
    enum status status = rows && platforms && names ? STATUS_OK : err_memory(err);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        snprintf(names[i], sizeof names[i], "draw %zu", i + 1);
        platforms[i] = *platform;
        platforms[i].draw = scramble_bits(scramble_bits(seed) + i) | 1; /* 0 draws nothing */
        rows[i] = (struct comparison_row){.name = names[i], .platform = &platforms[i], .keep_going = keep_going};
    }
    if (status == STATUS_OK) status = comparison_run(trace, rows, count, engine, &plain, &comparison, err);
    if (status == STATUS_OK) status = find_ranges(comparison.results, draws, err);
    comparison_clear(&comparison);
    free(rows);
    free(platforms);
    free(names);
    if (status != STATUS_OK) draws_clear(draws);
    return status;
}

void draws_clear(struct draws *draws)
{
    free(draws->run_times_s);
    free(draws->rank_time);
    *draws = (struct draws){0};
}

static void print_row(const char *title, double predicted_s, const struct draws_range *range, FILE *out)
{
    char text[4][UNITS_TEXT_BYTES];
    fprintf(out, "%-28s %11s %11s %11s %11s\n", title, units_format_duration(predicted_s, text[0]),
            units_format_duration(range->median_s, text[1]), units_format_duration(range->min_s, text[2]),
            units_format_duration(range->max_s, text[3]));
}

void draws_print(const struct draws *draws, const struct result *result, FILE *out)
{
    char jitter[UNITS_TEXT_BYTES];
    fprintf(out, "\n%zu draws, seed %" PRIu64 ", latencies with a standard deviation of %s\n", draws->count, draws->seed,
            units_format_duration(draws->jitter_s, jitter));
    fprintf(out, "%-28s %11s %11s %11s %11s\n", "", "predicted", "median", "least", "most");
    print_row("Run time", result->run_time_s, &draws->run_time, out);
    for (enum pattern pattern = 0; pattern < PATTERN_COUNT; pattern++)
        if (draws->patterns[pattern].max_s > 0 || result->patterns[pattern].severity_s > 0)
            print_row(pattern_row(pattern)->title, result->patterns[pattern].severity_s, &draws->patterns[pattern], out);
}

static cJSON *range_json(const struct draws_range *range)
{
    cJSON *made = cJSON_CreateObject();
    if (!made || !cJSON_AddNumberToObject(made, "median", range->median_s) ||
        !cJSON_AddNumberToObject(made, "min", range->min_s) || !cJSON_AddNumberToObject(made, "max", range->max_s)) {
        cJSON_Delete(made);
        return NULL;
    }
    return made;
}

/* Adds the item, which may be NULL, and owns it. */
static bool add_to(cJSON *parent, const char *key, cJSON *item)
{
    bool added = item && (key ? cJSON_AddItemToObject(parent, key, item) : cJSON_AddItemToArray(parent, item));
    if (!added) cJSON_Delete(item);
    return added;
}

static bool fill_json(const struct draws *draws, cJSON *json)
{
    bool filled = cJSON_AddNumberToObject(json, "count", (double)draws->count) &&
                  cJSON_AddNumberToObject(json, "seed", (double)draws->seed) &&
                  cJSON_AddNumberToObject(json, "jitter_s", draws->jitter_s) &&
                  add_to(json, "run_time_s", range_json(&draws->run_time)) &&
                  add_to(json, "run_times_s", cJSON_CreateDoubleArray(draws->run_times_s, (int)draws->count));
    cJSON *ranks = filled ? cJSON_AddArrayToObject(json, "rank_time_s") : NULL;
    for (uint32_t rank = 0; rank < draws->rank_count && ranks; rank++)
        if (!add_to(ranks, NULL, range_json(&draws->rank_time[rank]))) return false;
    cJSON *patterns = ranks ? cJSON_AddArrayToObject(json, "patterns") : NULL;
    for (enum pattern pattern = 0; pattern < PATTERN_COUNT && patterns; pattern++) {
        cJSON *one = cJSON_CreateObject();
        if (!add_to(patterns, NULL, one) || !cJSON_AddStringToObject(one, "name", pattern_row(pattern)->name) ||
            !add_to(one, "severity_s", range_json(&draws->patterns[pattern])))
            return false;
    }
    return patterns != NULL;
}

enum status draws_to_json(const struct draws *draws, cJSON **json, struct err *err)
{
    *json = cJSON_CreateObject();
    if (*json && fill_json(draws, *json)) return STATUS_OK;
    cJSON_Delete(*json);
    *json = NULL;
    return err_memory(err);
}
