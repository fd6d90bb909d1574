/* Ranks as coroutines: each computes, enters a call, does it, and leaves it. */
#include "tests/reference/model.h"

#include <math.h>
#include <stdint.h>

#include "common/units.h"
#include "tests/reference/operation.h"

enum { STACK_BYTES = 256 * 1024 };

static void suspend(struct model *model, struct rank *rank, condition *ready, const void *what)
{
    if (ready(model, what)) return;
    rank->ready = ready;
    rank->what = what;
    swapcontext(&rank->context, rank->caller);
}

static void poll_once(struct model *model, struct rank *rank, bool goes_on);

/* mpi.rma.protocol.polls: for what had come before it began to wait it polls again at once. */
static bool polls_on(const struct rank *rank)
{
    return rank->pending_count > 0 && rank->poll_ps == 0 && !rank->fails && !rank->owner;
}

/* mpi.rma.protocol.visit: what comes while it waits is served then. */
void rank_await(struct model *model, struct rank *rank, condition *ready, const void *what)
{
    if (ready(model, what)) return;
    if (!rank->serves) rank_look(model, rank);
    while (!ready(model, what) && polls_on(rank)) poll_once(model, rank, false);
    suspend(model, rank, ready, what);
}

bool rank_serves(const struct model *model, const struct rank *rank)
{
    return rank->ended || rank->serves || model->now_ps < rank->lingers_until_ps;
}

static void switch_to(struct model *model, struct rank *rank)
{
    struct rank *outer = model->running;
    ucontext_t here;
    model->running = rank;
    rank->ready = NULL;
    rank->caller = &here;
    swapcontext(&here, &rank->context);
    model->running = outer;
}

bool rank_go_on(struct model *model, struct rank *rank)
{
    if (model->running || !rank->ready || !rank->ready(model, rank->what)) return false;
    switch_to(model, rank);
    return true;
}

static void plan_poll(struct model *model, struct rank *rank);

/* polls: of its calls, by mpi.rma.protocol.polls, until it is done. */
static void when_it_serves(struct model *model, struct rank *rank, uint32_t polls, action *act, void *what)
{
    bool now = rank_serves(model, rank);
    if (now && --polls == 0) {
        act(model, what);
        return;
    }
    rank->pending =
        model_grow(model, rank->pending, rank->pending_count, &rank->pending_capacity, sizeof *rank->pending);
    rank->pending[rank->pending_count++] = (struct step){act, what, polls};
    if (now) plan_poll(model, rank);
}

static void task_served(struct model *model, void *what)
{
    struct rank *task = what;
    task->postponed = false;
    if (task->ready && task->ready(model, task->what)) switch_to(model, task);
}

static bool task_go_on(struct model *model, struct rank *task)
{
    if (task->postponed || !task->ready || !task->ready(model, task->what)) return false;
    task->postponed = model->platform->progress == PROGRESS_CALL && !rank_serves(model, task->owner);
    if (task->postponed)
        when_it_serves(model, task->owner, 1, task_served, task);
    else
        switch_to(model, task);
    return true;
}

/* In the order of ranks, until nobody can go on: one may let another one go on without a message. What goes on beside
 * the calls is the NIC's and comes first. */
void ranks_go_on(struct model *model)
{
    for (bool some = true; some;) {
        some = false;
        for (size_t i = 0; i < model->task_count; i++) some |= task_go_on(model, model->tasks[i]);
        for (uint32_t r = 0; r < model->rank_count; r++) some |= rank_go_on(model, &model->ranks[r]);
    }
}

static void set_true(struct model *model, void *what)
{
    (void)model;
    *(bool *)what = true;
}

static bool is_true(const struct model *model, const void *what)
{
    (void)model;
    return *(const bool *)what;
}

void rank_spend(struct model *model, struct rank *rank, int64_t ps)
{
    bool *over = model_new(model, sizeof *over);
    if (ps == 0) return;
    rank->serves = rank->serves && rank->looks;
    event_add(model, model->now_ps + ps, rank->number, set_true, over);
    suspend(model, rank, is_true, over);
}

