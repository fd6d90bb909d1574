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

struct tally {
    const struct analyze_options *options; /* borrowed */
    struct account account;
    struct places places;
    struct rates rates;
    struct notes notes;
    struct fence_pairs fence_pairs;
    struct behaviour behaviour;
    struct window_creations creations;
    wide_ps times_ps[PROPERTY_COUNT];
    struct provisional provisional; /* of slices */
    struct several several;         /* of parts */
    bool parted;                    /* other parts have the rest */
};

/* Inits *tally for a trace, which is borrowed until tally_clear. */
enum status tally_init(struct tally *tally, const struct trace *trace, const struct analyze_options *options,
                       struct err *err);
void tally_clear(struct tally *tally);

/* Adds a whole trace, or of a slice what is settled now. waits and transfers (both may be NULL) get all waits and
 * transfers that are added; the caller clears them. */
enum status tally_add(struct tally *tally, const struct relations *relations, struct waits *waits,
                      struct transfers *transfers, struct err *err);

/* Adds what shows at the end of the trace, which relations hold; of each part before the sums of parts are merged
 * (model/shards/shards.h). */
enum status tally_end(struct tally *tally, const struct relations *relations, struct err *err);
/* Moves the sums into result. lanes: of the trace, which holds its end. */
enum status tally_report(struct tally *tally, const struct lanes *lanes, struct result *result, struct err *err);

#endif
