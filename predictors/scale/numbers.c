#include "predictors/scale/numbers.h"

#include <stdlib.h>

#include "common/array.h"

enum status numbers_open(const struct trace *trace, size_t objects, bool (*is_whole)(const struct trace *, size_t),
                         struct numbers *numbers, struct err *err)
{
    *numbers = (struct numbers){.ranks = trace->rank_count};
    numbers->number = malloc((objects + 1) * sizeof *numbers->number);
    numbers->named = calloc((size_t)trace->rank_count + 1, sizeof *numbers->named);
    if (!numbers->number || !numbers->named) {
        numbers_clear(numbers);
        return err_memory(err);
    }
    for (size_t i = 0; i < objects; i++) numbers->number[i] = is_whole(trace, i) ? (int32_t)numbers->whole++ : TRACE_NONE;
    return STATUS_OK;
}

static enum status add_row(struct numbers *numbers, struct err *err)
{
    size_t rows = numbers->count + 1, ranks = numbers->ranks;
    TRY(array_reserve((void **)&numbers->of_rank, &numbers->capacity, rows * ranks, sizeof *numbers->of_rank, err));
    for (size_t r = 0; r < ranks; r++) numbers->of_rank[numbers->count * ranks + r] = TRACE_NONE;
    numbers->count = rows;
    return STATUS_OK;
}

enum status numbers_skip(struct numbers *numbers, uint32_t rank, int32_t *number, struct err *err)
{
    if (numbers->named[rank] == numbers->count) TRY(add_row(numbers, err));
    *number = (int32_t)(numbers->whole + numbers->named[rank]++);
    return STATUS_OK;
}

enum status numbers_find(struct numbers *numbers, uint32_t rank, int32_t object, int32_t *number, bool *found, struct err *err)
{
    int32_t *known = &numbers->number[object];
    size_t next = numbers->named[rank];
    *number = *known;
    *found = true;
    if (*known >= 0 && (size_t)*known < numbers->whole) return STATUS_OK;
    if (*known >= 0 && numbers->of_rank[((size_t)*known - numbers->whole) * numbers->ranks + rank] == object) return STATUS_OK;
    *number = (int32_t)(numbers->whole + next);
    *found = *known < 0 || *known == *number;
    if (!*found) return STATUS_OK;
    if (next == numbers->count) TRY(add_row(numbers, err));
    numbers->of_rank[next * numbers->ranks + rank] = object;
    numbers->named[rank]++;
    *known = *number;
    return STATUS_OK;
}

bool numbers_check(const struct numbers *numbers, uint32_t *rank)
{
    for (*rank = 0; *rank < numbers->ranks; ++*rank)
        if (numbers->named[*rank] != numbers->count) return false;
    return true;
}

size_t numbers_count(const struct numbers *numbers)
{
    return numbers->whole + numbers->count;
}

int32_t numbers_first(const struct numbers *numbers, size_t objects, int32_t number)
{
    for (size_t i = 0; i < objects; i++)
        if (numbers->number[i] == number) return (int32_t)i;
    return TRACE_NONE;
}

void numbers_clear(struct numbers *numbers)
{
    FREE_ALL(numbers->number, numbers->of_rank, numbers->named);
    *numbers = (struct numbers){.count = 0};
}
