/* Which write ended a wait of OpenSHMEM. In a predicted trace it is the last put or atomic of any PE to that address
 * that had taken effect when the wait returned. In a recorded trace the effect is not known: it is the last one whose
 * call had returned by then. If that call returned before the wait began, it is one whose call was in progress when the
 * wait returned. */
#ifndef MODEL_MATCH_SHMEM_WRITES_H
#define MODEL_MATCH_SHMEM_WRITES_H

#include "trace/trace.h"

struct shmem_write {
    uint32_t target, origin;
    size_t call;     /* of the origin */
    int64_t time_ps; /* of its effect where the trace knows it; else the call's exit in its place */
    bool known;      /* the trace knows it */
};

struct shmem_writes {
    struct shmem_write *items; /* by target, then time */
    size_t count;
    int64_t longest_ps; /* call of a write whose effect is not known */
};

/* What may end a wait of another PE. */
bool shmem_is_write(enum call_kind kind);
/* Waiting for a write, or a test; of these the ones that a write ended. */
bool shmem_is_wait(enum call_kind kind);
bool shmem_wait_ended(const struct trace_call *call);

/* Borrows nothing of the trace. Inits *writes. */
enum status shmem_writes_find(const struct trace *trace, struct shmem_writes *writes, struct err *err);
void shmem_writes_clear(struct shmem_writes *writes);

/* The write that ended the call of the rank, if it is a wait or a test that said yes; NULL: none is known. */
const struct shmem_write *shmem_writes_cause(const struct shmem_writes *writes, const struct trace *trace,
                                             uint32_t rank, size_t call);

/* A quiet of the rank (call_is_quiet) behind the operation completes it: what another thread had issued when it began. */
bool shmem_quiet_completes(const struct trace *trace, uint32_t rank, size_t quiet, size_t operation);

/* Of each call of a rank that waits or tests for a write: the failed test of the same address before it in its row,
 * which begins behind the last wait or successful test of that address. *before has an element for each call and is the
 * caller's; NULL: the rank has no failed test. */
#define SHMEM_NO_TEST SIZE_MAX
enum status shmem_rows_find(const struct trace *trace, uint32_t rank, size_t **before, struct err *err);

#endif
