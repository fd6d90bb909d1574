/* Finds which ranks lock which rank's part of a window. A window must not be locked and exposed at the same time
 * (MPI-3.1 11.5.3), so a transform that prolongs one must know which ranks do the other. */
#ifndef PREDICTORS_TRANSFORMS_LOCKERS_H
#define PREDICTORS_TRANSFORMS_LOCKERS_H

#include "common/map.h"
#include "trace/trace.h"

struct lockers {
    struct map single; /* window and target: the first other rank that locks just this one */
    struct locker_all {
        int64_t first, second; /* different ranks that call MPI_Win_lock_all; -1: none */
    } * all;                   /* per window */
};

/* Borrows nothing. The caller clears *lockers, after a failure, too. */
enum status lockers_read(const struct trace *trace, struct lockers *lockers, struct err *err);
void lockers_clear(struct lockers *lockers);

/* Whether a rank other than `rank` ever locks the part of the window of `rank`; *by is such a rank. */
bool lockers_find(const struct lockers *lockers, int32_t window, uint32_t rank, uint32_t *by);

#endif
