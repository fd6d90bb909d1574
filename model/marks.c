#include "model/marks.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/heap.h"

/* Sorted runs of at most RUN marks go to the file; at the end they are merged, each through a buffer of its own. */
enum { RUN = 1 << 18, BUFFER = 1 << 7 };

struct run {
    int64_t offset; /* of what is not in the buffer yet; -1: the marks in memory */
    size_t left;    /* there */
    struct mark *buffer;
    size_t at, count;
};

struct marks {
    struct scratch *scratch;
    struct mark *items; /* the run at work */
    size_t count, capacity;
    struct run *runs;
    size_t run_count, run_capacity;
    struct heap heap; /* runs with marks left, the one with the latest end first */
};

void marks_free(struct marks *marks)
{
    if (!marks) return;
    for (size_t i = 0; i < marks->run_count; i++)
        if (marks->runs[i].offset >= 0) free(marks->runs[i].buffer);
    free(marks->items);
    free(marks->runs);
    free(marks->heap.items);
    free(marks);
}

enum status marks_new(struct scratch *scratch, struct marks **marks, struct err *err)
{
    struct marks *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    made->scratch = scratch;
    *marks = made;
    return STATUS_OK;
}

static int compare(const void *one, const void *other)
{
    const struct mark *a = one, *b = other;
    if (a->until_ps != b->until_ps) return a->until_ps < b->until_ps ? 1 : -1;
    if (a->rank != b->rank) return a->rank > b->rank ? 1 : -1;
    if (a->from_ps != b->from_ps) return a->from_ps < b->from_ps ? 1 : -1;
    return (a->pattern < b->pattern) - (a->pattern > b->pattern);
}

static void sort(struct marks *marks)
{
    if (marks->count > 1) qsort(marks->items, marks->count, sizeof *marks->items, compare);
}

static enum status write_run(struct marks *marks, struct err *err)
{
    struct run made = {.left = marks->count};
    sort(marks);
    TRY(scratch_append(marks->scratch, marks->items, marks->count * sizeof *marks->items, &made.offset, err));
    ARRAY_PUSH(marks->runs, marks->run_count, marks->run_capacity, made, err);
    marks->count = 0;
    return STATUS_OK;
}

enum status marks_add(struct marks *marks, const struct mark *mark, struct err *err)
{
    if (marks->count == RUN) TRY(write_run(marks, err));
    ARRAY_PUSH(marks->items, marks->count, marks->capacity, *mark, err);
    return STATUS_OK;
}

static enum status fill(const struct marks *marks, struct run *run, struct err *err)
{
    size_t count = run->left < BUFFER ? run->left : BUFFER;
    TRY(scratch_read(marks->scratch, run->offset, run->buffer, count * sizeof *run->buffer, err));
    run->offset += (int64_t)(count * sizeof *run->buffer);
    run->left -= count;
    run->count = count;
    run->at = 0;
    return STATUS_OK;
}

static bool is_first(const void *of, uint32_t one, uint32_t other)
{
    const struct marks *marks = of;
    const struct run *a = &marks->runs[one], *b = &marks->runs[other];
    int order = compare(&a->buffer[a->at], &b->buffer[b->at]);
    return order != 0 ? order < 0 : one < other;
}

enum status marks_turn(struct marks *marks, struct err *err)
{
    struct run memory = {.offset = -1, .buffer = marks->items, .count = marks->count};
    sort(marks);
    ARRAY_PUSH(marks->runs, marks->run_count, marks->run_capacity, memory, err);
    marks->heap.items = malloc(marks->run_count * sizeof *marks->heap.items);
    if (!marks->heap.items) return err_memory(err);
    for (size_t i = 0; i < marks->run_count; i++) {
        struct run *run = &marks->runs[i];
        if (run->offset >= 0) {
            run->buffer = malloc(BUFFER * sizeof *run->buffer);
            if (!run->buffer) return err_memory(err);
            TRY(fill(marks, run, err));
        }
        if (run->count > 0) heap_push(&marks->heap, (uint32_t)i, is_first, marks);
    }
    return STATUS_OK;
}

enum status marks_next(struct marks *marks, struct mark *mark, bool *any, struct err *err)
{
    *any = marks->heap.count > 0;
    if (!*any) return STATUS_OK;
    struct run *run = &marks->runs[marks->heap.items[0]];
    *mark = run->buffer[run->at++];
    if (run->at == run->count && run->left > 0) TRY(fill(marks, run, err));
    if (run->at == run->count)
        heap_pop(&marks->heap, is_first, marks);
    else
        heap_settle(&marks->heap, is_first, marks);
    return STATUS_OK;
}
