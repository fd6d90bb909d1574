#include "predictors/predictor_replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "platforms/simgrid_inputs.h"
#include "predictors/crowding.h"
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
static enum status note_files(struct prediction *prediction, struct err *err)
{
    const struct trace *trace = prediction->trace;
    uint64_t count = 0;
    double took_s = 0;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        for (size_t i = 0; i < trace->ranks[rank].count; i++) {
            const struct trace_call *call = &trace->ranks[rank].calls[i];
            if (call_kind(call->call) != CALL_LOCAL || !call_is_io(call->call)) continue;
            count++;
            took_s += units_s(call->exit_ps - call->enter_ps);
        }
    if (count == 0) return STATUS_OK;
    return result_add_note(prediction->result, err,
                           "MPI-IO takes no time here: %" PRIu64 " call%s, which took %.4g s of all ranks' time in the trace",
                           count, units_plural(count), took_s);
}

/* Routes of a user's SimGrid platform are asked for before the run begins. */
static enum status simgrid_profile_note(const struct platform *platform, struct result *result, struct err *err)
{
    char *named;
    TRY(simgrid_inputs_named(platform->simgrid_xml, &named, err));
    enum status status =
        !named ? STATUS_OK
               : result_add_note(result, err,
                                 "engine loggp takes links and hosts as they are at the begin: what %s changes later, or "
                                 "switches off, only engine simgrid knows",
                                 named);
    free(named);
    return status;
}

static enum status state_uncertainty(struct prediction *prediction, struct err *err)
{
    struct result *result = prediction->result;
    const struct platform *platform = prediction->platform;
    double recording_s;
    TRY(trace_recording_error(prediction->trace, !result->section.known, &recording_s, err));
    bool steered = result->uncertainty.class == CLASS_STEERED;
    result->uncertainty =
        uncertainty_of_run(recording_s / platform->speed, platform_is_measured(platform), steered, result_in_mpi_s(result));
    return STATUS_OK;
}

/* Adds the facts that the analysis of the predicted trace does not know. */
static enum status describe_prediction(struct prediction *prediction, struct err *err)
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
    struct profile_differences differences;
    profile_compare(prediction->trace, platform, &differences);
    for (size_t i = 0; i < differences.count; i++) TRY(result_add_note(result, err, "%s", differences.text[i]));
    if (platform->profile_replaced)
        TRY(result_add_note(result, err, "the profile %s replaces what the platform file says of its own library: %s",
                            platform->profile, platform->profile_replaced));
    bool loggp = strcmp(prediction->engine->name, "loggp") == 0;
    if (loggp && platform->links == LINKS_FREE && platform_has_inner_links(platform) && platform->contention)
        TRY(result_add_note(result, err,
                            "engine.links is free: messages do not wait for each other on links inside the network"));
    if (loggp && platform->simgrid_xml) TRY(simgrid_profile_note(platform, result, err));
    if (platform->nic == NIC_PAIRS && platform->contention)
        TRY(result_add_note(result, err,
                            loggp
                                ? "engine.nic is pairs: a sender has the full rate to each node, as much as it sends to others"
                                : "engine.nic is pairs, for the loggp engine: here a NIC sends one message after another"));
    if (!loggp && platform->contention && (protocol_reverses(&platform->protocol) || platform_reverses_within(platform)))
        TRY(result_add_note(result, err, "%s.reverse_share, for the loggp engine: here both directions take as long as one",
                            protocol_reverses(&platform->protocol) ? "mpi.rma.protocol" : "network.loopback"));
    TRY(crowding_note(platform, prediction->trace->rank_count, result, err));
    TRY(servers_note(platform, result, err));
    TRY(steering_note(prediction->trace, platform, result, err));
    TRY(note_files(prediction, err));
    TRY(state_uncertainty(prediction, err));
    return model_report_faults(prediction->trace, result, err);
}

/* Run time on the ideal network, 0 if the trace does not end on it (an order of locks may differ). It uses an engine
 * that can run several times in a process. */
static enum status ideal_run_time(const struct prediction *prediction, double *run_time_s, struct err *err)
{
    struct platform_ideal ideal;
    struct replay_outcome outcome;
    const struct replay_options options = {.engine = engine_by_name("loggp")};
    platform_ideal_init(&ideal, prediction->platform);
    enum status status = replay_run(prediction->trace, &ideal.platform, &options, &outcome, err);
    *run_time_s = status == STATUS_OK ? outcome.run_time_s : 0;
    if (status == STATUS_OK) replay_outcome_clear(&outcome);
    return status == STATUS_DATA ? STATUS_OK : status;
}

static enum status predict_replay(struct prediction *prediction, struct err *err)
{
    const struct replay_options options = {.engine = prediction->engine,
                                           .keep_trace = true,
                                           .progress = prediction->progress,
                                           .progress_context = prediction->progress_context};
    if (prediction->keep_going)
        TRY(replayable_prefix_new(prediction->trace, prediction->platform, &prediction->prefix, err));
    if (prediction->prefix) prediction->trace = &prediction->prefix->trace;
    TRY((prediction->apart ? child_replay : replay_run)(prediction->trace, prediction->platform, &options,
                                                        &prediction->outcome, err));
    struct analyze_options analyze = ANALYZE_DEFAULTS;
    analyze.eager_bytes = EAGER_OF_PLATFORM;
    if (prediction->analyze) analyze = *prediction->analyze;
    if (analyze.eager_bytes == EAGER_OF_PLATFORM) analyze.eager_bytes = prediction->platform->eager_bytes;
    if (analyze.intervals && analyze.ideal_run_time_s == 0)
        TRY(ideal_run_time(prediction, &analyze.ideal_run_time_s, err));
    TRY(model_analyze(prediction->outcome.trace, &analyze, &prediction->result, err));
    return describe_prediction(prediction, err);
}

const struct predictor predictor_replay = {
    .name = "replay",
    .summary = "run time, rank times and wait states from a replay on the platform",
    .predict = predict_replay,
};
