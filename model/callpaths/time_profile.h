/* Sums the time of ranks by call path, and by MPI function or computing. */
#ifndef MODEL_CALLPATHS_TIME_PROFILE_H
#define MODEL_CALLPATHS_TIME_PROFILE_H

#include "common/wide.h"
#include "model/callpaths/callpath.h"
#include "model/waits/rank_sums.h"
#include "model/result/result.h"

enum { ACTIVITY_COMPUTING = MPI_CALL_COUNT }; /* an activity beside enum mpi_call */

struct time_activity {
    uint32_t node, site, activity;
};

struct time_item {
    struct time_activity of;
    wide_ps total_ps;
};

struct time_profile {
    const struct trace *trace; /* borrowed; paths as well */
    const struct callpaths *paths;
    struct map locations, index; /* (node, site); (location, activity) to item */
    struct rank_sums ranks;      /* of the items */
    struct time_item *items;
    size_t count, capacity;
    wide_ps total_ps;
};

/* The caller sets trace and paths of an all-zero struct. */
void time_profile_clear(struct time_profile *profile);

/* Adds rank, thread, count and time of *more; its item is of no use here. Nothing is added where time and count are 0. */
enum status time_profile_add(struct time_profile *profile, const struct time_activity *of, const struct rank_sum *more,
                             struct err *err);
/* Writes all items, the largest first, into the list of a result. waits_s is for calls: of each item, the time of each pattern
 * in it, as waits_s[item * PATTERN_COUNT + pattern]; then a call path ends with the call site. NULL: they are not calls alone.
 * Nothing may be added afterwards. */
enum status time_profile_report(struct time_profile *profile, const double *waits_s, struct result_shares *list,
                                struct err *err);

#endif
