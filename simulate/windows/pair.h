/* What is queued at an origin for its target's post, and what takes effect at the target of an active epoch. */
#ifndef SIMULATE_WINDOWS_PAIR_H
#define SIMULATE_WINDOWS_PAIR_H

#include "simulate/windows/window.h"

struct notification { /* of an access epoch's end */
    uint32_t epoch, data_expected;
    int64_t complete_enter_ps, last_op_ps;
};
enum status replay_send_notification(struct replay *replay, uint32_t pair, const struct notification *notification);

/* Issues what waits in the pair's queue up to the epoch, unless it is held until complete or waits for the whole group.
 * A notification waits for the data in front of it, which may themselves wait for the clear to send. */
enum status replay_pair_issue_until(struct replay *replay, uint32_t pair, uint32_t epoch);
/* What waits for the post leaves now that it has come: a rank that one of these operations wakes acts behind all. */
enum status replay_pair_issue_queued(struct replay *replay, uint32_t pair);
/* An operation's data, which waited for the clear to send, have been sent. */
enum status replay_pair_cleared(struct replay *replay, uint32_t pair, uint32_t epoch);

/* An operation of the pair takes effect at the target at at_ps, now or later: a put has arrived, an accumulate has been
 * applied, the last byte of a get has left. */
void replay_pair_effect(struct replay *replay, struct pair *pair, int64_t at_ps);
/* The pair's epochs end in order: notification and data of each must have come. */
void replay_end_epochs(struct replay *replay, struct pair *pair);

#endif
