/* Plans of collectives on intercommunicators (MPI-3.1 5.2.2), as in MPICH 4.0.2. Inside a group they are the plans of
 * one group with its first rank as root; then the first ranks exchange messages. tests/schedules counts the messages.
 */
#include "simulate/plans/plan.h"

enum { GATHER_BETWEEN_SHORT = 2048, TURN_BYTES = 1, CONTEXT_BYTES = 2 };

/* The communicator as the rank sees it. first: of its own group; others: of the other one. */
struct sides {
    uint32_t first, count, others, other_count;
    uint32_t rank; /* in its group */
    bool low;      /* its group is the first one */
};

/* One part of a plan: a plan of the own group, or messages of this rank to and from the other group. */
struct part {
    bool local;
    struct coll_shape shape;      /* local */
    uint32_t to_first, to_count;  /* else: the ranks of the communicator that it sends to, all at once */
    uint32_t from_first, from_count;
    int64_t bytes;
    bool blocks; /* of their own sizes: empty ones are left out */
};

static struct sides sides_of(const struct coll_shape *shape, uint32_t rank)
{
    uint32_t low = shape->first_group, high = shape->size - low;
    if (rank < low) return (struct sides){0, low, low, high, rank, true};
    return (struct sides){low, high, 0, low, rank - low, false};
}

static struct part local_part(const struct coll_shape *shape, const struct sides *sides, enum call_kind kind,
                              int64_t bytes)
{
    struct part part = {.local = true, .shape = {.size = sides->count, .bytes = bytes}};
    part.shape.algorithm = coll_choose(kind, shape->later, sides->count, bytes);
    return part;
}

/* The first rank of a group sends bytes to the other group's, receives from it, or both at once. */
static struct part leaders_part(const struct sides *sides, bool sends, bool receives, int64_t bytes)
{
    bool leader = sides->rank == 0;
    return (struct part){.to_first = sides->others,
                         .to_count = leader && sends,
                         .from_first = sides->others,
                         .from_count = leader && receives,
                         .bytes = bytes};
}

/* The low group broadcasts to the high one, then the high group to the low one: parts 0 to 2. */
static struct part broadcast_both(const struct coll_shape *shape, const struct sides *sides, uint32_t number,
                                  int64_t own_bytes, int64_t other_bytes)
{
    uint32_t sends = sides->low ? 0 : 2, receives = sides->low ? 1 : 0;
    if (number == sends) return leaders_part(sides, true, false, own_bytes);
    if (number == receives) return leaders_part(sides, false, true, 0);
    return local_part(shape, sides, CALL_BCAST, other_bytes);
}

/* Every rank sends to the first rank of the other group; that of the low group receives first. */
static struct part gather_both(const struct sides *sides, uint32_t number, int64_t bytes)
{
    struct part part = {.blocks = true};
    if ((number == 0) == sides->low) {
        part.from_first = sides->others;
        part.from_count = sides->rank == 0 ? sides->other_count : 0;
        return part;
    }
    part.to_first = sides->others;
    part.to_count = bytes > 0;
    part.bytes = bytes;
    return part;
}

/* Inside the group: each rank gets its block from the first rank. */
static struct part scatter_part(const struct coll_shape *shape, const struct sides *sides)
{
    if (!shape->counts) return local_part(shape, sides, CALL_SCATTER, shape->bytes / sides->count);
    const int64_t *counts = shape->counts + sides->first;
    struct part part = local_part(shape, sides, CALL_SCATTERV, counts[sides->rank]);
    part.shape.counts = counts;
    return part;
}

/* MPI_Bcast of no bytes sends nothing; MPI_Ibcast sends a message. */
static struct part broadcast_blocks(const struct coll_shape *shape, const struct sides *sides, int64_t bytes)
{
    if (bytes == 0 && !shape->later) return (struct part){.local = false};
    return local_part(shape, sides, CALL_BCAST, bytes);
}

static bool symmetric_part(const struct coll_shape *shape, const struct sides *sides, uint32_t number,
                           struct part *part)
{
    int64_t own = sides->count * shape->bytes, other = shape->calls ? shape->other_bytes : sides->other_count * shape->bytes;
    switch (shape->kind) {
    case CALL_BARRIER:
        *part = number == 0 ? local_part(shape, sides, CALL_BARRIER, shape->bytes)
                            : broadcast_both(shape, sides, number - 1, TURN_BYTES, TURN_BYTES);
        return number < 4;
    case CALL_ALLGATHER:
        *part = number == 0 ? local_part(shape, sides, CALL_GATHER, shape->bytes)
                            : broadcast_both(shape, sides, number - 1, own, other);
        return number < 4;
    case CALL_ALLGATHERV:
        *part = number < 2 ? gather_both(sides, number, shape->bytes) : broadcast_blocks(shape, sides, other);
        return number < 3;
    case CALL_ALLREDUCE:
        *part = number == 0   ? local_part(shape, sides, CALL_REDUCE, shape->bytes)
                : number == 1 ? leaders_part(sides, true, true, shape->bytes)
                              : local_part(shape, sides, CALL_BCAST, shape->bytes);
        return number < 3;
    default: { /* reduce-scatter: the first rank of the low group receives before its group reduces */
        uint32_t reduces = sides->low ? 1 : 0, receives = sides->low ? 0 : 2;
        *part = number == reduces       ? local_part(shape, sides, CALL_REDUCE, shape->bytes)
                : number == reduces + 1 ? leaders_part(sides, true, false, shape->bytes)
                : number == receives       ? leaders_part(sides, false, true, 0)
                                        : scatter_part(shape, sides);
        return number < 4;
    }
    }
}

