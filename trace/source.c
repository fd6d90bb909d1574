#include "trace/source.h"

#include <stdlib.h>

#include "common/array.h"

void source_close(struct trace_source *source)
{
    if (source->close) source->close(source);
    trace_free(source->trace);
    *source = (struct trace_source){0};
}

static enum status drop_known(struct trace *trace, uint32_t rank, size_t *moved, struct err *err)
{
    struct trace_rank *process = &trace->ranks[rank];
    struct trace_kept *kept = NULL;
    size_t count = 0, capacity = 0;
    const uint64_t next_event = process->first_event + (process->count - process->kept_count);
    for (size_t i = 0; i < process->count; i++) {
        moved[i] = SOURCE_GONE;
        if (!source_knows_less(&process->calls[i])) continue;
        const struct trace_kept made = {.event = trace_event(trace, rank, i) - 1, .call = process->calls[i].call};
        ARRAY_PUSH(kept, count, capacity, made, err);
        moved[i] = count - 1;
        process->calls[count - 1] = process->calls[i];
    }
    free(process->kept);
    process->kept = kept;
    process->kept_count = process->count = count;
    process->first_event = next_event;
    return STATUS_OK;
}

enum status source_drop_calls(struct trace_source *source, uint32_t rank, struct err *err)
{
    size_t *moved = malloc((source->trace->ranks[rank].count + 1) * sizeof *moved);
    if (!moved) return err_memory(err);
    enum status status = drop_known(source->trace, rank, moved, err);
    source->trace->definitions.list_count = source->trace->definitions.request_count = 0;
    if (status == STATUS_OK && source->moved) status = source->moved(source, rank, moved, err);
    free(moved);
    return status;
}
