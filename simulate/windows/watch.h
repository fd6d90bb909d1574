/* Calls that wait for another rank's operation to take effect: OpenSHMEM's waits for a write. */
#ifndef SIMULATE_WINDOWS_WATCH_H
#define SIMULATE_WINDOWS_WATCH_H

#include "simulate/windows/state.h"

/* A write for which a wait of the recording waited. */
struct watch {
    uint32_t origin, waiter; /* ranks */
    size_t call;             /* of the origin */
    bool arrived;
    int64_t arrived_ps; /* when it took effect */
};

/* Makes replay.watches for the operations on this window. */
enum status replay_prepare_watches(struct replay *replay, int32_t window);
void replay_clear_watches(struct replay *replay);
/* The operation took effect at its target at at_ps. May wake the rank that waits for it. */
void replay_take_effect(struct replay *replay, uint32_t op, int64_t at_ps);
/* The write for which the rank's current call waits; NULL: not known. */
const struct watch *replay_watch_of(const struct replay *replay, uint32_t rank);

#endif
