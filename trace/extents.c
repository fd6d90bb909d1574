/* Stores what the buffers of calls span in memory. The values are few, so each is stored once. */
#include <string.h>

#include "common/array.h"
#include "trace/trace.h"

static bool has_buffer(enum call_kind kind, int buffer)
{
    return call_kind_rows[kind].buffers >> buffer & 1;
}

const char *trace_extent_key(enum call_kind kind, enum trace_buffer buffer)
{
    static const char *const one_sided[] = {"origin_extent", "target_extent", "result_extent"};
    static const char *const other[] = {"send_extent", NULL, "recv_extent"};
    if (!has_buffer(kind, (int)buffer)) return NULL;
    return has_buffer(kind, TRACE_TARGET) ? one_sided[buffer] : other[buffer];
}

bool trace_extents_fit(enum call_kind kind, const struct trace_extents *extents)
{
    for (int i = 0; i < TRACE_BUFFERS; i++)
        if (extents->of[i] < 0 || extents->of[i] > TRACE_EXTENT_MAX || (extents->of[i] > 0 && !has_buffer(kind, i)))
            return false;
    return true;
}

enum status trace_add_extents(struct trace *trace, const struct trace_extents *extents, uint32_t *id, struct err *err)
{
    struct trace_definitions *tables = &trace->definitions;
    static const struct trace_extents none;
    size_t count = tables->extents_count > 0 ? tables->extents_count : 1;
    TRY(array_reserve((void **)&tables->extents, &tables->extents_capacity, count + 1, sizeof *tables->extents, err));
    tables->extents[0] = none;
    tables->extents_count = count;
    uint64_t *slot, hash = 0;
    for (int i = 0; i < TRACE_BUFFERS; i++) hash = map_mix(hash, (uint64_t)extents->of[i]);
    for (;; hash++) {
        TRY(map_put(&tables->extents_index, hash, count, &slot, err));
        if (*slot == count) break;
        if (memcmp(&tables->extents[*slot], extents, sizeof *extents) != 0) continue;
        *id = (uint32_t)*slot;
        return STATUS_OK;
    }
    tables->extents[count] = *extents;
    tables->extents_count = count + 1;
    *id = (uint32_t)count;
    return STATUS_OK;
}

enum status trace_reserve_extents(struct trace_rank *rank, struct err *err)
{
    size_t known = rank->extents ? rank->extent_capacity : 0;
    size_t room = rank->capacity > rank->count ? rank->capacity : rank->count;
    TRY(array_reserve((void **)&rank->extents, &rank->extent_capacity, room, sizeof *rank->extents, err));
    if (rank->extent_capacity > known)
        memset(rank->extents + known, 0, (rank->extent_capacity - known) * sizeof *rank->extents);
    return STATUS_OK;
}

enum status trace_set_extents(struct trace *trace, uint32_t rank, size_t index, const struct trace_extents *extents,
                              struct err *err)
{
    struct trace_rank *process = &trace->ranks[rank];
    bool gaps = false;
    uint32_t id;
    for (int i = 0; i < TRACE_BUFFERS; i++) gaps = gaps || extents->of[i] != 0;
    if (!gaps) return STATUS_OK;
    TRY(trace_add_extents(trace, extents, &id, err));
    TRY(trace_reserve_extents(process, err));
    process->extents[index] = id;
    process->calls[index].flags |= TRACE_GAPS;
    return STATUS_OK;
}

struct trace_extents trace_call_extents(const struct trace *trace, uint32_t rank, size_t index)
{
    const struct trace_rank *process = &trace->ranks[rank];
    bool known = process->extents && process->extents[index] != 0;
    return known ? trace->definitions.extents[process->extents[index]] : (struct trace_extents){{0}};
}

enum status trace_copy_extents(struct trace *to, const struct trace *from, uint32_t rank, struct err *err)
{
    struct trace_rank *made = &to->ranks[rank];
    if (!from->ranks[rank].extents) return STATUS_OK;
    TRY(trace_reserve_extents(made, err));
    const uint32_t *ids = from->ranks[rank].extents;
    for (size_t i = 0; i < from->ranks[rank].count; i++)
        if (ids[i] != 0) TRY(trace_add_extents(to, &from->definitions.extents[ids[i]], &made->extents[i], err));
    return STATUS_OK;
}
