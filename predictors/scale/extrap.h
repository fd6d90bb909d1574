/* Extra-P's text format (its documentation, "Text file format") with one or two parameters, of which the first is the
 * number of ranks. It writes computing times of a program for Extra-P, and reads measurements to which our functions are
 * fitted. */
#ifndef PREDICTORS_SCALE_EXTRAP_H
#define PREDICTORS_SCALE_EXTRAP_H

#include <stdio.h>

#include "predictors/scale/program.h"
#include "predictors/scale/time_model.h"

/* Writes the measured means at each place of the program, with parameter p and metric time. The fitted function is a
 * comment. A place that some run lacks is a comment, too. */
void extrap_write(const struct program *program, FILE *out);

struct extrap_series {
    char *region, *metric; /* owned */
    struct time_model model;
};

struct extrap {
    char *parameter, *second;     /* owned; NULL: there is none */
    int64_t largest;              /* value of the second one; 0: there is none */
    struct extrap_series *series; /* owned */
    size_t count, capacity;
};

/* Reads measurements and fits a function to each region and metric. Returns STATUS_DATA "FILE:LINE: ..." for another
 * format, three parameters, coordinates that are not positive whole numbers, or points that do not tell one parameter from
 * the other. Inits *extrap. */
enum status extrap_read(const char *file, struct extrap *extrap, struct err *err);
void extrap_clear(struct extrap *extrap);

/* A row per region and metric: its function and error, and its values at these numbers of ranks and this value n of the
 * second parameter. */
void extrap_print(const struct extrap *extrap, const uint32_t *at, size_t at_count, int64_t n, FILE *out);

#endif
