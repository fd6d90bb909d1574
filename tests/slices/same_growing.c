#include "tests/slices/same_growing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predictors/prediction.h"
#include "tests/slices/late_source.h"

/* An error that a prediction with a recording has makes the command repeat it without one: its text may be another. */
static const char any_error[] = "an error";

static enum status predict_text(const struct prediction *asked, char **text, struct err *err)
{
    struct prediction prediction = *asked;
    struct err fault = {.text = ""};
    struct result *result = NULL;
    enum status status = prediction_run(&prediction, &fault);
    if (status == STATUS_OK) {
        if (!prediction.keep_trace && prediction.outcome.trace)
            return err_set(err, STATUS_DATA, NULL, NULL, "the predicted trace is kept");
        result = prediction.result;
        prediction.result = NULL;
        result->wall_s = 0;
        result->peak_bytes = 0;
        prediction_clear(&prediction);
    }
    if (asked->recording && status == STATUS_DATA) snprintf(fault.text, sizeof fault.text, "%s", any_error);
    return text_of_result(status, result, &fault, text, err);
}

static enum status compare(struct prediction *asked, bool *same, char what[SAME_RESULT_BYTES], struct err *err)
{
    static const size_t sizes[] = {1, 3, 20, 0};
    char *whole;
    asked->keep_trace = true;
    TRY(predict_text(asked, &whole, err));
    asked->keep_trace = false;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && status == STATUS_OK && *same; i++) {
        char *text;
        size_t at = 0;
        asked->slice_calls = sizes[i];
        status = predict_text(asked, &text, err);
        if (status != STATUS_OK) break;
        *same = strcmp(text, whole) == 0;
        while (text[at] && text[at] == whole[at]) at++;
        at = at > 60 ? at - 60 : 0;
        if (!*same)
            snprintf(what, SAME_RESULT_BYTES, "while it is made, %zu calls at a time: ...%.160s... instead of ...%.160s...",
                     sizes[i], text + at, whole + at);
        free(text);
    }
    free(whole);
    return status;
}

static enum status compare_with(struct prediction *asked, const char *whole, bool *same, char what[SAME_RESULT_BYTES],
                                struct err *err)
{
    char *text;
    size_t at = 0;
    TRY(predict_text(asked, &text, err));
    *same = strcmp(text, any_error) == 0 ? *whole != '{' : strcmp(text, whole) == 0;
    while (text[at] && text[at] == whole[at]) at++;
    at = at > 60 ? at - 60 : 0;
    if (!*same)
        snprintf(what, SAME_RESULT_BYTES, "from a file, %zu calls at a time: ...%.160s... instead of ...%.160s...",
                 asked->recording->next_calls, text + at, whole + at);
    free(text);
    return STATUS_OK;
}

/* A recording that is read, and replayed, so many calls at a time. */
static enum status compare_recording(struct prediction *asked, size_t calls, const char *whole, bool *same, bool *held,
                                     char what[SAME_RESULT_BYTES], struct err *err)
{
    const struct recording_options options = {.decides_again = asked->platform->decide == DECIDE_AGAIN,
                                              .most_bytes = INT64_MAX,
                                              .read_calls = calls,
                                              .next_calls = calls};
    struct prediction of_file = *asked;
    struct trace_source source;
    TRY(late_source_of_trace(asked->trace, &source, err));
    TRY(recording_open(&source, &options, &of_file.recording, err));
    *held = !of_file.recording;
    if (*held) return STATUS_OK;
    of_file.trace = of_file.recording->trace;
    enum status status = compare_with(&of_file, whole, same, what, err);
    if (status == STATUS_OK && *same) status = compare_with(&of_file, whole, same, what, err); /* from its begin again */
    recording_close(of_file.recording);
    return status;
}

static enum status compare_recordings(struct prediction *asked, bool *same, bool *held, char what[SAME_RESULT_BYTES],
                                      struct err *err)
{
    static const size_t sizes[] = {1, 3, 100};
    struct prediction of_view = *asked;
    struct trace *view;
    char *whole;
    TRY(trace_computing_view(asked->trace, COMPUTING_DEFAULT, &view, err));
    of_view.trace = view;
    of_view.keep_trace = true;
    enum status status = predict_text(&of_view, &whole, err);
    trace_computing_view_free(view);
    TRY(status);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && status == STATUS_OK && *same; i++)
        status = compare_recording(asked, sizes[i], whole, same, held, what, err);
    free(whole);
    return status;
}

enum status same_while_made(const struct trace *trace, const struct platform *platform, bool *same, bool *held,
                            char what[SAME_RESULT_BYTES], struct err *err)
{
    bool in_memory = true;
    struct analyze_options options = same_options;
    options.verify = false;
    struct prediction asked = {.trace = trace, .platform = platform, .engine = engine_by_name("loggp")};
    *same = true;
    if (held) *held = true;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (trace->ranks[r].thread_count > 0) return STATUS_OK; /* is always kept */
    TRY(compare(&asked, same, what, err));
    asked.slice_calls = 0;
    if (*same) TRY(compare_recordings(&asked, same, &in_memory, what, err));
    if (held) *held = in_memory;
    asked.analyze = &options;
    if (*same) TRY(compare(&asked, same, what, err));
    asked.slice_calls = 0;
    return *same ? compare_recordings(&asked, same, &in_memory, what, err) : STATUS_OK;
}
