/* Merges the small puts of one epoch to one target into one put, or its gets into one get. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/map.h"
#include "common/units.h"
#include "predictors/transforms/rows.h"
#include "predictors/transforms/timeline.h"

/* Puts, or gets, that become one, at the position of the last of them. */
struct bundle {
    size_t last;
    uint64_t count;
    int64_t bytes, disp;        /* disp: the lowest, -1 if one is unknown */
    int64_t end;                /* after the last byte at the target */
    struct trace_extents spans; /* bytes in memory, of all of them together */
};

struct merging {
    const struct trace *trace;
    struct transform_report *report;
    enum mpi_call call; /* of those that are merged */
    int64_t limit_bytes;
    uint32_t *epochs; /* per window: access epochs that began and ended so far on this rank */
    struct bundle *bundles;
    size_t count, capacity;
    struct map index; /* (window, target) to its latest bundle */
    uint32_t *bundle_epochs;
    size_t epoch_capacity;
    uint64_t made;
};

static bool is_small(const struct merging *merging, const struct trace_call *call)
{
    return call->call == merging->call && call->peer != TRACE_NONE && call->bytes <= merging->limit_bytes &&
           !(call->flags & TRACE_BREAK);
}

/* Exposure calls do not end an access epoch; all other calls of the window may, or complete operations inside it. */
static bool ends_bundles(const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    return timeline_on_window(call) && !timeline_is_operation(call) && kind != CALL_POST && kind != CALL_WIN_WAIT &&
           kind != CALL_WIN_TEST;
}

static void add_within(int64_t *sum, int64_t bytes)
{
    *sum = bytes < TRACE_EXTENT_MAX - *sum ? *sum + bytes : TRACE_EXTENT_MAX;
}

/* The target's memory reaches from the lowest to the highest byte; lower bounds of data types are taken as 0. Positions
 * of the origins' buffers are not known, so their spans are added. So are spans at unknown displacements. */
static void add_spans(struct bundle *to, const struct timeline_item *item)
{
    int64_t bytes = item->call.bytes, origin = item->extents.of[TRACE_ORIGIN], target = item->extents.of[TRACE_TARGET];
    if (target == 0) target = bytes;
    add_within(&to->spans.of[TRACE_ORIGIN], origin != 0 ? origin : bytes);
    add_within(&to->spans.of[TRACE_TARGET], target);
    if (item->call.rma.disp + target > to->end) to->end = item->call.rma.disp + target;
}

static struct trace_extents extents_of(const struct bundle *bundle)
{
    struct trace_extents extents = bundle->spans;
    if (bundle->disp >= 0 && bundle->bytes > 0) extents.of[TRACE_TARGET] = bundle->end - bundle->disp;
    for (int i = 0; i < TRACE_BUFFERS; i++)
        if (extents.of[i] == bundle->bytes) extents.of[i] = 0;
    return extents;
}

static enum status add_put(struct merging *merging, const struct timeline_item *item, size_t at, size_t *bundle,
                           struct err *err)
{
    const struct trace_call *call = &item->call;
    uint64_t *slot, key = map_pair((uint32_t)call->handle, (uint32_t)call->peer);
    TRY(map_put(&merging->index, key, SIZE_MAX, &slot, err));
    if (*slot == SIZE_MAX || merging->bundle_epochs[*slot] != merging->epochs[call->handle]) {
        struct bundle made = {.disp = call->rma.disp};
        *slot = merging->count;
        TRY(array_reserve((void **)&merging->bundle_epochs, &merging->epoch_capacity, merging->count + 1,
                          sizeof *merging->bundle_epochs, err));
        merging->bundle_epochs[merging->count] = merging->epochs[call->handle];
        ARRAY_PUSH(merging->bundles, merging->count, merging->capacity, made, err);
    }
    struct bundle *to = &merging->bundles[*slot];
    to->last = at;
    to->count++;
    /* Adds the put's range at the target; a put without bytes has none. */
    if (to->bytes == 0 || (call->bytes > 0 && call->rma.disp < to->disp)) to->disp = call->rma.disp;
    to->bytes += call->bytes;
    if (call->bytes > 0) add_spans(to, item);
    *bundle = *slot;
    return STATUS_OK;
}

