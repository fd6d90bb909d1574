#include "model/behaviour/window_creations.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "common/units.h"

void window_creations_clear(struct window_creations *creations)
{
    free(creations->items);
    map_clear(&creations->places);
    map_clear(&creations->of_rank);
    memset(creations, 0, sizeof *creations);
}

static enum status item_of(struct window_creations *creations, uint32_t site, uint16_t call, size_t *item,
                           struct err *err)
{
    uint64_t *slot;
    TRY(map_put(&creations->places, (uint64_t)site << 16 | call, creations->count, &slot, err));
    *item = (size_t)*slot;
    const struct window_creation made = {.site = site, .call = call};
    if (*item == creations->count) ARRAY_PUSH(creations->items, creations->count, creations->capacity, made, err);
    return STATUS_OK;
}

static enum status add_call(struct window_creations *creations, uint32_t rank, const struct trace_call *call,
                            struct err *err)
{
    size_t item;
    uint64_t *own;
    TRY(item_of(creations, call->site, call->call, &item, err));
    TRY(map_put(&creations->of_rank, map_pair((uint32_t)item, rank), 0, &own, err));
    struct window_creation *creation = &creations->items[item];
    creation->count++;
    creation->ps += call->exit_ps - call->enter_ps;
    if (++*own > creation->most) creation->most = *own;
    return STATUS_OK;
}

enum status window_creations_add(struct window_creations *creations, const struct trace *trace, struct err *err)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *rank = &trace->ranks[r];
        for (size_t i = rank->kept_count; i < rank->count; i++) {
            const struct trace_call *call = &rank->calls[i];
            if (call_kind(call->call) == CALL_WIN_CREATE && trace->definitions.sites[call->site].file)
                TRY(add_call(creations, r, call, err));
        }
    }
    return STATUS_OK;
}

ORDER(compare_time, struct result_creation, DOWN(time_s) BY_TEXT(file) UP(line) UP(call))

enum status window_creations_report(const struct window_creations *creations, const struct trace *trace,
                                    struct result *result, struct err *err)
{
    for (size_t i = 0; i < creations->count; i++) {
        const struct window_creation *creation = &creations->items[i];
        const struct trace_site *site = &trace->definitions.sites[creation->site];
        struct result_creation made = {.call = (enum mpi_call)creation->call,
                                       .line = site->line,
                                       .count = creation->count,
                                       .most = creation->most,
                                       .time_s = units_s(creation->ps)};
        if (creation->most < 2) continue;
        TRY(array_reserve((void **)&result->creations, &result->creation_capacity, result->creation_count + 1,
                          sizeof *result->creations, err));
        if (!(made.file = strdup(site->file))) return err_memory(err);
        result->creations[result->creation_count++] = made;
    }
    if (result->creation_count > 1)
        qsort(result->creations, result->creation_count, sizeof *result->creations, compare_time);
    return STATUS_OK;
}
