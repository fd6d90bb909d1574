#include "model/transfers/transfer_groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"

void transfer_groups_clear(struct transfer_groups *groups)
{
    for (int g = 0; g < TRANSFER_GROUPINGS; g++) {
        struct transfer_list *list = &groups->lists[g];
        for (size_t i = 0; i < list->count; i++) {
            rate_histogram_clear(&list->items[i].lower);
            rate_histogram_clear(&list->items[i].upper);
        }
        free(list->items);
        map_clear(&list->index);
    }
    map_clear(&groups->locations);
    memset(groups, 0, sizeof *groups);
}

uint32_t transfer_size_class(int64_t bytes)
{
    return bytes > 0 ? 64 - (uint32_t)__builtin_clzll((uint64_t)bytes) : 0;
}

/* The list's group of this key; a new empty one if there is none. */
static enum status group_of(struct transfer_list *list, const struct transfer_key *key, struct transfer_group **found,
                            struct err *err)
{
    uint64_t *slot;
    if (list->count == 0 || list->items[list->last].key.number != key->number) {
        TRY(map_put(&list->index, key->number, list->count, &slot, err));
        list->last = (size_t)*slot;
        if (list->last == list->count) {
            const struct transfer_group made = {.key = *key};
            ARRAY_PUSH(list->items, list->count, list->capacity, made, err);
        }
    }
    *found = &list->items[list->last];
    return STATUS_OK;
}

/* The values that a transfer adds to each of its groups; none for an unknown end. */
struct bounds {
    int64_t bytes;
    bool lower_known, upper_known;
    struct rate_value lower, upper;
};

static enum status add_to(struct transfer_list *list, const struct transfer_key *key, const struct bounds *bounds,
                          struct err *err)
{
    struct transfer_group *group;
    TRY(group_of(list, key, &group, err));
    group->count++;
    group->bytes += (uint64_t)bounds->bytes;
    if (bounds->lower_known) TRY(rate_histogram_add(&group->lower, &bounds->lower, err));
    return bounds->upper_known ? rate_histogram_add(&group->upper, &bounds->upper, err) : STATUS_OK;
}

/* Kinds differ in their first letter, ranks stay below 2^28: the number is exact. */
static struct transfer_key pair_key(uint32_t origin, uint32_t target, char kind)
{
    return (struct transfer_key){((uint64_t)origin << 28 | target) << 8 | (uint8_t)kind, origin, target, (uint8_t)kind};
}

static enum status place_key(struct transfer_groups *groups, uint32_t node, uint32_t site, enum mpi_call call,
                             struct transfer_key *key, struct err *err)
{
    uint64_t *location;
    TRY(map_put(&groups->locations, map_pair(node, site), groups->locations.count, &location, err));
    *key = (struct transfer_key){*location << 16 | call, node, site, call};
    return STATUS_OK;
}

enum status transfer_groups_add(struct transfer_groups *groups, const struct trace *trace,
                                const struct callpaths *paths, const struct transfer *transfer, struct err *err)
{
    const struct trace_call *call = &trace->ranks[transfer->origin].calls[transfer->call];
    uint32_t size = transfer_size_class(transfer->bytes), window = (uint32_t)call->handle;
    struct bounds bounds = {.bytes = transfer->bytes,
                            .lower_known = transfer->upper_end_ps != TRACE_UNKNOWN_PS,
                            .upper_known = transfer->lower_end_ps != TRACE_UNKNOWN_PS};
    if (bounds.lower_known) bounds.lower = rate_value(transfer->bytes, transfer->upper_end_ps - transfer->start_ps);
    if (bounds.upper_known) bounds.upper = rate_value(transfer->bytes, transfer->lower_end_ps - transfer->start_ps);
    struct transfer_key keys[TRANSFER_GROUPINGS] = {
        [TRANSFERS_OF_PAIR] = pair_key(transfer->origin, transfer->target, *transfer_kind_name(trace, transfer)),
        [TRANSFERS_OF_WINDOW] = {.number = window, .a = window},
        [TRANSFERS_OF_SIZE] = {.number = size, .a = size}};
    TRY(place_key(groups, callpath_at(paths, transfer->origin, transfer->call), call->site,
                  trace_function(trace, transfer->origin, transfer->call), &keys[TRANSFERS_OF_PLACE], err));
    for (int g = 0; g < TRANSFER_GROUPINGS; g++) TRY(add_to(&groups->lists[g], &keys[g], &bounds, err));
    return STATUS_OK;
}

