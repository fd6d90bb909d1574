/* Turns one-sided epochs into messages: the target receives from where its exposure begins, and sends what is got from it. Fences
 * become post, start, complete and wait first. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "predictors/transforms/epoch_exchange.h"
#include "predictors/transforms/rows.h"

/* Requests whose MPI_Waitall has not been pushed yet, since that of the next call may join it. */
struct waiting {
    struct epoch_exchange_site site;
    uint32_t *requests;
    uint32_t count;
    size_t capacity;
};

struct messaging {
    struct epoch_exchange exchange;
    uint32_t *origins, *targets; /* per operation, as exchange.pair_call: the request at the origin and at the target */
    bool *used;                  /* per window: something else than the epochs that change uses it */
    int32_t first_tag;
    uint32_t next_request; /* of the rank that is walked */
    struct waiting waiting;
    uint64_t messages, accumulates, windows;
};

static struct trace_call message_of(const struct messaging *messaging, const struct trace_call *operation, bool sends,
                                    uint32_t peer, uint32_t request)
{
    const struct trace *trace = messaging->exchange.trace;
    struct trace_call call = {.call = sends ? ID_Isend : ID_Irecv,
                              .handle = trace->definitions.windows[operation->handle].comm,
                              .peer = (int32_t)peer,
                              .bytes = operation->bytes,
                              .any = TRACE_NO_MEMBERS};
    /* Gets have a tag for themselves: their messages go the other way, and puts of the target may go there, too. */
    call.message.tag = messaging->first_tag + 2 * operation->handle + (call_kind(operation->call) == CALL_GET);
    call.message.request = request;
    return call;
}

/* The origin's half of an operation, number `index` in pair_call, or the target's. */
static enum status push_message(struct messaging *messaging, size_t pair, size_t index, bool at_target,
                                struct epoch_exchange_site *site, struct err *err)
{
    const struct epoch_exchange *exchange = &messaging->exchange;
    const uint32_t origin = epoch_exchange_origin(exchange, pair), target = epoch_exchange_target(exchange, pair);
    const struct trace_call *operation = &exchange->trace->ranks[origin].calls[exchange->pair_call[index]];
    const uint32_t request = (at_target ? messaging->targets : messaging->origins)[index] = messaging->next_request++;
    const bool sends = (call_kind(operation->call) == CALL_GET) == at_target;
    const struct trace_call call = message_of(messaging, operation, sends, at_target ? origin : target, request);
    messaging->messages += sends;
    messaging->accumulates += sends && call_kind(operation->call) == CALL_ACCUMULATE;
    return epoch_exchange_push(site, &call, err);
}

static enum status add_requests(struct messaging *messaging, size_t pair, const uint32_t *requests, struct err *err)
{
    struct waiting *waiting = &messaging->waiting;
    for (size_t i = messaging->exchange.pair_first[pair]; i < messaging->exchange.pair_first[pair + 1]; i++) {
        TRY(array_reserve((void **)&waiting->requests, &waiting->capacity, waiting->count + 1u, sizeof *waiting->requests, err));
        waiting->requests[waiting->count++] = requests[i];
    }
    return STATUS_OK;
}

static enum status flush_waiting(struct messaging *messaging, struct timeline_edit *now, struct trace *made, struct err *err)
{
    struct waiting *waiting = &messaging->waiting;
    if (waiting->count == 0) return STATUS_OK;
    waiting->site.now = now;
    TRY(epoch_exchange_push_waitall(&waiting->site, made, waiting->requests, waiting->count, err));
    waiting->count = 0;
    return STATUS_OK;
}

