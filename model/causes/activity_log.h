/* What an analysis in slices writes down of a trace for what looks backwards: every call's times and place, every wait,
 * and when transfers are under way. From it come root causes, the critical path and overlap
 * (model/causes/backward_replay.h).
 *
 *   activity_log_new; for each slice activity_log_add_calls, activity_log_add_waits, activity_log_add_transfers;
 * activity_log_sum; the reports */
#ifndef MODEL_CAUSES_ACTIVITY_LOG_H
#define MODEL_CAUSES_ACTIVITY_LOG_H

#include "common/bytes.h"
#include "common/wide.h"
#include "model/transfers/bounds.h"
#include "model/callpaths/callpath.h"
#include "model/efficiency/intervals.h"
#include "model/causes/wait_log.h"
#include "model/waits/provisional.h"
#include "model/callpaths/time_profile.h"
#include "model/waits/waits.h"

struct activity_log;

/* trace is borrowed until activity_log_free; NULL is legal there. */
enum status activity_log_new(const struct trace *trace, struct activity_log **log, struct err *err);
void activity_log_free(struct activity_log *log);

/* The new calls of a slice. intervals may be NULL: rows then know none. */
enum status activity_log_add_calls(struct activity_log *log, const struct callpaths *paths,
                                   const struct intervals *intervals, struct err *err);
/* What is counted in this round. */
enum status activity_log_add_waits(struct activity_log *log, const struct waits *waits, struct err *err);
enum status activity_log_add_transfers(struct activity_log *log, const struct transfers *transfers, struct err *err);

/* For a shard of an analysis (model/shards/shards.h). A shard adds the calls of its own ranks only, but needs the waits
 * of all. From activity_log_keep_new_waits on, waits added are also kept in activity_log_new_waits() to be sent to the
 * other shards; the caller empties it. */
void activity_log_keep_new_waits(struct activity_log *log);
struct bytes *activity_log_new_waits(struct activity_log *log);
enum status activity_log_add_wait(struct activity_log *log, const struct wait_log_row *row, struct err *err);

/* No more is added. end_ps: per rank the exit of its last call, INT64_MIN: it has none. */
enum status activity_log_sum(struct activity_log *log, const struct provisional *provisional, const int64_t *end_ps,
                             struct err *err);
/* How long the waits lasted that root causes are shares of: those that the filter lets through. */
wide_ps activity_log_waited_ps(const struct activity_log *log);
enum status activity_log_report_causes(struct activity_log *log, struct time_profile *causes, struct time_profile *path,
                                       struct err *err);

/* What a rank did in one way, with computing before it; busy: of which transfers were under way. */
struct activity_log_row {
    uint32_t rank, kind;    /* of the log: all zero before the first row */
    enum mpi_call call, as; /* as: whose time it is (model/match/collective_requests.h) */
    uint32_t interval, gap_interval;
    int64_t call_ps, gap_ps, call_busy_ps, gap_busy_ps;
};

/* The next row of an all-zero struct; false behind the last one. After activity_log_sum. */
bool activity_log_next_row(const struct activity_log *log, struct activity_log_row *row);

#endif
