/* The property of slopes (predictors/sensitivity/sensitivity.h). */
#ifndef TESTS_PROPERTY_SLOPES_H
#define TESTS_PROPERTY_SLOPES_H

#include "tests/property/property.h"

/* Of a program under one of a-d, for some values of its platform whose curve is called exact: replays on platform files that
 * say another value lie on the curve, one a step further has the slope, and the places sum to it. A call that comes later by its
 * slack does not make the run longer; one that comes a microsecond later than that does. With trial->tamper each slack is a
 * microsecond more. */
enum status check_slopes(const struct trial *trial, const struct program *program, const struct trace *trace,
                         struct verdict *verdict, struct err *err);

#endif
