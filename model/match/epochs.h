/* Epochs, their operations and their pairs (docs/patterns.md, "Event abstractions"; MPI-3.1 11.5).
 *
 * The epochs are built once per trace; indices are stable. An access epoch is start..complete, lock..unlock,
 * lock_all..unlock_all, or fence..fence with at least one operation. An exposure epoch is post..wait or
 * post..successful test. The exposure side of a fence epoch is the fence instance that closes it
 * (model/match/instances.h). On one window the n-th access epoch of origin l that names target k pairs with the n-th
 * exposure epoch of k that names l, in any order in time. */
#ifndef MODEL_MATCH_EPOCHS_H
#define MODEL_MATCH_EPOCHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/match/window_uses.h"
#include "trace/epoch_cursor.h"

struct access_epoch {
    enum epoch_kind kind; /* not EPOCH_POST */
    uint32_t rank;
    int32_t window;
    int32_t target;      /* of a lock, else TRACE_NONE */
    size_t open_call;    /* start, lock, lock_all, opening fence */
    size_t close_call;   /* complete, unlock, unlock_all, closing fence; EPOCH_NONE if the trace ends inside */
    size_t flush_call;   /* locks: the first flush of any kind after an operation; EPOCH_NONE */
    size_t open_number;  /* fence: the same of the opening call */
    size_t close_number; /* fence: the closing call is the rank's close_number-th fence on the window, from 0 */
    size_t pair_first;   /* start: pairs in the order of the group */
    uint32_t pair_count;
    size_t operation_count;
};

struct exposure_epoch {
    uint32_t rank;
    int32_t window;
    size_t post_call;
    size_t first_test; /* the first of the consecutive tests of this epoch; EPOCH_NONE if it has none */
    size_t close_call; /* wait or successful test; EPOCH_NONE if the trace ends inside */
    size_t link_first; /* links in the order of the group */
    uint32_t link_count;
};

/* One target of an access epoch. */
struct epoch_pair {
    size_t access, exposure; /* exposure is EPOCH_NONE if the target never posted */
    size_t previous; /* the latest earlier pair of the same two ranks and window that has an exposure; EPOCH_NONE */
    size_t last_operation;   /* call of the last operation to this target, EPOCH_NONE if there was none */
    int64_t bytes;           /* of the operations to this target */
};

/* One origin of an exposure epoch. */
struct epoch_link {
    size_t exposure, pair; /* pair is EPOCH_NONE if the origin has no access epoch */
};

struct epoch_operation {
    uint32_t origin;
    size_t call;
    size_t epoch;
    size_t first_flush; /* the first flush of any kind that covers it; EPOCH_NONE */
    size_t pair;      /* EPOCH_NONE under locks and fences */
    size_t done_call; /* under locks: the first call of the origin whose return shows that the operation is complete at
                         the target: a flush or the end of the epoch. For operations that return data also a local flush
                         or the wait for their request. EPOCH_NONE: there is none, or another kind of epoch */
};

struct epochs {
    struct access_epoch *accesses; /* by rank, then by opening (fences: by first operation) */
    size_t access_count, access_capacity;
    struct exposure_epoch *exposures; /* by rank, then by post */
    size_t exposure_count, exposure_capacity;
    struct epoch_pair *pairs;
    size_t pair_count, pair_capacity;
    struct epoch_link *links;
    size_t link_count, link_capacity;
    struct epoch_operation *operations; /* by origin, then call */
    size_t operation_count, operation_capacity;
};

/* Inits *epochs from a trace that has passed trace_check(), and adds its new calls to *uses. Returns STATUS_DATA with rank, event
 * and call for an operation outside any epoch, an opening call while the epoch before it is open, or a closing call without
 * epoch. */
enum status epochs_build(const struct trace *trace, struct window_uses *uses, struct epochs *epochs, struct err *err);
void epochs_clear(struct epochs *epochs);

/* Whether the call exists, closes its epoch and returned within the recording. */
bool epoch_closed(const struct trace *trace, uint32_t rank, size_t close_call);

#endif
