#include "model/efficiency/caused.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"

void caused_clear(struct caused *caused)
{
    free(caused->rows);
    map_clear(&caused->index);
    memset(caused, 0, sizeof *caused);
}

enum status caused_add(struct caused *caused, uint32_t interval, uint32_t cause, wide_ps time_ps, struct err *err)
{
    const struct caused_row made = {interval, cause, 0};
    uint64_t *slot;
    if (time_ps == 0) return STATUS_OK;
    TRY(map_put(&caused->index, map_pair(interval, cause), caused->count, &slot, err));
    if (*slot == caused->count) ARRAY_PUSH(caused->rows, caused->count, caused->capacity, made, err);
    caused->rows[*slot].time_ps += time_ps;
    return STATUS_OK;
}

void caused_renumber(struct caused *caused, const uint32_t *now)
{
    for (size_t i = 0; i < caused->count; i++) {
        struct caused_row *row = &caused->rows[i];
        row->interval = now[row->interval];
        if (row->cause != CAUSED_NOWHERE) row->cause = now[row->cause];
    }
}

ORDER(by_time, struct caused_row, DOWN(time_ps) UP(interval) UP(cause))

void caused_sort(struct caused *caused)
{
    if (caused->count > 1) qsort(caused->rows, caused->count, sizeof *caused->rows, by_time);
}
