/* What differs between two runs of a program: run time, wait states, and the time of each call path by MPI function and
 * computing. Times are in seconds, of all ranks; a difference is the second run's less the first one's: positive where it is
 * slower. It is not for errors of a prediction: validate/validate.h matches calls one by one.
 *
 * Order of calls: difference_new, outputs, difference_free. */
#ifndef VALIDATE_DIFFERENCE_H
#define VALIDATE_DIFFERENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/json/fields.h"
#include "model/result/result.h"

struct difference_value {
    double before_s, after_s;
};

/* What ranks do at a call path: the calls of an MPI function, or "computing". Lines of a program move from version to version:
 * calls at several lines of one call path are one row. */
struct difference_row {
    char *callpath, *activity, *file; /* owned; file NULL: not known */
    int32_t line;                     /* of the calls that take longest, of the second run where it has them */
    size_t lines;                     /* of that run that are in the row */
    uint64_t before_count, after_count;
    struct difference_value time, waits; /* waits: the part in wait states */
    double change_s, change_waits_s;
};

struct difference {
    const char *before, *after; /* names, borrowed */
    const struct result *results[2]; /* borrowed */
    struct difference_value run_time, waits[PATTERN_COUNT];
    struct difference_row *rows; /* owned: the greatest change first */
    size_t count, capacity;
    bool computing;           /* the rows have computing: both results have their intervals */
    struct uncertainty error; /* of the difference of the run times, where both are predicted */
    /* A limit that the second run has to keep; < 0: none. */
    double limit, slower; /* shares of the first run's time */
    bool holds;
};

/* STATUS_DATA: a run has no profile of its calls, was simulated where the other was not, or has another section. limit < 0:
 * none. The caller owns *difference. */
enum status difference_new(const struct result *before, const char *before_name, const struct result *after,
                           const char *after_name, double limit, struct difference **difference, struct err *err);
void difference_free(struct difference *difference);

/* Schema rmacast.difference/1 (docs/results.md). */
extern const struct field difference_fields[];
/* Prints "MPI_Win_lock 3 ms less (FILE:LINE), MPI_Win_free 1 ms more" of the first `top` rows that differ, "no call" if none
 * does. */
void difference_print_line(const struct difference *difference, size_t top, FILE *out);
/* Prints a table of the first `top` rows that differ; slower: only of those that take longer in the second run. */
void difference_print(const struct difference *difference, size_t top, bool slower, FILE *out);

#endif
