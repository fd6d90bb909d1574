#include "model/slices/final.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/match/relations.h"

void slice_state_clear(struct slice_state *state)
{
    for (uint32_t r = 0; state->flags && r < state->rank_count; r++) free(state->flags[r]);
    FREE_ALL(state->flags, state->capacity, state->pairs_before, state->pairs_now, state->pairs_next);
    memset(state, 0, sizeof *state);
}

static enum status make_ranks(struct slice_state *state, uint32_t rank_count, struct err *err)
{
    if (state->flags) return STATUS_OK;
    state->flags = calloc((size_t)rank_count + 1, sizeof *state->flags);
    state->capacity = calloc((size_t)rank_count + 1, sizeof *state->capacity);
    if (!state->flags || !state->capacity) return err_memory(err);
    state->rank_count = rank_count;
    return STATUS_OK;
}

static enum status more_numbers(size_t **numbers, size_t before, size_t count, struct err *err)
{
    size_t *made = realloc(*numbers, (count + 1) * sizeof *made);
    if (!made) return err_memory(err);
    *numbers = made;
    memset(made + before, 0, (count + 1 - before) * sizeof *made);
    return STATUS_OK;
}

/* Adds windows that the trace has defined since the last round; none of their fences has been counted. */
static enum status make_windows(struct slice_state *state, size_t window_count, struct err *err)
{
    size_t before = state->window_count;
    if (before < window_count || !state->pairs_next) {
        TRY(more_numbers(&state->pairs_before, before, window_count, err));
        TRY(more_numbers(&state->pairs_now, before, window_count, err));
        TRY(more_numbers(&state->pairs_next, before, window_count, err));
        state->window_count = window_count;
    }
    memcpy(state->pairs_before, state->pairs_next, window_count * sizeof *state->pairs_before);
    for (size_t w = 0; state->last && w < window_count; w++) state->pairs_now[w] = SIZE_MAX;
    return STATUS_OK;
}

static enum status start_round(struct slice_state *state, const struct trace *trace, struct err *err)
{
    TRY(make_ranks(state, trace->rank_count, err));
    TRY(make_windows(state, trace->definitions.window_count, err));
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *rank = &trace->ranks[r];
        TRY(array_reserve((void **)&state->flags[r], &state->capacity[r], rank->count + 1, sizeof *state->flags[r],
                          err));
        memset(state->flags[r], 0, rank->count * sizeof *state->flags[r]);
        for (size_t i = 0; i < rank->kept_count; i++)
            state->flags[r][i] = (uint16_t)(rank->kept[i].flags & SLICE_LASTING);
    }
    return STATUS_OK;
}

static void mark_final_instances(struct slice_state *state, const struct relations *relations)
{
    const struct instances *instances = &relations->instances;
    for (size_t i = 0; i < instances->count; i++) {
        const struct instance *instance = &instances->items[i];
        if (instance_complete(instance)) continue;
        const struct trace_comm *comm = instance_comm(relations->trace, instance);
        for (uint32_t m = 0; m < instance->size; m++) {
            size_t call = instances->calls[instance->member_first + m];
            if (call != INSTANCE_NONE) slice_state_mark(state, (uint32_t)comm->members[m], call, SLICE_OPEN);
        }
    }
}

void slice_leave_times(struct trace_call *call)
{
    if (call_is_region(call->call)) return;
    *call = (struct trace_call){.enter_ps = call->enter_ps,
                                .exit_ps = call->exit_ps,
                                .any = TRACE_NO_MEMBERS,
                                .handle = call->handle,
                                .peer = call->peer,
                                .site = call->site,
                                .call = ID_none};
}

/* Keeps the last event and the last MPI call of each rank, since the next calls are compared with them. */
static void final_ends(struct slice_state *state, const struct trace *trace)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *rank = &trace->ranks[r];
        size_t i = rank->count;
        if (i > 0) slice_state_mark(state, r, i - 1, SLICE_TIMES);
        while (i > 0 && call_is_region(rank->calls[i - 1].call)) i--;
        if (i == 0) continue;
        bool sends = call_kind(rank->calls[i - 1].call) == CALL_SEND;
        slice_state_mark(state, r, i - 1, sends ? SLICE_HOLD : SLICE_TIMES);
    }
}

enum status mark_final(struct slice_state *state, const struct relations *relations, struct slice_limits limits,
                       bool last, struct err *err)
{
    state->last = last;
    TRY(start_round(state, relations->trace, err));
    if (last) return STATUS_OK;
    final_ends(state, relations->trace);
    mark_final_instances(state, relations);
    TRY(mark_final_epochs(state, relations, limits.time_ps, err));
    TRY(mark_final_fences(state, relations, err));
    TRY(mark_final_locks(state, relations, limits.time_ps, err));
    TRY(mark_final_shmem(state, relations, limits.time_ps, err));
    return mark_final_messages(state, relations, limits.eager_bytes, err);
}

enum status mark_final_alone(struct slice_state *state, const struct relations *relations, int64_t eager_bytes, bool last,
                             struct err *err)
{
    state->last = last;
    TRY(start_round(state, relations->trace, err));
    if (last) return STATUS_OK;
    final_ends(state, relations->trace);
    return mark_final_messages(state, relations, eager_bytes, err);
}
