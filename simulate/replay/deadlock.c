/* When nothing moves any more but ranks are left: who waits for whom. */
#include <inttypes.h>
#include <stdio.h>

#include "simulate/replay/collective_matching.h"
#include "simulate/shmem/shmem.h"
#include "simulate/threads/thread.h"

enum { TEXT_BYTES = 640, WAITERS_SHOWN = 4 };

/* named: how many things the waiter at hand waits for, of which WAITERS_SHOWN are shown. */
struct text {
    char bytes[TEXT_BYTES];
    size_t used;
    uint32_t named;
};

#define ADD(text, ...)                                                                                                 \
    do {                                                                                                               \
        int added_ = snprintf((text)->bytes + (text)->used, TEXT_BYTES - (text)->used, __VA_ARGS__);                   \
        (text)->used += added_ > 0 ? (size_t)added_ : 0;                                                               \
        if ((text)->used >= TEXT_BYTES) (text)->used = TEXT_BYTES - 1;                                                 \
    } while (0)

/* One of the things that the waiter at hand waits for. */
#define NAME(text, ...)                                                                                                \
    do {                                                                                                               \
        if ((text)->named++ < WAITERS_SHOWN) {                                                                         \
            ADD(text, "%s", (text)->named > 1 ? " and" : "");                                                          \
            ADD(text, __VA_ARGS__);                                                                                    \
        }                                                                                                              \
    } while (0)

static void name_posts(struct replay *replay, const struct member *member, struct text *text)
{
    for (uint32_t i = 0; i < member->access.pair_count; i++) {
        const struct pair *pair = &replay->pairs[role_pairs(&member->access)[i]];
        if (pair->awaited_before) NAME(text, " MPI_Win_post of rank %u", pair->target);
    }
    if (text->named > 0) return;
    for (uint32_t i = 0; i < member->access.pair_count; i++) {
        const struct pair *pair = &replay->pairs[role_pairs(&member->access)[i]];
        if (!replay_pair_ready(member, pair)) NAME(text, " MPI_Win_post of rank %u", pair->target);
    }
    for (uint32_t i = 0; text->named == 0 && i < member->access.pair_count; i++) {
        const struct pair *pair = &replay->pairs[role_pairs(&member->access)[i]];
        if (pair->data_issued > 0) NAME(text, " its operations on rank %u", pair->target);
    }
}

/* A put that waits for room waits for the posts of those whose data fill the buffer. */
static void name_buffered(struct replay *replay, uint32_t rank, const struct trace_call *call, struct text *text)
{
    ADD(text, " room for %lld bytes in its buffer, where data wait for", (long long)call->bytes);
    for (size_t i = 0; i < replay->pair_count; i++) {
        const struct pair *pair = &replay->pairs[i];
        if (pair->origin == rank && pair->queue_first != NO_INDEX) NAME(text, " MPI_Win_post of rank %u", pair->target);
    }
}

static void name_operation(struct replay *replay, uint32_t rank, const struct trace_call *call, struct text *text)
{
    enum call_kind kind = call_kind(call->call);
    bool puts = kind == CALL_PUT || kind == CALL_ACCUMULATE;
    enum rma_kind as = kind == CALL_PUT ? RMA_PUT : kind == CALL_ACCUMULATE ? RMA_ACCUMULATE : RMA_GET;
    const struct rma_semantics *semantics = replay->modes[call->handle].semantics;
    const struct member *member = replay_member(replay, call, rank);
    const struct pair *pair = replay_open_pair(replay, member, call->peer);
    if (puts && semantics_waits(semantics, as, call->bytes) == WAITS_NEVER)
        name_buffered(replay, rank, call, text);
    else if (pair && !semantics_waits_for_group(semantics, as, call->bytes))
        NAME(text, " MPI_Win_post of rank %u", pair->target);
    else
        name_posts(replay, member, text);
}

static void name_completes(struct replay *replay, const struct member *member, struct text *text)
{
    for (uint32_t i = 0; i < member->exposure.pair_count; i++) {
        const struct pair *pair = &replay->pairs[role_pairs(&member->exposure)[i]];
        if (pair->epochs_done < pair->exposures) NAME(text, " MPI_Win_complete of rank %u", pair->origin);
    }
}

