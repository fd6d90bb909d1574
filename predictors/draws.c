#include "predictors/draws.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json/field_rows.h"
#include "common/scramble.h"
#include "common/search.h"
#include "common/text/text.h"
#include "common/units.h"
#include "model/result/result_fields.h"
#include "predictors/comparison.h"

#define RACES_FROM 0.04 /* a range of the run times of so much of their median is a race */

/* Sorts the values. */
static struct draws_range range_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return (struct draws_range){(values[(count - 1) / 2] + values[count / 2]) / 2, values[0], values[count - 1]};
}

/* The time by which the draws are ordered. */
static double time_of(const struct result *result, const struct draws_request *request)
{
    return request->choice == DRAW_MEDIAN_OF_RANK ? result->rank_time_s[request->number] : result->run_time_s;
}

/* values: room for one of each draw. */
static size_t take_draw(struct result *const *results, const struct draws_request *request, double *values)
{
    if (request->choice == DRAW_NONE) return 0;
    if (request->choice == DRAW_NUMBER) return request->number;
    for (size_t i = 0; i < request->count; i++) values[i] = time_of(results[i], request);
    qsort(values, request->count, sizeof *values, compare_doubles);
    size_t draw = 0;
    while (time_of(results[draw], request) != values[(request->count - 1) / 2]) draw++;
    return draw + 1;
}

static enum status find_ranges(struct result *const *results, const struct draws_request *request, struct draws *draws,
                               struct err *err)
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
    draws->taken = take_draw(results, request, values);
    free(values);
    return STATUS_OK;
}

enum status draws_check(const struct draws_request *request, const struct platform *platform, uint32_t rank_count,
                        struct err *err)
{
    if (strcmp(request->engine->name, "loggp") != 0)
        return err_set(err, STATUS_USAGE, NULL, NULL, "--draws with engine %s, expected --engine loggp", request->engine->name);
    if (request->choice == DRAW_MEDIAN_OF_RANK && request->number >= rank_count)
        return err_set(err, STATUS_USAGE, NULL, NULL, "--draw median:%zu, expected a rank below %" PRIu32, request->number,
                       rank_count);
    if (platform->jitter_s > 0) return STATUS_OK;
    return err_set(err, STATUS_DATA, platform->file, "network.jitter_s",
                   "--draws needs the standard deviation of a message's latency, expected a value above 0");
}

/* The platform of a draw, with the memory of the given one; number: from 1. */
static struct platform drawn_platform(const struct platform *platform, uint64_t seed, size_t number)
{
    struct platform drawn = *platform;
    drawn.draw = scramble_bits(scramble_bits(seed) + number - 1) | 1; /* 0 draws nothing */
    memset(drawn.erring, 0, sizeof drawn.erring); /* the row's own run has its errors */
    return drawn;
}

enum status draws_run(const struct trace *trace, const struct platform *platform, const struct draws_request *request,
                      struct draws *draws, struct err *err)
{
    struct comparison comparison = {0};
    struct analyze_options plain = *request->analyze;
    size_t count = request->count;
    plain.intervals = plain.verify = plain.per_rank = false;
    *draws = (struct draws){.count = 0};
    TRY(draws_check(request, platform, trace->rank_count, err));
    *draws = (struct draws){.count = count,
                            .seed = request->seed,
                            .jitter_s = platform->jitter_s,
                            .rank_count = trace->rank_count,
                            .choice = request->choice,
                            .number = request->number};
    struct comparison_row *rows = calloc(count, sizeof *rows);
    struct platform *platforms = calloc(count, sizeof *platforms);
    char(*titles)[COMPARISON_TITLE_BYTES] = calloc(count, sizeof *titles);
    enum status status = rows && platforms && titles ? STATUS_OK : err_memory(err);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const bool of_row = request->row;
        snprintf(titles[i], sizeof titles[i], "%s%s%sdraw %zu of %zu", of_row ? "semantics " : "", of_row ? request->row : "",
                 of_row ? ", " : "", i + 1, count);
        platforms[i] = drawn_platform(platform, request->seed, i + 1);
        rows[i] = (struct comparison_row){.name = titles[i],
                                          .title = titles[i],
                                          .platform = &platforms[i],
                                          .progress = request->progress,
                                          .progress_context = request->progress ? request->progress_contexts[i] : NULL,
                                          .recording = request->recording,
                                          .keep_going = request->keep_going};
    }
    if (status == STATUS_OK) status = comparison_run(trace, rows, count, request->engine, &plain, &comparison, err);
    if (status == STATUS_OK) status = find_ranges(comparison.results, request, draws, err);
    comparison_clear(&comparison);
    FREE_ALL(rows, platforms, titles);
    if (status != STATUS_OK) draws_clear(draws);
    return status;
}

