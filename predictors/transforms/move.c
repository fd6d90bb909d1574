/* Transforms that move calls of one rank. docs/transforms.md, "Moves", says which calls order which. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/units.h"
#include "predictors/transforms/lockers.h"
#include "predictors/transforms/rows.h"
#include "predictors/transforms/timeline.h"

/* One way to move calls of one kind. */
struct mover {
    enum call_kind moves;
    bool exposes; /* it begins or ends an exposure epoch */
    enum timeline_end end;
    const bool *passes;           /* by kind: calls of the same window that do not order it */
    bool (*wall)(enum call_kind); /* calls that nothing crosses */
    const char *noun, *verb;
};

struct moving {
    const struct trace *trace;
    const struct mover *mover;
    struct transform_report *report;
    size_t *nearest; /* per window: the position before which its calls may be moved */
    bool *apart;     /* per window: that position is due to other ranks' locks only */
    struct lockers lockers;
    int32_t *locked; /* windows of the rank that others lock */
    size_t locked_count;
    struct timeline_move *moves;
    size_t count, capacity;
    double crossed_s; /* over all ranks, which may be more than picoseconds can count */
};

/* Memory of a dynamic window has to be attached while others may access it (MPI-3.1 11.2.4). */
static bool attaches_memory(const struct trace_call *call)
{
    return (call->call == ID_Win_attach || call->call == ID_Win_detach) && call->handle != TRACE_NONE;
}

static bool orders_call(const struct mover *mover, const struct trace_call *call)
{
    if (attaches_memory(call)) return mover->exposes;
    return timeline_on_window(call) && !mover->passes[call_kind(call->call)];
}

/* Whether the call orders nothing between ranks. */
static bool is_local(const struct trace_call *call)
{
    return call_kind(call->call) == CALL_LOCAL || call_is_region(call->call);
}

/* Thread primitives order the calls of threads and what they compute. */
static bool is_wall(const struct mover *mover, const struct trace_call *call)
{
    return mover->wall(call_kind(call->call)) || call_is_thread(call->call) || (call->flags & TRACE_BREAK);
}

/* Whether the order of the two calls does not matter: two posts, or two waits. */
static bool only_moved(const struct mover *mover, const struct timeline_edit *timeline, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        if (call_kind(timeline->items[i].call.call) != mover->moves) return false;
    return true;
}

static enum status add_move(struct moving *moving, const struct timeline_edit *timeline, uint32_t rank, size_t from,
                            struct err *err)
{
    const struct trace_call *call = &timeline->items[from].call;
    struct timeline_move move = {.from = from, .before = moving->nearest[call->handle]};
    bool early = moving->mover->end == TIMELINE_EARLY;
    /* early: the computing from the new place to the old one; late: from the old one to the new */
    size_t first = early ? move.before : from + 1, last = early ? from : move.before;
    int64_t crossed_ps = 0;
    for (size_t i = first; i <= last && i < timeline->count; i++) crossed_ps += timeline->items[i].compute_ps;
    moving->report->considered++;
    if (timeline_shares(timeline, call))
        return transform_refuse(moving->report, moving->trace, rank, timeline->items[from].index, 1, err,
                                "several threads of the rank work on window %d", call->handle);
    bool stays = crossed_ps == 0 && only_moved(moving->mover, timeline, first, last);
    uint32_t locker;
    if (stays && moving->apart[call->handle] && lockers_find(&moving->lockers, call->handle, rank, &locker))
        return transform_refuse(moving->report, moving->trace, rank, timeline->items[from].index, 1, err,
                                "rank %" PRIu32 " locks window %d of this rank, which must not be exposed then: the "
                                "next call on the way may keep the two apart",
                                locker, call->handle);
    if (stays) return STATUS_OK;
    moving->report->changed++;
    moving->crossed_s += units_s(crossed_ps);
    ARRAY_PUSH(moving->moves, moving->count, moving->capacity, move, err);
    return STATUS_OK;
}

/* A window must not be locked and exposed at once (MPI-3.1 11.5.3). The calls between them separate a rank's exposure
 * epochs from other ranks' locks of its window: messages that it receives before a post, or sends after a wait. A post
 * receives nothing, and a wait sends nothing. */
static void keep_apart(struct moving *moving, const struct trace_call *call, size_t behind)
{
    if (is_local(call) || call_kind(call->call) == moving->mover->moves) return;
    for (size_t i = 0; i < moving->locked_count; i++) {
        moving->nearest[moving->locked[i]] = behind;
        moving->apart[moving->locked[i]] = true;
    }
}

static void find_locked(struct moving *moving, uint32_t rank)
{
    uint32_t locker;
    moving->locked_count = 0;
    for (size_t w = 0; w < moving->trace->definitions.window_count && moving->mover->exposes; w++)
        if (lockers_find(&moving->lockers, (int32_t)w, rank, &locker))
            moving->locked[moving->locked_count++] = (int32_t)w;
}

static void order_all(struct moving *moving, size_t behind)
{
    for (size_t w = 0; w < moving->trace->definitions.window_count; w++) {
        moving->nearest[w] = behind;
        moving->apart[w] = false;
    }
}

