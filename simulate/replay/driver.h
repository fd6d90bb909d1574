/* A driver: the calls of one family, as rows. Everything that depends on the kind of a call or of a message is built
 * from these rows: dispatch, the effect of an arrival, who waits for what in a deadlock, which nodes need a route. A
 * driver includes services (simulate/replay/, simulate/windows/) and no other driver; no service includes a driver. */
#ifndef SIMULATE_REPLAY_DRIVER_H
#define SIMULATE_REPLAY_DRIVER_H

#include "platforms/platform.h"
#include "simulate/replay/explain.h"
#include "simulate/replay/routes.h"
#include "simulate/replay/walk.h"

enum call_trait {
    CALL_TESTS = 1,  /* the call may fail; a failed call counts as computing */
    CALL_SERVES = 2, /* serves its rank's waiting messages on entry, whatever mpi.rma.protocol.visit says */
    CALL_FREES = 4,  /* its return advances threads that wait outside MPI */
    CALL_SPENDS = 8, /* the step function decides whether the call takes mpi.call_s, and spends it */
    CALL_ASKS = 16,  /* with one target, the call does not serve on entry: its step may send a request first, then STEP_POLL */
};

/* One kind of calls, or the kinds from `kind` to `last` if last is the later one. */
struct call_step {
    enum call_kind kind, last;
    enum step (*step)(struct replay *, uint32_t rank);
    unsigned traits; /* of enum call_trait */
};

/* The service of a message that the NIC alone handles, or that only a rank in the awaiting call reads. */
enum { SERVICE_NONE = SERVICE_COUNT };
#define SERVES(service) (1u << (service))

struct message_row {
    enum message_type type;
    enum status (*act)(struct replay *, const struct engine_note *); /* its effect, when it arrives or is served */
    uint8_t service;                                                 /* enum service, or SERVICE_NONE */
    enum message_effect effect;
    bool two_sided; /* of a send or a collective */
    bool passes; /* with network.control_bypass the message passes queues: it is a request or an answer whose order
                    nothing depends on */
    unsigned also; /* SERVES(...): other services. The slowest server of these and of `service` serves the message */
    /* The rest may be NULL. effect holds for most messages of the row; vary changes it for the others. */
    void (*vary)(const struct replay *, uint32_t ref, struct engine_message *);
    /* Whether the message carries data of such operations, which have a reverse_share; NULL: of none. */
    bool (*carries)(const struct replay *, uint32_t ref, enum rma_kind kind);
    /* The bytes from which the platform derives who serves the message; NULL: 0. */
    int64_t (*served_bytes)(const struct replay *, uint32_t ref);
    /* Called when the last byte has left the origin's NIC. */
    enum status (*left)(struct replay *, const struct engine_note *, int64_t began_ps, int64_t left_ps);
    /* Whether the sender's current call waits for the message to be served: Wait for Progress. */
    bool (*awaited)(const struct replay *, const struct trace_call *, const struct engine_note *);
};

struct timer_row {
    enum timer_kind kind;
    uint32_t (*rank_of)(const struct replay *, uint32_t item); /* the first rank that the timer's effect concerns */
    enum status (*act)(struct replay *, uint32_t item);
};

struct call_driver {
    const char *name;
    const struct call_step *steps;      /* ends with a row without step */
    const struct message_row *messages; /* ends with a row without act; NULL: none */
    const struct timer_row *timers;     /* ends with a row without act; NULL: none */
    /* The rest may be NULL. prepare is called before the run, in the order of drivers; finish after every rank has
     * ended; clear at the end, also after a prepare that failed. */
    enum status (*prepare)(struct replay *);
    enum status (*finish)(struct replay *);
    void (*clear)(struct replay *);
    /* Whether nodes learn of each other by messages only. */
    bool (*nodes_are_apart)(const struct replay *);
    /* Whether the loaded thread's next call waits outside MPI for something that another thread of its rank must do
     * first. */
    bool (*waits_outside)(struct replay *, uint32_t rank);
    /* Adds the ranks that the call sends to or receives from. */
    enum status (*reach)(const struct replay *, uint32_t rank, const struct trace_call *, struct reach *);
    /* Adds what the rank waits for in the call, such as " a send of rank 1". NULL: it waits for the members that have
     * not entered the call. */
    void (*explain_wait)(struct replay *, uint32_t rank, const struct trace_call *, struct explanation *);
    /* Called after all ranks have ended. Returns an error if something that the driver holds never left. */
    enum status (*find_leftovers)(struct replay *);
    /* Adds the memory that the arrival of the message will read; with note NULL, that the rank's next step will read.
     * One driver has this function. */
    void (*prefetch)(const struct replay *, uint32_t rank, const struct engine_note *, enum engine_distance,
                     struct prefetch_lines *);
};

/* drivers.c: builds the replay's tables from the rows of all drivers. */
void replay_use_drivers(struct replay *replay);

#endif
