/* The parts of the critical path, the last one first. Two that follow each other in time are on two threads; a part may take no
 * time. */
#ifndef MODEL_CAUSES_CRITICAL_PATH_H
#define MODEL_CAUSES_CRITICAL_PATH_H

#include <stddef.h>
#include <stdint.h>

struct path_part {
    uint32_t location; /* model/match/timelines.h */
    int64_t from_ps, to_ps;
};

/* All-zero is empty. The owner frees parts. */
struct critical_path {
    struct path_part *parts;
    size_t count, capacity;
};

#endif
