/* Arrays that begin on a cache line, so that items of 64 or 128 bytes lie in one or two, and on huge pages if they are
 * large: a replay of many ranks jumps about in them. Freed with free(). */
#ifndef SIMULATE_LINES_H
#define SIMULATE_LINES_H

#include <stddef.h>

#include "common/status.h"

enum { LINE_BYTES = 64 };

/* Zeroed; NULL without memory. */
void *lines_new(size_t count, size_t item_bytes);
/* As array_reserve. */
enum status lines_reserve(void **data, size_t *capacity, size_t need, size_t item_bytes, struct err *err);

#endif
