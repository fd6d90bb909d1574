/* Binary search, and the order of numbers for qsort(). */
#ifndef COMMON_SEARCH_H
#define COMMON_SEARCH_H

#include <stddef.h>

/* The items are doubles, none of them NaN. */
static inline int compare_doubles(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* Advances FIRST, a size_t, to the first index below END for which BEFORE is false; to END if there is none. BEFORE is
 * an expression of AT, the index, a name that the macro declares. All indices for which it is true must come first. */
#define SEARCH_FIRST(FIRST, END, AT, BEFORE)                                                                           \
    do {                                                                                                               \
        size_t search_end_ = (END);                                                                                    \
        while ((FIRST) < search_end_) {                                                                                \
            size_t AT = (FIRST) + (search_end_ - (FIRST)) / 2;                                                         \
            if (BEFORE)                                                                                                \
                (FIRST) = AT + 1;                                                                                      \
            else                                                                                                       \
                search_end_ = AT;                                                                                      \
        }                                                                                                              \
    } while (0)

#endif
