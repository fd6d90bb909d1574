/* An archive whose ranks are read by several MPI processes: each reads the event files of its own ranks and sends their
 * calls to process 0, where they make one source (trace/source.h).
 *
 * Process 0 calls exchange_source, all others exchange_serve, each after MPI_Init with the same path. A failure on any
 * other process shows on process 0 as that of the rank read; process 0 then has to end them all (MPI_Abort). */
#ifndef MPI_EXCHANGE_H
#define MPI_EXCHANGE_H

#include "trace/source.h"

/* Ranks first..end-1 of rank_count are read by process `process` of `processes`. Process 0 analyses, which takes as long
 * as reading does: it reads none unless it is alone. */
struct exchange_share {
    uint32_t first, end;
};
struct exchange_share exchange_share_of(uint32_t rank_count, int process, int processes);

/* Takes over an archive that was opened piece by piece; *source is closed by the caller. */
enum status exchange_source(struct trace_source *archive, struct trace_source *source, struct err *err);

/* Reads the process's ranks, at most `calls` calls of one at a time, until all are sent. Closes the archive. */
enum status exchange_serve(struct trace_source *archive, size_t calls, struct err *err);

#endif
