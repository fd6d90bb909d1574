#include "simulate/windows/pair.h"

#include "simulate/replay/message.h"
#include "simulate/replay/walk.h"
#include "simulate/windows/transfer.h"

void replay_end_epochs(struct replay *replay, struct pair *pair)
{
    uint32_t woken = NO_INDEX;
    while (pair->epochs_done < pair->completes_arrived &&
           pair->data_arrived >= pair->data_expected[(pair->epochs_done + 1) & 1]) {
        if (++pair->epochs_done > pair->exposures) continue; /* before the post: only with MPI_MODE_NOCHECK */
        struct member *target = &replay->members[pair->target_member];
        if (pair->epochs_done == pair->exposures && --target->pending_origins == 0) woken = target->rank;
    }
    if (woken != NO_INDEX) replay_wake(replay, woken); /* may move the pairs */
}

void replay_pair_effect(struct replay *replay, struct pair *pair, int64_t at_ps)
{
    struct member *target = &replay->members[pair->target_member];
    if (at_ps > target->last_effect_ps) target->last_effect_ps = at_ps;
    pair->data_arrived++;
    replay_end_epochs(replay, pair);
}

/* Writes into the pair what the target needs to know of the epoch, when the notification leaves. The post of epoch n
 * has arrived then, so the target has finished epoch n - 2 and its slot is free. */
enum status replay_send_notification(struct replay *replay, uint32_t index, const struct notification *notification)
{
    struct pair *pair = &replay->pairs[index];
    uint32_t slot = notification->epoch & 1;
    pair->complete_enter_ps[slot] = notification->complete_enter_ps;
    pair->complete_last_op_ps[slot] = notification->last_op_ps;
    pair->data_expected[slot] = notification->data_expected;
    pair->target_waits = false;
    pair->notified = notification->epoch == pair->accesses;
    return replay_send_control(replay, MESSAGE_COMPLETE, pair->origin, pair->target, index, 0);
}

static enum status send_queued(struct replay *replay, uint32_t op)
{
    if (replay->ops[op].kind != CALL_COMPLETE) return replay_issue_chain(replay, op);
    const struct op *queued = &replay->ops[op];
    const struct notification notification = {queued->epoch, queued->data_expected, queued->complete_enter_ps,
                                              queued->last_op_ps};
    uint32_t pair = queued->pair;
    replay_release_op(replay, op);
    return replay_send_notification(replay, pair, &notification);
}

/* Takes a notification, an operation, or (aggregated) all operations of the epoch out of the queue. */
static uint32_t take_queued(struct replay *replay, struct pair *pair)
{
    uint32_t first = pair->queue.first, last = first;
    bool together = replay->platform->aggregate && replay->ops[first].kind != CALL_COMPLETE;
    for (;;) {
        uint32_t next = replay->ops[last].next;
        pair->queue.first = next;
        replay_resume(replay, pair->origin);
        if (!together || next == NO_INDEX || replay->ops[next].kind == CALL_COMPLETE ||
            replay->ops[next].epoch != replay->ops[first].epoch || replay_awaits_group(replay, pair, next))
            break;
        last = next;
    }
    replay->ops[last].next = NO_INDEX;
    return first;
}

enum status replay_pair_issue_until(struct replay *replay, uint32_t index, uint32_t epoch)
{
    for (;;) { /* issuing may wake a rank, which may move pairs and operations */
        struct pair *pair = &replay->pairs[index];
        uint32_t op = pair->queue.first;
        if (op == NO_INDEX || replay->ops[op].epoch > epoch) return STATUS_OK;
        if (pair->uncleared > 0 && replay->ops[op].kind == CALL_COMPLETE) return STATUS_OK;
        if (replay->deferred && pair->open && !pair->closing && replay->ops[op].epoch == pair->accesses)
            return STATUS_OK;
        if (replay_awaits_group(replay, pair, op)) return STATUS_OK;
        TRY(send_queued(replay, take_queued(replay, pair)));
    }
}

enum status replay_pair_issue_queued(struct replay *replay, uint32_t pair)
{
    return replay_pair_issue_until(replay, pair, replay->pairs[pair].accesses);
}

enum status replay_pair_cleared(struct replay *replay, uint32_t pair, uint32_t epoch)
{
    if (--replay->pairs[pair].uncleared > 0) return STATUS_OK;
    TRY(replay_pair_issue_until(replay, pair, epoch));
    const struct member *origin = &replay->members[replay->pairs[pair].origin_member];
    if (replay->modes[origin->window].wait_confirms && origin->in_wait) replay_wake(replay, origin->rank);
    return STATUS_OK;
}
