/* State shared by the rules of model/violations/violations.h; private to this room. */
#ifndef MODEL_VIOLATIONS_FINDER_H
#define MODEL_VIOLATIONS_FINDER_H

#include "model/violations/violations.h"

#define NO_CALL SIZE_MAX

struct call_at { /* call is NO_CALL where there is none */
    uint32_t rank;
    size_t call;
};

struct violation {
    enum violation_kind kind;
    struct call_at at, other;
    char *detail; /* owned; "" if the row's sentence is enough */
};

/* A start or post epoch of a rank. */
struct side {
    struct call_at at;
    bool closed;
};

struct side_list {
    struct side *items;
    size_t count, capacity;
};

/* An operation that changes the target's window, and the call that opened its epoch. */
struct update {
    struct call_at at;
    size_t start; /* index in finder.starts, NO_CALL: of a fence epoch */
    size_t fence; /* of a fence epoch: number of the opening fence on the window */
};

/* A lock epoch with operations. */
struct holding {
    struct call_at at;
    int32_t window, target;
    bool exclusive, proven; /* proven: held from from_ps to until_ps; else held at some time between them */
    int64_t from_ps, until_ps;
};

struct finder {
    const struct trace *trace;
    bool *complete;      /* per rank: its recording is complete, so epochs open at its end are never closed */
    uint16_t assertions; /* of all posts and fences */
    struct violation *items;
    size_t count, capacity;
    uint64_t counts[VIOLATION_KIND_COUNT];
    struct side_list starts, posts;
    struct update *updates; /* collected if some rank asserts NOPUT */
    size_t update_count, update_capacity;
    struct map noput; /* (window, rank, number) of fences that assert it to their calls */
    struct holding *holdings;
    size_t holding_count, holding_capacity;
    struct map open_requests; /* (rank, request) */
    struct err *err;
};

/* The key of a fence, for windows and ranks below 2^20 and numbers below 2^24; UINT64_MAX for others. */
uint64_t finder_fence_key(int32_t window, uint32_t rank, size_t number);

static inline const struct trace_call *finder_call(const struct finder *finder, struct call_at at)
{
    return &finder->trace->ranks[at.rank].calls[at.call];
}

/* Adds a violation. The formatted text follows the row's sentence; "" adds nothing. */
enum status finder_add(struct finder *finder, enum violation_kind kind, struct call_at at, struct call_at other,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The rules. find_in_ranks() comes first: it collects the data that the others compare. */
enum status find_in_ranks(struct finder *finder);
enum status find_in_epochs(struct finder *finder);
enum status find_in_locks(struct finder *finder);
enum status find_in_collectives(struct finder *finder);
enum status find_in_messages(struct finder *finder);

#endif
