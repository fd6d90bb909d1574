/* goal_order_calls(): what the program of each rank does, one call after another. */
#include <stdlib.h>

#include "common/map.h"
#include "common/search.h"
#include "export/goal/schedule.h"

ORDER(compare_parts, struct goal_part, UP(operation.rank) UP(call) UP(role) UP(operation.number))

struct walk {
    struct goal_schedule *schedule;
    uint32_t rank;
    size_t part;              /* the next one */
    bool any, begun;          /* there is a last operation; what follows waits for its begin only */
    struct goal_id last;
    struct map requests;      /* to the first part of the call that made it */
    int64_t at_ps, computed_ps; /* exit of the call before; computing so far */
    struct err *err;
};

/* Appends an operation after the program's last one. */
static enum status follow_operation(struct walk *walk, struct goal_id operation)
{
    if (!walk->any) return STATUS_OK;
    return walk->begun ? goal_require_begun(walk->schedule, operation, walk->last, walk->err)
                       : goal_require(walk->schedule, operation, walk->last, walk->err);
}

static void go_on_from(struct walk *walk, struct goal_id operation, bool begun)
{
    walk->any = true;
    walk->last = operation;
    walk->begun = begun;
}

/* Rounded from the sum, so that the nanoseconds of many calls add up to their time. */
static enum status add_computing(struct walk *walk, int64_t ps)
{
    uint64_t before_ns = ((uint64_t)walk->computed_ps + 500) / 1000;
    struct goal_id made;
    walk->computed_ps += ps;
    uint64_t ns = ((uint64_t)walk->computed_ps + 500) / 1000 - before_ns;
    if (ns == 0) return STATUS_OK;
    TRY(goal_calc(walk->schedule, walk->rank, ns, &made, walk->err));
    TRY(follow_operation(walk, made));
    go_on_from(walk, made, false);
    return STATUS_OK;
}

static bool next_part(struct walk *walk, size_t call, enum goal_role role, struct goal_part **part)
{
    if (walk->part == walk->schedule->part_count) return false;
    *part = &walk->schedule->parts[walk->part];
    if ((*part)->operation.rank != walk->rank || (*part)->call != call || (*part)->role != role) return false;
    walk->part++;
    return true;
}

/* The operation that the call ends with: made when the first of what it waits for is there. */
static enum status wait_for(struct walk *walk, bool *made, struct goal_id *end, struct goal_id operation)
{
    if (!*made) {
        TRY(goal_calc(walk->schedule, walk->rank, 0, end, walk->err));
        TRY(follow_operation(walk, *end));
        *made = true;
    }
    return goal_require(walk->schedule, *end, operation, walk->err);
}

static enum status wait_for_request(struct walk *walk, uint32_t request, bool *made, struct goal_id *end)
{
    const uint64_t *first = map_find(&walk->requests, request);
    if (!first) return STATUS_OK;
    for (size_t p = (size_t)*first; p < walk->schedule->part_count; p++) {
        const struct goal_part *part = &walk->schedule->parts[p];
        if (part->call != walk->schedule->parts[*first].call || part->operation.rank != walk->rank) break;
        TRY(wait_for(walk, made, end, part->operation));
    }
    return STATUS_OK;
}

static enum status wait_for_requests(struct walk *walk, const struct trace_call *call, bool *made, struct goal_id *end)
{
    const struct trace *trace = walk->schedule->trace;
    switch (call_kind(call->call)) {
    case CALL_REQUEST_TEST:
        if (!(call->flags & TRACE_FLAG)) return STATUS_OK;
        return wait_for_request(walk, call->completion.request, made, end);
    case CALL_REQUEST_WAIT: return wait_for_request(walk, call->completion.request, made, end);
    case CALL_REQUEST_WAITALL:
    case CALL_REQUEST_TESTALL: break;
    default: return STATUS_OK;
    }
    if (call->completion.list == TRACE_NO_REF) return STATUS_OK;
    const struct trace_list *list = &trace->definitions.lists[call->completion.list];
    for (uint32_t i = 0; i < list->count; i++)
        TRY(wait_for_request(walk, trace->definitions.requests[list->first + i], made, end));
    return STATUS_OK;
}

static enum status order_call(struct walk *walk, size_t index)
{
    const struct trace_call *call = &walk->schedule->trace->ranks[walk->rank].calls[index];
    struct goal_part *part;
    struct goal_id begun = {0, 0}, end;
    bool any_begun = false, made = false;
    TRY(add_computing(walk, call->enter_ps - walk->at_ps));
    walk->at_ps = call->exit_ps;
    for (; next_part(walk, index, GOAL_BEGINS, &part); any_begun = true) {
        begun = part->operation;
        TRY(follow_operation(walk, begun));
    }
    if (any_begun) go_on_from(walk, begun, true);
    while (next_part(walk, index, GOAL_ENDS, &part)) TRY(wait_for(walk, &made, &end, part->operation));
    for (size_t first = walk->part; next_part(walk, index, GOAL_REQUEST, &part);) {
        uint64_t *slot;
        TRY(map_put(&walk->requests, call->ref, first, &slot, walk->err));
    }
    TRY(wait_for_requests(walk, call, &made, &end));
    if (made) go_on_from(walk, end, false);
    return STATUS_OK;
}

enum status goal_order_calls(struct goal_schedule *schedule, struct err *err)
{
    struct walk walk = {.schedule = schedule, .err = err};
    enum status status = STATUS_OK;
    if (schedule->part_count > 1) qsort(schedule->parts, schedule->part_count, sizeof *schedule->parts, compare_parts);
    for (uint32_t r = 0; r < schedule->trace->rank_count && status == STATUS_OK; r++) {
        walk = (struct walk){
            .schedule = schedule, .rank = r, .part = walk.part, .at_ps = trace_begin_ps(schedule->trace), .err = err};
        for (size_t i = 0; i < schedule->trace->ranks[r].count && status == STATUS_OK; i++) status = order_call(&walk, i);
        map_clear(&walk.requests);
    }
    return status;
}
