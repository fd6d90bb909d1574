#include "simulate/verify/verify.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/engine/cost.h"
#include "simulate/verify/law.h"

struct law_row {
    int law;
    const char *name, *unit; /* unit: what a check looks at, for "12 transfers" */
    verify_law *check;
};

static const struct law_row laws[] = {
    {1, "determinism", "replays", verify_determinism},
    {2, "transfers take their time", "transfers", verify_transfer_time},
    {2, "operations held back", "operations", verify_held},
    {2, "post, start, complete, wait", "causes", verify_waits_active},
    {2, "locks", "causes", verify_waits_passive},
    {2, "fences and collectives", "causes", verify_waits_group},
    {2, "messages", "causes", verify_waits_message},
    {2, "requests of operations", "causes", verify_waits_request},
    {2, "OpenSHMEM", "causes", verify_waits_shmem},
    {3, "bounds of transfers", "transfers", verify_bounds},
    {3, "wait states", "figures", verify_account},
    {3, "posts, progress waited for", "calls", verify_awaited},
    {4, "monotony", "comparisons", verify_monotony},
    {5, "conservation", "pairs", verify_conservation},
    {6, "identity", "replays", verify_identity},
    {7, "closed forms", "cases", verify_closed_forms},
};
_Static_assert(sizeof laws / sizeof *laws <= VERIFY_ROWS_MAX, "struct verify_report has a row per law");

void verify_breach(struct verify_row *row, const char *format, ...)
{
    row->breaches++;
    if (row->state == VERIFY_BROKEN) return;
    row->state = VERIFY_BROKEN;
    va_list args;
    va_start(args, format);
    vsnprintf(row->detail, sizeof row->detail, format, args);
    va_end(args);
}

void verify_skip(struct verify_row *row, const char *format, ...)
{
    row->state = VERIFY_NOT_APPLICABLE;
    va_list args;
    va_start(args, format);
    vsnprintf(row->detail, sizeof row->detail, format, args);
    va_end(args);
}

void verify_after(const struct verify_context *context, struct verify_row *row, uint32_t rank, size_t call,
                  int64_t time_ps, int64_t cause_ps, const char *cause)
{
    row->checked++;
    if (time_ps + context->slack_ps >= cause_ps) return;
    char place[TRACE_PLACE_BYTES];
    verify_breach(row, "%s: %s at %" PRId64 " ps, %" PRId64 " ps too early",
                  trace_place(context->predicted, rank, call, place), cause, time_ps, cause_ps - time_ps);
}

static struct cost least_cost(const struct verify_context *context, uint32_t from, uint32_t to, int64_t bytes)
{
    struct engine_message message = {
        .src_node = platform_node_of(context->platform, from),
        .dst_node = platform_node_of(context->platform, to),
        .bytes = bytes,
        .to_self = from == to,
    };
    return cost_message(context->platform, &message);
}

int64_t verify_message_ps(const struct verify_context *context, uint32_t from, uint32_t to, int64_t bytes)
{
    if (context->platform->simgrid_xml) return 0;
    struct cost cost = least_cost(context, from, to, bytes);
    return cost.transmit_ps + cost.latency_ps;
}

int64_t verify_transmit_ps(const struct verify_context *context, uint32_t from, uint32_t to, int64_t bytes)
{
    return context->platform->simgrid_xml ? 0 : least_cost(context, from, to, bytes).transmit_ps;
}

/* The least over `bytes` and, with aggregation, over larger messages: they may belong to a faster segment. */
static int64_t operation_ps(const struct verify_context *context, uint32_t from, uint32_t to, int64_t bytes,
                            int64_t (*of_message)(const struct verify_context *, uint32_t, uint32_t, int64_t))
{
    const struct platform *platform = context->platform;
    bool local = platform_node_of(platform, from) == platform_node_of(platform, to);
    const struct net_segment *segments = local ? platform->loopback : platform->segments;
    size_t count = local ? platform->loopback_count : platform->segment_count;
    int64_t least_ps = of_message(context, from, to, bytes);
    for (size_t i = 0; platform->aggregate && i + 1 < count; i++) {
        if (segments[i].upto_bytes < bytes) continue;
        int64_t larger_ps = of_message(context, from, to, segments[i].upto_bytes + 1);
        if (larger_ps < least_ps) least_ps = larger_ps;
    }
    return least_ps;
}

int64_t verify_operation_ps(const struct verify_context *context, uint32_t from, uint32_t to, int64_t bytes)
{
    return operation_ps(context, from, to, bytes, verify_message_ps);
}

