/* Stores, while slices are read, what the backward replay needs: times and place of every call, every wait, and the
 * times in which transfers are in progress. The replay computes root causes, the critical path and overlap
 * (model/causes/backward_replay.h).
 *
 *   activity_log_new; for each slice activity_log_add_calls, activity_log_add_waits, activity_log_add_transfers;
 * activity_log_sum; the reports */
#ifndef MODEL_CAUSES_ACTIVITY_LOG_H
#define MODEL_CAUSES_ACTIVITY_LOG_H

#include "common/wide.h"
#include "model/causes/critical_path.h"
#include "model/transfers/bounds.h"
#include "model/callpaths/callpath.h"
#include "model/efficiency/intervals.h"
#include "model/causes/wait_log.h"
#include "model/waits/provisional.h"
#include "model/callpaths/time_profile.h"
#include "model/waits/waits.h"

struct activity_log;

/* Borrows trace and locations until activity_log_free(). activity_log_free(NULL) is legal. */
enum status activity_log_new(const struct trace *trace, const struct locations *locations, struct activity_log **log,
                             struct err *err);
void activity_log_free(struct activity_log *log);

/* Adds the new calls of a slice. */
enum status activity_log_add_calls(struct activity_log *log, const struct callpaths *paths,
                                   const struct intervals *intervals, struct err *err);
/* Adds the waits and transfers that this round counts. */
enum status activity_log_add_waits(struct activity_log *log, const struct waits *waits, struct err *err);
enum status activity_log_add_transfers(struct activity_log *log, const struct transfers *transfers, struct err *err);

/* Runs the backward replay; nothing may be added afterwards. path (NULL: not needed) gets the critical path. */
enum status activity_log_sum(struct activity_log *log, const struct provisional *provisional, struct critical_path *path,
                             struct err *err);
/* After activity_log_sum(): on which processors the threads were; borrowed. */
const struct processors *activity_log_processors(const struct activity_log *log);
/* The total time of the waits that root causes are shares of: those that pass the filter. */
wide_ps activity_log_waited_ps(const struct activity_log *log);
/* Time of the critical path on the rank. */
double activity_log_path_s(const struct activity_log *log, uint32_t rank);
enum status activity_log_report_causes(struct activity_log *log, struct time_profile *causes, struct time_profile *path,
                                       struct err *err);

/* Time of a thread in calls of one kind (call_ps) and in computing before them (gap_ps); the busy figures are the parts
 * of these during which transfers were in progress: one-sided ones from their operation to their true end if the trace has
 * it, else to the upper bound of their end; non-blocking messages from their call to the wait that completes them. */
struct activity_log_row {
    uint32_t location, kind;    /* position in the log; all zero before the first row */
    enum mpi_call call, as; /* as: the function that the time counts for (model/match/request_makers.h) */
    uint32_t interval, gap_interval;
    int64_t call_ps, gap_ps, call_busy_ps, gap_busy_ps;
};

/* Reads the next row; *row begins all-zero. Returns false after the last row. To be called after activity_log_sum(). */
bool activity_log_next_row(const struct activity_log *log, struct activity_log_row *row);

#endif
