/* Recording: runs an MPI program under the recorder, as `rmacast record` does. The program is not changed: the recorder
 * is preloaded, and wraps MPI's functions by its profiling interface (MPI-3.1, chapter 14.2). It needs the shared library of
 * MPICH or Open MPI. */
#ifndef RMACAST_RECORD_H
#define RMACAST_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "rmacast/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Set size = sizeof(struct rmacast_record_options) and what else differs from 0. */
struct rmacast_record_options {
    size_t size;
    const char *calls;   /* only these groups, joined by commas: "rma", "p2p", "collective", "local"; NULL: all */
    int64_t limit_bytes; /* a rank's recording stops at this size; 0: as rmacast record without --limit; not below 0 */
    int cpu_time;        /* also CPU time, for runs with more ranks than cores */
    int threads;         /* also thread primitives: creation, mutexes, conditions, semaphores */
    int paused;          /* record nothing until the program calls MPI_Pcontrol(1) */
};

/* Runs command (its words, NULL at the end, the first one found in PATH) and waits until it ends, then writes the
 * archive directory/traces.otf2, which rmacast_trace_open() reads. directory NULL: the program's name with ".rma". An
 * older archive there is replaced. The program has this process's input, output and environment.
 *
 * A program that fails, or is killed, is recorded all the same: RMACAST_OK, *exit_status (may be NULL) is its exit
 * status, or 128 + n if signal n ended it. RMACAST_USAGE: the command cannot be run, or an option is at fault. RMACAST_DATA:
 * nothing was recorded, since no program called MPI_Init; or the directory has a recording that was not packed, or one is being
 * made there. RMACAST_SYSTEM: the recorder library is not found (it is installed beside this library; RMACAST_RECORDER in the
 * environment names another place), or the archive cannot be written. A child process records: it takes no signal handlers
 * and no children of this process. */
enum rmacast_status rmacast_record(char *const *command, const char *directory,
                                   const struct rmacast_record_options *options, int *exit_status,
                                   struct rmacast_error *error);

#ifdef __cplusplus
}
#endif
#endif
