/* Turns fence epochs into post/start/complete/wait with the groups that the operations need, and fences into ones that
 * only notify. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "common/units.h"
#include "predictors/transforms/rows.h"
#include "predictors/transforms/timeline.h"

#define NO_CALL SIZE_MAX

/* Rank `of` has the partner, as origin or as target, in the epoch after its fence number `fence` on the window. */
struct edge {
    uint32_t of;
    int32_t window;
    uint32_t fence, partner;
};

struct edges {
    struct edge *items;
    size_t count, capacity;
};

struct fencing {
    const struct trace *trace;
    struct transform_report *report;
    struct edges targets, origins;
    struct edges left;  /* epochs that stay as they are: window, and fence is the number of fences before; of, partner: 0 */
    bool *refused;      /* per window: all its fences stay */
    bool *told;         /* per window: the report has the reason of its first epoch in `left` */
    uint32_t *fences;   /* per window: of the rank that is walked */
    uint32_t *expected; /* per window: of the communicator's first rank */
    size_t *latest;     /* per window: the last fence of the rank that is walked */
    size_t *last_op;    /* per window: the operation of that rank that ended last, NO_CALL: none yet */
    struct first_fence {
        uint32_t rank;
        size_t call;
    } * first; /* per window */
    uint64_t counts[4], gone;
};

static bool is_fence(const struct trace_call *call)
{
    return timeline_on_window(call) && call_kind(call->call) == CALL_FENCE;
}

ORDER(compare_edges, struct edge, UP(of) UP(window) UP(fence) UP(partner))

static void sort_unique(struct edges *edges)
{
    size_t kept = 0;
    if (edges->count == 0) return;
    qsort(edges->items, edges->count, sizeof *edges->items, compare_edges);
    for (size_t i = 0; i < edges->count; i++)
        if (i == 0 || compare_edges(&edges->items[kept - 1], &edges->items[i]) != 0)
            edges->items[kept++] = edges->items[i];
    edges->count = kept;
}

/* First edge of (of, window, fence); *count of them. */
static const struct edge *find_edges(const struct edges *edges, uint32_t of, int32_t window, uint32_t fence,
                                     uint32_t *count)
{
    const struct edge key = {.of = of, .window = window, .fence = fence, .partner = 0};
    size_t low = 0;
    SEARCH_FIRST(low, edges->count, i, compare_edges(&edges->items[i], &key) < 0);
    for (*count = 0; low + *count < edges->count; ++*count) {
        const struct edge *edge = &edges->items[low + *count];
        if (edge->of != of || edge->window != window || edge->fence != fence) break;
    }
    return edges->items + low;
}

/* Refuses a window, with one reason: its fences do not change. */
#define REFUSE(fencing, window, rank, call, err, ...)                                                                  \
    do {                                                                                                               \
        if ((fencing)->refused[window]) return STATUS_OK;                                                              \
        (fencing)->refused[window] = true;                                                                             \
        return transform_refuse((fencing)->report, (fencing)->trace, rank, call, 1, err, __VA_ARGS__);                   \
    } while (0)

static enum status leave_epoch(struct fencing *fencing, int32_t window, uint32_t fences, uint32_t rank, size_t call,
                               const char *why, struct err *err)
{
    const struct edge epoch = {.window = window, .fence = fences};
    ARRAY_PUSH(fencing->left.items, fencing->left.count, fencing->left.capacity, epoch, err);
    if (fencing->told[window] || fencing->refused[window]) return STATUS_OK;
    fencing->told[window] = true;
    return transform_refuse(fencing->report, fencing->trace, rank, call, 1, err, "%s", why);
}

/* The epoch behind so many fences of a window, 0: what is before the first one. */
static bool is_left(const struct fencing *fencing, int32_t window, uint32_t fences)
{
    uint32_t count;
    find_edges(&fencing->left, 0, window, fences, &count);
    return count > 0;
}

