#include "tests/slices/same_result.h"
#include "common/json/json_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/result/result_csv.h"
#include "model/slices/slices.h"
#include "model/violations/violations.h"
#include "tests/slices/memory_source.h"

#define SAME_OPTIONS(SOURCE)                                                                                           \
    {                                                                                                                  \
        .late_post = LATE_POST_LATEST, .eager_bytes = 65536, .close_ps = INT64_C(10000000), .intervals = true,         \
        .per_rank = true, .verify = true, .over_time = 7, .interval_source = SOURCE                                    \
    }
const struct analyze_options same_options = SAME_OPTIONS(INTERVALS_OF_REGIONS);
const struct analyze_options same_by_callpath = SAME_OPTIONS(INTERVALS_OF_CALLPATHS);

enum status text_of_result(enum status status, struct result *result, const struct err *fault, char **text,
                           struct err *err)
{
    cJSON *json;
    if (status != STATUS_OK) {
        *text = strdup(fault->text);
        return *text ? STATUS_OK : err_memory(err);
    }
    status = result_to_json(result, &json, err);
    result_free(result);
    TRY(status);
    *text = json_print(json, JSON_LINES);
    cJSON_Delete(json);
    return *text ? STATUS_OK : err_memory(err);
}

/* Appends the table of all transfers to a result's text. */
static enum status append_transfers(char **text, struct transfer_log *log, const struct trace *trace, struct err *err)
{
    char *both;
    size_t bytes;
    FILE *out = open_memstream(&both, &bytes);
    if (!out) return err_memory(err);
    fputs(*text, out);
    enum status status = csv_write_transfers(log, trace_begin_ps(trace), out, err);
    fclose(out);
    free(*text);
    *text = both;
    return status;
}

/* Appends what contradicts MPI to a text, and clears it. */
static enum status append_violations(char **text, struct result_violations *violations, struct err *err)
{
    char *both;
    size_t bytes;
    FILE *out = open_memstream(&both, &bytes);
    if (!out) return err_memory(err);
    fprintf(out, "%s\n%llu violations\n", *text, (unsigned long long)violations->total);
    for (size_t i = 0; i < violations->count; i++) {
        const struct result_violation *item = &violations->items[i];
        const struct result_call *calls[] = {&item->call, item->other_known ? &item->other : NULL};
        fprintf(out, "%s %s", item->kind, item->sentence);
        for (int c = 0; c < 2 && calls[c]; c++)
            fprintf(out, " at rank %u event %llu %s %s %.9f", calls[c]->rank, (unsigned long long)calls[c]->event,
                    calls[c]->function, calls[c]->callpath, calls[c]->time_s);
        fputc('\n', out);
    }
    fclose(out);
    free(*text);
    *text = both;
    result_violations_clear(violations);
    return STATUS_OK;
}

/* Finds what contradicts MPI while slices are read. */
struct checked {
    struct violation_finder *finder;
    struct result_violations violations;
};

static enum status take_calls(void *context, const struct trace *trace, const struct callpaths *paths, struct err *err)
{
    struct checked *checked = context;
    return violations_take(checked->finder, trace, paths, err);
}

static enum status take_messages(void *context, const struct relations *relations, bool last, struct err *err)
{
    struct checked *checked = context;
    TRY(violations_match(checked->finder, relations, last, err));
    return last ? violations_end(checked->finder, &checked->violations, err) : STATUS_OK;
}

enum status analyze_and_check(struct trace_source *source, const struct analyze_options *options, size_t calls,
                              struct result **result, struct result_violations *violations, struct err *err)
{
    struct checked checked = {.finder = NULL};
    const struct analyze_watcher watcher = {
        .context = &checked, .read = take_calls, .matched = take_messages, .reads_on = true};
    struct analyze_options watched = *options;
    watched.watcher = &watcher;
    TRY(violations_new(&checked.finder, err));
    enum status status = model_analyze_slices(source, &watched, calls, result, err);
    violations_free(checked.finder);
    *violations = checked.violations;
    return status;
}

