/* Definitions of a trace: communicators, groups, windows, request lists, regions, call sites. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "trace/trace.h"

static void *copy_data(const void *data, size_t bytes)
{
    void *made = malloc(bytes ? bytes : 1);
    if (made && bytes) memcpy(made, data, bytes);
    return made;
}

ORDER(by_value, int32_t, UP_ITSELF)

static bool members_ascend(const int32_t *members, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (members[i - 1] >= members[i]) return false;
    return true;
}

/* qsort_r is not C11; the pairs carry what is compared. */
struct ordered {
    int32_t member;
    uint32_t index;
};

static enum status sort_ranks(const int32_t *members, uint32_t count, uint32_t **order, struct err *err)
{
    *order = NULL;
    if (members_ascend(members, count)) return STATUS_OK;
    struct ordered *pairs = malloc(count * sizeof *pairs);
    uint32_t *made = malloc(count * sizeof *made);
    if (!pairs || !made) {
        FREE_ALL(pairs, made);
        return err_memory(err);
    }
    for (uint32_t i = 0; i < count; i++) pairs[i] = (struct ordered){members[i], i};
    qsort(pairs, count, sizeof *pairs, by_value);
    for (uint32_t i = 0; i < count; i++) made[i] = pairs[i].index;
    free(pairs);
    *order = made;
    return STATUS_OK;
}

enum status trace_add_comm(struct trace *trace, const int32_t *members, uint32_t count, int32_t *id, struct err *err)
{
    struct trace_definitions *tables = &trace->definitions;
    struct trace_comm comm = {.count = count};
    TRY(array_reserve((void **)&tables->comms, &tables->comm_capacity, tables->comm_count + 1, sizeof comm, err));
    TRY(sort_ranks(members, count, &comm.order, err));
    comm.members = copy_data(members, count * sizeof *members);
    if (!comm.members) {
        free(comm.order);
        return err_memory(err);
    }
    *id = (int32_t)tables->comm_count;
    tables->comms[tables->comm_count++] = comm;
    return STATUS_OK;
}

int32_t trace_comm_rank(const struct trace_comm *comm, int32_t world_rank)
{
    if (world_rank >= 0 && (uint32_t)world_rank < comm->count && comm->members[world_rank] == world_rank)
        return world_rank;
    size_t place = 0;
    SEARCH_FIRST(place, comm->count, at, comm->members[comm->order ? comm->order[at] : at] < world_rank);
    if (place == comm->count) return TRACE_NONE;
    uint32_t index = comm->order ? comm->order[place] : (uint32_t)place;
    return comm->members[index] == world_rank ? (int32_t)index : TRACE_NONE;
}

int32_t trace_group_rank(const struct trace_group *group, int32_t world_rank)
{
    if (group->count == 0) return TRACE_NONE;
    const int32_t *found = bsearch(&world_rank, group->members, group->count, sizeof world_rank, by_value);
    return found ? (int32_t)(found - group->members) : TRACE_NONE;
}

/* Finds the slot of an equal group, or the first free one of the probing chain. */
static enum status find_group(struct trace *trace, const int32_t *members, uint32_t count, bool repeats, uint64_t **slot,
                              struct err *err)
{
    uint64_t hash = map_mix(repeats ? 0x74776963 : 0x67726f7570, count);
    for (uint32_t i = 0; i < count; i++) hash = map_mix(hash, (uint64_t)(uint32_t)members[i]);
    for (;; hash++) {
        TRY(map_put(&trace->definitions.group_index, hash, UINT64_MAX, slot, err));
        if (**slot == UINT64_MAX) return STATUS_OK;
        const struct trace_group *group = &trace->definitions.groups[**slot];
        if (group->count == count && group->repeats == repeats &&
            (count == 0 || memcmp(group->members, members, count * sizeof *members) == 0))
            return STATUS_OK;
    }
}

static enum status add_sorted_group(struct trace *trace, const int32_t *sorted, uint32_t count, bool repeats,
                                    uint32_t *id, struct err *err)
{
    struct trace_definitions *tables = &trace->definitions;
    uint64_t *slot;
    TRY(array_reserve((void **)&tables->groups, &tables->group_capacity, tables->group_count + 1,
                      sizeof *tables->groups, err));
    TRY(find_group(trace, sorted, count, repeats, &slot, err));
    if (*slot == UINT64_MAX) {
        struct trace_group group = {
            .count = count, .members = copy_data(sorted, count * sizeof *sorted), .repeats = repeats};
        if (!group.members) return err_memory(err);
        *slot = tables->group_count;
        tables->groups[tables->group_count++] = group;
    }
    *id = (uint32_t)*slot;
    return STATUS_OK;
}

