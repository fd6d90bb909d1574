/* Thread primitives: create, join, mutexes, read-write locks, conditions, barriers and semaphores of the threads of one
 * rank. All are first in, first out, except for readers: they wait for a writer only while it holds the lock. Costs are
 * the platform's `threads`. */
#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"
#include "simulate/replay/gap.h"
#include "simulate/replay/thread.h"
#include "simulate/threads/sync.h"

/* A mutex, spin lock, read-write lock, condition, barrier or semaphore. */
struct sync {
    uint32_t owner, depth; /* mutex, writer: thread, NO_INDEX: free */
    /* semaphore: value; condition: wake-ups for later waits; barrier: threads that have entered; readers */
    uint32_t count;
    uint32_t first, last;  /* threads that wait, first in, first out */
    uint32_t owed;         /* condition: wake-ups given that the recording does not have */
    uint32_t initial;      /* semaphore */
    bool reported;             /* the predicted trace has its first call, which holds the value */
};

enum { PHASE_ENTER, PHASE_ACT, PHASE_QUEUED, PHASE_RETAKE, PHASE_REQUEUED, PHASE_LAST };

/* Finds the object, or makes it when a call first names it. */
static enum status sync_of(struct replay *replay, struct threads *threads, uint32_t object, struct sync **sync)
{
    uint64_t *index;
    TRY(map_put(&threads->names, object, threads->sync_count, &index, replay->err));
    if (*index == threads->sync_count) {
        struct sync made = {.owner = NO_INDEX, .first = NO_INDEX, .last = NO_INDEX};
        ARRAY_PUSH(threads->syncs, threads->sync_count, threads->sync_capacity, made, replay->err);
    }
    *sync = &threads->syncs[*index];
    return STATUS_OK;
}

static struct sync *find_sync(struct threads *threads, uint32_t object)
{
    const uint64_t *index = map_find(&threads->names, object);
    return index ? &threads->syncs[*index] : NULL;
}

static void enqueue_thread(struct threads *threads, struct sync *sync, uint32_t thread)
{
    threads->items[thread].granted = false;
    threads->items[thread].next_waiting = NO_INDEX;
    if (sync->first == NO_INDEX)
        sync->first = thread;
    else
        threads->items[sync->last].next_waiting = thread;
    sync->last = thread;
}

/* Grants the object to the first waiting thread; NO_INDEX: none waits. */
static uint32_t grant_first(const struct replay *replay, struct threads *threads, struct sync *sync)
{
    uint32_t thread = sync->first;
    if (thread == NO_INDEX) return NO_INDEX;
    sync->first = threads->items[thread].next_waiting;
    threads->items[thread].granted = true;
    threads->items[thread].granted_ps = replay->now_ps;
    return thread;
}

/* The loaded thread waited in its call until until_ps for another one. */
static void account_wait(struct replay *replay, uint32_t rank, enum pattern pattern, int64_t until_ps)
{
    int64_t waited_ps = until_ps - replay->ranks[rank].enter_ps;
    if (waited_ps > 0) totals_add(&replay->outcome->totals, pattern, rank, waited_ps);
}

static bool take_mutex(struct threads *threads, struct sync *mutex, uint32_t thread)
{
    if (mutex->owner == thread) { /* a recursive one */
        mutex->depth++;
        return true;
    }
    if (mutex->owner == NO_INDEX) {
        mutex->owner = thread;
        return true;
    }
    enqueue_thread(threads, mutex, thread);
    return false;
}

static enum status release_mutex(struct replay *replay, uint32_t rank, struct sync *mutex)
{
    if (mutex->depth > 0) {
        mutex->depth--;
        return STATUS_OK;
    }
    mutex->owner = grant_first(replay, replay->ranks[rank].threads, mutex);
    return mutex->owner == NO_INDEX ? STATUS_OK : replay_thread_wake(replay, rank, mutex->owner);
}

/* Readers overtake waiting writers, as in glibc with default attributes. */
static bool take_rwlock(struct threads *threads, struct sync *lock, uint32_t thread, bool shared)
{
    bool free = lock->owner == NO_INDEX && (shared || lock->count == 0);
    if (!free) {
        enqueue_thread(threads, lock, thread);
        threads->items[thread].shares = shared;
    } else if (shared) {
        lock->count++;
    } else {
        lock->owner = thread;
    }
    return free;
}

