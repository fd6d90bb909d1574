/* Laws 2 and 3 for single transfers, and law 5. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/units.h"
#include "model/transfers/bounds.h"
#include "simulate/verify/law.h"

bool verify_is_operation(const struct trace_call *call)
{
    return call_moves(call->call) && call->peer != TRACE_NONE;
}

static int64_t least_transfer_ps(const struct verify_context *context, uint32_t origin, const struct trace_call *call)
{
    uint32_t target = (uint32_t)call->peer;
    enum call_kind kind = call_operation(call_kind(call->call));
    if (kind == CALL_GET) return verify_operation_ps(context, target, origin, call->bytes);
    int64_t applied_ps = 0;
    if (kind == CALL_GET_ACCUMULATE) applied_ps = verify_operation_ps(context, target, origin, call->rma.result_bytes);
    if (kind != CALL_PUT) applied_ps += units_ps(platform_apply_s(context->platform, call->bytes));
    return verify_operation_ps(context, origin, target, call->bytes) + applied_ps;
}

/* Whether a later call closes or flushes the operation's epoch. Otherwise what waits for a lazy lock, or is held, never
 * leaves. */
static bool is_let_go(const struct trace_rank *rank, size_t operation)
{
    static const bool lets_go[CALL_KIND_COUNT] = {
        [CALL_UNLOCK] = true,      [CALL_UNLOCK_ALL] = true, [CALL_FLUSH] = true,
        [CALL_FLUSH_LOCAL] = true, [CALL_COMPLETE] = true,   [CALL_FENCE] = true,
    };
    const struct trace_call *call = &rank->calls[operation];
    for (size_t i = operation + 1; i < rank->count; i++) {
        const struct trace_call *later = &rank->calls[i];
        bool elsewhere = (call_row(later->call)->allowed & F_TARGET) && later->peer != call->peer;
        if (lets_go[call_kind(later->call)] && later->handle == call->handle && !elsewhere) return true;
    }
    return false;
}

enum status verify_transfer_time(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    (void)err;
    for (uint32_t r = 0; r < context->predicted->rank_count; r++) {
        const struct trace_rank *rank = &context->predicted->ranks[r];
        for (size_t i = 0; i < rank->count; i++) {
            if (!verify_is_operation(&rank->calls[i])) continue;
            const struct trace_sim *sim = &rank->sim[i];
            char place[TRACE_PLACE_BYTES];
            if (sim->xfer_start_ps == TRACE_UNKNOWN_PS || sim->xfer_end_ps == TRACE_UNKNOWN_PS) {
                if (is_let_go(rank, i))
                    verify_breach(row, "%s: the simulation does not know its transfer",
                                  trace_place(context->predicted, r, i, place));
                continue;
            }
            verify_after(context, row, r, i, sim->xfer_start_ps, rank->calls[i].enter_ps, "begins before the call");
            int64_t least_ps = least_transfer_ps(context, r, &rank->calls[i]);
            verify_after(context, row, r, i, sim->xfer_end_ps, sim->xfer_start_ps + least_ps,
                         "arrives before latency and bytes / bandwidth allow");
        }
    }
    row->checked /= 2;
    return STATUS_OK;
}

/* Finds the epochs in which an operation with a request lets held operations on its target leave. */
static enum status find_hurried(const struct verify_context *context, bool **hurried, struct err *err)
{
    const struct epochs *epochs = &context->relations.epochs;
    *hurried = calloc(epochs->access_count + 1, sizeof **hurried);
    if (!*hurried) return err_memory(err);
    for (size_t i = 0; i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        if (context->predicted->ranks[operation->origin].calls[operation->call].rma.request != TRACE_NO_REF)
            (*hurried)[operation->epoch] = true;
    }
    return STATUS_OK;
}

/* With mpi.rma.issue = deferred no data move before a flush, or before the call that closes the epoch. */
enum status verify_held(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    const struct epochs *epochs = &context->relations.epochs;
    bool *hurried;
    if (context->platform->issue != ISSUE_DEFERRED) return STATUS_OK;
    TRY(find_hurried(context, &hurried, err));
    for (size_t i = 0; i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        const struct access_epoch *epoch = &epochs->accesses[operation->epoch];
        size_t close = epoch->flush_call != EPOCH_NONE ? epoch->flush_call : epoch->close_call;
        if (close == EPOCH_NONE || hurried[operation->epoch]) continue;
        const struct trace_rank *rank = &context->predicted->ranks[operation->origin];
        if (rank->sim[operation->call].xfer_start_ps == TRACE_UNKNOWN_PS) continue; /* the timeline ends before that */
        verify_after(context, row, operation->origin, operation->call, rank->sim[operation->call].xfer_start_ps,
                     rank->calls[close].enter_ps, "the data move before the epoch is closed");
    }
    free(hurried);
    return STATUS_OK;
}

