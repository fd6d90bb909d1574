/* Derives which epochs of a rank are open, which of them a call opens, closes or belongs to, and which rules the call
 * breaks (MPI-3.1 11.5).
 *
 * The cursor takes a rank's calls on windows in their order. Other calls, and OpenSHMEM's, change nothing. A caller may
 * leave out kinds of calls that it does not need. The cursor continues after a fault; enum epoch_fault says how. A call
 * in which the recording breaks off counts as one that returned. */
#ifndef TRACE_EPOCH_CURSOR_H
#define TRACE_EPOCH_CURSOR_H

#include "trace/trace.h"

#define EPOCH_NONE SIZE_MAX /* no such call, epoch or pair */

enum epoch_kind {
    EPOCH_START,    /* start to complete */
    EPOCH_LOCK,     /* lock to unlock, of one target */
    EPOCH_LOCK_ALL, /* lock_all to unlock_all */
    EPOCH_FENCE,    /* fence to fence; without operations it is no epoch by MPI-3.1 11.5, but the cursor keeps it */
    EPOCH_POST,     /* post to wait, or to the successful test */
    EPOCH_KIND_COUNT
};

/* An open epoch. */
struct epoch {
    enum epoch_kind kind;
    int32_t window;
    int32_t target;         /* of a lock, else TRACE_NONE */
    uint32_t group;         /* of start and post, else TRACE_NO_REF */
    uint32_t flags;         /* of the call that opened it; of a fence epoch: of the last fence */
    uint32_t slot;          /* number among the open ones; numbers of closed epochs are reused */
    size_t opened;          /* the call that opened it */
    size_t fence;           /* of a fence epoch: that fence's number on the window, from 0 */
    size_t first_operation; /* EPOCH_NONE: there was none */
    size_t item;            /* the caller's; EPOCH_NONE until it sets it */
    uint32_t older, newer;  /* open locks of the window: slots plus 1, 0 none */
};

enum epoch_fault {
    EPOCH_OVERLAPS = 1, /* an epoch of overlaps[] is open (11.5; MPI_Win_free: 11.2.5). A second lock of a held lock
                           belongs to the first one's epoch; any other new epoch replaces an open one of its kind */
    EPOCH_NOT_OPEN = 2, /* no epoch is open that the call could close or test (11.5.2, 11.5.3) */
    EPOCH_OUTSIDE = 4,  /* an operation in no access epoch (11.5), a flush under no lock (11.5.4) */
    EPOCH_OUTSIDE_GROUP = 8,    /* an operation on a target that the start does not name (11.5.2) */
    EPOCH_AFTER_NOSUCCEED = 16, /* an operation after a fence that asserts there is none (11.5.5). It belongs to the
                                   fence epoch */
    EPOCH_PRECEDED = 32,        /* a fence with NOPRECEDE after operations (11.5.5). Their epoch remains open */
    EPOCH_NO_LOCK = 64,         /* a request-based operation outside a lock (11.3.5) */
};

/* The effects of one call. */
struct epoch_step {
    unsigned faults;
    struct epoch *opens;
    struct epoch *in; /* the epoch of an operation, flush, failed test, or fence with EPOCH_PRECEDED. NULL: none. For a
                         flush of all targets only a lock_all is given */
    struct epoch *closes; /* readable until the next call; a fence closes also the epoch without operations */
    const struct epoch *overlaps[2]; /* readable until the next call */
    int32_t member;                  /* operations inside a start: the target's place in its group */
    size_t fence;                    /* fences: number on the window, from 0 */
};

struct epoch_window;
struct epoch_cursor {
    const struct trace *trace;
    struct epoch_window *windows;
    struct epoch *epochs; /* by slot */
    size_t count, capacity;
    uint32_t unused;  /* list of slots, through newer */
    struct map locks; /* (window, target) to slot plus 1, 0: free */
};

/* Borrows the trace's definitions until epoch_cursor_clear(). */
enum status epoch_cursor_init(struct epoch_cursor *cursor, const struct trace *trace, struct err *err);
void epoch_cursor_clear(struct epoch_cursor *cursor);

/* Closes all epochs; the calls of another rank follow. */
void epoch_cursor_restart(struct epoch_cursor *cursor);

/* Takes the next call. number is stored in opened and first_operation for it. Pointers to epochs are valid until the
 * next call only. */
enum status epoch_cursor_take(struct epoch_cursor *cursor, const struct trace_call *call, size_t number,
                              struct epoch_step *step, struct err *err);

/* The open epoch of a kind on a window, NULL if there is none; of locks the oldest one. epoch_cursor_newer() is the
 * next newer lock, epoch_cursor_lock() the lock of a target. */
struct epoch *epoch_cursor_open(const struct epoch_cursor *cursor, int32_t window, enum epoch_kind kind);
struct epoch *epoch_cursor_newer(const struct epoch_cursor *cursor, const struct epoch *lock);
struct epoch *epoch_cursor_lock(const struct epoch_cursor *cursor, int32_t window, int32_t target);

/* Where an operation of the same rank on the window and target is complete when the call has returned (11.5,
 * 11.5.4). */
enum epoch_completion { COMPLETE_NOWHERE, COMPLETE_AT_ORIGIN, COMPLETE_AT_TARGET /* and at the origin */ };
enum epoch_completion epoch_completion(const struct trace_call *call, int32_t window, int32_t target);

#endif