/* The n-th operation of the origin in the epochs of a pair is the n-th message. */
static enum status replace_call(struct messaging *messaging, const struct epoch_exchange_role *role,
                                struct epoch_exchange_site *site, struct err *err)
{
    const struct epoch_exchange *exchange = &messaging->exchange;
    const struct epochs *epochs = &exchange->epochs;
    if (role->what == ROLE_OPERATION) {
        size_t index = exchange->pair_first[role->pair];
        while (exchange->pair_call[index] != site->item.index) index++;
        return push_message(messaging, role->pair, index, false, site, err);
    }
    if (role->what == ROLE_COMPLETE) {
        const struct access_epoch *access = &epochs->accesses[role->epoch];
        for (size_t p = access->pair_first; p < access->pair_first + access->pair_count; p++)
            TRY(add_requests(messaging, p, messaging->origins, err));
    }
    if (role->what != ROLE_POST && role->what != ROLE_WAIT) return STATUS_OK;
    const struct exposure_epoch *exposure = &epochs->exposures[role->epoch];
    for (size_t l = exposure->link_first; l < exposure->link_first + exposure->link_count; l++) {
        const size_t pair = epochs->links[l].pair;
        if (role->what == ROLE_WAIT) TRY(add_requests(messaging, pair, messaging->targets, err));
        for (size_t i = exchange->pair_first[pair]; role->what == ROLE_POST && i < exchange->pair_first[pair + 1]; i++)
            TRY(push_message(messaging, pair, i, true, site, err));
    }
    return STATUS_OK;
}

static bool is_window_gone(const struct messaging *messaging, const struct trace_call *call)
{
    return call->handle != TRACE_NONE && (call_row(call->call)->allowed & F_WIN) && !messaging->used[call->handle];
}

static enum status rewrite_calls(struct messaging *messaging, uint32_t rank, const struct timeline_edit *timeline,
                                 const struct epoch_exchange_role *roles, struct timeline_edit *now, struct trace *made,
                                 struct err *err)
{
    struct waiting *waiting = &messaging->waiting;
    messaging->next_request = timeline_free_request(&messaging->exchange.trace->ranks[rank]);
    for (size_t i = 0; i < timeline->count; i++) {
        struct epoch_exchange_site site = {now, timeline->items[i]};
        const struct epoch_exchange_role *role = &roles[site.item.index];
        const bool waits = role->what == ROLE_COMPLETE || role->what == ROLE_WAIT;
        if (!waits || site.item.compute_ps > 0) TRY(flush_waiting(messaging, now, made, err));
        if (waits && waiting->count == 0) {
            TRY(replace_call(messaging, role, &site, err));
            waiting->site = site;
            if (waiting->count > 0) continue;
        } else if (role->what != ROLE_NOTHING) {
            TRY(replace_call(messaging, role, &site, err));
        } else if (!is_window_gone(messaging, &site.item.call)) {
            TRY(timeline_push(now, site.item, err));
            continue;
        }
        timeline_defer(now, &site.item);
    }
    return flush_waiting(messaging, now, made, err);
}

static enum status change_timeline(void *context, uint32_t rank, struct timeline_edit *timeline, struct trace *made,
                                   struct err *err)
{
    struct messaging *messaging = context;
    struct timeline_edit now = {.tail_ps = 0};
    struct epoch_exchange_role *roles;
    if (messaging->exchange.trace->ranks[rank].thread_count > 1) return STATUS_OK;
    TRY(epoch_exchange_roles(&messaging->exchange, rank, &roles, err));
    enum status status = rewrite_calls(messaging, rank, timeline, roles, &now, made, err);
    free(roles);
    return timeline_replace(timeline, &now, status);
}

/* Finds the windows that are gone: some of their epochs change, and no other call works on them. */
static enum status find_used(struct messaging *messaging, struct err *err)
{
    const struct trace *trace = messaging->exchange.trace;
    const size_t windows = trace->definitions.window_count;
    bool *others = calloc(windows + 1, sizeof *others);
    enum status status = others ? STATUS_OK : err_memory(err);
    for (size_t w = 0; w < windows; w++) messaging->used[w] = true;
    for (uint32_t r = 0; status == STATUS_OK && r < trace->rank_count; r++) {
        struct epoch_exchange_role *roles;
        status = epoch_exchange_roles(&messaging->exchange, r, &roles, err);
        for (size_t i = 0; status == STATUS_OK && i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            enum call_kind kind = call_kind(call->call);
            if (!timeline_on_window(call) || kind == CALL_WIN_CREATE || kind == CALL_WIN_FREE) continue;
            if (roles[i].what != ROLE_NOTHING)
                messaging->used[call->handle] = false;
            else if (!timeline_is_operation(call) || call->peer != TRACE_NONE)
                others[call->handle] = true;
        }
        if (status == STATUS_OK) free(roles);
    }
    for (size_t w = 0; status == STATUS_OK && w < windows; w++) messaging->used[w] = messaging->used[w] || others[w];
    free(others);
    return status;
}

