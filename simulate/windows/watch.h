/* Calls that wait for another rank's operation to take effect: OpenSHMEM's waits for a write. */
#ifndef SIMULATE_WINDOWS_WATCH_H
#define SIMULATE_WINDOWS_WATCH_H

#include "simulate/windows/state.h"

/* A write that a wait of the recording waited for. */
struct watch {
    uint32_t origin, waiter; /* ranks */
    size_t call;             /* of the origin */
    bool arrived;
    int64_t arrived_ps; /* when it took effect */
};

/* Makes replay.watches: of operations on this window. */
enum status replay_prepare_watches(struct replay *replay, int32_t window);
void replay_clear_watches(struct replay *replay);
/* The operation has taken effect at its target, at that time. May wake who waits. */
void replay_take_effect(struct replay *replay, uint32_t op, int64_t at_ps);
/* What the loaded call of the rank waits for; NULL: not known. */
const struct watch *replay_watch_of(const struct replay *replay, uint32_t rank);

#endif
