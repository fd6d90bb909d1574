/* The functions of the program's MPI library, and who calls them.
 *
 * Both MPI_X and PMPI_X are wrapped, since bindings for Fortran 2008 and the program's own wrappers call PMPI_X. Calls
 * that the MPI library itself makes are not recorded. */
#ifndef TRACE_RECORD_PRELOAD_LIBRARY_H
#define TRACE_RECORD_PRELOAD_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/record/record.h"

/* Functions by name; NULL before rec_library_find(). */
struct rec_library {
#define REC_ROW(NAME, KIND, NEEDED, ALLOWED, PARAMETERS, ARGUMENTS, BEFORE, AFTER) __typeof__(MPI_##NAME) *NAME;
#include "trace/record/mpi/rows.def"
#undef REC_ROW
};
extern struct rec_library rec_library __attribute__((visibility("hidden"))); /* PMPI_X */
/* MPI_X as the program would have called it without this recorder: of another tool, if there is one between it and MPI. */
extern struct rec_library rec_beyond __attribute__((visibility("hidden")));

struct rec_range {
    uintptr_t low, bytes;
};
enum { REC_BINDINGS = 32 };
#pragma GCC visibility push(hidden)
/* The MPI library; its bindings for other languages, and layers between the program and them (layers.def). */
extern struct rec_range rec_core, rec_bindings[REC_BINDINGS];
extern int rec_binding_count;
#pragma GCC visibility pop

/* Looks for the library among what is loaded; once it is found, its names are made known to the recorder. */
void rec_library_find(void);

/* Looks for bindings and layers anew: more may be loaded by now. */
void rec_layers_find(void);

/* The function behind the recorder's own of this name, NULL if there is none. */
void *rec_library_next(const char *name);

static inline bool rec_in(const struct rec_range *range, const void *address)
{
    return (uintptr_t)address - range->low < range->bytes;
}

/* The first return address outside the bindings, for a call that returns to `site` in one of them; if Python's interpreter
 * comes first, the site of its line (python.h). frame is the CFA of the function that was called. */
const void *rec_binding_caller(const void *site, const void *frame);

/* The place of a call in the program, and the functions around it. */
static inline const void *rec_site(const void *site, const void *frame)
{
    if (__builtin_expect(rec_functions, 0)) rec_functions_resolve(frame);
    for (int i = 0; i < rec_binding_count; i++)
        if (rec_in(&rec_bindings[i], site)) return rec_binding_caller(site, frame);
    return site;
}

#endif
