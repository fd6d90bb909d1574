#include "platforms/fit/size_curve.h"

#include "common/array.h"
#include "common/json/json_write.h"
#include "common/search.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_PASSES = 4 };

/* One series as a point. */
struct placed {
    const struct bench_series *series;
    const char *place;
    struct fit_point point;
    struct curve_size size;
};

double size_curve_median_error(const struct bench_statistics *statistics)
{
    return hypot(statistics->median_error, CURVE_ERROR_LEAST * statistics->median);
}

double size_curve_three_errors(const struct curve_size *size, double median_error)
{
    return 3 * fmax(median_error, size->pass_error_s);
}

/* few: so few passes measured the size that a quartile of their medians says little. */
static struct fit_point point_of(const struct bench_statistics *statistics, int64_t bytes, bool few)
{
    bool unsteady = few && bench_statistics_refused(statistics);
    double y = unsteady ? statistics->p10 : statistics->median;
    double error = unsteady ? hypot(statistics->p25 - statistics->p10, CURVE_ERROR_LEAST * y)
                            : size_curve_median_error(statistics);
    return (struct fit_point){(double)bytes, y, fmax(error, 1e-12)};
}

enum status size_curve_series_point(const struct bench_series *series, struct fit_point *point, struct err *err)
{
    struct bench_statistics statistics;
    TRY(bench_series_statistics(series, &statistics, err));
    *point = point_of(&statistics, series->bytes, true);
    return STATUS_OK;
}

/* By bytes, then time. */
ORDER(compare_times, struct placed, UP(point.x) UP(point.y))

/* By bytes and place, then time. */
ORDER(compare_places, struct placed, UP(point.x) BY_TEXT(place) UP(point.y))

/* Which repetitions of a size: all, those that count, or those in which another process had the core. Where conditions are known,
 * those under them count. Without references it is those in which nobody else had the core. */
enum selection { EVERY, COUNTING, LOST };

static bool is_of(enum selection selection, const struct conditions *conditions, const struct bench_repetition *repetition)
{
    if (selection == EVERY) return true;
    if (selection == LOST) return repetition->losses > 0;
    return conditions->share > 0 ? conditions_hold(conditions, repetition) : repetition->losses == 0;
}

/* Of the selected repetitions of all passes, as one series. */
static enum status measure_passes(const struct placed *passes, size_t count, enum selection selection,
                                  const struct conditions *conditions, struct bench_statistics *statistics, struct err *err)
{
    struct bench_series joined = *passes[0].series;
    size_t all = 0;
    for (size_t i = 0; i < count; i++) all += passes[i].series->count;
    joined.count = 0;
    joined.repetitions = malloc(sizeof *joined.repetitions * (all + 1));
    if (!joined.repetitions) return err_memory(err);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < passes[i].series->count; k++)
            if (is_of(selection, conditions, &passes[i].series->repetitions[k]))
                joined.repetitions[joined.count++] = passes[i].series->repetitions[k];
    enum status status = bench_series_statistics(&joined, statistics, err);
    free(joined.repetitions);
    return status;
}

ORDER(compare_rounds, struct placed, UP(series->round))

/* A third of the distance from the middle median to the farther one of those that are three standard deviations of a rank,
 * 1.5 sqrt(n), below and above it. It holds for any distribution, as where a process has one of two times. */
static double rank_error(double *medians, size_t count)
{
    const double far = 1.5 * sqrt((double)count), middle = 0.5 * (double)(count - 1);
    if (count < 2) return 0;
    gsl_sort(medians, 1, count);
    const size_t low = middle > far ? (size_t)(middle - far) : 0;
    const double median = gsl_stats_median_from_sorted_data(medians, 1, count);
    return fmax(medians[count - 1 - low] - median, median - medians[low]) / 3;
}

/* The standard error of the median, from the medians of passes, and, if that is larger, of launches: those of one process are not
 * independent. 0 of one pass. */
static enum status find_pass_error(const struct placed *passes, size_t count, enum selection selection,
                                   const struct conditions *conditions, double *error_s, struct err *err)
{
    double *medians = malloc(sizeof *medians * count), rounds_error_s = 0;
    struct placed *sorted = malloc(sizeof *sorted * count);
    struct bench_statistics statistics, over_passes;
    size_t used = 0, rounds = 0;
    enum status status = medians && sorted ? STATUS_OK : err_memory(err);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = measure_passes(&passes[i], 1, selection, conditions, &statistics, err);
        if (status == STATUS_OK && statistics.count > 0) medians[used++] = statistics.median;
    }
    if (status == STATUS_OK) bench_statistics_of(medians, used, &over_passes);
    if (status == STATUS_OK) qsort(memcpy(sorted, passes, sizeof *sorted * count), count, sizeof *sorted, compare_rounds);
    for (size_t first = 0, behind; first < count && status == STATUS_OK; first = behind) {
        for (behind = first; behind < count && sorted[behind].series->round == sorted[first].series->round; behind++) {}
        status = measure_passes(sorted + first, behind - first, selection, conditions, &statistics, err);
        if (status == STATUS_OK && statistics.count > 0) medians[rounds++] = statistics.median;
    }
    if (status == STATUS_OK) rounds_error_s = rank_error(medians, rounds);
    FREE_ALL(medians, sorted);
    if (status == STATUS_OK) *error_s = fmax(over_passes.median_error, rounds_error_s);
    return status;
}

