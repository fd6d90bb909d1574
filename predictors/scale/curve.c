#include "predictors/scale/curve.h"

#include <math.h>
#include <stdlib.h>

#include "common/units.h"
#include "predictors/scale/scale.h"

#define EQUALLY_FAST 1e-3 /* relative difference of run times that decides nothing */
#define STILL_PAYS 0.5 /* parallel efficiency of weak scaling below which more ranks are said not to pay */

void curve_clear(struct curve *curve)
{
    for (size_t i = 0; i < curve->count; i++) result_free(curve->points[i].result);
    free(curve->points);
    *curve = (struct curve){.count = 0};
}

void curve_choose_scaling(struct curve *curve, uint32_t few, uint32_t many)
{
    double before = scale_computing(curve->program, few), after = scale_computing(curve->program, many);
    curve->strong = before > 0 && after > 0 && log(after / before) / log((double)many / few) < -0.5;
}

static const struct curve_point *reference(const struct curve *curve, size_t point)
{
    return &curve->points[point % curve->rows];
}

/* Run time at the reference by run time here. */
static double quotient(const struct curve *curve, size_t point)
{
    double here = curve->points[point].result->run_time_s, there = reference(curve, point)->result->run_time_s;
    return here > 0 ? there / here : 1;
}

static double growth(const struct curve *curve, size_t point)
{
    return (double)curve->points[point].ranks / reference(curve, point)->ranks;
}

double curve_speedup(const struct curve *curve, size_t point)
{
    return quotient(curve, point) * (curve->strong ? 1 : growth(curve, point));
}

double curve_efficiency(const struct curve *curve, size_t point)
{
    return curve_speedup(curve, point) / growth(curve, point);
}

/* The pattern with most waiting; its share of all ranks' time. */
static enum pattern worst_pattern(const struct curve_point *point, double *share)
{
    const struct result *result = point->result;
    enum pattern worst = 0;
    for (int p = 1; p < PATTERN_COUNT; p++)
        if (result->patterns[p].severity_s > result->patterns[worst].severity_s) worst = (enum pattern)p;
    double all = result->run_time_s * point->ranks;
    *share = all > 0 ? result->patterns[worst].severity_s / all : 0;
    return worst;
}

static void print_point(const struct curve *curve, size_t i, FILE *out)
{
    char run_time[UNITS_TEXT_BYTES], low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    const struct curve_point *point = &curve->points[i];
    double share;
    enum pattern worst = worst_pattern(point, &share);
    fprintf(out, "%8u  %-9s  %11s  %11s  %11s  %8.2f  %7.1f %%", point->ranks, curve->semantics[i % curve->rows],
            units_format_duration(point->result->run_time_s, run_time), units_format_duration(point->low_s, low),
            units_format_duration(point->high_s, high), curve_speedup(curve, i), 100 * curve_efficiency(curve, i));
    if (share > 0) fprintf(out, "  %s %.1f %%", pattern_row(worst)->title, 100 * share);
    fputc('\n', out);
}

/* The point of a row from which on more ranks do not pay; count: they do everywhere. */
static size_t stops_paying(const struct curve *curve, size_t row)
{
    size_t fastest = row;
    for (size_t i = row; i < curve->count; i += curve->rows) {
        if (!curve->strong && curve_efficiency(curve, i) < STILL_PAYS) return i;
        if (curve->points[i].result->run_time_s < curve->points[fastest].result->run_time_s) fastest = i;
    }
    return curve->strong && fastest + curve->rows < curve->count ? fastest : curve->count;
}

static double least_run_time(const struct curve *curve, size_t first)
{
    double least = curve->points[first].result->run_time_s;
    for (size_t i = first + 1; i < first + curve->rows; i++)
        least = fmin(least, curve->points[i].result->run_time_s);
    return least;
}

/* Among the fastest of its number of ranks. */
static bool is_fastest(const struct curve *curve, size_t i)
{
    return curve->points[i].result->run_time_s <= least_run_time(curve, i - i % curve->rows) * (1 + EQUALLY_FAST);
}

