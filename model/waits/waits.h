/* A list of all waits, each with the time in which it lasts for a call of another rank. Efficiency sums them; root
 * causes and the critical path follow them. */
#ifndef MODEL_WAITS_WAITS_H
#define MODEL_WAITS_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"
#include "model/waits/finding.h"
#include "trace/trace.h"

struct wait {
    int64_t severity_ps;
    int64_t from_ps, until_ps; /* inside the call; equal if no cause is known */
    uint32_t rank, cause_rank;
    size_t call, cause_call;
    uint16_t pattern;
    uint16_t thread, cause_thread;
    uint16_t doubt; /* of its finding */
    bool counted; /* the filter passes it */
};

struct waits {
    struct wait *items; /* after waits_sort: by rank, thread, call; those of one thread are disjoint */
    size_t count, capacity;
};

/* All-zero is the empty list. */
void waits_clear(struct waits *waits);
/* Adds a wait that is not part of another one. */
enum status waits_add(struct waits *waits, const struct trace *trace, const struct finding *finding, bool counted,
                      struct err *err);
void waits_sort(struct waits *waits);

#endif
