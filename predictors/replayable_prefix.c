#include "predictors/replayable_prefix.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "simulate/replay/replay.h"
#include "trace/faults.h"

/* The calls at which the ranks of one replay stopped. */
struct stops {
    struct replayable_prefix *prefix;
    enum status status;
    struct err *err;
    uint64_t count;
};

static enum status own_text(char **text, struct err *err)
{
    if (!*text) return STATUS_OK;
    *text = strdup(*text);
    return *text ? STATUS_OK : err_memory(err);
}

/* Makes a trace that may be cut: it owns the number of each rank's calls and the data that trace_cut() changes. */
static enum status borrow_trace(const struct trace *trace, struct trace *made, struct err *err)
{
    *made = *trace;
    made->provenance.fault_count = made->provenance.fault_capacity = 0;
    made->provenance.faults = NULL;
    made->ranks = malloc(((size_t)trace->rank_count + 1) * sizeof *made->ranks);
    if (!made->ranks) return err_memory(err);
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        made->ranks[r] = trace->ranks[r];
        made->ranks[r].incomplete_why = NULL;
    }
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        made->ranks[r].incomplete_why = trace->ranks[r].incomplete_why;
        TRY(own_text(&made->ranks[r].incomplete_why, err));
    }
    for (size_t i = 0; i < trace->provenance.fault_count; i++) {
        const struct trace_fault *fault = &trace->provenance.faults[i];
        TRY(trace_add_fault(made, fault->rank, fault->event, fault->time_ps, fault->left_out, fault->text, err));
    }
    return STATUS_OK;
}

void replayable_prefix_free(struct replayable_prefix *prefix)
{
    if (!prefix) return;
    for (uint32_t r = 0; prefix->trace.ranks && r < prefix->trace.rank_count; r++)
        free(prefix->trace.ranks[r].incomplete_why);
    for (size_t i = 0; i < prefix->trace.provenance.fault_count; i++) free(prefix->trace.provenance.faults[i].text);
    FREE_ALL(prefix->trace.provenance.faults, prefix->trace.ranks, prefix);
}

static void note_stop(void *context, uint32_t rank, size_t call, const char *reason)
{
    struct stops *stops = context;
    struct trace *trace = &stops->prefix->trace;
    struct err why;
    char place[TRACE_PLACE_BYTES];
    if (stops->status != STATUS_OK || call >= trace->ranks[rank].count) return;
    trace_place(trace, rank, call, place);
    err_set(&why, STATUS_DATA, trace->name, place, "%s", reason);
    stops->status = trace_cut(trace, rank, call, &why, stops->err);
    stops->count++;
}

static enum status cut_once(struct replayable_prefix *prefix, const struct platform *platform, bool *whole,
                            struct err *err)
{
    struct stops stops = {.prefix = prefix, .err = err};
    struct replay_outcome outcome;
    struct err found = {.status = STATUS_OK, .list = ERR_NOWHERE};
    const struct replay_options options = {
        .engine = engine_by_name("loggp"), .stopped = note_stop, .stopped_context = &stops};
    enum status status = replay_run(&prefix->trace, platform, &options, &outcome, &found);
    *whole = status == STATUS_OK;
    if (*whole) replay_outcome_clear(&outcome);
    if (*whole || stops.status != STATUS_OK) return stops.status;
    if (stops.count > 0) return STATUS_OK;
    if (status == STATUS_DATA && found.list != ERR_NOWHERE)
        return trace_cut(&prefix->trace, (uint32_t)found.list, (size_t)found.item, &found, err);
    if (err) *err = found;
    return status;
}

enum status replayable_prefix_new(const struct trace *trace, const struct platform *platform,
                                  struct replayable_prefix **prefix, struct err *err)
{
    struct replayable_prefix *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    enum status status = borrow_trace(trace, &made->trace, err);
    bool whole = false;
    size_t rounds = 0;
    for (; status == STATUS_OK && !whole; rounds++) status = cut_once(made, platform, &whole, err);
    if (status != STATUS_OK || rounds == 1) {
        replayable_prefix_free(made);
        made = NULL;
    }
    if (status == STATUS_OK) *prefix = made;
    return status;
}
