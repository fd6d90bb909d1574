/* The text of a deadlock: who waits for what. Drivers explain the waits of their calls (struct
 * call_driver.explain_wait). Per rank the first WAITERS_SHOWN reasons are shown. */
#ifndef SIMULATE_REPLAY_EXPLAIN_H
#define SIMULATE_REPLAY_EXPLAIN_H

#include <stdio.h>

#include "simulate/replay/state.h"

enum { EXPLANATION_BYTES = 640, WAITERS_SHOWN = 4 };

/* named: number of reasons of the current waiter, of which WAITERS_SHOWN are shown. */
struct explanation {
    char bytes[EXPLANATION_BYTES];
    size_t used;
    uint32_t named;
};

#define EXPLAIN(text, ...)                                                                                             \
    do {                                                                                                               \
        int added_ = snprintf((text)->bytes + (text)->used, EXPLANATION_BYTES - (text)->used, __VA_ARGS__);            \
        (text)->used += added_ > 0 ? (size_t)added_ : 0;                                                               \
        if ((text)->used >= EXPLANATION_BYTES) (text)->used = EXPLANATION_BYTES - 1;                                   \
    } while (0)

/* Adds one reason of the current waiter. */
#define EXPLAIN_ONE(text, ...)                                                                                         \
    do {                                                                                                               \
        if ((text)->named++ < WAITERS_SHOWN) {                                                                         \
            EXPLAIN(text, "%s", (text)->named > 1 ? " and" : "");                                                      \
            EXPLAIN(text, __VA_ARGS__);                                                                                \
        }                                                                                                              \
    } while (0)

/* Reports (replay_options.stopped) why the call never returns, or why its data never leave. */
void replay_report_stopped(struct replay *replay, uint32_t rank, size_t call, const struct explanation *why);
/* Adds the ranks of the communicator that are not in the same call. */
void replay_explain_absent(struct replay *replay, const struct trace_call *call, struct explanation *text);

#endif
