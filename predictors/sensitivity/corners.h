/* The corners of a run time as a function of a value: where two lines that were measured meet, a replay tells whether the run
 * time lies on them. No solver, and no line is drawn through points that are not on it.
 *
 * Of a convex run time that is a proof: it is above the lines that begin and end with its slopes, and below the chords from their
 * ends to where they meet. Any other one may leave a line between two replays: lines are then replayed at further points, which
 * proves nothing. */
#ifndef PREDICTORS_SENSITIVITY_CORNERS_H
#define PREDICTORS_SENSITIVITY_CORNERS_H

#include "predictors/sensitivity/run_time.h"

struct corner {
    double x, t; /* steps and units; between two steps where lines meet there */
};

/* Between two neighbours the run time is a line. */
struct corners {
    struct corner *points; /* owned; from the range's begin to its end, ascending */
    size_t count, capacity;
    double left, right; /* slopes at the platform's value; equal unless it is a corner. left: NAN where nothing is below */
    double from, to;    /* steps between which `right` holds */
    bool jumps;         /* upwards the run time jumps, and `right` holds behind the jump */
    bool exact;         /* false: the budget of replays has ended, or the run time jumps */
};

/* Finds the corners from low to high; the platform's value is between them. convex: the run time is known to be. Inits *curve. */
enum status corners_find(const struct run_time *of, int64_t low, int64_t high, bool convex, struct corners *curve,
                         struct err *err);
void corners_clear(struct corners *curve);

/* The steps above the platform's value at which the run takes 1 + share times as long; NAN: none was found. Where a replay
 * refutes the curve, it is no longer exact. */
enum status corners_tolerance(const struct run_time *of, struct corners *curve, double share, double *x, struct err *err);

#endif
