/* Causes and effects of the ranks of a trace, in the order of each rank's calls. happens_before.c joins them, count.c
 * counts violations. Internal to trace/causality/. They are sorted by counting, which is faster than comparing: all
 * causes of a key belong to one rank, its effects to one rank, and each side is found in its order. */
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
    bool applies; /* an effect may only keep the count */
};

enum side_kind { SIDE_NONE, SIDE_MESSAGE, SIDE_COMPLETE, SIDE_POST, SIDE_NEIGHBOR };
enum { RECENT_KEYS = 256 };

struct clock_sides {
    struct clock_side *items;
    size_t count, capacity;
};

struct happens_before {
    const struct trace *trace;
    struct clock_conditions *links;
    struct clock_sides causes, effects;
    struct clock_key *keys; /* by number */
    size_t key_count, key_capacity;
    struct map key_index;            /* hash of a key to its number, chained by probing */
    struct clock_key recent[RECENT_KEYS];  /* found last, by a cheaper hash; before the first one `what` is SIDE_NONE */
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

/* The calls of ranks first to end - 1: their sides, links of their collectives. */
enum status happens_before_walk(struct happens_before *finder, uint32_t first, uint32_t end);
void happens_before_clear(struct happens_before *finder);

/* Sides by key, in the order of their making: a key's are of one rank, so that it is its order of calls (of posting,
 * for receives: MPI-3.1 3.5). *starts: where each key begins; the caller frees it, also on failure. */
enum status happens_before_order(struct happens_before *finder, struct clock_sides *sides, size_t **starts);

/* A link of the call in hand. */
enum status happens_before_cause(struct happens_before *finder, size_t sync_group);
enum status happens_before_effect(struct happens_before *finder, size_t sync_group);

/* The number of a key that the finder may have met. */
bool happens_before_key(const struct happens_before *finder, const struct clock_key *key, uint32_t *number);

/* Where a window's or communicator's n-th collective call is in `instances`, and the way back: whether it is between
 * two groups, and so has two sync_groups. */
static inline uint64_t clock_instance(uint64_t object, uint64_t sequence)
{
    return object << 31 ^ sequence;
}

static inline bool clock_instance_is_double(const struct trace *trace, uint64_t instance)
{
    uint64_t object = instance >> 31;
    return !(object & 1) && trace->definitions.comms[object >> 1].first_group > 0;
}

static inline const struct trace_call *clock_call(const struct happens_before *finder, uint32_t rank, size_t index)
{
    return &finder->trace->ranks[rank].calls[index];
}

/* Whether no effect of the trace ends before its causes, by as many threads as clock_conditions_find() is asked for.
 * *none is false, too, where there would be one thread: clock_conditions_find() sees that itself. */
enum status clock_count(const struct trace *trace, unsigned threads, bool *none, struct err *err);

#endif
