/* The JSON of predictors/scale/curve.h. */
#include <math.h>
#include <string.h>

#include "model/result/result_fields.h"
#include "predictors/comparison.h"
#include "predictors/scale/curve.h"
#include "predictors/scale/limits.h"

/* --- a point --- */

struct point {
    const struct curve_point *point;
    const struct result *result;
    const char *semantics;
    double speedup, efficiency, wait_shares[PATTERN_COUNT]; /* shares of 0: NAN */
    struct efficiency_pop pop;
    size_t noisy_runs;
    bool has_pop, is_noisy, is_replayed;
};

static enum field_each fill_point(const void *item, size_t index, void *made)
{
    const struct curve *curve = item;
    if (index == curve->count) return FIELD_END;
    const struct curve_point *point = &curve->points[index];
    struct point *one = made;
    *one = (struct point){.point = point,
                          .result = point->result,
                          .semantics = curve->semantics[index % curve->rows],
                          .speedup = curve_speedup(curve, index),
                          .efficiency = curve_efficiency(curve, index),
                          .noisy_runs = curve->noisy_runs,
                          .is_noisy = curve->noisy_runs > 0,
                          .is_replayed = curve->run_count > 0};
    one->has_pop = curve_pop(curve, index, &one->pop);
    for (int p = 0; p < PATTERN_COUNT; p++) {
        const double share = curve_wait_share(curve, index, (enum pattern)p);
        one->wait_shares[p] = share > 0 ? share : (double)NAN;
    }
    return FIELD_ELEMENT;
}

#define S struct result
static const struct field run_fields[] = {SAME(run_time_s), {0}};
static const struct field error_fields[] = {INLINE(NULL, uncertainty, uncertainty_fields), {0}};
#undef S
#define S struct curve_noise
static const struct field noise_times_fields[] = {SAME(median_s), SAME(p5_s), SAME(p95_s), {0}};
#undef S
#define S struct replay_error
static const struct field replay_error_fields[] = {SAME(low), SAME(high), {0}};
#undef S
#define S struct curve_point
static const struct field ranks_fields[] = {SAME(ranks), {0}};
static const struct field band_fields[] = {FIELD("run_time_low_s", low_s, IF_FINITE), FIELD("run_time_high_s", high_s, IF_FINITE),
                                           {0}};
static const struct field noise_fields[] = {INLINE(NULL, noise, noise_times_fields), {0}};
static const struct field replayed_fields[] = {OBJECT("replay_error", error, replay_error_fields), {0}};
static const struct field rewrites_fields[] = {
    SAME(rewrites, IF_THERE, LEFT_OUT, .rows = transform_report_fields, .array = true), {0}};
#undef S
#define S struct efficiency_pop
static const struct field pop_fields[] = {FIELD("parallel_efficiency", parallel, IF_NOT_NEGATIVE),
                                          SAME(load_balance, IF_NOT_NEGATIVE), SAME(serialization, IF_NOT_NEGATIVE),
                                          SAME(transfer, IF_NOT_NEGATIVE), {0}};
#undef S
#define S struct point
static const struct field noisy_fields[] = {FIELD("runs", noisy_runs), INLINE(NULL, point, noise_fields, POINTED), {0}};
static const struct field point_fields[] = {
    INLINE(NULL, point, ranks_fields, POINTED),
    SAME(semantics),
    INLINE(NULL, result, run_fields, POINTED),
    INLINE(NULL, point, band_fields, POINTED),
    SAME(speedup, IF_FINITE),
    SAME(efficiency, IF_FINITE),
    NAMED("wait_shares", wait_shares, name_pattern, LEFT_OUT),
    OBJECT("pop", pop, pop_fields, IF_FLAG(has_pop), LEFT_OUT),
    PART("noise", noisy_fields, IF_FLAG(is_noisy), LEFT_OUT),
    INLINE(NULL, point, replayed_fields, IF_FLAG(is_replayed), LEFT_OUT, POINTED),
    INLINE(NULL, point, rewrites_fields, POINTED),
    INLINE(NULL, result, error_fields, POINTED),
    OBJECT("result", result, result_fields, POINTED, RANKS_OF(struct result, rank_count)),
    {0}};
