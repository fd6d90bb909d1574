#include "predictors/transforms/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "model/match/timelines.h"
#include "trace/faults.h"

/* Name of the empty user region that keeps a time which no call marks any more. */
static const char mark_region[] = "rewritten";

int32_t timeline_heap(const struct trace *trace)
{
    for (size_t w = 0; w < trace->definitions.window_count; w++)
        if (trace->definitions.windows[w].flavor == 'h') return (int32_t)w;
    return TRACE_NONE;
}

int64_t timeline_free_place(const struct trace *trace)
{
    int64_t first = 0;
    if (timeline_heap(trace) == TRACE_NONE) return 0;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            bool place = call_puts_signal(call->call) || call_kind(call->call) == CALL_SHMEM_WAIT;
            if (place && call->rma.disp >= first) first = call->rma.disp + 8;
        }
    return first;
}

enum status timeline_use_heap(struct trace *made, int32_t *heap, struct err *err)
{
    return *heap == TRACE_NONE ? trace_add_window(made, 0, NULL, NULL, 'h', heap, err) : STATUS_OK;
}

bool timeline_is_operation(const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    return kind == CALL_PUT || kind == CALL_GET || kind == CALL_ACCUMULATE || kind == CALL_GET_ACCUMULATE;
}

bool timeline_on_window(const struct trace_call *call)
{
    return call->handle != TRACE_NONE && (call_row(call->call)->allowed & F_WIN) && call_kind(call->call) != CALL_LOCAL;
}

uint32_t timeline_free_request(const struct trace_rank *rank)
{
    uint32_t next = 0;
    for (size_t i = 0; i < rank->count; i++) {
        const struct trace_call *call = &rank->calls[i];
        if (call_makes_request(call->call) && call->ref != TRACE_NO_REF && call->ref >= next) next = call->ref + 1;
    }
    return next;
}

int32_t timeline_free_tag(const struct trace *trace)
{
    int32_t next = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            enum call_arm arm = call_arm(call_kind(call->call));
            int32_t tag = arm == ARM_MESSAGE ? call->message.tag : arm == ARM_EXCHANGE ? call->exchange.tag : -1;
            if (arm == ARM_EXCHANGE && call->exchange.recv_tag > tag) tag = call->exchange.recv_tag;
            if (tag >= next) next = tag + 1;
        }
    return next;
}

static enum status copy_rank(const struct trace_rank *from, struct trace_rank *to, struct err *err)
{
    trace_copy_pace(to, from);
    to->incomplete = from->incomplete;
    free(to->incomplete_why);
    to->incomplete_why = NULL;
    if (!from->incomplete_why) return STATUS_OK;
    to->incomplete_why = strdup(from->incomplete_why);
    return to->incomplete_why ? STATUS_OK : err_memory(err);
}

/* Copies the faults of the trace as it was read. */
static enum status copy_faults(const struct trace *from, struct trace *to, struct err *err)
{
    for (size_t i = 0; i < from->provenance.fault_count; i++) {
        const struct trace_fault *fault = &from->provenance.faults[i];
        TRY(trace_add_fault(to, fault->rank, fault->event, fault->time_ps, fault->left_out, fault->text, err));
    }
    return STATUS_OK;
}

bool timeline_shares(const struct timeline_edit *timeline, const struct trace_call *call)
{
    return timeline->shared && timeline_on_window(call) && timeline->shared[call->handle];
}

/* The computing before the first call of a thread in a replay. */
static int64_t first_gap_ps(const struct timeline *recorded, int64_t begin_ps)
{
    const struct trace_call *first = timeline_call(recorded, 0);
    if (recorded->creator == TIMELINE_NO_CREATOR) return first->enter_ps - begin_ps;
    return call_kind(first->call) == CALL_THREAD_BEGIN ? 0
                                                       : first->enter_ps - recorded->calls[recorded->creator].exit_ps;
}

static enum status read_timeline(const struct trace *trace, int64_t begin_ps, uint32_t rank,
                                 const struct timeline *recorded, struct timeline_edit *timeline, struct err *err)
{
    struct timeline_edit made = {.items = malloc((recorded->count + 1) * sizeof *made.items),
                                 .capacity = recorded->count + 1};
    if (!made.items) return err_memory(err);
    for (size_t k = 0; k < recorded->count; k++) {
        size_t index = timeline_index(recorded, k);
        int64_t gap_ps = k == 0 ? first_gap_ps(recorded, begin_ps) /* there is no recorded call before it */
                                : recorded->calls[index].enter_ps - timeline_call(recorded, k - 1)->exit_ps -
                                      trace->provenance.record_cost_ps;
        gap_ps = trace_compute_ps(&trace->ranks[rank], index, gap_ps);
        made.items[k] = (struct timeline_item){.compute_ps = gap_ps > 0 ? gap_ps : 0,
                                               .slept_ps = trace_slept_ps(&trace->ranks[rank], index, gap_ps),
                                               .call = recorded->calls[index],
                                               .extents = trace_call_extents(trace, rank, index),
                                               .index = index};
    }
    made.count = recorded->count;
    *timeline = made;
    return STATUS_OK;
}

