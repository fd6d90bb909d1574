#include "model/callpaths/changes.h"

#include "common/search.h"

int changes_compare(const void *one, const void *other)
{
    const struct change *a = one, *b = other;
    if (a->thread != b->thread) return a->thread > b->thread ? 1 : -1;
    return (a->call > b->call) - (a->call < b->call);
}

uint32_t changes_at(const struct change *changes, size_t low, size_t high, uint32_t thread, size_t call,
                    uint32_t root)
{
    size_t first = low;
    SEARCH_FIRST(low, high, i, changes[i].thread < thread || (changes[i].thread == thread && changes[i].call <= call));
    return low == first || changes[low - 1].thread != thread ? root : changes[low - 1].node;
}
