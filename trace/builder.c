#include "trace/builder.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

#define NOT_YET UINT32_MAX

/* Clears pointers to tables that another trace owns. */
static void forget_tables(struct trace_definitions *tables, unsigned which)
{
    if (which & BUILDER_OWN_GROUPS) {
        tables->groups = NULL;
        tables->group_count = tables->group_capacity = 0;
        tables->group_index = (struct map){0};
    }
    if (which & BUILDER_OWN_COUNTS) {
        tables->counts = NULL;
        tables->counts_count = tables->counts_capacity = 0;
        tables->counts_index = (struct map){0};
    }
    if (!(which & BUILDER_OWN_NAMES)) return;
    tables->sites = NULL;
    tables->regions = NULL;
    tables->site_count = tables->site_capacity = tables->region_count = tables->region_capacity = 0;
    tables->name_index = (struct map){0};
}

static void clear_tables(struct builder_shard *shard)
{
    struct trace_provenance *provenance = &shard->trace.provenance;
    forget_tables(&shard->trace.definitions, ~shard->own);
    trace_clear_tables(&shard->trace.definitions);
    for (size_t i = 0; i < provenance->fault_count; i++) free(provenance->faults[i].text);
    free(provenance->faults);
}

enum status builder_begin(struct builder_shard *shard, const struct trace *whole, unsigned own, struct err *err)
{
    struct trace *made = &shard->trace;
    struct trace_definitions *tables = &made->definitions;
    uint32_t unknown;
    clear_tables(shard);
    *made = *whole;
    forget_tables(tables, own);
    tables->lists = NULL;
    tables->requests = NULL;
    tables->extents = NULL;
    tables->extents_index = (struct map){0};
    tables->list_count = tables->list_capacity = tables->request_count = tables->request_capacity = 0;
    tables->extents_count = tables->extents_capacity = 0;
    made->provenance.faults = NULL;
    made->provenance.fault_count = made->provenance.fault_capacity = 0;
    shard->own = own;
    shard->differs = false;
    shard->lists = 0;
    for (int table = 0; table < BUILDER_TABLES; table++) shard->numbers[table].count = 0;
    return own & BUILDER_OWN_NAMES ? trace_add_site(made, NULL, NULL, 0, &unknown, err) : STATUS_OK;
}

void builder_clear(struct builder_shard *shard)
{
    clear_tables(shard);
    for (int table = 0; table < BUILDER_TABLES; table++) free(shard->numbers[table].items);
    memset(shard, 0, sizeof *shard);
}

enum status builder_merge(struct builder_shard *shard, struct trace *whole, uint32_t first, uint32_t end,
                          struct err *err)
{
    struct trace *made = &shard->trace;
    uint32_t ignored;
    shard->lists = (uint32_t)whole->definitions.list_count;
    for (size_t i = 0; i < made->definitions.list_count; i++)
        TRY(trace_add_list(whole, made->definitions.requests + made->definitions.lists[i].first,
                           made->definitions.lists[i].count, &ignored, err));
    for (uint32_t rank = first; rank < end; rank++) TRY(trace_copy_extents(whole, made, rank, err));
    for (size_t i = 0; i < made->provenance.fault_count; i++) {
        ARRAY_PUSH(whole->provenance.faults, whole->provenance.fault_count, whole->provenance.fault_capacity,
                   made->provenance.faults[i], err);
        made->provenance.faults[i].text = NULL;
    }
    whole->skips_checks = whole->skips_checks || made->skips_checks;
    return STATUS_OK;
}

static size_t table_count(const struct trace *made, enum builder_table table)
{
    const size_t counts[BUILDER_TABLES] = {made->definitions.group_count, made->definitions.counts_count,
                                           made->definitions.site_count, made->definitions.region_count};
    return counts[table];
}

static enum status add_item(struct trace *whole, const struct trace *made, enum builder_table table, uint32_t id,
                            uint32_t *number, struct err *err)
{
    if (table == BUILDER_GROUPS) return trace_copy_group(whole, &made->definitions.groups[id], number, err);
    if (table == BUILDER_COUNTS)
        return trace_add_counts(whole, made->definitions.counts[id].bytes, made->definitions.counts[id].count, number,
                                err);
    if (table == BUILDER_REGIONS) return trace_add_region(whole, made->definitions.regions[id], number, err);
    const struct trace_site *site = &made->definitions.sites[id];
    return trace_add_site(whole, site->function, site->file, site->line, number, err);
}

enum status builder_translate(struct builder_shard *shard, struct trace *whole, enum builder_table table, uint32_t *id,
                              struct err *err)
{
    struct builder_numbers *numbers = &shard->numbers[table];
    if (!(shard->own & 1u << table)) return STATUS_OK;
    if (*id >= numbers->count) {
        /* Makes room for the numbers of items that the shard got since the last call. */
        size_t count = table_count(&shard->trace, table);
        TRY(array_reserve((void **)&numbers->items, &numbers->capacity, count, sizeof *numbers->items, err));
        while (numbers->count < count) numbers->items[numbers->count++] = NOT_YET;
    }
    if (*id >= numbers->count) return STATUS_OK; /* an id of the whole trace: the shard has no own items */
    uint32_t *number = &numbers->items[*id];
    if (*number == NOT_YET) {
        TRY(add_item(whole, &shard->trace, table, *id, number, err));
        shard->differs = shard->differs || *number != *id;
    }
    *id = *number;
    return STATUS_OK;
}

/* The list of neighbours comes before other lists of the call, as it does when a line is read. */
enum status builder_translate_call(struct builder_shard *shard, struct trace *whole, struct trace_call *call,
                                   struct err *err)
{
    const struct call_row *row = call_row(call->call);
    uint32_t id;
    if (call->site != TRACE_NO_SITE) TRY(builder_translate(shard, whole, BUILDER_SITES, &call->site, err));
    if (row->needed & F_GROUP) TRY(builder_translate(shard, whole, BUILDER_GROUPS, &call->sync.group, err));
    if (row->needed & F_REGION) TRY(builder_translate(shard, whole, BUILDER_REGIONS, &call->region.region, err));
    if (row->needed & F_REQS) call->completion.list += shard->lists;
    if ((row->allowed & F_NEIGHBORS) && call->collective.neighbors >= 0) {
        id = (uint32_t)call->collective.neighbors;
        TRY(builder_translate(shard, whole, BUILDER_COUNTS, &id, err));
        call->collective.neighbors = (int32_t)id;
    }
    if ((row->allowed & F_COUNTS) && call->collective.counts >= 0) {
        id = (uint32_t)call->collective.counts;
        TRY(builder_translate(shard, whole, BUILDER_COUNTS, &id, err));
        call->collective.counts = id;
    }
    return STATUS_OK;
}

enum status builder_translate_table(struct builder_shard *shard, struct trace *whole, enum builder_table table,
                                    struct err *err)
{
    for (uint32_t i = 0; i < table_count(&shard->trace, table); i++) {
        uint32_t id = i;
        TRY(builder_translate(shard, whole, table, &id, err));
    }
    return STATUS_OK;
}

enum status builder_translate_ranks(struct builder_shard *shard, struct trace *whole, uint32_t first, uint32_t end,
                                    struct err *err)
{
    if (!shard->differs && (shard->lists == 0 || shard->trace.definitions.list_count == 0)) return STATUS_OK;
    for (uint32_t rank = first; rank < end; rank++) {
        struct trace_rank *process = &whole->ranks[rank];
        for (size_t i = 0; i < process->count; i++) TRY(builder_translate_call(shard, whole, &process->calls[i], err));
    }
    return STATUS_OK;
}