static void print_limits(const struct curve *curve, FILE *out)
{
    for (size_t row = 0; row < curve->rows; row++) {
        size_t stops = stops_paying(curve, row);
        if (stops == curve->count) continue;
        if (curve->strong)
            fprintf(out, "%s: more than %u ranks do not make it faster.\n", curve->semantics[row],
                    curve->points[stops].ranks);
        else
            fprintf(out, "%s: at %u ranks less than half of the work per rank and time of %u ranks is done.\n",
                    curve->semantics[row], curve->points[stops].ranks, curve->points[row].ranks);
    }
    for (size_t i = 0; curve->rows > 1 && i < curve->count; i++) {
        if (i % curve->rows == 0) fprintf(out, "Fastest at %u ranks:", curve->points[i].ranks);
        if (is_fastest(curve, i)) fprintf(out, " %s", curve->semantics[i % curve->rows]);
        if ((i + 1) % curve->rows == 0) fputc('\n', out);
    }
}

void curve_print(const struct curve *curve, FILE *out)
{
    fprintf(out, "%s scaling, against %u ranks\n", curve->strong ? "Strong" : "Weak", curve->points[0].ranks);
    fprintf(out, "%8s  %-9s  %11s  %11s  %11s  %8s  %9s  %s\n", "ranks", "semantics", "run time", "at least", "at most",
            "speed-up", "efficiency", "largest wait state");
    for (size_t i = 0; i < curve->count; i++) print_point(curve, i, out);
    fputc('\n', out);
    print_limits(curve, out);
}

static enum status add_point(const struct curve *curve, size_t i, cJSON *points, struct err *err)
{
    const struct curve_point *point = &curve->points[i];
    cJSON *item = cJSON_CreateObject(), *result;
    if (!item || !cJSON_AddItemToArray(points, item)) return err_memory(err);
    if (!cJSON_AddNumberToObject(item, "ranks", point->ranks) ||
        !cJSON_AddStringToObject(item, "semantics", curve->semantics[i % curve->rows]) ||
        !cJSON_AddNumberToObject(item, "run_time_s", point->result->run_time_s) ||
        !cJSON_AddNumberToObject(item, "run_time_low_s", point->low_s) ||
        !cJSON_AddNumberToObject(item, "run_time_high_s", point->high_s) ||
        !cJSON_AddNumberToObject(item, "speedup", curve_speedup(curve, i)) ||
        !cJSON_AddNumberToObject(item, "efficiency", curve_efficiency(curve, i)))
        return err_memory(err);
    TRY(result_to_json(point->result, &result, err));
    return cJSON_AddItemToObject(item, "result", result) ? STATUS_OK : err_memory(err);
}

static enum status add_limits(const struct curve *curve, cJSON *json, struct err *err)
{
    cJSON *limits = cJSON_AddArrayToObject(json, "stops_paying"), *fastest = cJSON_AddArrayToObject(json, "fastest");
    if (!limits || !fastest) return err_memory(err);
    for (size_t row = 0; row < curve->rows; row++) {
        size_t stops = stops_paying(curve, row);
        cJSON *item = cJSON_CreateObject();
        if (!item || !cJSON_AddItemToArray(limits, item) ||
            !cJSON_AddStringToObject(item, "semantics", curve->semantics[row]) ||
            !(stops < curve->count ? cJSON_AddNumberToObject(item, "ranks", curve->points[stops].ranks)
                                   : cJSON_AddNullToObject(item, "ranks")))
            return err_memory(err);
    }
    for (size_t i = 0; i < curve->count; i++) {
        if (!is_fastest(curve, i)) continue;
        cJSON *item = cJSON_CreateObject();
        if (!item || !cJSON_AddItemToArray(fastest, item) ||
            !cJSON_AddNumberToObject(item, "ranks", curve->points[i].ranks) ||
            !cJSON_AddStringToObject(item, "semantics", curve->semantics[i % curve->rows]))
            return err_memory(err);
    }
    return STATUS_OK;
}

static enum status fill_json(const struct curve *curve, cJSON *json, struct err *err)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return err_memory(err);
    program_print(curve->program, out);
    bool written = fclose(out) == 0 && cJSON_AddStringToObject(json, "schema", "rmacast.scaling/1") &&
                   cJSON_AddStringToObject(json, "scaling", curve->strong ? "strong" : "weak") &&
                   cJSON_AddStringToObject(json, "program", text);
    free(text);
    cJSON *points = written ? cJSON_AddArrayToObject(json, "points") : NULL;
    if (!points) return err_memory(err);
    for (size_t i = 0; i < curve->count; i++) TRY(add_point(curve, i, points, err));
    return add_limits(curve, json, err);
}

enum status curve_to_json(const struct curve *curve, cJSON **json, struct err *err)
{
    cJSON *made = cJSON_CreateObject();
    enum status status = made ? fill_json(curve, made, err) : err_memory(err);
    if (status == STATUS_OK) *json = made;
    else cJSON_Delete(made);
    return status;
}
