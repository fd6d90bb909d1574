/* Reads the events of all ranks in blocks of ranks on several threads. Blocks are merged in the order of ranks, so the
 * trace and the first error are those of one thread. Only blocks whose ids differ from the trace's are translated:
 * ranks of one program mostly name things in the same order. */
#include <stdlib.h>

#include "common/array.h"
#include "common/parallel.h"
#include "trace/spool/events.h"

struct blocks {
    struct spool *spool;
    struct trace *trace;
    struct spool_sites *sites;
    struct spool_block *items;
    size_t count;
    unsigned threads;
    struct err *err;
};

/* --- one block --- */

static enum status copy_regions(struct spool_block *block, struct err *err)
{
    uint32_t ignored;
    if (block->shard.trace.definitions.region_count > 0) return STATUS_OK;
    for (size_t i = 0; i < block->whole->definitions.region_count; i++)
        TRY(trace_add_region(&block->shard.trace, block->whole->definitions.regions[i], &ignored, err));
    return STATUS_OK;
}

enum status spool_block_region(struct spool_block *block, const char *name, uint32_t *id, struct err *err)
{
    TRY(copy_regions(block, err));
    return trace_add_region(&block->shard.trace, name, id, err);
}

enum status spool_block_lock(struct spool_block *block, uint64_t address, uint32_t *number, struct err *err)
{
    uint64_t *slot;
    TRY(map_put(&block->locks, address, block->address_count, &slot, err));
    *number = (uint32_t)*slot;
    if (*slot < block->address_count) return STATUS_OK;
    ARRAY_PUSH(block->addresses, block->address_count, block->address_capacity, address, err);
    return STATUS_OK;
}

static enum status read_block(void *context, size_t number, struct err *err)
{
    const struct blocks *blocks = context;
    struct spool_block *block = &blocks->items[number];
    for (uint32_t rank = block->first; rank < block->end; rank++)
        TRY(spool_read_rank(blocks->spool, rank, blocks->sites, block, err));
    return STATUS_OK;
}

/* --- together --- */

static enum status take_block(struct blocks *blocks, struct spool_block *block)
{
    struct trace *trace = blocks->trace;
    uint32_t id;
    TRY(builder_translate_table(&block->shard, trace, BUILDER_SITES, blocks->err));
    TRY(builder_translate_table(&block->shard, trace, BUILDER_REGIONS, blocks->err));
    struct map *locks = &blocks->spool->locks;
    uint64_t *slot;
    block->lock_numbers = malloc((block->address_count + 1) * sizeof *block->lock_numbers);
    if (!block->lock_numbers) return err_memory(blocks->err);
    for (size_t i = 0; i < block->address_count; i++) {
        TRY(map_put(locks, block->addresses[i], locks->count, &slot, blocks->err));
        block->lock_numbers[i] = (uint32_t)*slot;
        block->locks_differ = block->locks_differ || *slot != i;
    }
    TRY(builder_merge(&block->shard, trace, block->first, block->end, blocks->err));
    if (block->uses_empty_group) TRY(trace_add_group(trace, NULL, 0, &id, blocks->err));
    blocks->spool->failed += block->failed;
    blocks->spool->apart += block->apart;
    blocks->spool->unmatched += (uint64_t)block->unmatched;
    return STATUS_OK;
}

static enum status renumber_block(void *context, size_t number, struct err *err)
{
    const struct blocks *blocks = context;
    struct spool_block *block = &blocks->items[number];
    TRY(builder_translate_ranks(&block->shard, blocks->trace, block->first, block->end, err));
    for (uint32_t rank = block->first; block->locks_differ && rank < block->end; rank++) {
        struct trace_rank *process = &blocks->trace->ranks[rank];
        for (size_t i = 0; i < process->count; i++) {
            struct trace_call *call = &process->calls[i];
            if (call_is_shmem(call->call) && (call_row(call->call)->allowed & F_OBJECT))
                call->shmem.lock = block->lock_numbers[call->shmem.lock];
        }
    }
    return STATUS_OK;
}

/* --- all --- */

unsigned spool_threads(const struct spool *spool)
{
    enum { THREAD_UNITS = 1 << 16 };
    uint64_t units = 0;
    if (spool->threads > 0) return spool->threads;
    for (uint32_t i = 0; i < spool->world; i++) {
        const struct spool_rank *rank = &spool->ranks[i];
        units += spool_words(rank);
        for (size_t k = 0; k < rank->thread_count; k++) units += spool_words(&rank->threads[k]);
    }
    return parallel_threads(units, THREAD_UNITS);
}

static enum status read_all(struct blocks *blocks)
{
    TRY(parallel_run(blocks->count, blocks->threads, read_block, blocks, blocks->err));
    for (size_t i = 0; i < blocks->count; i++) TRY(take_block(blocks, &blocks->items[i]));
    return parallel_run(blocks->count, blocks->threads, renumber_block, blocks, blocks->err);
}

/* One thread reads all ranks as one block. With a requested number of threads each rank is a block. */
static uint32_t ranks_per_block(const struct blocks *blocks)
{
    enum { BLOCKS = 256 };
    if (blocks->threads == 1) return blocks->spool->world;
    return blocks->spool->threads > 0 ? 1 : blocks->spool->world / BLOCKS + 1;
}

static enum status divide_ranks(struct blocks *blocks)
{
    uint32_t world = blocks->spool->world, ranks = ranks_per_block(blocks);
    const struct trace_definitions *known = &blocks->trace->definitions;
    uint32_t empty_group = 0;
    while (empty_group < known->group_count && known->groups[empty_group].count > 0) empty_group++;
    blocks->count = (world + (size_t)ranks - 1) / ranks;
    blocks->items = calloc(blocks->count, sizeof *blocks->items);
    if (!blocks->items) return err_memory(blocks->err);
    for (size_t i = 0; i < blocks->count; i++) {
        struct spool_block *block = &blocks->items[i];
        block->first = (uint32_t)i * ranks;
        block->end = world - block->first > ranks ? block->first + ranks : world;
        block->whole = blocks->trace;
        block->empty_group = empty_group;
        TRY(builder_begin(&block->shard, blocks->trace, BUILDER_OWN_NAMES, blocks->err));
    }
    return STATUS_OK;
}

enum status spool_events(struct spool *spool, struct trace *trace, struct err *err)
{
    struct blocks blocks = {.spool = spool, .trace = trace, .threads = spool_threads(spool), .err = err};
    TRY(spool_sites_new(&blocks.sites, err));
    enum status status = divide_ranks(&blocks);
    if (status == STATUS_OK) status = read_all(&blocks);
    for (size_t i = 0; blocks.items && i < blocks.count; i++) {
        struct spool_block *block = &blocks.items[i];
        builder_clear(&block->shard);
        map_clear(&block->locks);
        FREE_ALL(block->addresses, block->lock_numbers);
    }
    free(blocks.items);
    spool_sites_free(blocks.sites);
    return status;
}
