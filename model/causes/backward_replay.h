/* Root causes, the critical path and overlap of a trace that was written down (model/causes/call_log.h, model/causes/wait_log.h), in one
 * sweep from its end to its begin: the same sums as of model/causes/causes.h and model/causes/busy.h, in memory that the trace's
 * length has no part in.
 *
 * At any time each rank does one thing. It carries the waits that end in it: a wait counts for the rank that is waited
 * for, and where that one waits itself, for the next. The critical path is on one rank. Sums grow when a rank goes on
 * to its call before, or when what it carries changes. */
#ifndef MODEL_CAUSES_BACKWARD_REPLAY_H
#define MODEL_CAUSES_BACKWARD_REPLAY_H

#include "common/wide.h"
#include "model/causes/wait_log.h"
#include "model/causes/call_log.h"
#include "trace/trace.h"

enum sweep_part { SWEEP_CALL, SWEEP_GAP, SWEEP_PARTS };
enum { SWEEP_BEGIN_KIND = 0 }; /* of no call: computing before a rank's first one */

struct sweep_sums {
    wide_ps cause_ps[SWEEP_PARTS]; /* that waits lasted, in calls of the kind and computing behind them */
    int64_t path_ps[SWEEP_PARTS];  /* of the critical path, likewise */
    int64_t busy_ps[SWEEP_PARTS];  /* while transfers were under way, in calls of the kind and computing before them */
};

struct sweep_rank_sums {
    struct sweep_sums *kinds; /* owned */
    size_t count, capacity;
};

struct sweep {
    const struct trace *trace; /* NULL, or: foreign ranks have no sums, their calls are not there */
    uint32_t rank_count;
    struct spill *spill; /* borrowed, as the others */
    struct marks *marks;
    const bool *refuted; /* by enum mpi_call: waits in them are none */
    int64_t begin_ps;
    const int64_t *end_ps; /* per rank: exit of its last call; below begin_ps: it has none */
};

/* *sums: one per rank, which the caller frees with sweep_sums_free; *waited_ps (may be NULL): how long counted waits
 * lasted. */
enum status sweep_run(const struct sweep *sweep, struct sweep_rank_sums **sums, wide_ps *waited_ps, struct err *err);
void sweep_sums_free(struct sweep_rank_sums *sums, uint32_t rank_count);

#endif