void rank_await_time(struct model *model, struct rank *rank, int64_t until_ps)
{
    bool *over = model_new(model, sizeof *over);
    if (until_ps <= model->now_ps) return;
    if (!rank->serves) rank_look(model, rank);
    while (polls_on(rank)) poll_once(model, rank, false);
    event_add(model, until_ps, rank->number, set_true, over);
    rank_await(model, rank, is_true, over);
}

void rank_pay_overhead(struct model *model, struct rank *rank)
{
    rank_spend(model, rank, rank->overhead_ps);
}

enum progress_mode server_of_message(const struct model *model, enum service service, int64_t bytes)
{
    const struct serve_rule *rule = model->platform->protocol.serves[service];
    while (bytes > rule->upto_bytes) rule++;
    return rule->by;
}

/* The n-th rank of a node has the (n mod K)-th of its K progress ranks, whose work the first such rank of the node counts. */
struct rank *rank_server(struct model *model, uint32_t number)
{
    uint32_t before = 0, left = 0;
    const int32_t node = platform_node_of(model->platform, number);
    if (model->platform->progress_ranks == 0) return &model->ranks[number];
    for (uint32_t r = 0; r < number; r++) before += platform_node_of(model->platform, r) == node;
    left = before % (uint32_t)model->platform->progress_ranks;
    for (uint32_t r = 0;; r++) {
        if (platform_node_of(model->platform, r) != node) continue;
        if (left-- == 0) return &model->ranks[r];
    }
}

static void serve_by(struct model *model, uint32_t number, enum progress_mode by, uint32_t polls, action *act, void *what)
{
    int64_t delay_ps = by == PROGRESS_THREAD ? units_ps(model->platform->thread_delay_s) : 0;
    if (by == PROGRESS_THREAD && model->platform->progress_ranks > 0) {
        struct rank *server = rank_server(model, number);
        if (server->applied_ps < model->now_ps || !model->platform->contention) server->applied_ps = model->now_ps;
        server->applied_ps += delay_ps;
        delay_ps = server->applied_ps - model->now_ps;
    }
    if (by == PROGRESS_CALL)
        when_it_serves(model, &model->ranks[number], polls, act, what);
    else if (delay_ps > 0)
        event_add(model, model->now_ps + delay_ps, number, act, what);
    else
        act(model, what);
}

static void serve_in(struct model *model, struct arrival arrival, uint32_t polls, action *act, void *what)
{
    enum progress_mode by = server_of_message(model, arrival.service, arrival.bytes);
    serve_by(model, arrival.to, arrival.from == arrival.to ? PROGRESS_HARDWARE : by, polls, act, what);
}

void rank_serve(struct model *model, struct arrival arrival, action *act, void *what)
{
    serve_in(model, arrival, arrival.service == SERVICE_CLEAR ? 1 : model->platform->protocol.polls, act, what);
}

void rank_serve_once(struct model *model, struct arrival arrival, action *act, void *what)
{
    if (model->platform->progress_ranks == 0)
        serve_in(model, arrival, 1, act, what);
    else
        serve_by(model, arrival.to, arrival.from == arrival.to ? PROGRESS_HARDWARE : PROGRESS_CALL, 1, act, what);
}

/* One poll: what needs no further one is done, in the order of arrival, and the rank goes on in between if it can. */
static void poll_once(struct model *model, struct rank *rank, bool goes_on)
{
    struct step *all = rank->pending;
    size_t count = rank->pending_count;
    rank->pending = NULL;
    rank->pending_count = rank->pending_capacity = 0;
    for (size_t i = 0; i < count; i++) {
        if (--all[i].polls == 0) continue;
        rank->pending =
            model_grow(model, rank->pending, rank->pending_count, &rank->pending_capacity, sizeof *rank->pending);
        rank->pending[rank->pending_count++] = all[i];
    }
    if (goes_on && rank->pending_count > 0) plan_poll(model, rank);
    for (size_t i = 0; i < count; i++) {
        if (all[i].polls > 0) continue;
        all[i].act(model, all[i].what);
        for (size_t k = 0; k < model->task_count; k++) /* at once, before what comes behind it */
            if (model->tasks[k]->owner == rank) task_go_on(model, model->tasks[k]);
        if (model->platform->protocol.polls > 1) rank_go_on(model, rank);
    }
}

