/* A driver: the calls of one family, as rows. Everything that depends on the kind of a call or of a message is built from
 * the drivers' rows: dispatch, what an arrival does, who waits for what in a deadlock, which nodes need a route. A driver
 * includes services (simulate/replay/, simulate/windows/) and no other driver; no service includes a driver. */
#ifndef SIMULATE_REPLAY_DRIVER_H
#define SIMULATE_REPLAY_DRIVER_H

#include "platforms/platform.h"
#include "simulate/replay/explain.h"
#include "simulate/replay/routes.h"
#include "simulate/replay/walk.h"

enum call_trait {
    CALL_TESTS = 1,  /* may say no: it is computing then */
    CALL_SERVES = 2, /* serves what lies at its rank as soon as it is entered, whatever mpi.rma.protocol.visit says */
    CALL_FREES = 4,  /* when it returns, threads that wait outside MPI look again */
};

/* A kind of calls, or the kinds from `kind` to `last`, if that is later. */
struct call_step {
    enum call_kind kind, last;
    enum step (*step)(struct replay *, uint32_t rank);
    unsigned traits; /* of enum call_trait */
};

/* Of a message that needs nobody but the NIC, or that only a rank inside the call that waits for it looks at. */
enum { SERVICE_NONE = SERVICE_COUNT };
#define SERVES(service) (1u << (service))

struct message_row {
    enum message_type type;
    enum status (*act)(struct replay *, const struct engine_note *); /* its effect, when it arrives or is served */
    uint8_t service;                                                 /* enum service, or SERVICE_NONE */
    enum message_effect effect;
    bool early;  /* only wait looks at when it arrives */
    bool passes; /* with network.control_bypass: a request or its answer, which nothing else depends on in order */
    unsigned also; /* SERVES(...): the slowest of these servers and its own serves it */
    /* Each may be NULL. effect and early are those of most such messages; of others vary changes them. */
    void (*vary)(const struct replay *, uint32_t ref, struct engine_message *);
    /* The bytes by which the platform tells who serves it; NULL: 0. */
    int64_t (*served_bytes)(const struct replay *, uint32_t ref);
    /* The last byte has left the origin's NIC. */
    enum status (*left)(struct replay *, const struct engine_note *, int64_t began_ps, int64_t left_ps);
    /* The call, which its sender is in, waits for the message to be served: Wait for Progress. */
    bool (*awaited)(const struct replay *, const struct trace_call *, const struct engine_note *);
};

struct timer_row {
    enum timer_kind kind;
    uint32_t (*rank_of)(const struct replay *, uint32_t item); /* who sees first what has arrived */
    enum status (*act)(struct replay *, uint32_t item);
};

struct call_driver {
    const char *name;
    const struct call_step *steps;      /* ends with a row without step */
    const struct message_row *messages; /* ends with a row without act; NULL: none */
    const struct timer_row *timers;     /* ends with a row without act; NULL: none */
    /* Each may be NULL. prepare: before the run, drivers in their order. finish: every rank has ended. clear: also after a
     * prepare that failed. */
    enum status (*prepare)(struct replay *);
    enum status (*finish)(struct replay *);
    void (*clear)(struct replay *);
    /* What happens at a node depends on others by messages alone. */
    bool (*nodes_are_apart)(const struct replay *);
    /* The loaded thread's next call waits, outside MPI, for what another thread of its rank has to do first. */
    bool (*waits_outside)(struct replay *, uint32_t rank);
    /* Which ranks the call sends to or hears from. */
    enum status (*reach)(const struct replay *, uint32_t rank, const struct trace_call *, struct reach *);
    /* For what the rank waits in the call: " a send of rank 1"; NULL: the members that have not come to it. */
    void (*explain_wait)(struct replay *, uint32_t rank, const struct trace_call *, struct explanation *);
    /* All ranks have ended: an error if something that the driver let go never left. */
    enum status (*find_leftovers)(struct replay *);
    /* What memory the rank's next step, or (note, unless NULL) the message's arrival, will look at. Of one driver. */
    void (*prefetch)(const struct replay *, uint32_t rank, const struct engine_note *, enum engine_distance,
                     struct prefetch_lines *);
};

/* drivers.c: builds the replay's tables from the rows of all drivers. */
void replay_use_drivers(struct replay *replay);

#endif