static enum status release_rwlock(struct replay *replay, uint32_t rank, struct sync *lock)
{
    if (lock->owner == replay->ranks[rank].thread)
        lock->owner = NO_INDEX;
    else if (lock->count > 0)
        lock->count--;
    bool free = lock->owner == NO_INDEX && lock->count == 0;
    if (!free) return STATUS_OK;
    /* Gives the free lock to all waiting readers, or else to the first waiting writer. */
    struct threads *threads = replay->ranks[rank].threads;
    struct sync readers = {.first = NO_INDEX}, writers = {.first = NO_INDEX};
    for (uint32_t thread = lock->first, next; thread != NO_INDEX; thread = next) {
        next = threads->items[thread].next_waiting;
        enqueue_thread(threads, threads->items[thread].shares ? &readers : &writers, thread);
        lock->count += threads->items[thread].shares;
    }
    lock->first = writers.first;
    lock->last = writers.last;
    if (readers.first == NO_INDEX) {
        lock->owner = grant_first(replay, threads, lock);
        return lock->owner == NO_INDEX ? STATUS_OK : replay_thread_wake(replay, rank, lock->owner);
    }
    for (uint32_t thread; (thread = grant_first(replay, threads, &readers)) != NO_INDEX;)
        TRY(replay_thread_wake(replay, rank, thread));
    return STATUS_OK;
}

/* Gives one wake-up or unit to the first waiting thread, or keeps it for a later one. */
static enum status give_one(struct replay *replay, uint32_t rank, struct sync *sync)
{
    uint32_t thread = grant_first(replay, replay->ranks[rank].threads, sync);
    if (thread != NO_INDEX) return replay_thread_wake(replay, rank, thread);
    sync->count++;
    return STATUS_OK;
}

static bool take_one(struct threads *threads, struct sync *sync, uint32_t thread)
{
    if (sync->count > 0) {
        sync->count--;
        return true;
    }
    enqueue_thread(threads, sync, thread);
    return false;
}

static enum step thread_created(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    struct rank_state *state = &replay->ranks[rank];
    struct threads *threads = state->threads;
    if (call->primitive.child == TRACE_NO_REF || threads->items[call->primitive.child].ended)
        return replay_exit(state, replay->now_ps);
    uint32_t begin = threads->items[call->primitive.child].first;
    const struct trace_call *first = &state->calls[begin];
    int64_t from_ps = replay->now_ps + replay->thread_costs.start_ps;
    bool begins = call_kind(first->call) == CALL_THREAD_BEGIN;
    int64_t gap_ps = begins ? 0 : first->enter_ps - call->exit_ps;
    STEP_TRY(replay_thread_start(replay, rank, call->primitive.child, from_ps, gap_ps));
    return replay_exit(state, replay->now_ps);
}

static enum step join_thread(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    struct rank_state *state = &replay->ranks[rank];
    if (state->phase == PHASE_LAST) return replay_exit(state, replay->now_ps);
    if (call->primitive.child != TRACE_NO_REF && !state->threads->items[call->primitive.child].ended) {
        state->threads->items[call->primitive.child].joiner = state->thread;
        return STEP_BLOCK;
    }
    account_wait(replay, rank, PATTERN_JOIN_WAIT, replay->now_ps); /* the thread ended just now, or had before */
    return replay_spend(replay, state, replay->thread_costs.join_ps, PHASE_LAST);
}

/* How long a wait that timed out waited before it took the mutex again. A recording has both together; a predicted
 * trace has the second one as blocked time. */
static int64_t timeout_ps(const struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    const struct trace_sim *sim = replay->trace->ranks[rank].sim;
    int64_t blocked_ps = sim ? sim[replay->ranks[rank].next].blocked_ps : 0;
    return call->exit_ps - call->enter_ps - blocked_ps;
}

