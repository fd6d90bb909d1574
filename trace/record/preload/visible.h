/* Finds the MPI library of the program that the recorder is preloaded into. */
#ifndef TRACE_RECORD_PRELOAD_VISIBLE_H
#define TRACE_RECORD_PRELOAD_VISIBLE_H

#include <link.h>
#include <stdbool.h>

/* Whether the file is a part of an MPI library (libmpi*), of OpenSHMEM's. */
bool rec_is_mpi(const char *path);
bool rec_is_shmem(const char *path);

/* Makes MPI libraries visible to all objects that were loaded for one object only (a module of an interpreter). Those
 * that the program is linked with are visible already. */
void rec_make_visible(void);

/* The function behind the recorder's own of this name, NULL if there is none. The dispatch
 * (trace/record/preload/dispatch.c) defines it; where the recorder was preloaded itself there is none. */
extern void *rmacast_record_next(const char *name) __attribute__((weak, visibility("default")));

#endif