#undef S

/* --- figures of the whole curve --- */

struct limit { /* of a row */
    const char *semantics;
    uint32_t ranks, to_ranks; /* ranks: 0: they always pay */
    struct amdahl amdahl;
};

static enum field_each fill_stop(const void *item, size_t row, void *made)
{
    const struct curve *curve = item;
    if (row == curve->rows) return FIELD_END;
    const size_t stops = limits_stops_paying(curve, row);
    *(struct limit *)made = (struct limit){curve->semantics[row], stops < curve->count ? curve->points[stops].ranks : 0, 0, {0}};
    return FIELD_ELEMENT;
}

static enum field_each fill_fastest(const void *item, size_t point, void *made)
{
    const struct curve *curve = item;
    if (point == curve->count) return FIELD_END;
    *(struct limit *)made = (struct limit){curve->semantics[point % curve->rows], curve->points[point].ranks, 0, {0}};
    return limits_is_fastest(curve, point) ? FIELD_ELEMENT : FIELD_SKIP;
}

static enum field_each fill_optimum(const void *item, size_t row, void *made)
{
    const struct curve *curve = item;
    if (row == curve->rows) return FIELD_END;
    *(struct limit *)made = (struct limit){curve->semantics[row], curve->points[limits_optimum(curve, row)].ranks, 0, {0}};
    return FIELD_ELEMENT;
}

static enum field_each fill_amdahl(const void *item, size_t row, void *made)
{
    const struct curve *curve = item;
    if (row == curve->rows) return FIELD_END;
    *(struct limit *)made = (struct limit){curve->semantics[row], 0, 0, limits_amdahl(curve, row)};
    return ((const struct limit *)made)->amdahl.known ? FIELD_ELEMENT : FIELD_SKIP;
}

static enum field_each fill_win(const void *item, size_t index, void *made)
{
    const struct curve *curve = item;
    for (size_t row = 0; row < curve->rows; row++)
        for (size_t first, last = SIZE_MAX; limits_next_win(curve, row, &first, &last);)
            if (index-- == 0) {
                *(struct limit *)made =
                    (struct limit){curve->semantics[row], curve->points[first].ranks, curve->points[last].ranks, {0}};
                return FIELD_ELEMENT;
            }
    return FIELD_END;
}

#define S struct limit
static const struct field stop_fields[] = {SAME(semantics), SAME(ranks, IF_POSITIVE), {0}};
static const struct field fastest_fields[] = {SAME(ranks), SAME(semantics), {0}};
static const struct field optimum_fields[] = {SAME(semantics), SAME(ranks), {0}};
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

static bool has_replays(const void *curve)
{
    return ((const struct curve *)curve)->run_count > 0;
}

#define S struct curve
const struct field curve_fields[] = {
    SCHEMA("rmacast.scaling/1"),
    FIELD("scaling", strong, .name = name_scaling),
    COMPUTED("program", FIELD_WORD, make_program),
    COMPUTED("parameters", FIELD_WORD, make_parameters, IF_THERE, LEFT_OUT),
    FIELD("open", doubts, IF_THERE, LEFT_OUT),
    FIELD("platform_errors", measured, IF_POSITIVE, LEFT_OUT),
    ARRAY("replays", runs, run_count, replay_fields, IF(has_replays), LEFT_OUT),
    EACH("points", struct point, fill_point, point_fields),
    EACH("stops_paying", struct limit, fill_stop, stop_fields),
    EACH("fastest", struct limit, fill_fastest, fastest_fields),
    EACH("optimum", struct limit, fill_optimum, optimum_fields),
    EACH("amdahl", struct limit, fill_amdahl, amdahl_fields),
    EACH("wins", struct limit, fill_win, win_fields),
    {0}};
#undef S

enum status curve_to_json(const struct curve *curve, cJSON **json, struct err *err)
{
    return fields_to_json(curve_fields, curve, 0, json, err);
}
