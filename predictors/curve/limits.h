/* Figures of a whole curve: the point where more ranks stop paying, the optimum, Amdahl's serial share, the ranges in
 * which each semantics wins. */
#ifndef PREDICTORS_SCALE_LIMITS_H
#define PREDICTORS_SCALE_LIMITS_H

#include "predictors/curve/curve.h"

/* The point of a row from which on more ranks do not pay; curve->count if they always pay. */
size_t limits_stops_paying(const struct curve *curve, size_t row);

/* The point of a row with the largest speed-up, of equal ones the first: for strong scaling the shortest run time, for
 * weak scaling the most work per time. */
size_t limits_optimum(const struct curve *curve, size_t row);

/* Amdahl's model for strong scaling: run time = serial + parallel / ranks, fitted by least squares of relative errors
 * (G. M. Amdahl, AFIPS 1967). */
struct amdahl {
    bool known;          /* strong scaling, two numbers of ranks at least, and ranks shorten the run */
    double serial_share; /* of the run time of one rank */
    double error;        /* the largest relative error of a point */
    size_t points;       /* two are always of this form, unless they shrink faster */
};
struct amdahl limits_amdahl(const struct curve *curve, size_t row);

/* Whether no row is told to be faster at the point's number of ranks: the difference is within its error. */
bool limits_is_fastest(const struct curve *curve, size_t point);

/* The next range of numbers of ranks in which a row is among the fastest: points *first to *last of the row. Begin with
 * *last = SIZE_MAX. Returns false if there is no further range. */
bool limits_next_win(const struct curve *curve, size_t row, size_t *first, size_t *last);

#endif
