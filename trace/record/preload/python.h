/* The call sites of Python programs: file and line that the interpreter executes, in place of an address in it.
 *
 * Not for C modules of a program: they make no Python frames, and their own addresses are the sites of their calls. */
#ifndef TRACE_RECORD_PRELOAD_PYTHON_H
#define TRACE_RECORD_PRELOAD_PYTHON_H

#include "trace/record/preload/library.h"

#pragma GCC visibility push(hidden)
extern struct rec_range rec_python; /* the interpreter, if its frames can be read; else no bytes */
#pragma GCC visibility pop

/* Looks for the interpreter among what is loaded. */
void rec_python_find(void);

/* The range has the interpreter's functions: it becomes rec_python if the frames of its version can be read. */
void rec_python_meet(const struct rec_range *range);

/* The site of the line that this thread executes (SPOOL_LINE_SITE), whose record is written if it is new; NULL if the
 * thread executes no Python. The thread is in a call of MPI and the spool is open. */
const void *rec_python_site(void);

/* When the spool has been opened: gives the call that opened it its site, and says so where frames cannot be read. */
void rec_python_opened(struct rec_call *rec);

#endif
