/* Draws measurements: time by bytes with the fitted lines, and the residuals below. */
#ifndef PLATFORMS_FIT_PLOT_H
#define PLATFORMS_FIT_PLOT_H

#include <stdio.h>

#include <cjson/cJSON.h>

#include "common/status.h"

/* Writes an SVG of the platform file's $calibration, with a column for each of "between" and "within" that has curves.
 * Points are the inputs of the fit, bars reach to the 90th percentile, and hollow points are unsteady series. The tests in both
 * directions have differences of times, which may be negative, and no place on a logarithmic axis. Returns
 * STATUS_DATA if the file has no $calibration with points. */
enum status platform_plot(const cJSON *platform, const char *file, FILE *out, struct err *err);

#endif
