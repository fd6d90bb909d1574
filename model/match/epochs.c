#include "model/match/epochs.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"
#include "model/match/completions.h"
#include "model/match/fifo.h"
#include "trace/faults.h"

struct walk {
    const struct trace *trace;
    struct epochs *epochs;
    struct window_uses *uses;
    struct epoch_cursor cursor; /* items: index in accesses or exposures; a fence epoch has one from its first operation
                                   on */
    uint32_t rank;
    size_t index;
    struct err *err;
};

void epochs_clear(struct epochs *epochs)
{
    FREE_ALL(epochs->accesses, epochs->exposures, epochs->pairs, epochs->links, epochs->operations);
    memset(epochs, 0, sizeof *epochs);
}

bool epoch_closed(const struct trace *trace, uint32_t rank, size_t close_call)
{
    return close_call != EPOCH_NONE && !(trace->ranks[rank].calls[close_call].flags & TRACE_BREAK);
}

__attribute__((format(printf, 2, 3))) static enum status fault(const struct walk *walk, const char *format, ...)
{
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return trace_fail(walk->err, walk->trace, walk->rank, walk->index,
                      &walk->trace->ranks[walk->rank].calls[walk->index], "%s", message);
}

static enum status fault_overlap(const struct walk *walk, const struct trace_call *call, const struct epoch *open)
{
    uint64_t event = trace_event(walk->trace, walk->rank, open->opened);
    enum mpi_call opened = walk->trace->ranks[walk->rank].calls[open->opened].call;
    switch (open->kind) {
    case EPOCH_POST:
        return fault(walk,
                     "the exposure epoch that event %" PRIu64 " (MPI_Win_post) opened on the same window is still open",
                     event);
    case EPOCH_LOCK:
        if (call_kind(call->call) == CALL_LOCK)
            return fault(walk, "the lock of target %d that event %" PRIu64 " took is still held", call->peer, event);
        /* fallthrough */
    case EPOCH_LOCK_ALL: return fault(walk, "a lock of the same window is still held");
    default:
        return fault(walk, "the epoch that event %" PRIu64 " (%s) opened on the same window is still open", event,
                     call_name(opened));
    }
}

static enum status fault_close(const struct walk *walk, const struct trace_call *call)
{
    switch (call_kind(call->call)) {
    case CALL_COMPLETE: return fault(walk, "no MPI_Win_start is open on this window");
    case CALL_UNLOCK: return fault(walk, "no lock of target %d is held on this window", call->peer);
    case CALL_UNLOCK_ALL: return fault(walk, "no MPI_Win_lock_all is open on this window");
    default: return fault(walk, "no MPI_Win_post is open on this window");
    }
}

/* Two faults are tolerated: a fence with NOPRECEDE after an operation, and an operation with a request outside a
 * lock. */
static enum status expect_no_fault(const struct walk *walk, const struct trace_call *call,
                                   const struct epoch_step *step)
{
    if (step->faults & EPOCH_OVERLAPS) return fault_overlap(walk, call, step->overlaps[0]);
    if (step->faults & EPOCH_NOT_OPEN) return fault_close(walk, call);
    if (step->faults & (EPOCH_OUTSIDE | EPOCH_AFTER_NOSUCCEED))
        return fault(walk,
                     "the operation stands outside any access epoch, expected MPI_Win_start, MPI_Win_lock of target %d "
                     "or MPI_Win_fence on window %d before it",
                     call->peer, call->handle);
    if (step->faults & EPOCH_OUTSIDE_GROUP)
        return fault(walk, "target %d is not in the group of the MPI_Win_start of event %" PRIu64, call->peer,
                     trace_event(walk->trace, walk->rank, step->in->opened));
    return STATUS_OK;
}

