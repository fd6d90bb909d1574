/* docs/simulation.md, Passive target. */
#include "tests/reference/passive.h"

/* The queue of one target: holders and those that wait, first come, first served. */
static struct server *server_of(const struct model *model, const struct lane *lane)
{
    return &model->servers[(size_t)lane->epoch->window * model->rank_count + lane->target];
}

static void granted(struct model *model, void *what)
{
    struct lane *lane = what;
    lane->open = true;
    lane_pump(model, lane);
}

static void grant_arrives(struct model *model, void *what)
{
    const struct lane *lane = what;
    rank_serve(model, (struct arrival){lane->target, lane->epoch->origin, SERVICE_NOTIFICATION, 0}, granted, what);
}

static bool fits(const struct server *server, const struct lane *lane)
{
    return server->holder_count == 0 || (!server->exclusive && !lane->epoch->exclusive);
}

static void grant(struct model *model, struct server *server, size_t place)
{
    struct lane *lane = server->queue[place];
    server->queue_count--;
    for (size_t i = place; i < server->queue_count; i++) server->queue[i] = server->queue[i + 1];
    server->holder_count++;
    server->exclusive = lane->epoch->exclusive;
    if (lane->target == lane->epoch->origin)
        granted(model, lane);
    else
        network_send_control(model, lane->target, lane->epoch->origin, true, grant_arrives, lane);
}

/* lock_all goes past exclusive ones that wait for a shared lock. Who is granted its own lock goes on before the next
 * grant leaves. */
static void grant_all_that_fit(struct model *model, struct server *server)
{
    for (size_t i = 0; i < server->queue_count;) {
        struct lane *lane = server->queue[i];
        if ((i > 0 && !lane->epoch->all) || !fits(server, lane)) {
            i++;
            continue;
        }
        grant(model, server, i);
        if (lane->target == lane->epoch->origin) rank_go_on(model, &model->ranks[lane->target]);
        i = 0;
    }
}

static void request_served(struct model *model, void *what)
{
    struct lane *lane = what;
    struct server *server = server_of(model, lane);
    server->queue =
        model_grow(model, server->queue, server->queue_count, &server->queue_capacity, sizeof *server->queue);
    server->queue[server->queue_count++] = lane;
    grant_all_that_fit(model, server);
}

static void request_arrives(struct model *model, void *what)
{
    const struct lane *lane = what;
    rank_serve(model, (struct arrival){lane->epoch->origin, lane->target, SERVICE_LOCK, 0}, request_served, what);
}

static void let_go(struct model *model, struct lane *lane)
{
    struct server *server = server_of(model, lane);
    server->holder_count--;
    grant_all_that_fit(model, server);
}

static void release_answered(struct model *model, void *what)
{
    (void)model;
    ((struct lane *)what)->answered = true;
}

static void release_answer_arrives(struct model *model, void *what)
{
    const struct lane *lane = what;
    rank_serve(model, (struct arrival){lane->target, lane->epoch->origin, SERVICE_ACKNOWLEDGEMENT, 0},
               release_answered, what);
}

static void release_served(struct model *model, void *what)
{
    struct lane *lane = what;
    let_go(model, lane);
    if (!lane->answered)
        network_send_control(model, lane->target, lane->epoch->origin, true, release_answer_arrives, lane);
}

static void release_arrives(struct model *model, void *what)
{
    const struct lane *lane = what;
    rank_serve(model, (struct arrival){lane->epoch->origin, lane->target, SERVICE_RELEASE, 0}, release_served, what);
}

void lane_ask(struct model *model, struct lane *lane)
{
    lane->asked = true;
    if (lane->target == lane->epoch->origin)
        request_served(model, lane);
    else
        network_send_control(model, lane->epoch->origin, lane->target, true, request_arrives, lane);
}

static void release(struct model *model, struct lane *lane)
{
    bool own = lane->target == lane->epoch->origin;
    lane->answered = !lane->asked || own || model->platform->protocol.unlock == UNLOCK_RELEASED;
    if (!lane->asked) return;
    if (own)
        let_go(model, lane);
    else
        network_send_control(model, lane->epoch->origin, lane->target, false, release_arrives, lane);
}

static bool is_open(const struct model *model, const void *what)
{
    const struct epoch *epoch = what;
    for (uint32_t i = 0; i < epoch->lane_count; i++)
        if (epoch->lanes[i].asked && !lane_is_open(model, &epoch->lanes[i])) return false;
    return true;
}

static bool is_away(const struct lane *lane)
{
    return lane->target != lane->epoch->origin;
}

static void lock(struct model *model, struct rank *rank, const struct trace_call *call)
{
    const struct trace_comm *comm = trace_call_comm(model->trace, call);
    bool all = call_kind(call->call) == CALL_LOCK_ALL, pays = false;
    struct epoch *epoch = epoch_new(model, EPOCH_LOCK, call->handle, rank->number, all ? comm->members : &call->peer,
                                    all ? comm->count : 1);
    epoch->all = all;
    epoch->exclusive = call->flags & TRACE_EXCLUSIVE;
    epoch->nocheck = call->flags & TRACE_NOCHECK;
    bool asks = !epoch->nocheck && lock_of(model, call->handle) == LOCK_BLOCKING;
    for (uint32_t i = 0; i < epoch->lane_count; i++) {
        struct lane *lane = &epoch->lanes[i];
        pair_of(model, call->handle, rank->number, lane->target)->lock = lane;
        lane->open = epoch->nocheck;
        pays |= asks && is_away(lane);
    }
    if (pays) rank_pay_overhead(model, rank);
    for (uint32_t i = 0; asks && i < epoch->lane_count; i++) lane_ask(model, &epoch->lanes[i]);
    if (model->platform->protocol.visit == VISIT_ENTER) rank_look(model, rank); /* if it has not */
    rank_await(model, rank, is_open, epoch);
}

