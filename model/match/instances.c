#include "model/match/instances.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/faults.h"

/* Sequences: three of each window, then one of each communicator. */
enum { WINDOW_SEQUENCES = 3 };

static int window_sequence(enum call_kind kind)
{
    switch (kind) {
    case CALL_FENCE: return 0;
    case CALL_WIN_CREATE: return 1;
    case CALL_WIN_FREE: return 2;
    default: return -1;
    }
}

static size_t sequence_of(size_t window_count, enum call_kind kind, int32_t handle)
{
    int sequence = window_sequence(kind);
    if (sequence >= 0) return (size_t)handle * WINDOW_SEQUENCES + (size_t)sequence;
    if (call_arm(kind) == ARM_COLLECTIVE) return window_count * WINDOW_SEQUENCES + (size_t)handle;
    return INSTANCE_NONE;
}

void instances_clear(struct instances *instances)
{
    for (size_t s = 0; s < instances->sequence_count; s++) free(instances->sequences[s].items);
    FREE_ALL(instances->sequences, instances->items, instances->calls);
    memset(instances, 0, sizeof *instances);
}

static enum status add_instance(struct instances *instances, struct instance_sequence *sequence,
                                const struct trace_call *call, uint32_t size, struct err *err)
{
    struct instance made = {.kind = call_kind(call->call),
                            .handle = call->handle,
                            .size = size,
                            .member_first = instances->call_count};
    for (uint32_t i = 0; i < size; i++)
        ARRAY_PUSH(instances->calls, instances->call_count, instances->call_capacity, INSTANCE_NONE, err);
    ARRAY_PUSH(sequence->items, sequence->count, sequence->capacity, instances->count, err);
    ARRAY_PUSH(instances->items, instances->count, instances->capacity, made, err);
    return STATUS_OK;
}

/* next[s] counts the calls that this rank has made on sequence s. */
static enum status walk_rank(const struct trace *trace, enum call_kind only, uint32_t rank, struct instances *instances,
                             size_t *next, struct err *err)
{
    for (size_t i = 0; i < trace->ranks[rank].count; i++) {
        const struct trace_call *call = &trace->ranks[rank].calls[i];
        enum call_kind kind = call_kind(call->call);
        size_t s = sequence_of(trace->definitions.window_count, kind, call->handle);
        if (s == INSTANCE_NONE || (only == CALL_KIND_COUNT ? call_makes_request(call->call) : kind != only)) continue;
        struct instance_sequence *sequence = &instances->sequences[s];
        const struct trace_comm *comm = trace_call_comm(trace, call);
        if (next[s] == sequence->count) TRY(add_instance(instances, sequence, call, comm->count, err));
        struct instance *instance = &instances->items[sequence->items[next[s]++]];
        if (instance->kind != kind)
            return trace_fail(err, trace, rank, i, call,
                              "the collective call on communicator %d is of another kind on another rank, "
                              "expected the same order on all", call->handle);
        instances->calls[instance->member_first + (size_t)trace_comm_rank(comm, (int32_t)rank)] = i;
        if (!(call->flags & TRACE_BREAK)) instance->finished++;
    }
    return STATUS_OK;
}

static enum status build_instances(const struct trace *trace, enum call_kind only, struct instances *instances, size_t *next,
                                   struct err *err)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        memset(next, 0, instances->sequence_count * sizeof *next);
        TRY(walk_rank(trace, only, r, instances, next, err));
    }
    return STATUS_OK;
}

enum status instances_build(const struct trace *trace, struct instances *instances, struct err *err)
{
    return instances_build_of(trace, CALL_KIND_COUNT, instances, err);
}

enum status instances_build_of(const struct trace *trace, enum call_kind only, struct instances *instances, struct err *err)
{
    struct instances made = {.sequence_count =
                                 trace->definitions.window_count * WINDOW_SEQUENCES + trace->definitions.comm_count};
    size_t *next = calloc(made.sequence_count + 1, sizeof *next);
    made.sequences = calloc(made.sequence_count + 1, sizeof *made.sequences);
    enum status status = next && made.sequences ? build_instances(trace, only, &made, next, err) : err_memory(err);
    free(next);
    if (status != STATUS_OK) {
        if (!made.sequences) made.sequence_count = 0;
        instances_clear(&made);
        return status;
    }
    *instances = made;
    return STATUS_OK;
}

const struct instance *instance_find(const struct instances *instances, enum call_kind kind, int32_t window,
                                     size_t number)
{
    int place = window_sequence(kind);
    if (place < 0) return NULL;
    const struct instance_sequence *sequence = &instances->sequences[(size_t)window * WINDOW_SEQUENCES + (size_t)place];
    return number < sequence->count ? &instances->items[sequence->items[number]] : NULL;
}

const struct trace_comm *instance_comm(const struct trace *trace, const struct instance *instance)
{
    int32_t comm =
        window_sequence(instance->kind) >= 0 ? trace->definitions.windows[instance->handle].comm : instance->handle;
    return &trace->definitions.comms[comm];
}

const struct trace_call *instance_call(const struct trace *trace, const struct instances *instances,
                                       const struct instance *instance, uint32_t member)
{
    size_t call = instances->calls[instance->member_first + member];
    if (call == INSTANCE_NONE) return NULL;
    return &trace->ranks[instance_comm(trace, instance)->members[member]].calls[call];
}

bool instance_complete(const struct instance *instance)
{
    return instance->finished == instance->size;
}

bool instance_gives(const struct trace *trace, const struct trace_comm *comm, const struct trace_call *call, uint32_t giver,
                    uint32_t taker)
{
    enum call_kind kind = call_kind(call->call);
    if (comm->first_group > 0 && (giver < comm->first_group) == (taker < comm->first_group)) return false;
    if ((call_row(call->call)->needed & F_BYTES) && call->bytes == 0) return false;
    bool blocks = kind == CALL_ALLTOALLV || (kind == CALL_REDUCE_SCATTER && comm->first_group == 0);
    const int64_t *counts = blocks ? trace_call_counts(trace, call) : NULL;
    return !counts || counts[taker] > 0;
}
