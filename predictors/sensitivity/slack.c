#include "predictors/sensitivity/slack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/children.h"
#include "common/units.h"
#include "simulate/computing/memory_bound.h"

enum { PART_CALLS = 64 }; /* of one rank, of one child process */
#define PROOF_PS INT64_C(1000000) /* a call that comes so much later than its slack lengthens the run */

struct part {
    uint32_t rank;
    size_t first, count;
};

struct search {
    struct replays *replays;
    struct slack *slack;
    struct part *parts;
    size_t count;
    struct err *err;
};

static bool has_slack(const struct trace_rank *rank)
{
    return rank->thread_count == 0;
}

struct delay { /* of a rank's call. The calls of the view are this process's own */
    struct replays *replays;
    const struct trace *view;
    uint32_t rank;
    size_t call;
};

static void move_calls(struct trace_rank *process, size_t call, int64_t by_ps)
{
    if (process->compute_ps && process->compute_ps[call] != TRACE_UNKNOWN_PS) process->compute_ps[call] += by_ps;
    for (size_t i = call; i < process->count; i++) {
        process->calls[i].enter_ps += by_ps;
        process->calls[i].exit_ps += by_ps;
    }
}

/* The run time if the call comes later; INT64_MAX: the run does not end then. */
static enum status delay_call(const struct delay *delay, int64_t later_ps, int64_t *run_time_ps, struct err *err)
{
    struct trace_rank *process = &delay->view->ranks[delay->rank];
    const size_t call = delay->call;
    const double speed = process->speed > 0 ? process->speed : 1;
    const struct platform *platform = delay->replays->platform;
    const struct node_group *group = platform_group_of(platform, platform_node_of(platform, delay->rank));
    struct memory_bound memory;
    TRY(memory_bound_find(delay->view, platform, &memory, err));
    int64_t recorded_ps = llround((double)later_ps * group->speed / (speed * memory_bound_factor(&memory, delay->rank)));
    memory_bound_clear(&memory);
    if (call > 0) recorded_ps += units_max_ps(delay->view->provenance.record_cost_ps - process->calls[call].enter_ps +
                                              process->calls[call - 1].exit_ps, 0); /* a gap is no shorter than 0 */
    move_calls(process, call, recorded_ps);
    enum status status = replays_run(delay->replays, delay->view, run_time_ps, NULL, err);
    move_calls(process, call, -recorded_ps);
    if (status != STATUS_DATA) return status;
    *run_time_ps = INT64_MAX;
    return STATUS_OK;
}

/* Between a delay that the run does not notice and one that it does. */
static enum status halve_delay(const struct delay *delay, int64_t high_ps, int64_t *low_ps, struct err *err)
{
    while (high_ps - *low_ps > PROOF_PS) {
        int64_t middle_ps = *low_ps + (high_ps - *low_ps) / 2, got_ps;
        TRY(delay_call(delay, middle_ps, &got_ps, err));
        *(got_ps > delay->replays->run_time_ps ? &high_ps : low_ps) = middle_ps;
    }
    return STATUS_OK;
}

/* From above, by as much as the run gets longer: in one step where it is convex. Where another order of messages or locks
 * makes it shorter again, by steps that double, and halving. */
static enum status find_slack(const struct delay *delay, int64_t *slack_ps, struct err *err)
{
    enum { STEPS_MOST = 8, PROOFS_MOST = 64 };
    const int64_t all_ps = delay->replays->run_time_ps;
    int64_t low_ps = all_ps, got_ps;
    for (int steps = 0; low_ps > 0; steps++) {
        TRY(delay_call(delay, low_ps, &got_ps, err));
        if (got_ps <= all_ps) break;
        low_ps = steps < STEPS_MOST ? units_max_ps(low_ps - (got_ps - all_ps), 0) : 0;
    }
    for (int64_t step_ps = PROOF_PS, steps = 0; steps < PROOFS_MOST; steps++) {
        TRY(delay_call(delay, low_ps + step_ps, &got_ps, err));
        if (got_ps <= all_ps) {
            low_ps += step_ps;
            step_ps *= 2;
        } else if (step_ps == PROOF_PS) {
            break;
        } else {
            TRY(halve_delay(delay, low_ps + step_ps, &low_ps, err));
            step_ps = PROOF_PS;
        }
    }
    *slack_ps = low_ps;
    return STATUS_OK;
}