enum status verify_bounds(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    struct transfers transfers;
    TRY(bounds_find(context->predicted, &transfers, err));
    for (size_t i = 0; i < transfers.count; i++) {
        const struct transfer *transfer = &transfers.items[i];
        const struct trace_rank *rank = &context->predicted->ranks[transfer->origin];
        const struct trace_sim *sim = &rank->sim[transfer->call];
        if (sim->xfer_end_ps == TRACE_UNKNOWN_PS && !is_let_go(rank, transfer->call)) continue;
        row->checked++;
        bool low = sim->xfer_end_ps + context->slack_ps >= transfer->lower_end_ps;
        bool high = transfer->upper_end_ps == TRACE_UNKNOWN_PS ||
                    sim->xfer_end_ps <= transfer->upper_end_ps + context->slack_ps;
        bool least = sim->xfer_least_ps == TRACE_UNKNOWN_PS || sim->xfer_end_ps + context->slack_ps >= sim->xfer_least_ps;
        if (low && high && least) continue;
        char place[TRACE_PLACE_BYTES];
        verify_breach(row, "%s: ends at %" PRId64 " ps, outside its bounds %" PRId64 " to %" PRId64 " ps",
                      trace_place(context->predicted, transfer->origin, transfer->call, place), sim->xfer_end_ps,
                      least ? transfer->lower_end_ps : sim->xfer_least_ps, transfer->upper_end_ps);
    }
    transfers_clear(&transfers);
    return STATUS_OK;
}

/* Recorded minus simulated operations of one origin, target and kind. */
struct balance {
    uint32_t origin, target;
    enum rma_kind kind;
    int64_t count, bytes;
};
struct balances {
    struct balance *items;
    size_t count, capacity;
    struct map index;
};

/* The bytes that fetching operations return. */
static int64_t result_bytes(const struct trace_call *call)
{
    return call_operation(call_kind(call->call)) == CALL_GET_ACCUMULATE ? call->rma.result_bytes : 0;
}

static enum status add_operations(struct balances *balances, const struct trace *trace, int64_t sign, struct err *err)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            if (!verify_is_operation(call)) continue;
            struct balance made = {
                .origin = r, .target = (uint32_t)call->peer, .kind = verify_rma_kind(call_kind(call->call))};
            uint64_t key = ((uint64_t)r * trace->rank_count + made.target) * RMA_KIND_COUNT + made.kind, *slot;
            TRY(map_put(&balances->index, key, balances->count, &slot, err));
            if (*slot == balances->count) ARRAY_PUSH(balances->items, balances->count, balances->capacity, made, err);
            struct balance *balance = &balances->items[*slot];
            balance->count += sign;
            balance->bytes += sign * (call->bytes + result_bytes(call));
        }
    }
    return STATUS_OK;
}

/* Compares what the replay moved with the recording. */
static void compare_totals(const struct verify_context *context, struct verify_row *row)
{
    uint64_t count = 0, bytes = 0;
    for (uint32_t r = 0; r < context->trace->rank_count; r++)
        for (size_t i = 0; i < context->trace->ranks[r].count; i++) {
            const struct trace_call *call = &context->trace->ranks[r].calls[i];
            if (!verify_is_operation(call)) continue;
            count++;
            bytes += (uint64_t)call->bytes;
        }
    if (context->outcome->transfers == count && context->outcome->transfer_bytes == bytes) return;
    verify_breach(row,
                  "the replay moved %" PRIu64 " bytes in %" PRIu64 " operations, recorded are %" PRIu64 " in %" PRIu64,
                  context->outcome->transfer_bytes, context->outcome->transfers, bytes, count);
}

enum status verify_conservation(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    static const char *const kinds[RMA_KIND_COUNT] = {"put", "get", "accumulate"};
    struct balances balances = {0};
    enum status status = add_operations(&balances, context->trace, 1, err);
    if (status == STATUS_OK) status = add_operations(&balances, context->predicted, -1, err);
    for (size_t i = 0; status == STATUS_OK && i < balances.count; i++) {
        const struct balance *balance = &balances.items[i];
        row->checked++;
        if (balance->count == 0 && balance->bytes == 0) continue;
        verify_breach(
            row, "%s from rank %u to rank %u: recorded minus simulated are %" PRId64 " operations, %" PRId64 " bytes",
            kinds[balance->kind], balance->origin, balance->target, balance->count, balance->bytes);
    }
    if (status == STATUS_OK) compare_totals(context, row);
    map_clear(&balances.index);
    free(balances.items);
    return status;
}
