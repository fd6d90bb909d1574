/* Everything that is summed over a trace, whole or in slices: integers, and what does not depend on the order of
 * adding. */
#ifndef MODEL_WAITS_SEVERITY_H
#define MODEL_WAITS_SEVERITY_H

#include "common/wide.h"
#include "model/waits/totals.h"
#include "model/analyze.h"
#include "model/behaviour/behaviour.h"
#include "model/transfers/bounds.h"
#include "model/match/fences.h"
#include "model/result/notes.h"
#include "model/waits/wait_profile.h"
#include "model/waits/properties.h"
#include "model/waits/provisional.h"
#include "model/transfers/rates.h"
#include "model/shards/several.h"
#include "model/waits/waits.h"
#include "model/behaviour/window_creations.h"

struct severity {
    const struct analyze_options *options; /* borrowed */
    struct totals totals;
    struct wait_profile profile;
    struct rates rates;
    struct notes notes;
    struct fence_pairs fence_pairs;
    struct behaviour behaviour;
    struct window_creations creations;
    wide_ps times_ps[PROPERTY_COUNT];
    int64_t *inside_ps; /* per rank: in calls */
    struct provisional provisional; /* of slices, but votes */
    struct several several;         /* of parts */
    bool parted;                    /* other parts have the rest */
};

/* Inits *severity for a trace, which is borrowed until severity_clear. */
enum status severity_init(struct severity *severity, const struct trace *trace, const struct analyze_options *options,
                          struct err *err);
void severity_clear(struct severity *severity);

/* Adds a whole trace, or of a slice what is final now. waits and transfers (both may be NULL) get all waits and
 * transfers that are added; the caller clears them. */
enum status severity_add(struct severity *severity, const struct relations *relations, struct waits *waits,
                         struct transfers *transfers, struct err *err);

/* All slices are added: counts the votes of this part (model/behaviour/group_votes.h). Of several parts each hears
 * those of the others before they are decided on. */
void severity_vote(struct severity *severity);

/* Adds what shows at the end of the trace, which relations hold; of each part before the sums of parts are merged
 * (model/shards/shards.h). */
enum status severity_end(struct severity *severity, const struct relations *relations, struct err *err);
/* Moves the sums into result. timelines: of the trace, which holds its end. */
enum status severity_report(struct severity *severity, const struct timelines *timelines, struct result *result,
                            struct err *err);

#endif
