/* Law 3 for posts. Which post each call waited for, and how long, follows from the platform's semantics and the times.
 * The replay records both from the conditions on which it waited: in the predicted trace (RMA::AwaitedPost) and in its
 * totals. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/units.h"
#include "simulate/engine/cost.h"
#include "simulate/verify/law.h"

struct awaiter {
    const struct verify_context *context;
    struct verify_row *row;
    bool *gets; /* per pair: the epoch has an operation for whose data complete waits, if no earlier call did */
    struct totals totals; /* as in the predicted trace */
};

static const struct access_epoch *access_of(const struct awaiter *awaiter, size_t index)
{
    return &awaiter->context->relations.epochs.accesses[index];
}

static const struct trace_rank *rank_of(const struct awaiter *awaiter, uint32_t rank)
{
    return &awaiter->context->predicted->ranks[rank];
}

/* Whether the call has a time of its own (docs/simulation.md). */
static bool call_works(const struct verify_context *context, const struct trace_call *call)
{
    const unsigned nobody = TRACE_NOPRECEDE | TRACE_NOSUCCEED;
    enum call_kind kind = call_kind(call->call);
    if (call->call >= MPI_FUNCTION_COUNT || kind == CALL_LOCAL) return false;
    if (kind == CALL_LOCK || kind == CALL_LOCK_ALL) {
        const enum steps_form lock = context->modes[call->handle].lock.form;
        return !(call->flags & TRACE_NOCHECK) && !(kind == CALL_LOCK && call->peer == TRACE_NONE) &&
               (lock == FORM_LOCK_GRANT || (lock == FORM_LOCK_ASK && kind == CALL_LOCK));
    }
    return kind != CALL_FENCE || (call->flags & nobody) != nobody ||
           !context->modes[call->handle].fence.asserted;
}

/* Since when the rank has been outside the library at this call. */
static int64_t paused_from_ps(const struct awaiter *awaiter, uint32_t rank, const struct trace_call *call)
{
    const struct trace_call *first = rank_of(awaiter, rank)->calls;
    while (call > first)
        if (call_works(awaiter->context, --call)) return call->exit_ps;
    return 0;
}

/* When the call's own time (mpi.call_s, mpi.pause) is over. */
static int64_t begins_ps(const struct awaiter *awaiter, uint32_t rank, const struct trace_call *call)
{
    const struct platform *platform = awaiter->context->platform;
    if (rank_of(awaiter, rank)->thread_count > 0) return call->enter_ps;
    const bool pauses = platform->pause.call_s > 0 || platform->loopback_pause.call_s > 0;
    const bool within = (pauses || platform->loopback_call_s) &&
                        replay_stays_on_node(awaiter->context->predicted, platform, rank, call);
    const double *call_s = within && platform->loopback_call_s ? platform->loopback_call_s : platform->call_s;
    const bool later = call_kind(call->call) == CALL_COMPLETE && protocol_completes_behind(&platform->protocol);
    int64_t begins_ps = call->enter_ps + units_ps(call_s && !later ? call_s[call->call] : 0);
    if (!pauses) return begins_ps;
    return begins_ps + cost_pause_ps(within ? &platform->loopback_pause : &platform->pause,
                                     call->enter_ps - paused_from_ps(awaiter, rank, call));
}

static bool promises_posts(const struct awaiter *awaiter, const struct access_epoch *access)
{
    return rank_of(awaiter, access->rank)->calls[access->open_call].flags & TRACE_NOCHECK;
}

static void take_post(const struct awaiter *awaiter, size_t pair, int64_t *latest_ps)
{
    const struct epochs *epochs = &awaiter->context->relations.epochs;
    if (pair == EPOCH_NONE || epochs->pairs[pair].exposure == EPOCH_NONE) return;
    const struct exposure_epoch *exposure = &epochs->exposures[epochs->pairs[pair].exposure];
    int64_t post_ps = rank_of(awaiter, exposure->rank)->calls[exposure->post_call].enter_ps;
    if (post_ps > *latest_ps) *latest_ps = post_ps;
}

static void take_group(const struct awaiter *awaiter, const struct access_epoch *access, int64_t *latest_ps)
{
    for (size_t p = access->pair_first; p < access->pair_first + access->pair_count; p++)
        take_post(awaiter, p, latest_ps);
}

/* latest_ps: enter of the latest post that the call has to wait for, INT64_MIN: none. Only posts after free_ps, where
 * it begins to wait, show that it waits. */
static void check_call(struct awaiter *awaiter, enum pattern pattern, uint32_t rank, size_t call, int64_t latest_ps,
                       int64_t free_ps)
{
    const struct trace *trace = awaiter->context->predicted;
    int64_t said_ps = rank_of(awaiter, rank)->sim[call].awaited_post_ps;
    int64_t enter_ps = rank_of(awaiter, rank)->calls[call].enter_ps;
    bool waited = said_ps != TRACE_UNKNOWN_PS;
    awaiter->row->checked++;
    if (waited) totals_add(&awaiter->totals, pattern, rank, said_ps - enter_ps);
    if (latest_ps > free_ps ? waited && said_ps == latest_ps : !waited || said_ps <= latest_ps) return;
    char place[TRACE_PLACE_BYTES], said[48] = "none", has[48] = "none";
    if (waited) snprintf(said, sizeof said, "one of %" PRId64 " ps", said_ps);
    if (latest_ps != INT64_MIN) snprintf(has, sizeof has, "one of %" PRId64 " ps", latest_ps);
    verify_breach(awaiter->row, "%s: waited for %s of the posts, has to wait for %s",
                  trace_place(trace, rank, call, place), said, has);
}

