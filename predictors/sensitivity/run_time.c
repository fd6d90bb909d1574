#include "predictors/sensitivity/run_time.h"

#include <math.h>
#include <stdlib.h>

#include "common/units.h"
#include "predictors/sensitivity/stretched.h"
#include "simulate/engine/cost.h"
#include "simulate/replay/replay.h"
#include "simulate/verify/child_replay.h"

enum { FINEST = 1 << 20, FINE_STEPS = 256 };
/* The run time may grow so many times before the finer clock ends. */
enum { GROWTH = 32 };

enum status replays_run(struct replays *replays, const struct trace *trace, int64_t *run_time_ps, struct trace **predicted,
                        struct err *err)
{
    const struct replay_options options = {.engine = replays->engine, .keep_trace = predicted != NULL};
    struct replay_outcome outcome;
    TRY((replays->engine->once_per_process ? child_replay : replay_run)(trace, replays->platform, &options, &outcome, err));
    if (run_time_ps) *run_time_ps = outcome.run_time_ps;
    replays->events = outcome.stats.events;
    replays->count++;
    if (predicted) {
        *predicted = outcome.trace;
        outcome.trace = NULL;
    }
    replay_outcome_clear(&outcome);
    return STATUS_OK;
}

enum status replays_init(struct replays *replays, struct err *err)
{
    TRY(platform_values_find(replays->platform, &replays->values, err));
    TRY(replays_run(replays, replays->trace, &replays->run_time_ps, NULL, err));
    replays->factor = FINEST;
    while (replays->factor > 1 && replays->run_time_ps >= COST_END_PS / GROWTH / replays->factor) replays->factor /= 2;
    return stretched_new(replays->trace, replays->factor, &replays->fine, err);
}

void replays_clear(struct replays *replays)
{
    platform_values_clear(&replays->values);
    stretched_free(replays->fine);
    replays->fine = NULL;
}

static bool is_time(const struct platform_value *value)
{
    return value->kind == KEY_TIME || value->kind == KEY_PAUSE;
}

/* Whether a time of the platform is a whole number of picoseconds, and exact on the finer clock. */
static bool is_whole(double s, int64_t grain)
{
    const double ps = s * (double)UNITS_PS_PER_S;
    return fabs(ps - nearbyint(ps)) <= ldexp(ps, -50) && ps * (double)grain < 0x1p51;
}

/* All that is added to a run time is a multiple of the grain, but the value: the platform's times are whole, costs of bytes and
 * of computing are rounded. A slope is at most the run time by the value: it is at no value larger, since a run time that is a
 * maximum of sums is at most k times as long with k times the value. */
static int64_t find_grain(const struct replays *replays, int64_t x)
{
    if (x == 0 || replays->run_time_ps / x >= replays->factor) return 0;
    for (size_t i = 0; i < replays->values.count; i++) {
        const struct platform_value *other = &replays->values.items[i];
        if (is_time(other) && !is_whole(*other->at, replays->factor)) return 0;
    }
    return replays->factor;
}

enum status run_time_init(struct run_time *of, struct replays *replays, const struct platform_value *value, bool convex,
                          struct err *err)
{
    const bool fine = !is_time(value);
    *of = (struct run_time){.replays = replays,
                            .value = value,
                            .t = replays->run_time_ps,
                            .factor = fine ? replays->factor : 1,
                            .resolution = fine ? FINEST : 1,
                            .step = fine ? FINE_STEPS : 1};
    of->x = run_time_steps(of, *value->at);
    if (!fine && convex) of->grain = find_grain(replays, of->x);
    if (!fine) return STATUS_OK;
    TRY(run_time_at(of, of->x, &of->t, NULL, err));
    const double more_ps = (double)of->t / (double)of->factor - (double)replays->run_time_ps;
    of->misses = fabs(more_ps) > 1 + (double)replays->events + (double)replays->run_time_ps / FINEST;
    return STATUS_OK;
}

/* Everything is stretched by the factor; the value is stretched already. */
static enum status run_stretched(const struct run_time *of, int64_t factor, double value, int64_t *t, struct trace **predicted,
                                 struct err *err)
{
    struct replays *replays = of->replays;
    double *at = of->value->at, *follows = of->value->follows;
    platform_values_stretch(&replays->values, (double)factor);
    const double before = *at;
    *at = value;
    if (follows) *follows = *at;
    enum status status = replays_run(replays, factor > 1 ? replays->fine : replays->trace, t, predicted, err);
    *at = before;
    if (follows) *follows = before;
    platform_values_stretch(&replays->values, 1 / (double)factor);
    replays->refused = replays->refused || status == STATUS_DATA;
    return status;
}

enum status run_time_at(const struct run_time *of, int64_t x, int64_t *t, struct trace **predicted, struct err *err)
{
    const double value = run_time_value(of, (double)x), factor = (double)of->factor;
    const double stretched = of->value->kind == KEY_SPEED ? value : of->value->kind == KEY_RATE ? value / factor : value * factor;
    return run_stretched(of, of->factor, stretched, t, predicted, err);
}

bool run_time_has_slope(const struct run_time *of, int64_t x)
{
    return of->grain > 0 && x <= GROWTH * of->x && (double)x * (double)of->grain < 0x1p51;
}

enum status run_time_slope(const struct run_time *of, int64_t x, bool left, int64_t *t, double *slope, struct trace **predicted,
                           struct err *err)
{
    struct platform *platform = of->replays->platform;
    int64_t fine_t;
    platform->grain_ps = of->grain;
    enum status status = run_stretched(of, of->grain, (double)(x * of->grain + (left ? -1 : 1)) / (double)UNITS_PS_PER_S, &fine_t,
                                       predicted, err);
    platform->grain_ps = 0;
    if (status != STATUS_OK) return status;
    const int64_t behind = left ? of->grain - 1 : 0;
    *t = (fine_t + behind) / of->grain;
    *slope = (double)llabs(fine_t - *t * of->grain);
    return STATUS_OK;
}

bool run_time_falls(enum key_kind kind)
{
    return kind == KEY_RATE || kind == KEY_SPEED;
}

double run_time_value(const struct run_time *of, double x)
{
    const double resolution = (double)of->resolution, ps = (double)UNITS_PS_PER_S;
    switch (of->value->kind) {
    case KEY_SPEED: return resolution / x;
    case KEY_RATE: return x > 0 ? resolution * ps / x : INFINITY;
    default: return x / resolution / ps;
    }
}

int64_t run_time_steps(const struct run_time *of, double value)
{
    const double resolution = (double)of->resolution, ps = (double)UNITS_PS_PER_S;
    switch (of->value->kind) {
    case KEY_SPEED: return llround(resolution / value);
    case KEY_RATE: return isinf(value) ? 0 : llround(resolution * ps / value);
    default: return llround(value * ps * resolution);
    }
}

double run_time_unit(const struct run_time *of)
{
    const double unit = (double)of->resolution / (double)of->factor;
    return of->value->kind == KEY_SPEED ? unit / (double)UNITS_PS_PER_S : unit;
}

double run_time_s(const struct run_time *of, double t)
{
    return t / (double)of->factor / (double)UNITS_PS_PER_S;
}

double run_time_error(const struct run_time *of, double steps)
{
    const double each = of->resolution > of->factor ? (double)of->replays->events : 0; /* a step is finer than the clock */
    const double rounding = 1 + each + ldexp((double)of->t, -48);
    return is_time(of->value) ? 0 : rounding + rounding * steps / (double)of->step;
}
