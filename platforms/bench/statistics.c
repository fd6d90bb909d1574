#include "platforms/bench/statistics.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

/* Of sorted values. The deviations from the median are two ascending sequences, towards both ends. Merges them up to
 * the middle. */
static double median_deviation(const double *sorted, size_t count, double median)
{
    size_t low = 0, high = count; /* sorted[low..high-1] has the smallest deviations left after count - (high - low) are taken */
    size_t keep = count / 2 + 1;
    while (high - low > keep) {
        if (median - sorted[low] > sorted[high - 1] - median)
            low++;
        else
            high--;
    }
    return fmax(median - sorted[low], sorted[high - 1] - median);
}

void bench_statistics_of(double *values, size_t count, struct bench_statistics *statistics)
{
    *statistics = (struct bench_statistics){.count = count};
    if (count == 0) return;
    gsl_sort(values, 1, count);
    statistics->least = values[0];
    statistics->most = values[count - 1];
    statistics->median = gsl_stats_median_from_sorted_data(values, 1, count);
    statistics->p10 = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.1);
    statistics->p25 = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.25);
    statistics->p90 = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.9);
    statistics->mean = gsl_stats_mean(values, 1, count);
    if (count == 1) return;
    double n = (double)count, deviation = gsl_stats_sd_m(values, 1, count, statistics->mean);
    statistics->mean_half_width = gsl_cdf_tdist_Pinv(0.975, n - 1) * deviation / sqrt(n);
    statistics->median_error = 1.2533 * 1.4826 * median_deviation(values, count, statistics->median) / sqrt(n);
}
