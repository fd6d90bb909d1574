/* Prints a sweep's points as a table, and writes them as CSV. */
#ifndef PREDICTORS_SWEEP_TABLE_H
#define PREDICTORS_SWEEP_TABLE_H

#include <stdio.h>

#include "predictors/sweep/sweep.h"

/* A row per point: its place on the axes that have several values, run time, largest wait state; below, the fastest
 * point of each number of ranks. */
enum status sweep_print(const struct sweep *sweep, FILE *out, struct err *err);

/* Comma-separated values: a row per point, a column per wait state that occurs. */
enum status sweep_write_csv(const struct sweep *sweep, FILE *out, struct err *err);

#endif