/* Ranks of the communicator that are not in the same call. */
static void name_absent(struct replay *replay, const struct trace_call *call, struct text *text)
{
    const struct trace_comm *comm = trace_call_comm(replay->trace, call);
    if (!comm) comm = &replay->trace->comms[0];
    for (uint32_t i = 0; i < comm->count; i++) {
        const struct rank_state *other = &replay->ranks[comm->members[i]];
        bool here = other->next < other->count && other->calls[other->next].call == call->call &&
                    other->calls[other->next].handle == call->handle;
        if (!here) NAME(text, " %s of rank %d", call_name(call->call), comm->members[i]);
    }
}

static void name_holders(struct replay *replay, uint32_t rank, uint32_t target, struct text *text)
{
    for (uint32_t other = 0; other < replay->trace->rank_count; other++) {
        uint32_t lock = replay->ranks[other].lock_list;
        for (; lock != NO_INDEX; lock = replay->lock_epochs[lock].next) {
            const struct lock_epoch *epoch = &replay->lock_epochs[lock];
            uint32_t held = replay_member_index(replay, replay->members[epoch->member].window, epoch->target);
            if (other != rank && held == target && epoch->granted && !epoch->nocheck)
                ADD(text, ", held by rank %u", other);
        }
    }
    const struct member *member = &replay->members[target];
    const struct trace_comm *comm = replay_comm_of(replay, member);
    uint32_t first = replay->windows[member->window].first_member;
    for (uint32_t i = 0; i < comm->count; i++) {
        const struct all_locks *all = replay->members[first + i].all;
        uint32_t lock = all ? all->locks[target - first] : NO_INDEX;
        if ((uint32_t)comm->members[i] != rank && lock != NO_INDEX && replay->lock_epochs[lock].granted)
            ADD(text, ", held by MPI_Win_lock_all of rank %d", comm->members[i]);
    }
}

/* Locks that are not granted, operations that are not complete. */
static void name_locks(struct replay *replay, uint32_t rank, const struct trace_call *call, struct text *text)
{
    uint32_t lock;
    for (uint32_t i = 0; replay_lock_at(replay, rank, call, i, &lock); i++) {
        if (lock == NO_INDEX) continue;
        const struct lock_epoch *epoch = &replay->lock_epochs[lock];
        if (epoch->releasing && !epoch->answered)
            NAME(text, " rank %u to know that window %d is unlocked", epoch->target, call->handle);
        if (epoch->granted && epoch->outstanding == 0) continue;
        NAME(text, " %s window %d on rank %u", epoch->granted ? "its operations on" : "the lock of", call->handle,
             epoch->target);
        if (!epoch->granted && text->named <= WAITERS_SHOWN)
            name_holders(replay, rank, replay_member_index(replay, call->handle, epoch->target), text);
    }
}

/* Calls like this one, on the same communicator or window, up to and with calls[last]. */
static size_t count_like(const struct rank_state *state, const struct trace_call *like, size_t last)
{
    size_t found = 0;
    for (size_t i = 0; i <= last && i < state->count; i++)
        found += state->calls[i].call == like->call && state->calls[i].handle == like->handle;
    return found;
}

/* The call that made a request; of a collective one, the ranks that have not come to it. */
static void name_operation_of(struct replay *replay, const struct rank_state *state, size_t made, struct text *text)
{
    const struct trace_call *call = &state->calls[made];
    bool on_window = call_row(call->call)->needed & F_WIN;
    const struct trace_comm *comm = on_window ? NULL : trace_call_comm(replay->trace, call);
    NAME(text, " the %s of event %zu", call_name(call->call), made + 1);
    size_t number = count_like(state, call, made);
    for (uint32_t i = 0, shown = 0; comm && i < comm->count && shown < WAITERS_SHOWN; i++) {
        const struct rank_state *other = &replay->ranks[comm->members[i]];
        if (other->threads || count_like(other, call, other->next) >= number) continue;
        ADD(text, "%s %s of rank %d", shown++ ? "," : ", which lacks", call_name(call->call), comm->members[i]);
    }
}