static void poll_is_due(struct model *model, void *what)
{
    struct rank *rank = what;
    if (rank->poll_ps != model->now_ps + 1) return; /* the call has returned */
    rank->poll_ps = 0;
    if (rank->ended || rank->serves) poll_once(model, rank, true);
}

/* The call that waits polls for what is left. */
static void plan_poll(struct model *model, struct rank *rank)
{
    if (rank->poll_ps != 0 || (!rank->ended && !rank->serves)) return;
    int64_t at_ps = model->now_ps + units_ps(model->platform->protocol.poll_s);
    rank->poll_ps = at_ps + 1;
    event_add(model, at_ps, rank->number, poll_is_due, rank);
}

void rank_look(struct model *model, struct rank *rank)
{
    rank->served = rank->serves = true;
    rank->visits++;
    poll_once(model, rank, false);
}

/* A region: computing of its recorded length. */
static bool is_plain(enum mpi_call call)
{
    static const enum mpi_call plain[] = {
#define MPI_CALL(NAME, ...) ID_##NAME,
#define MPI_CALL_C          MPI_CALL
#include "trace/calls/mpi_plain_calls.def"
#undef MPI_CALL_C
#undef MPI_CALL
    };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (plain[i] == call) return true;
    return false;
}

static void do_call(struct model *model, struct rank *rank, const struct trace_call *call)
{
    const struct trace *trace = model->trace;
    enum call_kind kind = call_kind(call->call);
    switch (kind) {
    case CALL_WIN_CREATE:
    case CALL_WIN_FREE:
    case CALL_FENCE: do_fence(model, rank, call); break;
    case CALL_POST:
    case CALL_START:
    case CALL_COMPLETE:
    case CALL_WIN_WAIT:
    case CALL_WIN_TEST: do_active(model, rank, call); break;
    case CALL_PUT:
    case CALL_GET:
    case CALL_ACCUMULATE:
    case CALL_GET_ACCUMULATE: do_operation(model, rank, call); break;
    case CALL_LOCK:
    case CALL_LOCK_ALL:
    case CALL_UNLOCK:
    case CALL_UNLOCK_ALL:
    case CALL_FLUSH:
    case CALL_FLUSH_LOCAL: do_passive(model, rank, call); break;
    case CALL_SEND:
    case CALL_ISEND:
    case CALL_RECV:
    case CALL_IRECV:
    case CALL_SENDRECV:
    case CALL_REQUEST_WAIT:
    case CALL_REQUEST_WAITALL:
    case CALL_REQUEST_TEST:
    case CALL_REQUEST_TESTALL:
    case CALL_REQUEST_QUERY: do_message(model, rank, call); break;
    case CALL_BARRIER:
    case CALL_BCAST:
    case CALL_REDUCE:
    case CALL_ALLREDUCE:
    case CALL_GATHER:
    case CALL_SCATTER:
    case CALL_ALLGATHER:
    case CALL_ALLTOALL:
    case CALL_GATHERV:
    case CALL_SCATTERV:
    case CALL_SCAN:
    case CALL_EXSCAN: do_collective(model, rank, call); break;
    case CALL_SHMEM_BARRIER:
    case CALL_SHMEM_PUT:
    case CALL_SHMEM_PUT_NBI:
    case CALL_SHMEM_GET:
    case CALL_SHMEM_GET_NBI:
    case CALL_SHMEM_ATOMIC:
    case CALL_SHMEM_FETCH:
    case CALL_SHMEM_QUIET:
    case CALL_SHMEM_FENCE:
    case CALL_SHMEM_WAIT:
    case CALL_SHMEM_SET_LOCK:
    case CALL_SHMEM_CLEAR_LOCK: do_shmem(model, rank, call); break;
    case CALL_INIT: /* reference_lacks(): all ranks have it, or nobody */
    case CALL_FINALIZE:
        if (trace->definitions.comms[0].count > 1) rank_pay_overhead(model, rank);
        collective_barrier(model, rank, &trace->definitions.comms[0], (uint32_t)trace->definitions.window_count);
        rank_spend(model, rank, units_ps(kind == CALL_INIT ? model->platform->init_s : model->platform->finalize_s));
        break;
    default: break; /* local */
    }
}

