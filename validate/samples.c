#include "validate/samples.h"

#include <math.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

double samples_median(double *samples, size_t count)
{
    if (count == 0) return NAN;
    gsl_sort(samples, 1, count);
    return gsl_stats_median_from_sorted_data(samples, 1, count);
}

struct sample_summary samples_summarize(double *samples, size_t count)
{
    struct sample_summary summary = {.count = count, .median = NAN, .p95 = NAN, .worst = NAN};
    if (count == 0) return summary;
    summary.median = samples_median(samples, count);
    summary.p95 = samples[(count * 95 + 99) / 100 - 1];
    summary.worst = samples[count - 1];
    return summary;
}

bool samples_two_groups(const double *sorted, size_t count)
{
    double widest = 0;
    for (size_t i = 2; i + 1 < count; i++) widest = fmax(widest, sorted[i] - sorted[i - 1]);
    return widest > 0 && widest > 2 * (sorted[count - 1] - sorted[0] - widest);
}

static int sign_of(double x)
{
    return (x > 0) - (x < 0);
}

double samples_kendall_tau(const double *a, const double *b, size_t count)
{
    double agree = 0, of_a = 0, of_b = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            int in_a = sign_of(a[i] - a[j]), in_b = sign_of(b[i] - b[j]);
            agree += in_a * in_b;
            of_a += in_a != 0;
            of_b += in_b != 0;
        }
    return of_a > 0 && of_b > 0 ? agree / sqrt(of_a * of_b) : NAN;
}