/* Whether two threads are in calls on the window at the same time. Then the trace does not show which call comes
 * first. */
static bool run_at_once(const struct fencing *fencing, uint32_t rank, size_t one, size_t other)
{
    const struct trace_call *calls = fencing->trace->ranks[rank].calls;
    return one != NO_CALL && calls[one].exit_ps > calls[other].enter_ps &&
           trace_call_thread(fencing->trace, rank, one) != trace_call_thread(fencing->trace, rank, other);
}

/* Leaves the epochs that the fence closes and opens. */
static enum status leave_both(struct fencing *fencing, uint32_t rank, size_t fence, uint32_t before, const char *why,
                              struct err *err)
{
    int32_t window = fencing->trace->ranks[rank].calls[fence].handle;
    TRY(leave_epoch(fencing, window, before, rank, fence, why, err));
    return leave_epoch(fencing, window, before + 1, rank, fence, why, err);
}

static enum status look_at_fence(struct fencing *fencing, uint32_t rank, size_t index, bool *used, struct err *err)
{
    const struct trace_call *call = &fencing->trace->ranks[rank].calls[index];
    int32_t window = call->handle;
    uint32_t before = fencing->fences[window];
    bool stays_open = used[window] && (call->flags & TRACE_NOPRECEDE);
    fencing->report->considered++;
    if (call->flags & TRACE_BREAK) REFUSE(fencing, window, rank, index, err, "the timeline breaks off inside it");
    if (before > 0 && trace_call_thread(fencing->trace, rank, fencing->latest[window]) !=
                          trace_call_thread(fencing->trace, rank, index))
        REFUSE(fencing, window, rank, index, err, "several threads of the rank call fences of window %d", window);
    if (stays_open)
        TRY(leave_both(fencing, rank, index, before, "MPI_MODE_NOPRECEDE leaves the operations before it open", err));
    if (run_at_once(fencing, rank, fencing->last_op[window], index))
        TRY(leave_both(fencing, rank, index, before, "another thread is in an operation of its window", err));
    used[window] = stays_open;
    fencing->fences[window]++;
    fencing->latest[window] = index;
    return STATUS_OK;
}

static enum status look_at_operation(struct fencing *fencing, uint32_t rank, size_t index, bool *used, struct err *err)
{
    const struct trace_call *calls = fencing->trace->ranks[rank].calls, *call = &calls[index];
    int32_t window = call->handle;
    uint32_t fences = fencing->fences[window];
    if (call->peer == TRACE_NONE || fencing->refused[window]) return STATUS_OK;
    size_t *last = &fencing->last_op[window];
    if (*last == NO_CALL || calls[*last].exit_ps < call->exit_ps) *last = index;
    if (fences == 0) return leave_epoch(fencing, window, 0, rank, index, "no MPI_Win_fence of its window stands before it", err);
    used[window] = true;
    if (calls[fencing->latest[window]].flags & TRACE_NOSUCCEED)
        TRY(leave_epoch(fencing, window, fences, rank, index, "the fence before it has MPI_MODE_NOSUCCEED", err));
    if (run_at_once(fencing, rank, fencing->latest[window], index)) {
        const char *why = "another thread is in a fence of its window";
        TRY(leave_epoch(fencing, window, fences - 1, rank, index, why, err));
        TRY(leave_epoch(fencing, window, fences, rank, index, why, err));
    }
    uint32_t target = (uint32_t)call->peer;
    struct edge out = {rank, window, fences - 1, target}, in = {target, window, fences - 1, rank};
    ARRAY_PUSH(fencing->targets.items, fencing->targets.count, fencing->targets.capacity, out, err);
    ARRAY_PUSH(fencing->origins.items, fencing->origins.count, fencing->origins.capacity, in, err);
    return STATUS_OK;
}

