/* Three files: calls, of which a list of requests is replaced by where it is in the second file and by its length; these lists;
 * the sleep before each call, with holes for ranks that do not sleep. The calls of a rank follow each other. */
#include "trace/call_file.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/files/temp_file.h"

struct rank_place {
    uint64_t first, count; /* calls in the file */
    uint64_t lists;        /* words before its lists */
};

struct call_file {
    struct temp_file calls, lists, slept; /* descriptor -1: not made yet */
    struct rank_place *ranks;
    bool *sleeps;
    bool has_sleep;
    struct trace_call *written; /* of one append */
    size_t written_capacity;
    uint32_t *requests; /* of one read */
    size_t request_capacity;
    size_t most_lists; /* that the trace may have before those of calls that it has no more are removed */
};

enum { LISTS_LEAST = 1024 }; /* before lists are removed */

enum status call_file_new(uint32_t rank_count, struct call_file **file, struct err *err)
{
    struct call_file *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    *made = (struct call_file){.calls = {.descriptor = -1}, .lists = {.descriptor = -1}, .slept = {.descriptor = -1}};
    made->most_lists = LISTS_LEAST;
    made->ranks = calloc((size_t)rank_count + 1, sizeof *made->ranks);
    made->sleeps = calloc((size_t)rank_count + 1, sizeof *made->sleeps);
    enum status status = made->ranks && made->sleeps ? temp_file_open(&made->calls, err) : err_memory(err);
    GIVE(status, *file = made, call_file_free(made));
}

void call_file_free(struct call_file *file)
{
    if (!file) return;
    temp_file_close(&file->calls);
    temp_file_close(&file->lists);
    temp_file_close(&file->slept);
    FREE_ALL(file->ranks, file->sleeps, file->written, file->requests, file);
}

static bool has_list(const struct trace_call *call)
{
    return call_row(call->call)->needed & F_REQS;
}

static uint64_t words_of(const struct temp_file *file)
{
    return (uint64_t)file->bytes / sizeof(uint32_t);
}

/* The call gets the list's place among those of its rank, and its length. */
static enum status write_list(struct call_file *file, const struct trace *trace, uint32_t rank, struct trace_call *call,
                              struct err *err)
{
    const struct trace_list *list = &trace->definitions.lists[call->completion.list];
    if (file->lists.descriptor < 0) TRY(temp_file_open(&file->lists, err));
    const uint64_t place = words_of(&file->lists) - file->ranks[rank].lists;
    if (place > UINT32_MAX) return err_set(err, STATUS_SYSTEM, trace->name, NULL, "a rank waits for too many requests");
    call->completion.list = (uint32_t)place;
    call->any.second = list->count;
    return temp_file_append(&file->lists, trace->definitions.requests + list->first, list->count * sizeof(uint32_t), NULL, err);
}

static enum status write_slept(struct call_file *file, const struct trace_rank *process, uint32_t rank, uint64_t number,
                               size_t first, struct err *err)
{
    const int64_t *slept_ps = process->before_ps[BEFORE_SLEPT];
    if (!slept_ps) return STATUS_OK;
    if (file->slept.descriptor < 0) TRY(temp_file_open(&file->slept, err));
    for (size_t i = first; i < process->count && !file->sleeps[rank]; i++) file->sleeps[rank] = slept_ps[i] > 0;
    file->has_sleep = file->has_sleep || file->sleeps[rank];
    return temp_file_write(&file->slept, (int64_t)(number * sizeof *slept_ps), &slept_ps[first],
                           (process->count - first) * sizeof *slept_ps, err);
}

enum status call_file_append(struct call_file *file, const struct trace *trace, uint32_t rank, size_t first, struct err *err)
{
    const struct trace_rank *process = &trace->ranks[rank];
    struct rank_place *place = &file->ranks[rank];
    const size_t count = process->count - first;
    if (place->count == 0) *place = (struct rank_place){.first = call_file_calls(file), .lists = words_of(&file->lists)};
    if (count == 0) return STATUS_OK;
    TRY(array_reserve((void **)&file->written, &file->written_capacity, count, sizeof *file->written, err));
    memcpy(file->written, process->calls + first, count * sizeof *file->written);
    for (size_t i = 0; i < count; i++)
        if (has_list(&file->written[i])) TRY(write_list(file, trace, rank, &file->written[i], err));
    TRY(write_slept(file, process, rank, place->first + place->count, first, err));
    place->count += count;
    return temp_file_append(&file->calls, file->written, count * sizeof *file->written, NULL, err);
}

