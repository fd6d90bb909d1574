/* docs/simulation.md, Passive target. */
#include "tests/reference/passive.h"

/* The queue of one target: holders and those that wait, first come, first served. */
static struct server *server_of(const struct model *model, const struct access *access)
{
    return &model->servers[(size_t)access->epoch->window * model->rank_count + access->target];
}

static void granted(struct model *model, void *what)
{
    struct access *access = what;
    access->open = true;
    access_pump(model, access);
}

static void grant_arrives(struct model *model, void *what)
{
    const struct access *access = what;
    rank_serve(model, (struct arrival){access->target, access->epoch->origin, SERVICE_NOTIFICATION, 0}, granted, what);
}

static bool fits(const struct server *server, const struct access *access)
{
    return server->holder_count == 0 || (!server->exclusive && !access->epoch->exclusive);
}

static void grant(struct model *model, struct server *server, size_t place)
{
    struct access *access = server->queue[place];
    server->queue_count--;
    for (size_t i = place; i < server->queue_count; i++) server->queue[i] = server->queue[i + 1];
    server->holder_count++;
    server->exclusive = access->epoch->exclusive;
    if (access->target == access->epoch->origin)
        granted(model, access);
    else
        network_send_control(model, access->target, access->epoch->origin, true, grant_arrives, access);
}

/* lock_all goes past exclusive ones that wait for a shared lock. Who is granted its own lock goes on before the next
 * grant leaves. */
static void grant_all_that_fit(struct model *model, struct server *server)
{
    for (size_t i = 0; i < server->queue_count;) {
        struct access *access = server->queue[i];
        if ((i > 0 && !access->epoch->all) || !fits(server, access)) {
            i++;
            continue;
        }
        grant(model, server, i);
        if (access->target == access->epoch->origin) rank_go_on(model, &model->ranks[access->target]);
        i = 0;
    }
}

static void request_served(struct model *model, void *what)
{
    struct access *access = what;
    struct server *server = server_of(model, access);
    server->queue =
        model_grow(model, server->queue, server->queue_count, &server->queue_capacity, sizeof *server->queue);
    server->queue[server->queue_count++] = access;
    grant_all_that_fit(model, server);
}

static void request_arrives(struct model *model, void *what)
{
    const struct access *access = what;
    rank_serve(model, (struct arrival){access->epoch->origin, access->target, SERVICE_LOCK, 0}, request_served, what);
}

static void let_go(struct model *model, struct access *access)
{
    struct server *server = server_of(model, access);
    server->holder_count--;
    grant_all_that_fit(model, server);
}

static void release_answered(struct model *model, void *what)
{
    (void)model;
    ((struct access *)what)->answered = true;
}

static void release_answer_arrives(struct model *model, void *what)
{
    const struct access *access = what;
    rank_serve(model, (struct arrival){access->target, access->epoch->origin, SERVICE_ACKNOWLEDGEMENT, 0},
               release_answered, what);
}

static void release_served(struct model *model, void *what)
{
    struct access *access = what;
    let_go(model, access);
    if (!access->answered)
        network_send_control(model, access->target, access->epoch->origin, true, release_answer_arrives, access);
}

static void release_arrives(struct model *model, void *what)
{
    const struct access *access = what;
    rank_serve(model, (struct arrival){access->epoch->origin, access->target, SERVICE_RELEASE, 0}, release_served,
               what);
}

void access_ask(struct model *model, struct access *access)
{
    access->asked = true;
    if (access->target == access->epoch->origin)
        request_served(model, access);
    else
        network_send_control(model, access->epoch->origin, access->target, true, request_arrives, access);
}

static void release(struct model *model, struct access *access)
{
    bool own = access->target == access->epoch->origin;
    access->answered = !access->asked || own || model->platform->protocol.calls[STEPS_UNLOCK].form == FORM_UNLOCK_RELEASED;
    if (!access->asked) return;
    if (own)
        let_go(model, access);
    else
        network_send_control(model, access->epoch->origin, access->target, false, release_arrives, access);
}

static bool is_open(const struct model *model, const void *what)
{
    const struct epoch *epoch = what;
    for (uint32_t i = 0; i < epoch->access_count; i++)
        if (epoch->accesses[i].asked && !access_is_open(model, &epoch->accesses[i])) return false;
    return true;
}

static bool is_away(const struct access *access)
{
    return access->target != access->epoch->origin;
}

