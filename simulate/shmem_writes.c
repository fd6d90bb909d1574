#include "simulate/shmem_writes.h"

#include <stdlib.h>

#include "common/array.h"

static bool is_write(enum call_kind kind)
{
    bool puts = kind == CALL_SHMEM_PUT || kind == CALL_SHMEM_PUT_NBI;
    return puts || kind == CALL_SHMEM_ATOMIC || kind == CALL_SHMEM_FETCH;
}

static int by_target_and_time(const void *one, const void *two)
{
    const struct shmem_write *a = one, *b = two;
    if (a->target != b->target) return a->target < b->target ? -1 : 1;
    if (a->time_ps != b->time_ps) return a->time_ps < b->time_ps ? -1 : 1;
    if (a->origin != b->origin) return a->origin < b->origin ? -1 : 1;
    return (a->call > b->call) - (a->call < b->call);
}

static enum status collect(const struct trace *trace, struct shmem_writes *writes, struct err *err)
{
    size_t capacity = 0;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        for (size_t i = 0; i < trace->ranks[rank].count; i++) {
            const struct trace_call *call = &trace->ranks[rank].calls[i];
            if (!is_write(call_kind(call->call)) || call->peer < 0) continue;
            const struct trace_sim *sim = trace->ranks[rank].sim ? &trace->ranks[rank].sim[i] : NULL;
            bool known = sim && sim->xfer_end_ps != TRACE_UNKNOWN_PS;
            struct shmem_write write = {(uint32_t)call->peer, rank, i, known ? sim->xfer_end_ps : call->enter_ps};
            ARRAY_PUSH(writes->items, writes->count, capacity, write, err);
        }
    return STATUS_OK;
}

enum status shmem_writes_find(const struct trace *trace, struct shmem_writes *writes, struct err *err)
{
    struct shmem_writes made = {0};
    enum status status = collect(trace, &made, err);
    if (status != STATUS_OK) {
        shmem_writes_clear(&made);
        return status;
    }
    if (made.count > 0) qsort(made.items, made.count, sizeof *made.items, by_target_and_time);
    *writes = made;
    return STATUS_OK;
}

void shmem_writes_clear(struct shmem_writes *writes)
{
    free(writes->items);
    *writes = (struct shmem_writes){0};
}

/* The first write to the rank behind that time, or of a later rank. */
static size_t behind(const struct shmem_writes *writes, uint32_t rank, int64_t time_ps)
{
    size_t low = 0, high = writes->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct shmem_write *write = &writes->items[middle];
        if (write->target < rank || (write->target == rank && write->time_ps <= time_ps))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct shmem_write *shmem_writes_cause(const struct shmem_writes *writes, const struct trace *trace,
                                             uint32_t rank, size_t index)
{
    const struct trace_call *wait = &trace->ranks[rank].calls[index];
    enum call_kind kind = call_kind(wait->call);
    if (kind != CALL_SHMEM_WAIT && (kind != CALL_SHMEM_TEST || !(wait->flags & TRACE_FLAG))) return NULL;
    for (size_t i = behind(writes, rank, wait->exit_ps); i-- > 0 && writes->items[i].target == rank;) {
        const struct shmem_write *write = &writes->items[i];
        const struct trace_call *call = &trace->ranks[write->origin].calls[write->call];
        int64_t bytes = call->bytes > 0 ? call->bytes : call->aux;
        bool unknown = wait->disp < 0 && call->disp < 0; /* a foreign archive: the last write is taken */
        if (unknown || (call->disp >= 0 && call->disp <= wait->disp && wait->disp < call->disp + bytes)) return write;
    }
    return NULL;
}
