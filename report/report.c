#include "report/report.h"

#include <stdlib.h>

#include "common/json.h"
#include "common/json/json_write.h"
#include "model/analyze.h"
#include "common/text/json_text.h"
#include "model/over_time/main_loop.h"
#include "report/inputs.h"
#include "report/web.h"
#include "trace/open.h"

enum {
    PER_RANK_MAX = 1024,           /* ranks whose values are shown one by one */
    TIME_SLICES = 100,             /* of the strip above the time lines */
    SLICES_FROM_RECORDS = 4 << 20, /* of an archive that is read in slices: some 300 MB in memory as a whole */
};

static enum status copy_tree(cJSON *json, FILE *out, struct err *err)
{
    input_cut_texts(json);
    char *text = json_print(json, JSON_LINE);
    if (!text) return err_memory(err);
    json_text_copy(out, text);
    free(text);
    return STATUS_OK;
}

/* The strip is over time, so iterations that the ranks make at different times are no slices of it. */
static struct analyze_options options_of(const struct trace *trace, const struct main_loop *loop)
{
    struct analyze_options analyze = ANALYZE_DEFAULTS;
    analyze.intervals = true;
    analyze.interval_source = INTERVALS_OF_CALLPATHS;
    analyze.over_time = TIME_SLICES;
    analyze.loop = loop->place && !loop->in_step ? NULL : loop;
    analyze.per_rank = trace->rank_count <= PER_RANK_MAX;
    return analyze;
}

/* The rates of a pair are shown as medians. */
static void cut_rates(cJSON *pair)
{
    static const char *const others[] = {"count", "unbounded", "min", "mean", "max", "overall"};
    for (cJSON *value = pair->child; value; value = value->next)
        for (size_t i = 0; cJSON_IsObject(value) && i < sizeof others / sizeof *others; i++)
            cJSON_DeleteItemFromObject(value, others[i]);
}

/* The page shows sums over the ranks, of what takes time, and not what is in flight. */
static void cut_result(cJSON *result)
{
    cJSON *interval, *pair, *characteristics, *next;
    cJSON_ArrayForEach(pair, cJSON_GetObjectItem(cJSON_GetObjectItem(result, "transfers"), "pairs")) cut_rates(pair);
    cJSON_DeleteItemFromObject(result, "in_flight");
    cJSON_ArrayForEach(interval, cJSON_GetObjectItem(cJSON_GetObjectItem(result, "efficiency"), "intervals"))
    {
        characteristics = cJSON_GetObjectItem(interval, "characteristics");
        for (cJSON *one = characteristics ? characteristics->child : NULL; one; one = next) {
            next = one->next;
            cJSON_DeleteItemFromObject(one, "ranks");
            cJSON_DeleteItemFromObject(one, "processors");
            if (cJSON_GetNumberValue(cJSON_GetObjectItem(one, "max")) == 0)
                cJSON_Delete(cJSON_DetachItemViaPointer(characteristics, one));
        }
    }
}

static enum status write_result(const struct result *result, struct input_runs *runs, FILE *out, struct err *err)
{
    cJSON *json;
    TRY(input_runs_add(runs, result->origin == TRACE_SIMULATED, result->rank_count, err));
    TRY(result_to_json(result, &json, err));
    cut_result(json);
    fputs("\"data\":", out);
    enum status status = copy_tree(json, out, err);
    fputs(",\"timeline\":", out);
    cJSON_Delete(json);
    return status;
}

static enum status write_whole(const struct report_options *options, const char *path, struct input_runs *runs, FILE *out,
                               struct err *err)
{
    struct trace *trace;
    struct main_loop loop;
    struct result *result = NULL;
    struct analyze_found found = {.waits = {.count = 0}};
    TRY(trace_open(path, &trace, err));
    enum status status = main_loop_find(trace, &loop, err);
    struct analyze_options analyze = options_of(trace, &loop);
    analyze.found = &found;
    if (status == STATUS_OK) status = model_analyze(trace, &analyze, &result, err);
    if (status == STATUS_OK) status = write_result(result, runs, out, err);
    if (status == STATUS_OK) status = timeline_write(trace, &found, &options->timeline, out, err);
    result_free(result);
    analyze_found_clear(&found);
    main_loop_clear(&loop);
    trace_free(trace);
    return status;
}

