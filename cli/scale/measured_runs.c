#include "cli/scale/measured_runs.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/memory_text.h"
#include "common/search.h"
#include "predictors/comparison.h"

ORDER(compare_runs, struct measured_run, UP(ranks))

/* "mapping.ranks=[0,0,1,1]" in *text, owned: the nodes on which the ranks ran, in the trace's order. NULL: they are not known. */
static enum status place_ranks(const struct trace *trace, char **text, struct err *err)
{
    struct memory_text made;
    *text = NULL;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        if (trace->ranks[rank].node == 0) return STATUS_OK;
    TRY(memory_text_open(&made, err));
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        fprintf(made.out, "%s%u", rank ? "," : "mapping.ranks=[", trace->ranks[rank].node - 1);
    fputc(']', made.out);
    TRY(memory_text_close(&made, STATUS_OK, err));
    *text = made.text;
    return STATUS_OK;
}

static enum status replay_time(const struct trace *trace, const struct prediction_options *options,
                               const struct analyze_options *analyze, double *run_time_s, struct err *err)
{
    struct comparison comparison = {.count = 0};
    struct platform *platform;
    TRY(prediction_options_open(options, NULL, trace, &platform, err));
    const struct comparison_row row = {.name = "platform", .platform = platform, .keep_going = options->keep_going};
    enum status status = comparison_run(trace, &row, 1, options->engine, analyze, &comparison, err);
    if (status == STATUS_OK) *run_time_s = comparison.results[0]->run_time_s;
    comparison_clear(&comparison);
    platform_free(platform);
    return status;
}

static enum status replay_placed(const struct trace *trace, const struct prediction_options *options,
                                 const struct analyze_options *analyze, double *run_time_s, struct err *err)
{
    struct prediction_options there = *options;
    char *mapping;
    TRY(place_ranks(trace, &mapping, err));
    char **overrides = calloc(options->override_count + 1, sizeof *overrides);
    enum status status = overrides ? STATUS_OK : err_memory(err);
    for (size_t i = 0; overrides && i < options->override_count; i++) overrides[i] = options->overrides[i];
    if (overrides && mapping) overrides[there.override_count++] = mapping;
    there.overrides = overrides;
    there.grow = false;
    if (status == STATUS_OK) status = replay_time(trace, &there, analyze, run_time_s, err);
    FREE_ALL(overrides, mapping);
    return status;
}

static enum status replay_recording(const char *file, const struct prediction_options *options,
                                    const struct analyze_options *analyze, struct measured_run *run, struct err *err)
{
    struct trace *trace;
    struct analyze_options as_recorded = *analyze;
    struct result *result = NULL;
    as_recorded.eager_bytes = 0; /* only the run time is wanted */
    as_recorded.intervals = false;
    TRY(prediction_options_trace(options, file, &trace, NULL, err));
    enum status status = STATUS_OK;
    if (trace->provenance.simulated)
        status = err_set(err, STATUS_DATA, file, NULL, "is a simulated run, --measured expects recordings made on the platform");
    if (status == STATUS_OK) status = model_analyze(trace, &as_recorded, &result, err);
    as_recorded.eager_bytes = analyze->eager_bytes;
    if (status == STATUS_OK) {
        *run = (struct measured_run){trace->rank_count, result->run_time_s, 0};
        status = replay_placed(trace, options, &as_recorded, &run->replayed_s, err);
    }
    if (status == STATUS_OK && !(run->measured_s > 0 && run->replayed_s > 0))
        status = err_set(err, STATUS_DATA, file, NULL, "takes no time, --measured expects runs to compare their replays with");
    result_free(result);
    trace_free(trace);
    return status;
}

enum status measured_runs_replay(const struct cli_strings *files, const struct prediction_options *options,
                                 const struct analyze_options *analyze, struct measured_run **runs, struct err *err)
{
    struct measured_run *made = calloc(files->count + 1, sizeof *made);
    enum status status = made ? STATUS_OK : err_memory(err);
    for (size_t i = 0; status == STATUS_OK && i < files->count; i++)
        status = replay_recording(files->items[i], options, analyze, &made[i], err);
    if (made) qsort(made, files->count, sizeof *made, compare_runs);
    if (status == STATUS_OK && files->count > 0 && replay_error_scales(made, files->count) < 2)
        status = err_set(err, STATUS_DATA, files->items[0], NULL,
                         "the replay's error at one number of ranks says nothing of others, expected --measured runs of two or "
                         "more");
    GIVE(status, *runs = made, free(made));
}
