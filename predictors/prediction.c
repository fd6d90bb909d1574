#include "predictors/prediction.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "model/slices/slices.h"
#include "platforms/simgrid_inputs.h"
#include "predictors/crowding.h"
#include "predictors/node_table.h"
#include "predictors/profile_differences.h"
#include "predictors/servers.h"
#include "predictors/steering.h"
#include "simulate/verify/child_replay.h"
#include "trace/steps.h"

static enum status replace_text(char **text, const char *with, struct err *err)
{
    char *copy = with ? strdup(with) : NULL;
    if (with && !copy) return err_memory(err);
    free(*text);
    *text = copy;
    return STATUS_OK;
}

static bool buffer_limited(const struct platform *platform)
{
    bool limited = semantics_limited(&platform->semantics);
    for (size_t i = 0; i < platform->window_rule_count; i++)
        limited = limited ||
                  (platform->window_rules[i].has_semantics && semantics_limited(&platform->window_rules[i].semantics));
    return limited;
}

static void describe_buffer(const struct prediction *prediction, struct result_buffer *buffer)
{
    const struct buffer_use *use = &prediction->outcome.buffer;
    if (!buffer_limited(prediction->platform)) return;
    buffer->known = true;
    buffer->limit_bytes = (uint64_t)prediction->platform->semantics.buffer_bytes;
    buffer->waits = use->waits;
    buffer->wait_s = wide_s(use->waited_ps);
    buffer->peak_bytes = (uint64_t)use->peak_bytes;
}

/* Notes the time of file I/O, which no platform describes. */
static enum status note_files(const struct recording_facts *facts, struct result *result, struct err *err)
{
    if (facts->file_calls == 0) return STATUS_OK;
    return result_add_note(result, err,
                           "MPI-IO takes no time here: %" PRIu64 " call%s, which took %.4g s of all ranks' time in the trace",
                           facts->file_calls, units_plural(facts->file_calls), facts->file_s);
}

/* Notes polls that wait for nothing here: the recorded ones are made again. */
static enum status note_polls(const struct trace *trace, const struct recording_facts *facts, struct result *result,
                              struct err *err)
{
    const struct trace_call *poll = &facts->polls.poll;
    const struct trace_site *site = &trace->definitions.sites[poll->site];
    char place[64] = "";
    if (facts->polls.rows == 0) return STATUS_OK;
    if (site->file) snprintf(place, sizeof place, " (%.40s:%" PRId32 ")", site->file, site->line);
    return result_add_note(result, err,
                           "%" PRIu64 " polls in %" PRIu64 " row%s are made again as recorded and wait for nothing: the first "
                           "are %s of rank %" PRIu32 "%s; --rewrite polls makes a row wait for the write that ended it",
                           facts->polls.count, facts->polls.rows, units_plural(facts->polls.rows), call_name(poll->call),
                           facts->polls.rank, place);
}

/* Ranks that start at different times: from a twentieth of the predicted run time on. */
static enum status note_starts(struct result *result, const struct trace_spread *spread, struct err *err)
{
    char text[UNITS_TEXT_BYTES];
    const double range_s = spread->last_ps > spread->first_ps ? units_s(spread->last_ps - spread->first_ps) : 0;
    if (result->section.known || range_s <= result->run_time_s / 20) return STATUS_OK;
    return result_add_note(result, err,
                           "the ranks start within %s of each other, as recorded: that is in the run time and in its error; "
                           "--without-init leaves it out",
                           units_format_duration(range_s, text));
}

/* What the platform says nothing of, and the recording shows: from a hundredth of its time on. */
static enum status note_ends(struct prediction *prediction, const struct recording_facts *facts, struct err *err)
{
    const struct trace *trace = prediction->trace;
    const struct platform *platform = prediction->platform;
    static const char *const calls[] = {"MPI_Init", "MPI_Finalize"}, *const keys[] = {"mpi.init_s", "mpi.finalize_s"};
    const double stated_s[] = {platform->init_s, platform->finalize_s};
    const enum trace_origin origin = trace_origin(trace);
    if ((origin != TRACE_RECORDED && origin != TRACE_DESCRIBED) || trace->rank_count == 0) return STATUS_OK;
    if (origin == TRACE_RECORDED && facts->ends_s[0] > 0) TRY(note_starts(prediction->result, &facts->spread, err));
    const double run_s = facts->end_ps == INT64_MIN ? 0 : units_s(facts->end_ps - trace_begin_ps(trace));
    for (int i = 0; i < 2; i++) {
        char took[UNITS_TEXT_BYTES];
        const double took_s = stated_s[i] > 0 ? 0 : facts->ends_s[i] / trace->rank_count;
        if (took_s <= run_s / 100) continue;
        TRY(result_add_note(prediction->result, err,
                            "%s takes no time of its own here: in the %s %s, mean of the ranks (%s)", calls[i],
                            origin == TRACE_RECORDED ? "recording it took" : "program it takes",
                            units_format_duration(took_s, took), keys[i]));
    }
    return STATUS_OK;
}

