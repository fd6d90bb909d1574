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

/* Prints a row for each key whose value is not the same in both: both values, and of numbers the change in percent and, where both
 * are measured, how many of their joint errors it is. Keys that a platform file's reader ignores are left out. *count: rows. */
enum status platform_print_difference(const cJSON *a, const cJSON *b, FILE *out, int *count, struct err *err);

#endif
