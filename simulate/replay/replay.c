/* The walk of every rank through its calls, and the set-up and end of a replay. */
#include "simulate/replay/replay.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/units.h"
#include "simulate/replay/collective_matching.h"
#include "simulate/shmem/shmem.h"
#include "simulate/threads/thread.h"

/* What a timer's id carries, by its upper bits. */
enum timer_kind {
    TIMER_RANK,
    TIMER_OP,       /* an accumulate has been applied */
    TIMER_MESSAGE,  /* a helper thread serves it */
    TIMER_ENVELOPE, /* rendezvous data have left */
    TIMER_REQUEST,  /* a one-sided operation's data have left */
    TIMER_ROOM,     /* buffered data have left */
    TIMER_THREAD,   /* of a rank with several: TIMER_RANK */
    TIMER_LOOK,     /* such a thread looks again at what it waits for */
};
enum { TIMER_SHIFT = 29, CALLS_AHEAD = 5, PROGRESS_STEPS = 1000 };
#define TIMER_ID_MASK ((UINT32_C(1) << TIMER_SHIFT) - 1)

static enum step step_local(struct replay *replay, uint32_t rank)
{
    return replay_exit(&replay->ranks[rank], replay->now_ps);
}

/* mpi.init_s, mpi.finalize_s. */
static enum step add_own_time(struct replay *replay, uint32_t rank, enum step step, double own_s)
{
    struct rank_state *state = &replay->ranks[rank];
    if (step != STEP_EXIT || own_s == 0) return step;
    int64_t own_ps = units_ps(own_s);
    state->busy_ps += own_ps;
    return replay_exit(state, state->resume_ps + own_ps);
}

/* MPICH synchronises all processes in MPI_Init and MPI_Finalize; a broken-off trace has them on some ranks only. */
static enum step step_init(struct replay *replay, uint32_t rank)
{
    enum step step = replay->init_is_barrier ? replay_step_barrier(replay, rank) : step_local(replay, rank);
    return add_own_time(replay, rank, step, replay->platform->init_s);
}

static enum step step_finalize(struct replay *replay, uint32_t rank)
{
    enum step step = replay->finalize_is_barrier ? replay_step_barrier(replay, rank) : step_local(replay, rank);
    return add_own_time(replay, rank, step, replay->platform->finalize_s);
}

typedef enum step step_function(struct replay *, uint32_t);

