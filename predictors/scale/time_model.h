/* Computing times as functions of the number of ranks p, and of a parameter n that was given with the runs: the
 * performance model normal form with at most one term, c0 + c1 p^i log2^j p n^k log2^l n (A. Calotoiu, T. Hoefler, M.
 * Poke, F. Wolf, Using Automated Performance Modeling to Find Scalability Bugs in Complex Codes, SC 2013, section 3),
 * chosen by leave-one-out cross-validation. A model also says how single executions differ from the mean. */
#ifndef PREDICTORS_SCALE_TIME_MODEL_H
#define PREDICTORS_SCALE_TIME_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

/* The times of one run at one place of the program, in seconds. */
struct time_sample {
    int32_t ranks;
    int64_t n; /* 0: there is no parameter */
    uint64_t count;
    double mean, deviations, least, largest; /* deviations: sum of squared deviations from the mean, as far as they are noise */
    double waited, recorded; /* sums: waits for a core while they were recorded, and the times with these waits */
    double slept;            /* sum: sleep in the times */
};

enum { TIME_POINTS_MAX = 64 };
struct time_point {
    int32_t ranks;
    int64_t n;
    double mean;
};

/* v^exponent log2^logs v */
struct time_term {
    double exponent;
    int logs;
};

struct time_model {
    double c0, c1; /* seconds */
    struct time_term ranks, n;
    /* An error e bounds a mean m by m / (1 + e) and m (1 + e). At an observed scale: 3 sigma / (sqrt(N) (mean - sigma)), and the
     * share of the time that waited for a core. */
    double error;
    /* The largest error of predicting one run from the others; the largest in seconds, maybe of
     * another run; and of all runs that are missed the least distance from the nearest other one, in doublings of the ranks
     * and of n together. */
    double missed, missed_s, missed_doublings;
    double slept;  /* share of all times in all runs that was sleep */
    bool balanced; /* all executions are within 10 % of their run's mean */
    struct time_point measured[TIME_POINTS_MAX]; /* the points that it was fitted to */
    size_t measured_count;
};

void time_sample_add(struct time_sample *sample, double seconds);

/* Fits samples of different scales, at least one, each with count > 0. surely: a function that is not constant must
 * predict each run from the others within 1 %. */
void time_model_fit(const struct time_sample *samples, size_t count, bool surely, struct time_model *model);

/* For times that are no function of the scale: the mean is that of the last sample, and the error is its difference
 * from the sample before. */
void time_model_fit_last(const struct time_sample *samples, size_t count, struct time_model *model);

/* Adds that difference to the error of times whose function nothing but the samples supports. */
void time_model_add_change(const struct time_sample *samples, size_t count, struct time_model *model);

/* One run shows nothing of other scales: the error is the whole time for each doubling. */
void time_model_add_unknown(struct time_model *model);

double time_model_mean(const struct time_model *model, int32_t ranks, int64_t n); /* seconds, 0 or more */

/* "0.001 + 2.5e-05 p^0.5 log2 p s" for the unit " s"; parameter: its name, NULL: there is none. Returns buffer. */
enum { TIME_TEXT_BYTES = 224 };
char *time_model_text(const struct time_model *model, const char *parameter, const char *unit, char buffer[TIME_TEXT_BYTES]);

#endif