enum status whole_result(const struct trace *trace, const struct analyze_options *options, char **text, struct err *err)
{
    struct result *result = NULL;
    struct analyze_options logged = *options;
    struct result_violations violations;
    struct err fault;
    TRY(transfer_log_new(&logged.transfers, err));
    enum status status = model_analyze(trace, &logged, &result, &fault);
    bool analyzed = status == STATUS_OK;
    status = text_of_result(status, result, &fault, text, err);
    if (status == STATUS_OK && analyzed && options->verify)
        status = append_transfers(text, logged.transfers, trace, err);
    transfer_log_free(logged.transfers);
    if (status == STATUS_OK) status = violations_find(trace, &violations, err);
    return status == STATUS_OK ? append_violations(text, &violations, err) : status;
}

/* Begins some bytes before the first difference. */
static const char *from_difference(const char *text, size_t at)
{
    return text + (at > 60 ? at - 60 : 0);
}

enum status same_result(struct trace_source *source, const struct analyze_options *options, size_t calls,
                        const char *text, bool *same, char what[SAME_RESULT_BYTES], struct err *err)
{
    struct result *result = NULL;
    struct analyze_options logged = *options;
    struct err fault;
    char *other;
    size_t at = 0;
    struct result_violations violations;
    TRY(transfer_log_new(&logged.transfers, err));
    enum status status = analyze_and_check(source, &logged, calls, &result, &violations, &fault);
    bool analyzed = status == STATUS_OK;
    status = text_of_result(status, result, &fault, &other, err);
    if (status == STATUS_OK && analyzed && options->verify)
        status = append_transfers(&other, logged.transfers, source->trace, err);
    source_close(source);
    transfer_log_free(logged.transfers);
    if (status == STATUS_OK) status = append_violations(&other, &violations, err);
    TRY(status);
    *same = strcmp(text, other) == 0;
    while (text[at] && text[at] == other[at]) at++;
    if (!*same)
        snprintf(what, SAME_RESULT_BYTES, "%zu calls at a time: ...%.160s... instead of ...%.160s...", calls,
                 from_difference(other, at), from_difference(text, at));
    free(other);
    return STATUS_OK;
}

static enum status compare(const struct trace *trace, const struct analyze_options *options, bool *same,
                           char what[SAME_RESULT_BYTES], struct err *err)
{
    static const size_t sizes[] = {1, 2, 7, 40, 300};
    char *text;
    *same = true;
    TRY(whole_result(trace, options, &text, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && *same && i < sizeof sizes / sizeof *sizes; i++) {
        struct trace_source source;
        status = source_of_trace(trace, &source, err);
        if (status == STATUS_OK) status = same_result(&source, options, sizes[i], text, same, what, err);
    }
    free(text);
    return status;
}

/* By iterations of a function that rank 0 calls in the middle. */
static enum status compare_iterations(const struct trace *trace, bool *same, char what[SAME_RESULT_BYTES], struct err *err)
{
    struct analyze_options of_iterations = same_options;
    const struct trace_rank *rank = &trace->ranks[0];
    if (trace->rank_count == 0 || rank->count == 0) return STATUS_OK;
    const struct trace_call *middle = &rank->calls[rank->count / 2];
    const bool region = call_is_region(middle->call);
    of_iterations.iterations = region ? trace->definitions.regions[middle->region.region] : call_name(middle->call);
    return compare(trace, &of_iterations, same, what, err);
}

enum status same_in_slices(const struct trace *trace, bool *same, char what[SAME_RESULT_BYTES], struct err *err)
{
    struct analyze_options of_section = same_options;
    struct section section;
    TRY(compare(trace, &same_options, same, what, err));
    if (*same) TRY(compare(trace, &same_by_callpath, same, what, err));
    if (*same) TRY(compare_iterations(trace, same, what, err));
    of_section.section = (struct section_marks){.callpath = "*[eu]*", .without_init = true};
    of_section.filter.callpath = of_section.section.callpath;
    if (!*same || section_find(trace, &of_section.section, &section, NULL) != STATUS_OK) return STATUS_OK;
    of_section.filter.section = &section;
    enum status status = compare(trace, &of_section, same, what, err);
    section_clear(&section);
    return status;
}