static enum status simgrid_profile_note(const struct platform *platform, struct result *result, struct err *err)
{
    char named[SIMGRID_LINE_BYTES];
    TRY(result_add_note(result, err,
                        "engine loggp takes latency and rate from network.latency_s and network.bandwidth_Bps, not from the "
                        "links of %s",
                        platform->simgrid_xml));
    TRY(simgrid_inputs_named(platform->simgrid_xml, named, err));
    if (!*named) return STATUS_OK;
    return result_add_note(result, err,
                           "engine loggp takes links and hosts as they are at the begin: what %s changes later, or switches off, "
                           "only engine simgrid knows", named);
}

static enum status add_line(void *result, const char *line, struct err *err)
{
    return result_add_note(result, err, "%s", line);
}

static void state_uncertainty(struct prediction *prediction, const struct recording_facts *facts, const double *source_s)
{
    struct result *result = prediction->result;
    const struct platform *platform = prediction->platform;
    const double recording_s = trace_spread_error(prediction->trace, &facts->spread, !result->section.known);
    const double slowness = platform_slowness(platform, prediction->trace->rank_count);
    result->uncertainty =
        uncertainty_of_run(recording_s * slowness, source_s, result->uncertainty.class, result_in_mpi_s(result));
}

static enum status note_bounds(const struct trace_bounds *bounds, struct result *result, struct err *err)
{
    if (bounds->endless > 0)
        TRY(result_add_note(result, err,
                            "%" PRIu64 " of %" PRIu64 " one-sided operations never leave: their epochs have no end",
                            bounds->endless, bounds->transfers));
    if (bounds->outside == 0) return STATUS_OK;
    return result_add_note(result, err,
                           "%" PRIu64 " of %" PRIu64 " transfers end outside the bounds that the two event models give",
                           bounds->outside, bounds->transfers);
}

enum status prediction_note_platform(const struct trace *trace, const struct platform *platform,
                                     const struct engine_descriptor *engine, struct result *result, struct err *err)
{
    struct profile_differences differences;
    profile_compare(trace, platform, &differences);
    for (size_t i = 0; i < differences.count; i++) TRY(result_add_note(result, err, "%s", differences.text[i]));
    if (platform->profile_replaced)
        TRY(result_add_note(result, err, "the profile %s replaces what the platform file says of its own library: %s",
                            platform->profile, platform->profile_replaced));
    const bool loggp = strcmp(engine->name, "loggp") == 0;
    if (loggp && platform->links == LINKS_FREE && platform_has_inner_links(platform) && platform->contention)
        TRY(result_add_note(result, err,
                            "engine.links is free: messages do not wait for each other on links inside the network"));
    if (loggp && platform->simgrid_xml) TRY(simgrid_profile_note(platform, result, err));
    if (platform->simgrid_xml) TRY(simgrid_inputs_tell(platform->simgrid_xml, add_line, result, err));
    if (platform->nic == NIC_PAIRS && platform->contention)
        TRY(result_add_note(result, err,
                            loggp
                                ? "engine.nic is pairs: a sender has the full rate to each node, as much as it sends to others"
                                : "engine.nic is pairs, for the loggp engine: here a NIC sends one message after another"));
    if (!loggp && platform->contention && (protocol_reverses(&platform->protocol) || platform_reverses_within(platform)))
        TRY(result_add_note(result, err, "%s.reverse_share, for the loggp engine: here both directions take as long as one",
                            protocol_reverses(&platform->protocol) ? "mpi.rma.protocol" : "network.loopback"));
    TRY(crowding_note(platform, trace->rank_count, result, err));
    TRY(crowding_memory_note(trace, platform, result, err));
    char parted[CROWDING_TEXT_BYTES];
    if (crowding_parts_window(trace, platform, parted)) TRY(result_add_note(result, err, "%s", parted));
    return servers_note(platform, result, err);
}

