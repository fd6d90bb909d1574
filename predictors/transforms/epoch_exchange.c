#include "predictors/transforms/epoch_exchange.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"

static size_t exposure_node(const struct epoch_exchange *exchange, size_t exposure)
{
    return exchange->epochs.access_count + exposure;
}

static size_t root_of(const struct epoch_exchange *exchange, size_t node)
{
    while (exchange->parent[node] != node) node = exchange->parent[node] = exchange->parent[exchange->parent[node]];
    return node;
}

static void list_operations(struct epoch_exchange *exchange)
{
    const struct epochs *epochs = &exchange->epochs;
    size_t *first = exchange->pair_first; /* while it is filled, first[p + 1] is the end of what pair p has so far */
    for (size_t o = 0; o < epochs->operation_count; o++)
        if (epochs->operations[o].pair != EPOCH_NONE) first[epochs->operations[o].pair + 2]++;
    for (size_t p = 0; p < epochs->pair_count; p++) first[p + 2] += first[p + 1];
    for (size_t o = 0; o < epochs->operation_count; o++)
        if (epochs->operations[o].pair != EPOCH_NONE)
            exchange->pair_call[first[epochs->operations[o].pair + 1]++] = epochs->operations[o].call;
}

static enum status join_pairs(struct epoch_exchange *exchange, struct err *err)
{
    const struct epochs *epochs = &exchange->epochs;
    size_t nodes = epochs->access_count + epochs->exposure_count;
    exchange->parent = calloc(nodes + 1, sizeof *exchange->parent);
    exchange->left = calloc(nodes + 1, sizeof *exchange->left);
    exchange->pair_first = calloc(epochs->pair_count + 2, sizeof *exchange->pair_first);
    exchange->pair_call = calloc(epochs->operation_count + 1, sizeof *exchange->pair_call);
    if (!exchange->parent || !exchange->left || !exchange->pair_first || !exchange->pair_call) return err_memory(err);
    for (size_t n = 0; n < nodes; n++) exchange->parent[n] = n;
    for (size_t p = 0; p < epochs->pair_count; p++) {
        const struct epoch_pair *pair = &epochs->pairs[p];
        if (pair->exposure == EPOCH_NONE) continue;
        exchange->parent[root_of(exchange, pair->access)] = root_of(exchange, exposure_node(exchange, pair->exposure));
    }
    list_operations(exchange);
    return STATUS_OK;
}

/* An epoch that cannot change: all that are paired with it stay. */
static enum status leave_epochs(struct epoch_exchange *exchange, size_t node, uint32_t rank, size_t call, const char *why,
                                struct err *err)
{
    const struct epochs *epochs = &exchange->epochs;
    size_t root = root_of(exchange, node);
    uint64_t count = 0;
    if (exchange->left[root]) return STATUS_OK;
    exchange->left[root] = true;
    for (size_t n = 0; n < epochs->access_count + epochs->exposure_count; n++) count += root_of(exchange, n) == root;
    return transform_refuse(exchange->report, exchange->trace, rank, call, count, err, "%s", why);
}

static const char *refuse_pairs(const struct epoch_exchange *exchange, const struct access_epoch *access)
{
    for (size_t p = access->pair_first; p < access->pair_first + access->pair_count; p++)
        if (exchange->epochs.pairs[p].exposure == EPOCH_NONE) return "a target of the epoch does not post for it";
    return NULL;
}

static enum status examine_access(struct epoch_exchange *exchange, size_t a, epoch_exchange_refusal *refuses, struct err *err)
{
    const struct trace *trace = exchange->trace;
    const struct access_epoch *access = &exchange->epochs.accesses[a];
    const char *why = NULL;
    if (trace->ranks[access->rank].thread_count > 1)
        why = "the rank has threads";
    else if (!epoch_closed(trace, access->rank, access->close_call))
        why = "its epoch does not end";
    else
        why = refuse_pairs(exchange, access);
    if (why) return leave_epochs(exchange, a, access->rank, access->open_call, why, err);
    for (size_t p = access->pair_first; p < access->pair_first + access->pair_count; p++)
        for (size_t i = exchange->pair_first[p]; i < exchange->pair_first[p + 1]; i++) {
            why = refuses(&trace->ranks[access->rank].calls[exchange->pair_call[i]]);
            if (why) return leave_epochs(exchange, a, access->rank, exchange->pair_call[i], why, err);
        }
    return STATUS_OK;
}

static enum status examine_exposure(struct epoch_exchange *exchange, size_t e, struct err *err)
{
    const struct trace *trace = exchange->trace;
    const struct exposure_epoch *exposure = &exchange->epochs.exposures[e];
    const char *why = NULL;
    if (trace->ranks[exposure->rank].thread_count > 1)
        why = "the rank has threads";
    else if (exposure->first_test != EPOCH_NONE)
        why = "MPI_Win_test asks for its end";
    else if (!epoch_closed(trace, exposure->rank, exposure->close_call))
        why = "its epoch does not end";
    for (size_t l = exposure->link_first; !why && l < exposure->link_first + exposure->link_count; l++)
        if (exchange->epochs.links[l].pair == EPOCH_NONE) why = "an origin of the epoch does not start one for it";
    return why ? leave_epochs(exchange, exposure_node(exchange, e), exposure->rank, exposure->post_call, why, err) : STATUS_OK;
}

