/* The state of the whole replay that the services of simulate/replay/ share. rank.h has that of a rank; the header of a
 * service has the items that it keeps. Not for use outside simulate/replay/, simulate/windows/ and the rooms of the
 * drivers. */
#ifndef SIMULATE_REPLAY_STATE_H
#define SIMULATE_REPLAY_STATE_H

#include "common/map.h"
#include "simulate/mailbox/mailbox.h"
#include "simulate/replay/kinds.h"
#include "simulate/replay/pool.h"
#include "simulate/replay/rank.h"
#include "simulate/replay/replay.h"

struct thread_costs {
    int64_t create_ps, start_ps, join_ps, lock_ps, unlock_ps, barrier_ps;
};

/* Rows of drivers are in replay/driver.h, items of pools in the headers of their services, windows in
 * simulate/windows/. Private to one file: shmem (simulate/shmem/shmem.c), agreements (replay/collective_matching.c). */
struct replay {
    const struct trace *trace;
    const struct platform *platform; /* part */
    struct platform part; /* the caller's, without the nodes behind the last one that has a rank; it borrows all else */
    const struct engine_descriptor *engine_kind;
    struct engine *engine;
    struct mailbox mailbox;
    const struct call_driver *const *drivers; /* NULL-terminated */
    const struct call_step *steps[MPI_CALL_COUNT];
    const struct call_driver *driver_of[CALL_KIND_COUNT];
    const struct message_row *messages_of[MESSAGE_TYPE_COUNT];
    uint8_t servers[MESSAGE_TYPE_COUNT]; /* enum progress_mode, or SERVER_BY_BYTES */
    const struct timer_row *timers_of[TIMER_KIND_COUNT];
    void (*prefetch)(const struct replay *, uint32_t rank, const struct engine_note *, enum engine_distance,
                     struct prefetch_lines *);
    struct replay_outcome *outcome;
    const struct replay_options *options; /* of the caller */
    /* report_at: calls_done at which options->progress is called next; 0: never */
    uint64_t calls_done, report_at;
    struct trace *made;                   /* the predicted trace, or NULL */
    /* of calls: the predicted trace needs them, or Wait for Progress is counted */
    bool notes_exits;
    int64_t now_ps;
    int64_t arrival_ps; /* of the message that on_arrived handles: now, or later for data of an active epoch */
    int64_t overhead_ps, thread_delay_ps, linger_ps;
    int64_t *call_ps; /* of the caller's own time, by enum mpi_call; NULL: calls take none */
    int64_t pause_after_ps, pause_call_ps; /* mpi.pause */
    bool has_own_times; /* one of the two is set */
    struct shmem *shmem;     /* NULL: no symmetric memory */
    /* whether the rank's operations on symmetric memory are complete; NULL: there is none */
    bool (*is_quiet)(struct replay *, uint32_t rank);
    struct watches *watches; /* the same */
    struct agreements *agreements; /* NULL: no collective has been called */
    enum status (*task_received)(struct replay *, uint32_t task); /* a request of a non-blocking collective is done */
    struct coll_calls **coll_calls; /* by communicator, made when first asked for */
    struct thread_costs thread_costs;
    struct thread_name *thread_names; /* of ranks with several threads, by id in timers */
    bool hardware;           /* NICs serve everything */
    bool needs_call;         /* something is served only while its rank is inside MPI */
    bool notes_inside;       /* rank_state.inside is kept: something reads it, or a rank has several threads */
    bool complete_remote;    /* MPI_Win_complete waits for acknowledgements */
    bool acknowledges_puts;  /* of active epochs */
    bool plain_puts;         /* puts of active epochs need no struct op */
    bool copies_puts;        /* the call of a put takes time by its bytes (mpi.rma.protocol.put_s_per_byte) */
    bool answers_apart;      /* each answer is a message of its own and acts as it arrives, or when its rank waits */
    bool acknowledges_all;   /* puts and accumulates of active epochs that complete waits for */
    bool answers_late;       /* an answered message need not act at its moment (replay/message.c) */
    bool counts;             /* barriers' messages are sent by count() */
    bool deferred;           /* operations are held until the closing call */
    uint32_t counter; /* of the barrier that the rank blocks in; ENGINE_NO_COUNTER: in something else */
    bool failed;
    struct err *err;
    struct rank_state *ranks;
    struct rank_rare *rare; /* by rank */
    int32_t *nodes; /* by rank */
    uint32_t done_count;
    bool init_is_barrier, finalize_is_barrier;
    struct window_state *windows;
    struct window_mode *modes; /* by window */
    struct barrier_group *barrier_groups; /* of communicators, then of windows */
    struct member *members;
    size_t member_count;
    struct barrier *barriers; /* those of windows as replay.members */
    size_t barrier_count, first_window_barrier;
    uint8_t *barrier_counts;
    struct map pair_index;
    struct pair *pairs;
    size_t pair_count, pair_capacity;
    POOL(op, op);
    POOL(lock_epoch, lock_epoch);
    POOL(request, request);
    POOL(envelope, envelope);
    POOL(waiting_message, message);
    POOL(coll_task, task);
    POOL(room, room);
    struct channel *channels;
    size_t channel_count, channel_capacity;
    /* fence = notify: per member and fence & 1, when the last counted operation towards it takes effect there; NULL: no
     * window has such fences */
    int64_t *incoming_latest_ps;
    struct fence_targets *fence_targets; /* by member; NULL: flush is counted */
    struct connections *connections; /* by rank; NULL: flush is not connections (replay/connections.c) */
    int64_t *server_free_ps; /* per rank: when it can apply the next accumulate */
};

static inline struct rank_rare *replay_rare(const struct replay *replay, const struct rank_state *rank)
{
    return &replay->rare[rank - replay->ranks];
}

/* Whether what arrives now is served at once where progress = call (mpi.rma.protocol.linger_s). */
static inline bool replay_serves(const struct replay *replay, uint32_t rank)
{
    return replay->ranks[rank].inside || (replay->linger_ps > 0 && replay->now_ps < replay->rare[rank].lingers_until_ps);
}

/* The least number of messages that bring so many answers. */
static inline uint32_t replay_least_messages(const struct replay *replay, uint32_t answers)
{
    return replay->answers_apart ? answers : 1;
}

#endif
