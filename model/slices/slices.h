/* Analyses traces in slices, also those that do not fit into memory: final calls are counted and released
 * (model/slices/final.h). The result has the same bytes as that of one slice, the whole trace in memory. */
#ifndef MODEL_SLICES_SLICES_H
#define MODEL_SLICES_SLICES_H

#include "model/analyze.h"
#include "trace/source.h"

/* Calls of all ranks that are read at a time: few stay in the processor's caches. */
enum { SLICE_CALLS = 1 << 15, SLICE_BATCHES = 4 };
static inline size_t slice_calls(const struct trace_source *source)
{
    size_t calls = SLICE_BATCHES * source->trace->rank_count * (source->batch > 0 ? source->batch : SOURCE_BATCH);
    return calls > SLICE_CALLS ? calls : SLICE_CALLS;
}

/* The number of calls of one rank that are read at a time, in a slice of `calls` calls. */
static inline size_t slice_batch(size_t calls, uint32_t rank_count)
{
    size_t batch = rank_count > 0 ? calls / SLICE_BATCHES / rank_count : calls;
    return batch > 0 ? batch : 1;
}

/* Finds the section of each rank, for options.filter.section: the source is read to its end, another one is analysed. The
 * caller clears *section. */
enum status section_find_in(struct trace_source *source, const struct section_marks *marks, struct section *section,
                            struct err *err);

/* Analyses a source in slices of about `calls` calls (slice_calls(); at least 1). The caller owns *result and closes
 * the source. */
enum status model_analyze_slices(struct trace_source *source, const struct analyze_options *options, size_t calls,
                                 struct result **result, struct err *err);

/* The same for calls that the caller appends to a trace, one thread per rank: slices_open, slices_add again and again,
 * slices_end, slices_free. Trace and options are borrowed until slices_free(), which takes NULL. */
struct slices;
enum status slices_open(struct trace *trace, const struct analyze_options *options, size_t calls, struct slices **slices,
                        struct err *err);
/* Counts and removes calls that are final. To be called when *more calls have been appended. ended, by rank: no call follows;
 * not of all ranks. */
enum status slices_add(struct slices *slices, const bool *ended, size_t *more, struct err *err);
/* All calls have been appended. The caller owns *result. */
enum status slices_end(struct slices *slices, struct result **result, struct err *err);
void slices_free(struct slices *slices);

#endif
