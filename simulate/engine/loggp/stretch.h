/* The rest of a reception whose rate changes while it lasts: while data of the receiver are received elsewhere, it receives more
 * slowly (reverse_share, docs/simulation.md). reverse_e9: the sum of the shares of those data, in 1e-9. */
#ifndef SIMULATE_ENGINE_LOGGP_STRETCH_H
#define SIMULATE_ENGINE_LOGGP_STRETCH_H

#include <math.h>

#include "common/units.h"
#include "platforms/platform.h"
#include "simulate/engine/cost.h"

struct stretch {
    int64_t since_ps, rest_ps; /* at since_ps so much was left, in time at the full rate */
    int64_t end_ps;            /* at the present rate */
};

/* How many times as long as at the full rate a reception takes. */
static inline double stretch_factor(int64_t reverse_e9)
{
    return fmax(1 + (double)reverse_e9 / 1e9, REVERSE_LEAST);
}

/* The end is rounded to the nearest picosecond. */
static inline void stretch_find_end(struct stretch *at, int64_t reverse_e9)
{
    const double lasts_ps = (double)at->rest_ps * stretch_factor(reverse_e9);
    at->end_ps = units_add_ps(at->since_ps, lasts_ps < (double)COST_BEYOND_PS ? llround(lasts_ps) : COST_BEYOND_PS);
}

/* What has been received until now, at the rate until now, is rounded down to whole picoseconds. */
static inline void stretch_receive_until(struct stretch *at, int64_t reverse_e9, int64_t now_ps)
{
    at->rest_ps -= (int64_t)((double)(now_ps - at->since_ps) / stretch_factor(reverse_e9));
    at->since_ps = now_ps;
}

#endif
