/* How long calls of one interval waited for calls of another one (docs/efficiency.md). */
#ifndef MODEL_EFFICIENCY_CAUSED_H
#define MODEL_EFFICIENCY_CAUSED_H

#include "common/map.h"
#include "common/wide.h"

#define CAUSED_NOWHERE UINT32_MAX /* no single call ended the wait */

struct caused_row {
    uint32_t interval, cause; /* the innermost intervals of the call that waits and of the call that ended the wait */
    wide_ps time_ps;
};

/* All-zero is empty. */
struct caused {
    struct caused_row *rows;
    size_t count, capacity;
    struct map index; /* (interval, cause) to a row; not kept up to date by caused_sort */
};

void caused_clear(struct caused *caused);
enum status caused_add(struct caused *caused, uint32_t interval, uint32_t cause, wide_ps time_ps, struct err *err);

/* Replaces each interval number by now[number]. Nothing may be added afterwards. */
void caused_renumber(struct caused *caused, const uint32_t *now);
/* Sorts the rows: the longest first, then by interval and cause. Nothing may be added afterwards. */
void caused_sort(struct caused *caused);

#endif
