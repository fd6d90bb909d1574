/* Counts effects before their causes on several threads. Most traces have none, and then no sync groups are built. Each
 * thread walks blocks of ranks. A key's causes are in the block of their rank, its effects in the block of theirs. */
#include <stdlib.h>

#include "trace/causality/happens_before.h"
#include "common/array.h"
#include "common/parallel.h"

struct block {
    uint32_t first, end; /* ranks */
    struct happens_before relation;
    struct clock_conditions conditions; /* of its collectives */
    size_t *causes, *effects; /* where each key's begin */
    size_t *sync_groups;      /* of all blocks, by its own sync groups */
    bool violated;
};

struct counting {
    const struct trace *trace;
    struct block *blocks;
    size_t count;
    uint32_t *block_of; /* rank */
    int64_t *latest_ps; /* causes of each sync_group */
    size_t sync_groups;
};

static enum status walk_block(void *context, size_t number, struct err *err)
{
    const struct counting *counting = context;
    struct block *block = &counting->blocks[number];
    struct happens_before *relation = &block->relation;
    relation->trace = counting->trace;
    relation->conditions = &block->conditions;
    relation->err = err;
    TRY(happens_before_walk(relation, block->first, block->end));
    TRY(happens_before_order(relation, &relation->causes, &block->causes));
    return happens_before_order(relation, &relation->effects, &block->effects);
}

/* The sync groups of all blocks: those of the same collective call are one. */
static enum status number_sync_groups(struct counting *counting, struct block *block, struct map *known,
                                      struct err *err)
{
    const struct map *instances = &block->relation.instances;
    block->sync_groups = calloc(block->conditions.sync_groups + 1, sizeof *block->sync_groups);
    if (!block->sync_groups) return err_memory(err);
    for (size_t i = 0; i < instances->capacity; i++) {
        if (!instances->used[i]) continue;
        size_t own = (size_t)instances->values[i], two = clock_instance_is_double(counting->trace, instances->keys[i]);
        uint64_t *sync_group;
        TRY(map_put(known, instances->keys[i], counting->sync_groups, &sync_group, err));
        if (*sync_group == counting->sync_groups) counting->sync_groups += 1 + two;
        block->sync_groups[own] = (size_t)*sync_group;
        if (two) block->sync_groups[own + 1] = (size_t)*sync_group + 1;
    }
    return STATUS_OK;
}

static void find_latest(const struct counting *counting, const struct block *block)
{
    for (size_t i = 0; i < block->conditions.cause_count; i++) {
        const struct clock_condition *cause = &block->conditions.causes[i];
        int64_t *latest_ps = &counting->latest_ps[block->sync_groups[cause->sync_group]];
        int64_t ps = clock_call(&block->relation, cause->rank, cause->index)->enter_ps;
        if (ps > *latest_ps) *latest_ps = ps;
    }
}

static enum status join_sync_groups(struct counting *counting, struct err *err)
{
    struct map known = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < counting->count; i++)
        status = number_sync_groups(counting, &counting->blocks[i], &known, err);
    map_clear(&known);
    TRY(status);
    counting->latest_ps = malloc((counting->sync_groups + 1) * sizeof *counting->latest_ps);
    if (!counting->latest_ps) return err_memory(err);
    for (size_t i = 0; i < counting->sync_groups; i++) counting->latest_ps[i] = INT64_MIN;
    for (size_t i = 0; i < counting->count; i++) find_latest(counting, &counting->blocks[i]);
    return STATUS_OK;
}

static bool is_key_violated(const struct block *from, uint32_t number, const struct block *to, uint32_t other)
{
    const struct clock_side *cause = from->relation.causes.items + from->causes[number];
    const struct clock_side *last = from->relation.causes.items + from->causes[number + 1];
    const struct clock_side *effect = to->relation.effects.items + to->effects[other];
    const struct clock_side *end = to->relation.effects.items + to->effects[other + 1];
    for (; cause < last && effect < end; cause++, effect++)
        if (effect->applies && clock_call(&to->relation, effect->rank, effect->index)->exit_ps <
                                   clock_call(&from->relation, cause->rank, cause->index)->enter_ps)
            return true;
    return false;
}

static bool is_collective_violated(const struct counting *counting, const struct block *block)
{
    for (size_t i = 0; i < block->conditions.effect_count; i++) {
        const struct clock_condition *effect = &block->conditions.effects[i];
        if (clock_call(&block->relation, effect->rank, effect->index)->exit_ps <
            counting->latest_ps[block->sync_groups[effect->sync_group]])
            return true;
    }
    return false;
}

static enum status check_block(void *context, size_t number, struct err *err)
{
    const struct counting *counting = context;
    struct block *from = &counting->blocks[number];
    (void)err;
    from->violated = is_collective_violated(counting, from);
    for (uint32_t i = 0; !from->violated && i < from->relation.key_count; i++) {
        if (from->causes[i] == from->causes[i + 1]) continue;
        const struct clock_key *key = &from->relation.keys[i];
        const struct block *to = &counting->blocks[counting->block_of[key->to]];
        uint32_t other;
        if (happens_before_key(&to->relation, key, &other)) from->violated = is_key_violated(from, i, to, other);
    }
    return STATUS_OK;
}

/* Blocks of about as many calls each. */
static void divide_ranks(const struct counting *counting, uint64_t calls)
{
    uint64_t before = 0;
    uint32_t rank = 0, ranks = counting->trace->rank_count;
    for (size_t i = 0; i < counting->count; i++) {
        struct block *block = &counting->blocks[i];
        bool last = i + 1 == counting->count;
        block->first = rank;
        while (rank < ranks && (last || before < calls * (i + 1) / counting->count)) {
            counting->block_of[rank] = (uint32_t)i;
            before += counting->trace->ranks[rank++].count;
        }
        block->end = rank;
    }
}

enum status clock_count(const struct trace *trace, unsigned threads, bool *none, struct err *err)
{
    enum { THREAD_CALLS = 1 << 16, BLOCKS = 2 };
    uint64_t calls = 0;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) calls += trace->ranks[rank].count;
    if (threads == 0) threads = parallel_threads(calls, THREAD_CALLS);
    *none = false;
    if (threads == 1) return STATUS_OK;
    struct counting counting = {.trace = trace, .count = (size_t)threads * BLOCKS};
    counting.blocks = calloc(counting.count, sizeof *counting.blocks);
    counting.block_of = calloc(trace->rank_count, sizeof *counting.block_of);
    enum status status = counting.blocks && counting.block_of ? STATUS_OK : err_memory(err);
    if (status == STATUS_OK) divide_ranks(&counting, calls);
    if (status == STATUS_OK) status = parallel_run(counting.count, threads, walk_block, &counting, err);
    if (status == STATUS_OK) status = join_sync_groups(&counting, err);
    if (status == STATUS_OK) status = parallel_run(counting.count, threads, check_block, &counting, err);
    *none = status == STATUS_OK;
    for (size_t i = 0; i < counting.count && *none; i++) *none = !counting.blocks[i].violated;
    for (size_t i = 0; counting.blocks && i < counting.count; i++) {
        struct block *block = &counting.blocks[i];
        happens_before_clear(&block->relation);
        clock_conditions_clear(&block->conditions);
        FREE_ALL(block->causes, block->effects, block->sync_groups);
    }
    FREE_ALL(counting.blocks, counting.block_of, counting.latest_ps);
    return status;
}