static enum status find_part(void *context, size_t index, FILE *out, struct err *err)
{
    struct search *search = context;
    const struct part *part = &search->parts[index];
    const struct trace *trace = search->replays->trace;
    struct trace view = *trace;
    view.begin_known = true;
    view.begin_ps = trace_begin_ps(trace);
    for (size_t i = 0; i < part->count; i++) {
        const struct delay delay = {search->replays, &view, part->rank, part->first + i};
        int64_t slack_ps;
        TRY(find_slack(&delay, &slack_ps, err));
        if (fwrite(&slack_ps, sizeof slack_ps, 1, out) != 1)
            return err_set(err, STATUS_SYSTEM, NULL, NULL, "the answer cannot be written");
    }
    return STATUS_OK;
}

static void add_calls(struct search *search, const struct part *part, const int64_t *slack_ps)
{
    struct slack *slack = search->slack;
    for (size_t i = 0; i < part->count; i++) {
        const struct trace_call *call = &search->replays->trace->ranks[part->rank].calls[part->first + i];
        const double slack_s = units_s(slack_ps[i]);
        slack->calls[slack->count++] =
            (struct slack_call){part->rank, part->first + i + 1, call_name((enum mpi_call)call->call), slack_s};
        slack->zero += slack_ps[i] == 0;
        if (slack_ps[i] > 0) slack->smallest_s = fmin(slack->smallest_s, slack_s);
    }
}

static enum status make_parts(struct search *search)
{
    const struct trace *trace = search->replays->trace;
    size_t calls = 0, most = trace->rank_count;
    for (uint32_t r = 0; r < trace->rank_count; r++) calls += trace->ranks[r].count;
    search->parts = calloc(most + calls / PART_CALLS + 1, sizeof *search->parts);
    search->slack->calls = calloc(calls + 1, sizeof *search->slack->calls);
    if (!search->parts || !search->slack->calls) return err_memory(search->err);
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const size_t count = trace->ranks[r].count;
        search->slack->left_out += !has_slack(&trace->ranks[r]);
        for (size_t first = 0; has_slack(&trace->ranks[r]) && first < count; first += PART_CALLS)
            search->parts[search->count++] =
                (struct part){r, first, count - first < PART_CALLS ? count - first : PART_CALLS};
    }
    return STATUS_OK;
}

static enum status run_parts(struct search *search)
{
    struct child_answer *answers = calloc(search->count + 1, sizeof *answers);
    if (!answers) return err_memory(search->err);
    enum status status = children_run(find_part, search, search->count, 0, answers, search->err);
    for (size_t i = 0; status == STATUS_OK && i < search->count; i++) {
        status = answers[i].status;
        if (status != STATUS_OK && search->err) *search->err = answers[i].err;
        if (status == STATUS_OK) add_calls(search, &search->parts[i], (const int64_t *)(const void *)answers[i].data);
    }
    child_answers_clear(answers, search->count);
    free(answers);
    return status;
}

enum status slack_find(struct replays *replays, struct slack *slack, struct err *err)
{
    struct search search = {.replays = replays, .slack = slack, .err = err};
    *slack = (struct slack){.smallest_s = NAN};
    enum status status = make_parts(&search);
    if (status == STATUS_OK) status = run_parts(&search);
    free(search.parts);
    if (status != STATUS_OK) slack_clear(slack);
    return status;
}

void slack_clear(struct slack *slack)
{
    free(slack->calls);
    *slack = (struct slack){.count = 0};
}
