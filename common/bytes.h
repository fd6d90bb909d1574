/* A byte buffer: one process of a program writes values to it, and another process of the same program, on the same
 * kind of machine, reads them in the same order. */
#ifndef COMMON_BYTES_H
#define COMMON_BYTES_H

#include <stddef.h>

#include "common/status.h"

/* All-zero is empty. */
struct bytes {
    unsigned char *data; /* owned */
    size_t count, capacity;
    size_t taken;
};

void bytes_clear(struct bytes *bytes);
/* Removes all bytes, keeps the memory. */
void bytes_empty(struct bytes *bytes);

enum status bytes_put(struct bytes *bytes, const void *data, size_t size, struct err *err);
enum status bytes_put_text(struct bytes *bytes, const char *text, struct err *err); /* NULL is legal */
/* Copies the next size bytes. The buffer must have as many. */
void bytes_take(struct bytes *bytes, void *data, size_t size);
/* Sets *text to the next text, which the caller frees; NULL if NULL was put. */
enum status bytes_take_text(struct bytes *bytes, char **text, struct err *err);
/* Copies the next count items of item_bytes each to new memory, which the caller frees; NULL for 0 items. */
enum status bytes_take_array(struct bytes *bytes, size_t count, size_t item_bytes, void **items, struct err *err);

#endif
