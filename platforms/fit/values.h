/* The values of a platform file, key by key: a table of one file, and what two files say differently. */
#ifndef PLATFORMS_FIT_VALUES_H
#define PLATFORMS_FIT_VALUES_H

#include <stdbool.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "common/status.h"

/* A row for each key, or for each measured one: the value, and of a measured one its error, in percent, too, and the number of
 * measurements. The units are in the keys. Keys that a platform file's reader ignores are left out. */
enum status platform_print_values(const cJSON *platform, bool measured_only, FILE *out, struct err *err);

/* An array of what is not the same in both: {key, first, second}, each value as its file has it, left out where it has none. Keys
 * that a platform file's reader ignores are left out. The caller owns it. */
enum status platform_differences(const cJSON *a, const cJSON *b, cJSON **differences, struct err *err);

/* A row each: both values, and of numbers the change in percent and, where both are measured, how many of their joint
 * errors it is. */
void platform_print_differences(const cJSON *differences, FILE *out);

#endif