/* Adds the facts that the analysis of the predicted trace does not know. */
static enum status describe_with(struct prediction *prediction, const struct recording_facts *facts, const double *source_s,
                                 struct err *err)
{
    struct result *result = prediction->result;
    const struct replay_outcome *outcome = &prediction->outcome;
    TRY(replace_text(&result->trace, prediction->trace->name, err));
    TRY(replace_text(&result->platform, prediction->platform->name, err));
    char semantics[PLATFORM_SEMANTICS_BYTES];
    platform_semantics_name(prediction->platform, semantics);
    TRY(replace_text(&result->semantics, semantics, err));
    TRY(replace_text(&result->engine, prediction->engine->name, err));
    const char *library = prediction->platform->library;
    TRY(replace_text(&result->library, library ? library : RESULT_IDEAL_LIBRARY, err));
    TRY(replace_text(&result->transport, prediction->platform->transport, err));
    result->origin = TRACE_SIMULATED;
    result->events = outcome->stats.events;
    result->wall_s = outcome->wall_s;
    result->peak_bytes = outcome->peak_bytes;
    describe_buffer(prediction, &result->buffer);
    const struct platform *platform = prediction->platform;
    TRY(prediction_note_platform(prediction->trace, platform, prediction->engine, result, err));
    char text[UNITS_TEXT_BYTES];
    if (outcome->core_wait_s > 0)
        TRY(result_add_note(result, err,
                            "more threads than cores run at times: in all, they wait %s for the cores of their nodes "
                            "(nodes.cores)",
                            units_format_duration(outcome->core_wait_s, text)));
    TRY(servers_ranks_note(prediction, err));
    TRY(steering_note(prediction->trace, &facts->steering, platform, result, err));
    TRY(note_files(facts, result, err));
    TRY(note_polls(prediction->trace, facts, result, err));
    TRY(note_ends(prediction, facts, err));
    state_uncertainty(prediction, facts, source_s);
    TRY(model_report_faults(prediction->trace, result, err));
    return note_bounds(&outcome->bounds, result, err);
}

enum status prediction_begin_calls(const struct prediction *prediction, struct replay_options *options, struct err *err)
{
    if (!prediction->recording) return STATUS_OK;
    if (prediction->recording->may_claim && prediction->platform->decide == DECIDE_AGAIN)
        return err_set(err, STATUS_DATA, prediction->trace->name, NULL, "tasks are decided again, expected the whole trace");
    options->source = &prediction->recording->source;
    return recording_begin(prediction->recording, err);
}

enum status prediction_run_time_on(const struct prediction *prediction, const struct platform *platform, double *run_time_s,
                                   struct err *err)
{
    struct replay_outcome outcome;
    struct replay_options options = {.engine = engine_by_name("loggp")};
    TRY(prediction_begin_calls(prediction, &options, err));
    enum status status = replay_run(prediction->trace, platform, &options, &outcome, err);
    *run_time_s = status == STATUS_OK ? outcome.run_time_s : NAN;
    if (status == STATUS_OK) replay_outcome_clear(&outcome);
    return status == STATUS_DATA ? STATUS_OK : status;
}

static enum status ideal_run_time(const struct prediction *prediction, double *run_time_s, struct err *err)
{
    struct platform_ideal ideal;
    platform_ideal_init(&ideal, prediction->platform);
    TRY(prediction_run_time_on(prediction, &ideal.platform, run_time_s, err));
    if (isnan(*run_time_s)) *run_time_s = 0;
    return STATUS_OK;
}

/* A replay of more events is not repeated for errors of the platform, which are then unknown. */
#define ERROR_EVENTS 2e7

/* By how much the run gets longer where the measured values of each source are slower by their stated errors: slopes times
 * errors, of the loggp engine whatever the engine. */
static enum status find_errors(const struct prediction *prediction, double source_s[ERROR_SOURCES], struct err *err)
{
    const struct platform *platform = prediction->platform;
    double run_time_s = prediction->outcome.run_time_s;
    bool other_engine = prediction->engine->once_per_process;
    for (int i = 0; i < ERROR_SOURCES; i++) {
        source_s[i] = NAN;
        if (!platform->erring[i] || (double)prediction->outcome.stats.events > ERROR_EVENTS) continue;
        if (other_engine) TRY(prediction_run_time_on(prediction, platform, &run_time_s, err));
        other_engine = false;
        const struct platform erring = platform_erring(platform, (enum error_source)i);
        TRY(prediction_run_time_on(prediction, &erring, &source_s[i], err));
        source_s[i] -= run_time_s;
    }
    return STATUS_OK;
}

static enum status describe_prediction(struct prediction *prediction, struct err *err)
{
    struct recording_facts facts = RECORDING_FACTS_NONE;
    double source_s[ERROR_SOURCES];
    TRY(find_errors(prediction, source_s, err));
    if (prediction->recording) return describe_with(prediction, &prediction->recording->facts, source_s, err);
    enum status status = recording_facts_add_all(&facts, prediction->trace, err);
    if (status == STATUS_OK) status = describe_with(prediction, &facts, source_s, err);
    recording_facts_clear(&facts);
    return status;
}

/* An analysis of the predicted trace while it is made, and the calls that it takes up at a time. */
struct growing {
    const struct analyze_options *options;
    size_t calls;
    struct trace *trace; /* the predicted one, owned */
    struct slices *slices;
};

