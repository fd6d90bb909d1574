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
    uint32_t rank; /* that waits */
    size_t call;   /* in which it waits */
    uint16_t doubt; /* FINDING_CERTAIN, or what it depends on (model/waits/provisional.h) */
    bool queues;    /* later it would be served behind others */
    int64_t severity_ps;
    /* The call of the other side that the wait lasts for, and when that call releases it; cause_call is FINDING_NO_CALL
     * where no single call does. The wait lasts from enter(call) or from_ps, whichever is later, to until_ps. */
    uint32_t cause_rank;
    size_t cause_call;
    int64_t from_ps, until_ps;
    /* Time from the call that starts what is waited for (the own non-blocking call, the own post, the other side's
     * post) to the call that waits, as it is and as would remove the wait; advised_ps is 0 where it is not known. */
    int64_t distance_ps, advised_ps;
    int64_t earlier_ps; /* how much earlier cause_call is of use: until it is not the last that the rank waits for */
};

#endif
