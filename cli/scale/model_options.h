/* Shared by predict and model: traces with the value of a parameter, and options that change the program model. */
#ifndef CLI_SCALE_MODEL_OPTIONS_H
#define CLI_SCALE_MODEL_OPTIONS_H

#include "cli/cli.h"
#include "cli/files.h"
#include "predictors/scale/scale.h"
#include "trace/program_model/program_model.h"

enum { MODEL_OPTION_PARAMETER = 2100, MODEL_CHANGES_MAX = 64 };

#define MODEL_OPTIONS                                                                                                  \
    {                                                                                                                  \
        "parameter", MODEL_OPTION_PARAMETER, "NAME=VALUE", 0,                                                          \
            "give a parameter of the program a value, or an expression of nranks (that of the largest run)", 0         \
    }

struct model_options {
    struct cli_strings traces;
    int64_t *values;       /* owned, per trace: of the parameter; 0: not given */
    size_t value_capacity;
    const char *parameter; /* of the traces; NULL: none was given */
    struct {
        const char *name, *value;
    } set[MODEL_CHANGES_MAX];
    size_t set_count;
};

/* An argument TRACE or TRACE:NAME=VALUE, and MODEL_OPTION_PARAMETER. */
error_t model_options_parse(int key, char *argument, const struct argp_state *state, struct model_options *options);
error_t model_options_end(const struct argp_state *state, const struct model_options *options);
void model_options_clear(struct model_options *options);

/* Opens the traces, one per argument, which are NULL before; the caller frees them, also on failure. Runs of one program are
 * measured alike: where computing of some has no core waits by default, it has none in others of which they were recorded. */
typedef enum status run_opener(const void *context, const char *file, enum trace_computing computing, struct trace **trace,
                               struct err *err);
enum status model_options_open_runs(const struct model_options *options, enum trace_computing computing, run_opener *opener,
                                    const void *context, struct trace **traces, struct err *err);

/* Borrows traces, one per argument. */
struct scale_runs model_options_runs(const struct model_options *options, struct trace *const *traces);
/* The recording's parallel regions become computing of one thread, on so many threads (docs/transforms.md) of which as
 * many run at once as there are cores; threads 0: it stays. */
enum status model_options_fold(uint32_t threads, uint32_t cores, struct trace **trace, struct err *err);
enum status model_options_apply(const struct model_options *options, struct program_model *model, struct err *err);

/* Information on standard error: numbers of the program for which another function holds, too, and differs at these ranks.
 * The caller frees *text: a line each; NULL: there is none. */
enum status model_options_doubts(const struct program *program, const struct program_model *model, const uint32_t *ranks,
                                 size_t count, char **text, struct err *err);

#endif