static step_function *const steps[CALL_KIND_COUNT] = {
    [CALL_LOCAL] = step_local,
    [CALL_INIT] = step_init,
    [CALL_FINALIZE] = step_finalize,
    [CALL_REGION_ENTER] = step_local,
    [CALL_REGION_LEAVE] = step_local,
    [CALL_WIN_CREATE] = replay_step_win_create,
    [CALL_WIN_FREE] = replay_step_win_free,
    [CALL_PUT] = replay_step_op,
    [CALL_GET] = replay_step_op,
    [CALL_ACCUMULATE] = replay_step_op,
    [CALL_GET_ACCUMULATE] = replay_step_op,
    [CALL_FENCE] = replay_step_fence,
    [CALL_POST] = replay_step_post,
    [CALL_START] = replay_step_start,
    [CALL_COMPLETE] = replay_step_complete,
    [CALL_WIN_WAIT] = replay_step_win_wait,
    [CALL_WIN_TEST] = replay_step_win_wait,
    [CALL_LOCK] = replay_step_lock,
    [CALL_UNLOCK] = replay_step_unlock,
    [CALL_LOCK_ALL] = replay_step_lock_all,
    [CALL_UNLOCK_ALL] = replay_step_unlock_all,
    [CALL_FLUSH] = replay_step_flush,
    [CALL_FLUSH_LOCAL] = replay_step_flush,
    [CALL_SYNC] = step_local,
    [CALL_SEND] = replay_step_send,
    [CALL_ISEND] = replay_step_send,
    [CALL_RECV] = replay_step_receive,
    [CALL_IRECV] = replay_step_receive,
    [CALL_SENDRECV] = replay_step_sendrecv,
    [CALL_PROBE] = replay_step_probe,
    [CALL_IPROBE] = replay_step_probe,
    [CALL_REQUEST_TESTALL] = replay_step_request_wait,
    [CALL_REQUEST_WAIT] = replay_step_request_wait,
    [CALL_REQUEST_WAITALL] = replay_step_request_wait,
    [CALL_REQUEST_TEST] = replay_step_request_wait,
    [CALL_BARRIER] = replay_step_barrier,
    [CALL_BCAST] = replay_step_collective,
    [CALL_REDUCE] = replay_step_collective,
    [CALL_ALLREDUCE] = replay_step_collective,
    [CALL_GATHER] = replay_step_collective,
    [CALL_SCATTER] = replay_step_collective,
    [CALL_ALLGATHER] = replay_step_collective,
    [CALL_ALLTOALL] = replay_step_collective,
    [CALL_GATHERV] = replay_step_collective,
    [CALL_SCATTERV] = replay_step_collective,
    [CALL_ALLGATHERV] = replay_step_collective,
    [CALL_ALLTOALLV] = replay_step_collective,
    [CALL_REDUCE_SCATTER] = replay_step_collective,
    [CALL_SCAN] = replay_step_collective,
    [CALL_EXSCAN] = replay_step_collective,
    [CALL_NEIGHBOR] = replay_step_collective,
    [CALL_THREAD_BEGIN... CALL_SEM_POST] = replay_step_thread,
    [CALL_SHMEM_BARRIER] = replay_step_shmem,
    [CALL_SHMEM_PUT... CALL_SHMEM_CLEAR_LOCK] = replay_step_shmem,
    [CALL_COMM_CREATE] = replay_step_comm_create,
    [CALL_COMM_FREE] = step_local,
};

