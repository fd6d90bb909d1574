/* Turns epochs of post, start, complete and wait into puts with a signal. The last put to a target carries the signal, and the
 * target waits for it where it waited for the epoch. A signal back takes the place of the post, and start waits for it. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"
#include "predictors/transforms/epoch_exchange.h"
#include "predictors/transforms/rows.h"

struct notifying {
    struct epoch_exchange exchange;
    uint32_t *requests;   /* per pair: of the put that carries the signal */
    uint32_t *list;       /* room for the requests of an epoch */
    size_t list_capacity;
    uint32_t next_request; /* of the rank that is walked */
    int32_t heap;          /* TRACE_NONE: not made yet */
    int64_t first_place;
    uint64_t signals, bare, ready; /* carried by a put; without data; in place of a post */
};

enum place { PLACE_DATA, PLACE_READY, PLACES };

/* A signal has a place for itself in the sender's name, so that the n-th wait there waits for the n-th signal. */
static int64_t place_of(const struct notifying *notifying, int32_t window, enum place what, uint32_t sender)
{
    int64_t number = ((int64_t)window * PLACES + (int64_t)what) * notifying->exchange.trace->rank_count + sender;
    return notifying->first_place + 8 * number;
}

static struct trace_call heap_call(const struct notifying *notifying, enum mpi_call call, int32_t peer)
{
    return (struct trace_call){.call = (uint16_t)call, .handle = notifying->heap, .peer = peer, .any = TRACE_NO_MEMBERS};
}

static enum status push_signal(struct notifying *notifying, struct epoch_exchange_site *site, int64_t place, uint32_t to,
                               struct err *err)
{
    struct trace_call call = heap_call(notifying, ID_shmem_put_signal_nbi, (int32_t)to);
    call.rma.disp = place;
    return epoch_exchange_push(site, &call, err);
}

static enum status push_wait(struct notifying *notifying, struct epoch_exchange_site *site, int64_t place, struct err *err)
{
    struct trace_call call = heap_call(notifying, ID_shmem_signal_wait_until, TRACE_NONE);
    call.shmem.disp = place;
    return epoch_exchange_push(site, &call, err);
}

static const struct trace_call *operation_of(const struct epoch_exchange *exchange, size_t pair, size_t number)
{
    return &exchange->trace->ranks[epoch_exchange_origin(exchange, pair)].calls[exchange->pair_call[number]];
}

static bool has_gets(const struct epoch_exchange *exchange, size_t pair)
{
    for (size_t i = exchange->pair_first[pair]; i < exchange->pair_first[pair + 1]; i++)
        if (call_kind(operation_of(exchange, pair, i)->call) == CALL_GET) return true;
    return false;
}

static bool is_checked(const struct epoch_exchange *exchange, size_t pair)
{
    const struct access_epoch *access = &exchange->epochs.accesses[exchange->epochs.pairs[pair].access];
    return !(exchange->trace->ranks[access->rank].calls[access->open_call].flags & TRACE_NOCHECK);
}

static enum status replace_operation(struct notifying *notifying, const struct epoch_exchange_role *role,
                                     struct epoch_exchange_site *site, struct err *err)
{
    const struct epoch_exchange *exchange = &notifying->exchange;
    const struct trace_call *operation = &site->item.call;
    bool gets = has_gets(exchange, role->pair), last = site->item.index == exchange->epochs.pairs[role->pair].last_operation;
    enum mpi_call as = call_kind(operation->call) == CALL_GET ? ID_shmem_get_nbi
                       : last && !gets                        ? ID_shmem_put_signal_req
                                                              : ID_shmem_put_nbi;
    struct trace_call call = heap_call(notifying, as, operation->peer);
    call.bytes = operation->bytes;
    if (as == ID_shmem_put_signal_req) {
        const int32_t window = operation->handle;
        call.rma.disp = place_of(notifying, window, PLACE_DATA, epoch_exchange_origin(exchange, role->pair));
        call.rma.request = notifying->requests[role->pair] = notifying->next_request++;
        notifying->signals++;
    }
    return epoch_exchange_push(site, &call, err);
}

