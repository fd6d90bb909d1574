/* What two platform files say differently, key by key. */
#ifndef PLATFORMS_FIT_DIFFERENCE_H
#define PLATFORMS_FIT_DIFFERENCE_H

#include <stdio.h>

#include <cjson/cJSON.h>

#include "common/status.h"

/* Prints a row for each key whose value is not the same in both: both values, and of numbers the change in percent and, where both
 * are measured, how many of their joint errors it is. Keys that a platform file's reader ignores are left out. *count: rows. */
enum status platform_print_difference(const cJSON *a, const cJSON *b, FILE *out, int *count, struct err *err);

#endif
