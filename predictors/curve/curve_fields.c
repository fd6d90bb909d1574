/* The JSON of predictors/curve/curve.h. */
#include <math.h>
#include <string.h>

#include "common/json/field_rows.h"
#include "model/result/result_fields.h"
#include "predictors/comparison.h"
#include "predictors/curve/curve.h"
#include "predictors/curve/limits.h"

/* --- a point --- */

struct point {
    struct curve_point at;
    const struct result *result;
    const char *semantics, *doubt;
    double run_time_s, speedup, efficiency, wait_shares[PATTERN_COUNT]; /* shares of 0: NAN */
    struct efficiency_pop pop;
    struct uncertainty error;
    size_t noisy_runs, run_count;
    bool has_pop;
};

static enum field_each fill_point(const void *item, size_t index, void *made)
{
    const struct curve *curve = item;
    if (index == curve->count) return FIELD_END;
    struct point *point = made;
    const struct result *result = curve->points[index].result;
    *point = (struct point){.at = curve->points[index],
                            .result = result,
                            .semantics = curve->semantics[index % curve->rows],
                            .doubt = curve_doubt(curve, index),
                            .run_time_s = result->run_time_s,
                            .speedup = curve_speedup(curve, index),
                            .efficiency = curve_efficiency(curve, index),
                            .error = result->uncertainty,
                            .noisy_runs = curve->noisy_runs,
                            .run_count = curve->run_count};
    point->has_pop = curve_pop(curve, index, &point->pop);
    for (int p = 0; p < PATTERN_COUNT; p++) {
        const double share = curve_wait_share(curve, index, (enum pattern)p);
        point->wait_shares[p] = share > 0 ? share : (double)NAN;
    }
    return FIELD_ELEMENT;
}

#define S struct efficiency_pop
static const struct field pop_fields[] = {FIELD("parallel_efficiency", parallel, IF_NOT_NEGATIVE),
                                          SAME(load_balance, IF_NOT_NEGATIVE), SAME(serialization, IF_NOT_NEGATIVE),
                                          SAME(transfer, IF_NOT_NEGATIVE), {0}};
#undef S
#define S struct point
static const struct field noise_fields[] = {FIELD("runs", noisy_runs), FIELD("median_s", at.noise.median_s),
                                            FIELD("p5_s", at.noise.p5_s), FIELD("p95_s", at.noise.p95_s), {0}};
static const struct field replay_error_fields[] = {FIELD("low", at.error.low), FIELD("high", at.error.high), {0}};
static const struct field point_fields[] = {
    FIELD("ranks", at.ranks), SAME(semantics), SAME(run_time_s), FIELD("run_time_low_s", at.low_s, IF_FINITE),
    FIELD("run_time_high_s", at.high_s, IF_FINITE), SAME(speedup, IF_FINITE), SAME(efficiency, IF_FINITE),
    SAME(doubt, IF_THERE, LEFT_OUT),
    NAMED("wait_shares", wait_shares, name_pattern, LEFT_OUT), OBJECT("pop", pop, pop_fields, IF_FLAG(has_pop), LEFT_OUT),
    PART("noise", noise_fields, IF_FLAG(noisy_runs), LEFT_OUT),
    PART("replay_error", replay_error_fields, IF_FLAG(run_count), LEFT_OUT),
    FIELD("rewrites", at.rewrites, IF_THERE, LEFT_OUT, .rows = transform_report_fields, .array = true),
    INLINE(NULL, error, uncertainty_fields),
    OBJECT("result", result, result_fields, POINTED, RANKS_OF(struct result, rank_count)), {0}};
#undef S

/* --- figures of the whole curve --- */

struct limit { /* of a row */
    const char *semantics;
    uint32_t ranks, to_ranks, stops, optimum; /* stops: 0: more ranks always pay */
    struct amdahl amdahl;
};

