/* Compares predicted and measured runs call by call: same call path, occurrence and rank.
 *
 * Calls of a thread are matched in their order. Failed tests count as computing, as in a replay, and user regions have
 * no time of their own. The time between two calls of a thread is an item of its own, "computing", at the place of the
 * later call. Seconds. */
#ifndef VALIDATE_CALLS_H
#define VALIDATE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"
#include "model/waits/section.h"
#include "trace/trace.h"
#include "validate/samples.h"

struct validate_place {
    char *callpath, *file; /* owned; file NULL: unknown */
    int32_t line;
    const char *function; /* not owned: an MPI function, or "computing" */
};

/* One call, or the computing before it. */
struct validate_call {
    uint32_t place; /* index into validate_calls.places */
    uint32_t rank, thread;
    uint32_t occurrence; /* of its place on its rank and thread, from 1 */
    double predicted_s, measured_s; /* measured_s: median of the repetitions */
    double measured_min_s, measured_max_s;
    bool two_groups; /* of repetitions: samples_two_groups() */
};

struct validate_call_group { /* of one place */
    uint64_t count;
    double predicted_s, measured_s, error_s;       /* sums over its calls */
    double predicted_median_s, measured_median_s;
    double absolute_s; /* sum of |error| */
    double spread_s;   /* sum of the measured ranges */
    double share;      /* absolute_s as a share of all groups'; 0 if that sum is 0 */
    uint64_t two_groups;   /* calls whose repetitions fall into two groups */
    double two_groups_s;   /* sum of their |error| */
    bool race; /* they have half of absolute_s: in each repetition one of two ranks came first. Not of computing */
};

/* A call of a measured run with other bytes or another target or partner than its match in the prediction. */
struct validate_other {
    size_t run; /* among the measured ones */
    uint32_t rank, place;
    uint64_t event; /* number among the rank's measured calls, from 1 */
    int64_t bytes, predicted_bytes;
    int32_t peer, predicted_peer;
};

struct validate_calls {
    struct validate_place *places;
    struct validate_call_group *groups; /* parallel to places */
    size_t place_count, place_capacity, group_capacity;
    size_t *order; /* of the groups, the largest absolute_s first */
    struct validate_call *calls;
    size_t count, capacity;
    double absolute_s;                        /* of all */
    double computing_error_s, calls_error_s;  /* sums of predicted - measured over the computing, over the calls */
    struct sample_summary error_s, relative;  /* of |error|, of |error| / measured where measured is not 0 */
    size_t worst;                             /* the call with the largest |error| */
    uint64_t within_spread;                   /* calls whose prediction is in the measured range */
    uint64_t other_count;                     /* of struct validate_other, in all measured runs */
    struct validate_other other;              /* the first one */
};

/* Matches all calls; repetitions >= 1. It keeps the calls that begin in the predicted run's section and whose call path
 * matches the pattern (fnmatch), with the computing before them. section NULL is the whole run; callpath NULL is any.
 * Other bytes or partners are counted: a program may choose them anew in each run. Other calls cannot be matched: then
 * *calls is NULL, and *difference is a text that names the first such call, on the lowest such rank, else it is NULL.
 * difference NULL: they are an error. Returns STATUS_DATA if the numbers of ranks differ. The caller owns *calls and
 * *difference. */
enum status validate_calls_match(const struct trace *predicted, const struct trace *const *measured, size_t repetitions,
                                 const struct section *section, const char *callpath, struct validate_calls **calls,
                                 char **difference, struct err *err);
void validate_calls_free(struct validate_calls *calls);

#endif
