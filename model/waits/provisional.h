/* Waits of a trace that is analysed in slices which a later slice may show to be none: for progress, where an MPI
 * function does not wait for the target, and for the posts of a target or of the whole group, where one of both is what
 * operations of a class wait for (model/behaviour/group_votes.h). Each depends on a doubt. They are kept apart until
 * the end. */
#ifndef MODEL_WAITS_PROVISIONAL_H
#define MODEL_WAITS_PROVISIONAL_H

#include <stdbool.h>

#include "model/behaviour/group_votes.h"
#include "model/waits/finding.h"
#include "model/waits/totals.h"
#include "model/waits/wait_profile.h"
#include "trace/trace.h"

/* Numbers of doubts; that of a wait that counts in any case is FINDING_CERTAIN. */
enum {
    DOUBT_PROGRESS = FINDING_CERTAIN + 1,                 /* + enum mpi_call */
    DOUBT_TARGET = DOUBT_PROGRESS + MPI_CALL_COUNT,       /* + group_votes_class() */
    DOUBT_GROUP = DOUBT_TARGET + (int)GROUP_VOTE_CLASSES, /* + group_votes_class() */
    DOUBT_COUNT = DOUBT_GROUP + (int)GROUP_VOTE_CLASSES
};

/* All-zero is empty. */
struct provisional {
    bool refuted[DOUBT_COUNT]; /* of progress: functions that returned while the target was outside MPI all the time */
    int64_t *severity_ps[DOUBT_COUNT]; /* per rank; NULL: none */
    uint64_t *count[DOUBT_COUNT];
    struct group_votes votes; /* of all shards, once they are exchanged */
};

/* Of a wait for the target's post alone there is one for the group's, too, which is longer. */
bool doubt_is_of_target(uint16_t doubt);
/* The MPI function whose waits depend on it. */
enum mpi_call doubt_function(uint16_t doubt);

void provisional_clear(struct provisional *provisional);
enum status provisional_add(struct provisional *provisional, const struct trace *trace, const struct finding *finding,
                            struct err *err);
/* The sums of a doubt, made 0 if there are none. */
enum status provisional_reserve(struct provisional *provisional, uint16_t doubt, uint32_t ranks, struct err *err);
/* All have voted: decides what operations wait for. */
void provisional_decide(struct provisional *provisional);
/* Adds what was not refuted to totals and profile. */
enum status provisional_end(const struct provisional *provisional, struct totals *totals, struct wait_profile *profile,
                            struct err *err);

#endif