static void clear_timeline(struct timeline_edit *timeline)
{
    free(timeline->items);
    *timeline = (struct timeline_edit){.thread = timeline->thread, .shared = timeline->shared};
}

void timeline_defer(struct timeline_edit *timeline, struct timeline_item *item)
{
    timeline->tail_ps += item->compute_ps;
    timeline->tail_slept_ps += item->slept_ps;
    item->compute_ps = item->slept_ps = 0;
}

enum status timeline_push(struct timeline_edit *timeline, struct timeline_item item, struct err *err)
{
    item.compute_ps += timeline->tail_ps;
    item.slept_ps += timeline->tail_slept_ps;
    ARRAY_PUSH(timeline->items, timeline->count, timeline->capacity, item, err);
    timeline->tail_ps = timeline->tail_slept_ps = 0;
    return STATUS_OK;
}

static enum status write_slept(struct trace *made, uint32_t rank, int64_t slept_ps, struct err *err)
{
    if (slept_ps == 0) return STATUS_OK;
    return trace_set_before(made, rank, made->ranks[rank].count - 1, BEFORE_SLEPT, slept_ps, err);
}

static enum status write_mark(struct trace *made, uint32_t rank, int64_t at_ps, int64_t slept_ps, struct err *err)
{
    struct trace_call call = {
        .enter_ps = at_ps, .exit_ps = at_ps, .any = TRACE_NO_MEMBERS, .handle = TRACE_NONE, .peer = TRACE_NONE};
    TRY(trace_add_region(made, mark_region, &call.region.region, err));
    call.call = ID_region_enter;
    TRY(trace_add_call(made, rank, &call, err));
    TRY(write_slept(made, rank, slept_ps, err));
    call.call = ID_region_leave;
    return trace_add_call(made, rank, &call, err);
}

/* The call from enter_ps on, as long as the item's. */
static enum status write_item(const struct timeline_item *item, int64_t enter_ps, uint32_t rank, uint32_t thread,
                              struct trace *made, struct err *err)
{
    struct trace_call call = item->call;
    call.flags &= (uint16_t)~TRACE_GAPS;
    call.exit_ps += enter_ps - call.enter_ps;
    call.enter_ps = enter_ps;
    TRY(trace_add_thread_call(made, rank, thread, &call, err));
    TRY(write_slept(made, rank, item->slept_ps, err));
    return trace_set_extents(made, rank, made->ranks[rank].count - 1, &item->extents, err);
}

static enum status write_rank(const struct timeline_edit *timeline, const struct trace_rank *recorded, int64_t begin_ps,
                              uint32_t rank, struct trace *made, struct err *err)
{
    int64_t now_ps = begin_ps;
    bool first = recorded->count > 0 && recorded->calls[0].enter_ps == begin_ps;
    if (first && (timeline->count == 0 || timeline->items[0].compute_ps > 0))
        TRY(write_mark(made, rank, begin_ps, 0, err));
    TRY(trace_reserve_calls(made, rank, timeline->count, err));
    for (size_t i = 0; i < timeline->count; i++) {
        const struct timeline_item *item = &timeline->items[i];
        const int64_t enter_ps = now_ps + item->compute_ps;
        TRY(write_item(item, enter_ps, rank, 0, made, err));
        now_ps = enter_ps + item->call.exit_ps - item->call.enter_ps;
    }
    if (timeline->tail_ps == 0) return STATUS_OK;
    return write_mark(made, rank, now_ps + timeline->tail_ps, timeline->tail_slept_ps, err);
}

/* The position of every call of a rank's new trace in the old one; for a new or moved call that of the call before it
 * on its thread. */
struct order {
    uint32_t *items;
    size_t count, capacity;
};

static enum status add_at(const struct timeline_edit *timeline, const struct timeline_item *item, uint32_t rank,
                          uint32_t place, struct trace *made, struct order *order, struct err *err)
{
    struct trace_rank *to = &made->ranks[rank];
    TRY(write_item(item, item->call.enter_ps, rank, timeline->thread, made, err));
    TRY(trace_set_compute(made, rank, to->count - 1, item->compute_ps, err));
    ARRAY_PUSH(order->items, order->count, order->capacity, place, err);
    return STATUS_OK;
}

