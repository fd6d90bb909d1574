/* The time of calls by MPI function and place in the program, with the wait states in them; and the time of user code by rank. */
#ifndef MODEL_WAITS_CALL_TIMES_H
#define MODEL_WAITS_CALL_TIMES_H

#include "model/callpaths/time_profile.h"
#include "model/match/timelines.h"
#include "model/waits/disturbance.h"
#include "model/waits/filter.h"
#include "model/over_time/over_time.h"
#include "model/waits/wait_profile.h"

/* Adds the calls of a whole trace, or the new ones of a slice, that pass the filter, also to over_time, which may be NULL. */
enum status call_times_add(struct time_profile *times, const struct filter *filter, const struct trace *trace,
                           struct over_time *over_time, struct err *err);

/* Sets calls and init_s of a result that has its properties. Waits in doubt are decided. */
enum status call_times_report(struct time_profile *times, const struct wait_profile *waits, struct result *result,
                              struct err *err);

/* Sets user and unbalanced_s. inside: of each rank (model/waits/disturbance.h). */
void user_code_report(const struct timelines *timelines, const struct disturbance_inside *inside, struct result *result);

#endif
