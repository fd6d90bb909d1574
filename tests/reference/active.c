/* docs/simulation.md, Blocking semantics: post, start, complete, wait. */
#include "tests/reference/operation.h"

static struct epoch *open_start(const struct model *model, const struct rank *rank, int32_t window)
{
    return model->starts[(size_t)window * model->rank_count + rank->number];
}

/* W, of the epoch that waits for it. */
static void notice_post(struct model *model, void *what)
{
    struct pair *pair = what;
    if (pair->posts++ >= pair->starts) return;
    struct access *access = pair->started[pair->posts - 1];
    access->open = true;
    if (!epoch_is_open(model, access->epoch))
        access_pump(model, access);
    else
        for (uint32_t i = 0; i < access->epoch->access_count; i++) access_pump(model, &access->epoch->accesses[i]);
}

struct posted {
    struct pair *pair;
    uint32_t origin, target;
};

static void post_arrives(struct model *model, void *what)
{
    const struct posted *posted = what;
    rank_serve(model, (struct arrival){posted->target, posted->origin, SERVICE_NOTIFICATION, 0}, notice_post,
               posted->pair);
}

static const struct trace_group *group_of(const struct model *model, const struct trace_call *call)
{
    return &model->trace->definitions.groups[call->ref];
}

static void post(struct model *model, struct rank *rank, const struct trace_call *call)
{
    const struct trace_group *group = group_of(model, call);
    model->posted[(size_t)call->handle * model->rank_count + rank->number] = group;
    if (group->count > 0) rank_pay_overhead(model, rank);
    for (uint32_t i = 0; i < group->count; i++) {
        struct posted *posted = model_new(model, sizeof *posted);
        posted->target = rank->number;
        posted->origin = (uint32_t)group->members[i];
        posted->pair = pair_of(model, call->handle, posted->origin, rank->number);
        posted->pair->posts_made++;
        network_send_control(model, rank->number, posted->origin, false, post_arrives, posted);
    }
}

static void start(struct model *model, struct rank *rank, const struct trace_call *call)
{
    const struct trace_group *group = group_of(model, call);
    struct epoch *epoch = epoch_new(model, EPOCH_START, call->handle, rank->number, group->members, group->count);
    epoch->nocheck = call->flags & TRACE_NOCHECK;
    model->starts[(size_t)call->handle * model->rank_count + rank->number] = epoch;
    for (uint32_t i = 0; i < epoch->access_count; i++) {
        struct access *access = &epoch->accesses[i];
        struct pair *pair = pair_of(model, call->handle, rank->number, access->target);
        pair->started = model_grow(model, pair->started, pair->starts, &pair->started_capacity, sizeof *pair->started);
        pair->started[pair->starts++] = access;
        access->open = epoch->nocheck || pair->posts >= pair->starts;
    }
    if (semantics_of(model, call->handle)->start_waits) rank_await(model, rank, epoch_is_open, epoch);
}

/* What has been copied is no longer complete's concern. */
static bool is_kept(const struct op *op)
{
    return !op->copied && !(op->acknowledged ? op->known : op_is_away(op));
}

static bool nothing_is_kept(const struct model *model, const void *what)
{
    const struct epoch *epoch = what;
    (void)model;
    for (uint32_t i = 0; i < epoch->access_count; i++)
        for (const struct op *op = epoch->accesses[i].first; op; op = op->next)
            if (is_kept(op)) return false;
    return true;
}

static int64_t own_left_ps(const struct epoch *epoch)
{
    int64_t last_ps = INT64_MIN;
    for (uint32_t i = 0; i < epoch->access_count; i++)
        for (const struct op *op = epoch->accesses[i].first; op; op = op->next)
            if (!op->copied && !op->acknowledged && op_left_ps(op) > last_ps) last_ps = op_left_ps(op);
    return last_ps;
}

/* Some put or accumulate of an access epoch is acknowledged. */
static bool is_remote(const struct model *model)
{
    const struct rma_protocol *protocol = &model->platform->protocol;
    for (int kind = 0; kind < RMA_KIND_COUNT; kind++)
        if (kind != RMA_GET && protocol->local[kind] == LOCAL_ACKNOWLEDGED) return true;
    return protocol->calls[STEPS_COMPLETE].form == FORM_COMPLETE_BEHIND;
}

/* What complete waits for before it tells its targets: acknowledgements, the data of gets, and that all else is in the
 * NIC. */
static bool is_answered(const struct op *op)
{
    if (op->acknowledged || rma_kind_of(op->kind) == RMA_GET) return op->known;
    return op->sent || op->local == LOCAL_COPIED;
}

