#include "tests/property/slopes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "predictors/sensitivity/sensitivity.h"
#include "simulate/replay/replay.h"
#include "tests/property/knobs.h"

enum { KEYS = 3, TRIED = 4, CALLS_TRIED = 6 };
#define PICOSECOND 1e-12

struct asked {
    const struct trial *trial;
    const struct program *program;
    const struct trace *trace;
    char letter[2];
    struct random random;
};

/* extra (may be NULL): KEY=VALUE. */
static enum status open_platform(const struct asked *asked, const char *extra, struct platform **platform, struct err *err)
{
    TRY(knobs_platform(asked->program, extra, platform, err));
    semantics_by_letter(asked->letter, &(*platform)->semantics);
    (*platform)->contention = asked->program->seed % 2 == 0;
    return STATUS_OK;
}

static enum status open_scene(const void *context, const char *semantics, const char *const *specs, size_t spec_count,
                              const struct trace *trace, struct platform **platform, struct err *err)
{
    (void)semantics, (void)specs, (void)spec_count, (void)trace;
    return open_platform(context, NULL, platform, err);
}

/* Whether --set replaces this value alone: that of the network stands for all rows by size and for two-sided messages. */
static bool is_set_alone(const struct platform *platform, const struct platform_value *value)
{
    const bool one = platform->segment_count == 1 && platform->loopback_count == 1 && !platform->two_sided &&
                     !platform->loopback_two_sided;
    return !strchr(value->key, '[') && (one || (!strstr(value->key, "latency") && !strstr(value->key, "bandwidth")));
}

/* Keys that a platform file can set. */
static enum status choose_keys(struct asked *asked, char keys[KEYS][VALUE_KEY_BYTES], size_t *count, struct err *err)
{
    struct platform *platform;
    struct platform_values values;
    TRY(open_platform(asked, NULL, &platform, err));
    enum status status = platform_values_find(platform, &values, err);
    for (size_t tries = 0; status == STATUS_OK && tries < (size_t)10 * KEYS && *count < KEYS; tries++) {
        const struct platform_value *value = &values.items[random_below(&asked->random, (uint32_t)values.count)];
        bool fits = is_set_alone(platform, value) && !isinf(*value->at) && (*value->at > 0 || tries > (size_t)5 * KEYS);
        for (size_t i = 0; i < *count; i++) fits = fits && strcmp(keys[i], value->key) != 0;
        if (fits) strcpy(keys[(*count)++], value->key);
    }
    if (status == STATUS_OK) platform_values_clear(&values);
    platform_free(platform);
    return status;
}

/* The run time on a platform file that says this value. */
static enum status replay_at(const struct asked *asked, const char *key, double value, double *run_time_s, double *error_s,
                             struct err *err)
{
    char extra[VALUE_KEY_BYTES + 40];
    struct platform *platform;
    struct replay_outcome outcome;
    const struct replay_options options = {.engine = asked->trial->engine};
    snprintf(extra, sizeof extra, "%s=%.17g", key, value);
    TRY(open_platform(asked, key ? extra : NULL, &platform, err));
    enum status status = replay_run(asked->trace, platform, &options, &outcome, err);
    platform_free(platform);
    if (status != STATUS_OK) return status;
    if (asked->trial->counts) asked->trial->counts->transfers += outcome.transfers;
    *run_time_s = outcome.run_time_s;
    *error_s = (double)outcome.stats.events * PICOSECOND; /* each event may be rounded */
    replay_outcome_clear(&outcome);
    return STATUS_OK;
}

static bool is_time(const struct sensitivity_value *value)
{
    return value->kind == KEY_TIME || value->kind == KEY_PAUSE;
}

/* Rates and speeds are lines in their inverse. */
static double place_of(const struct sensitivity_value *value, double at)
{
    return value->kind == KEY_RATE || value->kind == KEY_SPEED ? 1 / at : at;
}

static double curve_at(const struct sensitivity_value *value, double at)
{
    size_t i = 1;
    while (i + 1 < value->corner_count && value->corners[i].value < at) i++;
    const struct sensitivity_corner *a = &value->corners[i - 1], *b = &value->corners[i];
    const double from = place_of(value, a->value), to = place_of(value, b->value);
    return a->run_time_s + (b->run_time_s - a->run_time_s) * ((place_of(value, at) - from) / (to - from));
}

static enum status check_curve(struct asked *asked, const struct sensitivity_value *value, struct verdict *verdict,
                               struct err *err)
{
    const double low = value->corners[0].value, high = value->corners[value->corner_count - 1].value;
    for (int i = 0; i < TRIED && high > low; i++) {
        double at = low + (high - low) * (double)random_below(&asked->random, 1000000) / 1e6, found_s, error_s;
        if (is_time(value)) at = (double)llround(at / PICOSECOND) * PICOSECOND;
        if (at == 0 && !is_time(value)) continue;
        TRY(replay_at(asked, value->key, at, &found_s, &error_s, err));
        const double curve_s = curve_at(value, at);
        if (is_time(value)) error_s = 1.5 * PICOSECOND;
        if (fabs(found_s - curve_s) > error_s)
            verdict_fail(verdict, "curve", "%s = %.17g: %.15g s, on the curve %.15g s", value->key, at, found_s, curve_s);
    }
    return STATUS_OK;
}

