/* Binary search, and orders for qsort(). */
#ifndef COMMON_SEARCH_H
#define COMMON_SEARCH_H

#include <stddef.h>
#include <string.h>

/* NULL is the empty text. */
static inline int compare_texts(const char *one, const char *other)
{
    return strcmp(one ? one : "", other ? other : "");
}

/* Defines the comparator NAME for qsort() of items of TYPE: ORDER(by_length, struct wait, DOWN(ps) UP(rank) BY_TEXT(file)).
 * The first member that differs decides. Items that are numbers have the key UP_ITSELF. No member is NaN. */
#define ORDER(NAME, TYPE, KEYS)                                                                                        \
    static int NAME(const void *one, const void *other)                                                                \
    {                                                                                                                  \
        const TYPE *a = one, *b = other;                                                                               \
        KEYS                                                                                                           \
        return 0;                                                                                                      \
    }
#define UP_ITSELF                                                                                                      \
    if (*a != *b) return *a < *b ? -1 : 1;
#define UP(MEMBER)                                                                                                     \
    if ((a->MEMBER) != (b->MEMBER)) return (a->MEMBER) < (b->MEMBER) ? -1 : 1;
#define DOWN(MEMBER)                                                                                                   \
    if ((a->MEMBER) != (b->MEMBER)) return (a->MEMBER) > (b->MEMBER) ? -1 : 1;
#define BY(COMPARATOR)                                                                                                 \
    if (COMPARATOR(a, b) != 0) return COMPARATOR(a, b);
#define BY_TEXT(MEMBER)                                                                                                \
    if (compare_texts(a->MEMBER, b->MEMBER) != 0) return compare_texts(a->MEMBER, b->MEMBER);

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