static size_t growing_calls(const struct prediction *prediction)
{
    enum { CALLS = 1 << 15, CALLS_PER_RANK = 1 << 5 };
    size_t calls = (size_t)prediction->trace->rank_count * CALLS_PER_RANK;
    if (prediction->slice_calls > 0) return prediction->slice_calls;
    return calls > CALLS ? calls : CALLS;
}

static enum status begin_slices(void *context, struct trace *predicted, struct err *err)
{
    struct growing *growing = context;
    growing->trace = predicted;
    return slices_open(predicted, growing->options, growing->calls, &growing->slices, err);
}

static enum status add_to_slices(void *context, const bool *ended, size_t *more, struct err *err)
{
    return slices_add(((struct growing *)context)->slices, ended, more, err);
}

bool prediction_forgets(const struct prediction *prediction)
{
    static const struct analyze_options defaults = ANALYZE_DEFAULTS;
    const struct analyze_options *analyze = prediction->analyze ? prediction->analyze : &defaults;
    return !(prediction->keep_trace || prediction->apart || prediction->engine->once_per_process || analyze->verify ||
             analyze->found || section_is_set(&analyze->section) || filter_is_set(&analyze->filter));
}

static bool may_forget(const struct prediction *prediction)
{
    const struct trace *trace = prediction->trace;
    bool whole = !prediction_forgets(prediction);
    for (uint32_t r = 0; r < trace->rank_count && !whole; r++) whole = trace->ranks[r].thread_count > 0;
    return !whole;
}

static enum status replay_in_slices(struct prediction *prediction, struct replay_options *options,
                                    struct analyze_options *analyze, struct err *err)
{
    struct replay_outcome *outcome = &prediction->outcome;
    struct growing growing = {.options = analyze, .calls = growing_calls(prediction)};
    const struct predicted_sink sink = {&growing, begin_slices, add_to_slices};
    options->sink = &sink;
    TRY(prediction_begin_calls(prediction, options, err));
    enum status status = replay_run(prediction->trace, prediction->platform, options, outcome, err);
    if (status == STATUS_OK) status = slices_end(growing.slices, &prediction->result, err);
    slices_free(growing.slices);
    trace_free(growing.trace);
    if (status != STATUS_OK) return status;
    outcome->bounds.transfers = prediction->result->transfer_count;
    outcome->bounds.outside = outcome->bounds.transfers - prediction->result->within_bounds - outcome->bounds.endless;
    return STATUS_OK;
}

static enum status replay_whole(struct prediction *prediction, struct replay_options *options,
                                struct analyze_options *analyze, struct err *err)
{
    struct replay_outcome *outcome = &prediction->outcome;
    options->keep_trace = true;
    TRY((prediction->apart ? child_replay : replay_run)(prediction->trace, prediction->platform, options, outcome, err));
    analyze->relations = outcome->relations;
    return model_analyze(outcome->trace, analyze, &prediction->result, err);
}

static enum status predict_replay(struct prediction *prediction, struct err *err)
{
    struct replay_options options = {.engine = prediction->engine,
                                     .progress = prediction->progress,
                                     .progress_context = prediction->progress_context};
    if (prediction->keep_going)
        TRY(replayable_prefix_new(prediction->trace, prediction->platform, &prediction->prefix, err));
    if (prediction->prefix) prediction->trace = &prediction->prefix->trace;
    struct analyze_options analyze = ANALYZE_DEFAULTS;
    analyze.eager_bytes = EAGER_OF_PLATFORM;
    if (prediction->analyze) analyze = *prediction->analyze;
    if (analyze.eager_bytes == EAGER_OF_PLATFORM) analyze.eager_bytes = prediction->platform->eager_bytes;
    if (analyze.intervals && analyze.ideal_run_time_s == 0)
        TRY(ideal_run_time(prediction, &analyze.ideal_run_time_s, err));
    struct node_table table = {.nodes = NULL};
    enum status status = analyze.intervals ? node_table_replay(prediction, &table, err) : STATUS_OK;
    if (status == STATUS_OK)
        status = (may_forget(prediction) ? replay_in_slices : replay_whole)(prediction, &options, &analyze, err);
    if (status == STATUS_OK) node_table_report(&table, prediction);
    free(table.nodes);
    return status == STATUS_OK ? describe_prediction(prediction, err) : status;
}

enum status prediction_run(struct prediction *prediction, struct err *err)
{
    enum status status = predict_replay(prediction, err);
    if (status != STATUS_OK) prediction_clear(prediction);
    return status;
}

void prediction_clear(struct prediction *prediction)
{
    replay_outcome_clear(&prediction->outcome);
    memset(&prediction->outcome, 0, sizeof prediction->outcome);
    result_free(prediction->result);
    replayable_prefix_free(prediction->prefix);
    prediction->prefix = NULL;
    prediction->result = NULL;
}
