#include "model/callpaths/changes.h"

uint32_t changes_at(const struct change *changes, size_t low, size_t high, uint32_t thread, size_t call,
                    uint32_t root)
{
    size_t first = low;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (changes[middle].thread < thread || (changes[middle].thread == thread && changes[middle].call <= call))
            low = middle + 1;
        else
            high = middle;
    }
    return low == first || changes[low - 1].thread != thread ? root : changes[low - 1].node;
}