/* Waits for the wake-up with the mutex released, then takes it again after the threads that wait for it. */
static enum step wait_condition(struct replay *replay, uint32_t rank, const struct trace_call *call, bool woken)
{
    struct rank_state *state = &replay->ranks[rank];
    struct sync *condition, *mutex;
    STEP_TRY(sync_of(replay, state->threads, call->primitive.object, &condition));
    STEP_TRY(sync_of(replay, state->threads, (uint32_t)call->primitive.mutex, &mutex));
    condition = find_sync(state->threads, call->primitive.object); /* the second may have moved the first */
    switch (state->phase) {
    case PHASE_ENTER:
        STEP_TRY(release_mutex(replay, rank, mutex));
        if (!woken) {
            STEP_TRY(replay_set_running(replay, rank, state->thread, false));
            return replay_spend(replay, state, timeout_ps(replay, rank, call), PHASE_RETAKE);
        }
        state->phase = PHASE_QUEUED;
        bool known = state->threads->wakes[state->next] > 0;
        if (known && !take_one(state->threads, condition, state->thread)) return STEP_BLOCK;
        state->threads->items[state->thread].granted = true;
        return STEP_AGAIN;
    case PHASE_QUEUED:
        if (!state->threads->items[state->thread].granted) return STEP_BLOCK;
        return replay_spend(replay, state, replay->thread_costs.lock_ps, PHASE_RETAKE);
    case PHASE_REQUEUED:
        if (!state->threads->items[state->thread].granted) return STEP_BLOCK;
        return replay_exit(state, replay->now_ps);
    default:
        if (take_mutex(state->threads, mutex, state->thread)) return replay_exit(state, replay->now_ps);
        state->phase = PHASE_REQUEUED;
        return STEP_BLOCK;
    }
}

static enum step enter_barrier(struct replay *replay, uint32_t rank, const struct trace_call *call, struct sync *all)
{
    struct rank_state *state = &replay->ranks[rank];
    switch (state->phase) {
    case PHASE_ENTER:
        enqueue_thread(state->threads, all, state->thread);
        state->phase = PHASE_QUEUED;
        if (++all->count < call->primitive.parties) return STEP_BLOCK;
        for (all->count = 0; all->first != NO_INDEX;)
            STEP_TRY(replay_thread_wake(replay, rank, grant_first(replay, state->threads, all)));
        return STEP_AGAIN;
    case PHASE_QUEUED:
        if (!state->threads->items[state->thread].granted) return STEP_BLOCK;
        account_wait(replay, rank, PATTERN_THREAD_BARRIER_WAIT, state->threads->items[state->thread].granted_ps);
        return replay_spend(replay, state, replay->thread_costs.barrier_ps, PHASE_LAST);
    default: return replay_exit(state, replay->now_ps);
    }
}

/* Gives one wake-up, or one to every waiting thread. A recorded wake-up that finds no waiting thread is kept for a
 * later wait, unless a thread was woken that the recording did not wake: each of these uses one. */
static enum step signal_waiters(struct replay *replay, uint32_t rank, struct sync *condition, bool all)
{
    struct rank_state *state = &replay->ranks[rank];
    uint32_t recorded = state->threads->wakes[state->next], given = 0, thread;
    while ((all || given == 0) && (thread = grant_first(replay, state->threads, condition)) != NO_INDEX) {
        STEP_TRY(replay_thread_wake(replay, rank, thread));
        given++;
    }
    for (; given > recorded; given--) condition->owed++;
    for (; given < recorded; given++) {
        if (condition->owed > 0)
            condition->owed--;
        else
            condition->count++;
    }
    return replay_exit(state, replay->now_ps);
}

/* The cost of the call before it acts. */
static int64_t cost_of(const struct replay *replay, enum call_kind kind)
{
    if (kind == CALL_THREAD_CREATE) return replay->thread_costs.create_ps;
    switch (call_kind_rows[kind].does) {
    case CALL_TAKES:
    case CALL_SHARES: return replay->thread_costs.lock_ps;
    case CALL_GIVES: return replay->thread_costs.unlock_ps;
    default: return 0;
    }
}

