#include "model/match/shmem_writes.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"

/* Whether a call of this kind may end a wait of another PE. */
static bool is_write(enum call_kind kind)
{
    bool puts = kind == CALL_SHMEM_PUT || kind == CALL_SHMEM_PUT_NBI;
    return puts || kind == CALL_SHMEM_ATOMIC || kind == CALL_SHMEM_FETCH;
}

bool shmem_is_wait(enum call_kind kind)
{
    return kind == CALL_SHMEM_WAIT || kind == CALL_SHMEM_TEST;
}

bool shmem_wait_ended(const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    return kind == CALL_SHMEM_WAIT || (kind == CALL_SHMEM_TEST && call->flags & TRACE_FLAG);
}

static uint64_t wait_key(uint32_t rank, size_t call)
{
    return (uint64_t)rank << 40 | call;
}

ORDER(by_target_and_time, struct shmem_write, UP(target) UP(time_ps) UP(origin) UP(call))

static enum status collect_writes(const struct trace *trace, struct shmem_writes *writes, struct err *err)
{
    size_t capacity = 0;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        for (size_t i = 0; i < trace->ranks[rank].count; i++) {
            const struct trace_call *call = &trace->ranks[rank].calls[i];
            if (!is_write(call_kind(call->call)) || call->peer < 0) continue;
            const struct trace_sim *sim = trace->ranks[rank].sim ? &trace->ranks[rank].sim[i] : NULL;
            bool fetches = call_kind(call->call) == CALL_SHMEM_FETCH; /* its recorded end is that of the result, at the
                                                                         origin */
            bool known = sim && sim->xfer_end_ps != TRACE_UNKNOWN_PS && !fetches;
            int64_t longest_ps = known ? 0 : call->exit_ps - call->enter_ps;
            if (longest_ps > writes->longest_ps) writes->longest_ps = longest_ps;
            struct shmem_write write = {(uint32_t)call->peer, rank, i, known ? sim->xfer_end_ps : call->exit_ps, known};
            ARRAY_PUSH(writes->items, writes->count, capacity, write, err);
        }
    return STATUS_OK;
}

enum status shmem_writes_find(const struct trace *trace, struct shmem_writes *writes, struct err *err)
{
    struct shmem_writes made = {0};
    enum status status = collect_writes(trace, &made, err);
    if (status != STATUS_OK) {
        shmem_writes_clear(&made);
        return status;
    }
    if (made.count > 0) qsort(made.items, made.count, sizeof *made.items, by_target_and_time);
    *writes = made;
    return STATUS_OK;
}

/* One end of a signal: the put, or the wait of the place's owner. */
struct signal_end {
    uint32_t target, waits;
    int64_t disp;
    uint32_t rank;
    size_t call, item; /* item: of the put, in writes.items */
};

ORDER(by_place, struct signal_end, UP(target) UP(disp) UP(waits) UP(rank) UP(call))

struct signal_ends {
    struct signal_end *items;
    size_t count, capacity;
};

static enum status collect_signals(const struct trace *trace, const struct shmem_writes *writes, struct signal_ends *ends,
                                   struct err *err)
{
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            if (call->call != ID_shmem_signal_wait_until || call->shmem.disp < 0) continue;
            const struct signal_end end = {.target = r, .waits = 1, .disp = call->shmem.disp, .rank = r, .call = i};
            ARRAY_PUSH(ends->items, ends->count, ends->capacity, end, err);
        }
    for (size_t i = 0; ends->count > 0 && i < writes->count; i++) {
        const struct shmem_write *write = &writes->items[i];
        const struct trace_call *call = &trace->ranks[write->origin].calls[write->call];
        if (!call_puts_signal(call->call) || call->rma.disp < 0) continue;
        const struct signal_end end = {write->target, 0, call->rma.disp, write->origin, write->call, i};
        ARRAY_PUSH(ends->items, ends->count, ends->capacity, end, err);
    }
    return STATUS_OK;
}

/* The ends of one place: puts, then as many waits. */
static enum status pair_place(const struct signal_end *ends, size_t count, struct shmem_writes *writes, struct err *err)
{
    uint64_t *slot;
    size_t puts = 0;
    while (puts < count && !ends[puts].waits && ends[puts].rank == ends[0].rank) puts++;
    if (puts * 2 != count || puts == 0 || !ends[puts].waits) return STATUS_OK;
    for (size_t i = 0; i < puts; i++)
        TRY(map_put(&writes->signals, wait_key(ends[puts + i].rank, ends[puts + i].call), ends[i].item, &slot, err));
    return STATUS_OK;
}

enum status shmem_writes_pair(const struct trace *trace, struct shmem_writes *writes, struct err *err)
{
    struct signal_ends ends = {0};
    enum status status = collect_signals(trace, writes, &ends, err);
    if (status == STATUS_OK && ends.count > 0) qsort(ends.items, ends.count, sizeof *ends.items, by_place);
    for (size_t i = 0, end; status == STATUS_OK && i < ends.count; i = end) {
        for (end = i; end < ends.count; end++)
            if (ends.items[end].target != ends.items[i].target || ends.items[end].disp != ends.items[i].disp) break;
        status = pair_place(ends.items + i, end - i, writes, err);
    }
    free(ends.items);
    return status;
}

