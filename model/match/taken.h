/* Which MPI_Mrecv or MPI_Imrecv receives the message that an MPI_Mprobe or MPI_Improbe took out of matching (MPI-3.1 3.8.2).
 * The trace does not say which handle a call has. A thread receives what it took itself, of one source, communicator and
 * tag in the order of its probes, whatever the times. What is left was handed to another thread: the receives have it in
 * the order of their enters, the probes in that of their exits, since a handle is there when its probe has returned. */
#ifndef MODEL_MATCH_TAKEN_H
#define MODEL_MATCH_TAKEN_H

#include "trace/trace.h"

#define TAKEN_NONE SIZE_MAX

/* *others: per call of the rank the other one of the two, TAKEN_NONE: it has none; NULL: the rank has no such calls. The
 * caller frees it. */
enum status taken_find(const struct trace *trace, uint32_t rank, size_t **others, struct err *err);

/* The rank's calls in the order in which they meet messages: a probe when it returns, any other call when it begins. That of
 * the trace, where one thread calls. The caller frees *order. */
enum status taken_order(const struct trace *trace, uint32_t rank, size_t **order, struct err *err);

#endif