/* Takes or gives the object. A thread that does not get it at once waits until it is granted. */
static enum step act_on(struct replay *replay, uint32_t rank, enum call_kind kind, struct sync *sync)
{
    const struct call_kind_row *row = &call_kind_rows[kind];
    struct rank_state *state = &replay->ranks[rank];
    struct threads *threads = state->threads;
    bool gives = row->does == CALL_GIVES, taken = true;
    if (state->phase == PHASE_QUEUED) {
        if (!threads->items[state->thread].granted) return STEP_BLOCK;
        enum pattern pattern =
            row->works_on == OBJECT_SEMAPHORE ? PATTERN_SEMAPHORE_WAIT : PATTERN_THREAD_LOCK_CONTENTION;
        bool waited = replay->now_ps > state->enter_ps + state->busy_ps; /* it was not granted at once */
        if (waited) account_wait(replay, rank, pattern, replay->now_ps);
        return replay_exit(state, replay->now_ps);
    }
    switch (row->works_on) {
    case OBJECT_CONDITION: return signal_waiters(replay, rank, sync, kind == CALL_COND_BROADCAST);
    case OBJECT_SEMAPHORE:
        if (gives)
            STEP_TRY(give_one(replay, rank, sync));
        else
            taken = take_one(threads, sync, state->thread);
        break;
    case OBJECT_RWLOCK:
        if (gives)
            STEP_TRY(release_rwlock(replay, rank, sync));
        else
            taken = take_rwlock(threads, sync, state->thread, row->does == CALL_SHARES);
        break;
    default:
        if (gives)
            STEP_TRY(release_mutex(replay, rank, sync));
        else
            taken = take_mutex(threads, sync, state->thread);
    }
    if (taken) return replay_exit(state, replay->now_ps);
    state->phase = PHASE_QUEUED;
    return STEP_BLOCK;
}

static enum step step_thread(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    enum call_kind kind = call_kind(call->call);
    bool tries = call_row(call->call)->needed & F_FLAG, failed = tries && !(call->flags & TRACE_FLAG);
    struct sync *sync = NULL;
    switch (kind) {
    case CALL_THREAD_BEGIN:
    case CALL_THREAD_END: return replay_exit(state, replay->now_ps);
    case CALL_THREAD_JOIN: return join_thread(replay, rank, call);
    case CALL_COND_WAIT:
    case CALL_COND_TIMEDWAIT: return wait_condition(replay, rank, call, !failed);
    default: break;
    }
    if (state->phase == PHASE_ENTER && kind != CALL_THREAD_BARRIER)
        return replay_spend(replay, state, cost_of(replay, kind), PHASE_ACT);
    if (kind == CALL_THREAD_CREATE) return thread_created(replay, rank, call);
    if (failed) return replay_exit(state, replay->now_ps);
    STEP_TRY(sync_of(replay, state->threads, call->primitive.object, &sync));
    return kind == CALL_THREAD_BARRIER ? enter_barrier(replay, rank, call, sync) : act_on(replay, rank, kind, sync);
}

/* --- what the recording says of conditions and semaphores --- */

static bool waits_on(const struct trace_call *call, uint32_t object)
{
    enum call_kind kind = call_kind(call->call);
    bool waits = kind == CALL_COND_WAIT || (kind == CALL_COND_TIMEDWAIT && (call->flags & TRACE_FLAG));
    return waits && call->primitive.object == object;
}

/* Waits of one rank that may not be over, in the order of their calls. */
struct open_waits {
    uint32_t *items;
    size_t count;
};

/* The wait on the condition that was under way at the signal and ended first; NO_INDEX: none. Drops waits that are
 * over. */
static uint32_t take_woken(const struct rank_state *state, struct open_waits *open, const struct trace_call *signal)
{
    size_t kept = 0, found = SIZE_MAX;
    for (size_t i = 0; i < open->count; i++) {
        const struct trace_call *call = &state->calls[open->items[i]];
        if (call->exit_ps < signal->enter_ps) continue;
        bool first = found == SIZE_MAX || call->exit_ps < state->calls[open->items[found]].exit_ps;
        open->items[kept] = open->items[i];
        if (waits_on(call, signal->primitive.object) && first) found = kept;
        kept++;
    }
    open->count = kept;
    if (found == SIZE_MAX) return NO_INDEX;
    uint32_t woken = open->items[found];
    open->count--;
    for (size_t i = found; i < open->count; i++) open->items[i] = open->items[i + 1];
    return woken;
}