static bool has_references(const struct placed *passes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < passes[i].series->count; k++)
            if (passes[i].series->repetitions[k].reference_s > 0) return true;
    return false;
}

/* The pass that counts: the one whose median is at the lower quartile. Of many passes between nodes it is the middle one, unless
 * the upper quartile is more than 1.2 times the lower one, as under load. passes: by time. */
static size_t choose_pass(const struct placed *passes, size_t count, bool between)
{
    const size_t quartile = (count - 1) / 4;
    const bool loaded = passes[count - 1 - quartile].point.y > BENCH_SPREAD_MOST * passes[quartile].point.y;
    return between && count > FEW_PASSES && !loaded ? (count - 1) / 2 : quartile;
}

/* A size and place: the repetitions that count. Where they are too few, or no rule selects any, one pass. passes: by time. */
static enum status choose_point(const struct placed *passes, size_t count, bool between, const struct conditions *conditions,
                                struct placed *chosen, struct err *err)
{
    struct bench_statistics all, lost, counting;
    TRY(measure_passes(passes, count, EVERY, conditions, &all, err));
    TRY(measure_passes(passes, count, LOST, conditions, &lost, err));
    TRY(measure_passes(passes, count, COUNTING, conditions, &counting, err));
    const bool selects = conditions->share > 0 || lost.count > 0;
    struct placed made = passes[0];
    if (selects && counting.count >= CONDITIONS_REPETITIONS_LEAST) {
        made.point = point_of(&counting, made.series->bytes, false);
        made.size = (struct curve_size){.statistics = counting, .selected = true};
    } else {
        made = passes[choose_pass(passes, count, between)];
        made.size.unsteady = count <= FEW_PASSES && bench_statistics_refused(&made.size.statistics);
        made.size.elsewhere = has_references(passes, count);
        if (made.size.unsteady) made.point = point_of(&made.size.statistics, made.series->bytes, true);
    }
    made.size.all = all;
    made.size.lost = lost;
    TRY(find_pass_error(passes, count, made.size.selected ? COUNTING : EVERY, conditions, &made.size.pass_error_s, err));
    *chosen = made;
    return STATUS_OK;
}

static enum status keep_one_each(struct placed *placed, size_t count, bool between, const struct conditions *conditions,
                                 size_t *left, struct err *err)
{
    size_t kept = 0;
    qsort(placed, count, sizeof *placed, compare_places);
    for (size_t first = 0, behind; first < count; first = behind) {
        for (behind = first; behind < count && placed[behind].point.x == placed[first].point.x &&
                             strcmp(placed[behind].place, placed[first].place) == 0;
             behind++) {}
        TRY(choose_point(placed + first, behind - first, between, conditions, &placed[kept], err));
        kept++;
    }
    *left = kept;
    return STATUS_OK;
}

/* Of each size the middle place. */
static enum status keep_middles(struct placed *placed, size_t count, struct size_curve *curve, struct err *err)
{
    qsort(placed, count, sizeof *placed, compare_times);
    for (size_t first = 0, behind; first < count; first = behind) {
        for (behind = first; behind < count && placed[behind].point.x == placed[first].point.x; behind++) {}
        if (curve->count == FIT_POINTS_MOST)
            return err_set(err, STATUS_DATA, NULL, curve->spec, "more than %d sizes", FIT_POINTS_MOST);
        const struct placed *middle = &placed[first + (behind - first - 1) / 2];
        curve->points[curve->count] = middle->point;
        curve->sizes[curve->count++] = middle->size;
        curve->repetitions += middle->size.statistics.count;
        curve->unsteady += middle->size.unsteady;
    }
    return STATUS_OK;
}

/* The noise from one size to the next, relative to the time: each point against the line through its neighbours. It
 * includes changes between series, which no single series shows. A jump affects two points, which the median
 * ignores. */
