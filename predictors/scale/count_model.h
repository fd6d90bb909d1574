/* Models whole numbers (bytes, repetitions) as functions of the number of ranks, and of a parameter that was given with
 * the runs. A function is accepted only if it gives every observed number exactly. */
#ifndef PREDICTORS_SCALE_COUNT_MODEL_H
#define PREDICTORS_SCALE_COUNT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/program_model/grid.h"

/* p: the ranks, x y z: the extents of their grid. */
enum count_form {
    COUNT_FIXED,      /* a */
    COUNT_RANKS,      /* a p */
    COUNT_OTHERS,     /* a (p - 1) */
    COUNT_SHARE,      /* a / p */
    COUNT_SHARE_SQUARED, /* a / p^2 */
    COUNT_PER_X,      /* a / x */
    COUNT_PER_Y,
    COUNT_PER_Z,
    COUNT_PER_XY,     /* a / (x y): the face of a block of a divided cube */
    COUNT_PER_XZ,
    COUNT_PER_YZ,
    COUNT_X,          /* a x */
    COUNT_Y,
    COUNT_Z,
    COUNT_LOG,        /* a log2 p, p a power of two */
    COUNT_FORMS
};

/* The factor of the form; n is the parameter. */
enum count_power { COUNT_WITHOUT, COUNT_N, COUNT_N_SQUARED, COUNT_N_CUBED, COUNT_PER_N, COUNT_LOG_N, COUNT_POWERS };

struct count_model {
    enum count_form form;
    enum count_power power;
    bool sum; /* b + the form; where the runs have three values of the form, or more */
    int64_t a, per, b; /* a / per takes the place of a; per is 1 without a power */
};

struct count_sample {
    struct grid grid;
    int64_t n; /* 0: there is no parameter */
    int64_t value;
};

/* Sets models to the forms that hold for all samples, the simplest first. Samples are of different scales. Returns the
 * number of models, at most COUNT_FITS_MAX. */
enum { COUNT_FITS_MAX = 8 };
size_t count_model_fit(const struct count_sample *samples, size_t count, struct count_model models[COUNT_FITS_MAX]);

/* The value of the model, rounded down if a share is no whole number. Returns false if the form has no value there. */
bool count_model_value(const struct count_model *model, const struct grid *grid, int64_t n, int64_t *value);

/* "65536 / p"; parameter: its name, NULL: there is none. Returns buffer. */
enum { COUNT_TEXT_BYTES = 160 };
char *count_model_text(const struct count_model *model, const char *parameter, char buffer[COUNT_TEXT_BYTES]);

#endif
