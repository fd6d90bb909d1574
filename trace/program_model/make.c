/* program_model_make() of trace/program_model/program_model.h: all calls of all ranks. */
#include "trace/program_model/run.h"

/* 17 GB. */
enum { CALLS_MAX = 1 << 28 };

static enum status make_rank(struct program_run *run, struct run_rank *state, uint64_t *room, struct err *err)
{
    struct trace_call call;
    bool ended;
    for (;;) {
        TRY(run_rank_next(run, state, &call, &ended, err));
        if (ended) return STATUS_OK;
        if ((*room)-- == 0)
            return err_set(err, STATUS_DATA, run->model->file, NULL, "more than %d calls, expected fewer ranks or repetitions",
                           CALLS_MAX);
        TRY(trace_add_call(run->trace, state->rank, &call, err));
    }
}

static enum status make_run(struct program_run *run, struct err *err)
{
    uint64_t room = CALLS_MAX;
    for (uint32_t rank = 0; rank < run->options.ranks; rank++) {
        struct run_rank state;
        TRY(run_rank_open(run, rank, &state, err));
        enum status status = make_rank(run, &state, &room, err);
        run_rank_clear(&state);
        TRY(status);
    }
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
