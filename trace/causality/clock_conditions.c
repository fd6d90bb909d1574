#include "trace/causality/clock_conditions.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"
#include "trace/causality/happens_before.h"

ORDER(compare_keys, struct clock_key, UP(what) UP(handle) UP(from) UP(to) UP(tag))

static enum status add_pair(struct happens_before *relation, const struct clock_side *cause,
                            const struct clock_side *effect)
{
    size_t sync_group = relation->conditions->sync_groups++;
    relation->rank = cause->rank;
    relation->index = cause->index;
    TRY(happens_before_cause(relation, sync_group));
    relation->rank = effect->rank;
    relation->index = effect->index;
    return happens_before_effect(relation, sync_group);
}

/* Orders conditions by rank and index; conditions of one call by creation, which is the order of their sync groups. */
static enum status order_conditions(struct happens_before *relation, const size_t *first_calls,
                                    struct clock_condition **conditions, size_t count, size_t *capacity)
{
    size_t calls = first_calls[relation->trace->rank_count];
    /* Ends of those before: sorting takes time by the number of conditions. */
    size_t *ends = calloc(calls + 1, sizeof *ends);
    struct clock_condition *ordered = malloc((count + 1) * sizeof *ordered);
    if (!ends || !ordered) {
        FREE_ALL(ends, ordered);
        return err_memory(relation->err);
    }
    for (size_t i = 0; i < count; i++) ends[first_calls[(*conditions)[i].rank] + (*conditions)[i].index + 1]++;
    for (size_t i = 0; i < calls; i++) ends[i + 1] += ends[i];
    for (size_t i = 0; i < count; i++)
        ordered[ends[first_calls[(*conditions)[i].rank] + (*conditions)[i].index]++] = (*conditions)[i];
    FREE_ALL(ends, *conditions);
    *conditions = ordered;
    *capacity = count + 1;
    return STATUS_OK;
}

static enum status order_all_conditions(struct happens_before *relation)
{
    struct clock_conditions *conditions = relation->conditions;
    uint32_t ranks = relation->trace->rank_count;
    size_t *first_calls = calloc((size_t)ranks + 1, sizeof *first_calls);
    if (!first_calls) return err_memory(relation->err);
    for (uint32_t r = 0; r < ranks; r++) first_calls[r + 1] = first_calls[r] + relation->trace->ranks[r].count;
    enum status status = order_conditions(relation, first_calls, &conditions->causes, conditions->cause_count,
                                          &conditions->cause_capacity);
    if (status == STATUS_OK)
        status = order_conditions(relation, first_calls, &conditions->effects, conditions->effect_count,
                                  &conditions->effect_capacity);
    free(first_calls);
    return status;
}

struct pairs { /* where each key's causes and effects begin, in their orders */
    size_t *causes, *effects;
};

/* Joins messages and epochs whose effects end before their cause began. */
static uint64_t count_pairs(const struct happens_before *relation, const struct pairs *pairs)
{
    uint64_t violations = 0;
    for (size_t key = 0; key < relation->key_count; key++) {
        const struct clock_side *cause = relation->causes.items + pairs->causes[key];
        const struct clock_side *last = relation->causes.items + pairs->causes[key + 1];
        const struct clock_side *effect = relation->effects.items + pairs->effects[key];
        const struct clock_side *end = relation->effects.items + pairs->effects[key + 1];
        for (; cause < last && effect < end; cause++, effect++)
            violations += effect->applies && clock_call(relation, effect->rank, effect->index)->exit_ps <
                                                 clock_call(relation, cause->rank, cause->index)->enter_ps;
    }
    return violations;
}

/* Joins collectives, which are linked already. */
static enum status count_collectives(const struct happens_before *relation, uint64_t *violations)
{
    const struct clock_conditions *conditions = relation->conditions;
    int64_t *latest_ps = malloc((conditions->sync_groups + 1) * sizeof *latest_ps);
    if (!latest_ps) return err_memory(relation->err);
    for (size_t i = 0; i < conditions->sync_groups; i++) latest_ps[i] = INT64_MIN;
    for (size_t i = 0; i < conditions->cause_count; i++) {
        const struct clock_condition *cause = &conditions->causes[i];
        int64_t ps = clock_call(relation, cause->rank, cause->index)->enter_ps;
        if (ps > latest_ps[cause->sync_group]) latest_ps[cause->sync_group] = ps;
    }
    for (size_t i = 0; i < conditions->effect_count; i++) {
        const struct clock_condition *effect = &conditions->effects[i];
        *violations += clock_call(relation, effect->rank, effect->index)->exit_ps < latest_ps[effect->sync_group];
    }
    free(latest_ps);
    return STATUS_OK;
}

/* Counts violations first, since that is cheaper than making conditions, of which none may be needed. */
static enum status join_pairs(struct happens_before *relation, const struct pairs *pairs)
{
    uint64_t violations = count_pairs(relation, pairs);
    TRY(count_collectives(relation, &violations));
    relation->conditions->violations = violations;
    if (violations == 0) return STATUS_OK;
    if (relation->key_count > 0) qsort(relation->keys, relation->key_count, sizeof *relation->keys, compare_keys);
    for (size_t k = 0; k < relation->key_count; k++) { /* in the order of keys, since pairs are numbered by it */
        uint32_t key = relation->keys[k].number;
        size_t c = pairs->causes[key], e = pairs->effects[key];
        for (; c < pairs->causes[key + 1] && e < pairs->effects[key + 1]; c++, e++)
            if (relation->effects.items[e].applies)
                TRY(add_pair(relation, &relation->causes.items[c], &relation->effects.items[e]));
    }
    return order_all_conditions(relation);
}

static enum status join_sides(struct happens_before *relation)
{
    struct pairs pairs = {NULL, NULL};
    enum status status = happens_before_order(relation, &relation->causes, &pairs.causes);
    if (status == STATUS_OK) status = happens_before_order(relation, &relation->effects, &pairs.effects);
    if (status == STATUS_OK) status = join_pairs(relation, &pairs);
    FREE_ALL(pairs.causes, pairs.effects);
    return status;
}

enum status clock_conditions_find(const struct trace *trace, unsigned threads, struct clock_conditions *conditions,
                                  struct err *err)
{
    struct happens_before relation = {.trace = trace, .conditions = conditions, .err = err};
    bool none;
    TRY(clock_count(trace, threads, &none, err));
    if (none) return STATUS_OK;
    enum status status = happens_before_walk(&relation, 0, trace->rank_count);
    if (status == STATUS_OK) status = join_sides(&relation);
    happens_before_clear(&relation);
    return status;
}

void clock_conditions_clear(struct clock_conditions *conditions)
{
    FREE_ALL(conditions->causes, conditions->effects);
    *conditions = (struct clock_conditions){0};
}
