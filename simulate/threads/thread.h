/* Threads of one rank in the replay: each is a stream of its own. struct rank_state holds the thread that is loaded;
 * the others wait in replay->ranks[rank].threads. Step functions see the loaded thread only. A rank with one thread and
 * no thread primitives has no struct threads and none of this. Not for use outside simulate/replay/ and the rooms of its calls. */
#ifndef SIMULATE_THREADS_THREAD_H
#define SIMULATE_THREADS_THREAD_H

#include "simulate/replay/core.h"

struct thread {
    struct rank_state walk; /* up to WALK_BYTES; stale while loaded */
    uint32_t first;         /* call, NO_INDEX: none */
    uint32_t created_by;    /* call, NO_INDEX: none that was recorded */
    uint32_t begins_after;  /* of these: call of thread 0, NO_INDEX: it begins as the rank does */
    uint32_t next_beginning; /* thread that begins after the same call, NO_INDEX: none */
    uint32_t joiner;        /* thread that waits for the end, NO_INDEX: none */
    uint32_t next_waiting;  /* in the queue of a mutex, condition, barrier or semaphore */
    bool ended, looks;      /* looks: it will look again at this moment */
    bool granted;           /* what it queued for is its own */
    bool shares;            /* it waits to read */
    int64_t granted_ps;     /* since when */
    bool outside;           /* waits for a request, a turn or an epoch that is not there yet: not in MPI */
};

/* A mutex, spin lock, read-write lock, condition, barrier or semaphore. */
struct sync {
    uint32_t owner, depth; /* mutex, writer: thread, NO_INDEX: free */
    uint32_t count;        /* semaphore: value; condition: wake-ups that nobody waited for yet; barrier: who has come; readers */
    uint32_t first, last;  /* threads that wait, first in, first out */
    uint32_t owed;         /* condition: wake-ups given that the recording does not have */
    uint32_t initial;      /* semaphore */
    bool told;             /* the predicted trace has its first call, which says the value */
};

struct threads {
    uint32_t count, left, inside; /* left: not ended; inside: in MPI */
    uint32_t first_id;            /* of thread 0 in timers */
    bool running;                 /* one of them advances now */
    struct thread *items;
    uint32_t *finished; /* calls in the order of their exits */
    size_t finished_count;
    uint32_t *following; /* per call: the thread's next one, NO_INDEX: none */
    uint32_t *beginning; /* per call: thread that begins after it, its creation is not known; NO_INDEX: none; NULL: no such thread */
    uint32_t *awaits;    /* per call: the call of another thread that must return before it begins, NO_INDEX: none */
    bool *returned;      /* per call */
    uint32_t *wakes;     /* per call: how many waits on the condition a signal or broadcast ended when recorded */
    struct map names;    /* object to index in syncs */
    struct sync *syncs;
    size_t sync_count, sync_capacity;
};

/* Streams of all ranks that need them; timers name threads by index in replay->thread_names. */
enum status replay_prepare_threads(struct replay *replay);
void replay_clear_threads(struct replay *replay);

/* Cores that the rank's threads want at once: the most that are alive together by the creates and joins; one less if
 * thread 0 does nothing but create and join them meanwhile. */
uint32_t replay_threads_alive(const struct trace *trace, uint32_t rank);

void replay_thread_load(struct replay *replay, uint32_t rank, uint32_t thread);
struct rank_state *replay_thread_walk(struct replay *replay, uint32_t rank, uint32_t thread);
enum status replay_thread_start(struct replay *replay, uint32_t rank, uint32_t thread, int64_t at_ps);
/* What blocks looks again; it cannot while another thread of the rank is being advanced: then a moment later. */
enum status replay_thread_wake(struct replay *replay, uint32_t rank, uint32_t thread);
enum status replay_threads_wake(struct replay *replay, uint32_t rank);
enum status replay_on_thread_timer(struct replay *replay, uint32_t id, bool look);

/* The rank's predicted calls into the order of their enters, at equal times of their exits: cause before effect. */
enum status replay_thread_sort(struct replay *replay, uint32_t rank);

/* The loaded thread enters or leaves a call, has left its last one. */
void replay_thread_enter(struct replay *replay, uint32_t rank);
/* It waited outside for a request, a turn or an epoch, which is there now. */
enum status replay_thread_reenter(struct replay *replay, uint32_t rank);
enum status replay_thread_leave(struct replay *replay, uint32_t rank);
enum status replay_thread_end(struct replay *replay, uint32_t rank);

/* turn_wait.c */
enum status replay_prepare_turns(struct replay *replay, uint32_t rank);
/* The call of another thread whose return the loaded thread's next call waits for, outside MPI; NO_INDEX: none. */
uint32_t replay_turn_awaited(const struct replay *replay, uint32_t rank);
/* The loaded thread's call returns: threads that wait for it look again. */
enum status replay_turn_returns(struct replay *replay, uint32_t rank);

/* epoch_wait.c */
/* The loaded thread's next call needs an epoch that another thread must open or close first. */
bool replay_epoch_awaited(struct replay *replay, uint32_t rank);
/* Whether the loaded thread's call waits for such an epoch or for its turn, outside MPI. */
static inline bool replay_thread_lacks_epoch(const struct rank_state *state)
{
    return state->threads && state->threads->items[state->thread].outside &&
           (call_row(state->calls[state->next].call)->allowed & (F_WIN | F_COMM));
}
/* A call of this kind returns: threads that wait for an epoch look again. */
enum status replay_epoch_changed(struct replay *replay, uint32_t rank, enum call_kind kind);
/* A lock of the rank towards the target (TRACE_NONE: any) on the member's window, by MPI_Win_lock; returned: whose call
 * has returned. NO_INDEX: none. */
uint32_t replay_lock_of_member(const struct replay *replay, uint32_t rank, uint32_t member, int32_t target,
                               bool returned);

/* sync.c */
enum step replay_step_thread(struct replay *replay, uint32_t rank);
enum status replay_prepare_syncs(struct replay *replay, uint32_t rank);
/* The first call on each semaphore says its value. */
void replay_keep_values(struct threads *threads, struct trace_call *calls, size_t count);
struct sync *replay_sync(struct threads *threads, uint32_t object);

#endif
