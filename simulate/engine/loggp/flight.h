/* A message on its way, from its sending to its delivery. */
#ifndef SIMULATE_ENGINE_LOGGP_FLIGHT_H
#define SIMULATE_ENGINE_LOGGP_FLIGHT_H

#include "simulate/engine/engine.h"
#include "simulate/engine/event_time.h"
#include "simulate/engine/lines.h"

enum { FLIGHT_NONE = 0 }; /* flight 0 is never used */

struct flight {
    struct event_time time; /* of the head's arrival, later of the message's */
    int64_t transmit_ps;
    struct engine_note note;
    int32_t dst_node;
    uint32_t next; /* in the list of an inbox, of a reception, or in the free list */
    union {
        uint32_t before;     /* in the list of an inbox */
        int32_t reverse_e9; /* as in engine_message; where there are receptions, no flight is in an inbox */
    };
    int32_t src_node;
    uint8_t effect; /* enum message_effect; EFFECT_ACTS: also of one that has been delivered */
    bool to_nic;    /* the receiving NIC has not received its head yet */
    bool in_heap;   /* of an inbox; before: the first child */
};
_Static_assert(sizeof(struct flight) == LINE_BYTES, "who delivers a message touches one cache line");

#endif
