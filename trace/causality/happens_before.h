/* Causes and effects of the ranks of a trace, in the order of each rank's calls. happens_before.c joins them, count.c
 * counts violations. Internal to trace/causality/. All causes of a key belong to one rank, all its effects to one rank,
 * and each side is found in its order. So they are sorted by counting, which is faster than by comparing. */
#ifndef TRACE_CAUSALITY_HAPPENS_BEFORE_H
#define TRACE_CAUSALITY_HAPPENS_BEFORE_H

#include "trace/causality/clock_conditions.h"
#include "trace/epoch_cursor.h"

/* The n-th cause of a key belongs to the n-th effect of the same key. All its causes are of rank `from`, all its
 * effects of rank `to`. */
struct clock_key {
    int32_t what;   /* enum side_kind */
    int32_t handle; /* communicator or window */
    int32_t from, to, tag;
    uint32_t number;
};

struct clock_side {
    uint32_t key, rank; /* key: its number */
    size_t index;
    bool applies; /* false: the effect is counted, but the condition does not apply to it */
};

enum side_kind { SIDE_NONE, SIDE_MESSAGE, SIDE_COMPLETE, SIDE_POST, SIDE_NEIGHBOR };
enum { RECENT_KEYS = 256 };

struct clock_sides {
    struct clock_side *items;
    size_t count, capacity;
};

struct happens_before {
    const struct trace *trace;
    struct clock_conditions *conditions;
    struct clock_sides causes, effects;
    struct clock_key *keys; /* by number */
    size_t key_count, key_capacity;
    struct map key_index;            /* hash of a key to its number, chained by probing */
    struct clock_key recent[RECENT_KEYS];  /* keys found last, by a cheaper hash; unused ones have `what` SIDE_NONE */
    struct map instances;                  /* (window or communicator, sequence) to sync_group */
    struct map sequences;            /* of one rank: window or communicator to number of its collective calls */
    struct map receives;             /* of one rank: request to index in effects */
    struct epoch_cursor cursor;      /* of one rank */
    struct map *gets;                /* of one rank, by window: targets of gets in its open start */
    uint32_t rank;
    size_t index;
    const struct trace_call *call;
    struct err *err;
};

/* Walks the calls of ranks first to end - 1: collects their sides, and the conditions of their collectives. */
enum status happens_before_walk(struct happens_before *relation, uint32_t first, uint32_t end);
void happens_before_clear(struct happens_before *relation);

/* Orders sides by key, and within a key by creation. A key's sides are of one rank, so this is the order of its calls
 * (for receives the order of posting: MPI-3.1 3.5). *starts has the first index of each key; the caller frees it, also
 * on failure. */
enum status happens_before_order(struct happens_before *relation, struct clock_sides *sides, size_t **starts);

/* Adds a condition of the current call. */
enum status happens_before_cause(struct happens_before *relation, size_t sync_group);
enum status happens_before_effect(struct happens_before *relation, size_t sync_group);

/* Finds the number of a key; false if the relation has not seen it. */
bool happens_before_key(const struct happens_before *relation, const struct clock_key *key, uint32_t *number);

/* The key in `instances` of a window's or communicator's n-th collective call; whether such an instance is of an
 * intercommunicator, and so has two sync_groups. */
static inline uint64_t clock_instance(uint64_t object, uint64_t sequence)
{
    return object << 31 ^ sequence;
}

static inline bool clock_instance_is_double(const struct trace *trace, uint64_t instance)
{
    uint64_t object = instance >> 31;
    return !(object & 1) && trace->definitions.comms[object >> 1].first_group > 0;
}

static inline const struct trace_call *clock_call(const struct happens_before *relation, uint32_t rank, size_t index)
{
    return &relation->trace->ranks[rank].calls[index];
}

/* *none: no effect of the trace ends before its causes. threads is that of clock_conditions_find(). With one thread
 * *none is false, since clock_conditions_find() then decides by itself. */
enum status clock_count(const struct trace *trace, unsigned threads, bool *none, struct err *err);

#endif