enum status draws_predict(const struct trace *trace, struct draws *draws, struct platform *drawn,
                          struct prediction *prediction, struct err *err)
{
    char jitter[UNITS_TEXT_BYTES];
    draws->undrawn = prediction->result;
    prediction->result = NULL;
    prediction_clear(prediction);
    *drawn = drawn_platform(prediction->platform, draws->seed, draws->taken);
    prediction->trace = trace;
    prediction->platform = drawn;
    prediction->progress = NULL;
    TRY(prediction_run(prediction, err));
    if (!prediction->outcome.trace) return STATUS_OK;
    enum status status =
        trace_add_note(prediction->outcome.trace, err, "draw %zu of seed %" PRIu64 ": latencies have a standard deviation of %s",
                       draws->taken, draws->seed, units_format_duration(draws->jitter_s, jitter));
    if (status != STATUS_OK) prediction_clear(prediction);
    return status;
}

double draws_paired_range_s(const struct draws *a, const struct draws *b)
{
    double least_s = INFINITY, most_s = -INFINITY;
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        double apart_s = a->run_times_s[i] - b->run_times_s[i];
        least_s = fmin(least_s, apart_s);
        most_s = fmax(most_s, apart_s);
    }
    return most_s > least_s ? most_s - least_s : 0;
}

void draws_clear(struct draws *draws)
{
    FREE_ALL(draws->run_times_s, draws->rank_time);
    result_free(draws->undrawn);
    *draws = (struct draws){0};
}

static void print_row(const char *title, double predicted_s, const struct draws_range *range, FILE *out)
{
    char text[4][UNITS_TEXT_BYTES];
    text_print(out, "%-28s %11s %11s %11s %11s\n", title, units_format_duration(predicted_s, text[0]),
               units_format_duration(range->median_s, text[1]), units_format_duration(range->min_s, text[2]),
               units_format_duration(range->max_s, text[3]));
}

static void print_taken(const struct draws *draws, FILE *out)
{
    char why[64] = "", run_time[UNITS_TEXT_BYTES];
    if (draws->choice == DRAW_MEDIAN) snprintf(why, sizeof why, ", which has the median run time");
    if (draws->choice == DRAW_MEDIAN_OF_RANK)
        snprintf(why, sizeof why, ", which has the median time of rank %zu", draws->number);
    text_print(out, "The prediction is draw %zu%s. Without draws the run time is %s.\n", draws->taken, why,
               units_format_duration(draws->undrawn->run_time_s, run_time));
}

void draws_print(const struct draws *draws, const struct result *result, FILE *out)
{
    char jitter[UNITS_TEXT_BYTES];
    const struct draws_range *run_time = &draws->run_time;
    double differ_s = run_time->max_s - run_time->min_s;
    text_print(out, "\n%zu draw%s, seed %" PRIu64 ", latencies with a standard deviation of %s\n", draws->count,
               units_plural(draws->count), draws->seed, units_format_duration(draws->jitter_s, jitter));
    text_print(out, "%-28s %11s %11s %11s %11s\n", "", "predicted", "median", "least", "most");
    print_row("Run time", result->run_time_s, run_time, out);
    for (enum pattern pattern = 0; pattern < PATTERN_COUNT; pattern++)
        if (draws->patterns[pattern].max_s > 0 || result->patterns[pattern].severity_s > 0)
            print_row(pattern_row(pattern)->title, result->patterns[pattern].severity_s, &draws->patterns[pattern], out);
    if (draws->taken > 0)
        print_taken(draws, out);
    else if (differ_s > 0 && differ_s >= RACES_FROM * run_time->median_s)
        text_print(out, "The program races: its run times differ by %.0f %%. --draw median predicts the draw of the median.\n",
                   differ_s / run_time->median_s * 100);
}

#define S struct draws_range
static const struct field range_fields[] = {FIELD("median", median_s), FIELD("min", min_s), FIELD("max", max_s), {0}};
static const struct field severity_fields[] = {PART("severity_s", range_fields), {0}};
#undef S
#define S struct result
static const struct field undrawn_fields[] = {SAME(run_time_s), SAME(rank_time_s), {0}};
#undef S
#define S struct draws
const struct field draws_fields[] = {SAME(count),
                                     SAME(seed),
                                     SAME(jitter_s),
                                     SAME(taken, IF_FLAG(taken), LEFT_OUT),
                                     OBJECT("undrawn", undrawn, undrawn_fields, IF_FLAG(taken), LEFT_OUT, POINTED),
                                     OBJECT("run_time_s", run_time, range_fields),
                                     NUMBERS("run_times_s", run_times_s, count),
                                     PER_RANK("rank_time_s", rank_time, range_fields),
                                     TABLE("patterns", patterns, name_pattern, severity_fields),
                                     {0}};
#undef S