static void name_requests(struct replay *replay, const struct rank_state *state, const struct trace_call *call,
                          struct text *text)
{
    enum call_kind waits = call_kind(call->call);
    bool several = waits == CALL_REQUEST_WAITALL || waits == CALL_REQUEST_TESTALL;
    const struct trace_list *list = several ? &replay->trace->lists[call->ref] : NULL;
    uint32_t count = list ? list->count : 1;
    for (uint32_t i = 0; i < count && text->named < WAITERS_SHOWN; i++) {
        uint32_t id = list ? replay->trace->requests[list->first + i] : call->ref;
        uint32_t index = replay_request_index(replay, state, id);
        if (index >= REQUEST_GONE || replay->requests[index].done) continue;
        for (size_t c = state->next; c-- > 0;) { /* the call that made the request */
            const struct trace_call *made = &state->calls[c];
            enum call_kind kind = call_kind(made->call);
            if (!call_makes_request(made->call) || made->ref != id) continue;
            if (kind == CALL_ISEND || kind == CALL_IRECV)
                NAME(text, " %s rank %d (tag %d)", kind == CALL_IRECV ? "a send of" : "a receive of", made->peer,
                     made->tag);
            else
                name_operation_of(replay, state, c, text);
            break;
        }
    }
}

static void name_mutex(const struct threads *threads, uint32_t object, const struct sync *mutex, struct text *text)
{
    ADD(text, " mutex %u", object);
    if (mutex && mutex->owner != NO_INDEX && mutex->owner < threads->count)
        ADD(text, ", held by thread %u", mutex->owner);
}

static void name_sync(const struct rank_state *state, const struct trace_call *call, struct text *text)
{
    struct threads *threads = state->threads;
    const struct sync *sync = replay_sync(threads, call->ref);
    long long parties = call->aux, here = sync ? sync->count : 0;
    switch (call_kind(call->call)) {
    case CALL_THREAD_JOIN: ADD(text, " the end of thread %u", call->ref); break;
    case CALL_COND_WAIT:
    case CALL_COND_TIMEDWAIT: ADD(text, " a signal of condition %u, then mutex %lld", call->ref, parties); break;
    case CALL_THREAD_BARRIER: ADD(text, " %lld more threads at barrier %u", parties - here, call->ref); break;
    case CALL_SEM_WAIT:
    case CALL_SEM_TRYWAIT:
    case CALL_SEM_TIMEDWAIT: ADD(text, " a sem_post of semaphore %u", call->ref); break;
    default: name_mutex(threads, call->ref, sync, text); break;
    }
}

static void name_shmem(const struct replay *replay, uint32_t rank, const struct trace_call *call, struct text *text)
{
    enum call_kind kind = call_kind(call->call);
    bool write = kind == CALL_SHMEM_WAIT || kind == CALL_SHMEM_TEST;
    const struct watch *watch = write ? replay_shmem_watch(replay, rank) : NULL;
    bool locks = call_row(call->call)->needed & F_OBJECT;
    const struct shmem_lock *lock = locks ? replay_shmem_lock(replay, call->ref) : NULL;
    if (watch)
        ADD(text, " the write of rank %u (event %zu)", watch->origin, watch->call + 1);
    else if (lock && lock->holder != NO_INDEX)
        ADD(text, " lock %u, held by rank %u", call->ref, lock->holder);
    else
        ADD(text, " its operations");
}

/* What another thread of the rank must do first. */
static void name_epoch(struct replay *replay, uint32_t rank, const struct trace_call *call, struct text *text)
{
    enum call_kind kind = call_kind(call->call);
    bool locks = kind == CALL_LOCK || kind == CALL_LOCK_ALL;
    const struct member *member = replay_member(replay, call, rank);
    int32_t target = kind == CALL_LOCK_ALL ? TRACE_NONE : call->peer;
    uint32_t lock = replay_lock_of_member(replay, rank, (uint32_t)(member - replay->members), target, false);
    bool unlocking = member->all ? member->all->unlocking : lock != NO_INDEX && replay->lock_epochs[lock].unlocking;
    ADD(text, " another thread that %s window %d", locks ? "unlocks" : "locks", call->handle);
    if (target != TRACE_NONE) ADD(text, " on rank %d", target);
    if (member->all)
        ADD(text, ", locked by MPI_Win_lock_all of thread %u", member->all->thread);
    else if (lock != NO_INDEX && (locks || unlocking))
        ADD(text, ", locked by thread %u", replay->lock_epochs[lock].thread);
}

