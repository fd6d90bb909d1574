/* Where in the program a slope arises.
 *
 * A predicted trace of a replay one step further has the same calls, so the difference of their times is the slope of each call's
 * begin and end. Along the critical path of the further replay, in which nothing is a tie that is none behind the value, these
 * slopes fall to 0. What a part of the path loses is its own. The parts sum to the slope of the run time whatever the path is.
 * Of what a call loses that another one ended, as much as that one lasts longer is the other one's: its overhead, its
 * acknowledgements. */
#ifndef PREDICTORS_SENSITIVITY_PLACES_H
#define PREDICTORS_SENSITIVITY_PLACES_H

#include "model/result/result.h"
#include "predictors/sensitivity/run_time.h"

/* What else than calls a slope is split by. Parts that have none are left out. */
enum place_split {
    SPLIT_WINDOW, /* a: the window */
    SPLIT_PAIR,   /* a, b: the ranks, from which one waits for what comes */
    SPLIT_LINK,   /* a, b: their nodes, if they are two */
    SPLIT_WAIT,   /* a: the wait state behind which it is (enum pattern) */
    SPLITS
};

struct place_share {
    int64_t a, b;
    double slope;
};

struct place_shares {
    struct place_share *items; /* owned; the largest first */
    size_t count, capacity;
};

struct places {
    struct result_shares calls; /* owned; the largest first: time_s is the part, as a slope */
    struct place_shares splits[SPLITS];
    double *rank_parts; /* owned: of each rank */
};

/* The parts of the slope above the platform's value, or behind a jump there, in this unit. Inits *places, whose memory is the
 * caller's in any case. */
enum status places_find(const struct run_time *of, bool jumps, double unit, struct places *places, struct err *err);

#endif
