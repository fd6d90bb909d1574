/* Tags of messages where a call site uses many, as one per iteration, or others in other runs, as one per round of a ring: all of
 * them count as one tag, on all sites. Messages between two ranks are then matched in their order. A receive from MPI_PROC_NULL,
 * which has no tag, gets that of its site; where the site has several, they count as one, too. */
#ifndef PREDICTORS_SCALE_TAGS_H
#define PREDICTORS_SCALE_TAGS_H

#include "common/map.h"
#include "trace/trace.h"

struct tags {
    struct tags_site *sites; /* owned */
    size_t site_count, site_capacity;
    struct map by_site; /* misfit_hash() to place in sites */
    struct map merged;  /* tags that count as one */
    int32_t one;        /* of them, for all */
};

/* The caller clears *tags, also after an error. */
enum status tags_learn(const struct trace *const *traces, size_t count, struct tags *tags, struct err *err);
void tags_clear(struct tags *tags);

int32_t tags_find(const struct tags *tags, const struct trace *trace, const struct trace_call *call, int32_t tag);

#endif
