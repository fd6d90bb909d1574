/* Transforms that move calls of one rank: what orders which call is docs/transforms.md, "Moves". */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"
#include "predictors/transform_rows.h"
#include "predictors/transform_stream.h"

/* One way to move calls of one kind. */
struct mover {
    enum call_kind moves;
    enum stream_end end;
    const bool *passes;           /* by kind: calls of the same window that do not order it */
    bool (*wall)(enum call_kind); /* calls that nothing crosses */
    const char *noun, *verb;
};

struct moving {
    const struct trace *trace;
    const struct mover *mover;
    struct transform_report *report;
    size_t *nearest; /* per window: place in front of which a call of it may stand */
    struct stream_move *moves;
    size_t count, capacity;
    int64_t crossed_ps;
};

static bool orders(const struct mover *mover, const struct trace_call *call)
{
    return stream_on_window(call) && !mover->passes[call_kind(call->call)];
}

/* Thread primitives order the calls of threads and what they compute. */
static bool is_wall(const struct mover *mover, const struct trace_call *call)
{
    return mover->wall(call_kind(call->call)) || call_is_thread(call->call) || (call->flags & TRACE_BREAK);
}

static enum status add_move(struct moving *moving, const struct stream *stream, uint32_t rank, size_t from,
                            struct err *err)
{
    const struct trace_call *call = &stream->items[from].call;
    struct stream_move move = {.from = from, .before = moving->nearest[call->handle]};
    bool early = moving->mover->end == STREAM_EARLY;
    /* early: the computing from the new place to the old one; late: from the old one to the new */
    size_t first = early ? move.before : from + 1, last = early ? from : move.before;
    int64_t crossed_ps = 0;
    for (size_t i = first; i <= last && i < stream->count; i++) crossed_ps += stream->items[i].compute_ps;
    moving->report->considered++;
    if (stream_shares(stream, call))
        return transform_refuse(moving->report, moving->trace, rank, stream->items[from].index, err,
                                "several threads of the rank work on window %d", call->handle);
    if (crossed_ps == 0 && first == last) return STATUS_OK;
    if (!early && first > last) return STATUS_OK;
    moving->report->changed++;
    moving->crossed_ps += crossed_ps;
    ARRAY_PUSH(moving->moves, moving->count, moving->capacity, move, err);
    return STATUS_OK;
}

static enum status visit(struct moving *moving, const struct stream *stream, uint32_t rank, size_t index,
                         struct err *err)
{
    const struct mover *mover = moving->mover;
    const struct trace_call *call = &stream->items[index].call;
    size_t behind = mover->end == STREAM_EARLY ? index + 1 : index;
    if (call_kind(call->call) == mover->moves && !(call->flags & TRACE_BREAK))
        TRY(add_move(moving, stream, rank, index, err));
    if (is_wall(mover, call))
        for (size_t w = 0; w < moving->trace->window_count; w++) moving->nearest[w] = behind;
    else if (orders(mover, call))
        moving->nearest[call->handle] = behind;
    return STATUS_OK;
}

static enum status move_rank(void *context, uint32_t rank, struct stream *stream, struct trace *made, struct err *err)
{
    struct moving *moving = context;
    (void)made;
    bool early = moving->mover->end == STREAM_EARLY;
    moving->count = 0;
    for (size_t w = 0; w < moving->trace->window_count; w++) moving->nearest[w] = early ? 0 : stream->count;
    for (size_t i = 0; i < stream->count; i++) TRY(visit(moving, stream, rank, early ? i : stream->count - 1 - i, err));
    return stream_rearrange(stream, moving->moves, moving->count, moving->mover->end, err);
}

static enum status move_all(const struct trace *trace, const struct mover *mover, struct trace **made,
                            struct transform_report *report, struct err *err)
{
    struct moving moving = {.trace = trace, .mover = mover, .report = report};
    moving.nearest = calloc(trace->window_count + 1, sizeof *moving.nearest);
    if (!moving.nearest) return err_memory(err);
    enum status status = stream_each(trace, move_rank, &moving, made, err);
    free(moving.nearest);
    free(moving.moves);
    TRY(status);
    char crossed[UNITS_TEXT_BYTES];
    return transform_say(report, err, "%" PRIu64 " of %" PRIu64 " %s calls %s, over %s of computing in all",
                         report->changed, report->considered, mover->noun, mover->verb,
                         units_format_duration(units_s(moving.crossed_ps), crossed));
}

static bool is_begin(enum call_kind kind)
{
    return kind == CALL_INIT;
}

static bool is_end(enum call_kind kind)
{
    return kind == CALL_FINALIZE;
}

/* What a rank does as an origin does not touch its own exposure (MPI-3.1 11.5: the two may overlap). */
static const bool post_passes[CALL_KIND_COUNT] = {
    [CALL_START] = true, [CALL_COMPLETE] = true,   [CALL_PUT] = true,
    [CALL_GET] = true,   [CALL_ACCUMULATE] = true, [CALL_GET_ACCUMULATE] = true,
};
/* complete may wait for posts: in front of the rank's own post it could wait for itself. */
static const bool complete_passes[CALL_KIND_COUNT] = {[CALL_WIN_WAIT] = true, [CALL_WIN_TEST] = true};
static const bool wait_passes[CALL_KIND_COUNT] = {[CALL_COMPLETE] = true};

static enum status post_early(const struct trace *trace, const char *argument, struct trace **made,
                              struct transform_report *report, struct err *err)
{
    static const struct mover mover = {CALL_POST, STREAM_EARLY, post_passes, is_begin, "MPI_Win_post", "moved up"};
    (void)argument;
    return move_all(trace, &mover, made, report, err);
}

static enum status complete_early(const struct trace *trace, const char *argument, struct trace **made,
                                  struct transform_report *report, struct err *err)
{
    static const struct mover mover = {CALL_COMPLETE, STREAM_EARLY,       complete_passes,
                                       is_begin,      "MPI_Win_complete", "moved up"};
    (void)argument;
    return move_all(trace, &mover, made, report, err);
}

static enum status wait_late(const struct trace *trace, const char *argument, struct trace **made,
                             struct transform_report *report, struct err *err)
{
    static const struct mover mover = {CALL_WIN_WAIT, STREAM_LATE, wait_passes, is_end, "MPI_Win_wait", "moved down"};
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
