#include "report/slices.h"

#include <string.h>

#include "model/slices/slices.h"

enum { WAITS_KEPT = 2000 };

/* Stands between the trace and its analysis, and adds what is read to the levels. */
struct tap {
    struct trace_source *source;
    struct report_slices *made;
};

static enum status read_calls(struct trace_source *source, uint32_t rank, size_t calls, bool *ended, struct err *err)
{
    struct tap *tap = source->state;
    const struct trace_rank *process = &source->trace->ranks[rank];
    size_t before = process->count;
    tap->source->adds_before = source->adds_before;
    TRY(tap->source->read(tap->source, rank, calls, ended, err));
    for (size_t i = before; i < process->count; i++) levels_add_call(tap->made->levels, rank, &process->calls[i]);
    return STATUS_OK;
}

static enum status move_calls(struct trace_source *source, uint32_t rank, const size_t *moved, struct err *err)
{
    struct tap *tap = source->state;
    return tap->source->moved ? tap->source->moved(tap->source, rank, moved, err) : STATUS_OK;
}

/* Waits of a slice. What later slices may refute is not drawn. */
static enum status take_waits(void *context, const struct trace *trace, const struct waits *waits, struct err *err)
{
    struct report_slices *made = context;
    for (size_t i = 0; i < waits->count; i++) {
        if (waits->items[i].severity_ps == 0 || waits->items[i].doubt != FINDING_CERTAIN) continue;
        struct placed_wait wait = placed_wait_of(trace, &waits->items[i]);
        levels_add_wait(made->levels, wait.rank, wait.from_ps, wait.until_ps);
        TRY(placed_waits_add(&made->waits, wait, err));
        if (made->waits.count >= 8 * (size_t)WAITS_KEPT) placed_waits_keep_longest(&made->waits, WAITS_KEPT);
    }
    return STATUS_OK;
}

enum status report_slices_read(struct trace_source *source, const struct analyze_options *options,
                               struct report_slices *made, struct err *err)
{
    struct report_slices slices = {0};
    struct tap tap = {source, &slices};
    struct trace_source tapped = {
        .trace = source->trace, .state = &tap, .checked = source->checked, .read = read_calls, .moved = move_calls};
    const struct analyze_watcher watcher = {.context = &slices, .found = take_waits};
    struct analyze_options watched = *options;
    watched.watcher = &watcher;
    TRY(levels_new(source->trace->rank_count, INT64_MIN, INT64_MAX, &slices.levels, err));
    enum status status =
        model_analyze_slices(&tapped, &watched, slice_calls(source), &slices.result, err);
    placed_waits_keep_longest(&slices.waits, WAITS_KEPT);
    GIVE(status, *made = slices, report_slices_clear(&slices));
}

void report_slices_clear(struct report_slices *slices)
{
    result_free(slices->result);
    levels_free(slices->levels);
    placed_waits_clear(&slices->waits);
    memset(slices, 0, sizeof *slices);
}
