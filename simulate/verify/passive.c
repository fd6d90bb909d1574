/* Law 2 for locks: unlock waits for its operations, and incompatible holders do not overlap. */
#include <stdlib.h>

#include "common/search.h"
#include "simulate/verify/law.h"

/* One lock epoch while its holder certainly has the lock: from the return of lock (blocking) or the first data (lazy)
 * to the return of unlock. */
struct hold {
    int32_t window, target;
    uint32_t origin;
    size_t call; /* the lock */
    bool exclusive;
    int64_t begin_ps, end_ps;
};

ORDER(compare_holds, struct hold, UP(window) UP(target) UP(begin_ps) UP(end_ps) UP(origin))

/* Before unlock or flush returns, the data of an operation have arrived, and the origin of a put knows it. */
static void check_known(const struct verify_context *context, const struct epoch_operation *operation, size_t close,
                        struct verify_row *row)
{
    const struct trace_rank *rank = &context->predicted->ranks[operation->origin];
    const struct trace_call *call = &rank->calls[operation->call];
    bool brings_data = call_kind(call->call) == CALL_GET || call_kind(call->call) == CALL_GET_ACCUMULATE;
    int64_t known_ps = brings_data ? rank->sim[operation->call].xfer_end_ps
                                   : verify_known_ps(context, operation->origin, operation->call);
    verify_after(context, row, operation->origin, close, rank->calls[close].exit_ps, known_ps,
                 "returns before an operation is known to be complete");
}

/* The release is answered: it goes to the target, and its answer comes back. */
static void check_release(const struct verify_context *context, const struct access_epoch *epoch, struct verify_row *row)
{
    if (context->platform->protocol.calls[STEPS_UNLOCK].form == FORM_UNLOCK_RELEASED || epoch->kind != EPOCH_LOCK) return;
    if (epoch->close_call == EPOCH_NONE || epoch->target == TRACE_NONE || epoch->target == (int32_t)epoch->rank) return;
    const struct trace_call *calls = context->predicted->ranks[epoch->rank].calls;
    if (calls[epoch->open_call].flags & TRACE_NOCHECK) return;
    int64_t known_ps = relations_release_ps(&context->relations, epoch->rank, epoch->close_call) +
                       verify_control_ps(context, epoch->rank, (uint32_t)epoch->target) +
                       verify_control_ps(context, (uint32_t)epoch->target, epoch->rank);
    verify_after(context, row, epoch->rank, epoch->close_call, calls[epoch->close_call].exit_ps, known_ps,
                 "unlock returns before the target can have acknowledged the release");
}

/* Lazy locks: begin_ps of a hold is INT64_MAX until its first operation is read. A hold without operations remains
 * unknown. */
static void gather_holds(const struct verify_context *context, struct hold *holds, size_t *count)
{
    const struct epochs *epochs = &context->relations.epochs;
    for (size_t i = 0; i < epochs->access_count; i++) {
        const struct access_epoch *epoch = &epochs->accesses[i];
        struct hold *hold = &holds[i];
        *hold = (struct hold){.begin_ps = INT64_MAX};
        if (epoch->kind != EPOCH_LOCK || epoch->close_call == EPOCH_NONE || epoch->target == TRACE_NONE) continue;
        const struct trace_call *calls = context->predicted->ranks[epoch->rank].calls, *lock = &calls[epoch->open_call];
        if (lock->flags & TRACE_NOCHECK) continue;
        bool blocking = context->modes[epoch->window].lock.form == FORM_LOCK_GRANT;
        *hold = (struct hold){.window = epoch->window,
                              .target = epoch->target,
                              .origin = epoch->rank,
                              .call = epoch->open_call,
                              .exclusive = lock->flags & TRACE_EXCLUSIVE,
                              .begin_ps = blocking ? lock->exit_ps : INT64_MAX,
                              .end_ps = relations_release_ps(&context->relations, epoch->rank, epoch->close_call)};
    }
    for (size_t i = 0; i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        struct hold *hold = &holds[operation->epoch];
        int64_t start_ps = context->predicted->ranks[operation->origin].sim[operation->call].xfer_start_ps;
        if (hold->end_ps != 0 && start_ps < hold->begin_ps) hold->begin_ps = start_ps;
    }
    *count = 0;
    for (size_t i = 0; i < epochs->access_count; i++)
        if (holds[i].begin_ps != INT64_MAX) holds[(*count)++] = holds[i];
}

static void check_holds(const struct verify_context *context, struct hold *holds, size_t count, struct verify_row *row)
{
    if (count > 1) qsort(holds, count, sizeof *holds, compare_holds);
    int64_t exclusive_end_ps = INT64_MIN, shared_end_ps = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        const struct hold *hold = &holds[i];
        if (i == 0 || hold->window != holds[i - 1].window || hold->target != holds[i - 1].target)
            exclusive_end_ps = shared_end_ps = INT64_MIN;
        int64_t free_ps = exclusive_end_ps;
        if (hold->exclusive && shared_end_ps > free_ps) free_ps = shared_end_ps;
        if (free_ps != INT64_MIN)
            verify_after(context, row, hold->origin, hold->call, hold->begin_ps, free_ps,
                         "the lock is held while another origin holds it");
        int64_t *end_ps = hold->exclusive ? &exclusive_end_ps : &shared_end_ps;
        if (hold->end_ps > *end_ps) *end_ps = hold->end_ps;
    }
}

enum status verify_waits_passive(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    const struct epochs *epochs = &context->relations.epochs;
    for (size_t i = 0; i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        const struct access_epoch *epoch = &epochs->accesses[operation->epoch];
        if (epoch->kind != EPOCH_LOCK && epoch->kind != EPOCH_LOCK_ALL) continue;
        if (operation->done_call != EPOCH_NONE) check_known(context, operation, operation->done_call, row);
        if (epoch->close_call != EPOCH_NONE) check_known(context, operation, epoch->close_call, row);
    }
    for (size_t i = 0; i < epochs->access_count; i++) check_release(context, &epochs->accesses[i], row);
    struct hold *holds = calloc(epochs->access_count + 1, sizeof *holds);
    if (!holds) return err_memory(err);
    size_t count;
    gather_holds(context, holds, &count);
    check_holds(context, holds, count, row);
    free(holds);
    return STATUS_OK;
}