static enum status examine_epochs(struct epoch_exchange *exchange, epoch_exchange_refusal *refuses, struct err *err)
{
    const struct epochs *epochs = &exchange->epochs;
    for (size_t a = 0; a < epochs->access_count; a++)
        if (epochs->accesses[a].kind == EPOCH_START) TRY(examine_access(exchange, a, refuses, err));
    for (size_t e = 0; e < epochs->exposure_count; e++) TRY(examine_exposure(exchange, e, err));
    for (size_t n = 0; n < epochs->access_count + epochs->exposure_count; n++) {
        if (n < epochs->access_count && epochs->accesses[n].kind != EPOCH_START) continue;
        exchange->report->considered++;
        exchange->report->changed += !exchange->left[root_of(exchange, n)];
    }
    return STATUS_OK;
}

enum status epoch_exchange_find(const struct trace *trace, struct transform_report *report, epoch_exchange_refusal *refuses,
                          struct epoch_exchange *exchange, struct err *err)
{
    struct epoch_exchange made = {.trace = trace, .report = report};
    struct window_uses uses = {0};
    enum status status = epochs_build(trace, &uses, &made.epochs, err);
    window_uses_clear(&uses);
    TRY(status);
    status = join_pairs(&made, err);
    if (status == STATUS_OK) status = examine_epochs(&made, refuses, err);
    *exchange = made;
    if (status != STATUS_OK) epoch_exchange_clear(exchange);
    return status;
}

void epoch_exchange_clear(struct epoch_exchange *exchange)
{
    epochs_clear(&exchange->epochs);
    FREE_ALL(exchange->parent, exchange->left, exchange->pair_first, exchange->pair_call);
    *exchange = (struct epoch_exchange){0};
}

static void set_roles_of_access(const struct epoch_exchange *exchange, size_t a, struct epoch_exchange_role *roles)
{
    const struct access_epoch *access = &exchange->epochs.accesses[a];
    const struct trace_call *calls = exchange->trace->ranks[access->rank].calls;
    roles[access->open_call] = (struct epoch_exchange_role){ROLE_START, a, EPOCH_NONE};
    roles[access->close_call] = (struct epoch_exchange_role){ROLE_COMPLETE, a, EPOCH_NONE};
    for (size_t i = access->open_call + 1; i < access->close_call; i++)
        if (timeline_is_operation(&calls[i]) && calls[i].handle == access->window && calls[i].peer == TRACE_NONE)
            roles[i] = (struct epoch_exchange_role){ROLE_NOBODY, a, EPOCH_NONE};
    for (size_t p = access->pair_first; p < access->pair_first + access->pair_count; p++)
        for (size_t i = exchange->pair_first[p]; i < exchange->pair_first[p + 1]; i++)
            roles[exchange->pair_call[i]] = (struct epoch_exchange_role){ROLE_OPERATION, a, p};
}

enum status epoch_exchange_roles(const struct epoch_exchange *exchange, uint32_t rank, struct epoch_exchange_role **roles,
                                 struct err *err)
{
    const struct epochs *epochs = &exchange->epochs;
    struct epoch_exchange_role *made = calloc(exchange->trace->ranks[rank].count + 1, sizeof *made);
    size_t a = 0, e = 0;
    if (!made) return err_memory(err);
    SEARCH_FIRST(a, epochs->access_count, i, epochs->accesses[i].rank < rank);
    SEARCH_FIRST(e, epochs->exposure_count, i, epochs->exposures[i].rank < rank);
    for (; a < epochs->access_count && epochs->accesses[a].rank == rank; a++)
        if (epochs->accesses[a].kind == EPOCH_START && !exchange->left[root_of(exchange, a)])
            set_roles_of_access(exchange, a, made);
    for (; e < epochs->exposure_count && epochs->exposures[e].rank == rank; e++) {
        const struct exposure_epoch *exposure = &epochs->exposures[e];
        if (exchange->left[root_of(exchange, exposure_node(exchange, e))]) continue;
        made[exposure->post_call] = (struct epoch_exchange_role){ROLE_POST, e, EPOCH_NONE};
        made[exposure->close_call] = (struct epoch_exchange_role){ROLE_WAIT, e, EPOCH_NONE};
    }
    *roles = made;
    return STATUS_OK;
}

uint32_t epoch_exchange_origin(const struct epoch_exchange *exchange, size_t pair)
{
    return exchange->epochs.accesses[exchange->epochs.pairs[pair].access].rank;
}

uint32_t epoch_exchange_target(const struct epoch_exchange *exchange, size_t pair)
{
    return exchange->epochs.exposures[exchange->epochs.pairs[pair].exposure].rank;
}

enum status epoch_exchange_push(struct epoch_exchange_site *site, const struct trace_call *call, struct err *err)
{
    return timeline_push_in_place(site->now, &site->item, call, err);
}

ORDER(compare_requests, uint32_t, UP_ITSELF)

enum status epoch_exchange_push_waitall(struct epoch_exchange_site *site, struct trace *made, uint32_t *requests, uint32_t count,
                                  struct err *err)
{
    struct trace_call call = {.call = ID_Waitall, .handle = TRACE_NONE, .peer = TRACE_NONE, .any = TRACE_NO_MEMBERS};
    if (count == 0) return STATUS_OK;
    qsort(requests, count, sizeof *requests, compare_requests);
    TRY(trace_add_list(made, requests, count, &call.completion.list, err));
    return epoch_exchange_push(site, &call, err);
}
