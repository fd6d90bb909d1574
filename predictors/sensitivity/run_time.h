/* The run time as a function of one value of the platform, measured by replays.
 *
 * Times in a replay are whole numbers, made by sums and maxima. So the run time is piecewise linear in a time, in the time
 * per byte of a rate and in the inverse of a speed, and its slopes are whole numbers: latencies, bytes, picoseconds of
 * computing. Two replays one step apart give a slope exactly. A step of a time is a picosecond. For the others a picosecond is
 * too coarse, since each message is rounded to it; there trace and platform are stretched by a power of two, so that nothing
 * is rounded.
 *
 * One replay gives the run time and the slope in a time where all else is a whole number of picoseconds. All is stretched by a
 * power of two that is larger than any slope, and each cost is rounded as before, to a multiple of it. With one of the finer
 * units more, the run time's multiples are the run time and its rest is the slope. */
#ifndef PREDICTORS_SENSITIVITY_RUN_TIME_H
#define PREDICTORS_SENSITIVITY_RUN_TIME_H

#include "platforms/values.h"
#include "simulate/engine/engine.h"
#include "trace/trace.h"

/* Replays of one trace on one platform, which they change and restore. */
struct replays {
    const struct trace *trace; /* borrowed, as all */
    struct platform *platform;
    const struct engine_descriptor *engine;
    struct platform_values values; /* owned */
    struct trace *fine;            /* owned: the stretched trace */
    int64_t factor;                /* by which it is */
    int64_t run_time_ps;
    uint64_t events, count; /* of one replay; replays so far */
    bool refused;           /* one with another value has failed: a deadlock, or beyond the end of simulated time */
};

/* The caller sets trace, platform and engine of an all-zero struct. Replays once. */
enum status replays_init(struct replays *replays, struct err *err);
/* Replays a trace on the platform. run_time_ps and predicted may be NULL; the caller owns *predicted. */
enum status replays_run(struct replays *replays, const struct trace *trace, int64_t *run_time_ps, struct trace **predicted,
                        struct err *err);
void replays_clear(struct replays *replays);

/* The run time in units, by the value in steps. */
struct run_time {
    struct replays *replays;
    const struct platform_value *value;
    int64_t x, t;     /* the platform's value and its run time */
    int64_t factor;   /* units of the run time in a picosecond */
    int64_t resolution; /* steps in a picosecond, in a picosecond per byte, or in an inverse speed of 1 */
    bool misses;      /* t is not the run time, since the finer clock has another order of messages */
    int64_t step;     /* a slope is measured over so many steps */
    int64_t grain;    /* finer units in a step, for replays that give a slope: the run time is convex; 0: two replays give it */
};

/* Inits *of; replays where the clock is finer. convex: the run time is known to be. */
enum status run_time_init(struct run_time *of, struct replays *replays, const struct platform_value *value, bool convex,
                          struct err *err);
/* The run time where the value has x steps. *predicted, unless NULL, gets the predicted trace; the caller owns it. */
enum status run_time_at(const struct run_time *of, int64_t x, int64_t *t, struct trace **predicted, struct err *err);
/* Whether one replay gives the slope there. */
bool run_time_has_slope(const struct run_time *of, int64_t x);
/* The run time there, and the slope on the left or the right, of one replay, where run_time_has_slope(). Of *predicted, unless
 * NULL, each time is the predicted one in grains, and the rest is its slope on the right. */
enum status run_time_slope(const struct run_time *of, int64_t x, bool left, int64_t *t, double *slope, struct trace **predicted,
                           struct err *err);

/* By which a slope in units by steps is one in seconds by seconds, by seconds per byte, or by an inverse speed. */
double run_time_unit(const struct run_time *of);
/* Between steps and values as the platform file has them: infinity is a rate of 0 steps. */
double run_time_value(const struct run_time *of, double x);
int64_t run_time_steps(const struct run_time *of, double value);
/* Whether more steps are a smaller value: of a rate or a speed. */
bool run_time_falls(enum key_kind kind);
double run_time_s(const struct run_time *of, double t);
/* How far measured run times may be from a line whose slope was measured this many steps away: 0 for a time, else the rounding of
 * costs that are computed in floating point. */
double run_time_error(const struct run_time *of, double steps);

#endif
