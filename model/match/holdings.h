/* Infers which PE held which lock of OpenSHMEM when, from the order in which the calls that took the lock returned. */
#ifndef MODEL_MATCH_HOLDINGS_H
#define MODEL_MATCH_HOLDINGS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

#define HOLDING_NO_CALL SIZE_MAX

struct holding {
    uint32_t lock, rank;
    size_t taken, cleared; /* calls; cleared HOLDING_NO_CALL: not seen */
    int64_t taken_ps;      /* exit */
};

struct holdings {
    struct holding *items; /* by lock, then taken_ps, then rank */
    size_t count, capacity;
};

/* Inits *holdings. */
enum status holdings_find(const struct trace *trace, struct holdings *holdings, struct err *err);
void holdings_clear(struct holdings *holdings);

/* Whether item i, taken by shmem_set_lock, waited for item i - 1, in which another rank held the same lock. */
bool holding_waits(const struct holdings *holdings, const struct trace *trace, size_t i);

#endif
