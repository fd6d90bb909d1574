/* How much later each call could come without a longer run. A replay in which the call comes very late tells by how much it comes
 * too late; a second one, with the rest as delay, confirms it. */
#ifndef PREDICTORS_SENSITIVITY_SLACK_H
#define PREDICTORS_SENSITIVITY_SLACK_H

#include "predictors/sensitivity/run_time.h"

struct slack_call {
    uint32_t rank;
    uint64_t event; /* of the rank, from 1 */
    const char *call; /* static */
    double slack_s;
};

struct slack {
    struct slack_call *calls; /* owned, by rank, then event: those of ranks with one thread */
    size_t count, zero;
    double smallest_s;   /* the least above 0; NAN: there is none */
    uint32_t left_out;   /* ranks with several threads, whose calls have none */
};

/* Replays two or three times for each call, on all processors. Inits *slack. */
enum status slack_find(struct replays *replays, struct slack *slack, struct err *err);
void slack_clear(struct slack *slack);

#endif