/* Signals to the targets that got none with a put: before the waiting for the origin's own puts where there is no operation,
 * behind a quiet where there are gets, since their data must have left the target. */
static enum status push_bare(struct notifying *notifying, size_t a, bool got, struct epoch_exchange_site *site, struct err *err)
{
    const struct epoch_exchange *exchange = &notifying->exchange;
    const struct access_epoch *access = &exchange->epochs.accesses[a];
    const int64_t place = place_of(notifying, access->window, PLACE_DATA, access->rank);
    bool quiet = false;
    for (size_t p = access->pair_first; p < access->pair_first + access->pair_count; p++) {
        bool empty = exchange->pair_first[p] == exchange->pair_first[p + 1];
        if (got ? !has_gets(exchange, p) : !empty) continue;
        struct trace_call call = heap_call(notifying, ID_shmem_quiet, TRACE_NONE);
        if (got && !quiet) TRY(epoch_exchange_push(site, &call, err));
        quiet = true;
        TRY(push_signal(notifying, site, place, epoch_exchange_target(exchange, p), err));
        notifying->bare++;
    }
    return STATUS_OK;
}

static enum status replace_complete(struct notifying *notifying, size_t a, struct epoch_exchange_site *site, struct trace *made,
                                    struct err *err)
{
    const struct epoch_exchange *exchange = &notifying->exchange;
    const struct access_epoch *access = &exchange->epochs.accesses[a];
    uint32_t count = 0;
    TRY(array_reserve((void **)&notifying->list, &notifying->list_capacity, access->pair_count + 1u, sizeof *notifying->list,
                      err));
    TRY(push_bare(notifying, a, false, site, err));
    for (size_t p = access->pair_first; p < access->pair_first + access->pair_count; p++)
        if (notifying->requests[p] != TRACE_NO_REF) notifying->list[count++] = notifying->requests[p];
    TRY(epoch_exchange_push_waitall(site, made, notifying->list, count, err));
    return push_bare(notifying, a, true, site, err);
}

static enum status replace_start(struct notifying *notifying, const struct access_epoch *access, struct epoch_exchange_site *site,
                                 struct err *err)
{
    for (size_t p = access->pair_first; p < access->pair_first + access->pair_count; p++) {
        const uint32_t target = epoch_exchange_target(&notifying->exchange, p);
        if (is_checked(&notifying->exchange, p))
            TRY(push_wait(notifying, site, place_of(notifying, access->window, PLACE_READY, target), err));
    }
    return STATUS_OK;
}

static enum status replace_exposure(struct notifying *notifying, uint32_t rank, const struct epoch_exchange_role *role,
                                    struct epoch_exchange_site *site, struct err *err)
{
    const struct epoch_exchange *exchange = &notifying->exchange;
    const struct exposure_epoch *exposure = &exchange->epochs.exposures[role->epoch];
    for (size_t l = exposure->link_first; l < exposure->link_first + exposure->link_count; l++) {
        const size_t pair = exchange->epochs.links[l].pair;
        const uint32_t origin = epoch_exchange_origin(exchange, pair);
        if (role->what == ROLE_WAIT) {
            TRY(push_wait(notifying, site, place_of(notifying, exposure->window, PLACE_DATA, origin), err));
        } else if (is_checked(exchange, pair)) {
            TRY(push_signal(notifying, site, place_of(notifying, exposure->window, PLACE_READY, rank), origin, err));
            notifying->ready++;
        }
    }
    return STATUS_OK;
}

