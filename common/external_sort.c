#include "common/external_sort.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/heap.h"

/* Sorted runs of at most RUN records go to the file; at the end they are merged, each through a buffer of its own. */
enum { RUN = 1 << 18, BUFFER = 1 << 7 };

struct run {
    int64_t offset; /* of what is not in the buffer yet; -1: the records in memory */
    size_t left;    /* there */
    char *buffer;
    size_t at, count;
};

struct runs {
    struct scratch *scratch;
    size_t bytes; /* of a record */
    runs_compare *compare;
    char *items; /* the run at work */
    size_t count, capacity;
    struct run *written; /* runs; at the end the one in memory, too */
    size_t run_count, run_capacity;
    struct heap heap; /* runs with records left, the one with the first record first */
};

void runs_free(struct runs *runs)
{
    if (!runs) return;
    for (size_t i = 0; i < runs->run_count; i++)
        if (runs->written[i].offset >= 0) free(runs->written[i].buffer);
    free(runs->items);
    free(runs->written);
    free(runs->heap.items);
    free(runs);
}

enum status runs_new(struct scratch *scratch, size_t record_bytes, runs_compare *compare, struct runs **runs,
                     struct err *err)
{
    struct runs *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    made->scratch = scratch;
    made->bytes = record_bytes;
    made->compare = compare;
    *runs = made;
    return STATUS_OK;
}

static void sort(struct runs *runs)
{
    if (runs->count > 1) qsort(runs->items, runs->count, runs->bytes, runs->compare);
}

static enum status write_run(struct runs *runs, struct err *err)
{
    struct run made = {.left = runs->count};
    sort(runs);
    TRY(scratch_append(runs->scratch, runs->items, runs->count * runs->bytes, &made.offset, err));
    ARRAY_PUSH(runs->written, runs->run_count, runs->run_capacity, made, err);
    runs->count = 0;
    return STATUS_OK;
}

enum status runs_add(struct runs *runs, const void *record, struct err *err)
{
    if (runs->count == RUN) TRY(write_run(runs, err));
    TRY(array_reserve((void **)&runs->items, &runs->capacity, runs->count + 1, runs->bytes, err));
    memcpy(runs->items + runs->count++ * runs->bytes, record, runs->bytes);
    return STATUS_OK;
}

static enum status fill(const struct runs *runs, struct run *run, struct err *err)
{
    size_t count = run->left < BUFFER ? run->left : BUFFER;
    TRY(scratch_read(runs->scratch, run->offset, run->buffer, count * runs->bytes, err));
    run->offset += (int64_t)(count * runs->bytes);
    run->left -= count;
    run->count = count;
    run->at = 0;
    return STATUS_OK;
}

static const void *first_of(const struct runs *runs, const struct run *run)
{
    return run->buffer + run->at * runs->bytes;
}

static bool is_first(const void *of, uint32_t one, uint32_t other)
{
    const struct runs *runs = of;
    int order = runs->compare(first_of(runs, &runs->written[one]), first_of(runs, &runs->written[other]));
    return order != 0 ? order < 0 : one < other;
}

enum status runs_turn(struct runs *runs, struct err *err)
{
    struct run memory = {.offset = -1, .buffer = runs->items, .count = runs->count};
    sort(runs);
    ARRAY_PUSH(runs->written, runs->run_count, runs->run_capacity, memory, err);
    runs->heap.items = malloc(runs->run_count * sizeof *runs->heap.items);
    if (!runs->heap.items) return err_memory(err);
    for (size_t i = 0; i < runs->run_count; i++) {
        struct run *run = &runs->written[i];
        if (run->offset >= 0) {
            run->buffer = malloc(BUFFER * runs->bytes);
            if (!run->buffer) return err_memory(err);
            TRY(fill(runs, run, err));
        }
        if (run->count > 0) heap_push(&runs->heap, (uint32_t)i, is_first, runs);
    }
    return STATUS_OK;
}

enum status runs_next(struct runs *runs, void *record, bool *any, struct err *err)
{
    *any = runs->heap.count > 0;
    if (!*any) return STATUS_OK;
    struct run *run = &runs->written[runs->heap.items[0]];
    memcpy(record, first_of(runs, run), runs->bytes);
    run->at++;
    if (run->at == run->count && run->left > 0) TRY(fill(runs, run, err));
    if (run->at == run->count)
        heap_pop(&runs->heap, is_first, runs);
    else
        heap_settle(&runs->heap, is_first, runs);
    return STATUS_OK;
}
