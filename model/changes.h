/* Where each rank's calls change from one node of a tree to another: user regions, intervals. */
#ifndef MODEL_CHANGES_H
#define MODEL_CHANGES_H

#include <stddef.h>
#include <stdint.h>

struct change { /* from this call on, the rank is in node */
    size_t call;
    uint32_t node;
};

/* The node of a call: that of the last of changes[low, high), ascending by call, that is not behind it; root before the
 * first. */
uint32_t changes_at(const struct change *changes, size_t low, size_t high, size_t call, uint32_t root);

#endif
