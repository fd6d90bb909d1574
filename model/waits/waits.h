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
    size_t *rank_first; /* rank_count + 1 indices; NULL before waits_sort */
};

/* All-zero is the empty list. */
void waits_clear(struct waits *waits);
/* Adds a wait that is not part of another one. */
enum status waits_add(struct waits *waits, const struct trace *trace, const struct finding *finding, bool counted,
                      struct err *err);
enum status waits_sort(struct waits *waits, uint32_t rank_count, struct err *err);

/* The range first..end - 1 in items of the waits of a thread, or of one call of a thread. */
void waits_of_thread(const struct waits *waits, uint32_t rank, uint32_t thread, size_t *first, size_t *end);
void waits_of_call(const struct waits *waits, uint32_t rank, uint32_t thread, size_t call, size_t *first, size_t *end);

#endif
