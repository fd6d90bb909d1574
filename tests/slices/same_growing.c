#include "tests/slices/same_growing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predictors/prediction.h"

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

enum status same_while_made(const struct trace *trace, const struct platform *platform, bool *same,
                            char what[SAME_RESULT_BYTES], struct err *err)
{
    struct analyze_options options = same_options;
    options.verify = false;
    struct prediction asked = {.trace = trace, .platform = platform, .engine = engine_by_name("loggp")};
    *same = true;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (trace->ranks[r].thread_count > 0) return STATUS_OK; /* is always kept */
    TRY(compare(&asked, same, what, err));
    asked.analyze = &options;
    return *same ? compare(&asked, same, what, err) : STATUS_OK;
}
