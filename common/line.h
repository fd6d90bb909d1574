/* The straight line through measured points. */
#ifndef COMMON_LINE_H
#define COMMON_LINE_H

#include <stddef.h>

/* slope_error: three standard errors. */
struct line {
    double intercept, slope, slope_error;
};

/* Weighted least squares. errors: standard errors of y, above 0. The slope's error is what these say or, if it is larger, what
 * the residuals say. Takes 3 points or more, with two different x at least. */
struct line line_fit(const double *x, const double *y, const double *errors, size_t count);

#endif
