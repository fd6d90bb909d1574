#include "simulate/rma/steps.h"

struct steps_run steps_run(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    const uint32_t index = replay_member_index(replay, call->handle, rank);
    return (struct steps_run){replay, rank, index, state, call, &replay->members[index]};
}

enum step steps_walk(const struct steps_run *run, const struct steps_list *list, const struct step_row rows[DO_COUNT])
{
    for (;;) {
        const uint8_t phase = run->state->phase;
        const unsigned place = (unsigned)phase - PHASE_STEPS;
        if (place / STEP_PARTS >= list->count) return STEP_EXIT;
        enum step (*part)(const struct steps_run *) = rows[list->steps[place / STEP_PARTS]].parts[place % STEP_PARTS];
        run->state->phase++;
        const enum step step = part ? part(run) : STEP_AGAIN;
        if (step == STEP_BLOCK || step == STEP_WAIT) run->state->phase = phase;
        if (step != STEP_AGAIN) return step;
    }
}

enum step steps_pay(const struct steps_run *run, int64_t cost_ps)
{
    return replay_spend(run->replay, run->state, cost_ps, run->state->phase);
}
