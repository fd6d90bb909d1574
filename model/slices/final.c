#include "model/slices/final.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/match/relations.h"

void settlement_clear(struct settlement *settlement)
{
    for (uint32_t r = 0; settlement->flags && r < settlement->rank_count; r++) free(settlement->flags[r]);
    free(settlement->flags);
    free(settlement->capacity);
    free(settlement->pairs_before);
    free(settlement->pairs_now);
    free(settlement->pairs_next);
    memset(settlement, 0, sizeof *settlement);
}

static enum status make_ranks(struct settlement *settlement, uint32_t rank_count, struct err *err)
{
    if (settlement->flags) return STATUS_OK;
    settlement->flags = calloc((size_t)rank_count + 1, sizeof *settlement->flags);
    settlement->capacity = calloc((size_t)rank_count + 1, sizeof *settlement->capacity);
    if (!settlement->flags || !settlement->capacity) return err_memory(err);
    settlement->rank_count = rank_count;
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

/* New windows have no fences counted. */
static enum status make_windows(struct settlement *settlement, size_t window_count, struct err *err)
{
    size_t before = settlement->window_count;
    if (before < window_count || !settlement->pairs_next) {
        TRY(more_numbers(&settlement->pairs_before, before, window_count, err));
        TRY(more_numbers(&settlement->pairs_now, before, window_count, err));
        TRY(more_numbers(&settlement->pairs_next, before, window_count, err));
        settlement->window_count = window_count;
    }
    memcpy(settlement->pairs_before, settlement->pairs_next, window_count * sizeof *settlement->pairs_before);
    for (size_t w = 0; settlement->last && w < window_count; w++) settlement->pairs_now[w] = SIZE_MAX;
    return STATUS_OK;
}

static enum status start(struct settlement *settlement, const struct trace *trace, struct err *err)
{
    TRY(make_ranks(settlement, trace->rank_count, err));
    TRY(make_windows(settlement, trace->window_count, err));
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *stream = &trace->ranks[r];
        TRY(array_reserve((void **)&settlement->flags[r], &settlement->capacity[r], stream->count + 1,
                          sizeof *settlement->flags[r], err));
        memset(settlement->flags[r], 0, stream->count * sizeof *settlement->flags[r]);
        for (size_t i = 0; i < stream->kept_count; i++)
            settlement->flags[r][i] = (uint16_t)(stream->kept[i].flags & SETTLE_LASTING);
    }
    return STATUS_OK;
}

static void settle_instances(struct settlement *settlement, const struct relations *relations)
{
    const struct instances *instances = &relations->instances;
    for (size_t i = 0; i < instances->count; i++) {
        const struct instance *instance = &instances->items[i];
        if (instance_complete(instance)) continue;
        const struct trace_comm *comm = instance_comm(relations->trace, instance);
        for (uint32_t m = 0; m < instance->size; m++) {
            size_t call = instances->calls[instance->member_first + m];
            if (call != INSTANCE_NONE) settle_mark(settlement, (uint32_t)comm->members[m], call, SETTLE_OPEN);
        }
    }
}

static bool is_region(const struct trace_call *call)
{
    return call_kind(call->call) == CALL_REGION_ENTER || call_kind(call->call) == CALL_REGION_LEAVE;
}

void settle_leave_times(struct trace_call *call)
{
    if (is_region(call)) return;
    *call = (struct trace_call){.enter_ps = call->enter_ps,
                                .exit_ps = call->exit_ps,
                                .disp = -1,
                                .handle = call->handle,
                                .peer = call->peer,
                                .ref = TRACE_NO_REF,
                                .site = call->site,
                                .call = ID_Pcontrol};
}

/* The last event and the last MPI call of each rank: the next ones are compared with them. */
static void settle_ends(struct settlement *settlement, const struct trace *trace)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *stream = &trace->ranks[r];
        size_t i = stream->count;
        if (stream->foreign) continue;
        if (i > 0) settle_mark(settlement, r, i - 1, SETTLE_TIMES);
        while (i > 0 && is_region(&stream->calls[i - 1])) i--;
        if (i == 0) continue;
        bool sends = call_kind(stream->calls[i - 1].call) == CALL_SEND;
        settle_mark(settlement, r, i - 1, sends ? SETTLE_HOLD : SETTLE_TIMES);
    }
}

/* Messages that other parts have not been told of stay for that, both sides. */
static void settle_unsent(struct settlement *settlement, const struct trace *trace, const uint64_t *unsent)
{
    for (uint32_t r = 0; unsent && r < trace->rank_count; r++) {
        const struct trace_rank *stream = &trace->ranks[r];
        uint64_t end = stream->first_event + (stream->count - stream->kept_count);
        for (size_t i = 0; !stream->foreign && unsent[r] < end && i < stream->count; i++) {
            enum call_kind kind = call_kind(stream->calls[i].call);
            if (kind >= CALL_SEND && kind <= CALL_IPROBE && trace_event(trace, r, i) > unsent[r])
                settle_mark(settlement, r, i, SETTLE_HOLD);
        }
    }
}

enum status settle(struct settlement *settlement, const struct relations *relations, struct settle_horizon horizon,
                   bool last, struct err *err)
{
    settlement->last = last;
    TRY(start(settlement, relations->trace, err));
    if (last) return STATUS_OK;
    settle_ends(settlement, relations->trace);
    settle_unsent(settlement, relations->trace, horizon.unsent);
    settle_instances(settlement, relations);
    TRY(settle_epochs(settlement, relations, err));
    TRY(settle_fences(settlement, relations, err));
    TRY(settle_locks(settlement, relations, horizon.time_ps, err));
    TRY(settle_shmem(settlement, relations, horizon.time_ps, err));
    return settle_messages(settlement, relations, horizon.eager_bytes, err);
}
