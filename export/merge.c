#include "export/merge.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/transfers/bounds.h"
#include "model/match/locks.h"
#include "model/match/relations.h"

const struct merge_model merge_models[] = {
    {"base", "transfers end when their operation returns", true, false, false, false},
    {"extended", "transfers end with the synchronisation that completes them", false, false, false, false},
    {"closed", "extended, and an arrow from each get to its target", false, false, true, false},
    {"logical", "extended, and the data of gets leave as late as possible", false, true, false, false},
    {"dependencies", "closed, and arrows between synchronisation calls", false, false, true, true},
};

#define PS_PER_NS INT64_C(1000)

struct building {
    const struct trace *trace;
    const struct relations *relations;
    const struct merge_model *model;
    struct merge *merge;
    int64_t begin_ps;
    uint64_t arrows; /* their tags count up, so that viewers pair them in any order */
    const struct merge_visitor *visitor; /* of merge_visit(): it gets arrows and grants, and no marks are made */
    struct err *err;
};

/* A point of a thread's timeline: inside a call or between calls. */
struct point {
    uint32_t rank, thread;
    size_t call; /* EPOCH_NONE: any */
    int64_t time_ps;
};

static struct point point_of_enter(const struct building *building, uint32_t rank, size_t call)
{
    return (struct point){rank, trace_call_thread(building->trace, rank, call), call,
                          building->trace->ranks[rank].calls[call].enter_ps};
}

static struct point point_of_exit(const struct building *building, uint32_t rank, size_t call)
{
    return (struct point){rank, trace_call_thread(building->trace, rank, call), call,
                          building->trace->ranks[rank].calls[call].exit_ps};
}

static struct point point_at(const struct building *building, uint32_t rank, int64_t time_ps)
{
    uint32_t thread = timelines_thread_ending(&building->relations->timelines, rank, time_ps);
    return (struct point){rank, thread, EPOCH_NONE, time_ps};
}

/* Inside the thread's first call that has not ended before, or between calls: before a user region's record, which is a
 * point. */
static size_t slot_at(const struct timeline *timeline, int64_t time_ps)
{
    size_t low = timeline_first_ending(timeline, time_ps, true);
    if (low == timeline->count) return SIZE_MAX - 1;
    const struct trace_call *call = timeline_call(timeline, low);
    size_t before = 2 * timeline_index(timeline, low);
    return call->enter_ps > time_ps || call_is_region(call->call) ? before : before + 1;
}

static enum status visit_mark(const struct building *building, struct point at, const struct otf2_mark *mark)
{
    if (mark->kind != OTF2_MARK_ACQUIRE) return STATUS_OK;
    const struct merge_grant grant = {at.rank, mark->window, mark->peer, at.time_ps, mark->number != 0};
    return building->visitor->grant(building->visitor->context, &grant, building->err);
}

static enum status add_mark(struct building *building, struct point at, struct otf2_mark mark)
{
    if (building->visitor) return visit_mark(building, at, &mark);
    struct otf2_view *view = &building->merge->view;
    struct otf2_marks *marks = &view->lines[view->first_line[at.rank] + at.thread];
    struct timeline timeline = timeline_of(&building->relations->timelines, at.rank, at.thread);
    mark.time_ps = at.time_ps;
    mark.slot = at.call == EPOCH_NONE ? slot_at(&timeline, at.time_ps) : 2 * at.call + 1;
    ARRAY_PUSH(marks->items, marks->count, marks->capacity, mark, building->err);
    return STATUS_OK;
}

/* Adds an arrow. Its ends are at least one tick apart, so that viewers that merge ranks by time find its begin
 * first. */
static enum status add_arrow(struct building *building, enum otf2_arrow_kind kind, struct point from, struct point to,
                             int64_t bytes)
{
    if (to.time_ps < from.time_ps) {
        building->merge->backward++;
        return STATUS_OK;
    }
    if (building->visitor) {
        const struct merge_arrow arrow = {kind, from.rank, to.rank, from.time_ps, to.time_ps, bytes};
        return building->visitor->arrow(building->visitor->context, &arrow, building->err);
    }
    if (to.time_ps == from.time_ps && to.call == EPOCH_NONE)
        to.time_ps++;
    else if (to.time_ps == from.time_ps && from.call == EPOCH_NONE && from.time_ps > building->begin_ps)
        from.time_ps--;
    struct otf2_mark mark = {.kind = OTF2_MARK_SEND,
                             .arrow = (uint8_t)kind,
                             .peer = (int32_t)to.rank,
                             .bytes = bytes,
                             .number = building->arrows++};
    TRY(add_mark(building, from, mark));
    mark.kind = OTF2_MARK_RECEIVE;
    mark.peer = (int32_t)from.rank;
    return add_mark(building, to, mark);
}

