/* Explains what calls of one-sided communication wait for, and which operations never left. */
#include "simulate/replay/thread.h"
#include "simulate/rma/rma.h"
#include "simulate/windows/lock_epoch.h"
#include "simulate/windows/transfer.h"
#include "simulate/windows/op.h"

static void explain_posts(struct replay *replay, const struct member *member, struct explanation *text)
{
    for (uint32_t i = 0; i < member->access.pair_count; i++) {
        const struct pair *pair = &replay->pairs[role_pairs(&member->access)[i]];
        if (pair->awaited_before) EXPLAIN_ONE(text, " MPI_Win_post of rank %u", pair->target);
    }
    if (text->named > 0) return;
    for (uint32_t i = 0; i < member->access.pair_count; i++) {
        const struct pair *pair = &replay->pairs[role_pairs(&member->access)[i]];
        if (!replay_pair_ready(member, pair)) EXPLAIN_ONE(text, " MPI_Win_post of rank %u", pair->target);
    }
    for (uint32_t i = 0; text->named == 0 && i < member->access.pair_count; i++) {
        const struct pair *pair = &replay->pairs[role_pairs(&member->access)[i]];
        if (pair->data_issued > 0) EXPLAIN_ONE(text, " its operations on rank %u", pair->target);
    }
}

/* A put that waits for buffer bytes waits for the posts of the puts whose data fill the buffer. */
static void explain_buffered(struct replay *replay, uint32_t rank, const struct trace_call *call, struct explanation *text)
{
    EXPLAIN(text, " room for %lld bytes in its buffer, where data wait for", (long long)call->bytes);
    for (size_t i = 0; i < replay->pair_count; i++) {
        const struct pair *pair = &replay->pairs[i];
        if (pair->origin == rank && pair->queue.first != NO_INDEX) EXPLAIN_ONE(text, " MPI_Win_post of rank %u", pair->target);
    }
}

static void explain_operation(struct replay *replay, uint32_t rank, const struct trace_call *call, struct explanation *text)
{
    enum call_kind kind = call_kind(call->call);
    bool puts = kind == CALL_PUT || kind == CALL_ACCUMULATE;
    enum rma_kind as = kind == CALL_PUT ? RMA_PUT : kind == CALL_ACCUMULATE ? RMA_ACCUMULATE : RMA_GET;
    const struct rma_semantics *semantics = replay->modes[call->handle].semantics;
    const struct member *member = replay_member(replay, call, rank);
    const struct pair *pair = replay_open_pair(replay, member, call->peer);
    if (puts && semantics_waits(semantics, as, call->bytes) == WAITS_NEVER)
        explain_buffered(replay, rank, call, text);
    else if (pair && !semantics_waits_for_group(semantics, as, call->bytes))
        EXPLAIN_ONE(text, " MPI_Win_post of rank %u", pair->target);
    else
        explain_posts(replay, member, text);
}

static void explain_completes(struct replay *replay, const struct member *member, struct explanation *text)
{
    for (uint32_t i = 0; i < member->exposure.pair_count; i++) {
        const struct pair *pair = &replay->pairs[role_pairs(&member->exposure)[i]];
        if (pair->epochs_done < pair->exposures) EXPLAIN_ONE(text, " MPI_Win_complete of rank %u", pair->origin);
    }
    for (uint32_t i = 0; text->named == 0 && i < member->access.pair_count; i++) {
        const struct pair *pair = &replay->pairs[role_pairs(&member->access)[i]];
        if (pair->target_waits) EXPLAIN_ONE(text, " its operations on rank %u", pair->target);
    }
}

static void explain_holders(struct replay *replay, uint32_t rank, uint32_t target, struct explanation *text)
{
    for (uint32_t other = 0; other < replay->trace->rank_count; other++) {
        uint32_t lock = replay->ranks[other].lock_list;
        for (; lock != NO_INDEX; lock = replay->lock_epochs[lock].next) {
            const struct lock_epoch *epoch = &replay->lock_epochs[lock];
            uint32_t held = replay_member_index(replay, replay->members[epoch->member].window, epoch->target);
            if (other != rank && held == target && epoch->granted && !epoch->nocheck)
                EXPLAIN(text, ", held by rank %u", other);
        }
    }
    const struct member *member = &replay->members[target];
    const struct trace_comm *comm = replay_comm_of(replay, member);
    uint32_t first = replay->windows[member->window].first_member;
    for (uint32_t i = 0; i < comm->count; i++) {
        const struct all_locks *all = replay->all_locks[first + i];
        uint32_t lock = all ? all->locks[target - first] : NO_INDEX;
        if ((uint32_t)comm->members[i] != rank && lock != NO_INDEX && replay->lock_epochs[lock].granted)
            EXPLAIN(text, ", held by MPI_Win_lock_all of rank %d", comm->members[i]);
    }
}

