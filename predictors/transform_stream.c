#include "predictors/transform_stream.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* Name of the empty user region that keeps a time which no call marks any more. */
static const char mark_region[] = "rewritten";

bool stream_is_operation(const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    return kind == CALL_PUT || kind == CALL_GET || kind == CALL_ACCUMULATE || kind == CALL_GET_ACCUMULATE;
}

bool stream_on_window(const struct trace_call *call)
{
    return call->handle != TRACE_NONE && (call_row(call->call)->allowed & F_WIN) && call_kind(call->call) != CALL_LOCAL;
}

static enum status copy_rank(const struct trace_rank *from, struct trace_rank *to, struct err *err)
{
    to->speed = from->speed;
    to->incomplete = from->incomplete;
    if (!from->incomplete_why) return STATUS_OK;
    to->incomplete_why = strdup(from->incomplete_why);
    return to->incomplete_why ? STATUS_OK : err_memory(err);
}

static enum status read_rank(const struct trace *trace, int64_t begin_ps, uint32_t rank, struct stream *stream,
                             struct err *err)
{
    const struct trace_rank *from = &trace->ranks[rank];
    struct stream made = {.items = calloc(from->count + 1, sizeof *made.items), .capacity = from->count + 1};
    if (!made.items) return err_memory(err);
    int64_t before_ps = begin_ps, cost_ps = 0; /* nothing was recorded before the first call */
    for (size_t i = 0; i < from->count; i++) {
        int64_t gap_ps = from->calls[i].enter_ps - before_ps - cost_ps;
        made.items[i] = (struct stream_item){gap_ps > 0 ? gap_ps : 0, from->calls[i]};
        before_ps = from->calls[i].exit_ps;
        cost_ps = trace->record_cost_ps;
    }
    made.count = from->count;
    *stream = made;
    return STATUS_OK;
}

void stream_clear(struct stream *stream)
{
    free(stream->items);
    memset(stream, 0, sizeof *stream);
}

enum status stream_push(struct stream *stream, struct stream_item item, struct err *err)
{
    item.compute_ps += stream->tail_ps;
    ARRAY_PUSH(stream->items, stream->count, stream->capacity, item, err);
    stream->tail_ps = 0;
    return STATUS_OK;
}

static enum status write_mark(struct trace *made, uint32_t rank, int64_t at_ps, struct err *err)
{
    struct trace_call call = {.enter_ps = at_ps, .exit_ps = at_ps, .handle = TRACE_NONE, .peer = TRACE_NONE};
    TRY(trace_add_region(made, mark_region, &call.ref, err));
    call.call = ID_region_enter;
    TRY(trace_add_call(made, rank, &call, err));
    call.call = ID_region_leave;
    return trace_add_call(made, rank, &call, err);
}

static enum status write_rank(const struct stream *stream, const struct trace_rank *recorded, int64_t begin_ps,
                              uint32_t rank, struct trace *made, struct err *err)
{
    int64_t now_ps = begin_ps;
    bool first = recorded->count > 0 && recorded->calls[0].enter_ps == begin_ps;
    if (first && (stream->count == 0 || stream->items[0].compute_ps > 0)) TRY(write_mark(made, rank, begin_ps, err));
    for (size_t i = 0; i < stream->count; i++) {
        struct trace_call call = stream->items[i].call;
        int64_t length_ps = call.exit_ps - call.enter_ps;
        call.enter_ps = now_ps + stream->items[i].compute_ps;
        call.exit_ps = now_ps = call.enter_ps + length_ps;
        TRY(trace_add_call(made, rank, &call, err));
    }
    return stream->tail_ps > 0 ? write_mark(made, rank, now_ps + stream->tail_ps, err) : STATUS_OK;
}

static enum status change_rank(const struct trace *trace, int64_t begin_ps, uint32_t rank, stream_change *change,
                               void *context, struct trace *made, struct err *err)
{
    struct stream stream;
    TRY(copy_rank(&trace->ranks[rank], &made->ranks[rank], err));
    TRY(read_rank(trace, begin_ps, rank, &stream, err));
    enum status status = change(context, rank, &stream, made, err);
    if (status == STATUS_OK) status = write_rank(&stream, &trace->ranks[rank], begin_ps, rank, made, err);
    stream_clear(&stream);
    return status;
}

enum status stream_each(const struct trace *trace, stream_change *change, void *context, struct trace **made,
                        struct err *err)
{
    struct trace *copy;
    TRY(trace_new_like(trace, &copy, err));
    copy->record_cost_ps = 0; /* the streams are without it */
    int64_t begin_ps = trace_begin_ps(trace);
    enum status status = STATUS_OK;
    for (uint32_t r = 0; status == STATUS_OK && r < trace->rank_count; r++)
        status = change_rank(trace, begin_ps, r, change, context, copy, err);
    if (status == STATUS_OK)
        *made = copy;
    else
        trace_free(copy);
    return status;
}

enum status stream_replace(struct stream *stream, struct stream *with, enum status status)
{
    if (status == STATUS_OK) {
        struct stream old = *stream;
        *stream = *with;
        *with = old;
    }
    stream_clear(with);
    return status;
}

static int compare_moves(const void *one, const void *other)
{
    const struct stream_move *a = one, *b = other;
    if (a->before != b->before) return a->before < b->before ? -1 : 1;
    return a->from < b->from ? -1 : a->from > b->from;
}

static enum status put_early(const struct stream *old, struct stream *stream, size_t from, struct err *err)
{
    /* tail_ps holds what stood before calls that were moved further up: it stays behind this one. */
    int64_t tail_ps = stream->tail_ps;
    stream->tail_ps = 0;
    TRY(stream_push(stream, (struct stream_item){0, old->items[from].call}, err));
    stream->tail_ps = tail_ps;
    return STATUS_OK;
}

static enum status rearrange(const struct stream *old, const struct stream_move *moves, size_t count, const bool *moved,
                             enum stream_end end, struct stream *stream, struct err *err)
{
    size_t next = 0;
    for (size_t i = 0; i <= old->count; i++) {
        bool here = i < old->count && !moved[i];
        if (end == STREAM_LATE && here) stream->tail_ps += old->items[i].compute_ps;
        for (; next < count && moves[next].before == i; next++) {
            if (end == STREAM_EARLY)
                TRY(put_early(old, stream, moves[next].from, err));
            else
                TRY(stream_push(stream, (struct stream_item){0, old->items[moves[next].from].call}, err));
        }
        if (i == old->count) break;
        if (end == STREAM_EARLY || !here) stream->tail_ps += old->items[i].compute_ps;
        if (here) TRY(stream_push(stream, (struct stream_item){0, old->items[i].call}, err));
    }
    return STATUS_OK;
}

enum status stream_rearrange(struct stream *stream, struct stream_move *moves, size_t count, enum stream_end end,
                             struct err *err)
{
    if (count == 0) return STATUS_OK;
    struct stream made = {.tail_ps = 0};
    bool *moved = calloc(stream->count + 1, sizeof *moved);
    if (!moved) return err_memory(err);
    for (size_t i = 0; i < count; i++) moved[moves[i].from] = true;
    qsort(moves, count, sizeof *moves, compare_moves);
    enum status status = rearrange(stream, moves, count, moved, end, &made, err);
    free(moved);
    made.tail_ps += stream->tail_ps;
    return stream_replace(stream, &made, status);
}