/* mpi.rma.protocol.visit, .lock_order: a lock of the own window looks by itself. So do a flush, flush_local and unlock of one
 * target, which may ask before they serve. */
static bool looks_first(const struct model *model, const struct rank *rank, const struct trace_call *call)
{
    const struct rma_protocol *protocol = &model->platform->protocol;
    enum call_kind kind = call_kind(call->call);
    bool own = kind == CALL_LOCK_ALL || (kind == CALL_LOCK && call->peer == (int32_t)rank->number);
    if (own) return protocol->lock_order == LOCK_ORDER_ARRIVAL;
    if (protocol->visit == VISIT_NEEDED && kind == CALL_COMPLETE) return false;
    if (protocol->visit != VISIT_ENTER && call_arm(kind) == ARM_COMPLETION) return requests_are_news(model, rank, call);
    bool flush = kind == CALL_FLUSH || kind == CALL_FLUSH_LOCAL;
    if (kind == CALL_UNLOCK || (flush && call->peer != TRACE_NONE)) return protocol->visit == VISIT_ENTER;
    return protocol->visit == VISIT_ENTER || kind == CALL_COMPLETE || kind == CALL_FENCE || kind == CALL_UNLOCK_ALL ||
           flush;
}

/* A test that says no is computing. */
static bool says_no(const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    bool tests = kind == CALL_WIN_TEST || kind == CALL_REQUEST_TEST || kind == CALL_REQUEST_TESTALL ||
                 kind == CALL_REQUEST_QUERY || kind == CALL_IPROBE;
    return tests && !(call->flags & TRACE_FLAG);
}

static bool is_region(const struct trace_call *call)
{
    return call_kind(call->call) == CALL_REGION_ENTER || call_kind(call->call) == CALL_REGION_LEAVE;
}

static int64_t computing_ps(const struct rank *rank, int64_t recorded_ps)
{
    return llround((double)recorded_ps * rank->pace);
}

/* A lock that asks nobody, a fence that waits for nobody. */
static bool returns_at_once(const struct model *model, const struct trace_call *call)
{
    const unsigned both = TRACE_NOPRECEDE | TRACE_NOSUCCEED;
    switch (call_kind(call->call)) {
    case CALL_LOCK:
        if (call->peer == TRACE_NONE || (call->flags & TRACE_NOCHECK)) return true;
        return lock_of(model, call->handle) == FORM_LOCK_LAZY;
    case CALL_LOCK_ALL: return (call->flags & TRACE_NOCHECK) || lock_of(model, call->handle) != FORM_LOCK_GRANT;
    case CALL_FENCE:
        return (call->flags & both) == both && fence_of(model, call->handle).asserted;
    default: return false;
    }
}

/* Whether it has a time of its own, and ends a pause. */
static bool works(const struct model *model, const struct trace_call *call)
{
    return call->call < MPI_FUNCTION_COUNT && call_kind(call->call) != CALL_LOCAL && !returns_at_once(model, call);
}

/* Whether the call leaves the rank's node: to the one rank that it names, else to a member of what it is made on. */
static bool leaves_node(const struct model *model, const struct rank *rank, const struct trace_call *call)
{
    const struct trace_comm *comm = trace_call_comm(model->trace, call);
    enum call_arm arm = call_arm(call_kind(call->call));
    bool one = call->peer >= 0 && arm != ARM_COLLECTIVE && arm != ARM_EXCHANGE;
    for (uint32_t i = 0; i < model->rank_count; i++) {
        bool named = one ? (uint32_t)call->peer == i : !comm || trace_comm_rank(comm, (int32_t)i) != TRACE_NONE;
        if (named && platform_node_of(model->platform, i) != rank->node) return true;
    }
    return false;
}

