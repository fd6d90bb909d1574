/* program_model_make() of trace/program_model/program_model.h: all calls of all ranks. */
#include "trace/program_model/ranks.h"

static enum status make_run(struct program_run *run, struct err *err)
{
    run->room = PROGRAM_CALLS_MAX;
    for (uint32_t rank = 0; rank < run->options.ranks; rank++) TRY(program_run_add_rank(run, rank, err));
    return trace_check(run->trace, err);
}

enum status program_model_make(const struct program_model *model, const struct program_model_options *options,
                               struct trace **trace, struct err *err)
{
    struct program_run run;
    TRY(program_run_open(model, options, &run, err));
    enum status status = make_run(&run, err);
    if (status == STATUS_OK) {
        *trace = run.trace;
        run.trace = NULL;
    }
    program_run_clear(&run);
    return status;
}