/* Explains locks that are not granted and operations that are not complete. */
static void explain_locks(struct replay *replay, uint32_t rank, const struct trace_call *call, struct explanation *text)
{
    uint32_t lock;
    for (uint32_t i = 0; replay_lock_at(replay, rank, call, i, &lock); i++) {
        if (lock == NO_INDEX) continue;
        const struct lock_epoch *epoch = &replay->lock_epochs[lock];
        if (epoch->releasing && !epoch->answered)
            EXPLAIN_ONE(text, " rank %u to know that window %d is unlocked", epoch->target, call->handle);
        bool lacks_grant = epoch->asked && !epoch->granted;
        if (!lacks_grant && epoch->open.outstanding == 0) continue;
        EXPLAIN_ONE(text, " %s window %d on rank %u", lacks_grant ? "the lock of" : "its operations on", call->handle,
             epoch->target);
        if (lacks_grant && text->named <= WAITERS_SHOWN)
            explain_holders(replay, rank, replay_member_index(replay, call->handle, epoch->target), text);
    }
}

/* Explains what another thread of the rank must do first. */
static void explain_epoch(struct replay *replay, uint32_t rank, const struct trace_call *call, struct explanation *text)
{
    enum call_kind kind = call_kind(call->call);
    bool locks = kind == CALL_LOCK || kind == CALL_LOCK_ALL;
    const struct member *member = replay_member(replay, call, rank);
    int32_t target = kind == CALL_LOCK_ALL ? TRACE_NONE : call->peer;
    uint32_t lock = replay_lock_of_member(replay, rank, (uint32_t)(member - replay->members), target, false);
    const struct all_locks *all = *replay_all_locks(replay, member);
    bool unlocking = all ? all->unlocking : lock != NO_INDEX && replay->lock_epochs[lock].unlocking;
    EXPLAIN(text, " another thread that %s window %d", locks ? "unlocks" : "locks", call->handle);
    if (target != TRACE_NONE) EXPLAIN(text, " on rank %d", target);
    if (all)
        EXPLAIN(text, ", locked by MPI_Win_lock_all of thread %u", all->thread);
    else if (lock != NO_INDEX && (locks || unlocking))
        EXPLAIN(text, ", locked by thread %u", replay->lock_epochs[lock].thread);
}

/* Explains an operation that was issued too late for any call to wait for it. */
static void explain_leftover(struct replay *replay, const struct op *op, const char *cause)
{
    struct explanation text = {.used = 0};
    EXPLAIN(&text, "%s: rank %u never %s",
        op->kind == CALL_COMPLETE ? "its notification never leaves" : "its data never leave",
        replay_is_fenced(op) ? op->origin : op->target, cause);
    replay_report_stopped(replay, op->origin, op->call, &text);
}

enum status replay_find_held(struct replay *replay)
{
    for (size_t i = 0; i < replay->pair_count; i++) {
        const struct pair *pair = &replay->pairs[i];
        if (pair->queue.first == NO_INDEX) continue;
        enum status status = replay_fail(
            replay, pair->origin,
            "access epoch %u towards rank %u on window %d never met an MPI_Win_post: rank %u posted %u times for "
            "this rank",
            replay->ops[pair->queue.first].epoch, pair->target, pair->window, pair->target, pair->exposures);
        explain_leftover(replay, &replay->ops[pair->queue.first], "posts");
        return status;
    }
    for (size_t i = 0; i < replay->member_count; i++) {
        const struct member *member = &replay->members[i];
        if (!replay_holds(replay, member)) continue;
        enum status status = replay_fail(
            replay, member->rank,
            "operations on window %d are held for an MPI_Win_fence that never comes (mpi.rma.issue = deferred)",
            member->window);
        explain_leftover(replay, &replay->ops[replay->held[i].first], "comes to the next MPI_Win_fence");
        return status;
    }
    return STATUS_OK;
}

void replay_explain_rma(struct replay *replay, uint32_t rank, const struct trace_call *call, struct explanation *text)
{
    if (replay_thread_is_outside(&replay->ranks[rank])) {
        explain_epoch(replay, rank, call, text);
        return;
    }
    switch (call_kind(call->call)) {
    case CALL_START:
    case CALL_COMPLETE: explain_posts(replay, replay_member(replay, call, rank), text); break;
    case CALL_PUT:
    case CALL_GET:
    case CALL_ACCUMULATE:
    case CALL_GET_ACCUMULATE: explain_operation(replay, rank, call, text); break;
    case CALL_WIN_WAIT:
    case CALL_WIN_TEST: explain_completes(replay, replay_member(replay, call, rank), text); break;
    case CALL_LOCK:
    case CALL_UNLOCK:
    case CALL_LOCK_ALL:
    case CALL_UNLOCK_ALL:
    case CALL_FLUSH:
    case CALL_FLUSH_LOCAL: explain_locks(replay, rank, call, text); break;
    default: replay_explain_absent(replay, call, text); break;
    }
}
