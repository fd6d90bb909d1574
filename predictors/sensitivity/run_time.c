#include "predictors/sensitivity/run_time.h"

#include <math.h>

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

enum status run_time_init(struct run_time *of, struct replays *replays, const struct platform_value *value, struct err *err)
{
    bool fine = !is_time(value);
    *of = (struct run_time){.replays = replays,
                            .value = value,
                            .t = replays->run_time_ps,
                            .factor = fine ? replays->factor : 1,
                            .step = fine ? FINE_STEPS : 1};
    of->x = run_time_steps(of, *value->at);
    return fine ? run_time_at(of, of->x, &of->t, NULL, err) : STATUS_OK;
}

/* What the platform has for x steps, stretched. */
static double stretched_value(const struct run_time *of, int64_t x)
{
    switch (of->value->kind) {
    case KEY_SPEED: return (double)of->factor / (double)x;
    case KEY_RATE: return x > 0 ? (double)UNITS_PS_PER_S / (double)x : INFINITY;
    default: return (double)x / (double)UNITS_PS_PER_S;
    }
}

enum status run_time_at(const struct run_time *of, int64_t x, int64_t *t, struct trace **predicted, struct err *err)
{
    struct replays *replays = of->replays;
    double *at = of->value->at, *follows = of->value->follows;
    platform_values_stretch(&replays->values, (double)of->factor);
    const double before = *at;
    *at = stretched_value(of, x);
    if (follows) *follows = *at;
    enum status status = replays_run(replays, of->factor > 1 ? replays->fine : replays->trace, t, predicted, err);
    *at = before;
    if (follows) *follows = before;
    platform_values_stretch(&replays->values, 1 / (double)of->factor);
    return status;
}

bool run_time_falls(const struct run_time *of)
{
    return of->value->kind == KEY_RATE || of->value->kind == KEY_SPEED;
}

double run_time_value(const struct run_time *of, double x)
{
    const double factor = (double)of->factor, ps = (double)UNITS_PS_PER_S;
    switch (of->value->kind) {
    case KEY_SPEED: return factor / x;
    case KEY_RATE: return x > 0 ? factor * ps / x : INFINITY;
    default: return x / factor / ps;
    }
}

int64_t run_time_steps(const struct run_time *of, double value)
{
    const double factor = (double)of->factor, ps = (double)UNITS_PS_PER_S;
    switch (of->value->kind) {
    case KEY_SPEED: return llround(factor / value);
    case KEY_RATE: return isinf(value) ? 0 : llround(factor * ps / value);
    default: return llround(value * ps * factor);
    }
}

double run_time_s(const struct run_time *of, double t)
{
    return t / (double)of->factor / (double)UNITS_PS_PER_S;
}

double run_time_error(const struct run_time *of, double steps)
{
    const double rounding = 1 + ldexp((double)of->t, -48);
    return is_time(of->value) ? 0 : rounding + rounding * steps / (double)of->step;
}
