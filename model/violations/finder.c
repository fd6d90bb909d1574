#include "model/violations/finder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "model/callpaths/callpath.h"

/* A violation without another call comes last. */
static int compare_places(const struct violation *one, const struct violation *other)
{
    const uint64_t keys[][2] = {{one->at.rank, other->at.rank},
                                {one->at.event, other->at.event},
                                {one->other.rank, other->other.rank},
                                {one->other.event - 1, other->other.event - 1}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1]) return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

/* Owns made->detail, also on failure. */
static enum status insert_violation(struct kind_list *list, const struct violation *made, struct err *err)
{
    size_t place = list->count;
    enum status status = array_reserve((void **)&list->items, &list->capacity, list->count + 1, sizeof *list->items, err);
    if (status != STATUS_OK) {
        free(made->detail);
        return status;
    }
    while (place > 0 && compare_places(made, &list->items[place - 1]) < 0) place--;
    if (list->count == VIOLATIONS_PER_KIND) free(list->items[--list->count].detail);
    memmove(&list->items[place + 1], &list->items[place], (list->count - place) * sizeof *list->items);
    list->items[place] = *made;
    list->count++;
    return STATUS_OK;
}

static bool has_room(const struct kind_list *list, const struct violation *made)
{
    return list->count < VIOLATIONS_PER_KIND || compare_places(made, &list->items[list->count - 1]) < 0;
}

static enum status add_printed(struct kind_list *list, struct violation *made, struct err *err, const char *format,
                               va_list arguments)
{
    list->total++;
    if (!has_room(list, made)) return STATUS_OK;
    return vasprintf(&made->detail, format, arguments) < 0 ? err_memory(err) : insert_violation(list, made, err);
}

enum status kind_list_add(struct kind_list *list, enum violation_kind kind, struct place at, struct place other,
                          struct err *err, const char *format, ...)
{
    struct violation made = {.kind = kind, .at = at, .other = other};
    va_list arguments;
    va_start(arguments, format);
    enum status status = add_printed(list, &made, err, format, arguments);
    va_end(arguments);
    return status;
}

enum status finder_add(struct violation_finder *finder, enum violation_kind kind, struct place at, struct place other,
                       const char *format, ...)
{
    struct violation made = {.kind = kind, .at = at, .other = other};
    va_list arguments;
    va_start(arguments, format);
    enum status status = add_printed(&finder->kinds[kind], &made, finder->err, format, arguments);
    va_end(arguments);
    return status;
}

enum status kind_list_move(struct kind_list *list, struct violation_finder *finder)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < list->count; i++) {
        struct violation *made = &list->items[i];
        struct kind_list *to = &finder->kinds[made->kind];
        if (i == 0) to->total += list->total;
        if (!has_room(to, made)) continue;
        status = insert_violation(to, made, finder->err);
        made->detail = NULL;
    }
    kind_list_clear(list);
    return status;
}

void kind_list_clear(struct kind_list *list)
{
    for (size_t i = 0; i < list->count; i++) free(list->items[i].detail);
    free(list->items);
    *list = (struct kind_list){.total = 0};
}

struct place finder_place(const struct violation_finder *finder, uint32_t rank, size_t index)
{
    const struct trace *trace = finder->trace;
    const struct trace_call *call = &trace->ranks[rank].calls[index];
    return (struct place){.enter_ps = call->enter_ps,
                          .event = trace_event(trace, rank, index),
                          .rank = rank,
                          .node = callpath_at(finder->paths, rank, index),
                          .site = call->site,
                          .call = call->call,
                          .thread = (uint16_t)trace_call_thread(trace, rank, index)};
}

enum status finder_keep_place(struct violation_finder *finder, struct place place, uint64_t *number)
{
    *number = finder->unused_places;
    if (*number == 0) {
        ARRAY_PUSH(finder->places, finder->place_count, finder->place_capacity, place, finder->err);
        *number = finder->place_count;
        return STATUS_OK;
    }
    finder->unused_places = (size_t)finder->places[*number - 1].event;
    finder->places[*number - 1] = place;
    return STATUS_OK;
}

void finder_drop_place(struct violation_finder *finder, uint64_t number)
{
    finder->places[number - 1].event = finder->unused_places;
    finder->unused_places = (size_t)number;
}

enum status sparse_item(struct sparse *sparse, uint32_t a, uint32_t b, void **item, struct err *err)
{
    uint64_t *slot;
    TRY(array_reserve((void **)&sparse->items, &sparse->capacity, sparse->count + 1, sparse->bytes, err));
    TRY(map_put(&sparse->index, map_pair(a, b), sparse->count, &slot, err));
    *item = sparse->items + *slot * sparse->bytes;
    if (*slot == sparse->count) memset(sparse->items + sparse->count++ * sparse->bytes, 0, sparse->bytes);
    return STATUS_OK;
}

void sparse_clear(struct sparse *sparse)
{
    map_clear(&sparse->index);
    free(sparse->items);
}
