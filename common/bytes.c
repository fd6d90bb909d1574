#include "common/bytes.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void bytes_clear(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){0};
}

void bytes_empty(struct bytes *bytes)
{
    bytes->count = bytes->taken = 0;
}

enum status bytes_put(struct bytes *bytes, const void *data, size_t size, struct err *err)
{
    TRY(array_reserve((void **)&bytes->data, &bytes->capacity, bytes->count + size, 1, err));
    if (size > 0) memcpy(bytes->data + bytes->count, data, size);
    bytes->count += size;
    return STATUS_OK;
}

enum status bytes_put_text(struct bytes *bytes, const char *text, struct err *err)
{
    uint64_t size = text ? strlen(text) + 1 : 0;
    TRY(bytes_put(bytes, &size, sizeof size, err));
    return bytes_put(bytes, text, (size_t)size, err);
}

void bytes_take(struct bytes *bytes, void *data, size_t size)
{
    assert(size <= bytes->count - bytes->taken);
    if (size > 0) memcpy(data, bytes->data + bytes->taken, size);
    bytes->taken += size;
}

enum status bytes_take_text(struct bytes *bytes, char **text, struct err *err)
{
    uint64_t size;
    void *made;
    bytes_take(bytes, &size, sizeof size);
    TRY(bytes_take_array(bytes, (size_t)size, 1, &made, err));
    *text = made;
    return STATUS_OK;
}

enum status bytes_take_array(struct bytes *bytes, size_t count, size_t item_bytes, void **items, struct err *err)
{
    *items = NULL;
    if (count == 0) return STATUS_OK;
    void *made = malloc(count * item_bytes);
    if (!made) return err_memory(err);
    bytes_take(bytes, made, count * item_bytes);
    *items = made;
    return STATUS_OK;
}
