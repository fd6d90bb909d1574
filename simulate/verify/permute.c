#include "simulate/verify/permute.h"

#include <stdio.h>
#include <stdlib.h>

#include "simulate/windows/window_modes.h"

/* Definitions are added from the last to the first, so that id i of n becomes n - 1 - i. The world and the unknown site
 * keep 0. */
static uint32_t reversed_id(size_t id, size_t count)
{
    return (uint32_t)(count - 1 - id);
}

static uint32_t reversed_but_first(size_t id, size_t count)
{
    return (uint32_t)(id == 0 ? 0 : count - id);
}

static enum status add_definitions(const struct trace *from, struct trace *to, struct err *err)
{
    const struct trace_definitions *tables = &from->definitions;
    int32_t handle;
    uint32_t id;
    for (size_t i = tables->comm_count; i-- > 1;) {
        TRY(trace_add_comm(to, tables->comms[i].members, tables->comms[i].count, &handle, err));
        to->definitions.comms[handle].first_group = tables->comms[i].first_group;
    }
    for (size_t i = tables->group_count; i-- > 0;)
        TRY(trace_copy_group(to, &tables->groups[i], &id, err));
    for (size_t i = tables->window_count; i-- > 0;) {
        const struct trace_window *window = &tables->windows[i];
        int32_t comm = (int32_t)reversed_but_first((size_t)window->comm, tables->comm_count);
        TRY(trace_add_window(to, comm, window->bytes, window->disp_unit, window->flavor, &handle, err));
        if (window->name) TRY(trace_set_window_name(to, handle, window->name, err));
    }
    for (size_t i = tables->list_count; i-- > 0;)
        TRY(trace_add_list(to, tables->requests + tables->lists[i].first, tables->lists[i].count, &id, err));
    for (size_t i = tables->counts_count; i-- > 0;)
        TRY(trace_add_counts(to, tables->counts[i].bytes, tables->counts[i].count, &id, err));
    for (size_t i = tables->region_count; i-- > 0;) TRY(trace_add_region(to, tables->regions[i], &id, err));
    for (size_t i = tables->site_count; i-- > 1;)
        TRY(trace_add_site(to, tables->sites[i].function, tables->sites[i].file, tables->sites[i].line, &id, err));
    return STATUS_OK;
}

static uint32_t map_ref(const struct trace *trace, const struct trace_call *call)
{
    const struct trace_definitions *tables = &trace->definitions;
    if (call->ref == TRACE_NO_REF) return TRACE_NO_REF;
    uint32_t fields = call_row(call->call)->allowed;
    if (fields & F_GROUP) return reversed_id(call->ref, tables->group_count);
    if (fields & F_REQS) return reversed_id(call->ref, tables->list_count);
    if (fields & F_REGION) return reversed_id(call->ref, tables->region_count);
    if (fields & F_NEWCOMM) return reversed_but_first(call->ref, tables->comm_count);
    return call->ref;
}

static enum status add_as(struct trace *to, uint32_t rank, const struct trace *from, size_t index,
                          const struct trace_call *call, struct err *err)
{
    const struct trace_rank *process = &from->ranks[rank];
    if (process->thread_count == 0)
        TRY(trace_add_call(to, rank, call, err));
    else
        TRY(trace_add_thread_call(to, rank, trace_call_thread(from, rank, index), call, err));
    struct trace_extents extents = trace_call_extents(from, rank, index);
    TRY(trace_set_extents(to, rank, index, &extents, err));
    for (int b = 0; b < BEFORE_COUNT; b++)
        if (process->before_ps[b])
            TRY(trace_set_before(to, rank, index, (enum trace_before)b, process->before_ps[b][index], err));
    return process->compute_ps ? trace_set_compute(to, rank, index, process->compute_ps[index], err) : STATUS_OK;
}

static enum status add_calls(const struct trace *from, struct trace *to, struct err *err)
{
    const struct trace_definitions *tables = &from->definitions;
    for (uint32_t r = 0; r < from->rank_count; r++) {
        for (size_t i = 0; i < from->ranks[r].count; i++) {
            struct trace_call call = from->ranks[r].calls[i];
            if (call.handle != TRACE_NONE) {
                bool window = (call_row(call.call)->allowed & F_WIN) != 0;
                call.handle = (int32_t)(window ? reversed_id((size_t)call.handle, tables->window_count)
                                               : reversed_but_first((size_t)call.handle, tables->comm_count));
            }
            call.ref = map_ref(from, &call);
            if ((call_row(call.call)->allowed & F_NEIGHBORS) && call.collective.neighbors >= 0)
                call.collective.neighbors =
                    (int32_t)reversed_id((size_t)call.collective.neighbors, tables->counts_count);
            if (trace_call_counts(from, &from->ranks[r].calls[i]))
                call.collective.counts = reversed_id((size_t)call.collective.counts, tables->counts_count);
            call.site = reversed_but_first(call.site, tables->site_count);
            TRY(add_as(to, r, from, i, &call, err));
            struct trace_rank *process = &to->ranks[r];
            if (process->sim && from->ranks[r].sim) process->sim[process->count - 1] = from->ranks[r].sim[i];
        }
        to->ranks[r].incomplete = from->ranks[r].incomplete;
        to->ranks[r].thread_count = from->ranks[r].thread_count; /* some threads may have no calls */
        trace_copy_pace(&to->ranks[r], &from->ranks[r]);
        if (from->ranks[r].node > 0) TRY(trace_set_node(to, r, trace_node_name(from, r), err));
    }
    return STATUS_OK;
}

enum status verify_permute(const struct trace *trace, struct trace **permuted, struct err *err)
{
    struct trace *made = NULL;
    TRY(trace_new(trace->name, trace->rank_count, &made, err));
    made->provenance.simulated = trace->provenance.simulated;
    made->provenance.record_cost_ps = trace->provenance.record_cost_ps;
    enum status status = add_definitions(trace, made, err);
    if (status == STATUS_OK) status = add_calls(trace, made, err);
    GIVE(status, *permuted = made, trace_free(made));
}

enum status verify_permute_rules(const struct trace *trace, const struct platform *platform, struct platform *permuted,
                                 struct err *err)
{
    enum { NUMBER_BYTES = 24 };
    size_t count = platform->window_rule_count, window;
    *permuted = *platform;
    struct window_rule *rules = malloc((count + 1) * (sizeof *rules + NUMBER_BYTES));
    if (!rules) return err_memory(err);
    char *numbers = (char *)(rules + count + 1);
    for (size_t i = 0; i < count; i++, numbers += NUMBER_BYTES) {
        rules[i] = platform->window_rules[i];
        if (!window_modes_number(rules[i].window, &window) || window >= trace->definitions.window_count) continue;
        snprintf(numbers, NUMBER_BYTES, "%u", reversed_id(window, trace->definitions.window_count));
        rules[i].window = numbers;
    }
    permuted->window_rules = rules;
    return STATUS_OK;
}
