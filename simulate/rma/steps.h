/* Runs lists of steps (platforms/steps.h): what a call of the library does is a list, and the rows of its driver say what each
 * step is. */
#ifndef SIMULATE_RMA_STEPS_H
#define SIMULATE_RMA_STEPS_H

#include "simulate/replay/walk.h"
#include "simulate/windows/window.h"

struct steps_run {
    struct replay *replay;
    uint32_t rank, index; /* index: of the member */
    struct rank_state *state;
    const struct trace_call *call;
    struct member *member;
};

/* The parts of one step, in their order: it begins, then waits. STEP_AGAIN, STEP_POLL, and STEP_SPEND by steps_pay(): the next
 * part follows. STEP_BLOCK, STEP_WAIT: the same part is called again. STEP_EXIT: the list ends. */
enum { STEP_PARTS = 3 };
struct step_row {
    enum step (*parts[STEP_PARTS])(const struct steps_run *); /* NULL: nothing */
};

enum { PHASE_ENTER, PHASE_STEPS }; /* PHASE_STEPS: the first part of the first step; each further part is one more */

struct steps_run steps_run(struct replay *replay, uint32_t rank);
/* Continues at rank.phase. STEP_EXIT: all steps have happened. */
enum step steps_walk(const struct steps_run *run, const struct steps_list *list, const struct step_row rows[DO_COUNT]);
/* What the part returns: it takes so long. */
enum step steps_pay(const struct steps_run *run, int64_t cost_ps);

#endif
