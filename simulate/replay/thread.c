/* Threads of a rank: which one is loaded, when each begins, which one is woken. */
#include "simulate/replay/thread.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "simulate/replay/core.h"
#include "simulate/replay/driver.h"
#include "simulate/replay/gap.h"
#include "simulate/replay/message.h"

struct thread_name {
    uint32_t rank, thread;
};

#define WALK_BYTES offsetof(struct rank_state, calls)

void replay_thread_load(struct replay *replay, uint32_t rank, uint32_t thread)
{
    struct rank_state *state = &replay->ranks[rank];
    if (state->thread == thread) return;
    memcpy(&state->threads->items[state->thread].walk, state, WALK_BYTES);
    memcpy(state, &state->threads->items[thread].walk, WALK_BYTES);
}

struct rank_state *replay_thread_walk(struct replay *replay, uint32_t rank, uint32_t thread)
{
    struct rank_state *state = &replay->ranks[rank];
    return !state->threads || state->thread == thread ? state : &state->threads->items[thread].walk;
}

enum status replay_thread_start(struct replay *replay, uint32_t rank, uint32_t thread, int64_t from_ps, int64_t gap_ps)
{
    struct rank_state *walk = replay_thread_walk(replay, rank, thread);
    uint32_t first = replay->ranks[rank].threads->items[thread].first;
    int64_t at_ps;
    walk->status = RANK_COMPUTING;
    TRY(replay_begin_gap(replay, rank, thread, from_ps, first, gap_ps, &at_ps));
    if (at_ps == GAP_LATER) return STATUS_OK;
    return replay_timer(replay, at_ps, rank, TIMER_THREAD, replay->ranks[rank].threads->first_id + thread);
}

static void advance_thread(struct replay *replay, uint32_t rank, uint32_t thread)
{
    struct threads *threads = replay->ranks[rank].threads;
    replay_thread_load(replay, rank, thread);
    threads->running = true;
    replay_advance(replay, rank);
    threads->running = false;
}

enum status replay_thread_wake(struct replay *replay, uint32_t rank, uint32_t thread)
{
    struct threads *threads = replay->ranks[rank].threads;
    struct thread *item = &threads->items[thread];
    if (replay_thread_walk(replay, rank, thread)->status != RANK_BLOCKED || item->polls) return STATUS_OK;
    if (!threads->running) {
        advance_thread(replay, rank, thread);
        return STATUS_OK;
    }
    item->polls = true;
    return replay_timer(replay, replay->now_ps, rank, TIMER_POLL, threads->first_id + thread);
}

enum status replay_threads_wake(struct replay *replay, uint32_t rank)
{
    for (uint32_t i = 0; i < replay->ranks[rank].threads->count; i++) TRY(replay_thread_wake(replay, rank, i));
    return STATUS_OK;
}

uint32_t replay_rank_of_thread(const struct replay *replay, uint32_t id)
{
    return core_of(replay)->thread_names[id].rank;
}

enum status replay_on_thread_resumes(struct replay *replay, uint32_t id)
{
    advance_thread(replay, core_of(replay)->thread_names[id].rank, core_of(replay)->thread_names[id].thread);
    return STATUS_OK;
}

enum status replay_on_gap(struct replay *replay, uint32_t timeline)
{
    uint32_t rank = replay_rank_of_gap(replay, timeline), thread;
    bool ends;
    TRY(replay_change_gap(replay, timeline, &ends, &thread));
    if (ends && replay->ranks[rank].threads)
        advance_thread(replay, rank, thread);
    else if (ends)
        replay_advance(replay, rank);
    return STATUS_OK;
}

enum status replay_on_thread_poll(struct replay *replay, uint32_t id)
{
    uint32_t rank = core_of(replay)->thread_names[id].rank, thread = core_of(replay)->thread_names[id].thread;
    replay->ranks[rank].threads->items[thread].polls = false;
    if (replay_thread_walk(replay, rank, thread)->status == RANK_BLOCKED) advance_thread(replay, rank, thread);
    return STATUS_OK;
}

bool replay_thread_waits_outside(struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    const struct call_driver *driver = core_of(replay)->driver_of[call_kind(state->calls[state->next].call)];
    return (driver && driver->waits_outside && driver->waits_outside(replay, rank)) ||
           replay_turn_awaited(replay, rank) != NO_INDEX;
}

void replay_thread_enter(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    bool outside = replay_thread_waits_outside(replay, rank);
    state->threads->items[state->thread].outside = outside;
    if (!outside && call_is_library(state->calls[state->next].call)) state->threads->inside++;
    state->inside = state->threads->inside > 0;
}

enum status replay_thread_reenter(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    struct thread *thread = &state->threads->items[state->thread];
    state->enter_ps = replay->now_ps;
    if (!thread->outside) return STATUS_OK;
    TRY(replay_note_outside(replay, rank, state->thread, state->next));
    thread->outside = false;
    state->threads->inside++;
    state->inside = true;
    return state->serve_first == NO_INDEX ? STATUS_OK : replay_serve_waiting(replay, rank);
}

