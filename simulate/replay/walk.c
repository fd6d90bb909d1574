#include "simulate/replay/walk.h"

#include <math.h>

#include "common/map.h"
#include "common/scramble.h"
#include "simulate/replay/core.h"
#include "simulate/replay/driver.h"
#include "simulate/replay/gap.h"
#include "simulate/replay/message.h"
#include "simulate/replay/request.h"
#include "simulate/replay/thread.h"
#include "simulate/tasks/decide.h"

enum { CALLS_AHEAD = 5, PROGRESS_STEPS = 1000 };

static bool is_failed_test(const struct replay *replay, const struct trace_call *call)
{
    return (core_of(replay)->steps[call->call]->traits & CALL_TESTS) && !(call->flags & TRACE_FLAG);
}

static enum step step_call(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    if (state->phase == PHASE_LEAVE) return replay_exit(state, replay->now_ps);
    if (replay_thread_is_outside(state)) {
        if (replay_thread_waits_outside(replay, rank)) return STEP_BLOCK;
        STEP_TRY(replay_thread_reenter(replay, rank));
    }
    if (is_failed_test(replay, call)) { /* it is computing */
        int64_t spent_ps = replay_compute_ps(replay, state, call->exit_ps - call->enter_ps);
        state->busy_ps = spent_ps;
        return replay_exit(state, replay->now_ps + spent_ps);
    }
    const struct call_step *row = core_of(replay)->steps[call->call];
    enum step step;
    do step = row->step(replay, rank);
    while (step == STEP_AGAIN && !core_of(replay)->failed);
    return step;
}

static bool end_timeline(struct replay *replay, uint32_t rank)
{
    struct core *core = core_of(replay);
    struct rank_state *state = &replay->ranks[rank];
    state->status = RANK_DONE;
    if (state->threads && replay_thread_end(replay, rank) != STATUS_OK) core->failed = true;
    if (state->threads && state->threads->left > 0) return false;
    state->inside = true; /* as in MPI_Finalize, recorded or not: it serves what still comes (MPI-3.1 8.7) */
    while (state->serve_first != NO_INDEX && !core->failed)
        if (replay_serve_waiting(replay, rank) != STATUS_OK) core->failed = true;
    core->done_count++;
    if (replay->made) predicted_end(replay->made, rank);
    return false;
}

static enum status set_walk_timer(struct replay *replay, uint32_t rank, int64_t at_ps)
{
    const struct rank_state *state = &replay->ranks[rank];
    if (state->threads)
        return replay_timer(replay, at_ps, rank, TIMER_THREAD, state->threads->first_id + state->thread);
    return replay_timer(replay, at_ps, rank, TIMER_RANK, rank);
}

static void note_exit(struct replay *replay, uint32_t rank, int64_t exit_ps)
{
    if (replay->made) {
        struct rank_state *state = &replay->ranks[rank];
        struct trace_call call = state->calls[state->next];
        call.enter_ps = state->enter_ps;
        call.exit_ps = exit_ps;
        const size_t number = replay_call_number(replay, rank);
        predicted_return(replay->made, rank, number, &call);
        predicted_sim(replay->made, rank, number)->blocked_ps = exit_ps - state->enter_ps - state->busy_ps;
    }
    if (!replay->hardware) replay_account_progress(replay, rank, exit_ps);
    if (replay->made && replay->made->sink && predicted_append(replay->made, rank, replay->err) != STATUS_OK)
        core_of(replay)->failed = true;
}

/* The rank goes on with the calls of the task that it gets, or with its own ones behind the queue. */
static enum status take_task(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    TRY(decisions_next(replay->decisions, rank, replay->err));
    state->calls = replay->trace->ranks[rank].calls;
    state->count = replay->trace->ranks[rank].count;
    return replay->made ? predicted_grow(replay->made, rank, state->count, replay->err) : STATUS_OK;
}

/* Reads the next calls of the rank, after the last one in the trace, if there are some. */
static bool read_next(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct replay_source *source = core_of(replay)->options->source;
    if (replay->decisions && take_task(replay, rank) != STATUS_OK) core_of(replay)->failed = true;
    if (!source) return !core_of(replay)->failed;
    if (source->next(source->context, rank, replay->err) != STATUS_OK) {
        core_of(replay)->failed = true;
        return false;
    }
    state->calls = replay->trace->ranks[rank].calls;
    state->count = replay->trace->ranks[rank].count;
    state->next = 0;
    return true;
}

static void note_pause(struct rank_rare *rare, int64_t from_ps)
{
    if (rare->ends_pause) rare->paused_from_ps = from_ps;
    rare->ends_pause = false;
}

