#include "common/array.h"

#include <stdint.h>
#include <stdlib.h>

enum status array_reserve(void **data, size_t *capacity, size_t need, size_t item_bytes, struct err *err)
{
    if (need <= *capacity) return STATUS_OK;
    size_t grown = *capacity < 8 ? 8 : *capacity * 2;
    if (grown < need) grown = need;
    if (grown > SIZE_MAX / item_bytes) return err_memory(err);
    void *moved = realloc(*data, grown * item_bytes);
    if (!moved) return err_memory(err);
    *data = moved;
    *capacity = grown;
    return STATUS_OK;
}
