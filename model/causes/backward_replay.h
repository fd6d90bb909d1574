/* The backward replay: root causes, the critical path and overlap, in one pass over the logs (model/causes/call_log.h,
 * model/causes/wait_log.h) from the end of the trace to its begin. The sums are those of model/causes/causes.h and
 * model/causes/busy.h. The memory does not grow with the length of the trace.
 *
 * At any time each rank has one activity, and carries the waits that it causes. A wait is charged to its cause, the
 * rank that is waited for. While the cause waits itself, the wait is charged to the rank that the cause waits for. The
 * critical path is on one rank at a time. A rank's sums grow when the replay reaches its previous call, or when the set
 * of waits that it carries changes. */
#ifndef MODEL_CAUSES_BACKWARD_REPLAY_H
#define MODEL_CAUSES_BACKWARD_REPLAY_H

#include "common/wide.h"
#include "model/causes/wait_log.h"
#include "model/causes/call_log.h"
#include "trace/trace.h"

enum backward_part { BACKWARD_CALL, BACKWARD_GAP, BACKWARD_PARTS };
enum { BACKWARD_BEGIN_KIND = 0 }; /* the kind of computing before a rank's first call */

struct backward_sums {
    wide_ps cause_ps[BACKWARD_PARTS]; /* time of waits caused in calls of the kind, and in computing after them */
    int64_t path_ps[BACKWARD_PARTS];  /* time of the critical path, likewise */
    /* Time in calls of the kind, and in computing before them, during which transfers were in progress. */
    int64_t busy_ps[BACKWARD_PARTS];
};

struct backward_rank_sums {
    struct backward_sums *kinds; /* owned */
    size_t count, capacity;
};

struct backward_replay {
    const struct trace *trace; /* if not NULL: foreign ranks, whose calls are missing, have no sums */
    uint32_t rank_count;
    struct call_log *call_log; /* borrowed, as the others */
    struct wait_log *wait_log;
    const bool *refuted; /* by doubt: waits that depend on a refuted doubt are ignored; [FINDING_CERTAIN] is false */
    int64_t begin_ps;
    const int64_t *end_ps; /* per rank: exit of its last call; below begin_ps: it has none */
};

/* *sums has one element per rank; the caller frees it with backward_sums_free(). *waited_ps (may be NULL) is the total
 * time of counted waits. */
enum status backward_replay_run(const struct backward_replay *replay, struct backward_rank_sums **sums,
                                wide_ps *waited_ps, struct err *err);
void backward_sums_free(struct backward_rank_sums *sums, uint32_t rank_count);

#endif