static struct request *request_of(const struct replay *replay, uint32_t rank, uint32_t id)
{
    uint32_t index = id == TRACE_NO_REF ? NO_INDEX : replay_request_index(replay, &replay->ranks[rank], id);
    return index < REQUEST_GONE ? &core_of(replay)->requests[index] : NULL;
}

/* mpi.rma.protocol.visit = wait or needed: what the rank knows of its requests when its call returns. */
static void note_known(struct replay *replay, uint32_t rank, int64_t exit_ps)
{
    const struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    struct request *made = call_makes_request(call->call) ? request_of(replay, rank, call->ref) : NULL;
    if (made) made->known_ps = made->done ? 0 : exit_ps;
    if (state->served) replay->rare[rank].polled_ps = exit_ps;
}

static bool is_unknown(const struct replay *replay, uint32_t rank, uint32_t id)
{
    const struct request *request = request_of(replay, rank, id);
    return request && (!request->done || request->known_ps > replay->rare[rank].polled_ps);
}

/* Whether the wait or test for requests has to poll to find out that they are done. */
static bool has_unknown(const struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    if (kind != CALL_REQUEST_WAITALL && kind != CALL_REQUEST_TESTALL) return is_unknown(replay, rank, call->ref);
    const struct trace_definitions *definitions = &replay->trace->definitions;
    const struct trace_list *list = &definitions->lists[call->completion.list];
    for (uint32_t i = 0; i < list->count; i++)
        if (is_unknown(replay, rank, definitions->requests[list->first + i])) return true;
    return false;
}

/* How long the rank serves after the return of its call, no longer where it is below 0: mpi.rma.protocol.linger_s. In a draw it
 * varies as latencies do. No message's latency depends on the pair of a rank with itself. */
static int64_t linger_ps(const struct replay *replay, uint32_t rank)
{
    const struct core *core = core_of(replay);
    if (core->linger_sd_ps == 0) return core->linger_ps;
    const double z = scramble_bell(replay->platform->draw, map_pair(rank, rank), replay_call_number(replay, rank));
    return core->linger_ps + llround(core->linger_sd_ps * z);
}

/* The rank is outside the library. *next: its call after this one, in its thread. */
static enum status go_outside(struct replay *replay, uint32_t rank, int64_t exit_ps, size_t *next)
{
    const struct core *core = core_of(replay);
    struct rank_state *state = &replay->ranks[rank];
    if (core->lingers && state->served && !state->threads)
        replay->rare[rank].lingers_until_ps = exit_ps + linger_ps(replay, rank);
    if (core->has_pauses) note_pause(&replay->rare[rank], exit_ps);
    if (replay->platform->protocol.visit != VISIT_ENTER) note_known(replay, rank, exit_ps);
    state->inside = false;
    if (core->polls > 1) replay->rare[rank].poll_at_ps = TRACE_UNKNOWN_PS;
    if (!state->threads) return STATUS_OK;
    TRY(replay_thread_leave(replay, rank));
    uint32_t following = state->threads->following[state->next];
    *next = following == NO_INDEX ? state->count : following;
    return STATUS_OK;
}

/* Records the end of the call and finds the enter of the next one, now or by a timer. False: the rank does not continue
 * now. */
static bool leave_call(struct replay *replay, uint32_t rank)
{
    struct core *core = core_of(replay);
    struct rank_state *state = &replay->ranks[rank];
    int64_t exit_ps = state->resume_ps;
    if (replay_past_end(replay, rank, exit_ps)) return false;
    const struct trace_call *call = &state->calls[state->next];
    if (core->notes_exits) note_exit(replay, rank, exit_ps);
    if (exit_ps > state->end_ps) state->end_ps = exit_ps;
    size_t next = state->next + 1;
    if (core->notes_inside && go_outside(replay, rank, exit_ps, &next) != STATUS_OK) {
        core->failed = true;
        return false;
    }
    state->phase = 0;
    state->step = state->missing = state->received = 0;
    state->overlap = state->paid = state->unread = false;
    state->busy_ps = 0;
    if (++core->calls_done == core->report_at) {
        const struct replay_source *source = core->options->source;
        uint64_t all_calls = source ? source->calls : trace_all_calls(replay->recorded);
        core->options->progress(core->options->progress_context, core->calls_done, all_calls);
        core->report_at += 1 + all_calls / PROGRESS_STEPS;
    }
    state->next = next;
    int64_t left_ps = call->exit_ps;
    __builtin_prefetch(call + CALLS_AHEAD); /* hardware prefetches fewer timelines than there are ranks */
    if (next == state->count && !read_next(replay, rank)) return false;
    next = state->next;
    if (next == state->count) return end_timeline(replay, rank);
    int64_t gap_ps = state->calls[next].enter_ps - left_ps - replay->trace->provenance.record_cost_ps, enter_ps;
    if (state->plain_gaps)
        enter_ps = exit_ps + replay_compute_ps(replay, state, gap_ps);
    else if (replay_begin_gap(replay, rank, state->thread, exit_ps, next, gap_ps, &enter_ps) != STATUS_OK)
        return false;
    if (enter_ps == replay->now_ps) return true;
    state->status = RANK_COMPUTING;
    if (enter_ps == GAP_LATER || replay_past_end(replay, rank, enter_ps)) return false;
    if (set_walk_timer(replay, rank, enter_ps) != STATUS_OK) core->failed = true;
    return false;
}

