/* Waits of one call for the locks, or the progress, of several targets that are in different shards
 * (model/shards/shards.h). Only the longest of them counts, so they are counted once all shards have sent theirs. */
#ifndef MODEL_SHARDS_SEVERAL_H
#define MODEL_SHARDS_SEVERAL_H

#include "model/efficiency/caused.h"
#include "model/waits/finding.h"
#include "model/efficiency/intervals.h"
#include "model/waits/wait_profile.h"

enum { SEVERAL_NOBODY = INT32_MAX };

struct several_wait {
    struct wait_place place;
    uint32_t interval;  /* of the call */
    uint32_t cause;     /* the interval of the call that ends the wait, or CAUSED_NOWHERE */
    uint64_t event;     /* number of the call among its rank's calls */
    int64_t from_ps;    /* where the wait begins inside the call */
    int64_t release_ps; /* until when it waits, and for whom */
    int64_t exit_ps;    /* of the call */
    uint32_t holder;    /* SEVERAL_NOBODY: this shard does not know it */
    bool counted;       /* the filter passes it */
};

/* All-zero is empty. */
struct several {
    const struct intervals *intervals; /* borrowed; NULL: not needed */
    struct several_wait *items;
    size_t count, capacity;
};

void several_clear(struct several *several);
enum status several_add(struct several *several, const struct wait_profile *profile, const struct trace *trace,
                        const struct finding *finding, bool counted, struct err *err);
/* Keeps, per call and pattern, the longest wait; of equal ones the one for the lowest rank, then the one added
 * first. */
enum status several_choose(struct several *several, struct err *err);

#endif
