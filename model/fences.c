#include "model/fences.h"

#include <stdlib.h>

#include "common/array.h"

/* Two members that need each other at a fence; a < b. */
struct need {
    size_t instance;
    uint32_t a, b;
};

struct needs {
    struct need *items;
    size_t count, capacity;
    struct map fences; /* (rank, call) of a fence to its instance */
};

bool fence_synchronises(const struct relations *relations, const struct instance *instance)
{
    int64_t last_enter_ps = INT64_MIN, first_exit_ps = INT64_MAX;
    if (!instance_complete(instance)) return false;
    for (uint32_t m = 0; m < instance->size; m++) {
        const struct trace_call *call = instance_call(relations->trace, &relations->instances, instance, m);
        if (call->enter_ps > last_enter_ps) last_enter_ps = call->enter_ps;
        if (call->exit_ps < first_exit_ps) first_exit_ps = call->exit_ps;
    }
    return first_exit_ps >= last_enter_ps;
}

static uint64_t call_key(uint32_t rank, size_t call)
{
    return (uint64_t)rank << 40 | call;
}

static enum status index_fences(const struct relations *relations, struct needs *needs, struct err *err)
{
    const struct instances *instances = &relations->instances;
    for (size_t i = 0; i < instances->count; i++) {
        const struct instance *instance = &instances->items[i];
        const struct trace_comm *comm = instance_comm(relations->trace, instance);
        for (uint32_t m = 0; instance->kind == CALL_FENCE && m < instance->size; m++) {
            uint64_t *slot;
            size_t call = instances->calls[instance->member_first + m];
            if (call != INSTANCE_NONE)
                TRY(map_put(&needs->fences, call_key((uint32_t)comm->members[m], call), i, &slot, err));
        }
    }
    return STATUS_OK;
}

static enum status add_need(const struct relations *relations, const struct epoch_operation *operation,
                            size_t fence_call, struct needs *needs, struct err *err)
{
    const uint64_t *instance = map_find(&needs->fences, call_key(operation->origin, fence_call));
    if (!instance) return STATUS_OK;
    const struct trace_comm *comm = instance_comm(relations->trace, &relations->instances.items[*instance]);
    int32_t target = relations_call(relations, operation->origin, operation->call)->peer;
    uint32_t a = (uint32_t)trace_comm_rank(comm, (int32_t)operation->origin);
    uint32_t b = (uint32_t)trace_comm_rank(comm, target);
    struct need made = {(size_t)*instance, a < b ? a : b, a < b ? b : a};
    if (a != b) ARRAY_PUSH(needs->items, needs->count, needs->capacity, made, err);
    return STATUS_OK;
}

static int compare_needs(const void *one, const void *other)
{
    const struct need *a = one, *b = other;
    if (a->instance != b->instance) return a->instance > b->instance ? 1 : -1;
    if (a->a != b->a) return a->a > b->a ? 1 : -1;
    return (a->b > b->b) - (a->b < b->b);
}

/* The fences before and after the operations between two ranks. */
static enum status collect_needs(const struct relations *relations, struct needs *needs, struct err *err)
{
    const struct epochs *epochs = &relations->epochs;
    TRY(index_fences(relations, needs, err));
    for (size_t i = 0; i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        const struct access_epoch *epoch = &epochs->accesses[operation->epoch];
        if (epoch->kind != EPOCH_FENCE) continue;
        TRY(add_need(relations, operation, epoch->open_call, needs, err));
        if (epoch->close_call != EPOCH_NONE) TRY(add_need(relations, operation, epoch->close_call, needs, err));
    }
    if (needs->count > 1) qsort(needs->items, needs->count, sizeof *needs->items, compare_needs);
    size_t kept = 0;
    for (size_t i = 0; i < needs->count; i++)
        if (i == 0 || compare_needs(&needs->items[i - 1], &needs->items[i]) != 0)
            needs->items[kept++] = needs->items[i];
    needs->count = kept;
    return STATUS_OK;
}

