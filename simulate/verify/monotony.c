/* Law 4: replays on variants of the platform, in child processes. */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"
#include "simulate/verify/child_replay.h"
#include "simulate/verify/law.h"

/* Law 4 holds where only waiting determines times: no contention, free copies and application of data, no overhead (a
 * queued operation costs its origin none, an issued one does, so a later post may save overhead). */
struct variant {
    struct platform platform;
    struct net_segment *segments, *loopback, *two_sided, *loopback_two_sided;
    struct node_group *groups;
};

enum variant_kind {
    VARIANT_A,
    VARIANT_B,
    VARIANT_C,
    VARIANT_D,
    VARIANT_D_LIMITED,
    VARIANT_OWN,
    VARIANT_LATENCY,
    VARIANT_SPEED,
    VARIANT_COUNT
};

static struct net_segment *doubled_latency(const struct net_segment *segments, size_t count)
{
    struct net_segment *made = calloc(count + 1, sizeof *made);
    for (size_t i = 0; made && i < count; i++) {
        made[i] = segments[i];
        made[i].latency_s *= 2;
    }
    return made;
}

static struct node_group *doubled_speed(const struct node_group *groups, size_t count)
{
    struct node_group *made = calloc(count + 1, sizeof *made);
    for (size_t i = 0; made && i < count; i++) {
        made[i] = groups[i];
        made[i].speed *= 2;
    }
    return made;
}

static void variant_clear(struct variant *variant)
{
    FREE_ALL(variant->groups, variant->segments, variant->loopback, variant->two_sided, variant->loopback_two_sided);
}

static enum status variant_init(struct variant *variant, const struct platform *platform, enum variant_kind kind,
                                struct err *err)
{
    *variant = (struct variant){.platform = *platform};
    struct platform *made = &variant->platform;
    made->contention = false;
    made->free_copies = true;
    made->protocol.put_s_per_byte = 0;
    made->atomics[0] = (struct apply_cost){.upto_bytes = INT64_MAX};
    made->overhead_s = made->loopback_overhead_s = 0;
    const char letter[2] = {(char)('a' + kind), '\0'};
    if (kind <= VARIANT_D_LIMITED) made->window_rule_count = 0; /* the letter holds on all windows */
    if (kind <= VARIANT_D) semantics_by_letter(letter, &made->semantics);
    if (kind == VARIANT_D_LIMITED) {
        semantics_by_letter("d", &made->semantics);
        made->semantics.buffer_bytes = platform->semantics.buffer_bytes;
    }
    if (kind == VARIANT_SPEED) {
        variant->groups = doubled_speed(platform->groups, platform->group_count);
        if (!variant->groups) return err_memory(err);
        made->groups = variant->groups;
    }
    if (kind != VARIANT_LATENCY) return STATUS_OK;
    variant->segments = doubled_latency(platform->segments, platform->segment_count);
    variant->loopback = doubled_latency(platform->loopback, platform->loopback_count);
    variant->two_sided = doubled_latency(platform->two_sided, platform->two_sided_count);
    variant->loopback_two_sided = doubled_latency(platform->loopback_two_sided, platform->loopback_two_sided_count);
    if (!variant->segments || !variant->loopback || !variant->two_sided || !variant->loopback_two_sided) {
        variant_clear(variant);
        return err_memory(err);
    }
    made->segments = variant->segments;
    made->loopback = variant->loopback;
    if (made->two_sided) made->two_sided = variant->two_sided;
    if (made->loopback_two_sided) made->loopback_two_sided = variant->loopback_two_sided;
    return STATUS_OK;
}

/* Whether a node may have fewer cores than ranks and threads, of which some sleep. */
static bool sleepers_leave_cores(const struct verify_context *context)
{
    const struct platform *platform = context->platform;
    bool sleeps = false, crowded = false;
    for (uint32_t r = 0; r < context->trace->rank_count; r++)
        sleeps = sleeps || context->trace->ranks[r].before_ps[BEFORE_SLEPT] || context->trace->ranks[r].thread_count > 0;
    int32_t *running = sleeps ? calloc((size_t)platform->node_count + 1, sizeof *running) : NULL;
    for (uint32_t r = 0; running && r < context->trace->rank_count; r++) {
        const int32_t node = platform_node_of(platform, r);
        running[node] += (int32_t)trace_thread_count(context->trace, r);
        crowded = crowded || running[node] > platform_rank_cores(platform, platform_group_of(platform, node));
    }
    bool unknown = sleeps && !running;
    free(running);
    return crowded || unknown;
}

/* Threads that wait for each other in joins and barriers only, beside one that calls MPI, do all in the same order. */
static const char *threads_vary(const struct trace *trace, uint32_t rank)
{
    const struct trace_rank *of = &trace->ranks[rank];
    uint32_t caller = UINT32_MAX;
    for (size_t i = 0; of->thread_count > 0 && i < of->count; i++) {
        const enum call_kind kind = call_kind(of->calls[i].call);
        if (call_arm(kind) == ARM_REGION) continue;
        if (call_arm(kind) == ARM_PRIMITIVE) {
            if (call_works_on(kind, OBJECT_NOTHING) || call_works_on(kind, OBJECT_BARRIER)) continue;
            return "threads may take mutexes in another order";
        }
        if (caller != UINT32_MAX && caller != trace_call_thread(trace, rank, i))
            return "threads of a rank may call in another order";
        caller = trace_call_thread(trace, rank, i);
    }
    return NULL;
}