static bool all_is_answered(const struct model *model, const void *what)
{
    const struct epoch *epoch = what;
    (void)model;
    for (uint32_t i = 0; i < epoch->access_count; i++) {
        if (!access_is_answered(&epoch->accesses[i])) return false;
        for (const struct op *op = epoch->accesses[i].first; op; op = op->next)
            if (!op->copied && !is_answered(op)) return false;
    }
    return others_have_answered(model, epoch->origin);
}

static void tell_all(struct model *model, struct epoch *epoch)
{
    for (uint32_t i = 0; i < epoch->access_count; i++) {
        epoch->accesses[i].closing = true;
        access_pump(model, &epoch->accesses[i]);
    }
}

static bool access_awaits_answer(const struct access *access)
{
    for (const struct op *op = access->first; op; op = op->next)
        if (!op->copied && !op->known && (op->acknowledged || rma_kind_of(op->kind) == RMA_GET)) return true;
    return false;
}

/* Nothing is asked of a target from which nothing is waited for, nor of one for which something waits for the post as
 * complete is entered. */
static void request_all(struct model *model, struct epoch *epoch)
{
    const enum steps_query query = model->platform->protocol.calls[STEPS_COMPLETE].query;
    bool asks = others_must_be_asked(model, &model->ranks[epoch->origin], epoch->window, query) && epoch->access_count > 0;
    for (uint32_t i = 0; i < epoch->access_count; i++)
        if (access_awaits_answer(&epoch->accesses[i]) && !access_unissued(&epoch->accesses[i]))
            asks |= access_request(model, &epoch->accesses[i], query);
    if (asks && query == QUERY_CONNECTED) others_request(model, &model->ranks[epoch->origin]);
}

/* Some operation of the table may. */
static bool waits_in_complete(const struct rma_semantics *semantics)
{
    for (int kind = 0; kind < RMA_KIND_COUNT; kind++)
        for (int row = 0; row < RMA_RULES_MAX; row++) {
            if (semantics->rules[kind][row].waits == WAITS_COMPLETE) return true;
            if (semantics->rules[kind][row].upto_bytes == INT64_MAX) break;
        }
    return false;
}

static bool runs_ahead(const struct rma_semantics *semantics)
{
    for (int kind = 0; kind < RMA_KIND_COUNT; kind++)
        for (int row = 0; row < RMA_RULES_MAX; row++) {
            if (semantics->rules[kind][row].waits == WAITS_NEVER) return true;
            if (semantics->rules[kind][row].upto_bytes == INT64_MAX) break;
        }
    return false;
}

/* No more than mpi.rma.epochs_ahead completed epochs towards a target are without their post. */
static bool near_enough(const struct model *model, const void *what)
{
    const struct epoch *epoch = what;
    for (uint32_t i = 0; i < epoch->access_count; i++) {
        const struct pair *pair = pair_of(model, epoch->window, epoch->origin, epoch->accesses[i].target);
        if (pair->starts > pair->posts && pair->starts - pair->posts > model->platform->epochs_ahead) return false;
    }
    return true;
}

static bool has_operations(const struct epoch *epoch)
{
    for (uint32_t i = 0; i < epoch->access_count; i++)
        if (epoch->accesses[i].first) return true;
    return false;
}

static void complete(struct model *model, struct rank *rank, const struct trace_call *call)
{
    struct epoch *epoch = open_start(model, rank, call->handle);
    bool remote = is_remote(model), issues = model->platform->issue == ISSUE_DEFERRED;
    int64_t call_ps = rank_call_ps(model, rank, call);
    rank_spend(model, rank, rank->own_ps - (remote ? call_ps : 0));
    if (epoch->access_count > 0 && (issues || !remote)) rank_pay_overhead(model, rank);
    for (uint32_t i = 0; i < epoch->access_count; i++) {
        epoch->accesses[i].closing = !remote;
        access_unhold(&epoch->accesses[i]);
        access_pump(model, &epoch->accesses[i]);
    }
    if (remote) request_all(model, epoch);
    if (runs_ahead(semantics_of(model, call->handle)) && !epoch->nocheck) rank_await(model, rank, near_enough, epoch);
    if (waits_in_complete(semantics_of(model, call->handle))) rank_await(model, rank, epoch_is_open, epoch);
    if (remote) {
        rank_await(model, rank, all_is_answered, epoch);
        rank_spend(model, rank, (has_operations(epoch) ? call_ps : 0) +
                                    (epoch->access_count > 0 && !issues ? rank->overhead_ps : 0));
        tell_all(model, epoch);
    }
    rank_await(model, rank, nothing_is_kept, epoch);
    rank_await_time(model, rank, own_left_ps(epoch));
}

