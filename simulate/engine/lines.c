#include "simulate/engine/lines.h"

#include <stdlib.h>
#include <string.h>

#include "common/huge_pages.h"

enum { CAPACITY_LEAST = 16 };

static void *reserve_lines(size_t bytes)
{
    size_t unit = bytes >= 2 * (size_t)HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : LINE_BYTES;
    size_t whole = (bytes + unit - 1) / unit * unit;
    void *data = aligned_alloc(unit, whole ? whole : unit);
    /* only a hint */
    if (data && unit == HUGE_PAGE_BYTES) huge_pages_wish(data, whole);
    return data;
}

void *lines_new(size_t count, size_t item_bytes)
{
    void *data = reserve_lines(count * item_bytes);
    if (data) memset(data, 0, count * item_bytes);
    return data;
}

enum status lines_reserve(void **data, size_t *capacity, size_t need, size_t item_bytes, struct err *err)
{
    if (need <= *capacity) return STATUS_OK;
    size_t room = *capacity < CAPACITY_LEAST ? CAPACITY_LEAST : *capacity * 2;
    if (room < need) room = need;
    void *grown = reserve_lines(room * item_bytes);
    if (!grown) return err_memory(err);
    if (*data) memcpy(grown, *data, *capacity * item_bytes);
    free(*data);
    *data = grown;
    *capacity = room;
    return STATUS_OK;
}