/* The mark takes the computing before it. */
static enum status add_mark(const struct timeline_edit *timeline, int64_t at_ps, int64_t compute_ps, int64_t slept_ps,
                            uint32_t rank, uint32_t place, struct trace *made, struct order *order, struct err *err)
{
    struct timeline_item item = {
        .compute_ps = compute_ps,
        .slept_ps = slept_ps,
        .call = {.enter_ps = at_ps,
                 .exit_ps = at_ps,
                 .any = TRACE_NO_MEMBERS,
                 .handle = TRACE_NONE,
                 .peer = TRACE_NONE,
                 .call = ID_region_enter}};
    TRY(trace_add_region(made, mark_region, &item.call.region.region, err));
    TRY(add_at(timeline, &item, rank, place, made, order, err));
    item.call.call = ID_region_leave;
    item.compute_ps = item.slept_ps = 0;
    return add_at(timeline, &item, rank, place, made, order, err);
}

static enum status write_timeline(const struct timeline_edit *timeline, const struct timeline *recorded,
                                  int64_t begin_ps, uint32_t rank, struct trace *made, struct order *order,
                                  struct err *err)
{
    bool first = recorded->count > 0 && timeline_call(recorded, 0)->enter_ps == begin_ps;
    int64_t now_ps = first || recorded->count == 0 ? begin_ps : timeline_call(recorded, 0)->enter_ps;
    uint32_t place = recorded->count > 0 ? (uint32_t)timeline_index(recorded, 0) : 0;
    bool stays = timeline->count > 0 && !timeline->items[0].moved && timeline->items[0].call.enter_ps == begin_ps;
    if (first && !stays) TRY(add_mark(timeline, begin_ps, 0, 0, rank, place, made, order, err));
    for (size_t i = 0; i < timeline->count; i++) {
        struct timeline_item item = timeline->items[i];
        bool kept = item.index != TIMELINE_NEW && !item.moved;
        if (kept)
            place = (uint32_t)item.index;
        else
            item.call.enter_ps = item.call.exit_ps = now_ps;
        now_ps = item.call.exit_ps;
        TRY(add_at(timeline, &item, rank, place, made, order, err));
    }
    if (timeline->tail_ps == 0) return STATUS_OK;
    return add_mark(timeline, now_ps, timeline->tail_ps, timeline->tail_slept_ps, rank, place, made, order, err);
}

static enum status change_timeline(const struct trace *trace, const struct timeline *recorded, int64_t begin_ps,
                                   uint32_t rank, uint32_t thread, const bool *shared, timeline_change *change,
                                   void *context, struct trace *made, struct order *order, struct err *err)
{
    struct timeline_edit timeline;
    bool threads = trace->ranks[rank].thread_count > 0;
    TRY(read_timeline(trace, begin_ps, rank, recorded, &timeline, err));
    timeline.thread = thread;
    timeline.shared = shared;
    enum status status = change(context, rank, &timeline, made, err);
    if (status == STATUS_OK)
        status = threads ? write_timeline(&timeline, recorded, begin_ps, rank, made, order, err)
                         : write_rank(&timeline, &trace->ranks[rank], begin_ps, rank, made, err);
    clear_timeline(&timeline);
    return status;
}

static enum status find_shared(const struct trace *trace, uint32_t rank, bool *shared, struct err *err)
{
    const struct trace_rank *process = &trace->ranks[rank];
    uint32_t *user =
        calloc(trace->definitions.window_count + 1, sizeof *user); /* the window's thread, from 1; 0: none yet */
    if (!user) return err_memory(err);
    memset(shared, 0, trace->definitions.window_count * sizeof *shared);
    for (size_t i = 0; i < process->count; i++) {
        if (!timeline_on_window(&process->calls[i])) continue;
        enum call_kind kind = call_kind(process->calls[i].call);
        uint32_t thread = trace_call_thread(trace, rank, i) + 1, *first = &user[process->calls[i].handle];
        if (kind == CALL_WIN_CREATE || kind == CALL_WIN_FREE) continue;
        if (*first != 0 && *first != thread) shared[process->calls[i].handle] = true;
        *first = thread;
    }
    free(user);
    return STATUS_OK;
}

static enum status change_rank(const struct trace *trace, const struct timelines *timelines, int64_t begin_ps,
                               uint32_t rank, bool *shared, timeline_change *change, void *context, struct trace *made,
                               struct err *err)
{
    struct order order = {0};
    uint32_t threads = trace_thread_count(trace, rank);
    enum status status = copy_rank(&trace->ranks[rank], &made->ranks[rank], err);
    if (status == STATUS_OK && threads > 1) status = find_shared(trace, rank, shared, err);
    for (uint32_t t = 0; t < threads && status == STATUS_OK; t++) {
        struct timeline recorded = timeline_of(timelines, rank, t);
        status = change_timeline(trace, &recorded, begin_ps, rank, t, threads > 1 ? shared : NULL, change, context,
                                 made, &order, err);
    }
    if (status == STATUS_OK && threads > 1) status = trace_sort_calls(made, rank, order.items, err);
    free(order.items);
    return status;
}

