/* Straight lines, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "common/line.h"

enum { MOST = 4 };

static const struct {
    const char *what;
    size_t count;
    double x[MOST], y[MOST], errors[MOST], intercept, slope, slope_error;
} rows[] = {
    /* x is 1, 0 and 1 from the mean: the slope's error is 3 / sqrt(2) of the points' */
    {"on the line", 3, {0, 1, 2}, {1, 3, 5}, {1, 1, 1}, 1, 2, 2.1213203435596424},
    {"small errors", 3, {0, 1, 2}, {1, 3, 5}, {0.1, 0.1, 0.1}, 1, 2, 0.21213203435596424},
    /* residuals of -1, 2 and -1 make 6 by one degree of freedom: 3 sqrt(6 / 2) */
    {"residuals above the errors", 3, {0, 1, 2}, {0, 3, 0}, {1, 1, 1}, 1, 0, 5.196152422706632},
    /* half a standard error, of two degrees of freedom: less than the errors, of which 3 / sqrt(5) counts */
    {"residuals below the errors", 4, {0, 1, 2, 3}, {0.5, -0.5, -0.5, 0.5}, {1, 1, 1, 1}, 0, 0, 1.3416407864998738},
    /* weights 1, 1 and 1/4; mean of x 2/3, of y 2/3; xx = 4/9 + 1/9 + 4/9, xy the same as y is x */
    {"unequal errors", 3, {0, 1, 2}, {0, 1, 2}, {1, 1, 2}, 0, 1, 3},
};

static void lines_through_points(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct line line = line_fit(rows[i].x, rows[i].y, rows[i].errors, rows[i].count);
        if (fabs(line.intercept - rows[i].intercept) > 1e-9 || fabs(line.slope - rows[i].slope) > 1e-9 ||
            fabs(line.slope_error - rows[i].slope_error) > 1e-9)
            fail_msg("%s: %.10g + %.10g x, error %.10g", rows[i].what, line.intercept, line.slope, line.slope_error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_through_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
