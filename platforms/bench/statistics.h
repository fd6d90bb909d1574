/* Statistics of repeated measurements: order statistics, and the interval of the mean. */
#ifndef PLATFORMS_BENCH_STATISTICS_H
#define PLATFORMS_BENCH_STATISTICS_H

#include <stddef.h>

struct bench_statistics {
    size_t count;
    double least, p10, p25, median, p90, mean, most;
    double mean_half_width;  /* of the 95 % interval of the mean, by Student's t; 0 of one value */
    double median_error;     /* standard error of the median: 1.2533 x 1.4826 x (median absolute deviation) / sqrt(n) */
};

/* Sorts values in place. Without values all statistics are 0. */
void bench_statistics_of(double *values, size_t count, struct bench_statistics *statistics);

#endif