static void set_pair(const struct transfer_group *group, struct result_group *made)
{
    static const char *const kinds[] = {"put", "get", "accumulate"};
    made->origin = (int32_t)group->key.a;
    made->target = (int32_t)group->key.b;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if ((uint8_t)kinds[k][0] == group->key.c) snprintf(made->kind, sizeof made->kind, "%s", kinds[k]);
}

static enum status set_window(const struct trace *trace, const struct transfer_group *group, struct result_group *made,
                              struct err *err)
{
    const char *name = trace->definitions.windows[group->key.a].name;
    made->window = (int32_t)group->key.a;
    if (name && !(made->name = strdup(name))) return err_memory(err);
    return STATUS_OK;
}

static enum status set_place(const struct trace *trace, const struct callpaths *paths,
                             const struct transfer_group *group, struct result_group *made, struct err *err)
{
    const struct trace_site *site = &trace->definitions.sites[group->key.b];
    made->line = site->line;
    made->function = call_row((enum mpi_call)group->key.c)->name;
    if (site->file && !(made->file = strdup(site->file))) return err_memory(err);
    return callpath_text(trace, paths, group->key.a, group->key.b, (enum mpi_call)group->key.c, &made->name,
                         err);
}

static void set_size(const struct transfer_group *group, struct result_group *made)
{
    made->from_bytes = group->key.a == 0 ? 0 : (int64_t)(UINT64_C(1) << (group->key.a - 1));
    made->to_bytes = group->key.a == 0 ? 0 : (int64_t)((UINT64_C(1) << group->key.a) - 1);
}

static enum status set_key(int grouping, const struct trace *trace, const struct callpaths *paths,
                           const struct transfer_group *group, struct result_group *made, struct err *err)
{
    switch (grouping) {
    case TRANSFERS_OF_PAIR: set_pair(group, made); return STATUS_OK;
    case TRANSFERS_OF_WINDOW: return set_window(trace, group, made, err);
    case TRANSFERS_OF_PLACE: return set_place(trace, paths, group, made, err);
    default: set_size(group, made); return STATUS_OK;
    }
}

ORDER(compare_groups, struct result_group, UP(origin) UP(target) UP(window) UP(from_bytes) BY_TEXT(kind))

ORDER(compare_places, struct result_group, DOWN(bytes) BY_TEXT(name) BY_TEXT(file) UP(line) BY_TEXT(function) DOWN(count))

static enum status report_list(const struct transfer_list *list, int grouping, const struct trace *trace,
                               const struct callpaths *paths, struct result_groups *into, struct err *err)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct transfer_group *group = &list->items[i];
        struct result_group made = {.count = group->count,
                                    .bytes = group->bytes,
                                    .lower_bound_Bps = rate_histogram_report(&group->lower),
                                    .upper_bound_Bps = rate_histogram_report(&group->upper)};
        enum status status = set_key(grouping, trace, paths, group, &made, err);
        if (status == STATUS_OK)
            status = array_reserve((void **)&into->items, &into->capacity, into->count + 1, sizeof made, err);
        if (status != STATUS_OK) {
            result_group_clear(&made);
            return status;
        }
        into->items[into->count++] = made;
    }
    if (into->count > 1)
        qsort(into->items, into->count, sizeof *into->items,
              grouping == TRANSFERS_OF_PLACE ? compare_places : compare_groups);
    return STATUS_OK;
}

enum status transfer_groups_report(const struct transfer_groups *groups, const struct trace *trace,
                                   const struct callpaths *paths, struct result *result, struct err *err)
{
    for (int g = 0; g < TRANSFER_GROUPINGS; g++)
        TRY(report_list(&groups->lists[g], g, trace, paths, &result->transfer_groups[g], err));
    return STATUS_OK;
}