enum status trace_add_group(struct trace *trace, const int32_t *members, uint32_t count, uint32_t *id, struct err *err)
{
    if (members_ascend(members, count)) return add_sorted_group(trace, members, count, false, id, err);
    int32_t *sorted = copy_data(members, count * sizeof *members);
    if (!sorted) return err_memory(err);
    qsort(sorted, count, sizeof *sorted, by_value);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || sorted[kept - 1] != sorted[i]) sorted[kept++] = sorted[i];
    enum status status = add_sorted_group(trace, sorted, kept, kept < count, id, err);
    free(sorted);
    return status;
}

enum status trace_copy_group(struct trace *trace, const struct trace_group *group, uint32_t *id, struct err *err)
{
    return add_sorted_group(trace, group->members, group->count, group->repeats, id, err);
}

enum status trace_add_counts(struct trace *trace, const int64_t *bytes, uint32_t count, uint32_t *id, struct err *err)
{
    struct trace_definitions *tables = &trace->definitions;
    TRY(array_reserve((void **)&tables->counts, &tables->counts_capacity, tables->counts_count + 1,
                      sizeof *tables->counts, err));
    uint64_t *slot, hash = map_mix(0x636f756e7473, count);
    for (uint32_t i = 0; i < count; i++) hash = map_mix(hash, (uint64_t)bytes[i]);
    for (;; hash++) {
        TRY(map_put(&tables->counts_index, hash, UINT64_MAX, &slot, err));
        if (*slot == UINT64_MAX) break;
        const struct trace_counts *counts = &tables->counts[*slot];
        if (counts->count != count || (count > 0 && memcmp(counts->bytes, bytes, count * sizeof *bytes) != 0)) continue;
        *id = (uint32_t)*slot;
        return STATUS_OK;
    }
    struct trace_counts made = {.count = count, .bytes = copy_data(bytes, count * sizeof *bytes)};
    if (!made.bytes) return err_memory(err);
    *slot = tables->counts_count;
    *id = (uint32_t)tables->counts_count;
    tables->counts[tables->counts_count++] = made;
    return STATUS_OK;
}

enum status trace_add_window(struct trace *trace, int32_t comm, const int64_t *bytes, const int32_t *disp_unit,
                             char flavor, int32_t *id, struct err *err)
{
    struct trace_definitions *tables = &trace->definitions;
    struct trace_window window = {.comm = comm, .flavor = flavor};
    TRY(array_reserve((void **)&tables->windows, &tables->window_capacity, tables->window_count + 1, sizeof window,
                      err));
    size_t members = tables->comms[comm].count;
    if (bytes) window.bytes = copy_data(bytes, members * sizeof *bytes);
    if (disp_unit) window.disp_unit = copy_data(disp_unit, members * sizeof *disp_unit);
    if ((bytes && !window.bytes) || (disp_unit && !window.disp_unit)) {
        FREE_ALL(window.bytes, window.disp_unit);
        return err_memory(err);
    }
    *id = (int32_t)tables->window_count;
    tables->windows[tables->window_count++] = window;
    return STATUS_OK;
}

enum status trace_set_window_name(struct trace *trace, int32_t window, const char *name, struct err *err)
{
    char *copied = strdup(name);
    if (!copied) return err_memory(err);
    free(trace->definitions.windows[window].name);
    trace->definitions.windows[window].name = copied;
    return STATUS_OK;
}

const uint32_t *trace_call_completed(const struct trace *trace, const struct trace_call *call, uint32_t *count)
{
    const struct trace_definitions *tables = &trace->definitions;
    enum call_kind kind = call_kind(call->call);
    bool one = kind == CALL_REQUEST_WAIT || (kind == CALL_REQUEST_TEST && (call->flags & TRACE_FLAG));
    *count = one && call->ref != TRACE_NO_REF;
    if (!(call_row(call->call)->needed & F_REQS)) return &call->ref;
    *count = tables->lists[call->completion.list].count;
    return tables->requests + tables->lists[call->completion.list].first;
}

enum status trace_add_list(struct trace *trace, const uint32_t *requests, uint32_t count, uint32_t *id, struct err *err)
{
    struct trace_definitions *tables = &trace->definitions;
    struct trace_list list = {.first = (uint32_t)tables->request_count, .count = count};
    TRY(array_reserve((void **)&tables->lists, &tables->list_capacity, tables->list_count + 1, sizeof list, err));
    TRY(array_reserve((void **)&tables->requests, &tables->request_capacity, tables->request_count + count,
                      sizeof *tables->requests, err));
    if (count) memcpy(tables->requests + tables->request_count, requests, count * sizeof *requests);
    tables->request_count += count;
    *id = (uint32_t)tables->list_count;
    tables->lists[tables->list_count++] = list;
    return STATUS_OK;
}