enum status call_file_replace(struct call_file *file, uint32_t rank, uint64_t number, const struct trace_call *call,
                              struct err *err)
{
    const uint64_t at = (file->ranks[rank].first + number) * sizeof *call;
    return temp_file_write(&file->calls, (int64_t)at, call, sizeof *call, err);
}

uint64_t call_file_calls(const struct call_file *file)
{
    return (uint64_t)file->calls.bytes / sizeof(struct trace_call);
}

uint64_t call_file_calls_of(const struct call_file *file, uint32_t rank)
{
    return file->ranks[rank].count;
}

const bool *call_file_sleeps(const struct call_file *file)
{
    return file->has_sleep ? file->sleeps : NULL;
}

/* Keeps the lists of the calls that the trace has. */
static enum status remove_lists(struct trace *trace, struct err *err)
{
    struct trace_definitions *tables = &trace->definitions;
    struct trace_list *lists = tables->lists;
    uint32_t *requests = tables->requests;
    enum status status = STATUS_OK;
    tables->lists = NULL;
    tables->requests = NULL;
    tables->list_count = tables->list_capacity = tables->request_count = tables->request_capacity = 0;
    for (uint32_t r = 0; r < trace->rank_count && status == STATUS_OK; r++)
        for (size_t i = 0; i < trace->ranks[r].count && status == STATUS_OK; i++) {
            struct trace_call *call = &trace->ranks[r].calls[i];
            if (!has_list(call)) continue;
            const struct trace_list *list = &lists[call->completion.list];
            status = trace_add_list(trace, requests + list->first, list->count, &call->completion.list, err);
        }
    FREE_ALL(lists, requests);
    return status;
}

/* Replaces the places of lists by lists of the trace. */
static enum status read_lists(struct call_file *file, struct trace *trace, uint32_t rank, struct err *err)
{
    struct trace_rank *process = &trace->ranks[rank];
    uint64_t from = UINT64_MAX, to = 0;
    for (size_t i = 0; i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        if (!has_list(call)) continue;
        if (from == UINT64_MAX) from = call->completion.list;
        to = call->completion.list + (uint64_t)call->any.second;
    }
    if (from == UINT64_MAX) return STATUS_OK;
    TRY(array_reserve((void **)&file->requests, &file->request_capacity, to - from + 1, sizeof *file->requests, err));
    TRY(temp_file_read(&file->lists, (int64_t)((file->ranks[rank].lists + from) * sizeof *file->requests), file->requests,
                       (to - from) * sizeof *file->requests, err));
    for (size_t i = 0; i < process->count; i++) {
        struct trace_call *call = &process->calls[i];
        if (!has_list(call)) continue;
        const uint32_t *requests = file->requests + (call->completion.list - from);
        TRY(trace_add_list(trace, requests, (uint32_t)call->any.second, &call->completion.list, err));
        call->any.second = 0;
    }
    return STATUS_OK;
}

static enum status read_slept(const struct call_file *file, struct trace_rank *process, uint32_t rank, uint64_t number,
                              struct err *err)
{
    if (!file->sleeps[rank]) return STATUS_OK;
    int64_t **slept_ps = &process->before_ps[BEFORE_SLEPT];
    TRY(array_reserve((void **)slept_ps, &process->before_capacity[BEFORE_SLEPT], process->count, sizeof **slept_ps, err));
    return temp_file_read(&file->slept, (int64_t)(number * sizeof **slept_ps), *slept_ps, process->count * sizeof **slept_ps,
                          err);
}

enum status call_file_next(struct call_file *file, struct trace *trace, uint32_t rank, size_t calls, struct err *err)
{
    struct trace_rank *process = &trace->ranks[rank];
    const struct rank_place *place = &file->ranks[rank];
    process->first_event += process->count;
    process->count = 0;
    const uint64_t left = place->count - process->first_event, number = place->first + process->first_event;
    if (calls > left) calls = (size_t)left;
    if (calls == 0) return STATUS_OK;
    TRY(trace_reserve_calls(trace, rank, calls, err));
    TRY(temp_file_read(&file->calls, (int64_t)(number * sizeof *process->calls), process->calls,
                       calls * sizeof *process->calls, err));
    if (trace->definitions.list_count >= file->most_lists) {
        TRY(remove_lists(trace, err));
        file->most_lists = 2 * trace->definitions.list_count + LISTS_LEAST;
    }
    process->count = calls;
    TRY(read_slept(file, process, rank, number, err));
    return read_lists(file, trace, rank, err);
}