/* Whether a call serves its rank's waiting messages on entry (mpi.rma.protocol.visit, .lock_order). Otherwise it serves
 * them when it begins to wait. Calls that close an epoch and flushes serve on entry (CALL_SERVES), unless they send a request
 * first (CALL_ASKS). So do waits and tests that have to poll to find out whether their requests are done. */
static bool serves_on_enter(const struct replay *replay, uint32_t rank)
{
    const struct rma_protocol *protocol = &replay->platform->protocol;
    const struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    enum call_kind kind = call_kind(call->call);
    if (protocol->visit != VISIT_ENTER && call_arm(kind) == ARM_COMPLETION) return has_unknown(replay, rank, call);
    if (protocol->visit == VISIT_NEEDED && kind == CALL_COMPLETE) return false;
    unsigned traits = core_of(replay)->steps[call->call]->traits;
    if ((traits & CALL_ASKS) && call->peer != TRACE_NONE) return protocol->visit == VISIT_ENTER;
    if (traits & CALL_SERVES) return true;
    bool of_own = kind == CALL_LOCK_ALL || (kind == CALL_LOCK && call->peer == (int32_t)rank);
    return of_own ? protocol->lock_order == LOCK_ORDER_ARRIVAL : protocol->visit == VISIT_ENTER;
}

/* Serves the messages that the rank has received so far, if the call serves on entry. */
static void go_inside(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    bool library = call_is_library(state->calls[state->next].call);
    state->served = state->inside = library && (!replay->needs_call || serves_on_enter(replay, rank));
    if (state->threads) replay_thread_enter(replay, rank);
    if (state->inside && replay->needs_call) replay->rare[rank].visits++;
    if (state->inside && state->serve_first != NO_INDEX && replay_serve_waiting(replay, rank) != STATUS_OK)
        core_of(replay)->failed = true;
}

static inline void enter_call(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    state->status = RANK_RUNNING;
    state->enter_ps = replay->now_ps;
    if (core_of(replay)->notes_inside) go_inside(replay, rank);
}

/* The rank's call begins to serve. Returns true if it served a message, so that the rank may be able to continue. */
static bool begin_serving(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    if (state->inside || state->threads || !call_is_library(state->calls[state->next].call)) return false;
    state->served = state->inside = true;
    replay->rare[rank].visits++;
    if (state->serve_first == NO_INDEX) return false;
    if (replay_serve_waiting(replay, rank) != STATUS_OK) core_of(replay)->failed = true;
    return true;
}

/* A call that waits polls again at once for what had arrived before it began to; a failed test does not. False: there is
 * nothing. */
static bool poll_on(struct replay *replay, uint32_t rank)
{
    struct core *core = core_of(replay);
    const struct rank_state *state = &replay->ranks[rank];
    bool waits = core->polls > 1 && state->inside && state->serve_first != NO_INDEX && !state->threads && !core->failed;
    if (!waits || replay->rare[rank].poll_at_ps != TRACE_UNKNOWN_PS) return false;
    if (is_failed_test(replay, &state->calls[state->next])) return false;
    if (replay_serve_waiting(replay, rank) != STATUS_OK) core->failed = true;
    return true;
}

/* The call's own time passes before anything else of the call (mpi.call_s, mpi.pause). A blocking collective polls meanwhile and
 * serves. False: the call has none. */
static bool spend_own_time(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    bool fails = is_failed_test(replay, call);
    if ((core_of(replay)->steps[call->call]->traits & CALL_SPENDS) && !fails) return false;
    int64_t own_ps = replay_own_ps(replay, state);
    if (own_ps == 0 || fails) return false;
    if (replay->needs_call && call_arm(call_kind(call->call)) == ARM_COLLECTIVE && !call_makes_request(call->call)) {
        begin_serving(replay, rank);
        while (poll_on(replay, rank)) continue;
    }
    state->busy_ps = own_ps;
    state->resume_ps = replay->now_ps + own_ps;
    state->status = RANK_PAUSED;
    if (set_walk_timer(replay, rank, state->resume_ps) != STATUS_OK) core_of(replay)->failed = true;
    return true;
}

