/* Whether operations that block wait for the posts of their whole group (docs/patterns.md, "Early Transfer"). Two kinds
 * of calls decide. A call that was entered after its own target's post, with another target's post inside it, votes for
 * the group. A call that returned before another target's post votes against it. A call with both posts inside it has
 * no vote. */
#ifndef MODEL_BEHAVIOUR_GROUP_VOTES_H
#define MODEL_BEHAVIOUR_GROUP_VOTES_H

#include "model/behaviour/behaviour.h"

enum { GROUP_VOTE_CLASSES = BEHAVIOUR_OPERATIONS * BEHAVIOUR_SIZES };

/* All-zero: nobody has voted. */
struct group_votes {
    uint64_t with[GROUP_VOTE_CLASSES], against[GROUP_VOTE_CLASSES];
};

/* The class of an operation, by function and size; -1: it has no vote, and waits for its target. */
int group_votes_class(const struct trace_call *call);
enum mpi_call group_votes_function(int votes_class);

void group_votes_count(const struct behaviour *behaviour, struct group_votes *votes);
void group_votes_merge(struct group_votes *into, const struct group_votes *from);

/* Whether each class waits for the group: as most of its own votes say, if it has none those of the function, if that
 * has none those of all. As many on each side, or none at all: it waits for its target, the shorter time. */
void group_votes_decide(const struct group_votes *votes, bool for_group[GROUP_VOTE_CLASSES]);

#endif
