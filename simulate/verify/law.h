/* Inside verify: what a law reads and how it reports. Each law is a row of the table in verify.c and a function
 * here. */
#ifndef SIMULATE_VERIFY_LAW_H
#define SIMULATE_VERIFY_LAW_H

#include "common/map.h"
#include "model/match/relations.h"
#include "simulate/verify/verify.h"
#include "simulate/windows/window_modes.h"

struct verify_context {
    const struct trace *trace, *predicted;
    const struct platform *platform;
    const struct engine_descriptor *engine;
    const struct replay_outcome *outcome;
    const struct window_mode *modes; /* by window of the trace */
    struct relations relations; /* of the predicted trace */
    struct map endings;         /* of the predicted trace, see verify_endings_find */
    int64_t slack_ps;           /* rounding of the engine's clock */
};

/* Counts a breach. The first one becomes the row's detail. */
void verify_breach(struct verify_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));
void verify_skip(struct verify_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Checks a call that returns (or a transfer that begins) at time_ps. What it waits for happens at cause_ps at the
 * earliest: an earlier return is a breach. */
void verify_after(const struct verify_context *context, struct verify_row *row, uint32_t rank, size_t call,
                  int64_t time_ps, int64_t cause_ps, const char *cause);

/* The least time from the first byte of a two-sided message leaving to its arrival; 0 where only the engine knows the
 * route (a user's SimGrid platform). verify_send_transmit_ps: until the last byte has left. */
int64_t verify_send_ps(const struct verify_context *context, uint32_t from, uint32_t to, int64_t bytes);
int64_t verify_send_transmit_ps(const struct verify_context *context, uint32_t from, uint32_t to, int64_t bytes);
/* The same for a control message of one-sided communication, from its first byte to its arrival. */
int64_t verify_control_ps(const struct verify_context *context, uint32_t from, uint32_t to);
/* The same for the data of an operation, which may be in one message with others (mpi.rma.aggregate): to the arrival, and
 * until the last byte has left. */
int64_t verify_operation_ps(const struct verify_context *context, uint32_t from, uint32_t to, int64_t bytes);
int64_t verify_leaving_ps(const struct verify_context *context, uint32_t from, uint32_t to, int64_t bytes);

/* The earliest time at which a put or accumulate of the predicted trace is complete at its origin
 * (mpi.rma.protocol.local), or its origin knows that it is complete at its target. */
int64_t verify_local_ps(const struct verify_context *context, uint32_t origin, size_t index);
int64_t verify_known_ps(const struct verify_context *context, uint32_t origin, size_t index);

/* The calls of a whole trace that ended requests. verify_ending: the call whose return shows that the one at index is
 * complete: the wait or test for its request, or itself if it makes none; INSTANCE_NONE: no call. */
enum status verify_endings_find(const struct trace *trace, struct map *endings, struct err *err);
size_t verify_ending(const struct verify_context *context, uint32_t rank, size_t index);

/* The pair `count` pairs before this one; EPOCH_NONE: there are fewer. */
size_t verify_pair_before(const struct epochs *epochs, size_t pair, int64_t count);

/* Law 3 for waits for progress in the predicted trace: the target served when they ended. */
void verify_served(const struct verify_context *context, struct verify_row *row);

/* Why less cost may make a run longer, since things happen in another order; NULL: it cannot (law 4). */
const char *verify_order_varies(const struct verify_context *context);

/* Whether it is an operation of MPI or OpenSHMEM with a target. */
bool verify_is_operation(const struct trace_call *call);
enum rma_kind verify_rma_kind(enum call_kind kind);

typedef enum status verify_law(const struct verify_context *context, struct verify_row *row, struct err *err);
verify_law verify_determinism;   /* 1 */
verify_law verify_transfer_time; /* 2 */
verify_law verify_held;          /* 2: issue = deferred */
verify_law verify_waits_active;  /* 2: post, start, complete, wait */
verify_law verify_waits_passive; /* 2: locks */
verify_law verify_waits_group;   /* 2: fences, window creation and freeing, collectives */
verify_law verify_waits_message; /* 2: sends, receives and the waits for them */
verify_law verify_waits_request; /* 2: waits for requests of one-sided operations */
verify_law verify_waits_shmem;   /* 2: OpenSHMEM */
verify_law verify_bounds;        /* 3 */
verify_law verify_account;       /* 3 */
verify_law verify_awaited;       /* 3: posts, progress */
verify_law verify_monotony;      /* 4 */
verify_law verify_conservation;  /* 5 */
verify_law verify_identity;      /* 6 */
verify_law verify_ideal;         /* 8 */

#endif
