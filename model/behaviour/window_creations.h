/* Counts windows that one place of the program creates repeatedly. Each creation waits for all ranks of the window, so
 * a window that is created once and reused costs less. */
#ifndef MODEL_BEHAVIOUR_WINDOW_CREATIONS_H
#define MODEL_BEHAVIOUR_WINDOW_CREATIONS_H

#include "common/map.h"
#include "model/result/result.h"
#include "trace/trace.h"

struct window_creation { /* of one call site */
    uint32_t site;
    uint16_t call;        /* enum mpi_call */
    uint64_t count, most; /* of all ranks; of the rank with the largest count */
    int64_t ps;           /* time in these calls, of all ranks */
};

/* All-zero is empty. */
struct window_creations {
    struct window_creation *items;
    size_t count, capacity;
    struct map places;  /* (site, call) to item */
    struct map of_rank; /* (item, rank) to number */
};

void window_creations_clear(struct window_creations *creations);

/* Adds a whole trace, or the new calls of a slice. Call sites that are not known are left out. */
enum status window_creations_add(struct window_creations *creations, const struct trace *trace, struct err *err);

/* Appends to result the places at which a rank creates more than one window, the one with the longest time first. */
enum status window_creations_report(const struct window_creations *creations, const struct trace *trace,
                                    struct result *result, struct err *err);

#endif