enum status replay_fail(struct replay *replay, uint32_t rank, const char *format, ...)
{
    if (replay->failed) return STATUS_DATA;
    char message[768], place[TRACE_PLACE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    size_t next = replay->ranks[rank].next; /* a thread without calls has none */
    size_t count = replay->ranks[rank].count;
    trace_place(replay->trace, rank, next < count ? next : count - 1, place);
    replay->failed = true;
    enum status status = err_set(replay->err, STATUS_DATA, replay->trace->name, place, "%s", message);
    if (!replay->err || count == 0) return status;
    replay->err->stream = rank;
    replay->err->item = (int64_t)(next < count ? next : count - 1);
    return status;
}

enum step replay_pause(struct rank_state *rank, int64_t until_ps, uint8_t phase)
{
    rank->resume_ps = until_ps;
    rank->phase = phase;
    return STEP_PAUSE;
}

enum step replay_spend(struct replay *replay, struct rank_state *rank, int64_t cost_ps, uint8_t phase)
{
    rank->phase = phase;
    if (cost_ps == 0) return STEP_AGAIN;
    rank->busy_ps += cost_ps;
    rank->resume_ps = replay->now_ps + cost_ps;
    return STEP_SPEND;
}

int64_t replay_copy_ps(const struct replay *replay, int64_t bytes)
{
    double rate_Bps = replay->platform->memory_bandwidth_Bps;
    return isinf(rate_Bps) ? 0 : cost_duration_ps((double)bytes / rate_Bps);
}

enum step replay_exit(struct rank_state *rank, int64_t at_ps)
{
    rank->resume_ps = at_ps;
    return STEP_EXIT;
}

int64_t replay_compute_ps(const struct rank_state *rank, int64_t recorded_ps)
{
    if (recorded_ps <= 0) return 0;
    if (rank->stretch == 1.0) return recorded_ps < COST_BEYOND_PS ? recorded_ps : COST_BEYOND_PS;
    double stretched = (double)recorded_ps * rank->stretch;
    return stretched < (double)COST_BEYOND_PS ? llround(stretched) : COST_BEYOND_PS;
}

/* Calls that may say no. */
static const bool tests[CALL_KIND_COUNT] = {
    [CALL_WIN_TEST] = true,        [CALL_REQUEST_TEST] = true,    [CALL_REQUEST_TESTALL] = true,
    [CALL_IPROBE] = true,          [CALL_MUTEX_TIMEDLOCK] = true, [CALL_SEM_TIMEDWAIT] = true,
    [CALL_TIMEDRDLOCK] = true,     [CALL_TIMEDWRLOCK] = true,     [CALL_SHMEM_TEST] = true,
    [CALL_SHMEM_TEST_LOCK] = true,
};

static enum step step_call(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    if (state->phase == PHASE_LEAVE) return replay_exit(state, replay->now_ps);
    enum call_kind kind = call_kind(call->call);
    if (replay_thread_lacks_epoch(state)) {
        if (replay_turn_awaited(replay, rank) != NO_INDEX || replay_epoch_awaited(replay, rank)) return STEP_BLOCK;
        STEP_TRY(replay_thread_reenter(replay, rank));
    }
    if (tests[kind] && !(call->flags & TRACE_FLAG)) { /* a failed test is computing */
        if (state->threads && replay_request_unmade(replay, rank)) return STEP_BLOCK;
        if (state->threads) STEP_TRY(replay_thread_reenter(replay, rank));
        int64_t spent_ps = replay_compute_ps(state, call->exit_ps - call->enter_ps);
        state->busy_ps = spent_ps;
        return replay_exit(state, replay->now_ps + spent_ps);
    }
    step_function *function = steps[kind];
    if (!function) return replay_fail(replay, rank, "%s is not known to the replay", call_name(call->call)), STEP_FAIL;
    enum step step;
    do step = function(replay, rank);
    while (step == STEP_AGAIN && !replay->failed);
    return step;
}

static void keep_call(struct replay *replay, uint32_t rank, int64_t exit_ps)
{
    struct rank_state *state = &replay->ranks[rank];
    struct trace_rank *made = &replay->made->ranks[rank];
    struct trace_call call = state->calls[state->next];
    call.enter_ps = state->enter_ps;
    call.exit_ps = exit_ps;
    made->calls[state->next] = call;
    struct trace_sim *sim = &made->sim[state->next];
    sim->blocked_ps = exit_ps - state->enter_ps - state->busy_ps;
}

static void report_progress(struct replay *replay)
{
    uint64_t all_calls = 0;
    for (uint32_t r = 0; r < replay->trace->rank_count; r++) all_calls += replay->trace->ranks[r].count;
    replay->options->progress(replay->options->progress_context, replay->calls_done, all_calls);
    replay->report_at += 1 + all_calls / PROGRESS_STEPS;
}

static bool end_stream(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    state->status = RANK_DONE;
    if (state->threads && replay_thread_end(replay, rank) != STATUS_OK) replay->failed = true;
    if (state->threads && state->threads->left > 0) return false;
    state->inside = true; /* in MPI_Finalize, traced or not, which serves what still comes (MPI-3.1 8.7) */
    if (state->serve_first != NO_INDEX && replay_serve_waiting(replay, rank) != STATUS_OK) replay->failed = true;
    replay->done_count++;
    return false;
}

static enum status set_walk_timer(struct replay *replay, uint32_t rank, int64_t at_ps)
{
    const struct rank_state *state = &replay->ranks[rank];
    if (state->threads)
        return replay_timer_thread(replay, at_ps, rank, state->threads->first_id + state->thread, false);
    return replay->engine_kind->timer(replay->engine, at_ps, rank, rank, replay->err);
}

static void note_exit(struct replay *replay, uint32_t rank, int64_t exit_ps)
{
    if (replay->made) keep_call(replay, rank, exit_ps);
    if (!replay->hardware) replay_account_progress(replay, rank, exit_ps);
}

/* A time that has overflowed is negative. */
bool replay_past_end(struct replay *replay, uint32_t rank, int64_t at_ps)
{
    if ((uint64_t)at_ps <= COST_END_PS) return false;
    replay_fail(
        replay, rank,
        "the simulated time passes 50 days, expected an earlier end: are all _s of the platform in seconds, all _Bps "
        "in bytes per second?");
    return true;
}

/* Notes the call's end and finds the next call's enter, now or by a timer. False: the rank does not go on now. */
static bool leave_call(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    int64_t exit_ps = state->resume_ps;
    if (replay_past_end(replay, rank, exit_ps)) return false;
    const struct trace_call *call = &state->calls[state->next];
    if (replay->notes_exits) note_exit(replay, rank, exit_ps);
    if (exit_ps > state->end_ps) state->end_ps = exit_ps;
    state->inside = false;
    size_t next = state->next + 1;
    if (state->threads) {
        if (replay_thread_leave(replay, rank) != STATUS_OK) {
            replay->failed = true;
            return false;
        }
        uint32_t following = state->threads->following[state->next];
        next = following == NO_INDEX ? state->count : following;
    }
    state->phase = 0;
    state->step = state->missing = state->received = 0;
    state->overlap = state->paid = false;
    state->busy_ps = 0;
    if (++replay->calls_done == replay->report_at) report_progress(replay);
    state->next = next;
    if (next == state->count) return end_stream(replay, rank);
    __builtin_prefetch(call + CALLS_AHEAD); /* a thousand ranks' streams are more than hardware follows */
    int64_t gap_ps = state->calls[next].enter_ps - call->exit_ps - replay->trace->record_cost_ps;
    if (state->compute_ps) gap_ps = trace_compute_ps(&replay->trace->ranks[rank], next, gap_ps);
    int64_t enter_ps = exit_ps + replay_compute_ps(state, gap_ps);
    if (enter_ps == replay->now_ps) return true;
    if (replay_past_end(replay, rank, enter_ps)) return false;
    state->status = RANK_COMPUTING;
    if (set_walk_timer(replay, rank, enter_ps) != STATUS_OK) replay->failed = true;
    return false;
}

/* Whether a call serves what lies at its rank as soon as it is entered (mpi.rma.protocol.visit, .lock_order): one that only
 * serves while it waits begins to when it does. Calls that close an epoch, flushes, and waits and tests for requests look
 * once in any case: what ends a request is found by looking. */
static bool serves_on_enter(const struct replay *replay, uint32_t rank)
{
    const struct rma_protocol *protocol = &replay->platform->protocol;
    const struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    enum call_kind kind = call_kind(call->call);
    switch (kind) {
    case CALL_COMPLETE:
    case CALL_FENCE:
    case CALL_UNLOCK:
    case CALL_UNLOCK_ALL:
    case CALL_FLUSH:
    case CALL_FLUSH_LOCAL:
    case CALL_REQUEST_WAIT:
    case CALL_REQUEST_WAITALL:
    case CALL_REQUEST_TEST:
    case CALL_REQUEST_TESTALL: return true;
    case CALL_LOCK:
    case CALL_LOCK_ALL:
        if (kind == CALL_LOCK_ALL || call->peer == (int32_t)rank) return protocol->lock_order == LOCK_ORDER_ARRIVAL;
        return protocol->visit == VISIT_ENTER;
    default: return protocol->visit == VISIT_ENTER;
    }
}

static inline void enter_call(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    state->status = RANK_RUNNING;
    state->enter_ps = replay->now_ps;
    state->inside = replay_is_library(&state->calls[state->next]) && (!replay->needs_call || serves_on_enter(replay, rank));
    if (state->threads) replay_thread_enter(replay, rank);
    if (state->inside && state->serve_first != NO_INDEX && replay_serve_waiting(replay, rank) != STATUS_OK)
        replay->failed = true;
}

static void await_messages(struct replay *replay, uint32_t rank, uint32_t need, uint32_t counter)
{
    const struct engine_descriptor *kind = replay->engine_kind;
    if (!kind->await) return;
    if (kind->await(replay->engine, replay->nodes[rank], rank, need, counter, replay->err) != STATUS_OK)
        replay->failed = true;
}

void replay_await(struct replay *replay, uint32_t rank)
{
    await_messages(replay, rank, 1, replay->ranks[rank].threads ? ENGINE_ANY_COUNTER : ENGINE_NO_COUNTER);
}

void replay_resume(struct replay *replay, uint32_t rank)
{
    const struct engine_descriptor *kind = replay->engine_kind;
    if (kind->resume) kind->resume(replay->engine, replay->nodes[rank]);
}

enum status replay_watch_all(struct replay *replay, uint32_t rank, bool on)
{
    const struct engine_descriptor *kind = replay->engine_kind;
    return kind->watch_all ? kind->watch_all(replay->engine, replay->nodes[rank], on, replay->err) : STATUS_OK;
}

static void block(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    state->status = RANK_BLOCKED;
    await_messages(replay, rank, state->need, state->threads ? ENGINE_ANY_COUNTER : replay->counter);
    state->need = 0;
    replay->counter = ENGINE_NO_COUNTER;
}

/* Whether a rank is inside MPI matters to progress = call only: there the exit is a moment of its own. */
static bool exits_apart(const struct replay *replay, const struct rank_state *state)
{
    return replay->needs_call && state->resume_ps > replay->now_ps;
}

/* The call that the rank is in begins to serve what lies there. True: it did serve something, which may let it go on. */
static bool begin_serving(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    if (state->inside || state->threads || !replay_is_library(&state->calls[state->next])) return false;
    state->inside = true;
    if (state->serve_first == NO_INDEX) return false;
    if (replay_serve_waiting(replay, rank) != STATUS_OK) replay->failed = true;
    return true;
}

static void advance(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    if (state->status == RANK_BLOCKED) replay_resume(replay, rank);
    state->status = RANK_RUNNING;
    while (!replay->failed) {
        enum step step = step_call(replay, rank);
        if (step == STEP_EXIT && exits_apart(replay, state))
            step = replay_pause(state, state->resume_ps, PHASE_LEAVE);
        bool waits = step == STEP_BLOCK || step == STEP_PAUSE ||
                     (step == STEP_EXIT && replay->platform->protocol.visit == VISIT_ENTER);
        bool served = replay->needs_call && waits && begin_serving(replay, rank);
        if (served && step == STEP_BLOCK) {
            state->need = 0;
            continue; /* looks again */
        }
        switch (step) {
        case STEP_AGAIN: break;
        case STEP_BLOCK: block(replay, rank); return;
        case STEP_FAIL: replay->failed = true; return;
        case STEP_SPEND: /* works, and serves nothing meanwhile, unless it does so from its entry on */
            if (state->inside && replay->needs_call && !state->threads) state->inside = serves_on_enter(replay, rank);
            /* fall through */
        case STEP_PAUSE:
            state->status = RANK_PAUSED;
            if (set_walk_timer(replay, rank, state->resume_ps) != STATUS_OK) replay->failed = true;
            return;
        case STEP_EXIT:
            if (!leave_call(replay, rank)) return;
            enter_call(replay, rank);
            break;
        }
    }
}

void replay_advance(struct replay *replay, uint32_t rank)
{
    if (replay->ranks[rank].status == RANK_COMPUTING) enter_call(replay, rank);
    advance(replay, rank);
}

void replay_wake_blocked(struct replay *replay, uint32_t rank)
{
    if (!replay->ranks[rank].threads)
        advance(replay, rank);
    else if (replay_threads_wake(replay, rank) != STATUS_OK)
        replay->failed = true;
}

enum status replay_poll(struct replay *replay, uint32_t rank)
{
    const struct engine_descriptor *kind = replay->engine_kind;
    int64_t now_ps = replay->now_ps;
    if (kind->look) TRY(kind->look(replay->engine, replay->nodes[rank], replay->err));
    replay->now_ps = now_ps;
    return STATUS_OK;
}

static enum status on_rank_timer(struct replay *replay, uint32_t rank)
{
    TRY(replay_poll(replay, rank));
    replay_advance(replay, rank);
    return STATUS_OK;
}

static enum status on_thread_timer(struct replay *replay, uint32_t thread, bool looks)
{
    TRY(replay_poll(replay, replay->thread_names[thread].rank));
    return replay_on_thread_timer(replay, thread, looks);
}

static uint32_t rank_of_request(const struct replay *replay, uint32_t index)
{
    const struct request *request = &replay->requests[index];
    return request->of_task ? replay->tasks[request->rank].rank : request->rank;
}

static void on_timer(void *context, uint32_t id, int64_t now_ps)
{
    struct replay *replay = context;
    replay->now_ps = now_ps;
    enum status status = STATUS_OK;
    uint32_t item = id & TIMER_ID_MASK;
    switch ((enum timer_kind)(id >> TIMER_SHIFT)) {
    case TIMER_RANK: status = on_rank_timer(replay, id); break;
    case TIMER_OP:
        status = replay_poll(replay, replay->ops[item].target);
        if (status == STATUS_OK) status = replay_on_applied(replay, item);
        break;
    case TIMER_MESSAGE:
        status = replay_poll(replay, replay->messages[item].message.destination);
        if (status == STATUS_OK) status = replay_serve_late(replay, item);
        break;
    case TIMER_ENVELOPE:
        status = replay_poll(replay, replay->envelopes[item].source);
        if (status == STATUS_OK) status = replay_send_left(replay, item);
        break;
    case TIMER_REQUEST:
        status = replay_poll(replay, rank_of_request(replay, item));
        if (status == STATUS_OK) status = replay_request_done(replay, item);
        break;
    case TIMER_ROOM:
        status = replay_poll(replay, replay->rooms[item].rank);
        if (status == STATUS_OK) status = replay_on_room(replay, item);
        break;
    case TIMER_THREAD: status = on_thread_timer(replay, item, false); break;
    case TIMER_LOOK: status = on_thread_timer(replay, item, true); break;
    }
    if (status != STATUS_OK) replay->failed = true;
}

static void on_arrived(void *context, const struct engine_note *note, int64_t now_ps, int64_t at_ps)
{
    struct replay *replay = context;
    replay->now_ps = now_ps;
    replay->arrival_ps = at_ps;
    if (replay_past_end(replay, note->source, at_ps)) return;
    if (replay_arrived(replay, note) != STATUS_OK) replay->failed = true;
}

static void on_counted(void *context, uint32_t rank, uint32_t counter, int64_t now_ps)
{
    struct replay *replay = context;
    replay->now_ps = replay->arrival_ps = now_ps;
    if (replay_past_end(replay, rank, now_ps)) return;
    if (replay_counted(replay, rank, counter) != STATUS_OK) replay->failed = true;
}

static void on_scattered(void *context, uint32_t rank, uint32_t round)
{
    replay_scattered(context, rank, round);
}

static void on_left(void *context, const struct engine_note *note, int64_t began_ps, int64_t now_ps)
{
    struct replay *replay = context;
    replay->now_ps = now_ps;
    if (replay_past_end(replay, note->source, now_ps)) return;
    if (replay_left(replay, note, began_ps, now_ps) != STATUS_OK) replay->failed = true;
}

static void on_prefetch_timer(void *context, uint32_t id, enum engine_distance distance, struct prefetch_lines *wanted)
{
    if (id >> TIMER_SHIFT == TIMER_RANK) replay_prefetch_rank(context, id, distance, wanted);
}

static void on_prefetch_resume(void *context, uint32_t rank, enum engine_distance distance,
                               struct prefetch_lines *wanted)
{
    replay_prefetch_rank(context, rank, distance, wanted);
}

static void on_prefetch_arrived(void *context, const struct engine_note *note, struct prefetch_lines *wanted)
{
    replay_prefetch_message(context, note, wanted);
}

static bool on_stop(void *context)
{
    const struct replay *replay = context;
    return replay->failed;
}

static enum status set_timer(struct replay *replay, int64_t at_ps, uint32_t key, enum timer_kind kind, uint32_t item)
{
    return replay->engine_kind->timer(replay->engine, at_ps, key, item | (uint32_t)kind << TIMER_SHIFT, replay->err);
}

enum status replay_timer_op(struct replay *replay, int64_t at_ps, uint32_t key, uint32_t op)
{
    return set_timer(replay, at_ps, key, TIMER_OP, op);
}

enum status replay_timer_message(struct replay *replay, int64_t at_ps, uint32_t key, uint32_t message)
{
    return set_timer(replay, at_ps, key, TIMER_MESSAGE, message);
}

enum status replay_timer_request(struct replay *replay, int64_t at_ps, uint32_t key, uint32_t request)
{
    return set_timer(replay, at_ps, key, TIMER_REQUEST, request);
}

enum status replay_timer_envelope(struct replay *replay, int64_t at_ps, uint32_t key, uint32_t envelope)
{
    return set_timer(replay, at_ps, key, TIMER_ENVELOPE, envelope);
}

enum status replay_timer_thread(struct replay *replay, int64_t at_ps, uint32_t key, uint32_t thread, bool looks)
{
    return set_timer(replay, at_ps, key, looks ? TIMER_LOOK : TIMER_THREAD, thread);
}

enum status replay_timer_room(struct replay *replay, int64_t at_ps, uint32_t key, uint32_t room)
{
    return set_timer(replay, at_ps, key, TIMER_ROOM, room);
}

enum status replay_run(const struct trace *trace, const struct platform *platform, const struct replay_options *options,
                       struct replay_outcome *outcome, struct err *err)
{
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    struct replay replay;
    memset(outcome, 0, sizeof *outcome);
    const struct engine_callbacks callbacks = {.context = &replay,
                                               .left = on_left,
                                               .arrived = on_arrived,
                                               .counted = on_counted,
                                               .scattered = on_scattered,
                                               .timer = on_timer,
                                               .stop = on_stop,
                                               .prefetch_timer = on_prefetch_timer,
                                               .prefetch_resume = on_prefetch_resume,
                                               .prefetch_arrived = on_prefetch_arrived,
                                               .explain_route = replay_explain_route};
    enum status status = replay_open(&replay, trace, platform, options, outcome, &callbacks, err);
    bool watch = status == STATUS_OK && replay.engine_kind->once_per_process;
    if (watch) replay_watch_aborts(&replay);
    if (status == STATUS_OK) status = replay.engine_kind->run(replay.engine, &outcome->stats, err);
    if (watch) replay_unwatch_aborts();
    if (status == STATUS_OK && replay.failed) status = err && err->status ? err->status : STATUS_DATA;
    if (status == STATUS_OK && replay.done_count < trace->rank_count) status = replay_report_deadlock(&replay);
    if (status == STATUS_OK) status = replay_report_leftovers(&replay);
    if (status == STATUS_OK) status = replay_note_agreements(&replay);
    if (status == STATUS_OK) status = replay_finish(&replay);
    replay_close(&replay);
    if (status != STATUS_OK) {
        replay_outcome_clear(outcome);
        return status;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    outcome->wall_s = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    return STATUS_OK;
}
