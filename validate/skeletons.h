/* Compares the time of one rank's calls between two barriers in a measured run and in its replay. Equal sequences of
 * calls, one after another as a bench repeats them, are a series. Series of one name are a row. */
#ifndef VALIDATE_SKELETONS_H
#define VALIDATE_SKELETONS_H

#include <stdio.h>

#include "trace/trace.h"

enum { SKELETON_NAME_BYTES = 160, SKELETON_REMARK_BYTES = 160, SKELETON_COUNT_LEAST = 10 };

/* A series, or, joined, a row. */
struct skeleton {
    char name[SKELETON_NAME_BYTES];   /* "MPI_Put 8 > 1, MPI_Win_flush"; "100 MPI_Win_fence" */
    char region[SKELETON_NAME_BYTES]; /* the user region that it is in, "": none */
    double *measured_s, *predicted_s; /* owned; per repetition; for consecutive barriers their mean. NULL: a row */
    size_t count, capacity, predicted_capacity;
    double measured_median_s, measured_p10_s, predicted_median_s;
    double measured_error_s; /* of the median; 0: not known */
    double predicted_error_s; /* by the errors that the platform file states; 0: not known */
    bool left_out;                      /* of the table; the remark says why */
    char remark[SKELETON_REMARK_BYTES]; /* printed behind the table, "": none */
};

struct skeletons {
    struct skeleton *items; /* in the order of their first repetition; each series has at least SKELETON_COUNT_LEAST
                               repetitions */
    size_t count, capacity;
};

/* The series of a run: repetitions of other calls or in another region end a series, and the same calls later are another one.
 * All trains of barriers are one. predicted is the replay of the measured trace; STATUS_DATA if the rank's calls differ. Left out
 * are local calls, and what is between two barriers with calls on another communicator, or calls that create or free windows and
 * communicators. */
enum status skeletons_compare(const struct trace *measured, const struct trace *predicted, uint32_t rank,
                              struct skeletons *skeletons, struct err *err);
/* Makes rows: the medians of all repetitions of the series with the same name in the same region. */
enum status skeletons_join(const struct skeletons *series, struct skeletons *joined, struct err *err);
void skeletons_clear(struct skeletons *skeletons);

/* The rows' predicted_error_s: how much longer they take where all values of the platform are slower by their errors. Rows that
 * `slower` has not keep theirs. */
void skeletons_take_errors(struct skeletons *rows, const struct skeletons *slower);
/* Leaves out the rows whose measured median, or whose prediction, has a standard error above 10 %, a third of measured_error_s or
 * predicted_error_s: they do not tell whether a difference is within 10 %. A row that is left out already keeps its remark. */
void skeletons_leave_out(struct skeletons *skeletons);

/* A table: repetitions, measured median and 10th percentile (load only ever adds time), predicted median, its
 * difference from both and the error of the median in percent; then the medians of the differences' sizes, how many rows are
 * within 10 %, how many others within the error, and remarks. */
void skeletons_print(const struct skeletons *skeletons, FILE *out);

#endif
