/* What an analysis in slices writes down of a trace for what looks backwards: every call's times and place, every wait,
 * and when transfers are under way. From it come root causes, the critical path and overlap (model/causes/backward_replay.h).
 *
 *   ledger_new; for each slice ledger_add_calls, ledger_add_waits, ledger_add_transfers; ledger_sum; the reports */
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

struct ledger;

/* trace is borrowed until ledger_free; NULL is legal there. */
enum status ledger_new(const struct trace *trace, struct ledger **ledger, struct err *err);
void ledger_free(struct ledger *ledger);

/* The new calls of a slice. intervals may be NULL: rows then know none. */
enum status ledger_add_calls(struct ledger *ledger, const struct callpaths *paths, const struct intervals *intervals,
                             struct err *err);
/* What is counted in this round. */
enum status ledger_add_waits(struct ledger *ledger, const struct waits *waits, struct err *err);
enum status ledger_add_transfers(struct ledger *ledger, const struct transfers *transfers, struct err *err);

/* Of one part of an analysis (model/shards/shards.h), whose ranks' calls alone are added: all parts need all waits. From
 * ledger_tell on those added are kept for the others in ledger_told(), which the caller empties. */
void ledger_tell(struct ledger *ledger);
struct bytes *ledger_told(struct ledger *ledger);
enum status ledger_add_mark(struct ledger *ledger, const struct mark *mark, struct err *err);

/* No more is added. end_ps: per rank the exit of its last call, INT64_MIN: it has none. */
enum status ledger_sum(struct ledger *ledger, const struct provisional *provisional, const int64_t *end_ps,
                       struct err *err);
/* How long the waits lasted that root causes are shares of: those that the filter lets through. */
wide_ps ledger_waited_ps(const struct ledger *ledger);
enum status ledger_report_causes(struct ledger *ledger, struct shares *causes, struct shares *path, struct err *err);

/* What a rank did in one way, with computing before it; busy: of which transfers were under way. */
struct ledger_row {
    uint32_t rank, kind; /* of the ledger: all zero before the first row */
    enum mpi_call call, as; /* as: whose time it is (model/match/collective_requests.h) */
    uint32_t interval, gap_interval;
    int64_t call_ps, gap_ps, call_busy_ps, gap_busy_ps;
};

/* The next row of an all-zero struct; false behind the last one. After ledger_sum. */
bool ledger_next_row(const struct ledger *ledger, struct ledger_row *row);

#endif
