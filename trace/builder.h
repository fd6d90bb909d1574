/* Lets several threads read one trace: each reads into a shard, and one thread merges the shards in order.
 *
 * A shard has the ranks and the definitions of the whole trace, and own tables for items that its calls name first:
 * request lists, extents and faults in any case, other tables on request. Shards of one round have different ranks, or
 * keep their calls elsewhere. Ids of own tables are local to the shard until the merge translates them. The whole trace
 * gets items in the order in which their ids are translated. If that is the order of the calls, the trace is the same
 * as with one thread. */
#ifndef TRACE_BUILDER_H
#define TRACE_BUILDER_H

#include "trace/trace.h"

enum builder_table { BUILDER_GROUPS, BUILDER_COUNTS, BUILDER_SITES, BUILDER_REGIONS, BUILDER_TABLES };
enum builder_own {
    BUILDER_OWN_GROUPS = 1 << BUILDER_GROUPS,
    BUILDER_OWN_COUNTS = 1 << BUILDER_COUNTS,
    BUILDER_OWN_NAMES = 1 << BUILDER_SITES | 1 << BUILDER_REGIONS,
};

struct builder_numbers { /* ids of the whole trace by ids of the shard; UINT32_MAX: not in the whole trace */
    uint32_t *items;
    size_t count, capacity;
};

/* All-zero is empty. */
struct builder_shard {
    struct trace trace; /* the reader fills it */
    unsigned own;       /* bits of enum builder_own */
    struct builder_numbers numbers[BUILDER_TABLES];
    bool differs;   /* the whole trace has another id for some item */
    uint32_t lists; /* number of lists in the whole trace before the shard's own */
};

/* Empties the shard's tables. The shard may have been used before. */
enum status builder_begin(struct builder_shard *shard, const struct trace *whole, unsigned own, struct err *err);
void builder_clear(struct builder_shard *shard);

/* Appends the shard's lists and faults, and the extents of ranks first to end - 1, to the whole trace. */
enum status builder_merge(struct builder_shard *shard, struct trace *whole, uint32_t first, uint32_t end,
                          struct err *err);

/* Translates an id that may be the shard's own, and adds the item to the whole trace if it is missing there. Other ids
 * are those of the whole trace already. */
enum status builder_translate(struct builder_shard *shard, struct trace *whole, enum builder_table table, uint32_t *id,
                              struct err *err);

/* Translates all ids of a call. */
enum status builder_translate_call(struct builder_shard *shard, struct trace *whole, struct trace_call *call,
                                   struct err *err);

/* Translates all items of a table in their order; translates all calls of ranks first to end - 1. The latter follows
 * builder_merge(), and threads may run it at the same time for different shards. */
enum status builder_translate_table(struct builder_shard *shard, struct trace *whole, enum builder_table table,
                                    struct err *err);
enum status builder_translate_ranks(struct builder_shard *shard, struct trace *whole, uint32_t first, uint32_t end,
                                    struct err *err);

#endif
