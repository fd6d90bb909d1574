/* Epochs of post, start, complete and wait that a transform replaces by other calls on both sides at once.
 *
 * Epochs that are paired, directly or through others, change together or stay together: so the n-th access epoch of an origin
 * with a target stays the n-th.
 * Order of calls: epoch_exchange_find(), epoch_exchange_roles() rank by rank, epoch_exchange_clear(). */
#ifndef PREDICTORS_TRANSFORMS_EPOCH_EXCHANGE_H
#define PREDICTORS_TRANSFORMS_EPOCH_EXCHANGE_H

#include "model/match/epochs.h"
#include "predictors/transforms/timeline.h"
#include "predictors/transforms/transform.h"

struct epoch_exchange {
    const struct trace *trace;
    struct transform_report *report;
    struct epochs epochs;
    size_t *parent; /* by epoch, accesses first, then exposures: another epoch of those that it is paired with */
    bool *left;     /* per epoch that is its own parent: all of them stay */
    size_t *pair_first, *pair_call; /* pair_call[pair_first[p] ..]: calls of the operations of pair p, in their order */
};

#define EPOCH_EXCHANGE_NONE "nothing to change: no window has epochs of post, start, complete and wait"

/* What a call of an epoch that changes is. */
enum epoch_exchange_what {
    ROLE_NOTHING,
    ROLE_START,
    ROLE_OPERATION,
    ROLE_NOBODY, /* an operation with MPI_PROC_NULL */
    ROLE_COMPLETE,
    ROLE_POST,
    ROLE_WAIT
};
struct epoch_exchange_role {
    enum epoch_exchange_what what;
    size_t epoch; /* in accesses, or in exposures */
    size_t pair;  /* of an operation */
};

/* Why the operation cannot change; NULL: it can. */
typedef const char *epoch_exchange_refusal(const struct trace_call *operation);

/* Finds the epochs that change. The report gets how many epochs are considered and changed, and a refusal for each set of paired
 * epochs that stays. Inits *exchange, and borrows trace and report. */
enum status epoch_exchange_find(const struct trace *trace, struct transform_report *report, epoch_exchange_refusal *refuses,
                          struct epoch_exchange *exchange, struct err *err);
void epoch_exchange_clear(struct epoch_exchange *exchange);

/* An element per call of the rank; belongs to the caller. */
enum status epoch_exchange_roles(const struct epoch_exchange *exchange, uint32_t rank, struct epoch_exchange_role **roles,
                                 struct err *err);

uint32_t epoch_exchange_origin(const struct epoch_exchange *exchange, size_t pair);
uint32_t epoch_exchange_target(const struct epoch_exchange *exchange, size_t pair);

/* The place of a call for which others are pushed. The first one takes the computing before it, and its recorded duration. */
struct epoch_exchange_site {
    struct timeline_edit *now;
    struct timeline_item item;
};
enum status epoch_exchange_push(struct epoch_exchange_site *site, const struct trace_call *call, struct err *err);
/* MPI_Waitall for the requests, which it sorts; nothing for none. */
enum status epoch_exchange_push_waitall(struct epoch_exchange_site *site, struct trace *made, uint32_t *requests, uint32_t count,
                                  struct err *err);

#endif