/* One transfer, with the calls between which it takes place. */
struct span {
    struct epoch_operation operation; /* of OpenSHMEM: without epoch, done_call is the quiet */
    const struct transfer *transfer;
    const struct trace_call *call;
    size_t close; /* the origin's call that shows it complete there; EPOCH_NONE */
    uint64_t number;
    bool brings_back, under_lock;
};

static struct span span_of(const struct building *building, const struct transfer *transfer, size_t index,
                           uint64_t number)
{
    const struct epoch_operation *operation = &building->relations->epochs.operations[index];
    const struct access_epoch *epoch = &building->relations->epochs.accesses[operation->epoch];
    struct span span = {.operation = *operation, .transfer = transfer, .number = number, .close = epoch->close_call};
    span.call = relations_call(building->relations, operation->origin, operation->call);
    enum call_kind kind = call_kind(span.call->call);
    span.brings_back = kind == CALL_GET || kind == CALL_GET_ACCUMULATE;
    span.under_lock = epoch->kind == EPOCH_LOCK || epoch->kind == EPOCH_LOCK_ALL;
    size_t sooner = span.brings_back ? operation->done_call : operation->first_flush;
    if (sooner != EPOCH_NONE) span.close = sooner;
    if (!epoch_closed(building->trace, operation->origin, span.close)) span.close = EPOCH_NONE;
    if (building->model->base) span.close = operation->call;
    return span;
}

/* OpenSHMEM has neither epochs nor flushes: a call that blocks is done at the origin when it returns, all else is done,
 * there and at the target, with the rank's next quiet. */
static struct span shmem_span(const struct building *building, const struct transfer *transfer, size_t quiet,
                              uint64_t number)
{
    const struct trace_rank *rank = &building->trace->ranks[transfer->origin];
    struct span span = {.transfer = transfer,
                        .number = number,
                        .call = &rank->calls[transfer->call],
                        .close = transfer->call,
                        .under_lock = true};
    enum call_kind kind = call_kind(span.call->call);
    bool waits =
        kind == CALL_SHMEM_GET || kind == CALL_SHMEM_FETCH || kind == CALL_SHMEM_PUT || kind == CALL_SHMEM_ATOMIC;
    if (quiet == rank->count || (rank->calls[quiet].flags & TRACE_BREAK)) quiet = EPOCH_NONE;
    span.operation = (struct epoch_operation){.origin = transfer->origin,
                                              .call = transfer->call,
                                              .epoch = EPOCH_NONE,
                                              .first_flush = EPOCH_NONE,
                                              .pair = EPOCH_NONE,
                                              .done_call = quiet};
    span.brings_back = kind == CALL_SHMEM_GET || kind == CALL_SHMEM_GET_NBI || kind == CALL_SHMEM_FETCH;
    if (!waits && !building->model->base) span.close = quiet;
    return span;
}

/* Logical model: min(exit of the origin's synchronisation - epsilon, exit of the target's), where epsilon is no longer
 * than that call. */
static int64_t latest_start_ps(const struct building *building, const struct span *span)
{
    const struct trace_call *close = relations_call(building->relations, span->operation.origin, span->close);
    int64_t duration_ps = close->exit_ps - close->enter_ps;
    int64_t start_ps = close->exit_ps - (duration_ps < PS_PER_NS ? duration_ps : PS_PER_NS);
    int64_t target_ps = span->operation.epoch == EPOCH_NONE
                            ? TRACE_UNKNOWN_PS
                            : bounds_target_exit_ps(building->relations, &span->operation);
    if (target_ps != TRACE_UNKNOWN_PS && target_ps < start_ps) start_ps = target_ps;
    return start_ps < span->call->enter_ps ? span->call->enter_ps : start_ps;
}