static enum status check_slope(const struct asked *asked, const struct sensitivity_value *value, double run_time_s,
                               struct verdict *verdict, struct err *err)
{
    double found_s, error_s, sum = 0;
    for (size_t i = 0; i < value->places.calls.count; i++) sum += value->places.calls.items[i].time_s;
    if (fabs(sum - value->slope) > 1e-6 * fabs(value->slope))
        verdict_fail(verdict, "places", "%s: %.15g in places, %.15g in all", value->key, sum, value->slope);
    for (int split = 0; split < SPLITS; split++) {
        double part = 0;
        for (size_t i = 0; i < value->places.splits[split].count; i++) part += value->places.splits[split].items[i].slope;
        if (value->slope > 0 && part > value->slope * (1 + 1e-6))
            verdict_fail(verdict, "splits", "%s: %.15g in split %d, %.15g in all", value->key, part, split, value->slope);
    }
    if (!is_time(value)) return STATUS_OK;
    TRY(replay_at(asked, value->key, value->value + PICOSECOND, &found_s, &error_s, err));
    if (fabs((found_s - run_time_s) / PICOSECOND - value->slope) > 0.1)
        verdict_fail(verdict, "slope", "%s: %.6f by a replay, expected %.15g", value->key, (found_s - run_time_s) / PICOSECOND,
                     value->slope);
    return STATUS_OK;
}

/* The run time if the call and all behind it are recorded so much later. */
static enum status delay_call(const struct asked *asked, const struct slack_call *call, double later_s, double *run_time_s,
                              struct err *err)
{
    struct trace later = *asked->trace;
    struct asked delayed = *asked;
    double error_s;
    later.begin_known = true;
    later.begin_ps = trace_begin_ps(asked->trace);
    delayed.trace = &later;
    struct trace_call *calls = asked->trace->ranks[call->rank].calls;
    for (size_t i = call->event - 1; i < later.ranks[call->rank].count; i++) {
        calls[i].enter_ps += units_ps(later_s);
        calls[i].exit_ps += units_ps(later_s);
    }
    enum status status = replay_at(&delayed, NULL, 0, run_time_s, &error_s, err);
    for (size_t i = call->event - 1; i < later.ranks[call->rank].count; i++) {
        calls[i].enter_ps -= units_ps(later_s);
        calls[i].exit_ps -= units_ps(later_s);
    }
    return status;
}

static enum status check_slack(struct asked *asked, const struct sensitivity_row *row, struct verdict *verdict, struct err *err)
{
    for (int i = 0; i < CALLS_TRIED && row->slack.count > 0; i++) {
        const struct slack_call *call = &row->slack.calls[random_below(&asked->random, (uint32_t)row->slack.count)];
        double with_s, beyond_s;
        TRY(delay_call(asked, call, call->slack_s + (asked->trial->tamper ? 1e-6 : 0), &with_s, err));
        TRY(delay_call(asked, call, call->slack_s + 1e-6, &beyond_s, err));
        if (with_s > row->run_time_s + 0.5 * PICOSECOND || beyond_s <= row->run_time_s + 0.5 * PICOSECOND)
            verdict_fail(verdict, "slack",
                         "rank %" PRIu32 ", event %" PRIu64 " (%s): %.15g s without, %.15g s with a delay of %.12f s, %.15g s "
                         "with 1 us more", call->rank, call->event, call->call, row->run_time_s, with_s, call->slack_s,
                         beyond_s);
    }
    return STATUS_OK;
}

static enum status check_row(struct asked *asked, const struct sensitivity_row *row, struct verdict *verdict, struct err *err)
{
    struct platform *platform;
    TRY(open_platform(asked, NULL, &platform, err));
    const bool same_speed = platform->groups[0].speed == 1;
    platform_free(platform);
    for (size_t i = 0; i < row->value_count && !verdict->failed; i++) {
        if (!row->values[i].exact) continue;
        if (row->values[i].proven) TRY(check_curve(asked, &row->values[i], verdict, err));
        TRY(check_slope(asked, &row->values[i], row->run_time_s, verdict, err));
        if (asked->trial->counts) asked->trial->counts->calls++;
    }
    return verdict->failed || !same_speed ? STATUS_OK : check_slack(asked, row, verdict, err);
}

enum status check_slopes(const struct trial *trial, const struct program *program, const struct trace *trace,
                         struct verdict *verdict, struct err *err)
{
    static const char *const as_platform[] = {"platform"};
    struct asked asked = {.trial = trial, .program = program, .trace = trace, .random = {program->seed}};
    char keys[KEYS][VALUE_KEY_BYTES];
    const char *names[KEYS] = {keys[0], keys[1], keys[2]};
    struct sensitivity made;
    struct sensitivity_options options = {.scenes = {.open = open_scene, .context = &asked},
                                          .engine = trial->engine,
                                          .semantics = as_platform,
                                          .semantics_count = 1,
                                          .keys = names};
    asked.letter[0] = "abcd"[random_below(&asked.random, 4)];
    TRY(choose_keys(&asked, keys, &options.key_count, err));
    TRY(sensitivity_find(trace, &options, &made, err));
    enum status status = check_row(&asked, &made.rows[0], verdict, err);
    sensitivity_clear(&made);
    if (trial->counts) trial->counts->programs++;
    return status;
}
