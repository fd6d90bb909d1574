/* Medians and percentiles of errors. */
#ifndef VALIDATE_SAMPLES_H
#define VALIDATE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

struct sample_summary { /* NAN without samples */
    size_t count;
    double median, p95, worst; /* p95: the smallest sample that at least 95 % of the samples do not exceed */
};

/* Sorts samples. */
struct sample_summary samples_summarize(double *samples, size_t count);
double samples_median(double *samples, size_t count);

/* Whether sorted samples fall into two groups of at least two each, between which there is more than twice of what is inside
 * both together. Of five samples of one uniform distribution 7 % do, of four 11 %. */
bool samples_two_groups(const double *sorted, size_t count);

/* Kendall's tau-b of two orders of count variants (Kendall, Biometrika 33(3), 1945); NAN where one of them is all ties. */
double samples_kendall_tau(const double *a, const double *b, size_t count);

#endif