/* The lanes that a call names: of one target, or all. */
struct named {
    struct lane *lanes[64];
    uint32_t count;
    bool all;
};

static struct named name_lanes(const struct model *model, const struct rank *rank, const struct trace_call *call)
{
    const struct trace_comm *comm = trace_call_comm(model->trace, call);
    bool all = !(call_row(call->call)->needed & F_TARGET);
    struct named named = {.all = all};
    for (uint32_t t = 0; t < model->rank_count; t++) {
        if (all ? trace_comm_rank(comm, (int32_t)t) == TRACE_NONE : (int32_t)t != call->peer) continue;
        struct lane *lane = pair_of(model, call->handle, rank->number, t)->lock;
        if (lane) named.lanes[named.count++] = lane;
    }
    return named;
}

static bool is_complete(const struct model *model, const void *what)
{
    const struct named *named = what;
    for (uint32_t i = 0; i < named->count; i++)
        if (!lane_is_known(model, named->lanes[i]) || !lane_is_answered(named->lanes[i])) return false;
    return true;
}

static bool are_answered(const struct model *model, const void *what)
{
    const struct named *named = what;
    (void)model;
    for (uint32_t i = 0; i < named->count; i++)
        if (!named->lanes[i]->answered) return false;
    return true;
}

static bool are_open(const struct model *model, const void *what)
{
    const struct named *named = what;
    (void)model;
    for (uint32_t i = 0; i < named->count; i++)
        if (named->lanes[i]->asked && !named->lanes[i]->open) return false;
    return true;
}

/* Whether the lock has to be asked for now. */
static bool must_ask(const struct lane *lane, bool unlocks)
{
    if (lane->epoch->nocheck || lane->asked) return false;
    return lane_unissued(lane) || (unlocks && !lane->epoch->all);
}

static void go(struct model *model, struct lane *lane, bool asks)
{
    lane_unhold(lane);
    if (asks) lane_ask(model, lane);
    lane_pump(model, lane);
}

/* mpi.rma.protocol.flush: one target is asked in any case, of all those where something is not known to be complete. */
static void request_answers(struct model *model, const struct named *named)
{
    for (uint32_t i = 0; i < named->count; i++)
        if (!named->all || !lane_is_known(model, named->lanes[i])) lane_request(model, named->lanes[i]);
}

/* mpi.rma.protocol.local: what is copied waits for nothing but a lazy lock that is not granted. */
static bool needs_grant(const struct lane *lane)
{
    for (const struct op *op = lane->first; op; op = op->next)
        if (op->local == LOCAL_COPIED && !lane->open) return true;
    return false;
}

static void flush(struct model *model, struct rank *rank, const struct trace_call *call)
{
    struct named named = name_lanes(model, rank, call);
    bool pays = false;
    for (uint32_t i = 0; i < named.count; i++) pays |= lane_unissued(named.lanes[i]);
    if (pays) rank_pay_overhead(model, rank);
    for (uint32_t i = 0; i < named.count; i++) go(model, named.lanes[i], must_ask(named.lanes[i], false));
    bool local = call_kind(call->call) == CALL_FLUSH_LOCAL;
    for (uint32_t i = 0; local && i < named.count; i++) { /* one after another */
        if (needs_grant(named.lanes[i])) rank_await(model, rank, lane_is_open, named.lanes[i]);
        rank_await(model, rank, lane_is_away, named.lanes[i]);
        rank_await_time(model, rank, lane_left_ps(named.lanes[i]));
    }
    if (local) return;
    request_answers(model, &named);
    rank_await(model, rank, is_complete, &named);
}

static void unlock(struct model *model, struct rank *rank, const struct trace_call *call)
{
    struct named named = name_lanes(model, rank, call);
    bool pays = false;
    for (uint32_t i = 0; i < named.count; i++) {
        struct lane *lane = named.lanes[i];
        pays |= lane_unissued(lane) || (is_away(lane) && (lane->asked || must_ask(lane, true)));
    }
    if (pays) rank_pay_overhead(model, rank);
    for (uint32_t i = 0; i < named.count; i++) go(model, named.lanes[i], must_ask(named.lanes[i], true));
    request_answers(model, &named);
    rank_await(model, rank, are_open, &named);
    rank_await(model, rank, is_complete, &named);
    for (uint32_t i = 0; i < named.count; i++) {
        release(model, named.lanes[i]);
        pair_of(model, call->handle, rank->number, named.lanes[i]->target)->lock = NULL;
    }
    rank_await(model, rank, are_answered, &named);
}

void do_passive(struct model *model, struct rank *rank, const struct trace_call *call)
{
    switch (call_kind(call->call)) {
    case CALL_LOCK:
    case CALL_LOCK_ALL: lock(model, rank, call); break;
    case CALL_UNLOCK:
    case CALL_UNLOCK_ALL: unlock(model, rank, call); break;
    default: flush(model, rank, call);
    }
}
