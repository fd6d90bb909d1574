/* The parts of the critical path, the last one first. Two that follow each other in time are on two threads; a part may take no
 * time. */
#ifndef MODEL_CAUSES_CRITICAL_PATH_H
#define MODEL_CAUSES_CRITICAL_PATH_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct path_part {
    uint32_t location; /* model/match/timelines.h */
    int64_t from_ps, to_ps;
};

/* All-zero is empty. */
struct critical_path {
    struct path_part *parts;
    size_t count, capacity;
};

static inline void critical_path_clear(struct critical_path *path)
{
    free(path->parts);
    *path = (struct critical_path){.count = 0};
}

#endif
