/* The wrappers of every row of trace/calls/mpi_calls.def: MPI_X and PMPI_X. The library is not linked with MPI: it finds the
 * functions in the program that it is preloaded into. */
#include "trace/record/preload/library.h"
#include "trace/record/record.h"

#define REC_EXPORT __attribute__((visibility("default")))

/* A library that is loaded late is looked for when it is first needed. */
#define REC_REAL(LIBRARY, NAME) (REC_LIKELY(LIBRARY.NAME != NULL) ? LIBRARY.NAME : (rec_library_find(), LIBRARY.NAME))

#define REC_WRAPPER(SYMBOL, LIBRARY, TAKEN, NAME, PARAMETERS, ARGUMENTS, BEFORE, AFTER)                                \
    REC_EXPORT int SYMBOL PARAMETERS                                                                                   \
    {                                                                                                                  \
        const void *site = __builtin_return_address(0);                                                                \
        if (!(TAKEN) || rec_off[REC_ID_##NAME] == REC_SKIPPED ||                                                       \
            !rec_begin(__builtin_dwarf_cfa(), rec_initialises(REC_ID_##NAME))) {                                       \
            if (!rec_initialises(REC_ID_##NAME)) return REC_REAL(LIBRARY, NAME) ARGUMENTS;                             \
            bool outermost = rec_decline_begin();                                                                      \
            int passed = REC_REAL(LIBRARY, NAME) ARGUMENTS;                                                            \
            if (outermost) rec_decline_end((TAKEN) && passed == MPI_SUCCESS, REC_ID_##NAME);                           \
            return passed;                                                                                             \
        }                                                                                                              \
        struct rec_call rec;                                                                                           \
        rec_prepare(&rec, REC_ID_##NAME, rec_site(site, __builtin_dwarf_cfa()));                                       \
        rec_lock();                                                                                                    \
        BEFORE;                                                                                                        \
        rec_unlock();                                                                                                  \
        rec_enter(&rec);                                                                                               \
        int result = REC_REAL(LIBRARY, NAME) ARGUMENTS;                                                                \
        rec.exit.time = rec_stamp();                                                                                   \
        if ((REC_LIKELY(result == MPI_SUCCESS) || rec_failed(&rec, result)) && rec_state != REC_OFF) {                 \
            rec_lock();                                                                                                \
            AFTER;                                                                                                     \
            rec_unlock();                                                                                              \
        }                                                                                                              \
        rec_exit(&rec);                                                                                                \
        return result;                                                                                                 \
    }
#define REC_ROW(NAME, KIND, NEEDED, ALLOWED, PARAMETERS, ARGUMENTS, BEFORE, AFTER)                                     \
    REC_WRAPPER(MPI_##NAME, rec_beyond, true, NAME, PARAMETERS, ARGUMENTS, BEFORE, AFTER)                              \
    REC_WRAPPER(PMPI_##NAME, rec_library, !rec_in(&rec_core, site), NAME, PARAMETERS, ARGUMENTS, BEFORE, AFTER)

#include "trace/record/mpi/rows.def"

/* For session.c: the name would mean the function of a program, or of another tool, that has one of its own. */
extern __typeof__(PMPI_Send) rec_own_send __attribute__((alias("PMPI_Send"), visibility("hidden")));
