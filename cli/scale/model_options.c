#include "cli/scale/model_options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/memory_text.h"
#include "predictors/transforms/transform.h"
#include "trace/program_model/edit.h"

/* "run4.rma:n=1000", unless there is a file of that name. *value 0: the name has no value. */
static error_t split_trace(const struct argp_state *state, char *argument, struct model_options *options, int64_t *value)
{
    char *colon = strrchr(argument, ':'), *number;
    *value = 0;
    if (!colon || access(argument, F_OK) == 0 || !(number = cli_split_assignment(colon + 1))) return 0;
    if (options->parameter && strcmp(options->parameter, colon + 1) != 0)
        return cli_usage(state, "the parameters %s and %s, expected the same one for all traces", options->parameter, colon + 1);
    options->parameter = colon + 1;
    *colon = '\0';
    return cli_count(state, options->parameter, number, 1, SCALE_PARAMETER_MAX, value);
}

static error_t add_trace(const struct argp_state *state, char *argument, struct model_options *options)
{
    int64_t value;
    struct err err;
    error_t failed = split_trace(state, argument, options, &value);
    if (failed) return failed;
    size_t count = options->traces.count;
    if (array_reserve((void **)&options->values, &options->value_capacity, count + 1, sizeof value, &err) != STATUS_OK)
        return ENOMEM;
    options->values[count] = value;
    return cli_add_string(state, &options->traces, argument);
}

error_t model_options_parse(int key, char *argument, const struct argp_state *state, struct model_options *options)
{
    if (key == ARGP_KEY_ARG) return add_trace(state, argument, options);
    if (key != MODEL_OPTION_PARAMETER) return ARGP_ERR_UNKNOWN;
    char *value = cli_split_assignment(argument);
    if (!value) return cli_usage(state, "--parameter %s, expected NAME=VALUE", argument);
    if (options->set_count == MODEL_CHANGES_MAX) return cli_usage(state, "more than %d --parameter", MODEL_CHANGES_MAX);
    options->set[options->set_count].name = argument;
    options->set[options->set_count++].value = value;
    return 0;
}

error_t model_options_end(const struct argp_state *state, const struct model_options *options)
{
    if (options->traces.count == 0) return cli_usage(state, "TRACE... is missing");
    for (size_t i = 0; options->parameter && i < options->traces.count; i++)
        if (options->values[i] == 0)
            return cli_usage(state, "%s has no %s, expected %s:%s=VALUE as of the other traces", options->traces.items[i],
                             options->parameter, options->traces.items[i], options->parameter);
    return 0;
}

void model_options_clear(struct model_options *options)
{
    FREE_ALL(options->traces.items, options->values);
}

enum status model_options_open_runs(const struct model_options *options, enum trace_computing computing, run_opener *opener,
                                    const void *context, struct trace **traces, struct err *err)
{
    bool without = false;
    for (size_t i = 0; i < options->traces.count; i++) {
        TRY(opener(context, options->traces.items[i], computing, &traces[i], err));
        without = without || traces[i]->provenance.without_core_waits;
    }
    for (size_t i = 0; without && computing == COMPUTING_DEFAULT && i < options->traces.count; i++) {
        if (traces[i]->provenance.without_core_waits || !traces[i]->provenance.core_waits) continue;
        trace_free(traces[i]);
        traces[i] = NULL;
        TRY(opener(context, options->traces.items[i], COMPUTING_UNDISTURBED, &traces[i], err));
    }
    return STATUS_OK;
}

struct scale_runs model_options_runs(const struct model_options *options, struct trace *const *traces)
{
    return (struct scale_runs){.traces = (const struct trace *const *)traces,
                               .count = options->traces.count,
                               .parameter = options->parameter,
                               .values = options->values};
}

enum status model_options_fold(uint32_t threads, uint32_t cores, struct trace **trace, struct err *err)
{
    char spec[32];
    const char *const specs[] = {spec};
    struct rewrite rewrite;
    if (threads == 0) return STATUS_OK;
    snprintf(spec, sizeof spec, "threads:%u@%u", threads, cores < threads ? cores : threads);
    TRY(rewrite_run(*trace, specs, 1, &rewrite, err));
    trace_free(*trace);
    *trace = rewrite.trace;
    rewrite.trace = NULL;
    rewrite_clear(&rewrite);
    return STATUS_OK;
}

enum status model_options_apply(const struct model_options *options, struct program_model *model, struct err *err)
{
    for (size_t i = 0; i < options->set_count; i++)
        TRY(program_model_set_parameter(model, options->set[i].name, options->set[i].value, err));
    return STATUS_OK;
}

enum status model_options_doubts(const struct program *program, const struct program_model *model, const uint32_t *ranks,
                                 size_t count, char **text, struct err *err)
{
    struct memory_text made;
    *text = NULL;
    TRY(memory_text_open(&made, err));
    enum status status = STATUS_OK;
    int64_t *values = calloc(count + 1, sizeof *values);
    if (!values) status = err_memory(err);
    for (size_t i = 0; status == STATUS_OK && program->parameter && i < count; i++) {
        double value;
        status = program_model_parameter(model, program->parameter, ranks[i], &value, err);
        if (status == STATUS_OK) values[i] = (int64_t)value;
    }
    if (status == STATUS_OK) status = program_print_doubts(program, ranks, values, count, made.out, err);
    free(values);
    TRY(memory_text_close(&made, status, err));
    if (made.bytes > 0)
        *text = made.text;
    else
        free(made.text);
    return STATUS_OK;
}
