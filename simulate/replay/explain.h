/* The text of a deadlock: who waits for what. Drivers say it of their calls (struct call_driver.explain_wait); what is said
 * first is shown, WAITERS_SHOWN things per rank. */
#ifndef SIMULATE_REPLAY_EXPLAIN_H
#define SIMULATE_REPLAY_EXPLAIN_H

#include <stdio.h>

#include "simulate/replay/state.h"

enum { EXPLANATION_BYTES = 640, WAITERS_SHOWN = 4 };

/* named: how many things the waiter at hand waits for, of which WAITERS_SHOWN are shown. */
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

/* One of the things that the waiter at hand waits for. */
#define EXPLAIN_ONE(text, ...)                                                                                         \
    do {                                                                                                               \
        if ((text)->named++ < WAITERS_SHOWN) {                                                                         \
            EXPLAIN(text, "%s", (text)->named > 1 ? " and" : "");                                                      \
            EXPLAIN(text, __VA_ARGS__);                                                                                \
        }                                                                                                              \
    } while (0)

/* Ranks of the communicator that are not in the same call. */
void replay_explain_absent(struct replay *replay, const struct trace_call *call, struct explanation *text);

#endif
