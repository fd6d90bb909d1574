/* The simulation: a trace replayed on a platform, under blocking semantics a, b, c or d (docs/simulation.md):
 * a) start waits for the target's post, b) the operation waits, c) complete waits, d) nobody waits, data are buffered. */
#ifndef RMACAST_SIMULATE_H
#define RMACAST_SIMULATE_H

#include "rmacast/error.h"
#include "rmacast/platform.h"
#include "rmacast/result.h"
#include "rmacast/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Set size = sizeof(struct rmacast_simulate_options) and what else differs from 0. */
struct rmacast_simulate_options {
    size_t size;
    const char *engine;    /* "loggp" (NULL: this one), or "simgrid", which needs the module librmacast-simgrid.so */
    const char *semantics; /* "a", "b", "c", "d"; NULL: as the platform says */
    /* What is computing between two calls: "wall" time, "undisturbed" (without the time for which a thread waited for a
     * core) or "cpu". NULL: undisturbed where a node had more ranks than cores and the recorder saw such waits, else
     * wall time. Pauses of the recording are never computing. */
    const char *compute;
    /* So much of the computing, from 0 to 1, is bound by memory on ranks whose share was not recorded, and takes longer with more
     * ranks on the node (nodes.memory_curve). 0: none is assumed. */
    double memory_bound;
};

/* Replays the trace: computing between calls keeps its time, and calls take what the platform's costs and the blocking
 * semantics say (docs/simulation.md has each rule and its source). options NULL: defaults. SimGrid simulates once per
 * process, so that engine runs in a child process, which is gone when the function returns. *predicted is the trace of the
 * predicted run, *result its analysis; either may be NULL where it is not wanted. The caller owns both; trace and platform
 * are unchanged, and may be freed before them.
 *
 * RMACAST_USAGE: an option is at fault, or options->size is that of another version. RMACAST_DATA: the trace cannot be
 * replayed on the platform: a rank has no node, or a deadlock, of which the text says who waits for whom. RMACAST_SYSTEM:
 * the engine's module cannot be loaded. */
enum rmacast_status rmacast_simulate(const struct rmacast_trace *trace, const struct rmacast_platform *platform,
                                     const struct rmacast_simulate_options *options, struct rmacast_trace **predicted,
                                     struct rmacast_result **result, struct rmacast_error *error);

#ifdef __cplusplus
}
#endif
#endif