static void name_cause(struct replay *replay, uint32_t rank, struct text *text)
{
    const struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    uint32_t turn = replay_turn_awaited(replay, rank);
    if (turn != NO_INDEX) {
        ADD(text, " %s of thread %u (event %" PRIu64 ")", call_name(state->calls[turn].call),
            trace_call_thread(replay->trace, rank, turn), trace_event(replay->trace, rank, turn));
        return;
    }
    if (replay_thread_lacks_epoch(state)) {
        name_epoch(replay, rank, call, text);
        return;
    }
    switch (call_kind(call->call)) {
    case CALL_START:
    case CALL_COMPLETE: name_posts(replay, replay_member(replay, call, rank), text); break;
    case CALL_PUT:
    case CALL_GET:
    case CALL_ACCUMULATE:
    case CALL_GET_ACCUMULATE: name_operation(replay, rank, call, text); break;
    case CALL_WIN_WAIT:
    case CALL_WIN_TEST: name_completes(replay, replay_member(replay, call, rank), text); break;
    case CALL_LOCK:
    case CALL_UNLOCK:
    case CALL_LOCK_ALL:
    case CALL_UNLOCK_ALL:
    case CALL_FLUSH:
    case CALL_FLUSH_LOCAL: name_locks(replay, rank, call, text); break;
    case CALL_SEND: ADD(text, " a receive of rank %d (tag %d)", call->peer, call->tag); break;
    case CALL_SENDRECV:
        ADD(text, " a receive of rank %d (tag %d) or a send of rank %d (tag %d)", call->peer, call->tag,
            trace_call_source(call), trace_call_recv_tag(call));
        break;
    case CALL_PROBE:
    case CALL_IPROBE:
    case CALL_RECV: ADD(text, " a send of rank %d (tag %d)", call->peer, call->tag); break;
    case CALL_REQUEST_WAIT:
    case CALL_REQUEST_WAITALL:
    case CALL_REQUEST_TEST:
    case CALL_REQUEST_TESTALL: name_requests(replay, state, call, text); break;
    default:
        if (call_is_shmem(call->call) && (call_row(call->call)->allowed & F_WIN))
            name_shmem(replay, rank, call, text);
        else if (state->threads && call_kind(call->call) >= CALL_THREAD_BEGIN && call_kind(call->call) <= CALL_SEM_POST)
            name_sync(state, call, text);
        else
            name_absent(replay, call, text);
        break;
    }
}

/* Every thread of the rank that waits; of a rank without threads it is the only one. */
static void name_waiting(struct replay *replay, uint32_t rank, uint32_t *waiting, struct text *text)
{
    struct rank_state *state = &replay->ranks[rank];
    for (uint32_t t = 0; t < (state->threads ? state->threads->count : 1); t++) {
        if (state->threads) replay_thread_load(replay, rank, t);
        if (state->threads ? state->status != RANK_BLOCKED : state->status == RANK_COMPUTING) continue;
        if (++*waiting > WAITERS_SHOWN) continue;
        const struct trace_call *call = &state->calls[state->next];
        ADD(text, "%s rank %u", *waiting > 1 ? ";" : "", rank);
        if (state->threads) ADD(text, " thread %u", t);
        ADD(text, " in %s (event %zu) waits for", call_name(call->call), state->next + 1);
        text->named = 0;
        size_t before = text->used;
        name_cause(replay, rank, text);
        if (text->used == before) ADD(text, " its time to pass");
        if (text->named > WAITERS_SHOWN) ADD(text, " and %u more", text->named - WAITERS_SHOWN);
    }
}

/* Returns the first rank that waits. */
static uint32_t name_all_waiting(struct replay *replay, struct text *text)
{
    uint32_t first = NO_INDEX, waiting = 0;
    for (uint32_t rank = 0; rank < replay->trace->rank_count; rank++) {
        struct rank_state *state = &replay->ranks[rank];
        if (state->threads ? state->threads->left == 0 : state->status == RANK_DONE) continue;
        if (first == NO_INDEX) first = rank;
        name_waiting(replay, rank, &waiting, text);
    }
    if (waiting > WAITERS_SHOWN) ADD(text, "; %u more wait", waiting - WAITERS_SHOWN);
    return first;
}

