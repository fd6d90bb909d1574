/* Checks, over all slices of a trace, that each rank uses a window between its creation and its freeing. */
#ifndef MODEL_MATCH_WINDOW_USES_H
#define MODEL_MATCH_WINDOW_USES_H

#include "common/map.h"
#include "trace/trace.h"

struct window_use {
    bool created, freed, used; /* used: before its creation was read */
    uint16_t call;             /* of that first use, as the next two */
    uint64_t event;
    int64_t enter_ps;
};

/* Windows from..end - 1 of a rank were freed and not created again, except those in the index. */
struct freed_windows {
    uint32_t rank;
    int32_t from, end;
};

/* All-zero is empty. Freed windows take memory only for the gaps between their numbers, so a program may create and
 * free windows without limit. */
struct window_uses {
    struct window_use *items;
    size_t count, capacity;
    size_t *unused; /* items that belong to no window */
    size_t unused_count, unused_capacity;
    struct map index;            /* (rank, window) to item */
    struct freed_windows *freed; /* by rank, then number; no two touch */
    size_t freed_count, freed_capacity;
    uint64_t last_key; /* of the item that was used last, */
    size_t last;       /* its number plus 1; 0: none */
};

void window_uses_clear(struct window_uses *uses);

/* Checks a rank's next call. Returns STATUS_DATA with rank, event and call, as epochs_build() does. */
enum status window_uses_add(struct window_uses *uses, const struct trace *trace, uint32_t rank, size_t index, struct err *err);

#endif
