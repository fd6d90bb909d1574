/* Several threads read one trace: each reads into a shard, one thread merges the shards in order.
 *
 * A shard has the ranks and the definitions of the whole trace, and tables of its own for what its calls name first:
 * always request lists, extents and faults, of the others those that the reader asks for. Shards of one round have
 * different ranks, or keep their calls elsewhere. Ids of own tables are the shard's until the merge translates them.
 * The whole trace gets its items in the order in which ids are translated: as by one thread, if that is the order of
 * the calls. */
#ifndef TRACE_BUILDER_H
#define TRACE_BUILDER_H

#include "trace/trace.h"

enum builder_table { BUILDER_GROUPS, BUILDER_COUNTS, BUILDER_SITES, BUILDER_REGIONS, BUILDER_TABLES };
enum builder_own {
    BUILDER_OWN_GROUPS = 1 << BUILDER_GROUPS,
    BUILDER_OWN_COUNTS = 1 << BUILDER_COUNTS,
    BUILDER_OWN_NAMES = 1 << BUILDER_SITES | 1 << BUILDER_REGIONS,
};

struct builder_numbers { /* ids of the whole trace by ids of the shard; UINT32_MAX: the whole trace lacks it */
    uint32_t *items;
    size_t count, capacity;
};

/* All-zero is empty. */
struct builder_shard {
    struct trace trace; /* the reader fills it */
    unsigned own;       /* bits of enum builder_own */
    struct builder_numbers numbers[BUILDER_TABLES];
    bool differs;   /* the whole trace has another id for some item */
    uint32_t lists; /* of the whole trace, before the shard's own */
};

/* Empties the shard's tables. The shard may have been used before. */
enum status builder_begin(struct builder_shard *shard, const struct trace *whole, unsigned own, struct err *err);
void builder_clear(struct builder_shard *shard);

/* Appends the shard's lists and faults, and the extents of ranks first to end - 1, to the whole trace. */
enum status builder_merge(struct builder_shard *shard, struct trace *whole, uint32_t first, uint32_t end,
                          struct err *err);

/* Translates an id of a table that may be the shard's own; what the whole lacks is added to it. Ids that an empty table
 * lacks are the whole's already. */
enum status builder_translate(struct builder_shard *shard, struct trace *whole, enum builder_table table, uint32_t *id,
                              struct err *err);

/* Translates all ids of a call. */
enum status builder_translate_call(struct builder_shard *shard, struct trace *whole, struct trace_call *call,
                                   struct err *err);

/* Of all items of a table in their order; then of all calls of ranks first to end - 1, behind builder_merge(): threads
 * may do that at once for different shards. */
enum status builder_translate_table(struct builder_shard *shard, struct trace *whole, enum builder_table table,
                                    struct err *err);
enum status builder_translate_ranks(struct builder_shard *shard, struct trace *whole, uint32_t first, uint32_t end,
                                    struct err *err);

#endif