/* A moment at which a wait begins, a signal wakes, or a unit is given or taken. */
struct moment {
    int64_t time_ps;
    uint32_t call;
    int8_t order; /* at equal times */
};

ORDER(compare_moments, struct moment, UP(time_ps) UP(order) UP(call))

/* Finds these in the order of time. Waits count by their enter. Signals count when they wake: at their exit in a
 * predicted trace, else not after the thread that is woken. Posts of a semaphore count by their enter, the calls that
 * took a unit by their exit. */
static struct moment *find_moments(const struct replay *replay, const struct rank_state *state, size_t *count)
{
    struct moment *all = malloc((state->count + 1) * sizeof *all);
    *count = 0;
    for (uint32_t i = 0; all && i < state->count; i++) {
        const struct trace_call *call = &state->calls[i];
        enum call_kind kind = call_kind(call->call);
        bool tries = call_row(call->call)->needed & F_FLAG, failed = tries && !(call->flags & TRACE_FLAG);
        bool signals = kind == CALL_COND_SIGNAL || kind == CALL_COND_BROADCAST;
        bool takes = call_works_on(kind, OBJECT_SEMAPHORE) && call_kind_rows[kind].does == CALL_TAKES && !failed;
        if (!waits_on(call, call->primitive.object) && !signals && !takes && kind != CALL_SEM_POST) continue;
        bool at_exit = takes || (signals && replay->trace->provenance.simulated);
        all[(*count)++] = (struct moment){at_exit ? call->exit_ps : call->enter_ps, i, signals || takes};
    }
    if (all) qsort(all, *count, sizeof *all, compare_moments);
    return all;
}

static enum status find_wakes(struct replay *replay, const struct rank_state *state, struct threads *threads,
                              const struct moment *moments, size_t count)
{
    struct open_waits open = {.items = malloc((threads->count + 1) * sizeof *open.items)};
    if (!open.items) return err_memory(replay->err);
    for (size_t m = 0; m < count; m++) {
        uint32_t i = moments[m].call, woken;
        const struct trace_call *call = &state->calls[i];
        enum call_kind kind = call_kind(call->call);
        struct trace_call now = {.enter_ps = moments[m].time_ps, .any = TRACE_NO_MEMBERS};
        if (waits_on(call, call->primitive.object)) {
            take_woken(state, &open, &now); /* drops what is over: a thread waits once */
            if (open.count < threads->count) open.items[open.count++] = i;
        }
        if (kind != CALL_COND_SIGNAL && kind != CALL_COND_BROADCAST) continue;
        uint32_t most = kind == CALL_COND_SIGNAL ? 1 : UINT32_MAX;
        now.primitive.object = call->primitive.object;
        while (threads->wakes[i] < most && (woken = take_woken(state, &open, &now)) != NO_INDEX) {
            threads->wakes[woken] = 1;
            threads->wakes[i]++;
        }
    }
    free(open.items);
    return STATUS_OK;
}

/* The initial value of a semaphore as recorded. If it is unknown: the least value that lets every wait end when it
 * did. */
static enum status find_values(struct replay *replay, const struct rank_state *state, struct threads *threads,
                               const struct moment *moments, size_t count)
{
    struct sync *semaphore;
    for (uint32_t i = 0; i < state->count; i++) {
        const struct trace_call *call = &state->calls[i];
        enum call_kind kind = call_kind(call->call);
        if (!call_works_on(kind, OBJECT_SEMAPHORE) || find_sync(threads, call->primitive.object)) continue;
        TRY(sync_of(replay, threads, call->primitive.object, &semaphore));
        int64_t value = 0, least = 0;
        for (size_t m = 0; m < count && call->primitive.value < 0; m++) {
            const struct trace_call *other = &state->calls[moments[m].call];
            enum call_kind what = call_kind(other->call);
            if (!call_works_on(what, OBJECT_SEMAPHORE) || other->primitive.object != call->primitive.object) continue;
            value += what == CALL_SEM_POST ? 1 : -1;
            if (value < least) least = value;
        }
        semaphore->count = semaphore->initial = (uint32_t)(call->primitive.value >= 0 ? call->primitive.value : -least);
    }
    return STATUS_OK;
}

