/* Numbers communicators and windows so that a number means the same on all ranks and at all scales. If calls of the
 * trace create them, they are numbered in the order in which a rank first names them: each row of a grid has a
 * communicator of its own, and a row at one scale may be all ranks at another. Objects that no call of the trace
 * creates have the number of their definition, if all ranks have them.
 *
 * Order of calls: numbers_open, numbers_find of each rank's calls in their order, numbers_check, numbers_clear. */
#ifndef PREDICTORS_SCALE_NUMBERS_H
#define PREDICTORS_SCALE_NUMBERS_H

#include <stdbool.h>

#include "trace/trace.h"

struct numbers {
    int32_t *number;        /* owned, per communicator (window) of the trace; TRACE_NONE: no rank named it */
    int32_t *of_rank;       /* owned: (number - whole) * ranks + rank; TRACE_NONE */
    uint32_t *named;        /* owned, per rank: how many of its own it has named */
    size_t count, capacity; /* of of_rank's rows */
    size_t whole;           /* numbers below are numbers of definitions */
    uint32_t ranks;
};

/* is_whole says whether an object has the number of its definition. */
enum status numbers_open(const struct trace *trace, size_t objects, bool (*is_whole)(const struct trace *, size_t),
                         struct numbers *numbers, struct err *err);

/* *found is false if ranks name their objects in different orders. */
enum status numbers_find(struct numbers *numbers, uint32_t rank, int32_t object, int32_t *number, bool *found, struct err *err);

/* Takes the rank's next number, where another rank may get an object and this one gets none. */
enum status numbers_skip(struct numbers *numbers, uint32_t rank, int32_t *number, struct err *err);

/* Whether every rank has an object of each number. If not, *rank has fewer than others. */
bool numbers_check(const struct numbers *numbers, uint32_t *rank);

size_t numbers_count(const struct numbers *numbers);

/* An object of that number. TRACE_NONE: there is none. */
int32_t numbers_first(const struct numbers *numbers, size_t objects, int32_t number);

void numbers_clear(struct numbers *numbers);

#endif