int64_t verify_leaving_ps(const struct verify_context *context, uint32_t from, uint32_t to, int64_t bytes)
{
    return operation_ps(context, from, to, bytes, verify_transmit_ps);
}

int64_t verify_control_ps(const struct verify_context *context, uint32_t from, uint32_t to)
{
    return verify_message_ps(context, from, to, context->platform->control_bytes);
}

int64_t verify_known_ps(const struct verify_context *context, uint32_t origin, size_t index)
{
    const struct trace_rank *rank = &context->predicted->ranks[origin];
    uint32_t target = (uint32_t)rank->calls[index].peer;
    return rank->sim[index].xfer_end_ps + (target == origin ? 0 : verify_control_ps(context, target, origin));
}

int64_t verify_local_ps(const struct verify_context *context, uint32_t origin, size_t index)
{
    const struct trace_rank *rank = &context->predicted->ranks[origin];
    const struct trace_call *call = &rank->calls[index];
    switch (context->platform->protocol.local[verify_rma_kind(call_kind(call->call))]) {
    case LOCAL_COPIED: return call->exit_ps;
    case LOCAL_ACKNOWLEDGED: return verify_known_ps(context, origin, index);
    case LOCAL_LEFT: break;
    }
    return rank->sim[index].xfer_start_ps + verify_leaving_ps(context, origin, (uint32_t)call->peer, call->bytes);
}

enum rma_kind verify_rma_kind(enum call_kind kind)
{
    kind = call_operation(kind);
    return kind == CALL_GET || kind == CALL_GET_ACCUMULATE ? RMA_GET
           : kind == CALL_ACCUMULATE                       ? RMA_ACCUMULATE
                                                           : RMA_PUT;
}

enum status verify_closed_forms(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    (void)context;
    (void)err;
    verify_skip(row, "a test of rmacast (tests/cases), not of one run");
    return STATUS_OK;
}

static enum status check_law(const struct verify_context *context, const struct law_row *law, struct verify_row *row,
                             struct err *err)
{
    *row = (struct verify_row){.law = law->law, .name = law->name, .state = VERIFY_HOLDS};
    TRY(law->check(context, row, err));
    if (row->state == VERIFY_HOLDS && row->checked == 0) verify_skip(row, "no %s in this run", law->unit);
    if (row->state == VERIFY_HOLDS && !*row->detail)
        snprintf(row->detail, sizeof row->detail, "%" PRIu64 " %s", row->checked, law->unit);
    return STATUS_OK;
}

enum status verify_run(const struct trace *trace, const struct platform *platform, const struct replay_options *options,
                       const struct replay_outcome *outcome, struct verify_report *report, struct err *err)
{
    /* SimGrid's clock counts seconds in doubles; ours counts picoseconds. */
    struct verify_context context = {
        .trace = trace,
        .predicted = outcome->trace,
        .platform = platform,
        .engine = options->engine,
        .outcome = outcome,
        .slack_ps = options->engine->once_per_process ? 1000 : 1,
    };
    struct window_mode *modes;
    TRY(window_modes_new(trace, platform, &modes, err));
    context.modes = modes;
    struct verify_report made = {.count = sizeof laws / sizeof *laws};
    enum status status = relations_build(outcome->trace, &context.relations, err);
    if (status == STATUS_OK) status = verify_endings_find(outcome->trace, &context.endings, err);
    for (size_t i = 0; status == STATUS_OK && i < made.count; i++)
        status = check_law(&context, &laws[i], &made.rows[i], err);
    map_clear(&context.endings);
    relations_clear(&context.relations);
    free(modes);
    if (status == STATUS_OK) *report = made;
    return status;
}

bool verify_holds(const struct verify_report *report)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->rows[i].state == VERIFY_BROKEN) return false;
    return true;
}

const char *verify_state_name(enum verify_state state)
{
    static const char *const names[] = {"holds", "broken", "not applicable"};
    return names[state];
}

void verify_print(const struct verify_report *report, bool only_broken, FILE *out)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct verify_row *row = &report->rows[i];
        if (only_broken && row->state != VERIFY_BROKEN) continue;
        fprintf(out, "law %d  %-28s %-15s %s", row->law, row->name, verify_state_name(row->state), row->detail);
        if (row->breaches > 1) fprintf(out, " (and %" PRIu64 " more)", row->breaches - 1);
        fputc('\n', out);
    }
}
