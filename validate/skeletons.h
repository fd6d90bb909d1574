/* What one rank's calls between two barriers took, in a measured run and in its replay: calls that are repeated between
 * barriers, as a bench does, are one row. */
#ifndef VALIDATE_SKELETONS_H
#define VALIDATE_SKELETONS_H

#include <stdio.h>

#include "trace/trace.h"

enum { SKELETON_NAME_BYTES = 160, SKELETON_COUNT_LEAST = 10 };

struct skeleton {
    char name[SKELETON_NAME_BYTES]; /* "MPI_Put 8 > 1, MPI_Win_flush"; "100 MPI_Win_fence" */
    double *measured_s, *predicted_s; /* owned; of each repetition. Of a train of barriers: their mean. NULL: joined */
    size_t count, capacity, predicted_capacity;
    double measured_median_s, measured_p10_s, predicted_median_s;
};

struct skeletons {
    struct skeleton *items; /* in the order of their first repetition; of SKELETON_COUNT_LEAST repetitions at least */
    size_t count, capacity;
};

/* predicted: the measured trace's replay, with the same calls of the rank: else STATUS_DATA. What makes or frees windows and
 * communicators, and calls that stay on the rank, are left out. */
enum status skeletons_compare(const struct trace *measured, const struct trace *predicted, uint32_t rank,
                              struct skeletons *skeletons, struct err *err);
/* Rows of several runs of the same program: medians of their medians and 10th percentiles. Rows of rounds[0] that all have. */
enum status skeletons_join(const struct skeletons *rounds, size_t round_count, struct skeletons *joined, struct err *err);
void skeletons_clear(struct skeletons *skeletons);

/* A table: repetitions, measured median and 10th percentile (load only ever adds time), predicted median, its
 * difference from both in percent; then the medians of the differences' sizes. */
void skeletons_print(const struct skeletons *skeletons, FILE *out);

#endif
