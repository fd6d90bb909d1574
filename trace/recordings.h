/* Several recordings of one program with the same input, on the same number of ranks: the computing before each call is the
 * median over them, and how much their computing differs says how sure it is. It is not for runs whose calls differ, such as
 * those that results of fetching operations steer. */
#ifndef TRACE_RECORDINGS_H
#define TRACE_RECORDINGS_H

#include "trace/trace.h"

enum { RECORDINGS_MAX = 64 };

/* Sets the computing of each call of recordings[0] (trace_set_compute()), and provenance.recordings. All have been given the same
 * trace_use_computing(). A gap keeps its own computing if failed tests lie in it: how many there are differs from run to run.
 * Sleep keeps its share of the gap. Notes say how many recordings there are, and name those whose computing is far from that of
 * the others. STATUS_DATA: they have other ranks or threads, or a rank makes another call. count <= RECORDINGS_MAX. */
enum status trace_use_recordings(struct trace *const *recordings, size_t count, struct err *err);

#endif
