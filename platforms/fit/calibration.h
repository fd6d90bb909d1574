/* Makes a platform file from the results of a bench. docs/calibration.md has each key with its test and formula. */
#ifndef PLATFORMS_FIT_CALIBRATION_H
#define PLATFORMS_FIT_CALIBRATION_H

#include <stdio.h>

#include <cjson/cJSON.h>

#include "platforms/bench/results.h"
#include "platforms/fit/pairs.h"
#include "platforms/fit/size_curve.h"

enum calibration_curve {
    CALIBRATION_PUT,
    CALIBRATION_GET,
    CALIBRATION_ACCUMULATE,
    CALIBRATION_PING_PONG,
    CALIBRATION_PUT_ISSUE,
    CALIBRATION_ISEND_ISSUE,
    CALIBRATION_PUT_TRAIN,
    CALIBRATION_SEND_TRAIN,
    CALIBRATION_FETCH,
    CALIBRATION_LOCK,
    CALIBRATION_PSCW,
    CALIBRATION_PUT_PSCW,
    CALIBRATION_PUT_LOCK_ALL,
    CALIBRATION_FENCE,
    CALIBRATION_BARRIER,
    CALIBRATION_ALLREDUCE,
    CALIBRATION_MEMORY,
    CALIBRATION_PAUSE,
    CALIBRATION_PUT_OPPOSED,
    CALIBRATION_GET_OPPOSED,
    CALIBRATION_ACCUMULATE_OPPOSED,
    CALIBRATION_PUT_BOTH,
    CALIBRATION_GET_BOTH,
    CALIBRATION_ACCUMULATE_BOTH,
    CALIBRATION_THREAD_CREATE, /* the keys of threads, one after another */
    CALIBRATION_THREAD_START,
    CALIBRATION_THREAD_JOIN,
    CALIBRATION_THREAD_LOCK,
    CALIBRATION_THREAD_UNLOCK,
    CALIBRATION_THREAD_BARRIER,
    CALIBRATION_COPY_BESIDE,    /* by ranks, not bytes */
    CALIBRATION_COMPUTE_BESIDE,
    CALIBRATION_CURVE_COUNT
};

/* [0]: within a node; [1]: between nodes. */
struct calibration {
    struct size_curve curves[2][CALIBRATION_CURVE_COUNT];
    struct conditions conditions[2];
    int nodes, cores, most_ranks; /* most_ranks: ranks of the node with the most ranks */
    struct fit_value init_s, finalize_s; /* of launches; n: 0 if none is known */
    size_t init_n, finalize_n;
    double own_s; /* of the bench, per repetition */
    bool partial; /* the bench did not write all its rows */
    char library[256];
    struct pair_notes pairs;
};

/* run is run.json of the bench. Returns STATUS_DATA if it is malformed, or if there is neither put nor ping-pong to
 * fit. The caller frees *calibration with free(). */
enum status calibration_new(const struct bench_results *results, const cJSON *run, struct calibration **calibration,
                            struct err *err);

/* Whether more than half of the sizes are unsteady (platforms/fit/size_curve.h) of a curve that latency and bandwidth are
 * fitted to: of "putLatency -s flush", else of "pingPong", within a node or between nodes. Such a file states the load of the
 * machine. text is then the first such curve's: "14 of 15 sizes of putLatency -s flush within a node". */
enum { CALIBRATION_UNSTEADY_BYTES = BENCH_SPEC_BYTES + 80 };
bool calibration_is_unsteady(const struct calibration *calibration, char text[CALIBRATION_UNSTEADY_BYTES]);

/* mpi is the section of the MPI library, the probe's or a profile's, or NULL; it is copied. Every measured value has its error.
 * Values that are negative or no number are left out, and $calibration.notes says so. */
enum status calibration_to_platform(const struct calibration *calibration, const cJSON *mpi, const char *name, cJSON **platform,
                                    struct err *err);

#endif