static enum status write_slices(struct trace_source *source, const struct main_loop *loop, struct input_runs *runs, FILE *out,
                                struct err *err)
{
    const struct analyze_options analyze = options_of(source->trace, loop);
    struct report_slices slices;
    TRY(report_slices_read(source, &analyze, &slices, err));
    enum status status = write_result(slices.result, runs, out, err);
    if (status == STATUS_OK) timeline_write_slices(source->trace, &slices, out);
    report_slices_clear(&slices);
    return status;
}

/* The archive is read once more, since the loop has to be known before. */
static enum status write_large(struct trace_source *source, const char *path, struct input_runs *runs, FILE *out, struct err *err)
{
    struct main_loop loop;
    uint64_t records;
    bool possible;
    enum status status = main_loop_find_in(source, &loop, err);
    source_close(source);
    TRY(status);
    status = trace_open_source(path, source, &possible, &records, err);
    if (status == STATUS_OK) status = write_slices(source, &loop, runs, out, err);
    source_close(source);
    main_loop_clear(&loop);
    return status;
}

/* A window of time needs the whole trace: epochs and transfers reach beyond it. */
static enum status write_trace(const struct report_options *options, const char *path, struct input_runs *runs, FILE *out,
                               struct err *err)
{
    struct trace_source source;
    uint64_t records;
    bool possible;
    if (options->timeline.from_ps || options->timeline.until_ps) return write_whole(options, path, runs, out, err);
    TRY(trace_open_source(path, &source, &possible, &records, err));
    if (!possible) return write_whole(options, path, runs, out, err);
    bool large = options->slices || records >= SLICES_FROM_RECORDS;
    if (large) return write_large(&source, path, runs, out, err);
    source_close(&source);
    return write_whole(options, path, runs, out, err);
}

static enum status write_json(const char *path, struct input_runs *runs, FILE *out, struct err *err)
{
    struct json_document document;
    TRY(json_open(path, &document, err));
    enum status status = input_check(&document, runs, err);
    fputs("\"data\":", out);
    if (status == STATUS_OK) status = copy_tree(document.root, out, err);
    json_close(&document);
    return status;
}

static enum status write_input(const struct report_options *options, size_t i, struct input_runs *runs, FILE *out,
                               struct err *err)
{
    const char *path = options->inputs[i];
    enum trace_form form;
    fputs(i ? ",{\"name\":" : "{\"name\":", out);
    TRY(input_write_path(out, path, err));
    fputc(',', out);
    TRY(trace_recognise(path, &form, err));
    TRY(form != TRACE_FORM_OTHER ? write_trace(options, path, runs, out, err) : write_json(path, runs, out, err));
    fputc('}', out);
    return input_runs_check(runs, path, err);
}

static enum status write_inputs(const struct report_options *options, FILE *out, struct err *err)
{
    struct input_runs runs = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < options->input_count; i++)
        status = write_input(options, i, &runs, out, err);
    input_runs_clear(&runs);
    return status;
}

static void write_part(const struct web_part *part, FILE *out)
{
    fwrite(part->text, 1, part->size, out);
}

enum status report_write(const struct report_options *options, FILE *out, struct err *err)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "script-src 'unsafe-inline'; img-src data:\">\n<title>rmacast report</title>\n<style>\n",
          out);
    write_part(&web_style, out);
    fputs("</style>\n</head>\n<body>\n", out);
    write_part(&web_body, out);
    fputs("<script type=\"application/json\" id=\"data\">{\"title\":", out);
    TRY(input_write_path(out, options->title ? options->title : options->inputs[0], err));
    fputs(",\"version\":\"" RMACAST_VERSION "\",\"meanings\":{", out);
    for (int p = 0; p < PATTERN_COUNT; p++) {
        fprintf(out, "%s\"%s\":", p ? "," : "", pattern_row((enum pattern)p)->name);
        json_text_write(out, pattern_row((enum pattern)p)->meaning);
    }
    fputs("},\"inputs\":[", out);
    TRY(write_inputs(options, out, err));
    fputs("]}</script>\n<script>\n\"use strict\";\n(() => {\n", out);
    for (const struct web_part *part = web_scripts; part->text; part++) write_part(part, out);
    fputs("})();\n</script>\n</body>\n</html>\n", out);
    return STATUS_OK;
}