/* What is said of the rank is said of its first thread that waits. */
static void load_waiting(struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    if (!state->threads) return;
    for (uint32_t t = 0; t < state->threads->count; t++) {
        replay_thread_load(replay, rank, t);
        if (state->status == RANK_BLOCKED) return;
    }
}

void replay_describe_waiting(struct replay *replay, char *text, size_t room)
{
    struct text waiting = {.used = 0};
    name_all_waiting(replay, &waiting);
    snprintf(text, room, "%s", waiting.bytes);
}

/* Of a rank with several threads, the first call that one of them waits in. */
static void tell_stop(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    struct text cause = {.used = 0};
    size_t call = SIZE_MAX;
    for (uint32_t t = 0; t < (state->threads ? state->threads->count : 1); t++) {
        if (state->threads) replay_thread_load(replay, rank, t);
        if (state->status != RANK_BLOCKED || state->next >= call) continue;
        call = state->next;
        cause = (struct text){.used = 0};
        ADD(&cause, "never returns: it waits for");
        size_t before = cause.used;
        name_cause(replay, rank, &cause);
        if (cause.used == before) ADD(&cause, " what never comes");
    }
    if (call == SIZE_MAX) return;
    replay->options->stopped(replay->options->stopped_context, rank, call, cause.bytes);
}

static void tell_stops(struct replay *replay)
{
    for (uint32_t rank = 0; replay->options->stopped && rank < replay->trace->rank_count; rank++) {
        const struct rank_state *state = &replay->ranks[rank];
        if (state->threads ? state->threads->left > 0 : state->status != RANK_DONE) tell_stop(replay, rank);
    }
}

/* An operation that was let go too late to be waited for. */
static void tell_leftover(struct replay *replay, const struct op *op, const char *cause)
{
    struct text text = {.used = 0};
    if (!replay->options->stopped) return;
    ADD(&text, "%s: rank %u never %s",
        op->kind == CALL_COMPLETE ? "its notification never leaves" : "its data never leave",
        op->epoch_kind == OP_FENCE ? op->origin : op->target, cause);
    replay->options->stopped(replay->options->stopped_context, op->origin, op->call, text.bytes);
}

enum status replay_report_deadlock(struct replay *replay)
{
    struct text text = {.used = 0};
    uint32_t first = name_all_waiting(replay, &text);
    for (uint32_t rank = 0; rank < replay->trace->rank_count; rank++)
        if (replay->ranks[rank].status == RANK_BLOCKED) TRY(replay_check_fence(replay, rank));
    for (uint32_t rank = 0, shown = 0; rank < replay->trace->rank_count && shown < WAITERS_SHOWN; rank++) {
        const struct trace_rank *stream = &replay->trace->ranks[rank];
        if (!stream->incomplete) continue;
        ADD(&text, "; the stream of rank %u breaks off after event %zu", rank, stream->count);
        if (stream->incomplete_why) ADD(&text, " (%s)", stream->incomplete_why);
        shown++;
    }
    if (replay_sizes_differ(replay)) ADD(&text, "; %s", replay_sizes_differ(replay));
    load_waiting(replay, first);
    enum status status = replay_fail(replay, first, "deadlock:%s", text.bytes);
    tell_stops(replay); /* behind all that looks at the trace */
    return status;
}

enum status replay_report_leftovers(struct replay *replay)
{
    for (size_t i = 0; i < replay->pair_count; i++) {
        const struct pair *pair = &replay->pairs[i];
        if (pair->queue_first == NO_INDEX) continue;
        enum status status = replay_fail(
            replay, pair->origin,
            "access epoch %u towards rank %u on window %d never met an MPI_Win_post: rank %u posted %u times for "
            "this rank",
            replay->ops[pair->queue_first].epoch, pair->target, pair->window, pair->target, pair->exposures);
        tell_leftover(replay, &replay->ops[pair->queue_first], "posts");
        return status;
    }
    for (size_t i = 0; i < replay->member_count; i++) {
        const struct member *member = &replay->members[i];
        if (member->held_first == NO_INDEX) continue;
        enum status status = replay_fail(
            replay, member->rank,
            "operations on window %d are held for an MPI_Win_fence that never comes (mpi.rma.issue = deferred)",
            member->window);
        tell_leftover(replay, &replay->ops[member->held_first], "comes to the next MPI_Win_fence");
        return status;
    }
    return STATUS_OK;
}
