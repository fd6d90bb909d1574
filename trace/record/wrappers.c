/* The wrapper of every row of trace/mpi_calls.def. The library is not linked with MPI: the names resolve in the program
 * that it is preloaded into, and are NULL where that is no MPI program. */
#include "trace/record/record.h"

#define REC_EXPORT __attribute__((visibility("default")))

#define MPI_CALL(NAME, KIND, NEEDED, ALLOWED, PARAMETERS, ARGUMENTS, BEFORE, AFTER)                                    \
    REC_EXPORT int MPI_##NAME PARAMETERS                                                                               \
    {                                                                                                                  \
        if (!rec_begin()) return PMPI_##NAME ARGUMENTS;                                                                \
        struct rec_call rec;                                                                                           \
        rec_prepare(&rec, REC_ID_##NAME, __builtin_return_address(0));                                                 \
        BEFORE;                                                                                                        \
        rec_enter(&rec);                                                                                               \
        int result = PMPI_##NAME ARGUMENTS;                                                                            \
        rec.exit.time = rec_now();                                                                                     \
        if (result != MPI_SUCCESS)                                                                                     \
            rec.exit.flags |= SPOOL_FAILED;                                                                            \
        else if (rec_state != REC_OFF)                                                                                 \
            AFTER;                                                                                                     \
        rec_exit(&rec);                                                                                                \
        return result;                                                                                                 \
    }

static inline void rec_prepare(struct rec_call *rec, enum rec_call_id call, const void *site)
{
    struct spool_record blank = {.kind = SPOOL_ENTER,
                                 .call = (uint16_t)call,
                                 .id = SPOOL_NO_ID,
                                 .peer = SPOOL_PEER_NONE,
                                 .extra = (int64_t)(uintptr_t)site};
    rec->enter = rec->exit = blank;
    rec->exit.kind = SPOOL_EXIT;
    rec->comm = NULL;
    rec->entered = rec->quiet = false;
}

#include "trace/mpi_calls.def"
