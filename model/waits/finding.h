/* What a detector found: one wait of one rank in one call, and what ended it. */
#ifndef MODEL_WAITS_FINDING_H
#define MODEL_WAITS_FINDING_H

#include <stddef.h>
#include <stdint.h>

#include "model/waits/totals.h"

#define FINDING_NO_CALL SIZE_MAX

struct finding {
    enum pattern pattern;
    uint32_t rank; /* that waits */
    size_t call;   /* in which it waits */
    int64_t severity_ps;
    /* The call of the other side that the wait lasts for, and when that call releases it; cause_call is FINDING_NO_CALL
     * where no single call does. The wait lasts from enter(call) or from_ps, whichever is later, to until_ps. */
    uint32_t cause_rank;
    size_t cause_call;
    int64_t from_ps, until_ps;
    /* Non-blocking messages: time from the call that starts to the wait that ends it, as it is and as advised. */
    int64_t distance_ps, advised_ps;
    int64_t earlier_ps; /* how much earlier the other side's call is of use */
};

#endif