void shmem_writes_clear(struct shmem_writes *writes)
{
    free(writes->items);
    map_clear(&writes->signals);
    *writes = (struct shmem_writes){0};
}

/* The first write to the rank after that time, or else the first one to a later rank. */
static size_t first_after(const struct shmem_writes *writes, uint32_t rank, int64_t time_ps)
{
    const struct shmem_write *items = writes->items;
    size_t low = 0;
    SEARCH_FIRST(low, writes->count, i,
                 items[i].target < rank || (items[i].target == rank && items[i].time_ps <= time_ps));
    return low;
}

static bool writes_to(const struct trace *trace, const struct shmem_write *write, const struct trace_call *wait)
{
    const struct trace_call *call = &trace->ranks[write->origin].calls[write->call];
    int64_t bytes = call->bytes > 0 ? call->bytes : call->rma.result_bytes;
    if (wait->shmem.disp < 0 && call->rma.disp < 0) return true; /* another tool's archive has no addresses: take the
                                                                    last write */
    if (call_puts_signal(call->call)) return call->rma.disp >= 0 && call->rma.disp == wait->shmem.disp;
    return call->rma.disp >= 0 && call->rma.disp <= wait->shmem.disp && wait->shmem.disp < call->rma.disp + bytes;
}

/* Of the writes from `first` on, whose calls return after the wait: the first one that had begun when the wait
 * returned. */
static const struct shmem_write *under_way(const struct shmem_writes *writes, const struct trace *trace, uint32_t rank,
                                           const struct trace_call *wait, size_t first)
{
    for (size_t i = first; i < writes->count && writes->items[i].target == rank; i++) {
        const struct shmem_write *write = &writes->items[i];
        if (write->time_ps - writes->longest_ps > wait->exit_ps) return NULL;
        int64_t enter_ps = trace->ranks[write->origin].calls[write->call].enter_ps;
        if (!write->known && enter_ps <= wait->exit_ps && writes_to(trace, write, wait)) return write;
    }
    return NULL;
}

const struct shmem_write *shmem_writes_cause(const struct shmem_writes *writes, const struct trace *trace,
                                             uint32_t rank, size_t index)
{
    const struct trace_call *wait = &trace->ranks[rank].calls[index];
    const struct shmem_write *before = NULL, *later;
    if (!shmem_wait_ended(wait)) return NULL;
    const uint64_t *signal = map_find(&writes->signals, wait_key(rank, index));
    if (signal) return &writes->items[*signal];
    size_t first = first_after(writes, rank, wait->exit_ps);
    for (size_t i = first; !before && i-- > 0 && writes->items[i].target == rank;)
        if (writes_to(trace, &writes->items[i], wait)) before = &writes->items[i];
    if (before && before->time_ps > wait->enter_ps) return before;
    later = under_way(writes, trace, rank, wait, first);
    return later ? later : before;
}

/* *last is the last call of the same thread for the address of call `index`, or `index` itself if there is none
 * before. */
static enum status last_of_row(const struct trace *trace, uint32_t rank, size_t index, struct map *rows,
                               uint64_t **last, struct err *err)
{
    const struct trace_call *calls = trace->ranks[rank].calls;
    uint32_t thread = trace_call_thread(trace, rank, index);
    for (uint64_t key = map_mix((uint64_t)calls[index].shmem.disp, thread);;
         key++) { /* keys of two addresses may be equal */
        TRY(map_put(rows, key, index, last, err));
        bool same = calls[**last].shmem.disp == calls[index].shmem.disp;
        if (same && trace_call_thread(trace, rank, (size_t) * *last) == thread) return STATUS_OK;
    }
}

static bool is_failed_test(const struct trace_call *call)
{
    return call_kind(call->call) == CALL_SHMEM_TEST && !(call->flags & TRACE_FLAG);
}

static enum status link_rows(const struct trace *trace, uint32_t rank, size_t *before, struct map *rows,
                             struct err *err)
{
    const struct trace_rank *process = &trace->ranks[rank];
    for (size_t i = 0; i < process->count; i++) {
        uint64_t *last;
        before[i] = SHMEM_NO_TEST;
        if (!shmem_is_wait(call_kind(process->calls[i].call))) continue;
        TRY(last_of_row(trace, rank, i, rows, &last, err));
        if (*last != i && is_failed_test(&process->calls[*last])) before[i] = (size_t)*last;
        *last = i;
    }
    return STATUS_OK;
}

bool shmem_quiet_completes(const struct trace *trace, uint32_t rank, size_t quiet, size_t operation)
{
    const struct trace_call *calls = trace->ranks[rank].calls;
    return trace_call_thread(trace, rank, quiet) == trace_call_thread(trace, rank, operation) ||
           calls[operation].exit_ps < calls[quiet].enter_ps;
}

enum status shmem_rows_find(const struct trace *trace, uint32_t rank, size_t **before, struct err *err)
{
    const struct trace_rank *process = &trace->ranks[rank];
    struct map rows = {0};
    size_t first = 0;
    *before = NULL;
    while (first < process->count && !is_failed_test(&process->calls[first])) first++;
    if (first == process->count) return STATUS_OK;
    size_t *made = malloc(process->count * sizeof *made);
    if (!made) return err_memory(err);
    enum status status = link_rows(trace, rank, made, &rows, err);
    map_clear(&rows);
    GIVE(status, *before = made, free(made));
}
