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

struct external_sort {
    struct temp_file *temp;
    size_t bytes; /* of a record */
    external_sort_compare *compare;
    char *items; /* the run at work */
    size_t count, capacity;
    struct run *written; /* runs; at the end the one in memory, too */
    size_t run_count, run_capacity;
    struct heap heap; /* runs with records left, the one with the first record first */
};

void external_sort_free(struct external_sort *sorter)
{
    if (!sorter) return;
    for (size_t i = 0; i < sorter->run_count; i++)
        if (sorter->written[i].offset >= 0) free(sorter->written[i].buffer);
    FREE_ALL(sorter->items, sorter->written, sorter->heap.items, sorter);
}

enum status external_sort_new(struct temp_file *temp, size_t record_bytes, external_sort_compare *compare,
                              struct external_sort **sorter, struct err *err)
{
    struct external_sort *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    made->temp = temp;
    made->bytes = record_bytes;
    made->compare = compare;
    *sorter = made;
    return STATUS_OK;
}

static void sort_run(struct external_sort *sorter)
{
    if (sorter->count > 1) qsort(sorter->items, sorter->count, sorter->bytes, sorter->compare);
}

enum status external_sort_add(struct external_sort *sorter, const void *record, struct err *err)
{
    if (sorter->count == RUN) {
        struct run made = {.left = sorter->count};
        sort_run(sorter);
        if (sorter->temp->descriptor < 0) TRY(temp_file_open(sorter->temp, err));
        TRY(temp_file_append(sorter->temp, sorter->items, sorter->count * sorter->bytes, &made.offset, err));
        ARRAY_PUSH(sorter->written, sorter->run_count, sorter->run_capacity, made, err);
        sorter->count = 0;
    }
    TRY(array_reserve((void **)&sorter->items, &sorter->capacity, sorter->count + 1, sorter->bytes, err));
    memcpy(sorter->items + sorter->count++ * sorter->bytes, record, sorter->bytes);
    return STATUS_OK;
}

static enum status fill_run(const struct external_sort *sorter, struct run *run, struct err *err)
{
    size_t count = run->left < BUFFER ? run->left : BUFFER;
    TRY(temp_file_read(sorter->temp, run->offset, run->buffer, count * sorter->bytes, err));
    run->offset += (int64_t)(count * sorter->bytes);
    run->left -= count;
    run->count = count;
    run->at = 0;
    return STATUS_OK;
}

static const void *first_of(const struct external_sort *sorter, const struct run *run)
{
    return run->buffer + run->at * sorter->bytes;
}

static bool is_first(const void *of, uint32_t one, uint32_t other)
{
    const struct external_sort *sorter = of;
    return sorter->compare(first_of(sorter, &sorter->written[one]), first_of(sorter, &sorter->written[other])) < 0;
}

enum status external_sort_turn(struct external_sort *sorter, struct err *err)
{
    struct run memory = {.offset = -1, .buffer = sorter->items, .count = sorter->count};
    sort_run(sorter);
    ARRAY_PUSH(sorter->written, sorter->run_count, sorter->run_capacity, memory, err);
    sorter->heap.items = malloc(sorter->run_count * sizeof *sorter->heap.items);
    if (!sorter->heap.items) return err_memory(err);
    for (size_t i = 0; i < sorter->run_count; i++) {
        struct run *run = &sorter->written[i];
        if (run->offset >= 0) {
            run->buffer = malloc(BUFFER * sorter->bytes);
            if (!run->buffer) return err_memory(err);
            TRY(fill_run(sorter, run, err));
        }
        if (run->count > 0) heap_push(&sorter->heap, (uint32_t)i, is_first, sorter);
    }
    return STATUS_OK;
}

enum status external_sort_next(struct external_sort *sorter, void *record, bool *any, struct err *err)
{
    *any = sorter->heap.count > 0;
    if (!*any) return STATUS_OK;
    struct run *run = &sorter->written[sorter->heap.items[0]];
    memcpy(record, first_of(sorter, run), sorter->bytes);
    run->at++;
    if (run->at == run->count && run->left > 0) TRY(fill_run(sorter, run, err));
    if (run->at == run->count)
        heap_pop(&sorter->heap, is_first, sorter);
    else
        heap_sift_down(&sorter->heap, is_first, sorter);
    return STATUS_OK;
}