static enum status look_at_other(struct fencing *fencing, uint32_t rank, size_t index, struct err *err)
{
    const struct trace_call *call = &fencing->trace->ranks[rank].calls[index];
    enum call_kind kind = call_kind(call->call);
    if (kind == CALL_WIN_CREATE || kind == CALL_WIN_FREE || fencing->refused[call->handle]) return STATUS_OK;
    return leave_epoch(fencing, call->handle, fencing->fences[call->handle], rank, index,
                       "its window is synchronised by more than fences", err);
}

/* Checks that every member calls as many fences as the first one, and that no fence is missing at the end. */
static enum status look_at_end(struct fencing *fencing, uint32_t rank, size_t window, bool open, struct err *err)
{
    const struct trace_comm *comm =
        &fencing->trace->definitions.comms[fencing->trace->definitions.windows[window].comm];
    size_t count = fencing->trace->ranks[rank].count;
    if (trace_comm_rank(comm, (int32_t)rank) == TRACE_NONE) return STATUS_OK;
    if (count == 0)
        REFUSE(fencing, window, fencing->first[window].rank, fencing->first[window].call, err,
               "rank %" PRIu32 " of window %zu has no calls", rank, window);
    if (open && !fencing->refused[window])
        TRY(leave_epoch(fencing, (int32_t)window, fencing->fences[window], rank, fencing->latest[window],
                        "no fence closes the epoch behind it", err));
    if (fencing->expected[window] == UINT32_MAX) fencing->expected[window] = fencing->fences[window];
    if (fencing->fences[window] != fencing->expected[window])
        REFUSE(fencing, window, rank, count - 1, err,
               "the rank ends with %" PRIu32 " fences of window %zu, others have %" PRIu32, fencing->fences[window],
               window, fencing->expected[window]);
    return STATUS_OK;
}

static enum status look_at_rank(struct fencing *fencing, uint32_t rank, bool *used, struct err *err)
{
    const struct trace *trace = fencing->trace;
    memset(fencing->fences, 0, trace->definitions.window_count * sizeof *fencing->fences);
    for (size_t w = 0; w < trace->definitions.window_count; w++) fencing->last_op[w] = NO_CALL;
    memset(used, 0, trace->definitions.window_count * sizeof *used);
    for (size_t i = 0; i < trace->ranks[rank].count; i++) {
        const struct trace_call *call = &trace->ranks[rank].calls[i];
        if (!timeline_on_window(call)) continue;
        if (is_fence(call))
            TRY(look_at_fence(fencing, rank, i, used, err));
        else if (timeline_is_operation(call))
            TRY(look_at_operation(fencing, rank, i, used, err));
        else
            TRY(look_at_other(fencing, rank, i, err));
    }
    for (size_t w = 0; w < trace->definitions.window_count; w++) TRY(look_at_end(fencing, rank, w, used[w], err));
    return STATUS_OK;
}

static enum status group_of(struct trace *made, const struct edge *edges, uint32_t count, uint32_t *group,
                            struct err *err)
{
    int32_t *members = calloc((size_t)count + 1, sizeof *members);
    if (!members) return err_memory(err);
    for (uint32_t i = 0; i < count; i++) members[i] = (int32_t)edges[i].partner;
    enum status status = trace_add_group(made, members, count, group, err);
    free(members);
    return status;
}

/* Appends a call in a fence's place. The first one has the fence's recorded duration. */
static enum status push_call(struct timeline_edit *timeline, struct timeline_item *item, struct err *err)
{
    TRY(timeline_push(timeline, *item, err));
    item->call.exit_ps = item->call.enter_ps;
    item->index = TIMELINE_NEW;
    return STATUS_OK;
}

/* Replaces one fence by complete, wait, post, start; each only if it has partners. A fence beside an epoch that stays is kept
 * between them, on all ranks. If it no longer opens an epoch, it says so, since a fence epoch and one of MPI_Win_start must not
 * overlap (MPI-3.1 11.5). */
