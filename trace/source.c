#include "trace/source.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/faults.h"

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

static struct source_cut *cut_of(const struct source_cuts *cuts, uint32_t rank)
{
    for (size_t i = 0; i < cuts->count; i++)
        if (cuts->items[i].rank == rank) return &cuts->items[i];
    return NULL;
}

enum status source_cuts_add(struct source_cuts *cuts, const struct err *cause, bool *added, struct err *err)
{
    struct source_cut made = {.rank = (uint32_t)cause->list, .event = (uint64_t)cause->item};
    struct source_cut *before = cause->list == ERR_NOWHERE ? NULL : cut_of(cuts, made.rank);
    *added = cause->list != ERR_NOWHERE && (!before || made.event < before->event);
    if (!*added) return STATUS_OK;
    TRY(array_reserve((void **)&cuts->items, &cuts->capacity, cuts->count + 1, sizeof made, err));
    made.text = strdup(cause->text);
    if (!made.text) return err_memory(err);
    before = cut_of(cuts, made.rank);
    if (before) free(before->text);
    *(before ? before : &cuts->items[cuts->count++]) = made;
    return STATUS_OK;
}

void source_cuts_clear(struct source_cuts *cuts)
{
    for (size_t i = 0; i < cuts->count; i++) free(cuts->items[i].text);
    free(cuts->items);
    *cuts = (struct source_cuts){.count = 0};
}

struct cut_source {
    struct trace_source whole;
    const struct source_cuts *cuts;
};

/* Removes a rank's calls from index keep on. */
static enum status remove_calls(struct cut_source *cut, uint32_t rank, size_t keep, int64_t *left_out, struct err *err)
{
    struct trace_rank *process = &cut->whole.trace->ranks[rank];
    size_t count = process->count, *moved = malloc((count + 1) * sizeof *moved);
    if (!moved) return err_memory(err);
    for (size_t i = 0; i < count; i++) moved[i] = i < keep ? i : SOURCE_GONE;
    *left_out += (int64_t)(count - keep);
    process->count = keep;
    enum status status = cut->whole.moved ? cut->whole.moved(&cut->whole, rank, moved, err) : STATUS_OK;
    free(moved);
    return status;
}

/* Reads the rest of a rank: it counts, and says what its receives before have received. */
static enum status leave_out(struct cut_source *cut, uint32_t rank, size_t keep, bool ended, int64_t *left_out, struct err *err)
{
    enum { AT_A_TIME = 1 << 11 };
    struct trace_definitions *definitions = &cut->whole.trace->definitions;
    TRY(remove_calls(cut, rank, keep, left_out, err));
    while (!ended) {
        size_t lists = definitions->list_count, requests = definitions->request_count;
        enum status status = cut->whole.read(&cut->whole, rank, AT_A_TIME, &ended, err);
        if (status == STATUS_DATA) {
            *left_out = TRACE_FAULT_UNCOUNTED;
            cut->whole.trace->ranks[rank].count = keep;
            return STATUS_OK;
        }
        TRY(status);
        TRY(remove_calls(cut, rank, keep, left_out, err));
        definitions->list_count = lists;
        definitions->request_count = requests;
    }
    return STATUS_OK;
}

static enum status read_cut(struct trace_source *source, uint32_t rank, size_t calls, bool *ended, struct err *err)
{
    struct cut_source *cut = source->state;
    struct trace_rank *process = &source->trace->ranks[rank];
    const struct source_cut *at = cut_of(cut->cuts, rank);
    int64_t left_out = 0;
    cut->whole.keeps_before = source->keeps_before;
    cut->whole.adds_before = source->adds_before;
    cut->whole.keeps_going = source->keeps_going;
    TRY(cut->whole.read(&cut->whole, rank, calls, ended, err));
    uint64_t read = process->first_event + (process->count - process->kept_count);
    if (!at || read <= at->event) return STATUS_OK;
    size_t keep = process->count - (size_t)(read - at->event);
    int64_t time_ps = process->calls[keep].enter_ps;
    TRY(leave_out(cut, rank, keep, *ended, &left_out, err));
    *ended = true;
    return trace_add_fault(source->trace, rank, (size_t)at->event, time_ps, left_out, at->text, err);
}

static enum status move_cut(struct trace_source *source, uint32_t rank, const size_t *moved, struct err *err)
{
    struct cut_source *cut = source->state;
    return cut->whole.moved ? cut->whole.moved(&cut->whole, rank, moved, err) : STATUS_OK;
}

static enum status end_cut(struct trace_source *source, struct err *err)
{
    struct cut_source *cut = source->state;
    return cut->whole.end ? cut->whole.end(&cut->whole, err) : STATUS_OK;
}

static void close_cut(struct trace_source *source)
{
    struct cut_source *cut = source->state;
    cut->whole.trace = source->trace;
    source->trace = NULL;
    source_close(&cut->whole);
    free(cut);
}

enum status source_cut_ranks(struct trace_source *source, const struct source_cuts *cuts, struct err *err)
{
    struct cut_source *made = malloc(sizeof *made);
    if (!made) return err_memory(err);
    *made = (struct cut_source){*source, cuts};
    *source = (struct trace_source){.trace = made->whole.trace,
                                    .state = made,
                                    .checked = made->whole.checked,
                                    .read = read_cut,
                                    .moved = move_cut,
                                    .end = end_cut,
                                    .close = close_cut};
    return STATUS_OK;
}
