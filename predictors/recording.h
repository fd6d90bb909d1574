/* A recording whose calls are in a temporary file (trace/call_file.h), so that the memory of its replays does not grow with its
 * length. It is read once: everything that a prediction needs of its calls before or beside the replay is found then, and they
 * get the computing times of trace_use_computing().
 *
 * Order of calls: recording_open, recording_begin before each replay, recording_close. */
#ifndef PREDICTORS_RECORDING_H
#define PREDICTORS_RECORDING_H

#include "predictors/recorded_time.h"
#include "predictors/recording_facts.h"
#include "predictors/warnings.h"
#include "simulate/replay/replay.h"
#include "trace/call_file.h"
#include "trace/source.h"

struct recording {
    struct trace *trace; /* the definitions, and the calls that a replay needs next */
    struct call_file *file;
    struct recording_facts facts;
    struct recorded_time time;             /* as it was recorded */
    struct synchronisation synchronisation; /* likewise */
    uint64_t large;                        /* transfers of more than recording_options.most_bytes */
    bool may_claim;                        /* tasks: platform.decide must not be DECIDE_AGAIN */
    struct replay_source source;           /* for replay_options */
    size_t next_calls;                     /* of a rank that a replay reads at a time */
};

struct recording_options {
    enum trace_computing computing;
    bool decides_again; /* platform.decide */
    int64_t most_bytes;
    size_t read_calls; /* of a rank that are in memory while it is read; 0: as many as are fast, likewise next_calls */
    size_t next_calls;
};

/* Reads all of the source, and closes it. *recording is NULL if the trace must be held in memory: it is faulty, simulated or
 * computed by CPU time, or has threads, OpenSHMEM, collectives with sizes per rank or between two groups, topologies, buffers
 * with gaps, spins (trace/spins.h), or, with decides_again, what may be a claim of a task (simulate/tasks/queues.h). */
enum status recording_open(struct trace_source *source, const struct recording_options *options, struct recording **recording,
                           struct err *err);
/* Puts the first calls of each rank into the trace. */
enum status recording_begin(struct recording *recording, struct err *err);
void recording_close(struct recording *recording); /* takes NULL */

#endif
