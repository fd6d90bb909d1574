#include "tests/property/property.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/verify/child_replay.h"
#include "simulate/verify/digest.h"
#include "tests/property/advice.h"
#include "tests/property/broken_off.h"
#include "tests/property/knobs.h"
#include "tests/property/slices.h"
#include "tests/property/slopes.h"
#include "tests/slices/same_growing.h"
#include "tests/slices/same_result.h"
#include "tests/property/transforms.h"

void verdict_fail(struct verdict *verdict, const char *what, const char *format, ...)
{
    if (verdict->failed) return;
    verdict->failed = true;
    snprintf(verdict->what, sizeof verdict->what, "%s", what);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verdict->detail, sizeof verdict->detail, format, arguments);
    va_end(arguments);
}

/* Replays in this process where the engine allows it more than once. */
static enum status replay(const struct engine_descriptor *engine, const struct trace *trace,
                          const struct platform *platform, struct replay_outcome *outcome, struct err *err)
{
    const struct replay_options options = {.engine = engine, .keep_trace = true};
    return engine->once_per_process ? child_replay(trace, platform, &options, outcome, err)
                                    : replay_run(trace, platform, &options, outcome, err);
}

static void count_calls(struct program_counts *counts, const struct trace *trace, const struct replay_outcome *outcome)
{
    if (!counts) return;
    counts->programs++;
    counts->transfers += outcome->transfers;
    for (uint32_t r = 0; r < trace->rank_count; r++) counts->calls += trace->ranks[r].count;
}

static void count_laws(struct program_counts *counts, const struct verify_report *report)
{
    if (!counts) return;
    counts->last = *report;
    for (size_t i = 0; i < report->count; i++) {
        counts->holds[i] += report->rows[i].state == VERIFY_HOLDS;
        counts->not_applicable[i] += report->rows[i].state == VERIFY_NOT_APPLICABLE;
    }
}

/* The first transfer ends as it begins. */
static void falsify(struct trace *predicted)
{
    for (uint32_t r = 0; r < predicted->rank_count; r++)
        for (size_t i = 0; i < predicted->ranks[r].count; i++) {
            struct trace_sim *sim = &predicted->ranks[r].sim[i];
            if (sim->xfer_start_ps == TRACE_UNKNOWN_PS || sim->xfer_end_ps == sim->xfer_start_ps) continue;
            sim->xfer_end_ps = sim->xfer_start_ps;
            return;
        }
}

enum status property_verify(const struct trial *trial, const struct trace *trace, const struct platform *platform,
                            struct verdict *verdict, struct err *err)
{
    const struct replay_options options = {.engine = trial->engine, .keep_trace = true};
    struct replay_outcome outcome = {0};
    TRY(replay(trial->engine, trace, platform, &outcome, err));
    if (trial->tamper) falsify(outcome.trace);
    struct verify_report report;
    enum status status = verify_run(trace, platform, &options, &outcome, &report, err);
    if (status == STATUS_OK) {
        count_calls(trial->counts, trace, &outcome);
        count_laws(trial->counts, &report);
        for (size_t i = 0; i < report.count; i++)
            if (report.rows[i].state == VERIFY_BROKEN)
                verdict_fail(verdict, report.rows[i].name, "law %d: %s", report.rows[i].law, report.rows[i].detail);
    }
    replay_outcome_clear(&outcome);
    return status;
}

static enum status check_laws(const struct trial *trial, const struct program *program, const struct trace *trace,
                              struct verdict *verdict, struct err *err)
{
    struct platform *platform;
    TRY(knobs_platform(program, NULL, &platform, err));
    enum status status = property_verify(trial, trace, platform, verdict, err);
    platform_free(platform);
    return status;
}

/* Issue 5: 1e-9 of the time, and at least the picosecond in which times are counted. */
static bool agree(int64_t one_ps, int64_t two_ps)
{
    int64_t allowed_ps = llabs(one_ps) / 1000000000;
    return llabs(one_ps - two_ps) <= (allowed_ps > 1 ? allowed_ps : 1);
}

static void compare(const struct trace *one, const struct trace *two, struct verdict *verdict)
{
    for (uint32_t r = 0; r < one->rank_count; r++)
        for (size_t i = 0; i < one->ranks[r].count; i++) {
            const struct trace_call *a = &one->ranks[r].calls[i], *b = &two->ranks[r].calls[i];
            if (agree(a->enter_ps, b->enter_ps) && agree(a->exit_ps, b->exit_ps)) continue;
            char place[TRACE_PLACE_BYTES];
            verdict_fail(verdict, "engines agree",
                         "%s: %" PRId64 " to %" PRId64 " ps with the one engine, %" PRId64 " to %" PRId64
                         " with the other",
                         trace_place(one, r, i, place), a->enter_ps, a->exit_ps, b->enter_ps, b->exit_ps);
        }
}

