/* The error of the replay itself, from runs that were measured on the platform and replayed there, carried to other numbers of
 * ranks.
 *
 * A run's error is e = ln(measured / replayed). Between scales e changes as a random walk over x = log2 ranks: a change over a
 * distance d has the mean 0 and the variance s^2 d, estimated by the mean of change^2 / d over the K - 1 changes between the K
 * measured scales. So a steady trend makes s large, too. Behind the last scale, at the distance D, e is that of the last scale
 * +- t s sqrt(D); between two scales, at the distances D and E from them, it is on the line between theirs +- t s
 * sqrt(D E / (D + E)). t is Student's quantile of 90 % of cases with K - 1 degrees of freedom: 6.3 for two scales, 2.9 for
 * three. At a measured scale e is that of its runs. */
#ifndef PREDICTORS_SCALE_REPLAY_ERROR_H
#define PREDICTORS_SCALE_REPLAY_ERROR_H

#include <stddef.h>
#include <stdint.h>

/* One recording. Both times are above 0. */
struct measured_run {
    uint32_t ranks;
    double measured_s, replayed_s;
};

/* The error of a replay: negative where it is too short. */
double replay_error_of(const struct measured_run *run);

/* Quotients real / replayed run time, low <= 1 <= high: a replay that is known to be off is not corrected, its band widens. */
struct replay_error {
    double low, high;
};

/* The number of scales that were measured. The runs are sorted by ranks. */
size_t replay_error_scales(const struct measured_run *runs, size_t count);

/* At another number of ranks; runs of at least two scales, or of this one only. Without runs 1 and 1. */
struct replay_error replay_error_at(const struct measured_run *runs, size_t count, uint32_t ranks);

#endif