static enum status open_access(struct walk *walk, struct epoch *open)
{
    struct epochs *epochs = walk->epochs;
    uint32_t pairs = open->kind == EPOCH_START ? walk->trace->definitions.groups[open->group].count : 0;
    struct access_epoch epoch = {.kind = open->kind,
                                 .rank = walk->rank,
                                 .window = open->window,
                                 .target = open->target,
                                 .open_call = open->opened,
                                 .close_call = EPOCH_NONE,
                                 .open_number = open->fence,
                                 .pair_first = open->kind == EPOCH_START ? epochs->pair_count : 0,
                                 .pair_count = pairs};
    struct epoch_pair pair = {
        .access = epochs->access_count, .exposure = EPOCH_NONE, .previous = EPOCH_NONE, .last_operation = EPOCH_NONE};
    for (uint32_t i = 0; i < pairs; i++)
        ARRAY_PUSH(epochs->pairs, epochs->pair_count, epochs->pair_capacity, pair, walk->err);
    open->item = epochs->access_count;
    ARRAY_PUSH(epochs->accesses, epochs->access_count, epochs->access_capacity, epoch, walk->err);
    return STATUS_OK;
}

static enum status open_exposure(struct walk *walk, struct epoch *open)
{
    struct epochs *epochs = walk->epochs;
    const struct trace_group *group = &walk->trace->definitions.groups[open->group];
    struct exposure_epoch epoch = {.rank = walk->rank,
                                   .window = open->window,
                                   .post_call = walk->index,
                                   .first_test = EPOCH_NONE,
                                   .close_call = EPOCH_NONE,
                                   .link_first = epochs->link_count,
                                   .link_count = group->count};
    struct epoch_link link = {.exposure = epochs->exposure_count, .pair = EPOCH_NONE};
    for (uint32_t i = 0; i < group->count; i++)
        ARRAY_PUSH(epochs->links, epochs->link_count, epochs->link_capacity, link, walk->err);
    open->item = epochs->exposure_count;
    ARRAY_PUSH(epochs->exposures, epochs->exposure_count, epochs->exposure_capacity, epoch, walk->err);
    return STATUS_OK;
}

static enum status add_operation(struct walk *walk, const struct trace_call *call, const struct epoch_step *step)
{
    struct epochs *epochs = walk->epochs;
    if (step->in->item == EPOCH_NONE) TRY(open_access(walk, step->in)); /* of a fence */
    struct epoch_operation operation = {
        .origin = walk->rank, .call = walk->index, .epoch = step->in->item, .pair = EPOCH_NONE};
    struct access_epoch *epoch = &epochs->accesses[operation.epoch];
    if (epoch->kind == EPOCH_START) {
        operation.pair = epoch->pair_first + (size_t)step->member;
        struct epoch_pair *pair = &epochs->pairs[operation.pair];
        pair->last_operation = walk->index;
        pair->bytes = units_add_ps(pair->bytes, call->bytes);
    }
    epoch->operation_count++;
    ARRAY_PUSH(epochs->operations, epochs->operation_count, epochs->operation_capacity, operation, walk->err);
    return STATUS_OK;
}

static enum status take_call(struct walk *walk, const struct trace_call *call)
{
    struct epoch_step step;
    TRY(epoch_cursor_take(&walk->cursor, call, walk->index, &step, walk->err));
    if (step.faults) TRY(expect_no_fault(walk, call, &step));
    if (call_kind(call->call) == CALL_WIN_TEST) {
        struct exposure_epoch *tested = &walk->epochs->exposures[(step.in ? step.in : step.closes)->item];
        if (tested->first_test == EPOCH_NONE) tested->first_test = walk->index;
    } else if (step.in && call->peer != TRACE_NONE) {
        return add_operation(walk, call, &step);
    }
    if (step.closes) {
        const struct epoch *closed = step.closes;
        if (closed->kind == EPOCH_POST) {
            walk->epochs->exposures[closed->item].close_call = walk->index;
        } else if (closed->item != EPOCH_NONE) {
            walk->epochs->accesses[closed->item].close_call = walk->index;
            walk->epochs->accesses[closed->item].close_number = step.fence;
        }
    }
    if (!step.opens || step.opens->kind == EPOCH_FENCE) return STATUS_OK;
    return step.opens->kind == EPOCH_POST ? open_exposure(walk, step.opens) : open_access(walk, step.opens);
}

