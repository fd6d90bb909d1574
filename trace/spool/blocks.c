/* Reads the events of all ranks in blocks of ranks on several threads. Blocks are merged in the order of ranks, so the
 * trace and the first error are those of one thread. Until then sites, regions, lists, extents and locks have numbers
 * of their block. Only blocks whose numbers differ from the trace's are renumbered: ranks of one program mostly use
 * these in the same order. */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/parallel.h"
#include "trace/spool/events.h"

struct renumbering {                          /* from a block's numbers to the trace's */
    uint32_t *sites, *regions, *locks, lists; /* lists: how many come before the block's */
    bool sites_differ, regions_differ, locks_differ;
};

struct blocks {
    struct spool *spool;
    struct trace *trace;
    struct spool_sites *sites;
    struct spool_part *parts;
    struct renumbering *renumberings;
    size_t count;
    unsigned threads;
    struct err *err;
};

/* --- one block --- */

static enum status copy_regions(struct spool_part *part, struct err *err)
{
    uint32_t ignored;
    if (part->trace.region_count > 0) return STATUS_OK;
    for (size_t i = 0; i < part->whole->region_count; i++)
        TRY(trace_add_region(&part->trace, part->whole->regions[i], &ignored, err));
    return STATUS_OK;
}

enum status spool_part_region(struct spool_part *part, const char *name, uint32_t *id, struct err *err)
{
    TRY(copy_regions(part, err));
    return trace_add_region(&part->trace, name, id, err);
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
    while (id < trace->group_count && trace->groups[id].count > 0) id++;
    return id;
}

static enum status begin_part(struct spool_part *part, const struct trace *trace, uint32_t empty_group, struct err *err)
{
    struct trace *own = &part->trace;
    uint32_t unknown;
    *own = *trace;
    own->sites = NULL;
    own->regions = NULL;
    own->name_index = own->extents_index = (struct map){0};
    own->lists = NULL;
    own->requests = NULL;
    own->extents = NULL;
    own->faults = NULL;
    own->site_count = own->site_capacity = own->region_count = own->region_capacity = 0;
    own->list_count = own->list_capacity = own->request_count = own->request_capacity = 0;
    own->extents_count = own->extents_capacity = own->fault_count = own->fault_capacity = 0;
    part->whole = trace;
    part->empty_group = empty_group;
    return trace_add_site(own, NULL, NULL, 0, &unknown, err);
}

