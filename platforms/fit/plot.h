/* Draws measurements: time by bytes with the fitted lines, and the residuals below. */
#ifndef PLATFORMS_FIT_PLOT_H
#define PLATFORMS_FIT_PLOT_H

#include <stdio.h>

#include <cjson/cJSON.h>

#include "common/status.h"

/* An SVG of the platform file's $calibration: a column for each of "between" and "within" that has curves. Points are
 * what the fit took, bars reach to the 90th percentile, hollow points are unsteady. STATUS_DATA: file has no
 * $calibration with points. */
enum status platform_plot(const cJSON *platform, const char *file, FILE *out, struct err *err);

#endif
