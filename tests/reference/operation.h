/* One-sided operations and the epochs that they are in.
 *
 * An operation goes through these states, each with the moment at which it is reached: queued at the origin; sent (its
 * data or its request are in the NIC); left (the last byte has left the origin's NIC); done at the target (arrived,
 * applied, answered); known at the origin (acknowledged, or its data are there). A access is what an epoch has towards
 * one target: it opens when the target's post, or its grant, has come. */
#ifndef TESTS_REFERENCE_OPERATION_H
#define TESTS_REFERENCE_OPERATION_H

#include "tests/reference/model.h"

struct op {
    enum call_kind kind; /* CALL_PUT, ... */
    bool by_message;     /* a put or get that goes by the rules of accumulates */
    bool forgotten;      /* noncontiguous_put: the request of the put is complete when its call returns */
    struct access *access;
    int64_t bytes, result_bytes;
    enum rma_waits waits;
    bool group;                   /* waits for the posts of the whole group */
    bool copied;                  /* semantics d: no longer the caller's */
    bool acknowledged;            /* its target tells the origin of it */
    enum local_mode local;        /* when it is complete at its origin; of gets: when its data are there */
    bool held;                    /* deferred: until the closing call */
    bool sending;                 /* it has left the queue; a rendezvous may still keep its data */
    bool sent, left, done, known; /* left: of one with a request or a copy */
    int64_t left_ps;              /* when the last byte leaves the origin; once it is sent */
    int64_t done_ps;              /* when it takes effect; once it is done */
    bool written;                 /* its effect is in the target's memory */
    bool has_request;
    bool signals; /* a put with a signal */
    struct op *next; /* of the access */
};

struct access {
    struct epoch *epoch;
    uint32_t target;
    bool open;     /* W, the grant, or nothing to wait for */
    bool closing;  /* PSCW: complete has been called */
    bool told;     /* PSCW: its notification has been sent */
    bool heard;    /* PSCW: it has arrived */
    bool asked;    /* lock: for the grant */
    bool released; /* lock: nothing to be released, or it was */
    bool answered; /* lock: the target has answered the release, or need not */
    bool called;   /* a put or get since the last request of a flush */
    bool got;      /* the last put or get since the last flush was a get */
    bool requests; /* a flush's request leaves behind the data */
    uint32_t requests_made, requests_answered;
    struct op *first, *last;
};

enum epoch_kind { EPOCH_START, EPOCH_FENCE, EPOCH_LOCK };

struct epoch {
    enum epoch_kind kind;
    int32_t window;
    uint32_t origin, target;
    bool nocheck, exclusive, all;
    uint32_t access_count;
    struct access *accesses; /* by ascending target */
};

/* Between the origin and the target of a window, over all epochs. */
struct pair {
    uint32_t posts;          /* of the target, noticed by the origin */
    uint32_t posts_made;     /* by the target */
    uint32_t awaited;        /* number of the epoch for which the target has said that it waits */
    uint32_t starts;         /* of the origin */
    struct access **started; /* accesses by number of start */
    size_t started_capacity;
    struct access *lock; /* the open lock epoch's */
};

struct fences {                   /* of one rank on one window */
    struct epoch *open, **closed; /* closed: by the number of the fence */
    size_t closed_count, closed_capacity;
};

struct pair *pair_of(const struct model *model, int32_t window, uint32_t origin, uint32_t target);
struct epoch *epoch_new(struct model *model, enum epoch_kind kind, int32_t window, uint32_t origin,
                        const int32_t *targets, uint32_t count);
struct fences *fences_of(const struct model *model, int32_t window, uint32_t rank);
const struct rma_semantics *semantics_of(const struct model *model, int32_t window);
enum rma_kind rma_kind_of(enum call_kind kind); /* fetches go by the rules of gets */
enum steps_form lock_of(const struct model *model, int32_t window);
struct call_steps fence_of(const struct model *model, int32_t window);
bool fence_exchanges_counts(const struct model *model, int32_t window); /* the step counts */
bool lock_is_asked_early(const struct model *model, int32_t window);    /* mpi.rma.protocol.lock_request, of lazy locks */

/* The epoch's operations that nothing keeps any more leave, target by target; then notifications and the like. */
void access_pump(struct model *model, struct access *access);

/* The closing call (or a flush) lets go what is held. Returns whether there was something unsent. */
bool access_unhold(struct access *access);
bool access_unissued(const struct access *access); /* something still queued */

/* mpi.rma.protocol.flush: asks the target for an answer to what was called, as soon as all of that has left. True: now. */
bool access_request(struct model *model, struct access *access, enum steps_query query);
/* flush = connections: asks all other ranks that have been sent something since they were last asked. */
void others_request(struct model *model, struct rank *rank);
/* The same: a call completes all of the window, where something was called, and an answer on any window is missing. */
bool others_must_be_asked(struct model *model, const struct rank *rank, int32_t window, enum steps_query query);
bool *called_target(const struct model *model, int32_t window, uint32_t rank, uint32_t target);
bool others_have_answered(const struct model *model, uint32_t rank);

/* Some operation of it waits for the posts of the whole group: what comes behind does not leave before it. */
bool access_awaits_group(const struct access *access);

/* Conditions. */
bool epoch_is_open(const struct model *model, const void *epoch); /* all its accesses */
bool access_is_open(const struct model *model, const void *access);
bool access_is_away(const struct model *model, const void *access); /* complete at the origin as soon as all has left */
bool access_is_known(const struct model *model, const void *access); /* known to be complete at the target */
bool access_is_answered(const struct access *access);                /* all requests of flushes are */
bool access_is_done(const struct access *access);                    /* complete at the target at access_done_ps() */
void access_append(struct op *op);
bool op_is_away(const struct op *op);                           /* complete at the origin at op_left_ps() */
bool op_is_local(const struct op *op);                          /* of one with a request */
bool op_is_local_now(const struct model *model, const void *op); /* the same, as a condition */
int64_t op_left_ps(const struct op *op);
int64_t access_left_ps(const struct access *access);
int64_t access_done_ps(const struct access *access);

#endif
