/* Finds which MPI_Mrecv or MPI_Imrecv receives the message that an MPI_Mprobe or MPI_Improbe took out of matching
 * (MPI-3.1 3.8.2). The trace does not say which handle a call uses. A thread receives the messages that it took itself;
 * those of one source, communicator and tag in the order of its probes, at whatever times. The remaining messages were
 * handed to another thread: the receives in the order of their enters match the probes in the order of their exits,
 * since a handle exists when its probe has returned. */
#ifndef MODEL_MATCH_TAKEN_H
#define MODEL_MATCH_TAKEN_H

#include "trace/trace.h"

#define TAKEN_NONE SIZE_MAX

/* *others has, per call of the rank, the matching probe or receive, or TAKEN_NONE. It is NULL if the rank has no such
 * calls. The caller frees it. */
enum status taken_find(const struct trace *trace, uint32_t rank, size_t **others, struct err *err);

/* *order has the rank's calls in the order in which they take part in matching: a probe when it returns, any other call
 * when it begins. With one thread it is the order of the trace. The caller frees *order. */
enum status taken_order(const struct trace *trace, uint32_t rank, size_t **order, struct err *err);

#endif