/* Data that leave the target: those of gets, and results of atomics, whose operands have arrived by then. */
static enum status add_answer(struct building *building, const struct span *span, bool data_arrows)
{
    uint32_t origin = span->operation.origin, target = span->transfer->target;
    enum call_kind kind = call_kind(span->call->call);
    bool operand = (kind == CALL_GET_ACCUMULATE || kind == CALL_SHMEM_FETCH) && span->call->bytes > 0;
    struct otf2_mark mark = {.window = span->call->handle, .peer = (int32_t)origin, .number = span->number};
    bool late = building->model->late && span->close != EPOCH_NONE;
    int64_t start_ps = late ? latest_start_ps(building, span) : span->call->enter_ps;
    if (building->model->requests) {
        TRY(add_arrow(building, OTF2_ARROW_REQUEST, point_of_enter(building, origin, span->operation.call),
                      point_at(building, target, start_ps), 0));
        start_ps++; /* the request is there */
    }
    mark.kind = OTF2_MARK_IN;
    if (operand) TRY(add_mark(building, point_at(building, target, start_ps), mark));
    mark.kind = OTF2_MARK_OUT;
    TRY(add_mark(building, point_at(building, target, start_ps), mark));
    if (!data_arrows || span->close == EPOCH_NONE) return STATUS_OK;
    return add_arrow(building, OTF2_ARROW_DATA, point_at(building, target, start_ps),
                     point_of_exit(building, origin, span->close),
                     operand ? span->call->rma.result_bytes : span->call->bytes);
}

/* Adds the arrival of puts and accumulates at the target. */
static enum status add_arrival(struct building *building, const struct span *span, bool data_arrows)
{
    uint32_t origin = span->operation.origin, target = span->transfer->target;
    const struct transfer *transfer = span->transfer;
    int64_t end_ps = building->model->base ? transfer->lower_end_ps : transfer->upper_end_ps;
    struct otf2_mark mark = {
        .kind = OTF2_MARK_IN, .window = span->call->handle, .peer = (int32_t)origin, .number = span->number};
    if (end_ps == TRACE_UNKNOWN_PS) return STATUS_OK;
    TRY(add_mark(building, point_at(building, target, end_ps), mark));
    if (building->model->dependencies && span->under_lock && span->operation.done_call != EPOCH_NONE)
        TRY(add_arrow(building, OTF2_ARROW_UNLOCK, point_of_exit(building, origin, span->operation.done_call),
                      point_at(building, target, end_ps), 0));
    if (!data_arrows) return STATUS_OK;
    return add_arrow(building, OTF2_ARROW_DATA, point_of_enter(building, origin, span->operation.call),
                     point_at(building, target, end_ps), span->call->bytes);
}

/* Adds the completion of a transfer in the origin's calls. */
static enum status add_completion(struct building *building, const struct span *span)
{
    uint32_t origin = span->operation.origin;
    size_t done = span->operation.done_call;
    struct otf2_mark mark = {.window = span->call->handle, .peer = TRACE_NONE, .number = span->number};
    mark.kind = span->close == span->operation.call ? OTF2_MARK_DONE_AT_ONCE : OTF2_MARK_DONE;
    if (span->close != EPOCH_NONE) TRY(add_mark(building, point_of_exit(building, origin, span->close), mark));
    if (building->model->base || span->brings_back || !span->under_lock || done == EPOCH_NONE) return STATUS_OK;
    mark.kind = OTF2_MARK_DONE_REMOTELY;
    return add_mark(building, point_of_exit(building, origin, done), mark);
}

/* MPI's operations are in the order of transfers, OpenSHMEM's follow: both by origin and call. */
struct cursors {
    size_t mpi, shmem;
    size_t quiet; /* index of the next quiet of the last OpenSHMEM transfer's origin, or its number of calls */
    uint32_t origin;
    uint64_t number;
};

/* The transfer that comes next by origin and call, numbered within its origin from 1. */
static struct span next_span(const struct building *building, const struct transfers *transfers,
                             struct cursors *cursors)
{
    size_t mpi_count = building->relations->epochs.operation_count;
    const struct transfer *one = &transfers->items[cursors->mpi], *two = &transfers->items[cursors->shmem];
    bool mpi = cursors->shmem == transfers->count ||
               (cursors->mpi < mpi_count &&
                (one->origin < two->origin || (one->origin == two->origin && one->call < two->call)));
    const struct transfer *transfer = mpi ? one : two;
    const struct trace_rank *rank = &building->trace->ranks[transfer->origin];
    if (transfer->origin != cursors->origin) {
        cursors->number = 0;
        cursors->quiet = 0;
    }
    cursors->origin = transfer->origin;
    cursors->number++;
    if (mpi) return span_of(building, transfer, cursors->mpi++, cursors->number);
    if (cursors->quiet < transfer->call) cursors->quiet = transfer->call;
    while (cursors->quiet < rank->count && !call_is_quiet(rank->calls[cursors->quiet].call)) cursors->quiet++;
    cursors->shmem++;
    return shmem_span(building, transfer, cursors->quiet, cursors->number);
}

