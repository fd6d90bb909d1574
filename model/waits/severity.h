/* Everything that is summed over a trace in slices. The sums do not depend on the order of adding. */
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
#include "model/waits/disturbance.h"
#include "model/over_time/over_time.h"
#include "model/callpaths/time_profile.h"
#include "model/waits/properties.h"
#include "model/waits/provisional.h"
#include "model/transfers/in_flight.h"
#include "model/transfers/rates.h"
#include "model/waits/waits.h"
#include "model/behaviour/window_creations.h"

struct severity {
    const struct analyze_options *options; /* borrowed */
    struct totals totals;
    struct wait_profile profile;
    struct time_profile calls; /* model/waits/call_times.h */
    struct rates rates;
    struct notes notes;
    struct fence_pairs fence_pairs;
    struct behaviour behaviour;
    struct window_creations creations;
    struct in_flight in_flight;
    struct map *request_makers; /* of each rank: model/match/request_makers.h */
    wide_ps times_ps[PROPERTY_COUNT];
    struct disturbance_inside *inside; /* per rank */
    struct provisional provisional;
    struct over_time *over_time; /* of options->over_time, else NULL */
};

/* Inits *severity for a trace, and borrows the trace until severity_clear(), which follows also on failure. All-zero is empty. */
enum status severity_init(struct severity *severity, const struct trace *trace, const struct analyze_options *options,
                          struct err *err);
void severity_clear(struct severity *severity);

/* Adds the calls of a slice that are final in this round. waits and transfers receive all waits and
 * transfers that are added; both may be NULL. The caller clears them. */
enum status severity_add(struct severity *severity, const struct relations *relations, struct waits *waits,
                         struct transfers *transfers, struct err *err);

/* After all slices: counts the votes (model/behaviour/group_votes.h). */
void severity_vote(struct severity *severity);

/* Adds what only the end of the trace shows; relations are those of the last slice. */
enum status severity_end(struct severity *severity, const struct relations *relations, struct err *err);
/* Moves the sums into result. timelines belong to the trace at its end. */
enum status severity_report(struct severity *severity, const struct timelines *timelines, struct result *result,
                            struct err *err);

#endif
