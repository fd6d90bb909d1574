/* The laws that every simulation must obey (docs/simulation.md, "What must always hold"), checked on one replay and its
 * outcome. Repeated replays and replays with other semantics run in child processes. */
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
    char detail[VERIFY_DETAIL_BYTES]; /* holds: what was checked; broken: the first breach; not applicable: why */
};

struct verify_report {
    struct verify_row rows[VERIFY_ROWS_MAX];
    size_t count;
};

/* outcome: of replay_run(trace, platform, options) with keep_trace. A process that has run an engine with
 * once_per_process cannot verify: use child_replay for the outcome (simulate/verify/child_replay.h). STATUS_OK whether
 * the laws hold or not. */
enum status verify_run(const struct trace *trace, const struct platform *platform, const struct replay_options *options,
                       const struct replay_outcome *outcome, struct verify_report *report, struct err *err);

/* Whether no row is broken. */
bool verify_holds(const struct verify_report *report);

/* Prints a line per row; only_broken: only those that are broken. */
void verify_print(const struct verify_report *report, bool only_broken, FILE *out);
const char *verify_state_name(enum verify_state state);

#endif
