/* The whole state of a replay. Not for use outside simulate/replay/: other rooms see its head, struct replay. */
#ifndef SIMULATE_REPLAY_CORE_H
#define SIMULATE_REPLAY_CORE_H

#include "simulate/computing/memory_bound.h"
#include "simulate/mailbox/mailbox.h"
#include "simulate/replay/state.h"

/* The headers of services define the items of pools; replay/driver.h defines the rows of drivers. Four members are
 * private to one file: agreements (collective_matching.c), channels (envelope.c), connections (connections.c),
 * waiting_queries (message.c). */
struct core {
    struct replay replay;
    struct predicted predicted; /* what replay.made points to, if anything */
    struct platform part; /* a copy of the caller's platform without the nodes after the last one that has a rank. Its
                             pointers are borrowed from the caller's */
    const struct replay_options *options; /* of the caller */
    const struct engine_descriptor *engine_kind;
    struct engine *engine;
    struct mailbox mailbox;
    bool failed;

    /* The rows of drivers. */
    const struct call_driver *const *drivers; /* NULL-terminated */
    const struct call_step *steps[MPI_CALL_COUNT];
    const struct call_driver *driver_of[CALL_KIND_COUNT];
    const struct message_row *messages_of[MESSAGE_TYPE_COUNT];
    uint8_t servers[MESSAGE_TYPE_COUNT]; /* enum progress_mode, or SERVER_BY_BYTES */
    const struct timer_row *timers_of[TIMER_KIND_COUNT];
    void (*prefetch)(const struct replay *, uint32_t rank, const struct engine_note *, enum engine_distance,
                     struct prefetch_lines *);

    /* The program counters. */
    uint64_t calls_done, report_at; /* report_at: calls_done at which options->progress is called next; 0: never */
    uint32_t done_count;
    bool notes_exits;  /* of calls: the predicted trace needs them, or Wait for Progress is counted */
    bool notes_inside; /* rank_state.inside is kept: something reads it, or a rank has several threads */
    bool lingers;        /* ranks serve for some time after the return of a call (replay_serves()) */
    int64_t linger_ps;
    double linger_sd_ps; /* in a draw: by which that time varies; else 0 */
    int64_t poll_ps;
    uint32_t polls; /* that a call needs to serve a one-sided message (mpi.rma.protocol.polls) */
    int64_t *call_ps[2]; /* owned: of the caller's own time, by enum mpi_call, [1]: within a node; NULL: calls take none */
    bool has_pauses;    /* mpi.pause or network.loopback.pause */
    bool times_by_node; /* calls within a node take other times of their own */
    bool has_own_times; /* that or mpi.call_s */
    struct memory_bound memory;
    struct gaps *gaps; /* of nodes on which the share of a core changes; NULL: none */
    struct thread_name *thread_names; /* of ranks with several threads, by id in timers */

    /* Messages, requests, barriers. */
    int64_t thread_delay_ps;
    bool answers_apart; /* each answer is a message of its own. It acts when it arrives, or when its rank waits */
    POOL(waiting_message, message);
    struct connections *connections; /* by rank; NULL: flush is not connections */
    POOL(request, request);
    POOL(envelope, envelope);
    struct channel *channels;
    size_t channel_count, channel_capacity;
    struct barrier_group *barrier_groups; /* of communicators, then of windows */
    struct barrier *barriers;             /* of communicators, then of windows in the order of replay.members */
    size_t barrier_count, first_window_barrier;
    uint8_t *barrier_counts;
    uint32_t counter; /* of the barrier that the rank blocks in; ENGINE_NO_COUNTER: in something else */
    bool queries;     /* queries between two nodes are sent by engine_lazy.query() */
    struct waiting_queries *waiting_queries; /* by rank; NULL: none has to wait */
    struct agreements *agreements; /* NULL: no collective has been called */
};

/* The core whose head is the replay. Only a caller that changes nothing may pass a const replay. */
static inline struct core *core_of(const struct replay *replay)
{
    return (struct core *)(uintptr_t)replay;
}

#endif
