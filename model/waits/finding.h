/* What a detector found: one wait of one rank in one call, and what ended it. */
#ifndef MODEL_WAITS_FINDING_H
#define MODEL_WAITS_FINDING_H

#include <stddef.h>
#include <stdint.h>

#include "model/waits/totals.h"

#define FINDING_NO_CALL SIZE_MAX

enum { FINDING_CERTAIN = 0 };

struct finding {
    enum pattern pattern;
    uint32_t rank; /* the rank that waits */
    size_t call;   /* the call in which it waits */
    uint16_t doubt; /* FINDING_CERTAIN, or the doubt that it depends on (model/waits/provisional.h) */
    bool queues;    /* if it came later, others would be served before it */
    int64_t severity_ps;
    int64_t cost_ps; /* of severity_ps: what the call itself takes, which no move removes; 0: not known */
    /* The call of the other rank that the wait lasts for; FINDING_NO_CALL where no single call ends it. The wait lasts
     * from enter(call) or from_ps, whichever is later, to until_ps, when that call ends it. */
    uint32_t cause_rank;
    size_t cause_call;
    int64_t from_ps, until_ps;
    /* The distance from the call that starts the awaited event (the own non-blocking call, the own post, the other
     * side's post) to the call that waits. distance_ps is the actual one, advised_ps the one that would remove the
     * wait; 0: not known. */
    int64_t distance_ps, advised_ps;
    int64_t earlier_ps; /* how much earlier cause_call can usefully be: until the rank waits for another call instead */
};

#endif
