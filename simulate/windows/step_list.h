/* The list of steps of a call, one by one, for who runs it. */
#ifndef SIMULATE_WINDOWS_STEP_LIST_H
#define SIMULATE_WINDOWS_STEP_LIST_H

#include <stdint.h>

#include "platforms/steps.h"

/* The ways to query are one step: struct call_steps says which. */
enum steps_step {
    DO_ISSUE, DO_LEFT, DO_ACKNOWLEDGED, DO_QUERY, DO_NOTIFY, DO_ASK, DO_GRANT, DO_RELEASE, DO_ANSWER, DO_BARRIER, DO_COUNTS,
    DO_INCOMING, DO_COUNT
};

enum { STEPS_MAX = 7 };
struct steps_list {
    uint8_t count, steps[STEPS_MAX]; /* enum steps_step */
};

/* In their order; `asserted` is none of them. */
struct steps_list steps_list(const struct call_steps *steps);

#endif