static enum status add_transfers(struct building *building, bool data_arrows)
{
    struct transfers transfers;
    enum status status = STATUS_OK;
    TRY(bounds_from_relations(building->relations, &transfers, building->err));
    struct cursors cursors = {.shmem = building->relations->epochs.operation_count};
    for (size_t i = 0; status == STATUS_OK && i < transfers.count; i++) {
        struct span span = next_span(building, &transfers, &cursors);
        if (span.call->flags & TRACE_BREAK) continue; /* it has no record */
        building->merge->transfers++;
        building->merge->endless += !building->model->base && span.transfer->upper_end_ps == TRACE_UNKNOWN_PS;
        status =
            span.brings_back ? add_answer(building, &span, data_arrows) : add_arrival(building, &span, data_arrows);
        if (status == STATUS_OK) status = add_completion(building, &span);
    }
    transfers_clear(&transfers);
    return status;
}

/* The call of the access epoch that cannot have returned before the post: start, or else complete. MPI may buffer an
 * epoch altogether: then neither has waited. */
static enum status add_permission(struct building *building, const struct access_epoch *access,
                                  const struct exposure_epoch *exposure)
{
    struct point post = point_of_enter(building, exposure->rank, exposure->post_call);
    struct point to = point_of_exit(building, access->rank, access->open_call);
    if (to.time_ps < post.time_ps && epoch_closed(building->trace, access->rank, access->close_call))
        to = point_of_exit(building, access->rank, access->close_call);
    return add_arrow(building, OTF2_ARROW_POST, post, to, 0);
}

static enum status add_dependencies(struct building *building)
{
    const struct epochs *epochs = &building->relations->epochs;
    for (size_t i = 0; i < epochs->pair_count; i++) {
        const struct epoch_pair *pair = &epochs->pairs[i];
        const struct access_epoch *access = &epochs->accesses[pair->access];
        if (pair->exposure == EPOCH_NONE) continue;
        const struct exposure_epoch *exposure = &epochs->exposures[pair->exposure];
        TRY(add_permission(building, access, exposure));
        if (access->close_call == EPOCH_NONE || !epoch_closed(building->trace, exposure->rank, exposure->close_call))
            continue;
        TRY(add_arrow(building, OTF2_ARROW_COMPLETE, point_of_enter(building, access->rank, access->close_call),
                      point_of_exit(building, exposure->rank, exposure->close_call), 0));
    }
    return STATUS_OK;
}

/* When each epoch under a lock got it, and from whom. */
struct grants {
    struct building *building;
    int64_t *time_ps; /* per access epoch */
};

/* The arrow of one hand-over ends with the grant of this target's lock. */
static enum status visit_holding(void *context, const struct holding *holding, const struct holding *holder)
{
    struct grants *grants = context;
    struct building *building = grants->building;
    const struct access_epoch *epoch = holding->epoch;
    size_t index = (size_t)(epoch - building->relations->epochs.accesses);
    if (!holder) return STATUS_OK;
    struct point to = point_of_exit(building, epoch->rank, epoch->open_call);
    if (holder->release_ps > to.time_ps) to = (struct point){to.rank, to.thread, EPOCH_NONE, holder->release_ps};
    if (to.time_ps > grants->time_ps[index]) grants->time_ps[index] = to.time_ps;
    return add_arrow(building, OTF2_ARROW_LOCK, point_of_exit(building, holder->origin, holder->epoch->close_call), to,
                     0);
}

static enum status add_acquire(struct building *building, const struct access_epoch *epoch, int64_t time_ps)
{
    struct point at = point_of_exit(building, epoch->rank, epoch->open_call);
    const struct trace_call *lock = relations_call(building->relations, epoch->rank, epoch->open_call);
    if (lock->flags & TRACE_BREAK) return STATUS_OK;
    if (time_ps > at.time_ps) at = (struct point){at.rank, at.thread, EPOCH_NONE, time_ps};
    return add_mark(building, at,
               (struct otf2_mark){.kind = OTF2_MARK_ACQUIRE,
                                  .window = epoch->window,
                                  .peer = epoch->kind == EPOCH_LOCK ? epoch->target : TRACE_NONE,
                                  .number = (lock->flags & TRACE_EXCLUSIVE) != 0});
}

static bool is_lock(const struct access_epoch *epoch)
{
    return epoch->kind == EPOCH_LOCK_ALL || (epoch->kind == EPOCH_LOCK && epoch->target != TRACE_NONE);
}

/* A lock is acquired when its call returns, or when the last one that excludes it is released, whichever is later: so
 * acquiring and releasing alternate for each window and target (Hermanns 2004, 4.4.3 leaves the moment open). */
