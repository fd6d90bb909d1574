#include "common/json/json_write.h"
#include "tests/fuzz/oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "model/analyze.h"
#include "model/result/checks.h"
#include "model/violations/violations.h"
#include "predictors/prediction.h"
#include "predictors/transforms/transform.h"
#include "simulate/verify/verify.h"
#include "tests/fuzz/fuzz.h"
#include "tests/slices/same_result.h"
#include "trace/faults.h"
#include "trace/open.h"
#include "trace/otf2/otf2.h"
#include "trace/text/text.h"

/* --- text --- */

static char *text_of(const struct trace *trace, size_t *size)
{
    struct err err;
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out || text_write(trace, NULL, out, &err) != STATUS_OK)
        fuzz_finding("a trace that cannot be written: %s", err.text);
    fclose(out);
    return text;
}

static void differ(const char *what, const char *one, const char *two)
{
    size_t at = 0;
    while (one[at] && one[at] == two[at]) at++;
    while (at > 0 && one[at - 1] != '\n') at--;
    fuzz_finding("%s: '%.*s' became '%.*s'", what, (int)strcspn(one + at, "\n"), one + at, (int)strcspn(two + at, "\n"),
                 two + at);
}

void oracle_same(const char *what, const struct trace *one, const struct trace *two)
{
    size_t sizes[2];
    char *texts[2] = {text_of(one, &sizes[0]), text_of(two, &sizes[1])};
    if (sizes[0] != sizes[1] || memcmp(texts[0], texts[1], sizes[0]) != 0) differ(what, texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}

void oracle_text(const char *what, const struct trace *trace)
{
    struct err err;
    struct trace *again;
    size_t size;
    char *text = text_of(trace, &size);
    enum status status = trace_open(fuzz_file(text, size), &again, &err);
    if (status != STATUS_OK) fuzz_finding("%s: what is written does not read back: %s", what, err.text);
    oracle_same(what, trace, again);
    trace_free(again);
    free(text);
}

/* --- archive --- */

static void check_archive(const struct trace *trace)
{
    struct err err;
    struct trace *again;
    char place[64], archive[80];
    fuzz_directory("archive", place, sizeof place);
    snprintf(archive, sizeof archive, "%s/a.rma", place);
    enum status status = otf2_write(trace, archive, &err);
    fuzz_check_error("otf2_write", status, &err);
    if (status == STATUS_OK) {
        if (trace_open(archive, &again, &err) != STATUS_OK)
            fuzz_finding("an archive of ours does not read back: %s", err.text);
        oracle_same("archive", trace, again);
        trace_free(again);
    }
    fuzz_remove(place);
}

/* --- analysis --- */

FILE *oracle_nowhere(void)
{
    static FILE *out;
    if (!out) out = fopen("/dev/null", "w");
    return out;
}

void oracle_result(const struct result *result)
{
    struct err err;
    cJSON *json, *read;
    struct result *again;
    for (size_t i = 0; i < result->check_count; i++)
        if (!result->checks[i].holds)
            fuzz_finding("analyze --verify: %s: %s", result->checks[i].name, result->checks[i].detail);
    if (result_to_json(result, &json, &err) != STATUS_OK) fuzz_finding("a result that cannot be written: %s", err.text);
    char *text = json_print(json, JSON_LINE);
    cJSON_Delete(json);
    read = text ? cJSON_Parse(text) : NULL;
    if (!read) fuzz_finding("a result that is no JSON: %s", text ? text : "nothing");
    if (result_from_json(read, "result.json", &again, &err) != STATUS_OK)
        fuzz_finding("a result that does not read back: %s", err.text);
    result_free(again);
    cJSON_Delete(read);
    free(text);
    result_print(result, oracle_nowhere());
    if (result->efficiency) efficiency_print(result->efficiency, true, oracle_nowhere());
}

/* False: the trace is refused. */
static bool check_analysis(const struct trace *trace)
{
    struct err err;
    struct result *result;
    struct analyze_options options = ANALYZE_DEFAULTS;
    options.intervals = options.verify = options.per_rank = true;
    for (int i = 0; i < 2; i++) {
        enum status status = model_analyze(trace, &options, &result, &err);
        fuzz_check_error("analyze", status, &err);
        if (status != STATUS_OK) return false;
        oracle_result(result);
        result_free(result);
        if (i > 0 || !fuzz_once_in(4)) break;
        options.late_post = LATE_POST_EARLIEST;
        options.interval_source = INTERVALS_OF_CALLPATHS;
    }
    return true;
}

static void check_slices(const struct trace *trace)
{
    struct err err;
    char what[SAME_RESULT_BYTES];
    bool same = true;
    if (trace_check_one_thread(trace, "slices", &err) != STATUS_OK) return;
    enum status status = same_in_slices(trace, &same, what, &err);
    fuzz_check_error("slices", status, &err);
    if (!same) fuzz_finding("slices differ: %s", what);
}

/* --- replay --- */

/* The laws are promised of programs that keep to MPI. */
static bool contradicts_mpi(const struct trace *trace)
{
    struct err err;
    struct result_violations violations;
    if (violations_find(trace, &violations, &err) != STATUS_OK) fuzz_finding("violations: %s", err.text);
    bool found = violations.total > 0;
    result_violations_clear(&violations);
    return found;
}

static void check_laws(const struct trace *trace, const struct platform *platform, const struct replay_options *options,
                       const struct replay_outcome *outcome)
{
    struct err err;
    struct verify_report report;
    enum status status = verify_run(trace, platform, options, outcome, &report, &err);
    if (status != STATUS_OK) fuzz_finding("verify: %s", err.text);
    for (size_t i = 0; i < report.count; i++)
        if (report.rows[i].state == VERIFY_BROKEN && !contradicts_mpi(trace))
            fuzz_finding("law %d, %s: %s", report.rows[i].law, report.rows[i].name, report.rows[i].detail);
}

void oracle_replay(const struct trace *trace, const struct platform *platform)
{
    const struct replay_options options = {.engine = engine_by_name("loggp"), .keep_trace = true};
    struct replay_outcome outcome = {0};
    struct err err;
    enum status status = replay_run(trace, platform, &options, &outcome, &err);
    fuzz_check_error("replay", status, &err);
    if (status != STATUS_OK) return;
    status = trace_check(outcome.trace, &err);
    if (status != STATUS_OK) fuzz_finding("a predicted trace at fault: %s", err.text);
    check_laws(trace, platform, &options, &outcome);
    if (fuzz_once_in(4)) oracle_text("predicted trace in text", outcome.trace);
    if (fuzz_once_in(64)) check_archive(outcome.trace);
    if (fuzz_once_in(4)) check_analysis(outcome.trace);
    replay_outcome_clear(&outcome);
}

/* As simulate --keep-going. */
static void check_prediction(const struct trace *trace, const struct platform *platform)
{
    struct analyze_options analyze = ANALYZE_DEFAULTS;
    struct err err;
    analyze.intervals = true;
    struct prediction prediction = {.trace = trace,
                                    .platform = platform,
                                    .engine = engine_by_name("loggp"),
                                    .analyze = &analyze,
                                    .keep_going = true};
    enum status status = prediction_run(&prediction, &err);
    fuzz_check_error("simulate --keep-going", status, &err);
    if (status != STATUS_OK) return;
    oracle_result(prediction.result);
    prediction_clear(&prediction);
}

static void check_transform(const struct trace *trace, const struct platform *platform)
{
    static const char *const specs[] = {"post-early", "complete-early", "wait-late", "fence=pscw",
                                        "merge-puts", "lock=lock_all",  "put=rput",  "scale:/=0.5"};
    struct err err;
    struct rewrite rewrite;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        if (!fuzz_once_in(4)) continue;
        enum status status = rewrite_run(trace, &specs[i], 1, &rewrite, &err);
        fuzz_check_error(specs[i], status, &err);
        if (status != STATUS_OK) continue;
        if (rewrite.trace && trace_check(rewrite.trace, &err) != STATUS_OK)
            fuzz_finding("%s makes a trace at fault: %s", specs[i], err.text);
        if (rewrite.trace && platform) oracle_replay(rewrite.trace, platform);
        rewrite_clear(&rewrite);
    }
}

