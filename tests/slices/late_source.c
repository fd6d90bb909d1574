#include "tests/slices/late_source.h"

#include <stdlib.h>

#include "common/map.h"
#include "tests/slices/memory_source.h"

struct late_rank {
    struct map made, completed; /* requests of receives: where they are made, and completed */
    size_t read;                /* calls */
};

struct late {
    const struct trace *trace;
    struct trace_source memory; /* its trace is the source's */
    struct late_rank *ranks;
};

static enum status note(struct late *late, uint32_t rank, size_t index, struct err *err)
{
    const struct trace *trace = late->trace;
    const struct trace_call *call = &trace->ranks[rank].calls[index];
    enum call_kind kind = call_kind(call->call);
    bool list = kind == CALL_REQUEST_WAITALL || kind == CALL_REQUEST_TESTALL;
    bool one = kind == CALL_REQUEST_WAIT || (kind == CALL_REQUEST_TEST && call->flags & TRACE_FLAG);
    const uint32_t *ids = list ? trace->definitions.requests + trace->definitions.lists[call->ref].first : &call->ref;
    uint64_t *slot;
    if (kind == CALL_IRECV) return map_put(&late->ranks[rank].made, call->ref, index, &slot, err);
    for (uint32_t i = 0; i < (list ? trace->definitions.lists[call->ref].count : one); i++)
        TRY(map_put(&late->ranks[rank].completed, ids[i], index, &slot, err));
    return STATUS_OK;
}

/* What is complete is told in full, the rest not yet; at the end everything is. */
static void tell(struct late *late, struct trace_rank *process, uint32_t rank, bool ended)
{
    const struct late_rank *of = &late->ranks[rank];
    for (size_t i = 0; i < process->count; i++) {
        struct trace_call *call = &process->calls[i];
        if (call_kind(call->call) != CALL_IRECV) continue;
        const uint64_t *made = map_find(&of->made, call->ref), *completed = map_find(&of->completed, call->ref);
        const struct trace_call *whole = &late->trace->ranks[rank].calls[*made];
        bool known = ended || (completed && *completed < of->read);
        call->handle = known ? whole->handle : TRACE_NONE;
        call->peer = known ? whole->peer : TRACE_NONE;
        call->message.tag = known ? whole->message.tag : 0;
    }
}

static enum status read_late(struct trace_source *source, uint32_t rank, size_t calls, bool *ended, struct err *err)
{
    struct late *late = source->state;
    struct trace_rank *process = &source->trace->ranks[rank];
    size_t before = process->count;
    late->memory.keeps_before = source->keeps_before;
    TRY(late->memory.read(&late->memory, rank, calls, ended, err));
    late->ranks[rank].read += process->count - before;
    tell(late, process, rank, *ended);
    return STATUS_OK;
}

static void close_late(struct trace_source *source)
{
    struct late *late = source->state;
    for (uint32_t r = 0; late->ranks && r < late->trace->rank_count; r++) {
        map_clear(&late->ranks[r].made);
        map_clear(&late->ranks[r].completed);
    }
    free(late->ranks);
    late->memory.trace = source->trace; /* NULL: it was taken */
    source_close(&late->memory);
    source->trace = NULL; /* was the other's */
    free(late);
}

static enum status note_all(struct late *late, struct err *err)
{
    late->ranks = calloc((size_t)late->trace->rank_count + 1, sizeof *late->ranks);
    if (!late->ranks) return err_memory(err);
    for (uint32_t r = 0; r < late->trace->rank_count; r++)
        for (size_t i = 0; i < late->trace->ranks[r].count; i++) TRY(note(late, r, i, err));
    return STATUS_OK;
}

enum status late_source_of_trace(const struct trace *trace, struct trace_source *source, struct err *err)
{
    struct late *late = calloc(1, sizeof *late);
    if (!late) return err_memory(err);
    late->trace = trace;
    enum status status = source_of_trace(trace, &late->memory, err);
    if (status != STATUS_OK) {
        free(late);
        return status;
    }
    *source = (struct trace_source){.trace = late->memory.trace,
                                    .state = late,
                                    .checked = late->memory.checked,
                                    .read = read_late,
                                    .close = close_late};
    status = note_all(late, err);
    if (status != STATUS_OK) source_close(source);
    return status;
}