static enum status replace_call(struct notifying *notifying, uint32_t rank, const struct epoch_exchange_role *role,
                                struct epoch_exchange_site *site, struct trace *made, struct err *err)
{
    switch (role->what) {
    case ROLE_START: return replace_start(notifying, &notifying->exchange.epochs.accesses[role->epoch], site, err);
    case ROLE_OPERATION: return replace_operation(notifying, role, site, err);
    case ROLE_COMPLETE: return replace_complete(notifying, role->epoch, site, made, err);
    case ROLE_POST:
    case ROLE_WAIT: return replace_exposure(notifying, rank, role, site, err);
    default: return STATUS_OK;
    }
}

static enum status rewrite_calls(struct notifying *notifying, uint32_t rank, const struct timeline_edit *timeline,
                                 const struct epoch_exchange_role *roles, struct timeline_edit *now, struct trace *made,
                                 struct err *err)
{
    notifying->next_request = timeline_free_request(&notifying->exchange.trace->ranks[rank]);
    for (size_t i = 0; i < timeline->count; i++) {
        struct epoch_exchange_site site = {now, timeline->items[i]};
        const struct epoch_exchange_role *role = &roles[site.item.index];
        if (role->what == ROLE_NOTHING)
            TRY(timeline_push(now, site.item, err));
        else
            TRY(replace_call(notifying, rank, role, &site, made, err));
        if (role->what != ROLE_NOTHING) timeline_defer(now, &site.item);
    }
    return STATUS_OK;
}

static enum status change_timeline(void *context, uint32_t rank, struct timeline_edit *timeline, struct trace *made,
                                   struct err *err)
{
    struct notifying *notifying = context;
    struct timeline_edit now = {.tail_ps = 0};
    struct epoch_exchange_role *roles;
    if (notifying->exchange.trace->ranks[rank].thread_count > 1) return STATUS_OK;
    TRY(timeline_use_heap(made, &notifying->heap, err));
    TRY(epoch_exchange_roles(&notifying->exchange, rank, &roles, err));
    enum status status = rewrite_calls(notifying, rank, timeline, roles, &now, made, err);
    free(roles);
    return timeline_replace(timeline, &now, status);
}

static const char *refuse_operation(const struct trace_call *operation)
{
    enum call_kind kind = call_kind(operation->call);
    return kind == CALL_PUT || kind == CALL_GET ? NULL : "only puts and gets can have a signal behind them";
}

static enum status run_notifying(struct notifying *notifying, struct trace **made, struct err *err)
{
    struct transform_report *report = notifying->exchange.report;
    size_t pairs = notifying->exchange.epochs.pair_count;
    notifying->requests = malloc((pairs + 1) * sizeof *notifying->requests);
    if (!notifying->requests) return err_memory(err);
    for (size_t p = 0; p < pairs; p++) notifying->requests[p] = TRACE_NO_REF;
    notifying->heap = timeline_heap(notifying->exchange.trace);
    notifying->first_place = timeline_free_place(notifying->exchange.trace);
    if (report->changed > 0) TRY(timeline_each(notifying->exchange.trace, change_timeline, notifying, made, err));
    if (report->considered == 0) return transform_say(report, err, EPOCH_EXCHANGE_NONE);
    return transform_say(report, err,
                         "%" PRIu64 " of %" PRIu64 " epochs became %" PRIu64 " puts with a signal, %" PRIu64
                         " signals without data and %" PRIu64 " in place of posts",
                         report->changed, report->considered, notifying->signals, notifying->bare, notifying->ready);
}

static enum status apply_pscw_notify(const struct trace *trace, const char *argument, struct trace **made,
                                     struct transform_report *report, struct err *err)
{
    struct notifying notifying = {.requests = NULL};
    (void)argument;
    TRY(epoch_exchange_find(trace, report, refuse_operation, &notifying.exchange, err));
    enum status status = run_notifying(&notifying, made, err);
    epoch_exchange_clear(&notifying.exchange);
    FREE_ALL(notifying.requests, notifying.list);
    return status;
}

const struct transform transform_pscw_notify = {
    .name = "pscw=notify",
    .summary = "epochs of post, start, complete and wait become puts whose signal the target waits for",
    .apply = apply_pscw_notify,
};
