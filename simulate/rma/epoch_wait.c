/* Epochs that several threads of a rank open, use and close. What ordered these threads in the program may not be
 * recorded (an atomic, a spin). A call that another thread's call must precede waits for it, outside MPI. */
#include "simulate/replay/thread.h"
#include "simulate/rma/rma.h"
#include "simulate/windows/lock_epoch.h"

uint32_t replay_lock_of_member(const struct replay *replay, uint32_t rank, uint32_t member, int32_t target,
                               bool returned)
{
    for (uint32_t lock = replay->ranks[rank].lock_list; lock != NO_INDEX; lock = replay->lock_epochs[lock].next) {
        const struct lock_epoch *epoch = &replay->lock_epochs[lock];
        bool meant = target == TRACE_NONE || epoch->target == (uint32_t)target;
        if (epoch->member == member && meant && (epoch->returned || !returned)) return lock;
    }
    return NO_INDEX;
}

static bool may_unlock(const struct replay *replay, uint32_t rank, uint32_t member, int32_t target)
{
    uint32_t lock = replay_lock_of_member(replay, rank, member, target, true);
    return lock != NO_INDEX && !replay->lock_epochs[lock].unlocking;
}

bool replay_epoch_awaited(struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    enum call_kind kind = call_kind(call->call);
    bool operation = kind == CALL_PUT || kind == CALL_GET || kind == CALL_ACCUMULATE || kind == CALL_GET_ACCUMULATE;
    bool passive = kind == CALL_LOCK || kind == CALL_UNLOCK || kind == CALL_LOCK_ALL || kind == CALL_UNLOCK_ALL ||
                   kind == CALL_FLUSH || kind == CALL_FLUSH_LOCAL;
    if (!state->threads || state->threads->count < 2 || !(operation || passive)) return false;
    if (call->peer == TRACE_NONE && (call_row(call->call)->needed & F_TARGET)) return false; /* MPI_PROC_NULL */
    const struct member *member = replay_member(replay, call, rank);
    uint32_t index = (uint32_t)(member - replay->members);
    const struct all_locks *all = replay->all_locks[index];
    switch (kind) {
    case CALL_LOCK: return all || replay_lock_of_member(replay, rank, index, call->peer, false) != NO_INDEX;
    case CALL_LOCK_ALL: return all || replay_lock_of_member(replay, rank, index, TRACE_NONE, false) != NO_INDEX;
    case CALL_UNLOCK: return all || !may_unlock(replay, rank, index, call->peer);
    case CALL_UNLOCK_ALL: return !all || !all->returned || all->unlocking;
    default: break;
    }
    if (all) return !all->returned;
    if (operation && (member->fence_open || replay_open_pair(replay, member, call->peer))) return false;
    return replay_lock_of_member(replay, rank, index, call->peer, true) == NO_INDEX;
}