static enum status replace_fence(struct fencing *fencing, uint32_t rank, const struct timeline_item *fence,
                                 uint32_t number, struct timeline_edit *timeline, struct trace *made, struct err *err)
{
    static const enum mpi_call calls[4] = {ID_Win_complete, ID_Win_wait, ID_Win_post, ID_Win_start};
    const int32_t window = fence->call.handle;
    const bool left = is_left(fencing, window, number), next_left = is_left(fencing, window, number + 1);
    const bool keeps = left || next_left;
    const bool closes = number > 0 && !left, opens = !next_left && number + 1 < fencing->expected[window];
    struct timeline_item item = *fence;
    if (keeps && !closes && !opens) return timeline_push(timeline, item, err);
    timeline_defer(timeline, &item);
    bool any = false;
    for (int i = 0; i < 4; i++) {
        const struct edges *edges = i == 0 || i == 3 ? &fencing->targets : &fencing->origins;
        uint32_t count = 0;
        const struct edge *first = NULL;
        if (i == 2 && keeps) {
            struct trace_call call = fence->call;
            call.exit_ps = item.call.exit_ps;
            item.call = call;
            if (opens) item.call.flags |= TRACE_NOSUCCEED;
            any = any || item.call.flags != fence->call.flags;
            TRY(push_call(timeline, &item, err));
        }
        if (i < 2 ? closes : opens) first = find_edges(edges, rank, window, i < 2 ? number - 1 : number, &count);
        if (count == 0) continue;
        item.call.call = (uint16_t)calls[i];
        item.call.sync.group = TRACE_NO_REF;
        /* NOSTORE and NOPUT have the same meaning for a post as for a fence (MPI-3.1 11.5.5). */
        item.call.flags = calls[i] == ID_Win_post ? fence->call.flags & (TRACE_NOSTORE | TRACE_NOPUT) : 0;
        if (i >= 2) TRY(group_of(made, first, count, &item.call.sync.group, err));
        TRY(push_call(timeline, &item, err));
        fencing->counts[i]++;
        any = true;
    }
    fencing->report->changed += any || !keeps;
    fencing->gone += !any && !keeps;
    return STATUS_OK;
}

static enum status change_timeline(void *context, uint32_t rank, struct timeline_edit *timeline, struct trace *made,
                                   struct err *err)
{
    struct fencing *fencing = context;
    struct timeline_edit now = {.tail_ps = 0};
    enum status status = STATUS_OK;
    memset(fencing->fences, 0, fencing->trace->definitions.window_count * sizeof *fencing->fences);
    for (size_t i = 0; status == STATUS_OK && i < timeline->count; i++) {
        const struct timeline_item *item = &timeline->items[i];
        bool fence = is_fence(&item->call) && !fencing->refused[item->call.handle];
        status = fence ? replace_fence(fencing, rank, item, fencing->fences[item->call.handle]++, &now, made, err)
                       : timeline_push(&now, *item, err);
    }
    return timeline_replace(timeline, &now, status);
}

/* Finds windows with fences; the report says nothing of others. */
static void find_fenced(struct fencing *fencing)
{
    const struct trace *trace = fencing->trace;
    for (size_t w = 0; w < trace->definitions.window_count; w++) fencing->refused[w] = true;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            if (!is_fence(call) || !fencing->refused[call->handle]) continue;
            fencing->refused[call->handle] = false;
            fencing->first[call->handle] = (struct first_fence){r, i};
        }
}

static enum status examine_fences(struct fencing *fencing, struct err *err)
{
    const struct trace *trace = fencing->trace;
    find_fenced(fencing);
    bool *used = calloc(trace->definitions.window_count + 1, sizeof *used);
    if (!used) return err_memory(err);
    enum status status = STATUS_OK;
    for (size_t w = 0; w < trace->definitions.window_count; w++) fencing->expected[w] = UINT32_MAX;
    for (uint32_t r = 0; status == STATUS_OK && r < trace->rank_count; r++)
        status = look_at_rank(fencing, r, used, err);
    free(used);
    sort_unique(&fencing->targets);
    sort_unique(&fencing->origins);
    sort_unique(&fencing->left);
    return status;
}