/* Its creation was not recorded: it computes from the return on. */
static enum status begin_after(struct replay *replay, uint32_t rank, uint32_t thread, int64_t exit_ps)
{
    const struct rank_state *state = &replay->ranks[rank];
    uint32_t first = state->threads->items[thread].first;
    int64_t gap_ps = state->calls[first].enter_ps - state->calls[state->next].exit_ps;
    return replay_thread_start(replay, rank, thread, exit_ps, gap_ps);
}

/* Advances threads that wait outside MPI. */
static enum status wake_outside(struct replay *replay, uint32_t rank)
{
    const struct threads *threads = replay->ranks[rank].threads;
    for (uint32_t i = 0; i < threads->count; i++)
        if (threads->items[i].outside) TRY(replay_thread_wake(replay, rank, i));
    return STATUS_OK;
}

enum status replay_thread_leave(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    struct threads *threads = state->threads;
    threads->finished[threads->finished_count++] = (uint32_t)state->next;
    if (call_is_library(state->calls[state->next].call)) threads->inside--;
    state->inside = threads->inside > 0;
    if (replay_turn_returns(replay, rank)) TRY(wake_outside(replay, rank));
    if (core_of(replay)->steps[state->calls[state->next].call]->traits & CALL_FREES) TRY(wake_outside(replay, rank));
    if (!threads->beginning) return STATUS_OK;
    for (uint32_t t = threads->beginning[state->next]; t != NO_INDEX; t = threads->items[t].next_beginning)
        TRY(begin_after(replay, rank, t, state->resume_ps));
    return STATUS_OK;
}

enum status replay_thread_end(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    struct threads *threads = state->threads;
    struct thread *item = &threads->items[state->thread];
    item->ended = true;
    threads->left--;
    if (state->thread > 0) TRY(replay_set_running(replay, rank, state->thread, false));
    if (item->joiner == NO_INDEX) return STATUS_OK;
    return replay_thread_wake(replay, rank, item->joiner);
}

static enum status note_completed(const struct trace *trace, struct trace_call *call, struct map *done, struct err *err)
{
    bool list = call_row(call->call)->needed & F_REQS;
    uint32_t count;
    uint64_t *slot;
    if (call_arm(call_kind(call->call)) != ARM_COMPLETION || call->completion.request == TRACE_NO_REF) return STATUS_OK;
    const uint32_t *ids = trace_call_completed(trace, call, &count);
    if (!list && (call->flags & TRACE_BREAK)) count = 0;
    for (uint32_t i = 0; i < count; i++) TRY(map_put(done, ids[i], 1, &slot, err));
    if (count == 0 && !list && map_find(done, call->completion.request)) call->completion.request = TRACE_NO_REF;
    return STATUS_OK;
}

/* A failed test may come after another thread's call that completes the request. There is no request for it then. */
static enum status forget_tested(struct replay *replay, uint32_t rank)
{
    struct trace_rank *made = &replay->made->trace->ranks[rank];
    struct map done = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < made->count; i++)
        status = note_completed(replay->made->trace, &made->calls[i], &done, replay->err);
    map_clear(&done);
    return status;
}

enum status replay_thread_sort(struct replay *replay, uint32_t rank)
{
    struct threads *threads = replay->ranks[rank].threads;
    size_t count = replay->made->trace->ranks[rank].count;
    if (count == 0) return STATUS_OK;
    uint32_t *order = malloc(count * sizeof *order);
    if (!order) return err_memory(replay->err);
    for (uint32_t i = 0; i < count; i++) order[threads->finished[i]] = i;
    enum status status = trace_sort_calls(replay->made->trace, rank, order, replay->err);
    free(order);
    TRY(status);
    return threads->count > 1 ? forget_tested(replay, rank) : STATUS_OK;
}

/* Whether another thread of the rank may end the wait: in messages and epochs with oneself, locks, primitives. */
static bool may_wait_for_thread(const struct trace_call *call)
{
    static const bool waits[CALL_KIND_COUNT] = {
        [CALL_START] = true, [CALL_COMPLETE] = true,   [CALL_WIN_WAIT] = true,       [CALL_WIN_TEST] = true,
        [CALL_LOCK] = true,  [CALL_SHMEM_WAIT] = true, [CALL_SHMEM_SET_LOCK] = true,
    };
    enum call_kind kind = call_kind(call->call);
    return waits[kind] || call_is_message(kind) || call_arm(kind) == ARM_COMPLETION || call_is_thread(call->call);
}

/* Whether a call of thread 0 returned before the thread's first call. At equal times it did if its enter is earlier. In
 * a predicted trace many events have one time, and a call that waited until then may have waited for the thread. */
