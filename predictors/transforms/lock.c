/* Replaces consecutive shared locks of a window by one lock_all with flushes. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"
#include "predictors/transforms/rows.h"
#include "predictors/transforms/timeline.h"

/* Lock epochs of one rank on one window with no other synchronisation between them. */
struct segment {
    size_t first, last; /* lock, unlock; NO_CALL: none yet */
    uint32_t open;      /* locks held */
    uint32_t thread;    /* the thread that synchronises, from 1; 0: none yet */
    bool nocheck;       /* all of them have MPI_MODE_NOCHECK */
    size_t held;        /* examined: the lock since which some lock is held */
    uint64_t since;     /* of so many locks since then */
    bool breaks;        /* the timeline breaks off inside a call on the window */
};
#define NO_CALL SIZE_MAX

enum action { KEEP, DROP, BECOME_LOCK_ALL, BECOME_LOCK_ALL_NOCHECK, BECOME_FLUSH, BECOME_UNLOCK_ALL };

/* The use of a window by all ranks. */
struct use {
    uint64_t locks;
    bool posted;
    uint32_t rank; /* the rank whose post comes first */
    size_t post;
    const char *refused; /* why its locks do not change, and the first place of that; NULL: they do */
    uint32_t refused_rank;
    size_t refused_call;
};

struct locking {
    const struct trace *trace;
    struct transform_report *report;
    struct use *uses;         /* per window */
    size_t *broken;           /* per rank and window: the first lock of the epochs that never end; NO_CALL: all end */
    struct segment *segments; /* per window, of the rank that is walked */
    uint64_t sections, flushes;
};

/* Calls that may be between locks and unlocks of other targets. */
static bool joins_segment(const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    return timeline_is_operation(call) || kind == CALL_FLUSH || kind == CALL_FLUSH_LOCAL || kind == CALL_SYNC;
}

static void begin_rank(struct locking *locking)
{
    for (size_t w = 0; w < locking->trace->definitions.window_count; w++)
        locking->segments[w] = (struct segment){.first = NO_CALL, .last = NO_CALL, .nocheck = true};
}

static size_t *broken_of(struct locking *locking, uint32_t rank, size_t window)
{
    return &locking->broken[rank * locking->trace->definitions.window_count + window];
}

/* Refuses a window, with one reason: its locks do not change. */
static void refuse_window(struct locking *locking, uint32_t rank, size_t index, const char *why)
{
    struct use *use = &locking->uses[locking->trace->ranks[rank].calls[index].handle];
    if (use->refused) return;
    use->refused = why;
    use->refused_rank = rank;
    use->refused_call = index;
}

static void look_at(struct locking *locking, uint32_t rank, size_t index)
{
    const struct trace_call *call = &locking->trace->ranks[rank].calls[index];
    struct segment *segment = &locking->segments[call->handle];
    enum call_kind kind = call_kind(call->call);
    uint32_t thread = trace_call_thread(locking->trace, rank, index) + 1;
    if (segment->thread != 0 && segment->thread != thread && !joins_segment(call) && kind != CALL_WIN_FREE)
        refuse_window(locking, rank, index, "several threads of the rank synchronise its window");
    if (!joins_segment(call) && kind != CALL_WIN_CREATE) segment->thread = thread;
    struct use *use = &locking->uses[call->handle];
    if (kind == CALL_POST && !use->posted) {
        use->posted = true;
        use->rank = rank;
        use->post = index;
    }
    segment->breaks = segment->breaks || call->flags & TRACE_BREAK;
    if (kind == CALL_LOCK) {
        use->locks++;
        locking->report->considered++;
        if (segment->open++ == 0) {
            segment->held = index;
            segment->since = 0;
        }
        segment->since++;
        if ((call->flags & TRACE_EXCLUSIVE) && call->peer != TRACE_NONE)
            refuse_window(locking, rank, index, "an exclusive lock keeps others out, MPI_Win_lock_all is shared");
    } else if (kind == CALL_UNLOCK && segment->open > 0) {
        segment->open -= !(call->flags & TRACE_BREAK);
    } else if (segment->open > 0 && !joins_segment(call)) {
        refuse_window(locking, rank, index, "a lock of its window is held");
    }
}

/* A window must not be locked and exposed at once (MPI-3.1 11.5.3), and lock_all also locks ranks that the program did
 * not lock. */
static void look_at_posts(struct locking *locking)
{
    for (size_t w = 0; w < locking->trace->definitions.window_count; w++) {
        const struct use *use = &locking->uses[w];
        if (use->posted)
            refuse_window(locking, use->rank, use->post,
                          "MPI_Win_lock_all locks every member, and none may be locked while it is exposed");
    }
}

/* Epochs that are open together and of which one never ends stay as they are. */
static enum status end_rank(struct locking *locking, uint32_t rank, struct err *err)
{
    for (size_t w = 0; w < locking->trace->definitions.window_count; w++) {
        const struct segment *segment = &locking->segments[w];
        *broken_of(locking, rank, w) = segment->open > 0 ? segment->held : NO_CALL;
        if (segment->open == 0 || locking->uses[w].refused) continue;
        TRY(transform_refuse(locking->report, locking->trace, rank, segment->held, segment->since, err, "%s",
                             segment->breaks ? "the timeline breaks off inside its epoch" : "no unlock follows"));
    }
    return STATUS_OK;
}

