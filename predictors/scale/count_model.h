/* Whole numbers as functions of the number of ranks: bytes, repetitions. A function is taken only if it gives every
 * observed number exactly. */
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
    COUNT_LINEAR,     /* a + b p, from three scales on */
    COUNT_LOG_LINEAR, /* a + b log2 p, from three scales on */
    COUNT_FORMS
};

struct count_model {
    enum count_form form;
    int64_t a, b;
};

struct count_sample {
    struct grid grid;
    int64_t value;
};

/* The first form that holds for all samples, which are of different numbers of ranks. False: none does. */
bool count_model_fit(const struct count_sample *samples, size_t count, struct count_model *model);

/* Rounded down where a share does not come out even; false: the form has no value there. */
bool count_model_value(const struct count_model *model, const struct grid *grid, int64_t *value);

/* "65536 / p". Returns buffer. */
enum { COUNT_TEXT_BYTES = 64 };
char *count_model_text(const struct count_model *model, char buffer[COUNT_TEXT_BYTES]);

#endif