/* The root is alone, against the other group. */
static bool rooted_part(const struct coll_shape *shape, const struct sides *sides, uint32_t number, struct part *part)
{
    bool root = sides->low, in = shape->kind == CALL_REDUCE || shape->kind == CALL_GATHER;
    bool blocks = shape->kind == CALL_GATHER || shape->kind == CALL_SCATTER;
    uint32_t group = root ? sides->other_count : sides->count;
    int64_t all = blocks ? group * shape->bytes : shape->bytes;
    if (blocks && all >= GATHER_BETWEEN_SHORT) { /* every rank by itself */
        *part = (struct part){.to_first = sides->others, .from_first = sides->others, .bytes = shape->bytes};
        part->to_count = root == in ? 0 : sides->other_count;
        part->from_count = root == in ? sides->other_count : 0;
        return number < 1;
    }
    if (root) {
        *part = leaders_part(sides, !in, in, all);
        return number < 1;
    }
    bool among = number == (in ? 0 : 1);
    *part = among ? local_part(shape, sides, shape->kind, shape->bytes) : leaders_part(sides, in, !in, all);
    return number < 2;
}

/* A turn with each rank of the other group, as if both groups were equally large. MPI_Ialltoallv omits empty blocks. */
static bool pairwise_step(const struct coll_shape *shape, const struct sides *sides, uint32_t number,
                          struct coll_step *step)
{
    bool blocks = shape->later && shape->kind == CALL_ALLTOALLV && shape->counts;
    uint32_t most = sides->count > sides->other_count ? sides->count : sides->other_count;
    if (number >= most) return false;
    uint32_t from = (sides->rank + most - number) % most, to = (sides->rank + number) % most;
    if (from < sides->other_count && !(blocks && coll_sent_by(shape, sides->others + from, sides->first + sides->rank) == 0))
        step->receive_from = (int32_t)(sides->others + from);
    if (to >= sides->other_count || (blocks && shape->counts[sides->others + to] == 0)) return true;
    step->send_to = (int32_t)(sides->others + to);
    if (shape->kind == CALL_ALLTOALL)
        step->send_bytes = shape->bytes;
    else
        step->send_bytes = shape->counts ? shape->counts[step->send_to] : shape->bytes / sides->other_count;
    return true;
}

/* MPI_Comm_idup: each group reduces the free context ids; the first ranks exchange the results and broadcast them. */
static bool idup_part(const struct coll_shape *shape, const struct sides *sides, uint32_t number, struct part *part)
{
    *part = number == 0   ? local_part(shape, sides, CALL_COMM_CREATE, shape->bytes)
            : number == 1 ? leaders_part(sides, true, true, CONTEXT_BYTES)
                          : local_part(shape, sides, CALL_BCAST, CONTEXT_BYTES);
    return number < 3;
}

/* Parts of calls that are no collective of both groups. */
static bool single_part(const struct coll_shape *shape, const struct sides *sides, uint32_t number, struct part *part)
{
    *part = shape->scope == COLL_EACH ? local_part(shape, sides, shape->kind, shape->bytes)
                                        : leaders_part(sides, true, true, shape->bytes);
    return number < 1;
}

typedef bool parts_of_plan(const struct coll_shape *shape, const struct sides *sides, uint32_t number, struct part *part);

static parts_of_plan *plan_of(const struct coll_shape *shape)
{
    if (shape->scope != COLL_TOGETHER) return single_part;
    if (shape->algorithm == COLL_COMM_IDUP) return idup_part;
    bool rooted = shape->kind == CALL_BCAST || shape->kind == CALL_REDUCE || shape->kind == CALL_GATHER ||
                  shape->kind == CALL_SCATTER;
    return rooted ? rooted_part : symmetric_part;
}

/* Fills step `number` of a part. False: the part has no more. */
static bool part_step(const struct coll_shape *shape, const struct part *part, const struct sides *sides, uint32_t number,
                      struct coll_step *step)
{
    if (part->local) {
        if (!coll_step(&part->shape, sides->rank, number, step)) return false;
        if (step->send_to >= 0) step->send_to += (int32_t)sides->first;
        if (step->receive_from >= 0) step->receive_from += (int32_t)sides->first;
        return true;
    }
    uint32_t most = part->to_count > part->from_count ? part->to_count : part->from_count;
    *step = (struct coll_step){.send_to = -1, .receive_from = -1, .overlap = number + 1 < most};
    if (number >= most) return false;
    bool silent = part->blocks && number < part->from_count &&
                  coll_sent_by(shape, part->from_first + number, sides->first + sides->rank) == 0;
    if (number < part->from_count && !silent) step->receive_from = (int32_t)(part->from_first + number);
    if (number >= part->to_count) return true;
    step->send_to = (int32_t)(part->to_first + number);
    step->send_bytes = part->bytes;
    return true;
}

bool coll_step_between(const struct coll_shape *shape, uint32_t rank, uint32_t number, struct coll_step *step)
{
    struct sides sides = sides_of(shape, rank);
    struct part part;
    parts_of_plan *fill = plan_of(shape);
    if (shape->kind == CALL_ALLTOALL || shape->kind == CALL_ALLTOALLV)
        return pairwise_step(shape, &sides, number, step);
    for (uint32_t p = 0; fill(shape, &sides, p, &part); p++) {
        uint32_t passed = 0;
        for (; part_step(shape, &part, &sides, passed, step); passed++)
            if (passed == number) return true;
        number -= passed;
    }
    *step = (struct coll_step){.send_to = -1, .receive_from = -1};
    return false;
}
