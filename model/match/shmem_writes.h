/* Finds the write that ended a wait of OpenSHMEM. In a predicted trace it is the last put or atomic of any PE to that
 * address that had taken effect when the wait returned. In a recorded trace the time of the effect is not known: the
 * write is the last one whose call had returned by then. If that call returned before the wait began, the write is one
 * whose call was in progress when the wait returned.
 *
 * The times of a trace that is rewritten or generated do not say what a wait waited for. There, and wherever a whole trace is
 * at hand, shmem_writes_pair() counts: the n-th shmem_signal_wait_until of a place waits for the n-th put with a signal there. */
#ifndef MODEL_MATCH_SHMEM_WRITES_H
#define MODEL_MATCH_SHMEM_WRITES_H

#include "common/map.h"
#include "trace/trace.h"

struct shmem_write {
    uint32_t target, origin;
    size_t call;     /* of the origin */
    int64_t time_ps; /* of its effect, if the trace has it; else the call's exit */
    bool known;      /* the trace has the time of the effect */
};

struct shmem_writes {
    struct shmem_write *items; /* by target, then time */
    size_t count;
    int64_t longest_ps; /* longest call of a write without the time of its effect */
    struct map signals; /* after shmem_writes_pair(): rank and call of a wait to the index of its write */
};

/* Whether a call of this kind waits or tests for a write; whether a write ended this call. */
bool shmem_is_wait(enum call_kind kind);
bool shmem_wait_ended(const struct trace_call *call);

/* Borrows nothing of the trace. Inits *writes. */
enum status shmem_writes_find(const struct trace *trace, struct shmem_writes *writes, struct err *err);
/* Pairs waits for signals and puts of each place that one rank alone puts to, as often as its owner waits there. Not for a
 * part of a trace. */
enum status shmem_writes_pair(const struct trace *trace, struct shmem_writes *writes, struct err *err);
void shmem_writes_clear(struct shmem_writes *writes);

/* The write that ended the rank's call, a wait or a test that returned true; NULL if none is known. */
const struct shmem_write *shmem_writes_cause(const struct shmem_writes *writes, const struct trace *trace,
                                             uint32_t rank, size_t call);

/* Whether a quiet of the rank (call_is_quiet), a later call than the operation, completes it. It completes an operation
 * of another thread only if that call had returned when the quiet began. */
bool shmem_quiet_completes(const struct trace *trace, uint32_t rank, size_t quiet, size_t operation);

/* Finds, for each call of a rank that waits or tests for a write, the failed test of the same address before it. A row
 * of such tests begins after the last wait or successful test of that address. *before has an element per call and
 * belongs to the caller; it is NULL if the rank has no failed test. */
#define SHMEM_NO_TEST SIZE_MAX
enum status shmem_rows_find(const struct trace *trace, uint32_t rank, size_t **before, struct err *err);

#endif