/* Every engine against the first. */
static enum status compare_engines(const struct trial *trial, const struct trace *trace,
                                   const struct platform *platform, struct verdict *verdict, struct err *err)
{
    const struct engine_descriptor *const *engines = engine_descriptors();
    struct replay_outcome first = {0};
    TRY(replay(engines[0], trace, platform, &first, err));
    count_calls(trial->counts, trace, &first);
    enum status status = STATUS_OK;
    for (int i = 1; status == STATUS_OK && engines[i]; i++) {
        struct replay_outcome other = {0};
        status = replay(engines[i], trace, platform, &other, err);
        if (status == STATUS_OK) compare(first.trace, other.trace, verdict);
        replay_outcome_clear(&other);
    }
    replay_outcome_clear(&first);
    return status;
}

static enum status check_engines(const struct trial *trial, const struct program *program, const struct trace *trace,
                                 struct verdict *verdict, struct err *err)
{
    struct platform *platform;
    TRY(knobs_platform(program, "engine.contention=false", &platform, err));
    enum status status = compare_engines(trial, trace, platform, verdict, err);
    platform_free(platform);
    return status;
}

static enum status same_eager(const struct trial *trial, const struct trace *trace, const struct platform *platform,
                              const struct trace *predicted, struct verdict *verdict, struct err *err)
{
    const struct replay_options eager = {.engine = trial->engine, .keep_trace = true, .eager = true};
    struct replay_outcome other = {0};
    uint64_t late, now;
    TRY(replay_run(trace, platform, &eager, &other, err));
    enum status status = verify_digest(predicted, &late, err);
    if (status == STATUS_OK) status = verify_digest(other.trace, &now, err);
    if (status == STATUS_OK && late != now)
        verdict_fail(verdict, "told late", "digest %016" PRIx64 ", told at once %016" PRIx64, late, now);
    replay_outcome_clear(&other);
    return status;
}

/* What takes no time may arrive with the data that its sender sent in front of it (docs/simulation.md, Ties): the answer to
 * an empty get, and a get's request that rides on an empty put. */
static bool has_timeless(const struct trace *trace, const struct platform *platform)
{
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            enum call_kind kind = call_kind(call->call);
            if (call->bytes == 0 && (kind == CALL_GET || (platform->aggregate && call_moves(call->call)))) return true;
        }
    return false;
}

static enum status check_late(const struct trial *trial, const struct program *program, const struct trace *trace,
                              struct verdict *verdict, struct err *err)
{
    struct platform *platform;
    struct replay_outcome outcome = {0};
    TRY(knobs_platform(program, "mpi.rma.control_bytes=16", &platform, err));
    bool timeless = has_timeless(trace, platform);
    enum status status = timeless ? STATUS_OK : replay(trial->engine, trace, platform, &outcome, err);
    if (status == STATUS_OK && !timeless) {
        count_calls(trial->counts, trace, &outcome);
        status = same_eager(trial, trace, platform, outcome.trace, verdict, err);
    }
    replay_outcome_clear(&outcome);
    platform_free(platform);
    return status;
}

/* The same in another way that analyses a trace. */
static enum status check_ways(const struct trial *trial, const struct program *program, const struct trace *trace,
                              trace_comparer *way, const char *law, struct verdict *verdict, struct err *err)
{
    struct platform *platform;
    struct replay_outcome outcome;
    char what[VERDICT_DETAIL_BYTES];
    bool same = true;
    TRY(knobs_platform(program, NULL, &platform, err));
    enum status status = replay(trial->engine, trace, platform, &outcome, err);
    platform_free(platform);
    TRY(status);
    count_calls(trial->counts, trace, &outcome);
    status = slices_check(trace, outcome.trace, program->seed, way, &same, what, err);
    if (!same) verdict_fail(verdict, law, "%s", what);
    replay_outcome_clear(&outcome);
    return status;
}

static enum status check_slices(const struct trial *trial, const struct program *program, const struct trace *trace,
                                struct verdict *verdict, struct err *err)
{
    struct platform *platform;
    char what[VERDICT_DETAIL_BYTES];
    bool same = true;
    TRY(knobs_platform(program, NULL, &platform, err));
    enum status status = same_while_made(trace, platform, &same, NULL, what, err);
    platform_free(platform);
    TRY(status);
    if (!same) verdict_fail(verdict, "slices", "%s", what);
    return check_ways(trial, program, trace, same_in_slices, "slices", verdict, err);
}

