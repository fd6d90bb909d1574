/* The queue of an origin for the post of a target, and what takes effect at the target of an active epoch. */
#ifndef SIMULATE_WINDOWS_PAIR_H
#define SIMULATE_WINDOWS_PAIR_H

#include "simulate/windows/window.h"

struct notification { /* of the end of an access epoch */
    uint32_t epoch, data_expected;
    int64_t complete_enter_ps, last_op_ps;
};
enum status replay_send_notification(struct replay *replay, uint32_t pair, const struct notification *notification);

/* Issues the operations of the pair's queue up to the epoch, except those that are held until complete or wait for the
 * whole group. A notification waits for the data before it, which may wait for the clear to send. */
enum status replay_pair_issue_until(struct replay *replay, uint32_t pair, uint32_t epoch);
/* The post has arrived: issues the operations that waited for it. A rank that one of these operations wakes acts after
 * all of them. */
enum status replay_pair_issue_queued(struct replay *replay, uint32_t pair);
/* The data of an operation that waited for the clear to send have been sent. */
enum status replay_pair_cleared(struct replay *replay, uint32_t pair, uint32_t epoch);

/* An operation of the pair takes effect at the target at at_ps, now or later: a put has arrived, an accumulate has been
 * applied, the last byte of a get has left. */
void replay_pair_effect(struct replay *replay, struct pair *pair, int64_t at_ps);
/* Ends the pair's epochs in order, each when its notification and its data have arrived. */
void replay_end_epochs(struct replay *replay, struct pair *pair);

#endif
