#include "predictors/curve/replicate.h"

#include <stdlib.h>

#include "common/array.h"
#include "predictors/scale/observe.h"

struct replication {
    const struct trace *trace;
    struct trace *made;
    uint32_t ranks;
    int32_t first; /* the copy's first rank */
    int32_t *members;
    struct trace_memory memory;
    struct err *err;
};

static enum status add_window(struct replication *replication, const struct trace_window *window)
{
    uint32_t ranks = replication->ranks, own = replication->trace->rank_count;
    int64_t *bytes = malloc(ranks * sizeof *bytes);
    int32_t *units = malloc(ranks * sizeof *units), id;
    enum status status = bytes && units ? STATUS_OK : err_memory(replication->err);
    for (uint32_t r = 0; status == STATUS_OK && r < ranks; r++) {
        bytes[r] = window->bytes ? window->bytes[r % own] : 0;
        units[r] = window->disp_unit ? window->disp_unit[r % own] : 1;
    }
    if (status == STATUS_OK)
        status = trace_add_window(replication->made, window->comm, window->bytes ? bytes : NULL,
                                  window->disp_unit ? units : NULL, window->flavor, &id, replication->err);
    FREE_ALL(bytes, units);
    return status;
}

/* Numbers of windows, communicators, regions and sites stay. */
static enum status add_definitions(struct replication *replication)
{
    const struct trace *trace = replication->trace;
    uint32_t id;
    int32_t comm;
    for (uint32_t r = 0; r < replication->ranks; r++) replication->members[r] = (int32_t)r;
    for (size_t i = 1; i < trace->definitions.comm_count; i++)
        TRY(trace_add_comm(replication->made, replication->members, replication->ranks, &comm, replication->err));
    for (size_t i = 0; i < trace->definitions.window_count; i++)
        TRY(add_window(replication, &trace->definitions.windows[i]));
    for (size_t i = 0; i < trace->definitions.region_count; i++)
        TRY(trace_add_region(replication->made, trace->definitions.regions[i], &id, replication->err));
    for (size_t i = 1; i < trace->definitions.site_count; i++) {
        const struct trace_site *site = &trace->definitions.sites[i];
        TRY(trace_add_site(replication->made, site->function, site->file, site->line, &id, replication->err));
    }
    return STATUS_OK;
}

static enum status copy_group(struct replication *replication, uint32_t *ref)
{
    const struct trace_group *group = &replication->trace->definitions.groups[*ref];
    for (uint32_t i = 0; i < group->count; i++) replication->members[i] = group->members[i] + replication->first;
    return trace_add_group(replication->made, replication->members, group->count, ref, replication->err);
}

static enum status copy_list(struct replication *replication, uint32_t *ref)
{
    const struct trace_list *list = &replication->trace->definitions.lists[*ref];
    return trace_add_list(replication->made, replication->trace->definitions.requests + list->first, list->count, ref,
                          replication->err);
}

/* The root of a collective call is that of all ranks. */
static bool has_root(enum call_kind kind)
{
    return kind == CALL_BCAST || kind == CALL_REDUCE || kind == CALL_GATHER || kind == CALL_SCATTER;
}

static enum status copy_call(struct replication *replication, const struct trace_call *recorded,
                             struct trace_call *call)
{
    enum call_kind kind = call_kind(recorded->call);
    *call = *recorded;
    call->flags &= (uint16_t)~TRACE_GAPS;
    if (call->peer != TRACE_NONE && !has_root(kind)) call->peer += replication->first;
    if (kind == CALL_SENDRECV && call->exchange.source != TRACE_NONE) call->exchange.source += replication->first;
    if (call->ref == TRACE_NO_REF) return STATUS_OK;
    if (kind == CALL_POST || kind == CALL_START) return copy_group(replication, &call->sync.group);
    if (kind == CALL_REQUEST_WAITALL) return copy_list(replication, &call->completion.list);
    return STATUS_OK;
}

static enum status copy_rank(struct replication *replication, uint32_t rank)
{
    const struct trace_rank *recorded = &replication->trace->ranks[rank];
    int64_t now_ps = 0;
    TRY(trace_set_memory(replication->made, (uint32_t)replication->first + rank, &replication->memory, rank, replication->err));
    for (size_t i = 0; i < recorded->count; i++) {
        int64_t computed_ps = observe_computed_ps(replication->trace, rank, i);
        int64_t slept_ps = trace_slept_ps(recorded, i, computed_ps);
        struct trace_call call;
        TRY(copy_call(replication, &recorded->calls[i], &call));
        call.enter_ps = now_ps += computed_ps;
        call.exit_ps = now_ps += recorded->calls[i].exit_ps - recorded->calls[i].enter_ps;
        uint32_t copy = (uint32_t)replication->first + rank;
        TRY(trace_add_call(replication->made, copy, &call, replication->err));
        const struct trace_extents extents = trace_call_extents(replication->trace, rank, i);
        TRY(trace_set_extents(replication->made, copy, i, &extents, replication->err));
        if (slept_ps > 0) TRY(trace_set_before(replication->made, copy, i, BEFORE_SLEPT, slept_ps, replication->err));
    }
    return STATUS_OK;
}

static enum status replicate_runs(struct replication *replication)
{
    uint32_t own = replication->trace->rank_count;
    TRY(trace_new("replicated", replication->ranks, &replication->made, replication->err));
    replication->members = malloc(replication->ranks * sizeof *replication->members);
    if (!replication->members) return err_memory(replication->err);
    TRY(add_definitions(replication));
    TRY(trace_find_memory(replication->trace, &replication->memory, replication->err));
    for (uint32_t first = 0; first < replication->ranks; first += own) {
        replication->first = (int32_t)first;
        for (uint32_t rank = 0; rank < own; rank++) TRY(copy_rank(replication, rank));
    }
    return trace_check(replication->made, replication->err);
}

static bool all_are_whole(const struct trace *trace)
{
    for (size_t i = 0; i < trace->definitions.comm_count; i++)
        if (trace->definitions.comms[i].count != trace->rank_count) return false;
    return true;
}

static enum status check_calls(const struct trace *trace, struct err *err)
{
    TRY(trace_check_one_thread(trace, "replication", err));
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        if (trace->ranks[rank].incomplete)
            return err_set(err, STATUS_DATA, trace->name, NULL, "rank %u is incomplete, expected a whole run", rank);
        for (size_t i = 0; i < trace->ranks[rank].count; i++)
            if (observe_has_sizes(&trace->ranks[rank].calls[i])) {
                char place[TRACE_PLACE_BYTES];
                return err_set(err, STATUS_DATA, trace->name, trace_place(trace, rank, i, place),
                               "sizes that are given per rank are not replicated");
            }
    }
    return STATUS_OK;
}

enum status scale_replicate(const struct trace *trace, uint32_t ranks, struct trace **made, struct err *err)
{
    if (ranks % trace->rank_count != 0)
        return err_set(err, STATUS_DATA, trace->name, NULL, "%u ranks are no multiple of its %u, which are replicated",
                       ranks, trace->rank_count);
    TRY(check_calls(trace, err));
    if (!all_are_whole(trace))
        return err_set(err, STATUS_DATA, trace->name, NULL,
                       "has communicators of some of its ranks, expected those of all ranks where it is replicated");
    struct replication replication = {.trace = trace, .ranks = ranks, .err = err};
    enum status status = replicate_runs(&replication);
    free(replication.members);
    trace_memory_clear(&replication.memory);
    if (status == STATUS_OK)
        *made = replication.made;
    else
        trace_free(replication.made);
    return status;
}