/* Finds the bundle of each call; SIZE_MAX for calls that are not merged. */
static enum status find_bundles(struct merging *merging, uint32_t rank, const struct timeline_edit *timeline,
                                size_t *bundles, struct err *err)
{
    merging->count = 0;
    map_clear(&merging->index);
    for (size_t i = 0; i < timeline->count; i++) {
        const struct trace_call *call = &timeline->items[i].call;
        bundles[i] = SIZE_MAX;
        if (is_small(merging, call) && timeline_shares(timeline, call))
            TRY(transform_refuse(merging->report, merging->trace, rank, timeline->items[i].index, 1, err,
                                 "several threads of the rank work on window %d", call->handle));
        else if (is_small(merging, call))
            TRY(add_put(merging, &timeline->items[i], i, &bundles[i], err));
        else if (call_is_thread(call->call))
            for (size_t w = 0; w < merging->trace->definitions.window_count; w++) merging->epochs[w]++;
        else if (ends_bundles(call))
            merging->epochs[call->handle]++;
    }
    return STATUS_OK;
}

static enum status push_bundles(struct merging *merging, const struct timeline_edit *timeline, const size_t *bundles,
                                struct timeline_edit *now, struct err *err)
{
    for (size_t i = 0; i < timeline->count; i++) {
        struct timeline_item item = timeline->items[i];
        merging->report->considered += item.call.call == merging->call;
        const struct bundle *bundle = bundles[i] == SIZE_MAX ? NULL : &merging->bundles[bundles[i]];
        if (bundle && bundle->count > 1) {
            merging->report->changed++;
            if (bundle->last != i) {
                timeline_defer(now, &item);
                continue;
            }
            item.call.bytes = bundle->bytes;
            item.call.rma.disp = bundle->disp;
            item.extents = extents_of(bundle);
            merging->made++;
        }
        TRY(timeline_push(now, item, err));
    }
    return STATUS_OK;
}

static enum status merge_rank(void *context, uint32_t rank, struct timeline_edit *timeline, struct trace *made,
                              struct err *err)
{
    struct merging *merging = context;
    struct timeline_edit now = {.tail_ps = 0};
    (void)made;
    size_t *bundles = calloc(timeline->count + 1, sizeof *bundles);
    if (!bundles) return err_memory(err);
    enum status status = find_bundles(merging, rank, timeline, bundles, err);
    if (status == STATUS_OK) status = push_bundles(merging, timeline, bundles, &now, err);
    free(bundles);
    return timeline_replace(timeline, &now, status);
}

static enum status merge_calls(const struct trace *trace, enum mpi_call call, const char *argument, struct trace **made,
                               struct transform_report *report, struct err *err)
{
    struct merging merging = {.trace = trace, .report = report, .call = call};
    merging.epochs = calloc(trace->definitions.window_count + 1, sizeof *merging.epochs);
    if (!merging.epochs) return err_memory(err);
    units_parse_size(argument, &merging.limit_bytes);
    enum status status = timeline_each(trace, merge_rank, &merging, made, err);
    FREE_ALL(merging.epochs, merging.bundles, merging.bundle_epochs);
    map_clear(&merging.index);
    TRY(status);
    return transform_say(report, err, "%" PRIu64 " of %" PRIu64 " %s, none above %" PRId64 " bytes, became %" PRIu64,
                         report->changed, report->considered, call == ID_Put ? "puts" : "gets", merging.limit_bytes,
                         merging.made);
}

static enum status apply_merge_puts(const struct trace *trace, const char *argument, struct trace **made,
                                    struct transform_report *report, struct err *err)
{
    return merge_calls(trace, ID_Put, argument, made, report, err);
}

static enum status apply_merge_gets(const struct trace *trace, const char *argument, struct trace **made,
                                    struct transform_report *report, struct err *err)
{
    return merge_calls(trace, ID_Get, argument, made, report, err);
}

static enum status check_bytes(const char *argument, struct err *err)
{
    int64_t bytes;
    if (units_parse_size(argument, &bytes)) return STATUS_OK;
    return err_set(err, STATUS_USAGE, NULL, NULL, "merge-puts, merge-gets: '%s', expected a size as 4096 or 64K", argument);
}

const struct transform transform_merge_puts = {
    .name = "merge-puts",
    .summary = "puts of up to BYTES (8K) of one epoch to one target become one",
    .argument = "BYTES",
    .fallback = "8K",
    .apply = apply_merge_puts,
    .check = check_bytes,
};

const struct transform transform_merge_gets = {
    .name = "merge-gets",
    .summary = "gets of up to BYTES (8K) of one epoch from one target become one",
    .argument = "BYTES",
    .fallback = "8K",
    .apply = apply_merge_gets,
    .check = check_bytes,
};
