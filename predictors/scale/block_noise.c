#include "predictors/scale/block_noise.h"

#include <gsl/gsl_sort_float.h>
#include <gsl/gsl_statistics_float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

static double mean_of(const float *values, size_t count)
{
    return count > 0 ? gsl_stats_float_mean(values, 1, count) : 0;
}

/* The sum of squared distances from their mean. */
static double deviations_of(const float *values, size_t count)
{
    return count > 1 ? gsl_stats_float_tss(values, 1, count) : 0;
}

static enum status copy_executions(const struct executions *of, uint32_t ranks, struct executions *made, struct err *err)
{
    TRY(executions_open(made, ranks, err));
    memcpy(made->first, of->first, ((size_t)ranks + 1) * sizeof *made->first);
    TRY(array_reserve((void **)&made->values, &made->capacity, of->count + 1, sizeof *made->values, err));
    memcpy(made->values, of->values, of->count * sizeof *made->values);
    made->count = of->count;
    return STATUS_OK;
}

/* Two-way analysis of variance: the means of R ranks and of M executions take R + M - 1 of the N degrees of freedom. Leaves
 * *sigma_s where there are no others. */
static enum status separate_factors(const struct executions *seconds, uint32_t ranks, double *sigma_s, struct err *err)
{
    struct executions parts = {.count = 0};
    size_t takers = 0;
    enum status status = copy_executions(seconds, ranks, &parts, err);
    if (status == STATUS_OK) status = executions_split(&parts, ranks, false, err);
    for (uint32_t r = 0; r < ranks; r++) takers += seconds->first[r + 1] > seconds->first[r];
    if (status == STATUS_OK && parts.count > takers + parts.most - 1) {
        double squares = 0;
        for (size_t i = 0; i < parts.count; i++) squares += (parts.values[i] - 1.) * (parts.values[i] - 1.);
        double sigma = sqrt(squares / (double)(parts.count - takers - parts.most + 1));
        *sigma_s = fmin(*sigma_s, sigma * mean_of(seconds->values, seconds->count));
    }
    executions_clear(&parts);
    return status;
}

/* Where sorted values have their widest gap: the number of those below it. */
static size_t find_gap(const float *sorted, size_t count)
{
    size_t widest = 1;
    for (size_t i = 2; i < count; i++)
        if (sorted[i] - sorted[i - 1] > sorted[widest] - sorted[widest - 1]) widest = i;
    return widest;
}

/* The variance of a rank's share of executions that take at least so long. */
static double share_variance(const struct executions *seconds, uint32_t ranks, float least)
{
    double takers = 0, sum = 0, squares = 0;
    for (uint32_t r = 0; r < ranks; r++) {
        size_t begin = seconds->first[r], end = seconds->first[r + 1], longer = 0;
        for (size_t i = begin; i < end; i++) longer += seconds->values[i] >= least;
        if (begin == end) continue;
        double share = (double)longer / (double)(end - begin), from_mean = share - sum;
        sum += from_mean / ++takers; /* the mean: B. P. Welford, Technometrics 4 (1962) */
        squares += from_mean * (share - sum);
    }
    return takers > 1 ? squares / (takers - 1) : sum * (1 - sum);
}

/* Two branches: the noise within each, and that of the share of the longer one, whose mean over R ranks counts like one over all
 * N executions. Branches are apart by more than ten times the noise within. */
static enum status separate_branches(const struct executions *seconds, uint32_t ranks, double *sigma_s, struct err *err)
{
    const double apart = 10;
    size_t count = seconds->count;
    float *sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted) return err_memory(err);
    memcpy(sorted, seconds->values, count * sizeof *sorted);
    gsl_sort_float(sorted, 1, count);
    size_t below = find_gap(sorted, count);
    const float *above = sorted + below;
    double within = (deviations_of(sorted, below) + deviations_of(above, count - below)) / (double)(count - 2);
    double distance = mean_of(above, count - below) - mean_of(sorted, below);
    double of_share = distance * distance * share_variance(seconds, ranks, *above) * (double)count / ranks;
    if (distance > apart * sqrt(within)) *sigma_s = fmin(*sigma_s, sqrt(within + of_share));
    free(sorted);
    return STATUS_OK;
}

enum status block_noise(const struct executions *seconds, uint32_t ranks, double *sigma_s, struct err *err)
{
    size_t count = seconds->count;
    *sigma_s = count > 1 ? sqrt(deviations_of(seconds->values, count) / (double)(count - 1)) : 0;
    if (count < 4 || !(*sigma_s > 0)) return STATUS_OK;
    TRY(separate_factors(seconds, ranks, sigma_s, err));
    return separate_branches(seconds, ranks, sigma_s, err);
}
