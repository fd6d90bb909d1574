/* The detector on traces that do not fit into memory: a trace is read in slices, what is final is counted and let go
 * (model/slices/final.h). The result is that of model_analyze(), byte for byte. */
#ifndef MODEL_SLICES_SLICES_H
#define MODEL_SLICES_SLICES_H

#include "model/analyze.h"
#include "model/shards/shards.h"
#include "trace/source.h"

/* Of all ranks together that are read at a time: enough of each to be worth opening its file again for. */
enum { SLICE_CALLS = 1 << 17, SLICE_CALLS_PER_RANK = 1 << 11 };
static inline size_t slice_calls(uint32_t rank_count)
{
    size_t calls = (size_t)rank_count * SLICE_CALLS_PER_RANK;
    return calls > SLICE_CALLS ? calls : SLICE_CALLS;
}

/* Calls of one rank that are read at a time, of a slice of so many. */
size_t slice_batch(size_t calls, uint32_t rank_count);

/* calls: as slice_calls(), at least 1. The caller owns *result and closes the source. */
enum status model_analyze_slices(struct trace_source *source, const struct analyze_options *options, size_t calls,
                                 struct result **result, struct err *err);

/* The same for one shard of several (model/shards/shards.h). calls: of one shard. options->verify is ignored. *result
 * is that of shard 0, NULL of the others. A failure of one shard is that of all, with the same text; if link->swap has
 * failed, the others wait for ever. */
enum status model_analyze_shard(struct trace_source *source, const struct analyze_options *options, size_t calls,
                                const struct shards_link *link, struct result **result, struct err *err);

#endif
