/* Turns puts under locks into request-based ones, with a waitall where the program completes them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "predictors/transforms/rows.h"
#include "predictors/transforms/timeline.h"
#include "trace/epoch_cursor.h"

struct pending {
    int32_t window, target;
    uint32_t request;
};

struct requesting {
    const struct trace *trace;
    struct transform_report *report;
    uint32_t *locks; /* per window: number of locks that the walked rank holds; lock_all counts as one */
    struct pending *pending;
    size_t count, capacity;
    uint32_t *list; /* room for the requests of one waitall */
    size_t list_capacity;
    uint32_t next_request;
    uint64_t waits;
};

static enum status request_put(struct requesting *requesting, uint32_t rank, const struct timeline_edit *timeline,
                               struct timeline_item *item, struct err *err)
{
    requesting->report->considered++;
    /* a put to MPI_PROC_NULL has no target whose unlock or flush could follow its MPI_Waitall */
    if ((item->call.flags & TRACE_BREAK) || item->call.peer == TRACE_NONE) return STATUS_OK;
    if (timeline_shares(timeline, &item->call))
        return transform_refuse(requesting->report, requesting->trace, rank, item->index, 1, err,
                                "several threads of the rank work on window %d", item->call.handle);
    if (requesting->locks[item->call.handle] == 0)
        return transform_refuse(requesting->report, requesting->trace, rank, item->index, 1, err,
                                "no lock is held, and only such epochs take request-based operations");
    struct pending pending = {item->call.handle, item->call.peer, requesting->next_request++};
    ARRAY_PUSH(requesting->pending, requesting->count, requesting->capacity, pending, err);
    item->call.call = ID_Rput;
    item->call.rma.request = pending.request;
    requesting->report->changed++;
    return STATUS_OK;
}

/* Inserts a waitall of the puts that the call completes, before the call and after the computing before it. */
static enum status wait_before(struct requesting *requesting, struct timeline_item *item, struct timeline_edit *now,
                               struct trace *made, struct err *err)
{
    uint32_t count = 0;
    size_t kept = 0;
    if (requesting->count == 0) return STATUS_OK;
    TRY(array_reserve((void **)&requesting->list, &requesting->list_capacity, requesting->count + 1,
                      sizeof *requesting->list, err));
    for (size_t i = 0; i < requesting->count; i++) {
        const struct pending *pending = &requesting->pending[i];
        if (epoch_completion(&item->call, pending->window, pending->target) != COMPLETE_NOWHERE)
            requesting->list[count++] = pending->request;
        else
            requesting->pending[kept++] = *pending;
    }
    requesting->count = kept;
    if (count == 0) return STATUS_OK;
    struct timeline_item wait = {.compute_ps = item->compute_ps,
                                 .slept_ps = item->slept_ps,
                                 .index = TIMELINE_NEW,
                                 .call = {.call = ID_Waitall,
                                          .handle = TRACE_NONE,
                                          .peer = TRACE_NONE,
                                          .any = TRACE_NO_MEMBERS,
                                          .site = item->call.site}};
    TRY(trace_add_list(made, requesting->list, count, &wait.call.completion.list, err));
    item->compute_ps = item->slept_ps = 0;
    requesting->waits++;
    return timeline_push(now, wait, err);
}

static enum status rewrite_call(struct requesting *requesting, uint32_t rank, const struct timeline_edit *timeline,
                                struct timeline_edit *now, struct trace *made, struct err *err)
{
    requesting->count = 0;
    if (timeline->thread == 0) requesting->next_request = timeline_free_request(&requesting->trace->ranks[rank]);
    memset(requesting->locks, 0, requesting->trace->definitions.window_count * sizeof *requesting->locks);
    for (size_t i = 0; i < timeline->count; i++) {
        struct timeline_item item = timeline->items[i];
        if (timeline_on_window(&item.call)) {
            enum call_kind kind = call_kind(item.call.call);
            uint32_t *locks = &requesting->locks[item.call.handle];
            if (item.call.call == ID_Put) TRY(request_put(requesting, rank, timeline, &item, err));
            TRY(wait_before(requesting, &item, now, made, err));
            if (kind == CALL_LOCK || kind == CALL_LOCK_ALL) ++*locks;
            if ((kind == CALL_UNLOCK || kind == CALL_UNLOCK_ALL) && *locks > 0) --*locks;
        }
        TRY(timeline_push(now, item, err));
    }
    return STATUS_OK;
}

static enum status change_timeline(void *context, uint32_t rank, struct timeline_edit *timeline, struct trace *made,
                                   struct err *err)
{
    struct timeline_edit now = {.tail_ps = 0};
    return timeline_replace(timeline, &now, rewrite_call(context, rank, timeline, &now, made, err));
}

static enum status apply_put_rput(const struct trace *trace, const char *argument, struct trace **made,
                                  struct transform_report *report, struct err *err)
{
    struct requesting requesting = {.trace = trace, .report = report};
    (void)argument;
    requesting.locks = calloc(trace->definitions.window_count + 1, sizeof *requesting.locks);
    if (!requesting.locks) return err_memory(err);
    enum status status = timeline_each(trace, change_timeline, &requesting, made, err);
    FREE_ALL(requesting.locks, requesting.pending, requesting.list);
    TRY(status);
    return transform_say(report, err, "%" PRIu64 " of %" PRIu64 " puts became MPI_Rput, with %" PRIu64 " MPI_Waitall",
                         report->changed, report->considered, requesting.waits);
}

const struct transform transform_put_rput = {
    .name = "put=rput",
    .summary = "puts under locks become MPI_Rput, with an MPI_Waitall in front of the call that completes them",
    .apply = apply_put_rput,
};
