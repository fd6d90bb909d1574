/* Who held OpenSHMEM's locks: inferred from the order in which the calls that took one returned. */
#ifndef MODEL_MATCH_HOLDINGS_H
#define MODEL_MATCH_HOLDINGS_H

#include <stddef.h>
#include <stdint.h>

#include "model/slices/final.h"
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

/* Inits *holdings. In a shard of an analysis it finds only those of the shard's locks. state: NULL of a whole trace. */
enum status holdings_find(const struct trace *trace, const struct slice_state *state, struct holdings *holdings,
                          struct err *err);
void holdings_clear(struct holdings *holdings);

/* The shard of an analysis (model/shards/shards.h) that finds who held a lock. It knows all calls that take or clear
 * the lock. */
static inline uint32_t holdings_shard(uint32_t lock, uint32_t shard_count)
{
    return lock % shard_count;
}

/* Item i is about a lock that another rank held before it, as item i - 1 says, and its call waits for that. */
bool holding_waits(const struct holdings *holdings, const struct trace *trace, size_t i);

#endif