static bool returns_before(const struct trace *trace, const struct trace_rank *process, uint32_t call, uint32_t first)
{
    const struct trace_call *of = &process->calls[call];
    int64_t begin_ps = process->calls[first].enter_ps;
    bool waited = trace->provenance.simulated && of->enter_ps < of->exit_ps && may_wait_for_thread(of);
    return of->exit_ps < begin_ps || (of->exit_ps == begin_ps && call < first && !waited);
}

/* A thread whose creation was not recorded existed at its first call. It can have computed only after the last return
 * from MPI, before that call, of the rank's first thread, which initialised MPI. */
static enum status place_beginnings(const struct replay *replay, uint32_t rank, struct threads *threads)
{
    const struct trace_rank *process = &replay->trace->ranks[rank];
    for (uint32_t t = 1; t < threads->count; t++) {
        struct thread *item = &threads->items[t];
        uint32_t after = NO_INDEX;
        if (item->first == NO_INDEX || item->created_by != NO_INDEX) continue;
        for (uint32_t i = threads->items[0].first; i != NO_INDEX; i = threads->following[i]) {
            if (process->calls[i].exit_ps > process->calls[item->first].enter_ps) break;
            if (returns_before(replay->trace, process, i, item->first)) after = i;
        }
        item->begins_after = after;
        if (after == NO_INDEX) continue;
        if (!threads->beginning) {
            threads->beginning = malloc((process->count + 1) * sizeof *threads->beginning);
            if (!threads->beginning) return err_memory(replay->err);
            for (size_t i = 0; i <= process->count; i++) threads->beginning[i] = NO_INDEX;
        }
        item->next_beginning = threads->beginning[after];
        threads->beginning[after] = t;
    }
    return STATUS_OK;
}

static enum status follow_thread(struct replay *replay, uint32_t rank, struct threads *threads)
{
    const struct trace_rank *process = &replay->trace->ranks[rank];
    for (uint32_t t = 0; t < threads->count; t++) {
        struct thread *item = &threads->items[t];
        item->first = item->created_by = item->joiner = NO_INDEX;
        item->begins_after = item->next_beginning = NO_INDEX;
        item->walk.thread = t;
        item->walk.status = RANK_PAUSED;
    }
    for (size_t i = process->count; i-- > 0;) {
        uint32_t thread = trace_call_thread(replay->trace, rank, i);
        threads->following[i] = threads->items[thread].first;
        threads->items[thread].first = (uint32_t)i;
        const struct trace_call *call = &process->calls[i];
        bool creates = call_kind(call->call) == CALL_THREAD_CREATE && call->primitive.child < threads->count;
        if (creates) threads->items[call->primitive.child].created_by = (uint32_t)i;
    }
    for (uint32_t t = 0; t < threads->count; t++) {
        struct thread *item = &threads->items[t];
        item->walk.next = item->first;
        item->ended = item->first == NO_INDEX;
        threads->left += !item->ended;
    }
    TRY(place_beginnings(replay, rank, threads));
    return replay_prepare_turns(replay, rank);
}

enum status replay_prepare_threads(struct replay *replay)
{
    struct core *core = core_of(replay);
    const struct trace *trace = replay->trace;
    size_t all = 0;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        if (trace->ranks[rank].thread_count > 0) all += trace_thread_count(trace, rank);
    if (all == 0) return STATUS_OK;
    core->thread_names = calloc(all, sizeof *core->thread_names);
    if (!core->thread_names) return err_memory(replay->err);
    uint32_t next = 0;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        if (trace->ranks[rank].thread_count == 0) continue;
        struct rank_state *state = &replay->ranks[rank];
        struct threads *threads = calloc(1, sizeof *threads);
        if (!threads) return err_memory(replay->err);
        state->threads = threads;
        threads->count = trace_thread_count(replay->trace, rank);
        threads->first_id = next;
        threads->items = lines_new(threads->count, sizeof *threads->items);
        threads->following = calloc(state->count + 1, sizeof *threads->following);
        threads->wakes = calloc(state->count + 1, sizeof *threads->wakes);
        threads->finished = calloc(state->count + 1, sizeof *threads->finished);
        if (!threads->finished || !threads->items || !threads->following || !threads->wakes)
            return err_memory(replay->err);
        for (uint32_t t = 0; t < threads->count; t++)
            core_of(replay)->thread_names[next + t] = (struct thread_name){rank, t};
        TRY(follow_thread(replay, rank, threads));
        memcpy(state, &threads->items[0].walk, WALK_BYTES);
        next += replay->ranks[rank].threads->count;
    }
    return STATUS_OK;
}

void replay_clear_threads(struct replay *replay)
{
    for (uint32_t rank = 0; replay->ranks && rank < replay->trace->rank_count; rank++) {
        struct threads *threads = replay->ranks[rank].threads;
        if (!threads) continue;
        FREE_ALL(threads->items, threads->following, threads->beginning, threads->awaits, threads->await_items, threads->turns,
                 threads->taken, threads->wakes, threads->finished, threads->syncs);
        map_clear(&threads->names);
        free(threads);
    }
    free(core_of(replay)->thread_names);
}
