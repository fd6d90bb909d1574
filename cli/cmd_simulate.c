/* rmacast simulate TRACE --platform FILE: the trace replayed on a described cluster. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/prediction_options.h"
#include "cli/terminal/progress_bar.h"
#include "common/json/field_rows.h"
#include "common/text/text.h"
#include "common/units.h"
#include "model/result/result_fields.h"
#include "model/violations/violations.h"
#include "predictors/draws.h"
#include "predictors/prediction.h"
#include "predictors/sensitivity/sensitivity.h"
#include "simulate/verify/verify.h"

enum { KEY_SEMANTICS = 1000, KEY_VERIFY, KEY_JSON, KEY_DRAWS, KEY_DRAW, KEY_SEED, KEY_SENSITIVITY, KEY_OVER_TIME, KEY_CSV,
       KEY_MARK_LIMIT };

static const struct argp_option options[] = {
    PREDICTION_OPTIONS,
    {"semantics", KEY_SEMANTICS, "LETTER", 0,
     SEMANTICS_HELP "; else as the platform says. a@3=c: c on window 3 (number or name); platform@3=c: elsewhere as the "
                    "platform says",
     0},
    {"verify", KEY_VERIFY, NULL, 0, "check the laws of simulation on this run", 0},
    {"draws", KEY_DRAWS, "N", 0,
     "replay the trace N times more, with latencies that are drawn around the stated ones (network.jitter_s): median and range "
     "of run time, rank times and wait states; needs --engine loggp",
     0},
    {"draw", KEY_DRAW, "WHICH", 0,
     "predict one of the draws, with its wait states, transfers and trace: a number from 1 to N, or the one of the median run "
     "time (median), or of the median time of a rank (median:RANK)",
     0},
    {"seed", KEY_SEED, "NUMBER", 0, "seed of the draws (default 1)", 0},
    {"sensitivity", KEY_SENSITIVITY, NULL, 0,
     "also say what the run time is worth in the platform's values (rmacast sensitivity); by replays of the loggp engine", 0},
    {"limit", KEY_MARK_LIMIT, "WHAT=N", 0, LIMIT_HELP, 0},
    {"output", 'o', "TRACE", 0,
     "keep the predicted trace: *.txt is text, anything else an archive; - is text on standard output, without "
     "the table",
     0},
    {"json", KEY_JSON, "FILE", 0, "write the result as JSON; - is standard output, without the table", 0},
    {"csv", KEY_CSV, "DIR", 0, "write the tables of analyze --csv, but that of transfers, into DIR", 0},
    ANALYZE_OPTIONS,
    {"over-time", KEY_OVER_TIME, "SLICES", OPTION_ARG_OPTIONAL, OVER_TIME_HELP, 0},
    {0}};

struct settings {
    const char *trace, *semantics, *output, *json, *csv, *draw;
    bool verify, asks_sensitivity;
    struct sensitivity sensitivity; /* of no rows: not asked for */
    int64_t draws; /* 0: none */
    int64_t seed;
    enum draw_choice choice; /* what draw says, with its number */
    int64_t number;
    struct warnings warnings;
    struct recorded_time recorded;
    struct recording *recording; /* NULL: the whole trace is in memory */
    bool written;                /* outputs, or a part of them */
    struct prediction_options prediction;
    struct analyze_options analyze;
    struct main_loop loop; /* of analyze */
};

