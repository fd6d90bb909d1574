#include "common/line.h"

#include <math.h>

#define ERRORS_STATED 3.0

static double weighted_mean(const double *values, const double *errors, size_t count)
{
    double weights = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        double weight = 1 / (errors[i] * errors[i]);
        weights += weight;
        sum += weight * values[i];
    }
    return sum / weights;
}

struct line line_fit(const double *x, const double *y, const double *errors, size_t count)
{
    double x0 = weighted_mean(x, errors, count), y0 = weighted_mean(y, errors, count), xx = 0, xy = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        double across = (x[i] - x0) / errors[i];
        xx += across * across;
        xy += across * (y[i] - y0) / errors[i];
    }
    struct line line = {.intercept = y0 - xy / xx * x0, .slope = xy / xx};
    for (size_t i = 0; i < count; i++) squares += pow((y[i] - line.intercept - line.slope * x[i]) / errors[i], 2);
    line.slope_error = ERRORS_STATED * sqrt(fmax(1, squares / (double)(count - 2)) / xx);
    return line;
}
