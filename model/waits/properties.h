/* The tree of simple properties: seconds by kind of call, summed over ranks. Rows: model/waits/properties.def. */
#ifndef MODEL_WAITS_PROPERTIES_H
#define MODEL_WAITS_PROPERTIES_H

#include "common/map.h"
#include "common/wide.h"
#include "model/waits/totals.h"
#include "model/match/timelines.h"
#include "model/result/result.h"
#include "trace/trace.h"

enum property {
#define PROPERTY(ID, NAME, TITLE, PARENT) PROPERTY_##ID,
#include "model/waits/properties.def"
#undef PROPERTY
    PROPERTY_COUNT
};

struct property_row {
    const char *name, *title;
    enum property parent; /* of the root: itself */
};
const struct property_row *property_row(enum property property);
/* The row of that name; NULL for an unknown one. */
const struct property_row *property_by_name(const char *name);

/* 0 for the root. */
int property_depth(enum property property);

/* The property to which the time of a call counts that completes no request. kind is not a user region. */
enum property property_of(enum call_kind kind);

/* Wait for Progress as a simulated trace states it, as far as it is in the call. */
int64_t properties_progress_ps(const struct trace_rank *rank, size_t call);

/* The time of a call by property. A wait or test for requests counts as the function that made them (request_makers.h); Wait for
 * Progress in it, which a simulated trace states, counts as that of one-sided operations, which it is. Any part may be 0. */
enum { PROPERTY_PARTS = 2 };
struct property_part {
    enum property property;
    int64_t ps;
};
/* Takes a rank's calls in their order, without user regions; makers is an empty map before the first one. */
enum status properties_of_call(struct map *makers, const struct trace *trace, uint32_t rank, size_t call,
                               struct property_part parts[PROPERTY_PARTS], struct err *err);

/* Adds the durations of a trace's calls, or of a slice those of its new ones, to their properties. makers: a map of each rank,
 * which is empty before the first slice. */
enum status properties_add(const struct trace *trace, struct map *makers, wide_ps times_ps[PROPERTY_COUNT], struct err *err);

/* The summed life of a rank's threads: thread 0 from time zero, other threads from their first event, each to its last
 * event. */
int64_t properties_life_ps(const struct timelines *timelines, uint32_t rank, int64_t zero_ps);

/* Appends all properties, in tree order, at the end of the trace. times_ps comes from properties_add(). The wait states
 * in totals are subtracted from the exclusive times. */
enum status properties_report(const struct timelines *timelines, const wide_ps times_ps[PROPERTY_COUNT],
                              const struct totals *totals, struct result *result, struct err *err);

#endif
