/* Which rows of polls can become waits, so that no rank waits for ever. */
#ifndef PREDICTORS_TRANSFORMS_POLL_ORDER_H
#define PREDICTORS_TRANSFORMS_POLL_ORDER_H

#include "trace/trace.h"

struct poll_wait { /* a call cannot go on until another rank is behind its call `write` */
    uint32_t rank, origin;
    size_t call, write;
    int64_t at_ps;
    const char *refused; /* why it would never end; NULL: it ends */
};

/* Sets *refused of waits, which are by rank and call. The trace has passed trace_check(). */
enum status poll_order_check(const struct trace *trace, struct poll_wait *waits, size_t count, struct err *err);

#endif