struct exposure {
    const struct trace_group *origins;
    uint32_t target;
    int32_t window;
    bool confirms; /* mpi.rma.protocol.wait */
};

struct waiting {
    struct pair *pair;
    uint32_t origin, target, number;
};

static void notice_wait(struct model *model, void *what)
{
    const struct waiting *waiting = what;
    (void)model;
    waiting->pair->awaited = waiting->number;
}

static void wait_arrives(struct model *model, void *what)
{
    const struct waiting *waiting = what;
    rank_serve(model, (struct arrival){waiting->target, waiting->origin, SERVICE_NOTIFICATION, 0}, notice_wait, what);
}

static void say_waits(struct model *model, const struct exposure *exposure)
{
    for (uint32_t i = 0; i < exposure->origins->count; i++) {
        struct waiting *waiting = model_new(model, sizeof *waiting);
        waiting->origin = (uint32_t)exposure->origins->members[i];
        waiting->target = exposure->target;
        waiting->pair = pair_of(model, exposure->window, waiting->origin, waiting->target);
        waiting->number = waiting->pair->posts_made;
        network_send_control(model, waiting->target, waiting->origin, false, wait_arrives, waiting);
    }
}

/* Only acknowledgements, or the rendezvous of data, keep back the notification of the target. */
static bool is_kept_back(const struct access *access)
{
    if (!access->closing || access->told) return false;
    for (const struct op *op = access->first; op; op = op->next)
        if (op->sending && (!op->sent || (op->acknowledged && !op->known))) return true;
    return false;
}

/* No target of the rank's last access epoch waits for such a notification. */
static bool all_is_confirmed(const struct model *model, const struct exposure *exposure)
{
    const struct epoch *epoch = model->starts[(size_t)exposure->window * model->rank_count + exposure->target];
    for (uint32_t i = 0; epoch && i < epoch->access_count; i++) {
        const struct pair *pair = pair_of(model, exposure->window, epoch->origin, epoch->accesses[i].target);
        bool awaited = pair->awaited > 0 && pair->awaited <= pair->starts;
        if (awaited && is_kept_back(pair->started[pair->awaited - 1])) return false;
    }
    return true;
}

/* NULL: the origin has not started yet. */
static const struct access *exposed_to(const struct model *model, const struct exposure *exposure, uint32_t origin)
{
    const struct pair *pair =
        pair_of(model, exposure->window, (uint32_t)exposure->origins->members[origin], exposure->target);
    return pair->starts < pair->posts_made ? NULL : pair->started[pair->posts_made - 1];
}

static bool exposure_is_over(const struct model *model, const void *what)
{
    const struct exposure *exposure = what;
    for (uint32_t i = 0; i < exposure->origins->count; i++) {
        const struct access *access = exposed_to(model, exposure, i);
        if (!access || !access->heard || !access_is_done(access)) return false;
    }
    return !exposure->confirms || all_is_confirmed(model, exposure);
}

static void wait_for_origins(struct model *model, struct rank *rank, const struct trace_call *call)
{
    const struct trace_group *origins = model->posted[(size_t)call->handle * model->rank_count + rank->number];
    bool confirms = model->platform->protocol.wait == WAIT_CONFIRMED && call_kind(call->call) == CALL_WIN_WAIT &&
                    runs_ahead(semantics_of(model, call->handle));
    struct exposure exposure = {origins, rank->number, call->handle, confirms};
    int64_t done_ps = INT64_MIN;
    if (confirms) say_waits(model, &exposure);
    if (model->unread[(size_t)call->handle * model->rank_count + rank->number] == rank->visits + 1 && !rank->serves)
        rank_look(model, rank);
    rank_await(model, rank, exposure_is_over, &exposure);
    for (uint32_t i = 0; i < origins->count; i++) {
        int64_t ps = access_done_ps(exposed_to(model, &exposure, i));
        if (ps > done_ps) done_ps = ps;
    }
    rank_await_time(model, rank, done_ps);
    rank_await(model, rank, exposure_is_over, &exposure);
}

void do_active(struct model *model, struct rank *rank, const struct trace_call *call)
{
    switch (call_kind(call->call)) {
    case CALL_POST: post(model, rank, call); break;
    case CALL_START: start(model, rank, call); break;
    case CALL_COMPLETE: complete(model, rank, call); break;
    default: wait_for_origins(model, rank, call);
    }
}
