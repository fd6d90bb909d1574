/* Traces: what every rank of an MPI program called, with what arguments, when.
 *
 * A trace is recorded (rmacast_record, `rmacast record`, Score-P), predicted (rmacast_simulate) or written by hand as
 * text (docs/format-text.md); all of them are used alike. A trace is not changed after it was opened: several threads
 * may use it at once. Times are seconds since the trace's own time zero. Ranks are ranks of MPI_COMM_WORLD.
 *
 * Order of calls: rmacast_trace_open, the other functions in any order, rmacast_trace_free. */
#ifndef RMACAST_TRACE_H
#define RMACAST_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "rmacast/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rmacast_trace;

/* Reads an OTF2 archive (rmacast's or Score-P's), a spool directory of the recorder, or a text trace; the kind is recognised
 * from the content. The caller owns *trace. RMACAST_DATA: the path is no trace, or the trace is at fault; the text names
 * file, rank and event. */
enum rmacast_status rmacast_trace_open(const char *path, struct rmacast_trace **trace, struct rmacast_error *error);
void rmacast_trace_free(struct rmacast_trace *trace); /* NULL is legal */

/* Writes it: a path that ends in .txt, or "-" for standard output, as text; every other path as the directory of an OTF2
 * archive. What exists at the path is replaced only if it is such a file or archive, also the one that the trace was read from:
 * the trace is in memory as a whole. RMACAST_DATA or RMACAST_SYSTEM: it
 * cannot be written there; the text names the path, and nothing half written stays. */
enum rmacast_status rmacast_trace_save(const struct rmacast_trace *trace, const char *path, struct rmacast_error *error);

uint32_t rmacast_trace_rank_count(const struct rmacast_trace *trace); /* ranks are numbered from 0; 0: no trace */
size_t rmacast_trace_call_count(const struct rmacast_trace *trace, uint32_t rank); /* 0: no such rank or trace */
/* Seconds from the first event of any rank to the last event of any rank; NAN: no trace. */
double rmacast_trace_run_time_s(const struct rmacast_trace *trace);
int rmacast_trace_is_simulated(const struct rmacast_trace *trace); /* 1: predicted by rmacast_simulate; 0: not, or no trace */
int rmacast_trace_is_complete(const struct rmacast_trace *trace);  /* 1: no rank breaks off; 0: one does, or no trace */

/* One call of a rank. name lives as long as the trace. */
struct rmacast_call {
    const char *name;       /* "MPI_Put"; "enter" and "leave" for user regions */
    double enter_s, exit_s;
    int32_t window;         /* number of the window, -1 for calls without */
    int32_t peer;           /* target, destination, matched source or root; -1: none, or MPI_PROC_NULL */
    int64_t bytes;          /* moved by the call, by this rank's arguments */
    uint32_t thread;        /* of the rank, from 0 */
};

/* Copies a call to *call. index counts a rank's calls, of all its threads, in the order of their enter times, from 0.
 * RMACAST_USAGE: no such rank or call. */
enum rmacast_status rmacast_trace_call(const struct rmacast_trace *trace, uint32_t rank, size_t index,
                                       struct rmacast_call *call, struct rmacast_error *error);

#ifdef __cplusplus
}
#endif
#endif