enum status timeline_each(const struct trace *trace, timeline_change *change, void *context, struct trace **made,
                          struct err *err)
{
    struct trace *copy;
    struct timelines timelines;
    TRY(timelines_build(trace, &timelines, err));
    enum status status = trace_new_like(trace, &copy, err);
    if (status != STATUS_OK) {
        timelines_clear(&timelines);
        return status;
    }
    copy->provenance.record_cost_ps = 0; /* the timelines are without it */
    int64_t begin_ps = trace_begin_ps(trace);
    bool *shared = calloc(trace->definitions.window_count + 1, sizeof *shared);
    status = shared ? copy_faults(trace, copy, err) : err_memory(err);
    for (uint32_t r = 0; status == STATUS_OK && r < trace->rank_count; r++)
        status = change_rank(trace, &timelines, begin_ps, r, shared, change, context, copy, err);
    free(shared);
    timelines_clear(&timelines);
    GIVE(status, *made = copy, trace_free(copy));
}

enum status timeline_push_in_place(struct timeline_edit *timeline, struct timeline_item *item, const struct trace_call *call,
                                   struct err *err)
{
    struct timeline_item made = *item;
    made.call = *call;
    made.call.enter_ps = item->call.enter_ps;
    made.call.exit_ps = item->call.exit_ps;
    made.call.site = item->call.site;
    made.extents = (struct trace_extents){{0}};
    TRY(timeline_push(timeline, made, err));
    item->compute_ps = item->slept_ps = 0;
    item->call.exit_ps = item->call.enter_ps;
    item->index = TIMELINE_NEW;
    return STATUS_OK;
}

enum status timeline_replace(struct timeline_edit *timeline, struct timeline_edit *with, enum status status)
{
    if (status == STATUS_OK) {
        struct timeline_edit old = *timeline;
        *timeline = *with;
        timeline->thread = old.thread;
        timeline->shared = old.shared;
        *with = old;
    }
    clear_timeline(with);
    return status;
}

ORDER(compare_moves, struct timeline_move, UP(before) UP(from))

static struct timeline_item moved_item(const struct timeline_item *item)
{
    return (struct timeline_item){.call = item->call, .extents = item->extents, .index = item->index, .moved = true};
}

static enum status put_early(const struct timeline_edit *old, struct timeline_edit *timeline, size_t from,
                             struct err *err)
{
    /* tail_ps has the computing before calls that were moved up; it stays after this call */
    int64_t tail_ps = timeline->tail_ps, tail_slept_ps = timeline->tail_slept_ps;
    timeline->tail_ps = timeline->tail_slept_ps = 0;
    TRY(timeline_push(timeline, moved_item(&old->items[from]), err));
    timeline->tail_ps = tail_ps;
    timeline->tail_slept_ps = tail_slept_ps;
    return STATUS_OK;
}

static enum status rearrange_items(const struct timeline_edit *old, const struct timeline_move *moves, size_t count,
                                   const bool *moved, enum timeline_end end, struct timeline_edit *timeline,
                                   struct err *err)
{
    size_t next = 0;
    for (size_t i = 0; i <= old->count; i++) {
        bool here = i < old->count && !moved[i];
        struct timeline_item item = i < old->count ? old->items[i] : (struct timeline_item){0};
        if (end == TIMELINE_LATE && here) timeline_defer(timeline, &item);
        for (; next < count && moves[next].before == i; next++) {
            if (end == TIMELINE_EARLY)
                TRY(put_early(old, timeline, moves[next].from, err));
            else
                TRY(timeline_push(timeline, moved_item(&old->items[moves[next].from]), err));
        }
        if (i == old->count) break;
        timeline_defer(timeline, &item);
        if (here) TRY(timeline_push(timeline, item, err));
    }
    return STATUS_OK;
}

enum status timeline_rearrange(struct timeline_edit *timeline, struct timeline_move *moves, size_t count,
                               enum timeline_end end, struct err *err)
{
    if (count == 0) return STATUS_OK;
    struct timeline_edit made = {.tail_ps = 0};
    bool *moved = calloc(timeline->count + 1, sizeof *moved);
    if (!moved) return err_memory(err);
    for (size_t i = 0; i < count; i++) moved[moves[i].from] = true;
    qsort(moves, count, sizeof *moves, compare_moves);
    enum status status = rearrange_items(timeline, moves, count, moved, end, &made, err);
    free(moved);
    made.tail_ps += timeline->tail_ps;
    made.tail_slept_ps += timeline->tail_slept_ps;
    return timeline_replace(timeline, &made, status);
}