/* mpi.pause, network.loopback.pause */
static int64_t pause_ps(const struct model *model, const struct rank *rank, const struct trace_call *call)
{
    const struct platform *platform = model->platform;
    const struct pause_cost *cost = leaves_node(model, rank, call) ? &platform->pause : &platform->loopback_pause;
    double after = (double)units_ps(cost->after_s), full = fmax((double)units_ps(cost->full_s), after);
    double lasts = (double)(model->now_ps - rank->paused_from_ps), most = (double)units_ps(cost->call_s);
    if (lasts < after) return 0;
    return llround(lasts < full ? most * (lasts - after) / (full - after) : most);
}

/* mpi.call_s */
int64_t rank_call_ps(const struct model *model, const struct rank *rank, const struct trace_call *call)
{
    const struct platform *platform = model->platform;
    bool own = platform->loopback_call_s && !leaves_node(model, rank, call);
    const double *call_s = own ? platform->loopback_call_s : platform->call_s;
    return works(model, call) && call_s ? units_ps(call_s[call->call]) : 0;
}

/* mpi.call_s, mpi.pause */
static int64_t own_ps(const struct model *model, const struct rank *rank, const struct trace_call *call)
{
    if (!works(model, call)) return 0;
    return rank_call_ps(model, rank, call) + pause_ps(model, rank, call);
}

/* network.overhead_s, network.loopback.overhead_s */
static int64_t overhead_ps(const struct model *model, const struct rank *rank, const struct trace_call *call)
{
    return units_ps(leaves_node(model, rank, call) ? model->platform->overhead_s : model->platform->loopback_overhead_s);
}

/* Fences, complete, locks and unlocks spend it by themselves. A blocking collective polls. */
static void spend_own(struct model *model, struct rank *rank, const struct trace_call *call)
{
    bool polls = call_arm(call_kind(call->call)) == ARM_COLLECTIVE && !call_makes_request(call->call);
    enum call_kind kind = call_kind(call->call);
    if (kind == CALL_FENCE || kind == CALL_LOCK || kind == CALL_LOCK_ALL || kind == CALL_COMPLETE) return;
    if (kind == CALL_UNLOCK || kind == CALL_UNLOCK_ALL) return;
    if (polls)
        rank_await_time(model, rank, model->now_ps + rank->own_ps);
    else
        rank_spend(model, rank, rank->own_ps);
}

static uint32_t wanting(const struct crowd *crowd)
{
    uint32_t awake = crowd->ranks - crowd->asleep;
    return awake > crowd->cores ? awake : crowd->cores;
}

static void fall_asleep(struct crowd *crowd, bool asleep)
{
    uint32_t before = wanting(crowd);
    crowd->asleep += asleep ? 1u : -1u;
    crowd->shares += wanting(crowd) != before;
}

struct stint { /* computing until its time is over or the share of the cores changes */
    const struct crowd *crowd;
    uint32_t shares;
    bool over;
};

static bool stint_ends(const struct model *model, const void *what)
{
    const struct stint *stint = what;
    (void)model;
    return stint->over || stint->crowd->shares != stint->shares;
}

/* docs/simulation.md, Computing: ranks that are awake share the cores. */
static void compute_in_crowd(struct model *model, struct rank *rank, struct crowd *crowd, int64_t left_ps)
{
    int64_t cores = crowd->cores;
    for (;;) {
        struct stint *stint = model_new(model, sizeof *stint);
        int64_t from_ps = model->now_ps, want = wanting(crowd);
        *stint = (struct stint){crowd, crowd->shares, false};
        event_add(model, from_ps + (left_ps * want + cores - 1) / cores, rank->number, set_true, &stint->over);
        suspend(model, rank, stint_ends, stint);
        if (stint->over) return;
        int64_t done_ps = (model->now_ps - from_ps) * cores / want;
        left_ps = done_ps < left_ps ? left_ps - done_ps : 0;
    }
}