/* A window that is refused: all its lock epochs are. */
static enum status count_windows(struct locking *locking, struct err *err)
{
    for (size_t w = 0; w < locking->trace->definitions.window_count; w++) {
        const struct use *use = &locking->uses[w];
        if (!use->refused || use->locks == 0) continue;
        TRY(transform_refuse(locking->report, locking->trace, use->refused_rank, use->refused_call, use->locks, err, "%s",
                             use->refused));
    }
    return STATUS_OK;
}

static void end_segment(struct locking *locking, struct segment *segment, uint8_t *actions)
{
    if (segment->first != NO_CALL) {
        actions[segment->first] = segment->nocheck ? BECOME_LOCK_ALL_NOCHECK : BECOME_LOCK_ALL;
        actions[segment->last] = BECOME_UNLOCK_ALL;
        locking->sections++;
        locking->flushes--;
    }
    *segment = (struct segment){.first = NO_CALL, .last = NO_CALL, .nocheck = true};
}

static void choose_actions(struct locking *locking, uint32_t rank, const struct timeline_edit *timeline, uint8_t *actions)
{
    begin_rank(locking);
    for (size_t i = 0; i < timeline->count; i++) {
        const struct trace_call *call = &timeline->items[i].call;
        if (!timeline_on_window(call) || locking->uses[call->handle].refused || joins_segment(call)) continue;
        if (timeline->items[i].index >= *broken_of(locking, rank, (size_t)call->handle)) continue;
        struct segment *segment = &locking->segments[call->handle];
        enum call_kind kind = call_kind(call->call);
        if (kind == CALL_LOCK) {
            if (segment->first == NO_CALL) segment->first = i;
            segment->nocheck = segment->nocheck && (call->flags & TRACE_NOCHECK);
            actions[i] = DROP;
            locking->report->changed++;
        } else if (kind == CALL_UNLOCK && segment->first != NO_CALL) {
            segment->last = i;
            actions[i] = BECOME_FLUSH;
            locking->flushes++;
        } else {
            end_segment(locking, segment, actions);
        }
    }
    for (size_t w = 0; w < locking->trace->definitions.window_count; w++)
        end_segment(locking, &locking->segments[w], actions);
}

static enum status push_item(struct timeline_edit *now, struct timeline_item item, enum action action, struct err *err)
{
    switch (action) {
    case DROP: timeline_defer(now, &item); return STATUS_OK;
    case KEEP: return timeline_push(now, item, err);
    case BECOME_FLUSH: item.call.call = ID_Win_flush; return timeline_push(now, item, err);
    case BECOME_UNLOCK_ALL: item.call.call = ID_Win_unlock_all; break;
    case BECOME_LOCK_ALL:
    case BECOME_LOCK_ALL_NOCHECK: item.call.call = ID_Win_lock_all; break;
    }
    item.call.peer = TRACE_NONE;
    item.call.flags = action == BECOME_LOCK_ALL_NOCHECK ? TRACE_NOCHECK : 0;
    return timeline_push(now, item, err);
}

static enum status change_timeline(void *context, uint32_t rank, struct timeline_edit *timeline, struct trace *made,
                                   struct err *err)
{
    struct timeline_edit now = {.tail_ps = 0};
    (void)made;
    uint8_t *actions = calloc(timeline->count + 1, sizeof *actions);
    if (!actions) return err_memory(err);
    choose_actions(context, rank, timeline, actions);
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < timeline->count; i++)
        status = push_item(&now, timeline->items[i], (enum action)actions[i], err);
    free(actions);
    return timeline_replace(timeline, &now, status);
}

static enum status run_locking(struct locking *locking, struct trace **made, struct err *err)
{
    struct transform_report *report = locking->report;
    const struct trace *trace = locking->trace;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        begin_rank(locking);
        for (size_t i = 0; i < trace->ranks[r].count; i++)
            if (timeline_on_window(&trace->ranks[r].calls[i])) look_at(locking, r, i);
        TRY(end_rank(locking, r, err));
    }
    look_at_posts(locking);
    TRY(count_windows(locking, err));
    TRY(timeline_each(locking->trace, change_timeline, locking, made, err));
    return transform_say(report, err,
                         "%" PRIu64 " of %" PRIu64 " lock epochs became %" PRIu64 " of MPI_Win_lock_all with %" PRIu64
                         " flushes",
                         report->changed, report->considered, locking->sections, locking->flushes);
}

static enum status apply_lock_all(const struct trace *trace, const char *argument, struct trace **made,
                                  struct transform_report *report, struct err *err)
{
    struct locking locking = {.trace = trace, .report = report};
    (void)argument;
    locking.broken = calloc(trace->rank_count * trace->definitions.window_count + 1, sizeof *locking.broken);
    locking.segments = calloc(trace->definitions.window_count + 1, sizeof *locking.segments);
    locking.uses = calloc(trace->definitions.window_count + 1, sizeof *locking.uses);
    bool ready = locking.broken && locking.segments && locking.uses;
    enum status status = ready ? run_locking(&locking, made, err) : err_memory(err);
    FREE_ALL(locking.broken, locking.segments, locking.uses);
    return status;
}

const struct transform transform_lock_all = {
    .name = "lock=lock_all",
    .summary = "shared locks become one MPI_Win_lock_all per stretch of them, unlocks become flushes",
    .apply = apply_lock_all,
};
