/* Law 2 for post, start, complete and wait: what each call of an epoch pair has to wait for. Uses the pairs that the
 * model finds in the predicted trace, not the replay's own state. */

#include "simulate/verify/law.h"

struct pair_view {
    const struct access_epoch *access;
    const struct exposure_epoch *exposure;
    uint32_t origin, target;
    const struct trace_call *calls; /* the origin's */
    const struct trace_sim *sim;
    int64_t posted_ps; /* the earliest time at which the origin can know of the post */
    bool knows_posted; /* NOCHECK: it need not wait for it */
};

static bool view_pair(const struct verify_context *context, const struct epoch_pair *pair, struct pair_view *view)
{
    const struct epochs *epochs = &context->relations.epochs;
    if (pair->exposure == EPOCH_NONE) return false;
    view->access = &epochs->accesses[pair->access];
    view->exposure = &epochs->exposures[pair->exposure];
    if (view->access->close_call == EPOCH_NONE) return false;
    view->origin = view->access->rank;
    view->target = view->exposure->rank;
    view->calls = context->predicted->ranks[view->origin].calls;
    view->sim = context->predicted->ranks[view->origin].sim;
    const struct trace_call *post = &context->predicted->ranks[view->target].calls[view->exposure->post_call];
    view->posted_ps = post->enter_ps + verify_control_ps(context, view->target, view->origin);
    view->knows_posted = view->calls[view->access->open_call].flags & TRACE_NOCHECK;
    return true;
}

size_t verify_pair_before(const struct epochs *epochs, size_t pair, int64_t count)
{
    for (; count > 0 && pair != EPOCH_NONE; count--) pair = epochs->pairs[pair].previous;
    return pair;
}

/* d: complete waits until at most epochs_ahead completed epochs lack their post. */
static void check_ahead(const struct verify_context *context, size_t index, struct verify_row *row)
{
    struct pair_view view, before;
    const struct epochs *epochs = &context->relations.epochs;
    if (!view_pair(context, &epochs->pairs[index], &view) || view.knows_posted) return;
    int64_t ahead = context->modes[view.access->window].epochs_ahead;
    size_t first = ahead == INT64_MAX ? EPOCH_NONE : verify_pair_before(epochs, index, ahead);
    if (first == EPOCH_NONE || !view_pair(context, &epochs->pairs[first], &before)) return;
    verify_after(context, row, view.origin, view.access->close_call, view.calls[view.access->close_call].exit_ps,
                 before.posted_ps, "complete returns before the post of an epoch before can be known");
}

static void check_pair(const struct verify_context *context, const struct pair_view *view, struct verify_row *row)
{
    const struct window_mode *mode = &context->modes[view->access->window];
    const struct access_epoch *access = view->access;
    const struct trace_call *start = &view->calls[access->open_call], *complete = &view->calls[access->close_call];
    if (!view->knows_posted && mode->semantics->start_waits)
        verify_after(context, row, view->origin, access->open_call, start->exit_ps, view->posted_ps,
                     "start returns before the post can be known");
    if (!view->knows_posted && mode->complete_waits_all)
        verify_after(context, row, view->origin, access->close_call, complete->exit_ps, view->posted_ps,
                     "complete returns before the post can be known");
    if (view->exposure->close_call == EPOCH_NONE) return;
    const struct trace_call *wait = &context->predicted->ranks[view->target].calls[view->exposure->close_call];
    verify_after(context, row, view->target, view->exposure->close_call, wait->exit_ps,
                 complete->enter_ps + verify_control_ps(context, view->origin, view->target),
                 "wait returns before the origin's complete can be known");
}

/* complete holds the origin until a put has left and a get has arrived; under d puts leave on their own. */
static void check_complete(const struct verify_context *context, const struct pair_view *view, size_t index,
                           enum rma_waits waits, struct verify_row *row)
{
    const struct trace_call *call = &view->calls[index], *complete = &view->calls[view->access->close_call];
    const struct trace_sim *sim = &view->sim[index];
    size_t close = view->access->close_call;
    if (call_kind(call->call) == CALL_GET || call_kind(call->call) == CALL_GET_ACCUMULATE)
        verify_after(context, row, view->origin, close, complete->exit_ps, sim->xfer_end_ps,
                     "complete returns before the data of a get");
    else if (waits != WAITS_NEVER && context->platform->protocol.calls[STEPS_COMPLETE].form == FORM_COMPLETE_BEHIND)
        verify_after(context, row, view->origin, close, complete->exit_ps, verify_known_ps(context, view->origin, index),
                     "complete returns before a put is acknowledged");
    else if (waits != WAITS_NEVER)
        verify_after(context, row, view->origin, close, complete->exit_ps, verify_local_ps(context, view->origin, index),
                     "complete returns before a put has left");
}

/* An operation for the whole group leaves, and under b its call returns, when the posts of all its targets are known.
 */
static void check_group(const struct verify_context *context, const struct pair_view *view, size_t index,
                        enum rma_waits waits, struct verify_row *row)
{
    const struct trace_call *call = &view->calls[index];
    for (size_t p = view->access->pair_first; p < view->access->pair_first + view->access->pair_count; p++) {
        struct pair_view other;
        if (!view_pair(context, &context->relations.epochs.pairs[p], &other)) continue;
        verify_after(context, row, view->origin, index, view->sim[index].xfer_start_ps, other.posted_ps,
                     "the data move before the posts of the group can be known");
        if (waits == WAITS_CALL)
            verify_after(context, row, view->origin, index, call->exit_ps, other.posted_ps,
                         "the call returns before the posts of the group can be known");
    }
}

static void check_operation(const struct verify_context *context, const struct pair_view *view, size_t index,
                            struct verify_row *row)
{
    const struct trace_call *call = &view->calls[index];
    const struct trace_sim *sim = &view->sim[index];
    enum rma_kind kind = verify_rma_kind(call_kind(call->call));
    const struct rma_semantics *semantics = context->modes[call->handle].semantics;
    enum rma_waits waits = semantics_waits(semantics, kind, call->bytes);
    if (!view->knows_posted && semantics_waits_for_group(semantics, kind, call->bytes))
        check_group(context, view, index, waits, row);
    if (!view->knows_posted) {
        verify_after(context, row, view->origin, index, sim->xfer_start_ps, view->posted_ps,
                     "the data move before the post can be known");
        if (waits == WAITS_CALL)
            verify_after(context, row, view->origin, index, call->exit_ps, view->posted_ps,
                         "the call returns before the post can be known");
    }
    check_complete(context, view, index, waits, row);
    if (kind == RMA_GET || view->exposure->close_call == EPOCH_NONE) return;
    const struct trace_call *wait = &context->predicted->ranks[view->target].calls[view->exposure->close_call];
    verify_after(context, row, view->target, view->exposure->close_call, wait->exit_ps, sim->xfer_end_ps,
                 "wait returns before the data have arrived");
}

enum status verify_waits_active(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    (void)err;
    const struct epochs *epochs = &context->relations.epochs;
    struct pair_view view;
    for (size_t i = 0; i < epochs->pair_count; i++)
        if (view_pair(context, &epochs->pairs[i], &view)) {
            check_pair(context, &view, row);
            check_ahead(context, i, row);
        }
    for (size_t i = 0; i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        if (operation->pair == EPOCH_NONE || !view_pair(context, &epochs->pairs[operation->pair], &view)) continue;
        check_operation(context, &view, operation->call, row);
    }
    return STATUS_OK;
}
