/* The backward replay: root causes, the critical path and overlap (docs/patterns.md), in one pass over the logs
 * (model/causes/call_log.h, model/causes/wait_log.h) from the end of the trace to its begin. The memory does not grow with
 * the length of the trace.
 *
 * A location is a thread (model/match/timelines.h). At any time each location has one activity, and carries the waits
 * that it causes. A wait is charged to its cause, the location that is waited for. While the cause waits itself, the wait is
 * charged to the location that the cause waits for. The critical path is on one location at a time: it runs backwards from
 * the location that ends last; at a wait it continues on the one that ended the wait; at a location's first call, on the
 * one that created it. Its length is the run time. A location's sums grow when the replay reaches its previous call, or
 * when the set of waits that it carries changes. */
#ifndef MODEL_CAUSES_BACKWARD_REPLAY_H
#define MODEL_CAUSES_BACKWARD_REPLAY_H

#include "common/wide.h"
#include "model/causes/critical_path.h"
#include "model/causes/wait_log.h"
#include "model/causes/call_log.h"
#include "trace/trace.h"

enum backward_part { BACKWARD_CALL, BACKWARD_GAP, BACKWARD_PARTS };
enum { BACKWARD_BEGIN_KIND = 0 }; /* the kind of computing before a location's first call */
enum { CAUSES_MOST_HOPS = 64 };   /* chains of waits are followed up to this length */
static const uint32_t BACKWARD_NOBODY = UINT32_MAX;

struct backward_sums {
    wide_ps cause_ps[BACKWARD_PARTS]; /* time of waits caused in calls of the kind, and in computing after them */
    int64_t path_ps[BACKWARD_PARTS];  /* time of the critical path, likewise */
    /* Time in calls of the kind, and in computing before them, during which transfers were in progress. */
    int64_t busy_ps[BACKWARD_PARTS];
};

struct backward_location_sums {
    struct backward_sums *kinds; /* owned */
    size_t count, capacity;
};

struct backward_location {
    bool starts_late; /* the time before its first call is no computing that overlaps */
    uint32_t creator; /* BACKWARD_NOBODY: it has none */
    int64_t first_ps; /* the enter of its first call, if it has a creator */
    uint32_t next;    /* the next location on the same processor, of which transfers are in progress together; a ring */
};

struct backward_replay {
    uint32_t location_count;
    const struct backward_location *locations; /* borrowed, as the others */
    struct call_log *call_log;
    struct external_sort *wait_log;
    const bool *refuted; /* by doubt: waits that depend on a refuted doubt are ignored; [FINDING_CERTAIN] is false */
    struct critical_path *path; /* gets the parts of the critical path; NULL: not needed */
    int64_t begin_ps;
    const int64_t *end_ps; /* by location: exit of its last call; below begin_ps: it has none */
};

/* *sums has one element per location; the caller frees it with backward_sums_free(). *waited_ps (may be NULL) is the total
 * time of counted waits. */
enum status backward_replay_run(const struct backward_replay *replay, struct backward_location_sums **sums,
                                wide_ps *waited_ps, struct err *err);
void backward_sums_free(struct backward_location_sums *sums, uint32_t location_count);

#endif