static bool same_accounts(const struct totals *one, const struct totals *two)
{
    for (int p = 0; p < PATTERN_COUNT; p++)
        for (uint32_t r = 0; r < one->rank_count; r++)
            if (one->severity_ps[p][r] != two->severity_ps[p][r] || one->count[p][r] != two->count[p][r]) return false;
    return true;
}

/* strict: the replay without what `fast` says. */
static enum status compare_orders(const struct trial *trial, const struct trace *trace, const struct platform *platform,
                                  const struct replay_options *strict, const char *fast, struct verdict *verdict,
                                  struct err *err)
{
    struct replay_outcome freely = {0}, strictly = {0};
    uint64_t digests[2];
    TRY(replay(trial->engine, trace, platform, &freely, err));
    count_calls(trial->counts, trace, &freely);
    enum status status = replay_run(trace, platform, strict, &strictly, err);
    if (status == STATUS_OK) status = verify_digest(freely.trace, &digests[0], err);
    if (status == STATUS_OK) status = verify_digest(strictly.trace, &digests[1], err);
    if (status == STATUS_OK && digests[0] != digests[1])
        verdict_fail(verdict, "traces", "%.15g s where %s, %.15g s where not, or another call differs",
                     freely.run_time_s, fast, strictly.run_time_s);
    if (status == STATUS_OK && !same_accounts(&freely.totals, &strictly.totals))
        verdict_fail(verdict, "accounts", "wait states differ from those where %s", fast);
    replay_outcome_clear(&freely);
    replay_outcome_clear(&strictly);
    return status;
}

/* Under every semantics, and under a once more, where ranks run ahead. Answers take time, as above: a grant right
 * behind data arrives with them, and which of the two is looked at first is then nobody's order. */
static enum status check_ahead(const struct trial *trial, const struct program *program, const struct trace *trace,
                               struct verdict *verdict, struct err *err)
{
    static const char *const extras[] = {NULL, "mpi.rma.semantics=a"};
    const struct replay_options in_step = {.engine = trial->engine, .keep_trace = true, .in_step = true};
    for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
        struct platform *platform;
        TRY(knobs_platform(program, extras[i], &platform, err));
        if (platform->control_bytes == 0) platform->control_bytes = 16;
        enum status status = has_timeless(trace, platform)
                                 ? STATUS_OK
                                 : compare_orders(trial, trace, platform, &in_step, "ranks run ahead", verdict, err);
        platform_free(platform);
        TRY(status);
    }
    return STATUS_OK;
}

/* Wrong on purpose. */
static enum status check_small_puts(const struct trial *trial, const struct program *program, const struct trace *trace,
                                    struct verdict *verdict, struct err *err)
{
    (void)trial;
    (void)program;
    (void)err;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++)
            if (trace->ranks[r].calls[i].call == ID_Put && trace->ranks[r].calls[i].bytes > 1000)
                verdict_fail(verdict, "small puts", "a put of %" PRId64 " bytes", trace->ranks[r].calls[i].bytes);
    return STATUS_OK;
}

const struct property properties[] = {
    {"laws", "the laws of simulation", check_laws},
    {"engines", "engines agree where messages do not meet", check_engines},
    {"late", "what an engine tells late changes nothing", check_late},
    {"broken-off", "of programs that break off what is left when cut replays and keeps the laws", check_broken_off},
    {"transforms", "rewritten programs keep what they move and still run", check_transforms},
    {"advice", "who follows the advice waits less", check_advice},
    {"slopes", "replays at other values lie on the curves; slack costs nothing", check_slopes},
    {"slices", "a trace in slices gives the same result as in memory", check_slices},
    {"ahead", "ranks that run ahead of others change nothing", check_ahead},
    {"small-puts", "no put moves more than 1000 bytes, which is wrong on purpose", check_small_puts},
    {NULL, NULL, NULL},
};

enum status property_check(const struct property *property, const struct trial *trial, const struct program *program,
                           struct verdict *verdict, struct err *err)
{
    struct trace *trace;
    struct err why = {.status = STATUS_OK};
    *verdict = (struct verdict){.failed = false};
    TRY(program_trace(program, &trace, err));
    enum status status = property->check(trial, program, trace, verdict, &why);
    trace_free(trace);
    if (status == STATUS_DATA)
        verdict_fail(verdict, "every program can be replayed", "%s", why.text);
    else if (status != STATUS_OK && err)
        *err = why;
    return status == STATUS_DATA ? STATUS_OK : status;
}
