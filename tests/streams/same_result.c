#include "tests/streams/same_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/stream.h"

const struct analyze_options same_options = {.late_post = LATE_POST_LATEST,
                                               .eager_bytes = 65536,
                                               .close_ps = INT64_C(10000000),
                                               .intervals = true};

enum status text_of_result(enum status status, struct result *result, const struct err *fault, char **text,
                           struct err *err)
{
    cJSON *json;
    if (status != STATUS_OK) {
        *text = strdup(fault->text);
        return *text ? STATUS_OK : err_memory(err);
    }
    efficiency_free(result->efficiency);
    result->efficiency = NULL;
    status = result_to_json(result, &json, err);
    result_free(result);
    TRY(status);
    *text = cJSON_Print(json);
    cJSON_Delete(json);
    return *text ? STATUS_OK : err_memory(err);
}

enum status whole_result(const struct trace *trace, char **text, struct err *err)
{
    struct result *result = NULL;
    struct err fault;
    enum status status = model_analyze(trace, &same_options, &result, &fault);
    return text_of_result(status, result, &fault, text, err);
}

/* Begins some bytes before the first difference. */
static const char *from_difference(const char *text, size_t at)
{
    return text + (at > 60 ? at - 60 : 0);
}

enum status same_result(struct trace_source *source, size_t calls, const char *text, bool *same,
                        char what[SAME_RESULT_BYTES], struct err *err)
{
    struct result *result = NULL;
    struct err fault;
    char *other;
    size_t at = 0;
    enum status status = model_stream(source, &same_options, calls, &result, &fault);
    source_close(source);
    TRY(text_of_result(status, result, &fault, &other, err));
    *same = strcmp(text, other) == 0;
    while (text[at] && text[at] == other[at]) at++;
    if (!*same)
        snprintf(what, SAME_RESULT_BYTES, "%zu calls at a time: ...%.160s... instead of ...%.160s...", calls,
                 from_difference(other, at), from_difference(text, at));
    free(other);
    return STATUS_OK;
}

enum status same_in_slices(const struct trace *trace, bool *same, char what[SAME_RESULT_BYTES], struct err *err)
{
    static const size_t sizes[] = {1, 2, 7, 40, 300};
    char *text;
    *same = true;
    TRY(whole_result(trace, &text, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && *same && i < sizeof sizes / sizeof *sizes; i++) {
        struct trace_source source;
        status = source_of_trace(trace, &source, err);
        if (status == STATUS_OK) status = same_result(&source, sizes[i], text, same, what, err);
    }
    free(text);
    return status;
}