const char *verify_order_varies(const struct verify_context *context)
{
    if (context->platform->aggregate) return "operations that leave together arrive later than the first would alone";
    if (!protocol_is_hardware(&context->platform->protocol)) return "progress depends on when ranks are inside MPI";
    if (sleepers_leave_cores(context))
        return "ranks or threads share cores with others that sleep or wait, and a share depends on when they do";
    const char *why = NULL;
    for (uint32_t r = 0; !why && r < context->trace->rank_count; r++) why = threads_vary(context->trace, r);
    if (why) return why;
    for (uint32_t r = 0; r < context->trace->rank_count; r++)
        for (size_t i = 0; i < context->trace->ranks[r].count; i++) {
            enum call_kind kind = call_kind(context->trace->ranks[r].calls[i].call);
            if (kind == CALL_LOCK || kind == CALL_LOCK_ALL || kind == CALL_SHMEM_SET_LOCK ||
                kind == CALL_SHMEM_TEST_LOCK)
                return "the program takes locks, whose order may change";
        }
    return NULL;
}

/* A program that deadlocks never ends. If only the variant that waits longer deadlocks, the law holds. slack_s:
 * rounding, at most a picosecond per call. */
static void expect_no_longer(struct verify_row *row, const struct child_replay_summary *summaries,
                             enum variant_kind shorter, enum variant_kind longer, double slack_s)
{
    static const char *const names[] = {"semantics a",          "semantics b",           "semantics c", "semantics d",
                                        "semantics d with its buffer limited",
                                        "the platform's own semantics", "doubled latency", "doubled speed"};
    const struct child_replay_summary *one = &summaries[shorter], *two = &summaries[longer];
    row->checked++;
    if (two->status == STATUS_DATA) return;
    if (one->status != STATUS_OK || two->status != STATUS_OK)
        verify_breach(row, "without contention, copies and overhead, %s fails: %.200s",
                      names[one->status != STATUS_OK ? shorter : longer],
                      one->status != STATUS_OK ? one->err.text : two->err.text);
    else if (one->run_time_s > two->run_time_s + slack_s)
        verify_breach(row, "without contention, copies and overhead, %s takes %.12f s, longer than %s with %.12f s",
                      names[shorter], one->run_time_s, names[longer], two->run_time_s);
}

static enum status run_variants(const struct verify_context *context, struct variant variants[VARIANT_COUNT],
                                struct child_replay_summary summaries[VARIANT_COUNT], struct err *err)
{
    struct child_replay_job jobs[VARIANT_COUNT];
    for (int k = 0; k < VARIANT_COUNT; k++) {
        TRY(variant_init(&variants[k], context->platform, (enum variant_kind)k, err));
        jobs[k] = (struct child_replay_job){
            .trace = context->trace, .platform = &variants[k].platform, .engine = context->engine};
    }
    return child_replay_summaries(jobs, VARIANT_COUNT, summaries, err);
}

enum status verify_monotony(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    const char *why = context->engine->once_per_process || context->platform->simgrid_xml
                          ? "only the loggp engine knows a network without contention"
                          : verify_order_varies(context);
    if (why) {
        verify_skip(row, "%s", why);
        return STATUS_OK;
    }
    struct variant variants[VARIANT_COUNT];
    struct child_replay_summary summaries[VARIANT_COUNT];
    memset(variants, 0, sizeof variants);
    enum status status = run_variants(context, variants, summaries, err);
    for (int k = 0; k < VARIANT_COUNT; k++) variant_clear(&variants[k]);
    TRY(status);
    double slack_s = units_s((int64_t)trace_all_calls(context->trace));
    expect_no_longer(row, summaries, VARIANT_B, VARIANT_A, slack_s);
    /* Whether some start names a target without an operation on it: complete waits for its post under c, and for the
     * one before it under d, but not under b. */
    bool idle = false;
    for (size_t i = 0; i < context->relations.epochs.pair_count; i++)
        idle = idle || context->relations.epochs.pairs[i].last_operation == EPOCH_NONE;
    if (!idle) expect_no_longer(row, summaries, VARIANT_C, VARIANT_B, slack_s);
    expect_no_longer(row, summaries, VARIANT_C, VARIANT_A, slack_s);
    if (!idle || context->platform->epochs_ahead == INT64_MAX)
        expect_no_longer(row, summaries, VARIANT_D, VARIANT_B, slack_s);
    expect_no_longer(row, summaries, VARIANT_D, VARIANT_C, slack_s);
    expect_no_longer(row, summaries, VARIANT_D, VARIANT_D_LIMITED, slack_s);
    expect_no_longer(row, summaries, VARIANT_OWN, VARIANT_LATENCY, slack_s);
    expect_no_longer(row, summaries, VARIANT_SPEED, VARIANT_OWN, slack_s);
    return STATUS_OK;
}
