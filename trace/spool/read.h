/* Reading a recorder's spool directory into a trace, whatever is left of it. */
#ifndef TRACE_SPOOL_READ_H
#define TRACE_SPOOL_READ_H

#include "trace/trace.h"

/* True if the directory holds a file of a recorder's name that is not empty: some rank came as far as its header. */
bool spool_is_directory(const char *directory);

/* Reads all ranks of a spool directory: unifies communicators, groups and windows over ranks, corrects clocks, resolves
 * call sites, marks ranks whose recording breaks off. Time zero is the first event. Calls that returned an error are
 * left out. A file that is no recorder's, or was cut, is STATUS_DATA "FILE:BYTE: ...". The caller owns *trace. */
enum status spool_read(const char *directory, struct trace **trace, struct err *err);
/* The same with so many threads; 0: as many as the process has processors, fewer for a small spool. The trace and the
 * error do not depend on it. keep_going (trace/faults.h): of a damaged file what comes before the damage. */
enum status spool_read_by(unsigned threads, const char *directory, bool keep_going, struct trace **trace,
                          struct err *err);

/* How the note of a trace begins whose processes another MPI's launcher has started: each is a world of its own. */
#define SPOOL_FOREIGN_LAUNCHER "mpicc and mpiexec belong to different MPIs"

/* Windows that MPICH 4.0 with ch4:ucx serves at a wrong address, silently: base of MPI_Win_create not 16-byte aligned,
 * and the registration cache not switched off. */
struct spool_misaligned {
    size_t count;   /* of (window, rank) */
    int32_t window; /* the first of them */
    uint32_t rank;
    uint64_t base;
    char library[64]; /* "MPICH 4.0.2 (ch4:ucx)" */
};
enum status spool_find_misaligned(const char *directory, struct spool_misaligned *found, struct err *err);

#endif
