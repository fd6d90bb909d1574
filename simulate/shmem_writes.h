/* Which write ended a wait of OpenSHMEM in a trace: the last put or atomic of anyone to that address whose call had
 * begun before the wait returned; in a predicted trace: that had taken effect by then. */
#ifndef SIMULATE_SHMEM_WRITES_H
#define SIMULATE_SHMEM_WRITES_H

#include "trace/trace.h"

struct shmem_write {
    uint32_t target, origin;
    size_t call;     /* of the origin */
    int64_t time_ps; /* simulated: of its effect; recorded: of its call, since nobody knows the effect's */
};

struct shmem_writes {
    struct shmem_write *items; /* by target, then time */
    size_t count;
};

/* Borrows nothing of the trace. Inits *writes. */
enum status shmem_writes_find(const struct trace *trace, struct shmem_writes *writes, struct err *err);
void shmem_writes_clear(struct shmem_writes *writes);

/* The write that ended the call of the rank, if it is a wait or a test that said yes; NULL: none is known. */
const struct shmem_write *shmem_writes_cause(const struct shmem_writes *writes, const struct trace *trace,
                                             uint32_t rank, size_t call);

#endif
