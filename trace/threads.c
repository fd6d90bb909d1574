/* Threads of a rank: the thread of each call, and one order of all calls. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "trace/trace.h"

uint32_t trace_thread_count(const struct trace *trace, uint32_t rank)
{
    uint32_t count = trace->ranks[rank].thread_count;
    return count > 0 ? count : 1;
}

uint32_t trace_call_thread(const struct trace *trace, uint32_t rank, size_t index)
{
    const uint16_t *thread = trace->ranks[rank].thread;
    return thread ? thread[index] : 0;
}

enum status trace_check_one_thread(const struct trace *trace, const char *what, struct err *err)
{
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        if (trace->ranks[rank].thread_count == 0) continue;
        char place[TRACE_PLACE_BYTES];
        snprintf(place, sizeof place, "rank %" PRIu32, rank);
        if (trace_thread_count(trace, rank) == 1)
            return err_set(err, STATUS_DATA, trace->name, place, "thread primitives, expected none for %s", what);
        return err_set(err, STATUS_DATA, trace->name, place, "%" PRIu32 " threads, expected one thread per rank for %s",
                       trace_thread_count(trace, rank), what);
    }
    return STATUS_OK;
}

struct place {
    int64_t enter_ps;
    uint32_t order;
    size_t index; /* in the order of adding */
};

ORDER(by_time, struct place, UP(enter_ps) UP(order) UP(index))

/* Sorts the items of an array into the order of places; spare has room for all of them. */
static void permute_items(void *items, const struct place *places, size_t count, size_t item_bytes, void *spare)
{
    if (!items) return;
    for (size_t i = 0; i < count; i++)
        memcpy((char *)spare + i * item_bytes, (char *)items + places[i].index * item_bytes, item_bytes);
    memcpy(items, spare, count * item_bytes);
}

enum status trace_sort_calls(struct trace *trace, uint32_t rank, const uint32_t *order, struct err *err)
{
    struct trace_rank *process = &trace->ranks[rank];
    if (process->count == 0) return STATUS_OK;
    struct place *places = malloc(process->count * sizeof *places);
    void *spare = malloc(process->count * sizeof *process->sim);
    _Static_assert(sizeof *process->sim >= sizeof *process->calls, "room for every array's items");
    if (!places || !spare) {
        FREE_ALL(places, spare);
        return err_memory(err);
    }
    for (size_t i = 0; i < process->count; i++)
        places[i] = (struct place){process->calls[i].enter_ps, order ? order[i] : 0, i};
    qsort(places, process->count, sizeof *places, by_time);
    permute_items(process->calls, places, process->count, sizeof *process->calls, spare);
    permute_items(process->sim, places, process->count, sizeof *process->sim, spare);
    for (int b = 0; b < BEFORE_COUNT; b++)
        permute_items(process->before_ps[b], places, process->count, sizeof *process->before_ps[b], spare);
    permute_items(process->compute_ps, places, process->count, sizeof *process->compute_ps, spare);
    permute_items(process->extents, places, process->count, sizeof *process->extents, spare);
    permute_items(process->thread, places, process->count, sizeof *process->thread, spare);
    process->unsorted = false;
    FREE_ALL(places, spare);
    return STATUS_OK;
}

enum status trace_sort_threads(struct trace *trace, struct err *err)
{
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        if (trace->ranks[rank].unsorted) TRY(trace_sort_calls(trace, rank, NULL, err));
    return STATUS_OK;
}
