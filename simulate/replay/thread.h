/* Threads of one rank in the replay; each has its own timeline. struct rank_state holds the thread that is loaded; the
 * others are in replay->ranks[rank].threads. Step functions see the loaded thread only. A rank with one thread and no
 * thread primitives has no struct threads. Not for use outside simulate/replay/ and the rooms of the drivers. */
#ifndef SIMULATE_REPLAY_THREAD_H
#define SIMULATE_REPLAY_THREAD_H

#include "simulate/replay/state.h"

struct thread {
    struct rank_state walk; /* up to WALK_BYTES; stale while loaded */
    uint32_t first;         /* call, NO_INDEX: none */
    uint32_t created_by;    /* call, NO_INDEX: none that was recorded */
    uint32_t begins_after; /* if created_by is NO_INDEX: the call of thread 0 after which it begins; NO_INDEX: it begins
                              with the rank */
    uint32_t next_beginning; /* thread that begins after the same call, NO_INDEX: none */
    uint32_t joiner;        /* thread that waits for the end, NO_INDEX: none */
    uint32_t next_waiting;  /* in the queue of a mutex, condition, barrier or semaphore */
    bool ended;
    bool polls;             /* a timer will advance it again at the same simulated time */
    bool granted;           /* it holds what it queued for */
    bool shares;            /* it waits for read access */
    int64_t granted_ps;     /* when granted was set */
    bool outside; /* it waits outside MPI for a request, a message, a turn or an epoch that does not exist yet */
};

struct sync; /* simulate/threads/sync.h */

/* How the program uses a message that an MPI_Mprobe takes out of matching. */
enum taken_use {
    TAKEN_UNUSED, /* the call takes none, or the message is never received */
    TAKEN_KEPT,   /* one thread probes for the message and receives it */
    TAKEN_HANDED  /* one thread probes, another one receives */
};

enum { TURN_AWAITED = 1, TURN_RETURNED = 2 };
struct turn_await {
    uint32_t call, next; /* next: NO_INDEX: none */
};

struct threads {
    uint32_t count, left, inside; /* left: threads that have not ended; inside: threads in MPI */
    uint32_t first_id;            /* of thread 0 in timers */
    bool running;                 /* one of them is being advanced */
    struct thread *items;
    uint32_t *finished; /* calls in the order of their exits */
    size_t finished_count;
    uint32_t *following; /* per call: the thread's next one, NO_INDEX: none */
    /* per call: thread that begins after it and whose creation was not recorded; NO_INDEX: none; NULL: no such
     * thread */
    uint32_t *beginning;
    /* per call: the first one in await_items that must return before the call begins, NO_INDEX: none */
    uint32_t *awaits;
    struct turn_await *await_items;
    size_t await_count, await_capacity;
    uint8_t *turns;      /* per call: TURN_... */
    enum taken_use *taken; /* per call; NULL: the rank takes no message out of matching */
    uint32_t *wakes;     /* per call: number of waits on the condition that a signal or broadcast ended when recorded */
    struct map names;    /* object to index in syncs */
    struct sync *syncs;
    size_t sync_count, sync_capacity;
};

/* Makes struct threads for all ranks that need it. Timers name threads by index in core.thread_names. */
enum status replay_prepare_threads(struct replay *replay);
void replay_clear_threads(struct replay *replay);

void replay_thread_load(struct replay *replay, uint32_t rank, uint32_t thread);
struct rank_state *replay_thread_walk(struct replay *replay, uint32_t rank, uint32_t thread);
/* The thread's first call comes after the gap before it, which begins at from_ps (replay_begin_gap()). */
enum status replay_thread_start(struct replay *replay, uint32_t rank, uint32_t thread, int64_t from_ps, int64_t gap_ps);
/* The row of TIMER_GAP, of ranks without threads, too. */
enum status replay_on_gap(struct replay *replay, uint32_t timeline);
/* Advances the blocked thread. If another thread of the rank is just being advanced, a timer at the same simulated time
 * does it. */
enum status replay_thread_wake(struct replay *replay, uint32_t rank, uint32_t thread);
enum status replay_threads_wake(struct replay *replay, uint32_t rank);
/* The rank of a thread's timer. */
uint32_t replay_rank_of_thread(const struct replay *replay, uint32_t id);
enum status replay_on_thread_resumes(struct replay *replay, uint32_t id);
enum status replay_on_thread_poll(struct replay *replay, uint32_t id);

/* Sorts the rank's predicted calls by enter, and at equal times by exit, so that causes precede effects. */
enum status replay_thread_sort(struct replay *replay, uint32_t rank);

/* The loaded thread enters a call, leaves it, or has left its last one. */
void replay_thread_enter(struct replay *replay, uint32_t rank);
/* Whether the loaded thread waits outside MPI for a request, a message, a turn or an epoch that does not exist yet. The
 * program would not have made the call yet. */
static inline bool replay_thread_is_outside(const struct rank_state *state)
{
    return state->threads && state->threads->items[state->thread].outside;
}
/* Whether the loaded thread's next call has to wait outside MPI now. */
bool replay_thread_waits_outside(struct replay *replay, uint32_t rank);
/* Called when the awaited object exists: the thread enters its call. */
enum status replay_thread_reenter(struct replay *replay, uint32_t rank);
enum status replay_thread_leave(struct replay *replay, uint32_t rank);
enum status replay_thread_end(struct replay *replay, uint32_t rank);

/* In turn_wait.c. */
enum status replay_prepare_turns(struct replay *replay, uint32_t rank);
/* The call of another thread that must return before the loaded thread's next call begins; NO_INDEX: none. */
uint32_t replay_turn_awaited(const struct replay *replay, uint32_t rank);
/* The loaded thread's call returns. Returns true if other threads may wait for this return. */
bool replay_turn_returns(struct replay *replay, uint32_t rank);

#endif