/* mpi.rma.protocol.lock_request = called: what the rank has asked for on the window is granted. */
static bool earlier_are_open(const struct model *model, const void *what)
{
    const struct epoch *epoch = what;
    for (uint32_t t = 0; t < model->rank_count; t++) {
        const struct access *access = pair_of(model, epoch->window, epoch->origin, t)->lock;
        if (access && access->asked && !access->open) return false;
    }
    return true;
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
    bool early = !all && lock_is_asked_early(model, call->handle);
    bool asks = !epoch->nocheck && (early || lock_of(model, call->handle) == FORM_LOCK_GRANT);
    for (uint32_t i = 0; i < epoch->access_count; i++) {
        struct access *access = &epoch->accesses[i];
        pair_of(model, call->handle, rank->number, access->target)->lock = access;
        access->open = epoch->nocheck;
        pays |= asks && is_away(access);
    }
    rank_spend(model, rank, rank->own_ps + (pays ? rank->overhead_ps : 0)); /* one event: what comes at its end comes behind */
    if (asks && early) rank_await(model, rank, earlier_are_open, epoch);
    for (uint32_t i = 0; asks && i < epoch->access_count; i++) access_ask(model, &epoch->accesses[i]);
    if (model->platform->protocol.visit == VISIT_ENTER && !rank->serves) rank_look(model, rank);
    if (early && is_away(&epoch->accesses[0])) return;
    rank_await(model, rank, is_open, epoch);
}

/* The accesses that a call names: of one target, or all. */
struct named {
    struct access *accesses[64];
    uint32_t count;
    bool all;
};

static struct named name_accesses(const struct model *model, const struct rank *rank, const struct trace_call *call)
{
    const struct trace_comm *comm = trace_call_comm(model->trace, call);
    bool all = !(call_row(call->call)->needed & F_TARGET);
    struct named named = {.all = all};
    for (uint32_t t = 0; t < model->rank_count; t++) {
        if (all ? trace_comm_rank(comm, (int32_t)t) == TRACE_NONE : (int32_t)t != call->peer) continue;
        struct access *access = pair_of(model, call->handle, rank->number, t)->lock;
        if (access) named.accesses[named.count++] = access;
    }
    return named;
}

static bool is_complete(const struct model *model, const void *what)
{
    const struct named *named = what;
    for (uint32_t i = 0; i < named->count; i++)
        if (!access_is_known(model, named->accesses[i]) || !access_is_answered(named->accesses[i])) return false;
    return named->count == 0 || others_have_answered(model, named->accesses[0]->epoch->origin);
}

static bool are_answered(const struct model *model, const void *what)
{
    const struct named *named = what;
    (void)model;
    for (uint32_t i = 0; i < named->count; i++)
        if (!named->accesses[i]->answered) return false;
    return true;
}

static bool are_open(const struct model *model, const void *what)
{
    const struct named *named = what;
    (void)model;
    for (uint32_t i = 0; i < named->count; i++)
        if (named->accesses[i]->asked && !named->accesses[i]->open) return false;
    return true;
}

/* Whether the lock has to be asked for now. */
static bool must_ask(const struct access *access, bool unlocks)
{
    if (access->epoch->nocheck || access->asked) return false;
    return access_unissued(access) || (unlocks && !access->epoch->all);
}

static void go(struct model *model, struct access *access, bool asks)
{
    access_unhold(access);
    if (asks) access_ask(model, access);
    access_pump(model, access);
}

/* One target is asked in any case, of all those where something is not known to be
 * complete, or each. */
static void request_answers(struct model *model, struct rank *rank, int32_t window, const struct named *named,
                            enum steps_query query)
{
    bool must = named->all && others_must_be_asked(model, rank, window, query), asks = false;
    for (uint32_t i = 0; must && i < named->count; i++)
        asks |= is_away(named->accesses[i]) && (named->accesses[i]->asked || named->accesses[i]->first);
    bool each = !named->all || query == QUERY_ALL;
    for (uint32_t i = 0; i < named->count; i++)
        if (each || !access_is_known(model, named->accesses[i])) asks |= access_request(model, named->accesses[i], query);
    for (uint32_t i = 0; i < named->count; i++) named->accesses[i]->got = false;
    for (uint32_t i = 0; named->all && i < named->count; i++) /* those that are known need no request any more */
        if (query == QUERY_CONNECTED) named->accesses[i]->called = false;
    if (asks && named->all && query == QUERY_CONNECTED) others_request(model, &model->ranks[named->accesses[0]->epoch->origin]);
}

/* mpi.rma.protocol.local: what is copied waits for nothing but a lazy lock that is not granted. */
static bool needs_grant(const struct access *access)
{
    for (const struct op *op = access->first; op; op = op->next)
        if (op->local == LOCAL_COPIED && !access->open) return true;
    return false;
}

