#include "trace/program_model/source.h"

#include <stdlib.h>

#include "common/scramble.h"
#include "common/units.h"

enum {
    CALLS_AT_ONCE = 16,
    RANKS_ASKED = 16, /* of a survey */
};

/* Makes the next calls of a rank, without checking them. */
static enum status make_calls(struct program_source *source, uint32_t rank, struct err *err)
{
    struct trace *trace = source->run.trace;
    struct trace_rank *process = &trace->ranks[rank];
    struct trace_call call;
    bool ended = false;
    process->first_event += process->count;
    process->count = 0;
    TRY(trace_reserve_calls(trace, rank, CALLS_AT_ONCE, err));
    while (process->count < CALLS_AT_ONCE) {
        TRY(run_rank_next(&source->run, &source->ranks[rank], &call, &ended, err));
        if (ended) break;
        TRY(run_rank_add(&source->run, &source->ranks[rank], &call, err));
    }
    if (ended) run_rank_clear(&source->ranks[rank]); /* it remains ended, since its depth is 0 */
    return STATUS_OK;
}

static enum status check_calls(struct program_source *source, uint32_t rank, struct err *err)
{
    struct trace *trace = source->run.trace;
    return trace->ranks[rank].count > 0 ? trace_check_rank(source->checker, trace, rank, true, err) : STATUS_OK;
}

enum status program_source_next(void *context, uint32_t rank, struct err *err)
{
    TRY(make_calls(context, rank, err));
    return check_calls(context, rank, err);
}

static bool has_flag(const struct statement *statements, size_t count, uint16_t flag)
{
    for (size_t i = 0; i < count; i++) {
        const struct statement *statement = &statements[i];
        if (statement->call.flags & flag || has_flag(statement->body, statement->body_count, flag) ||
            has_flag(statement->other, statement->other_count, flag))
            return true;
    }
    return false;
}

static bool calls_finalize(const struct statement *statements, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct statement *statement = &statements[i];
        bool is_open = statement->kind == STATEMENT_BLOCK && !statement->reduced && !statement->when.operations;
        if (is_open && calls_finalize(statement->body, statement->body_count)) return true;
        if (statement->kind == STATEMENT_CALL && !statement->when.operations && call_kind(statement->call.call) == CALL_FINALIZE)
            return true;
    }
    return false;
}

/* Whether the replay of some statement needs the calls of all ranks at once. */
static bool needs_whole_run(const struct statement *statements, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct statement *statement = &statements[i];
        enum call_kind kind = statement->kind == STATEMENT_CALL ? call_kind(statement->call.call) : CALL_LOCAL;
        if ((kind >= CALL_GATHERV && kind <= CALL_NEIGHBOR) || kind >= CALL_SHMEM_PUT ||
            needs_whole_run(statement->body, statement->body_count) || needs_whole_run(statement->other, statement->other_count))
            return true;
    }
    return false;
}

bool program_source_possible(const struct program_model *model)
{
    return !needs_whole_run(model->statements, model->statement_count);
}

static enum status open_source(struct program_source *source, struct err *err)
{
    const struct program_model *model = source->run.model;
    struct trace *trace = source->run.trace;
    for (size_t i = 0; i < model->computing_count; i++) source->sleeps = source->sleeps || model->computings[i].slept > 0;
    source->finalizes = calls_finalize(model->statements, model->statement_count);
    trace->skips_checks = has_flag(model->statements, model->statement_count, TRACE_NOCHECK);
    source->ranks = calloc((size_t)trace->rank_count + 1, sizeof *source->ranks);
    if (!source->ranks) return err_memory(err);
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) TRY(run_rank_open(&source->run, rank, &source->ranks[rank], err));
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) TRY(make_calls(source, rank, err));
    trace->begin_ps = trace_begin_ps(trace);
    trace->begin_known = true;
    TRY(trace_checker_new(trace, &source->checker, err));
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) TRY(check_calls(source, rank, err));
    return STATUS_OK;
}

enum status program_source_open(const struct program_model *model, const struct program_model_options *options,
                                struct program_source *source, struct err *err)
{
    *source = (struct program_source){.ranks = NULL};
    TRY(program_run_open(model, options, &source->run, err));
    enum status status = open_source(source, err);
    if (status != STATUS_OK) program_source_close(source);
    return status;
}

void program_source_close(struct program_source *source)
{
    uint32_t count = source->run.trace ? source->run.trace->rank_count : 0;
    for (uint32_t rank = 0; source->ranks && rank < count; rank++) run_rank_clear(&source->ranks[rank]);
    free(source->ranks);
    trace_checker_free(source->checker);
    program_run_clear(&source->run);
    *source = (struct program_source){.ranks = NULL};
}

/* Adds the computing of a rank that has ended, by its numbers of executions. */
static enum status add_computing(struct program_run *run, const struct run_rank *state, struct program_survey *survey,
                                 struct err *err)
{
    survey->computing_s += units_s(state->plain_ps);
    for (size_t i = 0; i < run->model->computing_count; i++) {
        double mean_s, error;
        if (state->executions[i] == 0) continue;
        TRY(run_computing_mean(run, state->rank, i, &mean_s, &error, err));
        survey->computing_s += mean_s * state->executions[i];
        if (survey->computings_s) survey->computings_s[i] += mean_s * state->executions[i];
        survey->error += mean_s * state->executions[i] * error; /* seconds until all ranks are added */
    }
    return STATUS_OK;
}

static enum status survey_rank(struct program_run *run, uint32_t rank, struct program_survey *survey, struct err *err)
{
    struct run_rank state;
    struct trace_call call;
    bool ended = false;
    TRY(run_rank_open(run, rank, &state, err));
    enum status status = STATUS_OK;
    run->room = PROGRAM_CALLS_MAX;
    while (status == STATUS_OK && !ended) {
        status = run_rank_next(run, &state, &call, &ended, err);
        survey->calls += !ended;
    }
    if (status == STATUS_OK) status = add_computing(run, &state, survey, err);
    run_rank_clear(&state);
    return status;
}

enum status program_source_survey(const struct program_model *model, const struct program_model_options *options,
                                  struct program_survey *survey, struct err *err)
{
    struct program_run run;
    TRY(program_run_open(model, options, &run, err));
    *survey = (struct program_survey){.computings_s = survey->computings_s};
    for (size_t i = 0; survey->computings_s && i < model->computing_count; i++) survey->computings_s[i] = 0;
    enum status status = STATUS_OK;
    uint32_t ranks = run.options.ranks, asked = ranks < RANKS_ASKED ? ranks : RANKS_ASKED;
    for (uint32_t i = 0; status == STATUS_OK && i < asked; i++)
        status = survey_rank(&run, asked == ranks ? i : (uint32_t)(scramble_bits(i) % ranks), survey, err);
    program_run_clear(&run);
    if (survey->computing_s > 0) survey->error /= survey->computing_s;
    survey->calls *= (double)ranks / asked;
    survey->computing_s /= asked;
    for (size_t i = 0; survey->computings_s && i < model->computing_count; i++) survey->computings_s[i] /= asked;
    return status;
}