static enum status prepare_sync(struct replay *replay)
{
    for (uint32_t rank = 0; rank < replay->trace->rank_count; rank++) {
        const struct rank_state *state = &replay->ranks[rank];
        size_t count;
        if (!state->threads) continue;
        struct moment *moments = find_moments(replay, state, &count);
        if (!moments) return err_memory(replay->err);
        enum status status = find_wakes(replay, state, state->threads, moments, count);
        if (status == STATUS_OK) status = find_values(replay, state, state->threads, moments, count);
        free(moments);
        TRY(status);
    }
    return STATUS_OK;
}

static enum status keep_all_values(struct replay *replay)
{
    for (uint32_t rank = 0; replay->made && rank < replay->trace->rank_count; rank++) {
        struct trace_rank *made = &replay->made->trace->ranks[rank];
        if (replay->ranks[rank].threads) {
            for (size_t i = 0; i < made->count; i++) {
                enum call_kind kind = call_kind(made->calls[i].call);
                if (!call_works_on(kind, OBJECT_SEMAPHORE)) continue;
                struct sync *semaphore = find_sync(replay->ranks[rank].threads, made->calls[i].primitive.object);
                made->calls[i].primitive.value = semaphore->reported ? -1 : (int64_t)semaphore->initial;
                semaphore->reported = true;
            }
        }
    }
    return STATUS_OK;
}

static bool nodes_are_apart(const struct replay *replay)
{
    for (uint32_t rank = 0; rank < replay->trace->rank_count; rank++)
        if (replay->ranks[rank].threads) return false; /* its threads wake each other at once */
    return true;
}

static void explain_wait(struct replay *replay, uint32_t rank, const struct trace_call *call, struct explanation *text)
{
    struct threads *threads = replay->ranks[rank].threads;
    const struct sync *sync = find_sync(threads, call->primitive.object);
    long long parties = call->primitive.parties, here = sync ? sync->count : 0;
    switch (call_kind(call->call)) {
    case CALL_THREAD_JOIN: EXPLAIN(text, " the end of thread %u", call->primitive.child); break;
    case CALL_COND_WAIT:
    case CALL_COND_TIMEDWAIT:
        EXPLAIN(text, " a signal of condition %u, then mutex %lld", call->primitive.object, parties);
        break;
    case CALL_THREAD_BARRIER:
        EXPLAIN(text, " %lld more threads at barrier %u", parties - here, call->primitive.object);
        break;
    case CALL_SEM_WAIT:
    case CALL_SEM_TRYWAIT:
    case CALL_SEM_TIMEDWAIT: EXPLAIN(text, " a sem_post of semaphore %u", call->primitive.object); break;
    default:
        EXPLAIN(text, " %s %u", call_works_on(call_kind(call->call), OBJECT_RWLOCK) ? "read-write lock" : "mutex",
                call->primitive.object);
        if (sync && sync->owner != NO_INDEX && sync->owner < threads->count)
            EXPLAIN(text, ", held by thread %u", sync->owner);
    }
}

static const struct call_step steps[] = {{CALL_THREAD_BEGIN, CALL_SEM_POST, .step = step_thread},
                                         {CALL_MUTEX_TIMEDLOCK, .step = step_thread, .traits = CALL_TESTS},
                                         {CALL_SEM_TIMEDWAIT, .step = step_thread, .traits = CALL_TESTS},
                                         {CALL_TIMEDRDLOCK, .step = step_thread, .traits = CALL_TESTS},
                                         {CALL_TIMEDWRLOCK, .step = step_thread, .traits = CALL_TESTS},
                                         {0}};

static const struct timer_row timers[] = {{TIMER_THREAD, replay_rank_of_thread, replay_on_thread_resumes},
                                          {TIMER_POLL, replay_rank_of_thread, replay_on_thread_poll},
                                          {0}};

const struct call_driver threads_driver = {
    .name = "threads",
    .steps = steps,
    .timers = timers,
    .prepare = prepare_sync,
    .finish = keep_all_values,
    .nodes_are_apart = nodes_are_apart,
    .explain_wait = explain_wait,
};