/* What is before the call: computing, then sleep. */
static void spend_gap(struct model *model, struct rank *rank, size_t call, int64_t gap_ps)
{
    struct crowd *crowd = &model->crowds[rank->node];
    const int64_t *slept = rank->recorded->before_ps[BEFORE_SLEPT];
    int64_t slept_ps = slept && slept[call] > 0 ? slept[call] : 0;
    if (slept_ps > gap_ps) slept_ps = gap_ps;
    int64_t computed_ps = computing_ps(rank, gap_ps - slept_ps);
    if (!crowd->sleeps) {
        rank_spend(model, rank, computed_ps + slept_ps);
        return;
    }
    if (computed_ps > 0) compute_in_crowd(model, rank, crowd, computed_ps);
    if (slept_ps == 0) return;
    fall_asleep(crowd, true);
    rank_spend(model, rank, slept_ps);
    fall_asleep(crowd, false);
}

void rank_walk(struct model *model, struct rank *rank, void *unused)
{
    (void)unused;
    int64_t recorded_ps = trace_begin_ps(model->trace);
    bool begun = false;
    event_add(model, 0, rank->number, set_true, &begun); /* an event of each rank, in their order */
    suspend(model, rank, is_true, &begun);
    for (size_t i = 0; i < rank->recorded->count; i++) {
        const struct trace_call *call = &rank->recorded->calls[i];
        spend_gap(model, rank, i, call->enter_ps - recorded_ps);
        recorded_ps = call->exit_ps;
        rank->times.enter_ps[i] = model->now_ps;
        rank->served = false;
        rank->looks = !is_region(call) && looks_first(model, rank, call);
        if (rank->looks) rank_look(model, rank);
        int64_t lasts_ps = computing_ps(rank, call->exit_ps - call->enter_ps);
        rank->fails = says_no(call);
        if (rank->fails) /* it polls */
            rank_await_time(model, rank, model->now_ps + lasts_ps);
        else if (is_plain(call->call))
            rank_spend(model, rank, lasts_ps);
        else {
            rank->own_ps = own_ps(model, rank, call);
            rank->overhead_ps = overhead_ps(model, rank, call);
            spend_own(model, rank, call);
            do_call(model, rank, call);
        }
        rank->serves = false;
        rank->poll_ps = 0;
        if (rank->served) rank->polled_ps = model->now_ps;
        if (call_makes_request(call->call)) rank->requests[call->ref].made_ps = model->now_ps;
        rank->times.exit_ps[i] = model->now_ps;
        if (works(model, call)) rank->paused_from_ps = model->now_ps;
        if (rank->served) rank->lingers_until_ps = model->now_ps + units_ps(model->platform->protocol.linger_s);
    }
    rank->ended = true;
    while (rank->pending_count > 0) rank_look(model, rank);
}

static void begin(unsigned high, unsigned low)
{
    struct model *model = (struct model *)((uintptr_t)high << 32 | low);
    struct rank *rank = model->running;
    rank->body(model, rank, rank->body_what);
    rank->ended = true;
    setcontext(rank->caller);
}

static bool always(const struct model *model, const void *what)
{
    (void)model;
    (void)what;
    return true;
}

void rank_start(struct model *model, struct rank *rank, coroutine *body, void *what)
{
    rank->body = body;
    rank->body_what = what;
    rank->stack = model_new(model, STACK_BYTES);
    getcontext(&rank->context);
    rank->context.uc_stack.ss_sp = rank->stack;
    rank->context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&rank->context, (void (*)(void))begin, 2, (unsigned)((uintptr_t)model >> 32),
                (unsigned)(uintptr_t)model);
    rank->ready = always;
}

struct rank *rank_task(struct model *model, struct rank *owner, coroutine *body, void *what)
{
    struct rank *task = model_new(model, sizeof *task);
    *task = (struct rank){.number = owner->number, .node = owner->node, .owner = owner};
    task->instances = owner->instances;
    rank_start(model, task, body, what);
    model->tasks = model_grow(model, model->tasks, model->task_count, &model->task_capacity, sizeof *model->tasks);
    model->tasks[model->task_count++] = task;
    switch_to(model, task);
    return task;
}