static const char *refuse_operation(const struct trace_call *operation)
{
    return call_kind(operation->call) == CALL_GET_ACCUMULATE ? "its answer would be made of what arrives" : NULL;
}

/* A lock's target does not know of it. */
static enum status refuse_locks(const struct epoch_exchange *exchange, struct err *err)
{
    for (size_t a = 0; a < exchange->epochs.access_count; a++) {
        const struct access_epoch *access = &exchange->epochs.accesses[a];
        if (access->kind != EPOCH_LOCK && access->kind != EPOCH_LOCK_ALL) continue;
        exchange->report->considered++;
        TRY(transform_refuse(exchange->report, exchange->trace, access->rank, access->open_call, 1, err,
                             "the target of a lock has no call that could receive"));
    }
    return STATUS_OK;
}

static enum status run_messaging(struct messaging *messaging, struct trace **made, struct err *err)
{
    const struct epoch_exchange *exchange = &messaging->exchange;
    struct transform_report *report = exchange->report;
    const size_t windows = exchange->trace->definitions.window_count;
    const size_t operations = exchange->epochs.operation_count;
    messaging->origins = calloc(operations + 1, sizeof *messaging->origins);
    messaging->targets = calloc(operations + 1, sizeof *messaging->targets);
    messaging->used = calloc(windows + 1, sizeof *messaging->used);
    if (!messaging->origins || !messaging->targets || !messaging->used) return err_memory(err);
    TRY(refuse_locks(exchange, err));
    TRY(find_used(messaging, err));
    messaging->first_tag = timeline_free_tag(exchange->trace);
    if (report->changed > 0) TRY(timeline_each(exchange->trace, change_timeline, messaging, made, err));
    for (size_t w = 0; w < windows; w++) messaging->windows += !messaging->used[w];
    if (report->considered == 0) return transform_say(report, err, EPOCH_EXCHANGE_NONE);
    char accumulates[100] = "";
    if (messaging->accumulates > 0)
        snprintf(accumulates, sizeof accumulates, "; %" PRIu64 " of them accumulate, which the target's user code would do",
                 messaging->accumulates);
    return transform_say(report, err,
                         "%" PRIu64 " of %" PRIu64 " epochs became %" PRIu64 " messages; %" PRIu64 " of %zu windows went%s",
                         report->changed, report->considered, messaging->messages, messaging->windows, windows, accumulates);
}

static enum status change_epochs(const struct trace *trace, struct trace **made, struct transform_report *report, struct err *err)
{
    struct messaging messaging = {.first_tag = 0};
    TRY(epoch_exchange_find(trace, report, refuse_operation, &messaging.exchange, err));
    enum status status = run_messaging(&messaging, made, err);
    epoch_exchange_clear(&messaging.exchange);
    FREE_ALL(messaging.origins, messaging.targets, messaging.used, messaging.waiting.requests);
    return status;
}

/* What fence=pscw refuses stays, with its reason. */
static enum status apply_rma_p2p(const struct trace *trace, const char *argument, struct trace **made,
                                 struct transform_report *report, struct err *err)
{
    struct trace *fenced = NULL;
    TRY(transform_fence_pscw.apply(trace, argument, &fenced, report, err));
    free(report->summary);
    report->summary = NULL;
    report->considered = report->refused;
    report->changed = 0;
    enum status status = trace_check(fenced, err);
    if (status == STATUS_OK) status = change_epochs(fenced, made, report, err);
    trace_free(fenced);
    return status;
}

const struct transform transform_rma_p2p = {
    .name = "rma=p2p",
    .summary = "epochs become messages, which the target receives from the begin of its exposure on",
    .apply = apply_rma_p2p,
};
