#include "model/violations/finder.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/array.h"

uint64_t finder_fence_key(int32_t window, uint32_t rank, size_t number)
{
    if (window >= 1 << 20 || rank >= 1U << 20 || number >= 1U << 24) return UINT64_MAX;
    return (uint64_t)window << 44 | (uint64_t)rank << 24 | number;
}

enum status finder_add(struct finder *finder, enum violation_kind kind, struct call_at at, struct call_at other,
                       const char *format, ...)
{
    struct violation made = {.kind = kind, .at = at, .other = other};
    if (finder->counts[kind]++ >= VIOLATIONS_PER_KIND) return STATUS_OK;
    TRY(array_reserve((void **)&finder->items, &finder->capacity, finder->count + 1, sizeof made, finder->err));
    va_list arguments;
    va_start(arguments, format);
    int printed = vasprintf(&made.detail, format, arguments);
    va_end(arguments);
    if (printed < 0) return err_memory(finder->err);
    finder->items[finder->count++] = made;
    return STATUS_OK;
}
