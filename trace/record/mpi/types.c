#include "trace/record/mpi/types.h"

#include "trace/record/preload/library.h"
#include "trace/record/record.h"

struct rec_type rec_types[1 << REC_TYPE_BITS] __attribute__((aligned(64)));

/* Elements follow each other at the extent, each with its first byte at the true lower bound. */
static struct rec_type ask_type(MPI_Datatype type)
{
    MPI_Count size = 0, lower = 0, extent = 0, true_lower = 0, true_extent = 0;
    PMPI_Type_size_x(type, &size);
    PMPI_Type_get_extent_x(type, &lower, &extent);
    PMPI_Type_get_true_extent_x(type, &true_lower, &true_extent);
    return (struct rec_type){.type = type,
                             .gaps = size > 0 && (extent != size || true_extent != size),
                             .back = true_lower < 0 || extent < 0,
                             .size = size,
                             .extent = extent < 0 ? -extent : extent,
                             .true_extent = true_extent};
}

/* A type has two places; the type used last is at the first of them. */
const struct rec_type *rec_type_find(MPI_Datatype type)
{
    static const struct rec_type nothing;
    if (type == MPI_DATATYPE_NULL) return &nothing;
    struct rec_type *first = rec_type_place(type), *second = rec_types + ((first - rec_types) ^ 1), before = *first;
    if (first->type == type) return first;
    *first = second->type == type ? *second : ask_type(type);
    *second = before;
    return first;
}

int64_t rec_type_span(int64_t count, MPI_Datatype type)
{
    const struct rec_type *of = rec_type(type);
    int64_t span;
    if (count < 1 || !of->gaps || __builtin_mul_overflow(count - 1, of->extent, &span) ||
        __builtin_add_overflow(span, of->true_extent, &span))
        return 0;
    return span == count * of->size ? 0 : span;
}

/* Another type may have the handle next. */
static void forget_type(const MPI_Datatype *type)
{
    if (rec_state == REC_OFF || !type) return;
    rec_lock();
    struct rec_type *first = rec_type_place(*type), *second = rec_types + ((first - rec_types) ^ 1);
    if (first->type == *type) *first = (struct rec_type){0};
    if (second->type == *type) *second = (struct rec_type){0};
    rec_unlock();
}

/* Freeing a type is not recorded, but a freed one is forgotten wherever that happens: in callbacks, and while nothing is
 * recorded, too. */
#define REC_TYPE_FREE(SYMBOL)                                                                                          \
    __attribute__((visibility("default"))) int SYMBOL(MPI_Datatype *type)                                              \
    {                                                                                                                  \
        static int (*real)(MPI_Datatype *);                                                                            \
        int (*found)(MPI_Datatype *) = __atomic_load_n(&real, __ATOMIC_RELAXED);                                       \
        if (!found) {                                                                                                  \
            void *next = rec_library_next("PMPI_Type_free");                                                           \
            memcpy(&found, &next, sizeof found);                                                                       \
            __atomic_store_n(&real, found, __ATOMIC_RELAXED);                                                          \
        }                                                                                                              \
        forget_type(type);                                                                                             \
        return found(type);                                                                                            \
    }
REC_TYPE_FREE(MPI_Type_free)
REC_TYPE_FREE(PMPI_Type_free)
