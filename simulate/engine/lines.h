/* Arrays that begin on a cache line, so that items of 64 or 128 bytes fill one or two lines. Large ones are on huge
 * pages, since a replay of many ranks accesses them in no order. Freed with free(). */
#ifndef SIMULATE_ENGINE_LINES_H
#define SIMULATE_ENGINE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

enum { LINE_BYTES = 64, PREFETCH_LINES = 120, PREFETCH_NODES_MOST = 16 };

/* Cache lines that will be needed. They are collected first and prefetched together: a load that follows as many
 * requests as the processor can have under way would wait for them. */
struct prefetch_lines {
    uint32_t count, node_count;
    const char *at[PREFETCH_LINES];
    int32_t nodes[PREFETCH_NODES_MOST]; /* nodes to which will be sent: the engine knows their lines */
};

/* wanted NULL: prefetches at once. A full list drops further lines: prefetching changes no result. */
static inline void lines_want(struct prefetch_lines *lines, const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += LINE_BYTES) {
        const char *line = (const char *)from + at;
        if (!lines)
            __builtin_prefetch(line);
        else if (lines->count < PREFETCH_LINES)
            lines->at[lines->count++] = line;
    }
}

static inline void lines_want_node(struct prefetch_lines *lines, int32_t node)
{
    if (lines && lines->node_count < PREFETCH_NODES_MOST) lines->nodes[lines->node_count++] = node;
}

static inline void lines_fetch(struct prefetch_lines *lines)
{
    for (uint32_t i = 0; i < lines->count; i++) __builtin_prefetch(lines->at[i]);
    lines->count = lines->node_count = 0;
}

/* Zeroed; NULL without memory. */
void *lines_new(size_t count, size_t item_bytes);
/* As array_reserve. */
enum status lines_reserve(void **data, size_t *capacity, size_t need, size_t item_bytes, struct err *err);

#endif
