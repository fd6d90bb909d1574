/* The calls at which each thread moves from one node of a tree to another. Nodes are user regions or intervals. */
#ifndef MODEL_CALLPATHS_CHANGES_H
#define MODEL_CALLPATHS_CHANGES_H

#include <stddef.h>
#include <stdint.h>

struct change { /* from this call on, the thread is in node */
    size_t call;
    uint32_t node;
    uint32_t thread;
};

/* For qsort(): by thread, then call. */
int changes_compare(const void *one, const void *other);

/* The node of a thread's call: that of the thread's last change in changes[low, high) at or before the call; root if
 * there is none. changes are ordered by thread, then call. */
uint32_t changes_at(const struct change *changes, size_t low, size_t high, uint32_t thread, size_t call,
                    uint32_t root);

#endif
