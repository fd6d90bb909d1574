/* Compares the values of platform files key by key: a table of one file, and the differences of two files. */
#ifndef PLATFORMS_FIT_VALUES_H
#define PLATFORMS_FIT_VALUES_H

#include <stdbool.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "common/status.h"

/* Prints a row for each key, or for each measured key. A row has the value; for a measured value also its error, the
 * error in percent, and the number of measurements. Units are part of the keys. Keys that the reader of platform files
 * ignores are left out. */
enum status platform_print_values(const cJSON *platform, bool measured_only, FILE *out, struct err *err);

/* An array of the differences, {key, first, second}. A value is copied from its file, and left out if the file has
 * none. Keys that the reader of platform files ignores are left out. The caller owns *differences. */
enum status platform_differences(const cJSON *a, const cJSON *b, cJSON **differences, struct err *err);

/* Prints a row per difference: both values; for numbers also the change in percent; for measured numbers also the
 * change as a multiple of their joint error. */
enum status platform_print_differences(const cJSON *differences, FILE *out, struct err *err);

#endif