/* Analysis, results written and read back, round trips through text and an archive, slices, transforms; with a platform
 * (NULL: none) also the replay and its laws. */
static void check_trace(const struct trace *trace, const struct platform *platform)
{
    oracle_text("text", trace);
    bool analysed = check_analysis(trace);
    if (platform) oracle_replay(trace, platform);
    if (platform && fuzz_once_in(8)) check_prediction(trace, platform);
    if (fuzz_once_in(16) && analysed) check_slices(trace);
    if (fuzz_once_in(64)) check_archive(trace);
    if (fuzz_once_in(16)) check_transform(trace, platform);
}

/* --- opening --- */

static void check_partly(const char *path, const struct trace *whole, const struct platform *platform)
{
    struct err err;
    struct trace *trace;
    enum status status = trace_open_partly(path, &trace, &err);
    fuzz_check_error("--keep-going", status, &err);
    if (whole && status != STATUS_OK) fuzz_finding("--keep-going refuses what is read without: %s", err.text);
    if (status != STATUS_OK) return;
    if (whole && trace->provenance.fault_count > 0) fuzz_finding("--keep-going finds a fault in what is read without");
    if (whole) oracle_same("--keep-going", whole, trace);
    if (trace_check(trace, &err) != STATUS_OK) fuzz_finding("--keep-going leaves a trace at fault: %s", err.text);
    if (!whole) check_analysis(trace);
    if (!whole && platform && fuzz_once_in(4)) check_prediction(trace, platform);
    trace_free(trace);
}

void oracle_open(const char *path, const struct platform *platform)
{
    struct err err;
    struct trace *trace = NULL;
    char kept[64];
    snprintf(kept, sizeof kept, "%s", path);
    enum status status = trace_open(kept, &trace, &err);
    fuzz_check_error("open", status, &err);
    if (status == STATUS_OK ? fuzz_once_in(8) : true) check_partly(kept, status == STATUS_OK ? trace : NULL, platform);
    if (status == STATUS_OK) check_trace(trace, platform);
    trace_free(trace);
}