static void fencing_clear(struct fencing *fencing)
{
    FREE_ALL(fencing->targets.items, fencing->origins.items, fencing->left.items, fencing->told, fencing->refused,
             fencing->fences, fencing->expected, fencing->latest, fencing->last_op, fencing->first);
}

static enum status run_fencing(struct fencing *fencing, struct trace **made, struct err *err)
{
    const uint64_t *counts = fencing->counts;
    struct transform_report *report = fencing->report;
    TRY(examine_fences(fencing, err));
    TRY(timeline_each(fencing->trace, change_timeline, fencing, made, err));
    char left[100] = "";
    size_t epochs = 0, windows = 0, last = SIZE_MAX;
    for (size_t i = 0; i < fencing->left.count; i++) {
        const size_t window = (size_t)fencing->left.items[i].window;
        if (fencing->refused[window]) continue;
        epochs++;
        windows += window != last;
        last = window;
    }
    if (epochs > 0)
        snprintf(left, sizeof left, "; %zu epoch%s of %zu window%s stay%s as recorded", epochs, units_plural(epochs), windows,
                 units_plural(windows), epochs == 1 ? "s" : "");
    return transform_say(report, err,
                         "%" PRIu64 " of %" PRIu64 " fences became %" PRIu64 " post, %" PRIu64 " start, %" PRIu64
                         " complete, %" PRIu64 " wait calls; %" PRIu64 " of them had no partners and went%s",
                         report->changed, report->considered, counts[2], counts[3], counts[0], counts[1],
                         fencing->gone, left);
}

static enum status fence_pscw(const struct trace *trace, const char *argument, struct trace **made,
                              struct transform_report *report, struct err *err)
{
    struct fencing fencing = {.trace = trace, .report = report};
    size_t windows = trace->definitions.window_count + 1;
    (void)argument;
    fencing.refused = calloc(windows, sizeof *fencing.refused);
    fencing.told = calloc(windows, sizeof *fencing.told);
    fencing.fences = calloc(windows, sizeof *fencing.fences);
    fencing.expected = calloc(windows, sizeof *fencing.expected);
    fencing.latest = calloc(windows, sizeof *fencing.latest);
    fencing.last_op = calloc(windows, sizeof *fencing.last_op);
    fencing.first = calloc(windows, sizeof *fencing.first);
    bool ready = fencing.refused && fencing.told && fencing.fences && fencing.expected && fencing.latest &&
                 fencing.last_op && fencing.first;
    enum status status = ready ? run_fencing(&fencing, made, err) : err_memory(err);
    fencing_clear(&fencing);
    return status;
}

/* The platform's value changes all fences, so this only counts them. */
static enum status fence_notify(const struct trace *trace, const char *argument, struct trace **made,
                                struct transform_report *report, struct err *err)
{
    (void)argument;
    (void)made;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            if (call_kind(call->call) != CALL_FENCE) continue;
            report->considered++;
            report->changed += !(call->flags & TRACE_NOPRECEDE); /* with NOPRECEDE it closes no epoch */
        }
    return transform_say(report, err, "%" PRIu64 " of %" PRIu64 " fences wait only for the ranks that have operations on them",
                         report->changed, report->considered);
}

const struct transform transform_fence_pscw = {
    .name = "fence=pscw",
    .summary = "fence epochs as post, start, complete and wait with the groups that the operations need",
    .apply = fence_pscw,
};

const struct transform transform_fence_notify = {
    .name = "fence=notify",
    .summary = "fences wait only for those who have operations on them (mpi.rma.fence=notify)",
    .override = "mpi.rma.fence=notify",
    .apply = fence_notify,
};