static enum status walk_rank(struct walk *walk, uint32_t rank)
{
    const struct trace_rank *process = &walk->trace->ranks[rank];
    walk->rank = rank;
    epoch_cursor_restart(&walk->cursor);
    for (walk->index = 0; walk->index < process->count; walk->index++) {
        const struct trace_call *call = &process->calls[walk->index];
        if (walk->index >= process->kept_count) TRY(window_uses_add(walk->uses, walk->trace, rank, walk->index, walk->err));
        if (call_works_on(call_kind(call->call), OBJECT_EPOCH)) TRY(take_call(walk, call));
    }
    return STATUS_OK;
}

static struct fifo_key pair_key(int32_t window, uint32_t origin, uint32_t target)
{
    return (struct fifo_key){.a = origin, .b = target, .c = (uint32_t)window, .d = 0};
}

static enum status queue_exposures(const struct trace *trace, const struct epochs *epochs, struct fifo *fifo,
                                   struct err *err)
{
    for (size_t e = 0; e < epochs->exposure_count; e++) {
        const struct exposure_epoch *epoch = &epochs->exposures[e];
        const struct trace_group *group =
            &trace->definitions.groups[trace->ranks[epoch->rank].calls[epoch->post_call].sync.group];
        for (uint32_t i = 0; i < epoch->link_count; i++)
            TRY(fifo_push(fifo, pair_key(epoch->window, (uint32_t)group->members[i], epoch->rank),
                          epoch->link_first + i, err));
    }
    return STATUS_OK;
}

static void match_accesses(const struct trace *trace, struct epochs *epochs, struct fifo *fifo)
{
    for (size_t a = 0; a < epochs->access_count; a++) {
        const struct access_epoch *epoch = &epochs->accesses[a];
        if (epoch->kind != EPOCH_START) continue;
        const struct trace_group *group =
            &trace->definitions.groups[trace->ranks[epoch->rank].calls[epoch->open_call].sync.group];
        for (uint32_t i = 0; i < epoch->pair_count; i++) {
            size_t pair = epoch->pair_first + i, before;
            size_t link =
                fifo_pop_after(fifo, pair_key(epoch->window, epoch->rank, (uint32_t)group->members[i]), &before);
            if (before != FIFO_EMPTY) epochs->pairs[pair].previous = epochs->links[before].pair;
            if (link == FIFO_EMPTY) continue;
            epochs->pairs[pair].exposure = epochs->links[link].exposure;
            epochs->links[link].pair = pair;
        }
    }
}

static enum status build_epochs(struct walk *walk)
{
    for (uint32_t r = 0; r < walk->trace->rank_count; r++) TRY(walk_rank(walk, r));
    struct fifo fifo = {0};
    enum status status = queue_exposures(walk->trace, walk->epochs, &fifo, walk->err);
    if (status == STATUS_OK) match_accesses(walk->trace, walk->epochs, &fifo);
    fifo_clear(&fifo);
    return status;
}

enum status epochs_build(const struct trace *trace, struct window_uses *uses, struct epochs *epochs, struct err *err)
{
    struct epochs made = {0};
    struct walk walk = {.trace = trace, .epochs = &made, .uses = uses, .err = err};
    TRY(epoch_cursor_init(&walk.cursor, trace, err));
    enum status status = build_epochs(&walk);
    if (status == STATUS_OK) status = completions_find(trace, &made, err);
    epoch_cursor_clear(&walk.cursor);
    GIVE(status, *epochs = made, epochs_clear(&made));
}
