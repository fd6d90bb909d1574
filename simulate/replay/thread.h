/* Threads of one rank in the replay: each is a stream of its own. struct rank_state holds the thread that is loaded;
 * the others wait in replay->ranks[rank].threads. Step functions see the loaded thread only. A rank with one thread and
 * no thread primitives has no struct threads and none of this. Not for use outside simulate/replay/ and the rooms of the drivers. */
#ifndef SIMULATE_REPLAY_THREAD_H
#define SIMULATE_REPLAY_THREAD_H

#include "simulate/replay/state.h"

/* The rank is inside the library then: user regions and primitives of threads are outside. */
static inline bool replay_is_library(const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    bool primitive = kind >= CALL_THREAD_BEGIN && kind <= CALL_SEM_POST;
    return kind != CALL_REGION_ENTER && kind != CALL_REGION_LEAVE && !primitive;
}

struct thread {
    struct rank_state walk; /* up to WALK_BYTES; stale while loaded */
    uint32_t first;         /* call, NO_INDEX: none */
    uint32_t created_by;    /* call, NO_INDEX: none that was recorded */
    uint32_t begins_after;  /* of these: call of thread 0, NO_INDEX: it begins as the rank does */
    uint32_t next_beginning; /* thread that begins after the same call, NO_INDEX: none */
    uint32_t joiner;        /* thread that waits for the end, NO_INDEX: none */
    uint32_t next_waiting;  /* in the queue of a mutex, condition, barrier or semaphore */
    bool ended, polls;      /* polls: a timer will advance it again at this moment */
    bool granted;           /* what it queued for is its own */
    bool shares;            /* it waits to read */
    int64_t granted_ps;     /* since when */
    bool outside;           /* waits for a request, a message, a turn or an epoch that is not there yet: not in MPI */
};

struct sync; /* simulate/threads/sync.h */

/* What an MPI_Mprobe took out of matching, and what an MPI_Mrecv receives of it. */
enum taken_use {
    TAKEN_UNUSED, /* nothing, or nobody receives it */
    TAKEN_KEPT,   /* probed for and received by one thread */
    TAKEN_HANDED  /* by two */
};

enum { TURN_AWAITED = 1, TURN_RETURNED = 2 };
struct turn_await {
    uint32_t call, next; /* next: NO_INDEX: none */
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
    uint32_t *awaits;    /* per call: the first of those in await_items that must return before it begins, NO_INDEX: none */
    struct turn_await *await_items;
    size_t await_count, await_capacity;
    uint8_t *turns;      /* per call: TURN_... */
    enum taken_use *taken; /* per call; NULL: the rank takes no message out of matching */
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
/* Of its timers. */
uint32_t replay_rank_of_thread(const struct replay *replay, uint32_t id);
enum status replay_on_thread_resumes(struct replay *replay, uint32_t id);
enum status replay_on_thread_poll(struct replay *replay, uint32_t id);

/* The rank's predicted calls into the order of their enters, at equal times of their exits: cause before effect. */
enum status replay_thread_sort(struct replay *replay, uint32_t rank);

/* The loaded thread enters or leaves a call, has left its last one. */
void replay_thread_enter(struct replay *replay, uint32_t rank);
/* It waits outside MPI for a request, a message, a turn or an epoch that is not there yet: in the program it did not call yet. */
static inline bool replay_thread_is_outside(const struct rank_state *state)
{
    return state->threads && state->threads->items[state->thread].outside;
}
/* What it waits for is still missing. */
bool replay_thread_waits_outside(struct replay *replay, uint32_t rank);
/* It is there now. */
enum status replay_thread_reenter(struct replay *replay, uint32_t rank);
enum status replay_thread_leave(struct replay *replay, uint32_t rank);
enum status replay_thread_end(struct replay *replay, uint32_t rank);

/* turn_wait.c */
enum status replay_prepare_turns(struct replay *replay, uint32_t rank);
/* The call of another thread whose return the loaded thread's next call waits for, outside MPI; NO_INDEX: none. */
uint32_t replay_turn_awaited(const struct replay *replay, uint32_t rank);
/* The loaded thread's call returns. True: others may wait for that. */
bool replay_turn_returns(struct replay *replay, uint32_t rank);

#endif
