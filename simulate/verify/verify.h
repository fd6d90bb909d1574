/* The laws that every simulation must keep (docs/simulation.md, "What must always hold"), checked on one replay and its
 * outcome. What a law needs beyond them (repeated replays, other semantics) runs in child processes. */
#ifndef SIMULATE_VERIFY_VERIFY_H
#define SIMULATE_VERIFY_VERIFY_H

#include <stdio.h>

#include "simulate/replay/replay.h"

enum verify_state { VERIFY_HOLDS, VERIFY_BROKEN, VERIFY_NOT_APPLICABLE };

enum { VERIFY_ROWS_MAX = 20, VERIFY_DETAIL_BYTES = 320 };

struct verify_row {
    int law; /* its number in docs/simulation.md */
    const char *name;
    enum verify_state state;
    uint64_t checked, breaches;
    char detail[VERIFY_DETAIL_BYTES]; /* holds: what was looked at; broken: the first breach; not applicable: why */
};

struct verify_report {
    struct verify_row rows[VERIFY_ROWS_MAX];
    size_t count;
};

/* outcome is what replay_run(trace, platform, options) gave with keep_trace. A process that has run an engine of the
 * kind "once per process" cannot verify: make the outcome with apart_replay (simulate/verify/apart.h). STATUS_OK
 * whether the laws hold or not. */
enum status verify_run(const struct trace *trace, const struct platform *platform, const struct replay_options *options,
                       const struct replay_outcome *outcome, struct verify_report *report, struct err *err);

/* No row is broken. */
bool verify_holds(const struct verify_report *report);

/* A line per row; only_broken: those that are broken. */
void verify_print(const struct verify_report *report, bool only_broken, FILE *out);
const char *verify_state_name(enum verify_state state);

#endif
