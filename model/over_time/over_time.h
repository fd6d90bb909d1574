/* Sums by time of the run: calls, waits and transfers in at most so many slices of equal width. One pass suffices, though the
 * end of the run is not known before: bins double their width whenever the run outgrows them, so memory does not grow with its
 * length. Times are integers, and a width depends on the end of the run alone. So the sums over all slices are the totals, and
 * do not depend on the order of adding.
 *
 * Instead of time it may be iterations of the program: then a call, with its waits and transfers, is in one as a whole. */
#ifndef MODEL_OVER_TIME_OVER_TIME_H
#define MODEL_OVER_TIME_OVER_TIME_H

#include "model/match/timelines.h"
#include "model/result/result.h"
#include "model/transfers/bounds.h"
#include "model/waits/finding.h"
#include "model/waits/section.h"
#include "trace/trace.h"

struct over_time;
struct analyze_options;

/* Of options->over_time slices; borrows options->iterations. over_time_free(NULL) is legal. */
enum status over_time_new(uint32_t rank_count, const struct analyze_options *options, struct over_time **over_time,
                          struct err *err);
void over_time_free(struct over_time *over_time);

/* Comes first with the calls of each round. section: of ranks' time; NULL: the whole run. */
enum status over_time_go_on(struct over_time *over_time, const struct trace *trace, const struct section *section,
                            struct err *err);
/* Of a call of the round; 0 where iterations are not counted, or over_time is NULL. */
uint32_t over_time_iteration(const struct over_time *over_time, uint32_t rank, size_t index);

/* Where the wait lasts in time, since the first event: up to the call that ends it, or from the begin of its own call on. */
enum status over_time_add_wait(struct over_time *over_time, const struct trace *trace, const struct finding *finding,
                               struct err *err);
void over_time_add_call(struct over_time *over_time, const struct trace *trace, uint32_t rank, size_t index);
/* In the slice in which it starts. */
void over_time_add_transfer(struct over_time *over_time, const struct transfer *transfer);

/* Sets result->over_time without the waits whose doubt is refuted. all_calls: every call was added, so that the rest of the time
 * is user code. Nothing may be added afterwards. STATUS_DATA: there are no iterations. */
enum status over_time_report(struct over_time *over_time, const bool *refuted, const struct timelines *timelines,
                             const struct section *section, bool all_calls, struct result *result, struct err *err);

#endif
