#include "tests/slices/memory_source.h"

#include <stdlib.h>
#include <string.h>

struct memory {
    const struct trace *trace;
    size_t *next; /* per rank */
};

/* Lists of requests come and go with the calls. */
static enum status copy_list(struct trace *to, const struct trace *from, struct trace_call *call, struct err *err)
{
    enum call_kind kind = call_kind(call->call);
    if (kind != CALL_REQUEST_WAITALL && kind != CALL_REQUEST_TESTALL) return STATUS_OK;
    const struct trace_list *list = &from->definitions.lists[call->ref];
    return trace_add_list(to, from->definitions.requests + list->first, list->count, &call->ref, err);
}

static enum status read_memory(struct trace_source *source, uint32_t rank, size_t calls, bool *ended, struct err *err)
{
    struct memory *memory = source->state;
    const struct trace_rank *from = &memory->trace->ranks[rank];
    struct trace_rank *to = &source->trace->ranks[rank];
    size_t *next = &memory->next[rank];
    for (size_t i = 0; i < calls && *next < from->count; i++, ++*next) {
        struct trace_call call = from->calls[*next];
        TRY(copy_list(source->trace, memory->trace, &call, err));
        TRY(trace_add_call(source->trace, rank, &call, err));
        if (call.flags & TRACE_GAPS) {
            struct trace_extents extents = trace_call_extents(memory->trace, rank, *next);
            TRY(trace_set_extents(source->trace, rank, to->count - 1, &extents, err));
        }
        if (from->sim) to->sim[to->count - 1] = from->sim[*next];
        for (int b = 0; b < BEFORE_COUNT; b++) {
            if (!from->before_ps[b]) continue;
            if (b == BEFORE_CORE_WAIT_INSIDE || source->keeps_before || source->adds_before)
                TRY(trace_set_before(source->trace, rank, to->count - 1, (enum trace_before)b, from->before_ps[b][*next], err));
            else
                trace_sum_before(source->trace, rank, (enum trace_before)b, from->before_ps[b][*next]);
        }
    }
    *ended = *next == from->count;
    return STATUS_OK;
}

static void close_memory(struct trace_source *source)
{
    struct memory *memory = source->state;
    free(memory->next);
    free(memory);
}

static enum status copy_ends(const struct trace *from, struct trace *to, struct err *err)
{
    to->provenance.core_waits = from->provenance.core_waits;
    for (uint32_t r = 0; r < from->rank_count; r++) {
        const char *why = from->ranks[r].incomplete_why;
        to->ranks[r].incomplete = from->ranks[r].incomplete;
        trace_copy_pace(&to->ranks[r], &from->ranks[r]);
        if (why && !(to->ranks[r].incomplete_why = strdup(why))) return err_memory(err);
    }
    return STATUS_OK;
}

enum status source_of_trace(const struct trace *trace, struct trace_source *source, struct err *err)
{
    *source = (struct trace_source){.checked = true, .read = read_memory, .close = close_memory};
    TRY(trace_check_one_thread(trace, "analysis in slices", err));
    struct memory *memory = calloc(1, sizeof *memory);
    if (!memory) return err_memory(err);
    source->state = memory;
    memory->trace = trace;
    memory->next = calloc((size_t)trace->rank_count + 1, sizeof *memory->next);
    enum status status = memory->next ? trace_new_like(trace, &source->trace, err) : err_memory(err);
    if (status == STATUS_OK) status = copy_ends(trace, source->trace, err);
    if (status != STATUS_OK) source_close(source);
    return status;
}