static void check_start(struct awaiter *awaiter, const struct access_epoch *access)
{
    const struct trace_call *start = &rank_of(awaiter, access->rank)->calls[access->open_call];
    int64_t latest_ps = INT64_MIN;
    if (awaiter->context->modes[access->window].semantics->start_waits && !promises_posts(awaiter, access))
        take_group(awaiter, access, &latest_ps);
    check_call(awaiter, PATTERN_LATE_POST, access->rank, access->open_call, latest_ps,
               begins_ps(awaiter, access->rank, start));
}

/* complete spends its overhead before it waits, unless it notifies behind acknowledgements and issues nothing. */
static void check_complete(struct awaiter *awaiter, const struct access_epoch *access)
{
    const struct window_mode *mode = &awaiter->context->modes[access->window];
    const struct epochs *epochs = &awaiter->context->relations.epochs;
    const struct trace_call *complete = &rank_of(awaiter, access->rank)->calls[access->close_call];
    bool waits = !promises_posts(awaiter, access);
    const struct platform *platform = awaiter->context->platform;
    const bool within = platform->loopback_overhead_s != platform->overhead_s &&
                        replay_stays_on_node(awaiter->context->predicted, platform, access->rank, complete);
    const bool first = !protocol_completes_behind(&platform->protocol) || platform->issue == ISSUE_DEFERRED;
    const double overhead_s = within ? platform->loopback_overhead_s : platform->overhead_s;
    int64_t latest_ps = INT64_MIN, overhead_ps = units_ps(first ? overhead_s : 0);
    if (waits && mode->complete_waits_all) take_group(awaiter, access, &latest_ps);
    for (size_t p = access->pair_first; waits && p < access->pair_first + access->pair_count; p++) {
        if (awaiter->gets[p]) take_post(awaiter, p, &latest_ps);
        if (mode->epochs_ahead != INT64_MAX)
            take_post(awaiter, verify_pair_before(epochs, p, mode->epochs_ahead), &latest_ps);
    }
    check_call(awaiter, PATTERN_LATE_POST, access->rank, access->close_call, latest_ps,
               begins_ps(awaiter, access->rank, complete) + overhead_ps);
}

static void check_operation(struct awaiter *awaiter, const struct epoch_operation *operation)
{
    const struct access_epoch *access = access_of(awaiter, operation->epoch);
    const struct trace_call *call = &rank_of(awaiter, operation->origin)->calls[operation->call];
    const struct rma_semantics *semantics = awaiter->context->modes[access->window].semantics;
    enum rma_kind kind = verify_rma_kind(call_kind(call->call));
    int64_t latest_ps = INT64_MIN;
    bool waits = semantics_waits(semantics, kind, call->bytes) == WAITS_CALL && !promises_posts(awaiter, access);
    if (waits && semantics_waits_for_group(semantics, kind, call->bytes))
        take_group(awaiter, access, &latest_ps);
    else if (waits)
        take_post(awaiter, operation->pair, &latest_ps);
    check_call(awaiter, PATTERN_EARLY_TRANSFER, operation->origin, operation->call, latest_ps,
               begins_ps(awaiter, operation->origin, call));
}

static void compare_account(const struct awaiter *awaiter, enum pattern pattern)
{
    const struct totals *own = &awaiter->context->outcome->totals, *said = &awaiter->totals;
    for (uint32_t r = 0; r < said->rank_count; r++) {
        awaiter->row->checked++;
        if (own->severity_ps[pattern][r] == said->severity_ps[pattern][r] &&
            own->count[pattern][r] == said->count[pattern][r])
            continue;
        verify_breach(awaiter->row,
                      "%s of rank %u: the simulator counts %" PRId64 " ps in %" PRIu64 " waits, its trace %" PRId64
                      " ps in %" PRIu64,
                      pattern_row(pattern)->name, r, own->severity_ps[pattern][r], own->count[pattern][r],
                      said->severity_ps[pattern][r], said->count[pattern][r]);
    }
}

static void check_posts(struct awaiter *awaiter)
{
    const struct epochs *epochs = &awaiter->context->relations.epochs;
    for (size_t i = 0; i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        if (operation->pair == EPOCH_NONE) continue;
        const struct trace_call *call = &rank_of(awaiter, operation->origin)->calls[operation->call];
        if (verify_rma_kind(call_kind(call->call)) == RMA_GET) awaiter->gets[operation->pair] = true;
    }
    for (size_t a = 0; a < epochs->access_count; a++) {
        const struct access_epoch *access = access_of(awaiter, a);
        if (access->kind != EPOCH_START) continue;
        check_start(awaiter, access);
        if (access->close_call != EPOCH_NONE) check_complete(awaiter, access);
    }
    for (size_t i = 0; i < epochs->operation_count; i++)
        if (epochs->operations[i].pair != EPOCH_NONE) check_operation(awaiter, &epochs->operations[i]);
    if (awaiter->row->checked == 0) return;
    compare_account(awaiter, PATTERN_LATE_POST);
    compare_account(awaiter, PATTERN_EARLY_TRANSFER);
}

enum status verify_awaited(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    struct awaiter awaiter = {.context = context, .row = row};
    TRY(totals_init(&awaiter.totals, context->predicted->rank_count, err));
    awaiter.gets = calloc(context->relations.epochs.pair_count + 1, sizeof *awaiter.gets);
    if (awaiter.gets) check_posts(&awaiter);
    if (awaiter.gets) verify_served(context, row);
    totals_clear(&awaiter.totals);
    bool made = awaiter.gets;
    free(awaiter.gets);
    return made ? STATUS_OK : err_memory(err);
}
