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
    struct spool_part *parts;
    size_t count;
    unsigned threads;
    struct err *err;
};

/* --- one block --- */

static enum status copy_regions(struct spool_part *part, struct err *err)
{
    uint32_t ignored;
    if (part->shard.trace.definitions.region_count > 0) return STATUS_OK;
    for (size_t i = 0; i < part->whole->definitions.region_count; i++)
        TRY(trace_add_region(&part->shard.trace, part->whole->definitions.regions[i], &ignored, err));
    return STATUS_OK;
}

enum status spool_part_region(struct spool_part *part, const char *name, uint32_t *id, struct err *err)
{
    TRY(copy_regions(part, err));
    return trace_add_region(&part->shard.trace, name, id, err);
}

enum status spool_part_lock(struct spool_part *part, uint64_t address, uint32_t *number, struct err *err)
{
    uint64_t *slot;
    TRY(map_put(&part->locks, address, part->address_count, &slot, err));
    *number = (uint32_t)*slot;
    if (*slot < part->address_count) return STATUS_OK;
    ARRAY_PUSH(part->addresses, part->address_count, part->address_capacity, address, err);
    return STATUS_OK;
}

static uint32_t find_empty_group(const struct trace *trace)
{
    uint32_t id = 0;
    while (id < trace->definitions.group_count && trace->definitions.groups[id].count > 0) id++;
    return id;
}

static void clear_part(struct spool_part *part)
{
    builder_clear(&part->shard);
    map_clear(&part->locks);
    free(part->addresses);
    free(part->lock_numbers);
}

static enum status read_block(void *context, size_t number, struct err *err)
{
    const struct blocks *blocks = context;
    struct spool_part *part = &blocks->parts[number];
    for (uint32_t rank = part->first; rank < part->end; rank++)
        TRY(spool_read_rank(blocks->spool, rank, blocks->sites, part, err));
    return STATUS_OK;
}

/* --- together --- */

static enum status take_locks(struct blocks *blocks, struct spool_part *part)
{
    struct map *locks = &blocks->spool->locks;
    uint64_t *slot;
    part->lock_numbers = malloc((part->address_count + 1) * sizeof *part->lock_numbers);
    if (!part->lock_numbers) return err_memory(blocks->err);
    for (size_t i = 0; i < part->address_count; i++) {
        TRY(map_put(locks, part->addresses[i], locks->count, &slot, blocks->err));
        part->lock_numbers[i] = (uint32_t)*slot;
        part->locks_differ = part->locks_differ || *slot != i;
    }
    return STATUS_OK;
}

static enum status take_part(struct blocks *blocks, struct spool_part *part)
{
    struct trace *trace = blocks->trace;
    uint32_t id;
    TRY(builder_translate_table(&part->shard, trace, BUILDER_SITES, blocks->err));
    TRY(builder_translate_table(&part->shard, trace, BUILDER_REGIONS, blocks->err));
    TRY(take_locks(blocks, part));
    TRY(builder_merge(&part->shard, trace, part->first, part->end, blocks->err));
    if (part->uses_empty_group) TRY(trace_add_group(trace, NULL, 0, &id, blocks->err));
    blocks->spool->failed += part->failed;
    blocks->spool->apart += part->apart;
    blocks->spool->unmatched += (uint64_t)part->unmatched;
    return STATUS_OK;
}

static enum status renumber_block(void *context, size_t number, struct err *err)
{
    const struct blocks *blocks = context;
    struct spool_part *part = &blocks->parts[number];
    TRY(builder_translate_ranks(&part->shard, blocks->trace, part->first, part->end, err));
    for (uint32_t rank = part->first; part->locks_differ && rank < part->end; rank++) {
        struct trace_rank *process = &blocks->trace->ranks[rank];
        for (size_t i = 0; i < process->count; i++) {
            struct trace_call *call = &process->calls[i];
            if (call_is_shmem(call->call) && (call_row(call->call)->allowed & F_OBJECT))
                call->ref = part->lock_numbers[call->ref];
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
        units += spool_units(rank);
        for (size_t k = 0; k < rank->thread_count; k++) units += spool_units(&rank->threads[k]);
    }
    return parallel_threads(units, THREAD_UNITS);
}

static enum status read_all(struct blocks *blocks)
{
    TRY(parallel_run(blocks->count, blocks->threads, read_block, blocks, blocks->err));
    for (size_t i = 0; i < blocks->count; i++) TRY(take_part(blocks, &blocks->parts[i]));
    return parallel_run(blocks->count, blocks->threads, renumber_block, blocks, blocks->err);
}

/* One thread takes all ranks as one block. For several that are asked for each rank is one. */
static uint32_t ranks_per_block(const struct blocks *blocks)
{
    enum { BLOCKS = 256 };
    if (blocks->threads == 1) return blocks->spool->world;
    return blocks->spool->threads > 0 ? 1 : blocks->spool->world / BLOCKS + 1;
}

static enum status divide(struct blocks *blocks)
{
    uint32_t world = blocks->spool->world, ranks = ranks_per_block(blocks);
    uint32_t empty_group = find_empty_group(blocks->trace);
    blocks->count = (world + (size_t)ranks - 1) / ranks;
    blocks->parts = calloc(blocks->count, sizeof *blocks->parts);
    if (!blocks->parts) return err_memory(blocks->err);
    for (size_t i = 0; i < blocks->count; i++) {
        struct spool_part *part = &blocks->parts[i];
        part->first = (uint32_t)i * ranks;
        part->end = world - part->first > ranks ? part->first + ranks : world;
        part->whole = blocks->trace;
        part->empty_group = empty_group;
        TRY(builder_begin(&part->shard, blocks->trace, BUILDER_OWN_NAMES, blocks->err));
    }
    return STATUS_OK;
}

enum status spool_events(struct spool *spool, struct trace *trace, struct err *err)
{
    struct blocks blocks = {.spool = spool, .trace = trace, .threads = spool_threads(spool), .err = err};
    TRY(spool_sites_new(&blocks.sites, err));
    enum status status = divide(&blocks);
    if (status == STATUS_OK) status = read_all(&blocks);
    for (size_t i = 0; blocks.parts && i < blocks.count; i++) clear_part(&blocks.parts[i]);
    free(blocks.parts);
    spool_sites_free(blocks.sites);
    return status;
}
