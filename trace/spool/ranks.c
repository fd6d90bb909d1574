/* All records of a rank: those of its threads together, and how its files end. */
#include <stdlib.h>

#include "common/array.h"
#include "trace/faults.h"
#include "trace/spool/events.h"

/* The first call added since a time before it was read has it. */
static enum status note_before(struct events *events, size_t index)
{
    if (events->trace->ranks[events->number].count == index) return STATUS_OK;
    for (int b = 0; b < BEFORE_COUNT; b++) {
        if (!events->before_known[b]) continue;
        events->before_known[b] = false;
        TRY(trace_set_before(events->trace, events->number, index, (enum trace_before)b, events->before_ps[b],
                             events->err));
    }
    return STATUS_OK;
}

static enum status mark_incomplete(struct events *events, size_t count)
{
    uint32_t *inside = malloc(count * sizeof *inside), inside_count = 0;
    if (!inside) return err_memory(events->err);
    for (size_t i = 0; i < count; i++)
        if (events[i].enter) inside[inside_count++] = events[i].thread;
    const struct events *first = events; /* of the threads that are in a call */
    while (first < events + count - 1 && !first->enter) first++;
    for (size_t i = 0; i < count; i++)
        if (events[i].enter && events[i].call.call == ID_Abort) first = &events[i];
    const char *in = first->enter ? call_name((enum mpi_call)first->call.call) : NULL;
    enum status status = spool_mark_incomplete(events->rank, in, inside, inside_count,
                                               &events->trace->ranks[events->number], events->err);
    free(inside);
    return status;
}

static enum status advance_thread(struct events *events)
{
    bool more = false;
    enum status status;
    do /* the time of an anchor is behind that of a fork that comes next */
        status = spool_cursor_next(&events->cursor, &more, events->err);
    while (status == STATUS_OK && more && events->cursor.record.kind == SPOOL_ANCHOR);
    events->index = events->cursor.at;
    events->done = !more;
    return status;
}

/* Handles the current record and moves to the next one. */
static enum status step_event(struct events *events)
{
    size_t before = events->trace->ranks[events->number].count;
    TRY(spool_events_take(events));
    TRY(note_before(events, before));
    return advance_thread(events);
}

/* The thread's next record is what another thread did: its creation, if its files have it and it has not been added, or the fork
 * of a region. NULL: it is the thread's own. */
static const struct spool_record *next_of_creator(const struct events *events)
{
    if (events->uncreated) return &events->files->scan.creation;
    return events->cursor.record.kind == SPOOL_FORKED ? &events->cursor.record : NULL;
}

static uint64_t next_time(const struct events *events)
{
    const struct spool_record *creation = next_of_creator(events);
    uint64_t time = events->cursor.record.time, created = creation ? (uint64_t)creation->bytes : time;
    return created < time ? created : time;
}

/* Returns the thread with the earliest next record; NULL if all are done. */
static struct events *earliest_thread(struct events *events, size_t count)
{
    struct events *first = NULL;
    uint64_t first_time = 0;
    for (size_t i = 0; i < count; i++) {
        if (events[i].done) continue;
        uint64_t time = next_time(&events[i]);
        if (first && time >= first_time) continue;
        first = &events[i];
        first_time = time;
    }
    return first;
}

/* It is not known where the creator's own files are missing. */
static enum status add_creation(struct events *events, size_t count, struct events *child)
{
    const struct spool_record *creation = next_of_creator(child);
    size_t i = 0, before = child->trace->ranks[child->number].count;
    while (i < count && events[i].thread != creation->id) i++;
    if (i < count) {
        TRY(spool_events_add_creation(&events[i], creation, child->thread));
        TRY(note_before(&events[i], before));
    }
    if (!child->uncreated) return advance_thread(child);
    child->uncreated = false;
    return STATUS_OK;
}

/* Takes the records of all threads in the order of their times: a request is made before another thread completes it. */
static enum status take_all(struct events *events, size_t count)
{
    if (count == 1) {
        while (!events->done) TRY(step_event(events));
        return STATUS_OK;
    }
    for (struct events *first; (first = earliest_thread(events, count)) != NULL;) {
        events->failed = first;
        TRY(next_of_creator(first) ? add_creation(events, count, first) : step_event(first));
    }
    return STATUS_OK;
}

static enum status read_records(struct events *events, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        events->failed = &events[i];
        spool_cursor_begin(&events[i].cursor, events[i].files);
        TRY(advance_thread(&events[i]));
    }
    TRY(take_all(events, count));
    for (size_t i = 0; i < count; i++) {
        size_t before = events->trace->ranks[events->number].count;
        events->failed = &events[i];
        if (events[i].enter) TRY(spool_events_break_off(&events[i]));
        TRY(note_before(&events[i], before));
    }
    return STATUS_OK;
}

static enum status leave_out_rest(struct events *events)
{
    struct trace *trace = events->trace;
    const struct trace_rank *rank = &trace->ranks[events->number];
    int64_t time_ps = rank->count > 0 ? rank->calls[rank->count - 1].exit_ps : TRACE_UNKNOWN_PS;
    return trace_add_fault(trace, events->number, rank->count, time_ps, TRACE_FAULT_UNCOUNTED, events->files->damage,
                           events->err);
}

static enum status read_threads(struct events *events, size_t count)
{
    struct trace *trace = events->trace;
    struct err *err = events->err;
    size_t calls = 0;
    for (size_t i = 0; i < count; i++) calls += events[i].files->scan.calls;
    TRY(trace_reserve_calls(trace, events->number, calls, err));
    enum status status = events->rank->present ? read_records(events, count) : STATUS_OK;
    const struct events *failed = events->failed;
    if (status == STATUS_DATA && events->spool->keep_going)
        status = spool_end_at(failed->files, failed->index, err->text, err);
    if (status == STATUS_OK) status = mark_incomplete(events, count);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        if (events[i].files->damage) status = leave_out_rest(&events[i]);
    trace_trim_calls(trace, events->number);
    return status == STATUS_OK && count > 1 ? trace_sort_calls(trace, events->number, NULL, err) : status;
}

enum status spool_read_rank(const struct spool *spool, uint32_t rank, struct spool_sites *sites,
                            struct spool_block *block, struct err *err)
{
    struct spool_rank *from = &spool->ranks[rank];
    struct spool_shared shared = {.next_request = 0};
    size_t count = from->thread_count + 1;
    struct events *events = calloc(count, sizeof *events);
    struct spool_known *known = malloc(count * SPOOL_TEMPLATES * sizeof *known);
    enum status status = events && known ? STATUS_OK : err_memory(err);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        events[i].spool = spool;
        events[i].rank = from;
        events[i].files = i == 0 ? from : &from->threads[i - 1];
        events[i].shared = &shared;
        events[i].block = block;
        events[i].trace = &block->shard.trace;
        events[i].number = rank;
        events[i].thread = i == 0 ? 0 : from->threads[i - 1].header->thread;
        events[i].uncreated = events[i].files->scan.created;
        events[i].sites = sites;
        events[i].known = known + i * SPOOL_TEMPLATES;
        events[i].err = err;
    }
    if (status == STATUS_OK) status = read_threads(events, count);
    for (size_t i = 0; events && i < count; i++) {
        FREE_ALL(events[i].list.data, events[i].regions);
    }
    FREE_ALL(events, known);
    map_clear(&shared.made);
    map_clear(&shared.sites);
    return status;
}