static void clear_part(struct spool_part *part)
{
    struct trace *own = &part->trace;
    for (size_t i = 0; i < own->site_count; i++) {
        free(own->sites[i].function);
        free(own->sites[i].file);
    }
    for (size_t i = 0; i < own->region_count; i++) free(own->regions[i]);
    for (size_t i = 0; i < own->fault_count; i++) free(own->faults[i].text);
    free(own->sites);
    free(own->regions);
    free(own->faults);
    free(own->lists);
    free(own->requests);
    free(own->extents);
    map_clear(&own->name_index);
    map_clear(&own->extents_index);
    map_clear(&part->locks);
    free(part->addresses);
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

static uint32_t *numbers(size_t count, struct err *err)
{
    uint32_t *made = malloc((count + 1) * sizeof *made);
    if (!made) (void)err_memory(err);
    return made;
}

static enum status take_names(struct blocks *blocks, const struct trace *part, struct renumbering *to)
{
    to->sites = numbers(part->site_count, blocks->err);
    to->regions = numbers(part->region_count, blocks->err);
    if (!to->sites || !to->regions) return STATUS_SYSTEM;
    for (size_t i = 0; i < part->site_count; i++) {
        const struct trace_site *site = &part->sites[i];
        TRY(trace_add_site(blocks->trace, site->function, site->file, site->line, &to->sites[i], blocks->err));
        to->sites_differ = to->sites_differ || to->sites[i] != i;
    }
    for (size_t i = 0; i < part->region_count; i++) {
        TRY(trace_add_region(blocks->trace, part->regions[i], &to->regions[i], blocks->err));
        to->regions_differ = to->regions_differ || to->regions[i] != i;
    }
    return STATUS_OK;
}

static enum status take_locks(struct blocks *blocks, const struct spool_part *part, struct renumbering *to)
{
    struct map *locks = &blocks->spool->locks;
    uint64_t *slot;
    to->locks = numbers(part->address_count, blocks->err);
    if (!to->locks) return STATUS_SYSTEM;
    for (size_t i = 0; i < part->address_count; i++) {
        TRY(map_put(locks, part->addresses[i], locks->count, &slot, blocks->err));
        to->locks[i] = (uint32_t)*slot;
        to->locks_differ = to->locks_differ || *slot != i;
    }
    return STATUS_OK;
}

static enum status take_lists(struct blocks *blocks, const struct trace *part, struct renumbering *to)
{
    uint32_t ignored;
    to->lists = (uint32_t)blocks->trace->list_count;
    for (size_t i = 0; i < part->list_count; i++)
        TRY(trace_add_list(blocks->trace, part->requests + part->lists[i].first, part->lists[i].count, &ignored,
                           blocks->err));
    return STATUS_OK;
}

static enum status take_faults(struct blocks *blocks, struct trace *part)
{
    struct trace *trace = blocks->trace;
    for (size_t i = 0; i < part->fault_count; i++) {
        ARRAY_PUSH(trace->faults, trace->fault_count, trace->fault_capacity, part->faults[i], blocks->err);
        part->faults[i].text = NULL;
    }
    return STATUS_OK;
}

static enum status take_part(struct blocks *blocks, struct spool_part *part, struct renumbering *to)
{
    struct trace *trace = blocks->trace;
    uint32_t id;
    TRY(take_names(blocks, &part->trace, to));
    TRY(take_locks(blocks, part, to));
    TRY(take_lists(blocks, &part->trace, to));
    TRY(take_faults(blocks, &part->trace));
    for (uint32_t rank = part->first; rank < part->end; rank++)
        TRY(trace_copy_extents(trace, &part->trace, rank, blocks->err));
    if (part->uses_empty_group) TRY(trace_add_group(trace, NULL, 0, &id, blocks->err));
    trace->skips_checks = trace->skips_checks || part->trace.skips_checks;
    blocks->spool->failed += part->failed;
    blocks->spool->apart += part->apart;
    blocks->spool->unmatched += (uint64_t)part->unmatched;
    return STATUS_OK;
}

static void renumber_call(const struct renumbering *to, struct trace_call *call)
{
    const struct call_row *row = call_row((enum mpi_call)call->call);
    call->site = to->sites[call->site];
    if ((row->needed & F_REGION) && to->regions_differ) call->ref = to->regions[call->ref];
    if (row->needed & F_REQS) call->ref += to->lists;
    if ((row->allowed & F_OBJECT) && call_is_shmem((enum mpi_call)call->call)) call->ref = to->locks[call->ref];
}

static enum status renumber_block(void *context, size_t number, struct err *err)
{
    const struct blocks *blocks = context;
    const struct spool_part *part = &blocks->parts[number];
    const struct renumbering *to = &blocks->renumberings[number];
    bool lists_differ = to->lists > 0 && part->trace.list_count > 0;
    (void)err;
    if (!to->sites_differ && !to->regions_differ && !to->locks_differ && !lists_differ) return STATUS_OK;
    for (uint32_t rank = part->first; rank < part->end; rank++) {
        struct trace_rank *process = &blocks->trace->ranks[rank];
        for (size_t i = 0; i < process->count; i++) renumber_call(to, &process->calls[i]);
    }
    return STATUS_OK;
}

/* --- all --- */

unsigned spool_threads(const struct spool *spool)
{
    enum { THREAD_UNITS = 1 << 16 };
    unsigned processors = parallel_processors();
    uint64_t units = 0;
    if (spool->threads > 0) return spool->threads;
    for (uint32_t i = 0; i < spool->world; i++) {
        const struct spool_rank *rank = &spool->ranks[i];
        units += spool_units(rank);
        for (size_t k = 0; k < rank->thread_count; k++) units += spool_units(&rank->threads[k]);
    }
    return units / THREAD_UNITS < processors ? 1 + (unsigned)(units / THREAD_UNITS) : processors;
}

static enum status read_all(struct blocks *blocks)
{
    TRY(parallel_run(blocks->count, blocks->threads, read_block, blocks, blocks->err));
    for (size_t i = 0; i < blocks->count; i++) TRY(take_part(blocks, &blocks->parts[i], &blocks->renumberings[i]));
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
    blocks->renumberings = calloc(blocks->count, sizeof *blocks->renumberings);
    if (!blocks->parts || !blocks->renumberings) return err_memory(blocks->err);
    for (size_t i = 0; i < blocks->count; i++) {
        struct spool_part *part = &blocks->parts[i];
        part->first = (uint32_t)i * ranks;
        part->end = world - part->first > ranks ? part->first + ranks : world;
        TRY(begin_part(part, blocks->trace, empty_group, blocks->err));
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
    for (size_t i = 0; blocks.renumberings && i < blocks.count; i++) {
        free(blocks.renumberings[i].sites);
        free(blocks.renumberings[i].regions);
        free(blocks.renumberings[i].locks);
    }
    free(blocks.parts);
    free(blocks.renumberings);
    spool_sites_free(blocks.sites);
    return status;
}
