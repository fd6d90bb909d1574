#include "trace/program_model/ranks.h"

static enum status add_calls(struct program_run *run, struct run_rank *state, struct err *err)
{
    struct trace_call call;
    bool ended;
    for (;;) {
        TRY(run_rank_next(run, state, &call, &ended, err));
        if (ended) return STATUS_OK;
        if (run->room-- == 0) return run_too_long(run, err);
        TRY(run_rank_add(run, state, &call, err));
    }
}

enum status program_run_add_rank(struct program_run *run, uint32_t rank, struct err *err)
{
    struct run_rank state;
    TRY(run_rank_open(run, rank, &state, err));
    enum status status = add_calls(run, &state, err);
    run_rank_clear(&state);
    return status;
}

enum status program_ranks_open(const struct program_model *model, const struct program_model_options *options,
                               struct program_ranks *ranks, struct err *err)
{
    *ranks = (struct program_ranks){.first_ps = INT64_MAX};
    TRY(program_run_open(model, options, &ranks->run, err));
    ranks->run.trace->begin_known = true; /* 0 before the last rank: a model's times are 0 or more */
    return STATUS_OK;
}

enum status program_ranks_make(void *context, uint32_t rank, struct err *err)
{
    struct program_ranks *ranks = context;
    struct trace *trace = ranks->run.trace;
    struct trace_rank *process = &trace->ranks[rank];
    ranks->run.room = PROGRAM_CALLS_MAX;
    trace_pass_memory(trace, ranks->last, process);
    ranks->last = process;
    TRY(program_run_add_rank(&ranks->run, rank, err));
    TRY(trace_check_whole_rank(trace, rank, err));
    if (process->count > 0 && process->calls[0].enter_ps < ranks->first_ps) ranks->first_ps = process->calls[0].enter_ps;
    if (rank + 1 == trace->rank_count && ranks->first_ps < INT64_MAX) trace->begin_ps = ranks->first_ps;
    return STATUS_OK;
}

void program_ranks_close(struct program_ranks *ranks)
{
    program_run_clear(&ranks->run);
}