static double residual_scatter(const struct fit_point *points, size_t count)
{
    enum { COUNT_LEAST = 8 };
    double sizes[FIT_POINTS_MOST];
    size_t used = 0;
    for (size_t i = 1; i + 1 < count; i++) {
        double weight = (points[i].x - points[i - 1].x) / (points[i + 1].x - points[i - 1].x);
        double between = (1 - weight) * points[i - 1].y + weight * points[i + 1].y;
        double wider = sqrt(1 + weight * weight + (1 - weight) * (1 - weight));
        sizes[used++] = fabs(points[i].y - between) / wider / points[i].y;
    }
    if (used < COUNT_LEAST) return 0;
    return 1.4826 * gsl_stats_median(sizes, 1, used);
}

enum status size_curve_collect(const struct bench_results *results, const char *spec, bool between,
                               const struct conditions *conditions, struct size_curve *curve, struct err *err)
{
    struct placed *placed = calloc(results->count + 1, sizeof *placed);
    size_t count = 0;
    if (!placed) return err_memory(err);
    memset(curve, 0, sizeof *curve);
    snprintf(curve->spec, sizeof curve->spec, "%s", spec);
    curve->between = between;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < results->count && status == STATUS_OK; i++) {
        const struct bench_series *series = &results->series[i];
        struct bench_statistics statistics;
        if (strcmp(series->spec, spec) != 0 || (series->demand.nodes > 1) != between) continue;
        status = bench_series_statistics(series, &statistics, err);
        placed[count++] =
            (struct placed){series, series->place, point_of(&statistics, series->bytes, false), {.statistics = statistics}};
    }
    if (status == STATUS_OK) status = keep_one_each(placed, count, between, conditions, &count, err);
    if (status == STATUS_OK) status = keep_middles(placed, count, curve, err);
    if (status == STATUS_OK) {
        double share = residual_scatter(curve->points, curve->count);
        for (size_t i = 0; i < curve->count; i++)
            curve->points[i].error = fmax(curve->points[i].error, share * curve->points[i].y);
    }
    free(placed);
    return status;
}

enum status size_curve_fit(struct size_curve *curve, struct err *err)
{
    struct err found = {.status = STATUS_OK};
    enum status status = piecewise_fit(curve->points, curve->count, &curve->fit, &found);
    curve->fitted = status == STATUS_OK;
    if (status == STATUS_DATA) {
        snprintf(curve->reason, sizeof curve->reason, "%.150s", found.text);
        return STATUS_OK;
    }
    if (err && status != STATUS_OK) *err = found;
    return status;
}

const struct fit_point *size_curve_point(const struct size_curve *curve, double bytes)
{
    for (size_t i = 0; i < curve->count; i++)
        if (bytes < 0 || curve->points[i].x == bytes) return &curve->points[i];
    return NULL;
}

/* --- JSON --- */

static void add_number(cJSON *object, const char *key, double value)
{
    json_add_number(object, key, value);
}

static cJSON *point_to_json(const struct size_curve *curve, size_t index)
{
    const struct fit_point *point = &curve->points[index];
    const struct curve_size *size = &curve->sizes[index];
    cJSON *row = cJSON_CreateObject();
    if (strcmp(curve->spec, "putBehindPause") == 0)
        add_number(row, "pause_s", point->x / 1e6); /* its size is in microseconds */
    else if (strstr(curve->spec, "Beside"))
        add_number(row, "ranks", point->x);
    else
        add_number(row, "bytes", point->x);
    add_number(row, "median_s", size->statistics.median);
    add_number(row, "least_s", size->statistics.least);
    add_number(row, "p90_s", size->statistics.p90);
    add_number(row, "used_s", point->y);
    add_number(row, "error_s", point->error);
    add_number(row, "n", (double)size->statistics.count);
    if (size->unsteady) json_add_bool(row, "unsteady", true);
    return row;
}

static void add_value(cJSON *object, const char *key, const struct fit_value *value, size_t n)
{
    cJSON *measured = json_add_object(object, key);
    add_number(measured, "value", value->value);
    add_number(measured, "error", value->error);
    add_number(measured, "n", (double)n);
}

static cJSON *segment_to_json(const struct fit_segment *segment)
{
    cJSON *row = cJSON_CreateObject();
    add_number(row, "from_bytes", segment->from);
    add_number(row, "upto_bytes", segment->upto);
    add_value(row, "intercept_s", &segment->intercept, segment->points);
    add_value(row, "s_per_byte", &segment->slope, segment->points);
    return row;
}

cJSON *size_curve_to_json(const struct size_curve *curve)
{
    cJSON *json = cJSON_CreateObject(), *points = json_add_array(json, "points");
    for (size_t i = 0; points && i < curve->count; i++)
        json_append(points, point_to_json(curve, i));
    if (curve->fitted) {
        cJSON *segments = json_add_array(json, "segments");
        for (int i = 0; i < curve->fit.count; i++) json_append(segments, segment_to_json(&curve->fit.segments[i]));
    } else if (curve->count > 0) {
        json_add_text(json, "not_fitted", curve->reason);
    }
    return json;
}
