/* Sums by time of the run: calls, waits and transfers in at most so many slices of equal width. One pass suffices, though the
 * end of the run is not known before: bins double their width whenever the run outgrows them, so memory does not grow with its
 * length. Times are integers, and a width depends on the end of the run alone. So the sums over all slices are the totals, and
 * do not depend on the order of adding. */
#ifndef MODEL_WAITS_OVER_TIME_H
#define MODEL_WAITS_OVER_TIME_H

#include "model/match/timelines.h"
#include "model/result/result.h"
#include "model/transfers/bounds.h"
#include "model/waits/finding.h"
#include "model/waits/section.h"
#include "trace/trace.h"

struct over_time;

/* over_time_free(NULL) is legal. */
enum status over_time_new(uint32_t rank_count, size_t slices, struct over_time **over_time, struct err *err);
void over_time_free(struct over_time *over_time);

/* Where the wait lasts in time, since the first event: up to the call that ends it, or from the begin of its own call on. */
enum status over_time_add_wait(struct over_time *over_time, const struct trace *trace, const struct finding *finding,
                               struct err *err);
void over_time_add_call(struct over_time *over_time, const struct trace *trace, uint32_t rank, const struct trace_call *call);
/* In the slice in which it starts. */
void over_time_add_transfer(struct over_time *over_time, const struct trace *trace, const struct transfer *transfer);

/* Sets result->over_time without the waits whose doubt is refuted. section: of ranks' time; NULL: the whole run. all_calls: every
 * call was added, so that the rest of the time is user code. Nothing may be added afterwards. */
enum status over_time_report(struct over_time *over_time, const bool *refuted, const struct timelines *timelines,
                             const struct section *section, bool all_calls, struct result *result, struct err *err);

#endif