/* One index for two tables: its values are id * 2 + table. */
enum { TABLE_REGION, TABLE_SITE };

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; text && *text; text++) hash = (hash ^ (uint8_t)*text) * 0x100000001b3; /* FNV-1a */
    return map_mix(hash, text != NULL);
}

static bool same_text(const char *one, const char *two)
{
    return one && two ? strcmp(one, two) == 0 : one == two;
}

static char *copy_text(const char *text, bool *failed)
{
    char *made = text ? strdup(text) : NULL;
    *failed = *failed || (text && !made);
    return made;
}

enum status trace_add_neighbors(struct trace *trace, const struct trace_neighbors *neighbors, uint32_t *id,
                                struct err *err)
{
    size_t sources = neighbors->source_count, destinations = neighbors->destination_count;
    int64_t *list = malloc((1 + sources + destinations) * sizeof *list);
    if (!list) return err_memory(err);
    list[0] = (int64_t)sources;
    for (size_t i = 0; i < sources; i++) list[1 + i] = neighbors->sources[i];
    for (size_t i = 0; i < destinations; i++) list[1 + sources + i] = neighbors->destinations[i];
    enum status status = trace_add_counts(trace, list, (uint32_t)(1 + sources + destinations), id, err);
    free(list);
    return status;
}

enum status trace_add_region(struct trace *trace, const char *name, uint32_t *id, struct err *err)
{
    struct trace_definitions *tables = &trace->definitions;
    TRY(array_reserve((void **)&tables->regions, &tables->region_capacity, tables->region_count + 1, sizeof name, err));
    uint64_t *slot;
    for (uint64_t hash = hash_text(TABLE_REGION, name);; hash++) {
        TRY(map_put(&tables->name_index, hash, UINT64_MAX, &slot, err));
        if (*slot == UINT64_MAX) break;
        if (*slot % 2 != TABLE_REGION || strcmp(tables->regions[*slot / 2], name) != 0) continue;
        *id = (uint32_t)(*slot / 2);
        return STATUS_OK;
    }
    char *made = strdup(name);
    if (!made) return err_memory(err);
    *slot = tables->region_count * 2 + TABLE_REGION;
    *id = (uint32_t)tables->region_count;
    tables->regions[tables->region_count++] = made;
    return STATUS_OK;
}

enum status trace_add_site(struct trace *trace, const char *function, const char *file, int32_t line, uint32_t *id,
                           struct err *err)
{
    struct trace_definitions *tables = &trace->definitions;
    TRY(array_reserve((void **)&tables->sites, &tables->site_capacity, tables->site_count + 1, sizeof *tables->sites,
                      err));
    uint64_t *slot, hash = map_mix(hash_text(hash_text(TABLE_SITE, function), file), (uint64_t)line);
    for (;; hash++) {
        TRY(map_put(&tables->name_index, hash, UINT64_MAX, &slot, err));
        if (*slot == UINT64_MAX) break;
        const struct trace_site *known = *slot % 2 == TABLE_SITE ? &tables->sites[*slot / 2] : NULL;
        if (!known || known->line != line || !same_text(known->function, function) || !same_text(known->file, file))
            continue;
        *id = (uint32_t)(*slot / 2);
        return STATUS_OK;
    }
    bool failed = false;
    struct trace_site site = {copy_text(function, &failed), copy_text(file, &failed), line};
    if (failed) {
        FREE_ALL(site.function, site.file);
        return err_memory(err);
    }
    *slot = tables->site_count * 2 + TABLE_SITE;
    *id = (uint32_t)tables->site_count;
    tables->sites[tables->site_count++] = site;
    return STATUS_OK;
}

enum status trace_set_node(struct trace *trace, uint32_t rank, const char *name, struct err *err)
{
    struct trace_definitions *tables = &trace->definitions;
    uint64_t *slot;
    TRY(array_reserve((void **)&tables->nodes, &tables->node_capacity, tables->node_count + 1, sizeof name, err));
    for (uint64_t hash = hash_text(0, name);; hash++) {
        TRY(map_put(&tables->node_index, hash, UINT64_MAX, &slot, err));
        if (*slot == UINT64_MAX || strcmp(tables->nodes[*slot], name) == 0) break;
    }
    if (*slot == UINT64_MAX) {
        char *made = strdup(name);
        if (!made) return err_memory(err);
        *slot = tables->node_count;
        tables->nodes[tables->node_count++] = made;
    }
    trace->ranks[rank].node = (uint32_t)*slot + 1;
    return STATUS_OK;
}