static enum field_each fill_limit(const void *item, size_t row, void *made)
{
    const struct curve *curve = item;
    if (row == curve->rows) return FIELD_END;
    const size_t stops = limits_stops_paying(curve, row);
    *(struct limit *)made = (struct limit){.semantics = curve->semantics[row],
                                           .stops = stops < curve->count ? curve->points[stops].ranks : 0,
                                           .optimum = curve->points[limits_optimum(curve, row)].ranks,
                                           .amdahl = limits_amdahl(curve, row)};
    return FIELD_ELEMENT;
}

static enum field_each fill_amdahl(const void *item, size_t row, void *made)
{
    const enum field_each each = fill_limit(item, row, made);
    return each == FIELD_END || ((const struct limit *)made)->amdahl.known ? each : FIELD_SKIP;
}

static enum field_each fill_fastest(const void *item, size_t point, void *made)
{
    const struct curve *curve = item;
    if (point == curve->count) return FIELD_END;
    *(struct limit *)made = (struct limit){curve->semantics[point % curve->rows], .ranks = curve->points[point].ranks};
    return limits_is_fastest(curve, point) ? FIELD_ELEMENT : FIELD_SKIP;
}

static enum field_each fill_win(const void *item, size_t index, void *made)
{
    const struct curve *curve = item;
    for (size_t row = 0; row < curve->rows; row++)
        for (size_t first, last = SIZE_MAX; limits_next_win(curve, row, &first, &last);) {
            if (index-- > 0) continue;
            *(struct limit *)made = (struct limit){curve->semantics[row], .ranks = curve->points[first].ranks,
                                                   .to_ranks = curve->points[last].ranks};
            return FIELD_ELEMENT;
        }
    return FIELD_END;
}

#define S struct limit
static const struct field stop_fields[] = {SAME(semantics), FIELD("ranks", stops, IF_POSITIVE), {0}};
static const struct field fastest_fields[] = {SAME(ranks), SAME(semantics), {0}};
static const struct field optimum_fields[] = {SAME(semantics), FIELD("ranks", optimum), {0}};
static const struct field amdahl_fields[] = {SAME(semantics), FIELD("serial_share", amdahl.serial_share),
                                             FIELD("error", amdahl.error), {0}};
static const struct field win_fields[] = {SAME(semantics), FIELD("from_ranks", ranks), SAME(to_ranks), {0}};
#undef S

/* --- the whole --- */

static void make_relative(const void *run, void *made)
{
    *(double *)made = replay_error_of(run);
}

#define S struct measured_run
static const struct field replay_fields[] = {SAME(ranks), SAME(measured_s), SAME(replayed_s),
                                             COMPUTED("relative", FIELD_DOUBLE, make_relative, SIGNED), {0}};
#undef S

static const char *name_scaling(int strong)
{
    return strong ? "strong" : "weak";
}

static void make_program(const void *item, void *made)
{
    const struct curve *curve = item;
    *(const char **)made = curve->program ? curve->program : "";
}

static void make_parameters(const void *item, void *made)
{
    const struct curve *curve = item;
    *(const char **)made = curve->parameters && *curve->parameters ? curve->parameters + strlen(", ") : NULL;
}

#define S struct curve
const struct field curve_fields[] = {
    SCHEMA("rmacast.scaling/1"),
    FIELD("scaling", strong, .name = name_scaling),
    COMPUTED("program", FIELD_WORD, make_program),
    COMPUTED("parameters", FIELD_WORD, make_parameters, IF_THERE, LEFT_OUT),
    SAME(statistics, IF_THERE, LEFT_OUT),
    SAME(why, IF_THERE, LEFT_OUT),
    FIELD("open", doubts, IF_THERE, LEFT_OUT),
    FIELD("platform_errors", measured, IF_POSITIVE, LEFT_OUT),
    ARRAY("replays", runs, run_count, replay_fields, IF_FLAG(run_count), LEFT_OUT),
    EACH("points", struct point, fill_point, point_fields),
    EACH("stops_paying", struct limit, fill_limit, stop_fields),
    EACH("fastest", struct limit, fill_fastest, fastest_fields),
    EACH("optimum", struct limit, fill_limit, optimum_fields),
    EACH("amdahl", struct limit, fill_amdahl, amdahl_fields),
    EACH("wins", struct limit, fill_win, win_fields),
    {0}};
#undef S
