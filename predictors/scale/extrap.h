/* Extra-P's text format (its documentation, "Text file format"), with one parameter: computing times of a program
 * for it, and its measurements for our functions. */
#ifndef PREDICTORS_SCALE_EXTRAP_H
#define PREDICTORS_SCALE_EXTRAP_H

#include <stdio.h>

#include "predictors/scale/program.h"
#include "predictors/scale/time_model.h"

/* The means that were measured at each place of the program, parameter p, metric time; as a comment the function that
 * was fitted. A place that not all runs have is a comment, too. */
void extrap_write(const struct program *program, FILE *out);

struct extrap_series {
    char *region, *metric; /* owned */
    struct time_model model;
};

struct extrap {
    char *parameter;              /* owned */
    struct extrap_series *series; /* owned */
    size_t count, capacity;
};

/* Reads measurements and fits a function to each region and metric. STATUS_DATA "FILE:LINE: ..." for another form,
 * several parameters, coordinates that are no whole numbers from 1 on. Inits *extrap. */
enum status extrap_read(const char *file, struct extrap *extrap, struct err *err);
void extrap_clear(struct extrap *extrap);

/* A row per region and metric: its function and error, and its values at these coordinates. */
void extrap_print(const struct extrap *extrap, const uint32_t *at, size_t at_count, FILE *out);

#endif
