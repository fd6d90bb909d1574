/* Reads a recorder's spool directory into a trace, complete or not. */
#ifndef TRACE_SPOOL_READ_H
#define TRACE_SPOOL_READ_H

#include "trace/trace.h"

/* Whether the directory has a file with a recorder's name that is not empty: some rank has written its header.
 * STATUS_SYSTEM: the machine refuses to read it (err_refused()). */
enum status spool_find(const char *directory, bool *found, struct err *err);

/* Reads all ranks of a spool directory: unifies communicators, groups and windows over ranks, corrects clocks, resolves
 * call sites, marks ranks whose recording breaks off. Time zero is the first event. Calls that returned an error are
 * left out. Returns STATUS_DATA "FILE:BYTE: ..." for a file that is no recorder's, or was truncated. The caller owns
 * *trace. */
enum status spool_read(const char *directory, struct trace **trace, struct err *err);
/* The same with a number of threads; 0: as many as the process has processors, fewer for a small spool. The trace and
 * the error do not depend on the number. keep_going (trace/faults.h): a damaged file is read up to the damage. */
enum status spool_read_by(unsigned threads, const char *directory, bool keep_going, struct trace **trace,
                          struct err *err);

/* The begin of the note of a trace whose processes were started by another MPI's launcher, so that each is a world of
 * its own. */
#define SPOOL_FOREIGN_LAUNCHER "the launcher and the MPI library do not belong together"

/* Windows whose data MPICH 4.0 with ch4:ucx silently writes to a wrong address: the base of MPI_Win_create is not
 * 16-byte aligned, and the registration cache is not switched off. */
struct spool_misaligned {
    size_t count;   /* of (window, rank) */
    int32_t window; /* the first of them */
    uint32_t rank;
    uint64_t base;
    char library[64]; /* "MPICH 4.0.2 (ch4:ucx)" */
};
enum status spool_find_misaligned(const char *directory, struct spool_misaligned *found, struct err *err);

#endif