static enum status visit_call(struct moving *moving, const struct timeline_edit *timeline, uint32_t rank, size_t index,
                         struct err *err)
{
    const struct mover *mover = moving->mover;
    const struct trace_call *call = &timeline->items[index].call;
    size_t behind = mover->end == TIMELINE_EARLY ? index + 1 : index;
    if (call_kind(call->call) == mover->moves && !(call->flags & TRACE_BREAK))
        TRY(add_move(moving, timeline, rank, index, err));
    keep_apart(moving, call, behind);
    if (is_wall(mover, call)) {
        order_all(moving, behind);
    } else if (orders_call(mover, call)) {
        moving->nearest[call->handle] = behind;
        moving->apart[call->handle] = false;
    }
    return STATUS_OK;
}

static enum status move_rank(void *context, uint32_t rank, struct timeline_edit *timeline, struct trace *made,
                             struct err *err)
{
    struct moving *moving = context;
    (void)made;
    bool early = moving->mover->end == TIMELINE_EARLY;
    moving->count = 0;
    find_locked(moving, rank);
    order_all(moving, early ? 0 : timeline->count);
    for (size_t i = 0; i < timeline->count; i++)
        TRY(visit_call(moving, timeline, rank, early ? i : timeline->count - 1 - i, err));
    return timeline_rearrange(timeline, moving->moves, moving->count, moving->mover->end, err);
}

static enum status move_each(struct moving *moving, struct trace **made, struct err *err)
{
    size_t windows = moving->trace->definitions.window_count + 1;
    moving->nearest = calloc(windows, sizeof *moving->nearest);
    moving->apart = calloc(windows, sizeof *moving->apart);
    moving->locked = calloc(windows, sizeof *moving->locked);
    if (!moving->nearest || !moving->apart || !moving->locked) return err_memory(err);
    TRY(lockers_read(moving->trace, &moving->lockers, err));
    return timeline_each(moving->trace, move_rank, moving, made, err);
}

static enum status move_all(const struct trace *trace, const struct mover *mover, struct trace **made,
                            struct transform_report *report, struct err *err)
{
    struct moving moving = {.trace = trace, .mover = mover, .report = report};
    enum status status = move_each(&moving, made, err);
    lockers_clear(&moving.lockers);
    FREE_ALL(moving.nearest, moving.apart, moving.locked, moving.moves);
    TRY(status);
    char crossed[UNITS_TEXT_BYTES];
    return transform_say(report, err, "%" PRIu64 " of %" PRIu64 " %s calls %s, over %s of computing in all",
                         report->changed, report->considered, mover->noun, mover->verb,
                         units_format_duration(moving.crossed_s, crossed));
}

static bool is_begin(enum call_kind kind)
{
    return kind == CALL_INIT;
}

static bool is_end(enum call_kind kind)
{
    return kind == CALL_FINALIZE;
}

/* A rank's calls as an origin do not affect its own exposure (MPI-3.1 11.5: the two may overlap). */
static const bool post_passes[CALL_KIND_COUNT] = {
    [CALL_START] = true, [CALL_COMPLETE] = true,   [CALL_PUT] = true,
    [CALL_GET] = true,   [CALL_ACCUMULATE] = true, [CALL_GET_ACCUMULATE] = true,
};
/* complete may wait for posts: before the rank's own post it could wait for itself. */
static const bool complete_passes[CALL_KIND_COUNT] = {[CALL_WIN_WAIT] = true, [CALL_WIN_TEST] = true};
static const bool wait_passes[CALL_KIND_COUNT] = {[CALL_COMPLETE] = true};

static enum status post_early(const struct trace *trace, const char *argument, struct trace **made,
                              struct transform_report *report, struct err *err)
{
    static const struct mover mover = {CALL_POST, true,           TIMELINE_EARLY, post_passes,
                                       is_begin,  "MPI_Win_post", "moved up"};
    (void)argument;
    return move_all(trace, &mover, made, report, err);
}

static enum status complete_early(const struct trace *trace, const char *argument, struct trace **made,
                                  struct transform_report *report, struct err *err)
{
    static const struct mover mover = {CALL_COMPLETE,      false,     TIMELINE_EARLY, complete_passes, is_begin,
                                       "MPI_Win_complete", "moved up"};
    (void)argument;
    return move_all(trace, &mover, made, report, err);
}

static enum status wait_late(const struct trace *trace, const char *argument, struct trace **made,
                             struct transform_report *report, struct err *err)
{
    static const struct mover mover = {CALL_WIN_WAIT, true,           TIMELINE_LATE, wait_passes,
                                       is_end,        "MPI_Win_wait", "moved down"};
    (void)argument;
    return move_all(trace, &mover, made, report, err);
}

const struct transform transform_post_early = {
    .name = "post-early",
    .summary = "each post right behind the call of its window that ends what was before",
    .apply = post_early,
};

const struct transform transform_complete_early = {
    .name = "complete-early",
    .summary = "each complete right behind the last operation of its epoch",
    .apply = complete_early,
};

const struct transform transform_wait_late = {
    .name = "wait-late",
    .summary = "each wait as late as the next use of its window allows",
    .apply = wait_late,
};
