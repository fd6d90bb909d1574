/* Growing arrays. The caller keeps pointer, count and capacity in a struct of its own, and frees them. */
#ifndef COMMON_ARRAY_H
#define COMMON_ARRAY_H

#include <stddef.h>
#include <stdlib.h>

#include "common/status.h"

/* Makes room for need items of item_bytes each in *data (doubling); *data may be NULL with *capacity 0. The caller owns
 * *data and frees it with free(). On failure nothing changes. */
enum status array_reserve(void **data, size_t *capacity, size_t need, size_t item_bytes, struct err *err);

/* Appends one item: ARRAY_PUSH(list->items, list->count, list->capacity, value, err) inside a function that returns
 * enum status. count and capacity are size_t. */
#define ARRAY_PUSH(data, count, capacity, value, err)                                                                  \
    do {                                                                                                               \
        if ((count) == (capacity))                                                                                     \
            TRY(array_reserve((void **)&(data), &(capacity), (count) + 1, sizeof *(data), (err)));                     \
        (data)[(count)++] = (value);                                                                                   \
    } while (0)

/* Frees each of the pointers: FREE_ALL(list->items, list->names). */
#define FREE_ALL(...)                                                                                                  \
    free_each((void *const[]){__VA_ARGS__}, sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *))
static inline void free_each(void *const *pointers, size_t count)
{
    for (size_t i = 0; i < count; i++) free(pointers[i]);
}

#endif
