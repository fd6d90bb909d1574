/* A curve has predictions of one program at several scales under several semantics, with speed-up, efficiency, the scale
 * at which more ranks stop paying, and the fastest semantics. */
#ifndef PREDICTORS_SCALE_CURVE_H
#define PREDICTORS_SCALE_CURVE_H

#include <stdio.h>

#include "common/json/fields.h"
#include "model/efficiency/efficiency.h"
#include "model/result/result.h"
#include "predictors/scale/program.h"
#include "predictors/curve/replay_error.h"

/* Statistics of the run times of several runs with noise (noise.h). */
struct curve_noise {
    double median_s, p5_s, p95_s;
};

struct curve_point {
    uint32_t ranks;
    double low_s, high_s;  /* run time by the errors of the computing times, of the platform, and of the replay */
    struct replay_error error; /* of the replay, which is in them */
    struct curve_noise noise; /* if curve->noisy_runs > 0 */
    struct result *result; /* owned */
    cJSON *rewrites;       /* owned; the rewritings applied before the replay; NULL: none */
};

/* run_times_s gets sorted. */
struct curve_noise curve_noise_of(double *run_times_s, size_t count);

struct curve {
    const char *program; /* borrowed: the program as text; NULL: one trace was replicated */
    const char *parameters; /* borrowed: ", n = 4000" of each of its parameters; NULL: it has none */
    const char *doubts;  /* borrowed: a line for each number that the runs leave open (program_print_doubts()); NULL: none */
    const char *statistics; /* borrowed: what share is modelled by its statistics (struct program); NULL: none */
    const char *why;        /* borrowed: sentences (why.h); NULL: none */
    const char *const *semantics;  /* borrowed names of the rows */
    size_t rows;
    struct curve_point *points; /* owned; rows points per number of ranks, which rise; the first is the reference */
    size_t count, capacity;
    size_t noisy_runs; /* per point; 0: none */
    size_t measured;   /* values of the platform whose errors are in the band */
    const struct measured_run *runs; /* borrowed, sorted by ranks: recordings made on the platform, and their replays */
    size_t run_count;
    bool strong; /* computing per rank falls as ranks are added (curve_is_strong()); else it is about the same */
};

void curve_clear(struct curve *curve);

/* Whether a rank computes noticeably less at more ranks: the ranks share work, and weak scaling would claim that each does as
 * much as before. few_s, many_s: the mean computing of a rank. */
bool curve_is_strong(double few_s, double many_s);

/* Compared with the first point of the same row: for strong scaling the ratio of times, for weak scaling the ratio of
 * work per time. */
double curve_speedup(const struct curve *curve, size_t point);
double curve_efficiency(const struct curve *curve, size_t point);

/* What is wrong with an efficiency above 100 % that equal cores cannot have; NULL: the point has none. */
const char *curve_doubt(const struct curve *curve, size_t point);

/* Sets *pop to POP's metrics of a point; each is negative if unknown. Returns false if they were not requested. */
bool curve_pop(const struct curve *curve, size_t point, struct efficiency_pop *pop);

/* A wait state's share of the time of all ranks: run time times ranks. */
double curve_wait_share(const struct curve *curve, size_t point, enum pattern pattern);

void curve_print(const struct curve *curve, FILE *out);

/* Schema rmacast.scaling/1. */
extern const struct field curve_fields[];

/* Comma-separated values: a row per point, a column per wait state that occurs. */
void curve_write_csv(const struct curve *curve, FILE *out);

/* A picture: run time and, beside it, speed-up against ranks. A line per semantics with its band, what there would be without
 * loss, and the measured runs. */
void curve_write_svg(const struct curve *curve, FILE *out);

#endif