/* At the end, since --draws may be behind --draw. */
static error_t parse_draw(const struct argp_state *state, struct settings *settings)
{
    static const char of_rank[] = "median:";
    const char *text = settings->draw;
    if (!text) return 0;
    settings->choice = DRAW_MEDIAN;
    if (strcmp(text, "median") == 0) return 0;
    bool names_rank = strncmp(text, of_rank, strlen(of_rank)) == 0;
    const char *number = names_rank ? text + strlen(of_rank) : text;
    char *end;
    settings->choice = names_rank ? DRAW_MEDIAN_OF_RANK : DRAW_NUMBER;
    settings->number = strtoll(number, &end, 10);
    int64_t low = names_rank ? 0 : 1, high = names_rank ? UINT32_MAX : settings->draws;
    if (end > number && *end == '\0' && settings->number >= low && settings->number <= high) return 0;
    return cli_usage(state, "--draw %s, expected median, median:RANK or a number from 1 to %" PRId64, text, settings->draws);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    error_t shared = prediction_options_parse(key, argument, state, &settings->prediction);
    if (shared == ARGP_ERR_UNKNOWN) shared = analyze_options_parse(key, argument, state, &settings->analyze);
    if (shared != ARGP_ERR_UNKNOWN) return shared;
    switch (key) {
    case KEY_SEMANTICS:
        settings->semantics = argument;
        return prediction_semantics_check(state, "--semantics", argument);
    case KEY_DRAWS: return cli_count(state, "--draws", argument, 1, DRAWS_MAX, &settings->draws);
    case KEY_DRAW: settings->draw = argument; return 0;
    case KEY_SEED: return cli_count(state, "--seed", argument, 0, DRAWS_SEED_MAX, &settings->seed);
    case KEY_SENSITIVITY: settings->asks_sensitivity = true; return 0;
    case KEY_MARK_LIMIT: return limit_option_parse(state, argument, &settings->analyze.limits);
    case KEY_OVER_TIME: return over_time_option_parse(state, argument, &settings->analyze);
    case KEY_VERIFY: settings->verify = true; return 0;
    case KEY_JSON: settings->json = argument; return 0;
    case KEY_CSV: settings->csv = argument; return 0;
    case 'o': settings->output = argument; return 0;
    case ARGP_KEY_ARG: return prediction_options_argument(state, argument, &settings->trace, &settings->prediction);
    case ARGP_KEY_END: {
        error_t failed = cli_needs_argument(state, settings->trace, "TRACE");
        if (!failed) failed = parse_draw(state, settings);
        return failed ? failed : prediction_options_end(state, &settings->prediction);
    }
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* Copies, borrowed. */
struct simulated {
    const struct result *result;
    struct verify_report report;
    const struct draws *draws; /* NULL: none */
    struct rewrite rewrite;
    struct warnings warnings;
    const struct sensitivity *sensitivity; /* NULL: not asked for */
};

static const char *name_state(int state)
{
    return verify_state_name((enum verify_state)state);
}

#define S struct verify_row
static const struct field law_fields[] = {
    SAME(law), SAME(name), NAME_OF("state", state, name_state, VERIFY_NOT_APPLICABLE + 1), SAME(detail), {0}};
#undef S
#define S struct simulated
const struct field simulated_fields[] = {
    INLINE(NULL, result, result_fields, POINTED, RANKS_OF(struct result, rank_count)),
    LIST("verify", report.rows, report.count, law_fields, IF_FLAG(report.count), LEFT_OUT),
    OBJECT("draws", draws, draws_fields, IF_THERE, LEFT_OUT, POINTED, RANKS_OF(struct draws, rank_count)),
    OBJECT("sensitivity", sensitivity, sensitivity_fields, IF_THERE, LEFT_OUT, POINTED),
    INLINE(NULL, rewrite, rewrite_fields, IF_FLAG(rewrite.count), LEFT_OUT),
    INLINE(NULL, warnings, warnings_fields, LEFT_OUT), /* an analysis has none */
    {0}};
#undef S

static enum status write_json(const struct settings *settings, const struct result *result,
                              const struct verify_report *report, const struct draws *draws,
                              const struct rewrite *rewrite, struct err *err)
{
    const struct simulated simulated = {result, *report, draws->count > 0 ? draws : NULL, *rewrite, settings->warnings,
                                        settings->sensitivity.row_count > 0 ? &settings->sensitivity : NULL};
    return cli_write_fields(simulated_fields, &simulated, 0, settings->json, err);
}

static void print_engine(const struct prediction *prediction, FILE *out)
{
    const struct replay_outcome *outcome = &prediction->outcome;
    char wall[UNITS_TEXT_BYTES], peak[UNITS_TEXT_BYTES];
    text_print(out, "\nEngine %s: %" PRIu64 " event%s, %" PRIu64 " message%s in %s", prediction->engine->name,
               outcome->stats.events, units_plural(outcome->stats.events), outcome->stats.messages,
               units_plural(outcome->stats.messages), units_format_duration(outcome->wall_s, wall));
    if (outcome->peak_bytes > 0) text_print(out, ", %s of memory", units_format_bytes((double)outcome->peak_bytes, peak));
    fputc('\n', out);
}

/* A section, or other calls, are not what was recorded. */
static void print_recorded(const struct settings *settings, const struct prediction *prediction,
                           const struct rewrite *rewrite, FILE *out)
{
    const struct result *result = prediction->result;
    char text[RECORDED_TIME_BYTES];
    if (rewrite->count > 0 || result->section.known || result->left_out_count > 0) return;
    if (recorded_time_text(&settings->recorded, result->run_time_s, result_in_mpi_s(result), text))
        text_print(out, "\n%s\n", text);
}

/* The rows that an advice names are of the rewritten trace: each has the rewrites behind its platform, too. */
static enum status chain_rows(const struct prediction_options *asked, char **rows, struct err *err)
{
    char *all = NULL, *save, *list = *rows;
    size_t bytes = 0;
    FILE *out = open_memstream(&all, &bytes);
    if (!out) return err_memory(err);
    for (char *row = strtok_r(list, ",", &save); row; row = strtok_r(NULL, ",", &save)) {
        const size_t head = strcspn(row, "+");
        text_print(out, "%s%.*s", row == list ? "" : ",", (int)head, row);
        for (size_t i = 0; i < asked->rewrite_count; i++) text_print(out, "+%s", asked->rewrites[i]);
        text_print(out, "%s", row + head);
    }
    const bool whole = fclose(out) == 0;
    free(*rows);
    *rows = all;
    return whole ? STATUS_OK : err_memory(err);
}

static enum status chain_advice(const struct prediction_options *asked, struct result *result, struct err *err)
{
    for (int p = 0; p < PATTERN_COUNT && asked->rewrite_count > 0; p++)
        for (size_t i = 0; i < result->patterns[p].place_count; i++)
            if (result->patterns[p].places[i].rows) TRY(chain_rows(asked, &result->patterns[p].places[i].rows, err));
    return STATUS_OK;
}

static enum status write_outputs(const struct settings *settings, const struct prediction *prediction,
                                 const struct verify_report *report, const struct draws *draws,
                                 const struct rewrite *rewrite, struct err *err)
{
    enum status files = STATUS_OK;
    if (settings->json) files = write_json(settings, prediction->result, report, draws, rewrite, err);
    if (files == STATUS_OK && settings->csv) files = analysis_write_tables(settings->csv, prediction->result, err);
    if (files == STATUS_OK && settings->output) files = cli_save_trace(prediction->outcome.trace, settings->output, err);
    if (cli_is_output(settings->json) || cli_is_output(settings->output)) return cli_flush_behind(files, err);
    if (!cli_is_wide()) TRY(result_shorten_names(prediction->result, err));
    TRY(chain_advice(&settings->prediction, prediction->result, err));
    rewrite_print(rewrite, "Rewritten", cli_table());
    result_print(prediction->result, stdout);
    if (prediction->result->efficiency)
        efficiency_print(prediction->result->efficiency, prediction->result->per_rank, stdout);
    if (draws->count > 0) draws_print(draws, prediction->result, stdout);
    print_recorded(settings, prediction, rewrite, stdout);
    warnings_print_contradictions(&settings->warnings, stdout);
    if (settings->sensitivity.row_count > 0) fputc('\n', stdout);
    sensitivity_print(&settings->sensitivity, cli_table());
    print_engine(prediction, stdout);
    if (report->count > 0) {
        text_print(stdout, "\nWhat must always hold%s\n", draws->taken > 0 ? ", of the prediction without draws" : "");
        verify_print(report, false, stdout);
    }
    if (settings->output && files == STATUS_OK) text_print(stdout, "\nPredicted trace: %s\n", settings->output);
    return cli_flush_behind(files, err);
}

/* The laws are promised of programs that keep to MPI: where this one does not, that is what is wrong. */
static enum status tell_violation(const struct settings *settings, const struct trace *trace, size_t broken, size_t laws,
                                  struct err *err)
{
    struct result_violations violations;
    TRY(violations_find(trace, &violations, err));
    if (violations.total == 0) {
        err_set(err, STATUS_DATA, settings->trace, NULL, "the simulation breaks %zu of %zu laws, expected none", broken,
                laws);
    } else {
        const struct result_violation *first = &violations.items[0];
        err_set(err, STATUS_DATA, settings->trace, NULL,
                "rank %" PRIu32 ", event %" PRIu64 " (%s): %s: the program contradicts MPI, for which %zu of %zu laws are "
                "not promised",
                first->call.rank, first->call.event, first->call.function, first->sentence, broken, laws);
    }
    result_violations_clear(&violations);
    return STATUS_DATA;
}

static enum status tell_broken(const struct settings *settings, const struct trace *trace,
                               const struct verify_report *report, struct err *err)
{
    if (verify_holds(report)) return STATUS_OK;
    verify_print(report, true, stderr);
    size_t broken = 0;
    for (size_t i = 0; i < report->count; i++) broken += report->rows[i].state == VERIFY_BROKEN;
    return tell_violation(settings, trace, broken, report->count, err);
}

static enum status run_draws(const struct trace *trace, const struct platform *platform, const struct draws_request *asked,
                             struct draws *draws, struct err *err)
{
    struct draws_request request = *asked;
    struct progress_bar *bar;
    TRY(progress_bar_begin(request.count, &bar, err));
    request.progress = progress_bar_show;
    request.progress_contexts = progress_bar_shares(bar);
    enum status status = draws_run(trace, platform, &request, draws, err);
    progress_bar_end(bar);
    return status;
}

static enum status simulate_trace(struct settings *settings, const struct trace *trace,
                                  const struct platform *platform, const struct rewrite *rewrite, struct err *err)
{
    struct progress_bar *bar;
    const struct draws_request request = {.engine = settings->prediction.engine,
                                          .analyze = &settings->analyze,
                                          .keep_going = settings->prediction.keep_going,
                                          .recording = settings->recording,
                                          .count = (size_t)settings->draws,
                                          .seed = (uint64_t)settings->seed,
                                          .choice = settings->choice,
                                          .number = (size_t)settings->number};
    if (settings->analyze.find_loop && !settings->analyze.loop) {
        TRY(main_loop_find(trace, &settings->loop, err));
        settings->analyze.loop = &settings->loop;
    }
    if (request.count > 0) TRY(draws_check(&request, platform, trace->rank_count, err));
    TRY(progress_bar_begin(1, &bar, err));
    struct prediction prediction = {
        .trace = trace,
        .recording = settings->recording,
        .platform = platform,
        .engine = settings->prediction.engine,
        .analyze = &settings->analyze,
        .keep_trace = settings->output,
        /* A library that may end its process (SimGrid) runs in a child, whose end is one line of error. */
        .apart = settings->verify || settings->prediction.engine->once_per_process,
        .keep_going = settings->prediction.keep_going,
        .progress = progress_bar_show,
        .progress_context = progress_bar_share(bar, 0),
    };
    enum status status = prediction_run(&prediction, err);
    progress_bar_end(bar);
    TRY(status);
    struct verify_report report = {.count = 0};
    struct draws draws = {.count = 0};
    struct platform drawn;
    const struct replay_options replay = {.engine = prediction.engine, .keep_trace = true};
    if (settings->verify) status = verify_run(prediction.trace, platform, &replay, &prediction.outcome, &report, err);
    if (status == STATUS_OK && request.count > 0) status = run_draws(trace, platform, &request, &draws, err);
    if (status == STATUS_OK && draws.taken > 0) status = draws_predict(trace, &draws, &drawn, &prediction, err);
    if (status == STATUS_OK && draws.count > 0)
        uncertainty_draw(&prediction.result->uncertainty, draws.run_time.min_s, draws.run_time.max_s, draws.run_time.median_s);
    settings->written = status == STATUS_OK;
    if (status == STATUS_OK && result_exceeds(prediction.result)) cli_exit_with(1);
    if (status == STATUS_OK) status = write_outputs(settings, &prediction, &report, &draws, rewrite, err);
    if (status == STATUS_OK) status = tell_broken(settings, prediction.trace, &report, err);
    draws_clear(&draws);
    prediction_clear(&prediction);
    return status;
}

static enum status simulate_rewritten(struct settings *settings, const struct trace *trace,
                                      const struct platform *platform, struct err *err)
{
    struct rewrite rewrite;
    const char *const *specs = (const char *const *)settings->prediction.rewrites;
    TRY(rewrite_run(trace, specs, settings->prediction.rewrite_count, &rewrite, err));
    enum status status = simulate_trace(settings, rewrite.trace ? rewrite.trace : trace, platform, &rewrite, err);
    rewrite_clear(&rewrite);
    return status;
}

static enum status simulate_with(struct settings *settings, const struct trace *trace, struct err *err)
{
    struct platform *platform;
    const char *const semantics[] = {settings->semantics ? settings->semantics : "platform"};
    const struct sensitivity_options find = {.scenes = prediction_options_scenes(&settings->prediction),
                                             .engine = engine_by_name("loggp"),
                                             .semantics = semantics,
                                             .semantics_count = 1};
    enum status status = settings->asks_sensitivity ? sensitivity_find(trace, &find, &settings->sensitivity, err) : STATUS_OK;
    if (status == STATUS_OK)
        status = prediction_options_open(&settings->prediction, settings->semantics, trace, &platform, err);
    if (status == STATUS_OK) {
        status = simulate_rewritten(settings, trace, platform, err);
        platform_free(platform);
    }
    sensitivity_clear(&settings->sensitivity);
    warnings_clear(&settings->warnings);
    return status;
}

/* *done: false, with STATUS_OK if the trace has not been replayed, or with what failed in a replay of it. */
static enum status simulate_recording(struct settings *settings, bool *done, struct err *err)
{
    *done = false;
    if (settings->verify || settings->output || settings->asks_sensitivity) return STATUS_OK;
    TRY(prediction_options_recording(&settings->prediction, settings->trace, &settings->analyze, &settings->recording,
                                     &settings->warnings, err));
    if (!settings->recording) return STATUS_OK;
    enum status status = analysis_find_loop(settings->trace, false, &settings->analyze, &settings->loop, err);
    if (status == STATUS_OK) status = simulate_with(settings, settings->recording->trace, err);
    recording_close(settings->recording);
    settings->recording = NULL;
    *done = status != STATUS_DATA || settings->written;
    return status;
}

static enum status run_simulate(struct settings *settings, struct err *err)
{
    struct trace *trace;
    bool done;
    TRY(prediction_options_check(&settings->prediction, settings->semantics, settings->trace, err));
    enum status failed = simulate_recording(settings, &done, err);
    if (done || (failed != STATUS_OK && failed != STATUS_DATA)) return failed;
    settings->prediction.keeps = settings->output || settings->verify || section_is_set(&settings->analyze.section);
    TRY(prediction_options_trace_behind(&settings->prediction, settings->trace, failed, &trace, &settings->warnings, err));
    enum status status = simulate_with(settings, trace, err);
    trace_free(trace);
    return status;
}

enum status cmd_simulate(int argc, char **argv, struct err *err)
{
    struct settings settings = {.seed = 1, .analyze = ANALYZE_DEFAULTS};
    settings.analyze.eager_bytes = EAGER_OF_PLATFORM;
    const struct argp argp = {
        options, parse_option, "TRACE [AGAIN...]",
        "Replays a trace on a described cluster, as 'rmacast simulate app.rma --platform infiniband-64 --semantics c'.",
        NULL, NULL, NULL};
    enum status status = cli_parse(&argp, argc, argv, CLI_READS_TRACES, &settings, err);
    settings.prediction.recorded_time = &settings.recorded;
    settings.prediction.outputs[0] = (struct cli_output){CLI_WRITES_TRACE, "-o", settings.output};
    settings.prediction.outputs[1] = (struct cli_output){CLI_WRITES, "--json", settings.json};
    if (status == STATUS_OK) status = analysis_claim_outputs(NULL, settings.csv, err);
    if (status == STATUS_OK) status = prediction_options_claim_outputs(&settings.prediction, err);
    if (status == STATUS_OK) status = run_simulate(&settings, err);
    main_loop_clear(&settings.loop);
    prediction_options_clear(&settings.prediction);
    return status;
}
