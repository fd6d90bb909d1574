/* Keeps waits apart that a later slice may refute. There are two sorts. A wait for progress is refuted if the MPI
 * function turns out not to wait for its target. A wait for a post depends on whether operations of its class wait for
 * the target's post or for those of the whole group (model/behaviour/group_votes.h). Each such wait depends on a
 * numbered doubt, which is decided at the end. */
#ifndef MODEL_WAITS_PROVISIONAL_H
#define MODEL_WAITS_PROVISIONAL_H

#include <stdbool.h>

#include "model/behaviour/group_votes.h"
#include "model/waits/finding.h"
#include "model/waits/totals.h"
#include "model/waits/wait_profile.h"
#include "trace/trace.h"

/* Numbers of doubts. A wait that counts in any case has FINDING_CERTAIN. */
enum {
    DOUBT_PROGRESS = FINDING_CERTAIN + 1,                 /* + enum mpi_call */
    DOUBT_TARGET = DOUBT_PROGRESS + MPI_CALL_COUNT,       /* + group_votes_class() */
    DOUBT_GROUP = DOUBT_TARGET + (int)GROUP_VOTE_CLASSES, /* + group_votes_class() */
    DOUBT_COUNT = DOUBT_GROUP + (int)GROUP_VOTE_CLASSES
};

/* All-zero is empty. */
struct provisional {
    bool refuted[DOUBT_COUNT]; /* for progress: the function returned although the target was outside MPI all the
                                  time */
    int64_t *severity_ps[DOUBT_COUNT]; /* per rank; NULL: none */
    uint64_t *count[DOUBT_COUNT];
    struct group_votes votes;
};

/* Whether the doubt is about the target's post alone. Each such wait also has a longer one for the group's posts. */
bool doubt_is_of_target(uint16_t doubt);
enum pattern doubt_pattern(uint16_t doubt);
/* The MPI function whose waits depend on the doubt. */
enum mpi_call doubt_function(uint16_t doubt);

void provisional_clear(struct provisional *provisional);
enum status provisional_add(struct provisional *provisional, const struct trace *trace, const struct finding *finding,
                            struct err *err);
/* After all votes: decides for which posts operations wait. */
void provisional_decide(struct provisional *provisional);
/* Adds the waits that were not refuted to totals and profile. */
enum status provisional_end(const struct provisional *provisional, struct totals *totals, struct wait_profile *profile,
                            struct err *err);

#endif
