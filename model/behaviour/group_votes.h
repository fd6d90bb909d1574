/* Whether operations that block wait for the posts of their whole group (docs/patterns.md, "Early Transfer"). Two kinds
 * of calls decide. A call that was entered after its own target's post, with another target's post inside it, votes for
 * the group. A call that returned before another target's post votes against it. A call with both posts inside it has
 * no vote. */
#ifndef MODEL_BEHAVIOUR_GROUP_VOTES_H
#define MODEL_BEHAVIOUR_GROUP_VOTES_H

#include "model/behaviour/behaviour.h"

enum { GROUP_VOTE_CLASSES = BEHAVIOUR_OPERATIONS * BEHAVIOUR_SIZES };

/* All-zero has no votes. */
struct group_votes {
    uint64_t with[GROUP_VOTE_CLASSES], against[GROUP_VOTE_CLASSES];
};

/* The class of an operation, by function and size; -1: it has no vote, and waits for its own target's post. */
int group_votes_class(const struct trace_call *call);
enum mpi_call group_votes_function(int votes_class);

void group_votes_count(const struct behaviour *behaviour, struct group_votes *votes);

/* Decides whether each class waits for the group, by the majority of its votes. Without votes of its own a class takes
 * those of its function, and a function without votes takes those of all. In a tie, or without any vote, the class
 * waits for its own target, the shorter time. */
void group_votes_decide(const struct group_votes *votes, bool for_group[GROUP_VOTE_CLASSES]);

#endif
