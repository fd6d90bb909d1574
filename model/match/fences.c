#include "model/match/fences.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"

/* Two members that need each other at a fence; a < b. */
struct need {
    size_t instance;
    uint32_t a, b;
};

struct needs {
    struct need *items;
    size_t count, capacity;
    size_t *first; /* per instance and one more: where its needs begin */
    bool *used;    /* per instance: some rank has an operation in the epoch that the instance closes */
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

static enum status add_need(const struct relations *relations, const struct epoch_operation *operation, int32_t window,
                            size_t number, struct needs *needs, struct err *err)
{
    const struct instance *instance = instance_find(&relations->instances, CALL_FENCE, window, number);
    if (!instance) return STATUS_OK;
    const struct trace_comm *comm = instance_comm(relations->trace, instance);
    int32_t target = relations_call(relations, operation->origin, operation->call)->peer;
    uint32_t a = (uint32_t)trace_comm_rank(comm, (int32_t)operation->origin);
    uint32_t b = (uint32_t)trace_comm_rank(comm, target);
    struct need made = {(size_t)(instance - relations->instances.items), a < b ? a : b, a < b ? b : a};
    if (a != b) ARRAY_PUSH(needs->items, needs->count, needs->capacity, made, err);
    return STATUS_OK;
}

ORDER(compare_needs, struct need, UP(a) UP(b))

/* By instance. */
static enum status group_needs(struct needs *needs, size_t instances, struct err *err)
{
    struct need *grouped = malloc((needs->count + 1) * sizeof *grouped);
    needs->first = calloc(instances + 2, sizeof *needs->first);
    if (!grouped || !needs->first) {
        free(grouped);
        return err_memory(err);
    }
    size_t *next = needs->first + 1; /* while needs are placed: where the next one of an instance goes */
    for (size_t i = 0; i < needs->count; i++) next[needs->items[i].instance + 1]++;
    for (size_t i = 0; i < instances; i++) next[i + 1] += next[i];
    for (size_t i = 0; i < needs->count; i++) grouped[next[needs->items[i].instance]++] = needs->items[i];
    free(needs->items);
    needs->items = grouped;
    return STATUS_OK;
}

/* The fences before and after the operations between two ranks. */
static enum status collect_needs(const struct relations *relations, struct needs *needs, struct err *err)
{
    const struct epochs *epochs = &relations->epochs;
    needs->used = calloc(relations->instances.count + 1, sizeof *needs->used);
    if (!needs->used) return err_memory(err);
    for (size_t i = 0; i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        const struct access_epoch *epoch = &epochs->accesses[operation->epoch];
        if (epoch->kind != EPOCH_FENCE) continue;
        TRY(add_need(relations, operation, epoch->window, epoch->open_number, needs, err));
        if (epoch->close_call == EPOCH_NONE) continue;
        TRY(add_need(relations, operation, epoch->window, epoch->close_number, needs, err));
        const struct instance *closing =
            instance_find(&relations->instances, CALL_FENCE, epoch->window, epoch->close_number);
        if (closing) needs->used[closing - relations->instances.items] = true;
    }
    return group_needs(needs, relations->instances.count, err);
}

/* Sorts the needs of one instance and leaves each pair once. Returns the number of pairs. */
static size_t sort_needs(struct need *needs, size_t count)
{
    size_t kept = 0;
    if (count > 1) qsort(needs, count, sizeof *needs, compare_needs);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || compare_needs(&needs[i - 1], &needs[i]) != 0) needs[kept++] = needs[i];
    return kept;
}

static int64_t cut_wait(const struct trace_call *call, int64_t until_ps)
{
    int64_t end_ps = call->exit_ps < until_ps ? call->exit_ps : until_ps;
    return end_ps > call->enter_ps ? end_ps - call->enter_ps : 0;
}

/* needed_ps[m]: latest enter of the members that m needs. */
static void count_instance(const struct relations *relations, const struct instance *instance, const struct need *needs,
                           size_t count, int64_t *needed_ps, struct fence_pairs *pairs)
{
    const struct instances *instances = &relations->instances;
    const uint64_t all = (uint64_t)instance->size * (instance->size - 1) / 2;
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
    pairs->pairs += all;
    pairs->unneeded += all - count;
    for (uint32_t m = 0; m < instance->size; m++) {
        const struct trace_call *call = instance_call(relations->trace, instances, instance, m);
        pairs->saved_ps += cut_wait(call, last_ps) - cut_wait(call, needed_ps[m]);
    }
}

static void count_empty(const struct relations *relations, const struct instance *instance, struct fence_pairs *pairs)
{
    int64_t last_ps = INT64_MIN;
    for (uint32_t m = 0; m < instance->size; m++) {
        const struct trace_call *call = instance_call(relations->trace, &relations->instances, instance, m);
        if (call->flags & TRACE_NOPRECEDE) return;
        if (call->enter_ps > last_ps) last_ps = call->enter_ps;
    }
    pairs->empty++;
    for (uint32_t m = 0; m < instance->size; m++)
        pairs->empty_ps += cut_wait(instance_call(relations->trace, &relations->instances, instance, m), last_ps);
}

/* Whether a fence of a slice is final in this round (model/slices/final.h). */
static bool counts_fence(const struct relations *relations, int32_t window, size_t number)
{
    const struct slice_state *state = relations->state;
    return !state || (number >= state->pairs_before[window] && number < state->pairs_now[window]);
}

enum status fence_pairs_count(const struct relations *relations, struct fence_pairs *pairs, struct err *err)
{
    struct needs needs = {0};
    int64_t *needed_ps = malloc((relations->trace->rank_count + 1) * sizeof *needed_ps);
    size_t *numbers = calloc(relations->trace->definitions.window_count + 1, sizeof *numbers);
    enum status status = needed_ps && numbers ? collect_needs(relations, &needs, err) : err_memory(err);
    if (status == STATUS_OK) {
        /* needed_ps is per rank, numbers per window. */
        for (size_t i = 0; i < relations->instances.count; i++) {
            const struct instance *instance = &relations->instances.items[i];
            if (instance->kind != CALL_FENCE || !counts_fence(relations, instance->handle, numbers[instance->handle]++)) continue;
            if (!fence_synchronises(relations, instance)) continue;
            struct need *of = needs.items + needs.first[i];
            size_t count = sort_needs(of, needs.first[i + 1] - needs.first[i]);
            count_instance(relations, instance, of, count, needed_ps, pairs);
            if (!needs.used[i]) count_empty(relations, instance, pairs);
        }
    }
    FREE_ALL(needs.first, needs.items, needs.used, needed_ps, numbers);
    return status;
}