static enum status add_grants(struct building *building)
{
    const struct epochs *epochs = &building->relations->epochs;
    struct grants grants = {building, malloc((epochs->access_count + 1) * sizeof *grants.time_ps)};
    if (!grants.time_ps) return err_memory(building->err);
    for (size_t a = 0; a < epochs->access_count; a++) grants.time_ps[a] = INT64_MIN;
    enum status status = locks_visit(building->relations, visit_holding, &grants, building->err);
    for (size_t a = 0; status == STATUS_OK && a < epochs->access_count; a++)
        if (is_lock(&epochs->accesses[a])) status = add_acquire(building, &epochs->accesses[a], grants.time_ps[a]);
    free(grants.time_ps);
    return status;
}

static bool comes_before(const struct otf2_mark *one, const struct otf2_mark *other, uint32_t rank)
{
    if (one->slot != other->slot) return one->slot < other->slot;
    if (one->time_ps != other->time_ps) return one->time_ps < other->time_ps;
    return !otf2_mark_is_effect(one, rank) && otf2_mark_is_effect(other, rank);
}

/* Stable: equal marks keep the order of their making, in which causes come first. */
static enum status sort_marks(struct otf2_marks *marks, uint32_t rank, struct err *err)
{
    if (marks->count < 2) return STATUS_OK;
    struct otf2_mark *spare = malloc(marks->count * sizeof *spare), *from = marks->items, *to = spare;
    if (!spare) return err_memory(err);
    for (size_t width = 1; width < marks->count; width *= 2) {
        for (size_t begin = 0; begin < marks->count; begin += 2 * width) {
            size_t middle = begin + width < marks->count ? begin + width : marks->count;
            size_t end = middle + width < marks->count ? middle + width : marks->count;
            for (size_t out = begin, a = begin, b = middle; out < end; out++) {
                bool second = a == middle || (b < end && comes_before(&from[b], &from[a], rank));
                to[out] = second ? from[b++] : from[a++];
            }
        }
        struct otf2_mark *swap = from;
        from = to;
        to = swap;
    }
    if (from != marks->items) memcpy(marks->items, from, marks->count * sizeof *from);
    free(spare);
    return STATUS_OK;
}

static enum status make_lines(const struct trace *trace, struct merge *merge, struct err *err)
{
    struct otf2_view *view = &merge->view;
    view->first_line = calloc((size_t)trace->rank_count + 1, sizeof *view->first_line);
    if (!view->first_line) return err_memory(err);
    for (uint32_t r = 0; r < trace->rank_count; r++)
        view->first_line[r + 1] = view->first_line[r] + trace_thread_count(trace, r);
    view->lines = calloc(view->first_line[trace->rank_count] + 1, sizeof *view->lines);
    if (!view->lines) return err_memory(err);
    merge->line_count = view->first_line[trace->rank_count];
    return STATUS_OK;
}

static enum status add_all(struct building *building, bool data_arrows)
{
    TRY(add_transfers(building, data_arrows));
    if (building->model->dependencies) TRY(add_dependencies(building));
    return building->model->base ? STATUS_OK : add_grants(building);
}

enum status merge_visit(const struct relations *relations, const struct merge_model *model,
                        const struct merge_visitor *visitor, struct err *err)
{
    struct merge counted = {0};
    struct building building = {.trace = relations->trace,
                                .relations = relations,
                                .model = model,
                                .merge = &counted,
                                .begin_ps = trace_begin_ps(relations->trace),
                                .visitor = visitor,
                                .err = err};
    return add_all(&building, true);
}

enum status merge_build(const struct trace *trace, const struct merge_model *model, bool data_arrows,
                        struct merge *merge, struct err *err)
{
    struct relations relations;
    struct merge made = {.view = {.model = model->name, .grants = !model->base}};
    TRY(relations_build(trace, &relations, err));
    struct building building = {.trace = trace,
                                .relations = &relations,
                                .model = model,
                                .merge = &made,
                                .begin_ps = trace_begin_ps(trace),
                                .err = err};
    enum status status = make_lines(trace, &made, err);
    if (status == STATUS_OK) status = add_all(&building, data_arrows);
    for (uint32_t r = 0; status == STATUS_OK && r < trace->rank_count; r++)
        for (size_t i = made.view.first_line[r]; status == STATUS_OK && i < made.view.first_line[r + 1]; i++)
            status = sort_marks(&made.view.lines[i], r, err);
    relations_clear(&relations);
    GIVE(status, *merge = made, merge_clear(&made));
}

void merge_clear(struct merge *merge)
{
    for (size_t i = 0; i < merge->line_count; i++) free(merge->view.lines[i].items);
    FREE_ALL(merge->view.lines, merge->view.first_line);
    memset(merge, 0, sizeof *merge);
}