/* query_connected: behind a get flush_local is a flush. */
static bool flushes_fully(const struct model *model, const struct trace_call *call, const struct named *named)
{
    if (call_kind(call->call) == CALL_FLUSH) return true;
    bool got = false;
    for (uint32_t i = 0; i < named->count; i++) got |= named->accesses[i]->got;
    return got && model->platform->protocol.calls[STEPS_FLUSH].query == QUERY_CONNECTED;
}

static void flush(struct model *model, struct rank *rank, const struct trace_call *call)
{
    struct named named = name_accesses(model, rank, call);
    bool pays = false;
    for (uint32_t i = 0; i < named.count; i++) pays |= access_unissued(named.accesses[i]);
    if (pays) rank_pay_overhead(model, rank);
    for (uint32_t i = 0; i < named.count; i++) go(model, named.accesses[i], must_ask(named.accesses[i], false));
    bool local = !flushes_fully(model, call, &named);
    if (local && !rank->serves) rank_look(model, rank);
    for (uint32_t i = 0; local && i < named.count; i++) { /* one after another */
        if (needs_grant(named.accesses[i])) rank_await(model, rank, access_is_open, named.accesses[i]);
        rank_await(model, rank, access_is_away, named.accesses[i]);
        rank_await_time(model, rank, access_left_ps(named.accesses[i]));
    }
    if (local) return;
    request_answers(model, rank, call->handle, &named, model->platform->protocol.calls[STEPS_FLUSH].query);
    if (!rank->serves) rank_look(model, rank);
    rank_await(model, rank, is_complete, &named);
}

/* [issue, release, answer, acknowledged]: all operations have been sent, to the own rank they are known to be complete. */
static bool are_sent(const struct model *model, const void *what)
{
    const struct named *named = what;
    for (uint32_t i = 0; i < named->count; i++) {
        const struct access *access = named->accesses[i];
        if (!is_away(access) && !access_is_known(model, access)) return false;
        for (const struct op *op = access->first; op; op = op->next)
            if (!op->sent) return false;
    }
    return true;
}

/* Unlock asks for no acknowledgement, and releases behind them. */
static bool releases_behind(const struct model *model, const struct trace_call *call)
{
    const struct call_steps *unlock = &model->platform->protocol.calls[STEPS_UNLOCK];
    return unlock->form == FORM_UNLOCK_ANSWERED && unlock->query == QUERY_NONE &&
           (call->peer != TRACE_NONE || call_kind(call->call) == CALL_UNLOCK_ALL);
}

static void unlock(struct model *model, struct rank *rank, const struct trace_call *call)
{
    struct named named = name_accesses(model, rank, call);
    bool behind = releases_behind(model, call), pays = false;
    int64_t call_ps = behind ? rank_call_ps(model, rank, call) : 0;
    rank_spend(model, rank, rank->own_ps - call_ps);
    for (uint32_t i = 0; i < named.count; i++) {
        struct access *access = named.accesses[i];
        pays |= access_unissued(access) || (is_away(access) && (access->asked || must_ask(access, true)));
    }
    bool first = !behind || model->platform->issue == ISSUE_DEFERRED || lock_of(model, call->handle) != FORM_LOCK_GRANT;
    if (pays && first) rank_pay_overhead(model, rank);
    for (uint32_t i = 0; i < named.count; i++) go(model, named.accesses[i], must_ask(named.accesses[i], true));
    const struct call_steps *calls = model->platform->protocol.calls;
    const bool with_data = calls[STEPS_UNLOCK].form == FORM_UNLOCK_WITH_DATA;
    bool early = with_data && named.count > 0 && !named.accesses[0]->epoch->nocheck;
    if (!early) request_answers(model, rank, call->handle, &named, calls[with_data ? STEPS_FLUSH : STEPS_UNLOCK].query);
    if (early && !named.all) *called_target(model, call->handle, rank->number, named.accesses[0]->target) = false;
    if (!rank->serves) rank_look(model, rank);
    rank_await(model, rank, are_open, &named);
    rank_await(model, rank, early ? are_sent : is_complete, &named);
    if (behind) rank_spend(model, rank, call_ps + (pays && !first ? rank->overhead_ps : 0));
    for (uint32_t i = 0; i < named.count; i++) {
        release(model, named.accesses[i]);
        pair_of(model, call->handle, rank->number, named.accesses[i]->target)->lock = NULL;
    }
    rank_await(model, rank, are_answered, &named);
    if (early) rank_await(model, rank, is_complete, &named);
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