static int64_t cut(const struct trace_call *call, int64_t until_ps)
{
    int64_t end_ps = call->exit_ps < until_ps ? call->exit_ps : until_ps;
    return end_ps > call->enter_ps ? end_ps - call->enter_ps : 0;
}

/* Each part counts of the members that it has: what a fence costs them, and the pairs of which they are the first. */
static void count_pairs(const struct relations *relations, const struct instance *instance, const struct need *needs,
                        size_t count, struct fence_pairs *pairs)
{
    const struct trace_comm *comm = instance_comm(relations->trace, instance);
    for (uint32_t m = 0; m < instance->size; m++) {
        if (relations->trace->ranks[comm->members[m]].foreign) continue;
        pairs->pairs += instance->size - 1 - m;
        pairs->unneeded += instance->size - 1 - m;
    }
    for (size_t i = 0; i < count; i++)
        if (!relations->trace->ranks[comm->members[needs[i].a]].foreign) pairs->unneeded--;
}

/* needed_ps[m]: latest enter of the members that m needs. */
static void count_instance(const struct relations *relations, const struct instance *instance, const struct need *needs,
                           size_t count, int64_t *needed_ps, struct fence_pairs *pairs)
{
    const struct instances *instances = &relations->instances;
    const struct trace_comm *comm = instance_comm(relations->trace, instance);
    int64_t last_ps = INT64_MIN;
    for (uint32_t m = 0; m < instance->size; m++) {
        int64_t enter_ps = instance_call(relations->trace, instances, instance, m)->enter_ps;
        needed_ps[m] = INT64_MIN;
        if (enter_ps > last_ps) last_ps = enter_ps;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t a_ps = instance_call(relations->trace, instances, instance, needs[i].a)->enter_ps;
        int64_t b_ps = instance_call(relations->trace, instances, instance, needs[i].b)->enter_ps;
        if (b_ps > needed_ps[needs[i].a]) needed_ps[needs[i].a] = b_ps;
        if (a_ps > needed_ps[needs[i].b]) needed_ps[needs[i].b] = a_ps;
    }
    count_pairs(relations, instance, needs, count, pairs);
    for (uint32_t m = 0; m < instance->size; m++) {
        if (relations->trace->ranks[comm->members[m]].foreign) continue;
        const struct trace_call *call = instance_call(relations->trace, instances, instance, m);
        pairs->saved_ps += cut(call, last_ps) - cut(call, needed_ps[m]);
    }
}

/* Of the fences of a slice those that are settled for it now (model/settle.h). */
static bool counts(const struct relations *relations, int32_t window, size_t number)
{
    const struct settlement *settlement = relations->settlement;
    return !settlement || (number >= settlement->pairs_before[window] && number < settlement->pairs_now[window]);
}

/* needed_ps: per rank, numbers: per window, both for use in here. */
static void count_all(const struct relations *relations, const struct needs *needs, int64_t *needed_ps, size_t *numbers,
                      struct fence_pairs *pairs)
{
    size_t first = 0;
    for (size_t i = 0; i < relations->instances.count; i++) {
        const struct instance *instance = &relations->instances.items[i];
        while (first < needs->count && needs->items[first].instance < i) first++;
        size_t end = first;
        while (end < needs->count && needs->items[end].instance == i) end++;
        if (instance->kind != CALL_FENCE || !counts(relations, instance->handle, numbers[instance->handle]++)) continue;
        if (fence_synchronises(relations, instance))
            count_instance(relations, instance, needs->items + first, end - first, needed_ps, pairs);
    }
}

enum status fence_pairs_count(const struct relations *relations, struct fence_pairs *pairs, struct err *err)
{
    struct needs needs = {0};
    int64_t *needed_ps = malloc((relations->trace->rank_count + 1) * sizeof *needed_ps);
    size_t *numbers = calloc(relations->trace->window_count + 1, sizeof *numbers);
    enum status status = needed_ps && numbers ? collect_needs(relations, &needs, err) : err_memory(err);
    if (status == STATUS_OK) count_all(relations, &needs, needed_ps, numbers, pairs);
    map_clear(&needs.fences);
    free(needs.items);
    free(needed_ps);
    free(numbers);
    return status;
}