const char *trace_node_name(const struct trace *trace, uint32_t rank)
{
    uint32_t node = trace->ranks[rank].node;
    return node > 0 ? trace->definitions.nodes[node - 1] : NULL;
}

void trace_clear_nodes(struct trace *trace)
{
    struct trace_definitions *tables = &trace->definitions;
    for (uint32_t i = 0; trace->ranks && i < trace->rank_count; i++) trace->ranks[i].node = 0;
    for (size_t i = 0; i < tables->node_count; i++) free(tables->nodes[i]);
    free(tables->nodes);
    tables->nodes = NULL;
    tables->node_count = tables->node_capacity = 0;
    map_clear(&tables->node_index);
}

enum status trace_add_note(struct trace *trace, struct err *err, const char *format, ...)
{
    struct trace_provenance *provenance = &trace->provenance;
    TRY(array_reserve((void **)&provenance->notes, &provenance->note_capacity, provenance->note_count + 1,
                      sizeof *provenance->notes, err));
    va_list arguments;
    char *text;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) return err_memory(err);
    for (size_t i = 0; i < provenance->note_count; i++)
        if (strcmp(provenance->notes[i], text) == 0) {
            free(text);
            return STATUS_OK;
        }
    provenance->notes[provenance->note_count++] = text;
    return STATUS_OK;
}

static enum status copy_names(const struct trace *other, struct trace *made, struct err *err)
{
    const struct trace_definitions *tables = &other->definitions;
    const struct trace_provenance *from = &other->provenance;
    struct trace_provenance *to = &made->provenance;
    uint32_t ignored;
    for (size_t i = 0; i < tables->region_count; i++) TRY(trace_add_region(made, tables->regions[i], &ignored, err));
    for (size_t i = 1; i < tables->site_count; i++) {
        const struct trace_site *site = &tables->sites[i];
        TRY(trace_add_site(made, site->function, site->file, site->line, &ignored, err));
    }
    for (uint32_t i = 0; i < other->rank_count; i++)
        if (other->ranks[i].node > 0) TRY(trace_set_node(made, i, trace_node_name(other, i), err));
    for (size_t i = 0; i < from->note_count; i++) TRY(trace_add_note(made, err, "%s", from->notes[i]));
    bool failed = false;
    to->simulated = from->simulated;
#define PROVENANCE_TEXT(MEMBER, PROPERTY) to->MEMBER = copy_text(from->MEMBER, &failed);
#include "trace/provenance.def"
#undef PROVENANCE_TEXT
    to->clock = from->clock;
    to->record_cost_ps = from->record_cost_ps;
    return failed ? err_memory(err) : STATUS_OK;
}

static enum status copy_definitions(const struct trace *other, struct trace *made, struct err *err)
{
    const struct trace_definitions *tables = &other->definitions;
    int32_t id;
    uint32_t ignored;
    for (size_t i = 1; i < tables->comm_count; i++) {
        TRY(trace_add_comm(made, tables->comms[i].members, tables->comms[i].count, &id, err));
        made->definitions.comms[id].first_group = tables->comms[i].first_group;
    }
    for (size_t i = 0; i < tables->group_count; i++)
        TRY(trace_copy_group(made, &tables->groups[i], &ignored, err));
    for (size_t i = 0; i < tables->window_count; i++) {
        const struct trace_window *window = &tables->windows[i];
        TRY(trace_add_window(made, window->comm, window->bytes, window->disp_unit, window->flavor, &id, err));
        if (window->name) TRY(trace_set_window_name(made, id, window->name, err));
    }
    for (size_t i = 0; i < tables->list_count; i++) {
        const struct trace_list *list = &tables->lists[i];
        TRY(trace_add_list(made, tables->requests + list->first, list->count, &ignored, err));
    }
    for (size_t i = 0; i < tables->counts_count; i++)
        TRY(trace_add_counts(made, tables->counts[i].bytes, tables->counts[i].count, &ignored, err));
    for (size_t i = 1; i < tables->extents_count; i++)
        TRY(trace_add_extents(made, &tables->extents[i], &ignored, err));
    return copy_names(other, made, err);
}

enum status trace_new_like(const struct trace *other, struct trace **trace, struct err *err)
{
    struct trace *made;
    TRY(trace_new(other->name, other->rank_count, &made, err));
    enum status status = copy_definitions(other, made, err);
    if (status != STATUS_OK) {
        trace_free(made);
        return status;
    }
    made->skips_checks = other->skips_checks;
    *trace = made;
    return STATUS_OK;
}
