/* Data types: the bytes that a count of elements moves, and the bytes that it spans in memory. The properties of a type
 * are stored until the type is freed. */
#ifndef TRACE_RECORD_MPI_TYPES_H
#define TRACE_RECORD_MPI_TYPES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/record/threads/table.h"

#pragma GCC visibility push(hidden)

struct rec_type { /* zero: no type */
    MPI_Datatype type;
    bool gaps;                         /* some count of elements is not one piece of memory without gaps */
    bool back;                         /* some count of elements has bytes before the address that it is given */
    int64_t size, extent, true_extent; /* MPI-3.1 4.1.7, 4.1.8; of the extent without its sign */
};
enum { REC_TYPE_BITS = 7 };
extern struct rec_type rec_types[1 << REC_TYPE_BITS];

static inline struct rec_type *rec_type_place(MPI_Datatype type)
{
    return &rec_types[(REC_KEY(type) * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - REC_TYPE_BITS)];
}

/* Finds the stored type, or asks MPI and stores it. The caller holds rec_lock(), if it uses the tables. */
const struct rec_type *rec_type_find(MPI_Datatype type);

static inline const struct rec_type *rec_type(MPI_Datatype type)
{
    const struct rec_type *place = rec_type_place(type);
    return __builtin_expect(place->type == type, 1) ? place : rec_type_find(type);
}

/* The bytes of memory from the first to the last byte of count elements. 0: as many as they move, or more than the
 * address space has. */
int64_t rec_type_span(int64_t count, MPI_Datatype type);

#pragma GCC visibility pop

#endif