static void await_messages(struct replay *replay, uint32_t rank, uint32_t need, uint32_t counter)
{
    struct core *core = core_of(replay);
    if (mailbox_await(&core->mailbox, replay->nodes[rank], rank, need, counter) != STATUS_OK) core->failed = true;
}

void replay_await(struct replay *replay, uint32_t rank)
{
    await_messages(replay, rank, 1, replay->ranks[rank].threads ? ENGINE_ANY_COUNTER : ENGINE_NO_COUNTER);
}

void replay_resume(struct replay *replay, uint32_t rank)
{
    mailbox_resume(&core_of(replay)->mailbox, replay->nodes[rank]);
}

enum status replay_watch_all(struct replay *replay, uint32_t rank, bool on)
{
    return mailbox_watch(&core_of(replay)->mailbox, replay->nodes[rank], on);
}

static void block_rank(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    state->status = RANK_BLOCKED;
    await_messages(replay, rank, state->need, state->threads ? ENGINE_ANY_COUNTER : core_of(replay)->counter);
    state->need = 0;
    core_of(replay)->counter = ENGINE_NO_COUNTER;
}

/* Where something is served only inside MPI: the step of the call, which serves while it waits or, by its kind, from its
 * entry on. The exit of a call is an event of its own. */
static enum step serve_in_call(struct replay *replay, uint32_t rank, enum step step)
{
    struct rank_state *state = &replay->ranks[rank];
    if (step == STEP_EXIT && state->resume_ps > replay->now_ps)
        step = replay_wait_until(state, state->resume_ps, PHASE_LEAVE);
    if (step == STEP_POLL) {
        begin_serving(replay, rank);
        return STEP_AGAIN;
    }
    bool waits = step == STEP_BLOCK || step == STEP_WAIT ||
                 (step == STEP_EXIT && replay->platform->protocol.visit == VISIT_ENTER);
    bool served = waits && begin_serving(replay, rank);
    while (step == STEP_WAIT && poll_on(replay, rank)) continue;
    if (step == STEP_BLOCK && (served || poll_on(replay, rank))) {
        state->need = 0;
        return STEP_AGAIN;
    }
    /* a wait or test for requests that serves does so from its entry on */
    bool stays = call_arm(call_kind(state->calls[state->next].call)) == ARM_COMPLETION;
    if (step == STEP_SPEND && state->inside && !state->threads && !stays) state->inside = serves_on_enter(replay, rank);
    return step;
}

/* A thread that waits in a primitive for another one sleeps, but not in a spin lock; in MPI it polls. */
static void leave_core(struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    const enum mpi_call call = state->calls[state->next].call;
    if (!call_is_thread(call) || call == ID_pthread_spin_lock) return;
    if (replay_set_running(replay, rank, state->thread, false) != STATUS_OK) core_of(replay)->failed = true;
}

static void advance_rank(struct replay *replay, uint32_t rank)
{
    struct core *core = core_of(replay);
    struct rank_state *state = &replay->ranks[rank];
    if (state->status == RANK_BLOCKED) replay_resume(replay, rank);
    state->status = RANK_RUNNING;
    while (!core->failed) {
        enum step step = step_call(replay, rank);
        if (replay->needs_call) step = serve_in_call(replay, rank, step);
        switch (step) {
        case STEP_POLL:
        case STEP_AGAIN: break;
        case STEP_BLOCK:
            if (core->gaps) leave_core(replay, rank);
            block_rank(replay, rank);
            return;
        case STEP_FAIL: core->failed = true; return;
        case STEP_SPEND:
        case STEP_WAIT:
            state->status = RANK_PAUSED;
            if (set_walk_timer(replay, rank, state->resume_ps) != STATUS_OK) core->failed = true;
            return;
        case STEP_EXIT:
            if (!leave_call(replay, rank)) return;
            enter_call(replay, rank);
            if (core->has_own_times && spend_own_time(replay, rank)) return;
            break;
        }
    }
}

void replay_advance(struct replay *replay, uint32_t rank)
{
    if (replay->ranks[rank].status == RANK_COMPUTING) {
        enter_call(replay, rank);
        if (core_of(replay)->has_own_times && spend_own_time(replay, rank)) return;
    }
    advance_rank(replay, rank);
}

void replay_wake_blocked(struct replay *replay, uint32_t rank)
{
    if (!replay->ranks[rank].threads)
        advance_rank(replay, rank);
    else if (replay_threads_wake(replay, rank) != STATUS_OK)
        core_of(replay)->failed = true;
}

enum status replay_poll(struct replay *replay, uint32_t rank)
{
    int64_t now_ps = replay->now_ps;
    TRY(mailbox_poll(&core_of(replay)->mailbox, replay->nodes[rank]));
    replay->now_ps = now_ps;
    return STATUS_OK;
}
