/* An archive whose events other processes read. Process 0 of MPI_COMM_WORLD analyses; each of the others decodes the events of
 * a block of ranks and sends them ahead, some batches per rank, so that reading and analysis go on at the same time. Process 0
 * takes them in the order in which it would have read them, so result and errors are those of one process. */
#ifndef MPI_READING_H
#define MPI_READING_H

#include "trace/source.h"

/* For process 0, as trace_open_source(); it reads itself if it is alone. The caller closes *source. */
enum status reading_open(const char *path, struct trace_source *source, bool *possible, uint64_t *records, struct err *err);
/* For process 0: the others return from reading_serve(). */
void reading_end(void);

/* For the other processes. */
void reading_serve(void);

#endif
