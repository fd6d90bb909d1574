#include "predictors/curve/replay_error.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* The runs of one number of ranks. */
struct scale {
    double x;               /* log2 of it */
    double mean, low, high; /* of their errors e */
};

/* The scale that begins with run *next, which is moved behind it. */
static struct scale next_scale(const struct measured_run *runs, size_t count, size_t *next)
{
    size_t first = *next;
    struct scale scale = {.x = log2(runs[first].ranks), .low = INFINITY, .high = -INFINITY};
    for (; *next < count && runs[*next].ranks == runs[first].ranks; ++*next) {
        double e = log(runs[*next].measured_s / runs[*next].replayed_s);
        scale.mean += e;
        scale.low = fmin(scale.low, e);
        scale.high = fmax(scale.high, e);
    }
    scale.mean /= (double)(*next - first);
    return scale;
}

double replay_error_of(const struct measured_run *run)
{
    return run->replayed_s / run->measured_s - 1;
}

size_t replay_error_scales(const struct measured_run *runs, size_t count)
{
    size_t scales = 0;
    for (size_t next = 0; next < count; scales++) next_scale(runs, count, &next);
    return scales;
}

/* t s of the random walk; 0 where only one scale was measured. */
static double change_per_root_doubling(const struct measured_run *runs, size_t count)
{
    double sum = 0;
    size_t next = 0, changes = 0;
    struct scale before = next_scale(runs, count, &next);
    for (; next < count; changes++) {
        struct scale here = next_scale(runs, count, &next);
        sum += pow(here.mean - before.mean, 2) / (here.x - before.x);
        before = here;
    }
    if (changes == 0) return 0;
    return gsl_cdf_tdist_Pinv(0.95, (double)changes) * sqrt(sum / (double)changes);
}

/* The nearest measured scales that are not above and not below x; one of them twice where x is outside. */
static void find_neighbours(const struct measured_run *runs, size_t count, double x, struct scale *below, struct scale *above)
{
    size_t next = 0;
    *below = *above = next_scale(runs, count, &next);
    while (above->x < x && next < count) {
        *below = *above;
        *above = next_scale(runs, count, &next);
    }
    if (above->x <= x) *below = *above;
}

struct replay_error replay_error_at(const struct measured_run *runs, size_t count, uint32_t ranks)
{
    struct scale below, above;
    if (count == 0) return (struct replay_error){1, 1};
    double x = log2(ranks);
    find_neighbours(runs, count, x, &below, &above);
    double apart = above.x - below.x, from_below = fabs(x - below.x), from_above = fabs(above.x - x);
    double share = apart > 0 ? from_below / apart : 0; /* of the scale above */
    double variance = apart > 0 ? from_below * from_above / apart : from_below;
    double width = variance > 0 ? change_per_root_doubling(runs, count) * sqrt(variance) : 0;
    return (struct replay_error){fmin(1, exp((1 - share) * below.low + share * above.low - width)),
                                 fmax(1, exp((1 - share) * below.high + share * above.high + width))};
}
