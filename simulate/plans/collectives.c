/* The choice of MPICH's algorithms, and the plans of those that vector.c has not (simulate/plans/collectives.h). */
#include "simulate/plans/plan.h"

enum { /* limits of MPICH 4.0.2's tuning table (maint/tuning/coll/mpir/generic.json), in bytes */
       BCAST_SHORT = 12288,
       BCAST_LONG = 524288,
       BCAST_MIN_PROCS = 8,
       REDUCE_SHORT = 2048,
       ALLREDUCE_SHORT = 8,
       IALLREDUCE_SHORT = 2048,
       ALLGATHER_SHORT = 81920,
       ALLGATHER_LONG = 524288,
       ALLTOALL_SHORT = 256,
       IALLTOALL_SHORT = 2048,
       ALLTOALL_MEDIUM = 32768,
       ALLTOALL_MIN_PROCS = 9,
       ALLTOALL_BATCH = 32,
       REDUCE_SCATTER_LONG = 524288,
       ELEMENT_BYTES = 8,
       CONTEXT_ELEMENT_BYTES = 4,
       CONTEXT_MASK_BYTES = 260,
       READY_BYTES = 4,
};

bool coll_is_power_of_two(uint32_t size)
{
    return (size & (size - 1)) == 0;
}

static uint32_t ceil_power(uint32_t n)
{
    uint32_t power = 1;
    while (power < n) power <<= 1;
    return power;
}

static uint32_t floor_power(uint32_t n)
{
    uint32_t power = ceil_power(n);
    return power == n ? n : power >> 1;
}

static uint32_t log2_of(uint32_t power)
{
    uint32_t exponent = 0;
    while (power > 1) {
        power >>= 1;
        exponent++;
    }
    return exponent;
}

/* bytes * size < limit, where bytes may be INT64_MAX (not known). */
static bool all_below(int64_t bytes, uint32_t size, int64_t limit)
{
    return bytes <= (limit - 1) / (int64_t)size;
}

/* Too few elements for one element on each of the ranks that halve. */
static bool few_elements(int64_t bytes, int64_t element, uint32_t size)
{
    return bytes / element < (int64_t)floor_power(size);
}

/* Limits of MPI_Bcast are inclusive, those of MPI_Ibcast exclusive. */
static enum coll_algorithm choose_bcast(bool later, uint32_t size, int64_t bytes)
{
    if (bytes < BCAST_SHORT + !later || size < BCAST_MIN_PROCS) return COLL_BCAST_BINOMIAL;
    bool medium = bytes < BCAST_LONG + !later && coll_is_power_of_two(size);
    if (later) return medium ? COLL_IBCAST_SCATTER_DOUBLING : COLL_IBCAST_SCATTER_RING;
    return medium ? COLL_BCAST_SCATTER_DOUBLING : COLL_BCAST_SCATTER_RING;
}

static enum coll_algorithm choose_reduction(enum call_kind kind, bool later, uint32_t size, int64_t bytes)
{
    int64_t element = kind == CALL_COMM_CREATE ? CONTEXT_ELEMENT_BYTES : ELEMENT_BYTES;
    int64_t few = kind == CALL_REDUCE ? REDUCE_SHORT : later ? IALLREDUCE_SHORT : ALLREDUCE_SHORT;
    bool whole = bytes <= few || few_elements(bytes, element, size);
    if (kind == CALL_REDUCE) return whole ? COLL_REDUCE_BINOMIAL : COLL_REDUCE_SCATTER_GATHER;
    return whole ? COLL_ALLREDUCE_DOUBLING : COLL_ALLREDUCE_SCATTER_GATHER;
}

enum coll_algorithm coll_choose(enum call_kind kind, bool later, uint32_t size, int64_t bytes)
{
    bool power = coll_is_power_of_two(size);
    int64_t few = later ? IALLTOALL_SHORT : ALLTOALL_SHORT;
    switch (kind) {
    case CALL_BCAST: return choose_bcast(later, size, bytes);
    case CALL_GATHER: return COLL_GATHER_BINOMIAL;
    case CALL_SCATTER: return COLL_SCATTER_BINOMIAL;
    case CALL_ALLGATHER:
        if (all_below(bytes, size, ALLGATHER_LONG) && power) return COLL_ALLGATHER_DOUBLING;
        return all_below(bytes, size, ALLGATHER_SHORT) ? COLL_ALLGATHER_BRUCK : COLL_ALLGATHER_RING;
    case CALL_ALLTOALL:
        if (bytes <= few && size >= ALLTOALL_MIN_PROCS) return COLL_ALLTOALL_BRUCK;
        return bytes <= ALLTOALL_MEDIUM ? COLL_ALLTOALL_SCATTERED : COLL_ALLTOALL_PAIRWISE;
    case CALL_GATHERV: return COLL_GATHERV_LINEAR;
    case CALL_SCATTERV: return COLL_SCATTERV_LINEAR;
    case CALL_ALLGATHERV:
        if (bytes < ALLGATHER_LONG && power) return COLL_ALLGATHERV_DOUBLING;
        if (bytes < ALLGATHER_SHORT) return COLL_ALLGATHERV_BRUCK;
        return later ? COLL_IALLGATHERV_PIPELINE : COLL_ALLGATHERV_PIPELINE;
    case CALL_ALLTOALLV: return COLL_ALLTOALLV_SCATTERED;
    case CALL_REDUCE_SCATTER:
        return bytes < REDUCE_SCATTER_LONG ? COLL_REDUCE_SCATTER_HALVING : COLL_REDUCE_SCATTER_PAIRWISE;
    case CALL_SCAN:
    case CALL_EXSCAN: return COLL_SCAN_DOUBLING;
    case CALL_BARRIER: return COLL_BARRIER_DISSEMINATION;
    case CALL_NEIGHBOR: return COLL_NEIGHBOR_LINEAR;
    default: return choose_reduction(kind, later, size, bytes);
    }
}

bool coll_moves_nothing(enum call_kind kind, int64_t bytes)
{
    return bytes == 0 && (kind == CALL_ALLGATHERV || kind == CALL_REDUCE_SCATTER || kind == CALL_SCAN || kind == CALL_EXSCAN);
}

bool coll_knows_receipts(enum call_kind kind, bool between)
{
    if (between && (kind == CALL_ALLGATHER || kind == CALL_ALLGATHERV)) return false;
    return kind != CALL_ALLTOALLV && kind != CALL_GATHERV;
}

/* Without counts the blocks of an all-to-all are equal. None is empty, also if there are few bytes. */
static int64_t equal_block(const struct coll_shape *shape, bool to_all, int64_t bytes)
{
    return to_all ? (bytes + shape->size - 1) / (int64_t)shape->size : bytes;
}

const struct trace_call *coll_call_of(const struct coll_shape *shape, uint32_t member)
{
    const struct coll_calls *calls = shape->calls;
    if (!calls || shape->turn >= calls->first[member + 1] - calls->first[member]) return NULL;
    return &calls->trace->ranks[calls->comm->members[member]].calls[calls->calls[calls->first[member] + shape->turn]];
}

int64_t coll_sent_by(const struct coll_shape *shape, uint32_t from, uint32_t own)
{
    if (!shape->calls && !shape->counts) return equal_block(shape, shape->algorithm == COLL_ALLTOALLV_SCATTERED, shape->bytes);
    const struct trace_call *call = coll_call_of(shape, from);
    if (!call) return 1;
    bool to_all = call_kind(call->call) == CALL_ALLTOALLV;
    const int64_t *counts = to_all ? trace_call_counts(shape->calls->trace, call) : NULL;
    return counts ? counts[own] : equal_block(shape, to_all, call->bytes);
}

uint32_t coll_partner(const struct coll_shape *shape, const struct trace_comm *comm, int32_t partner)
{
    return (uint32_t)(shape->algorithm == COLL_NEIGHBOR_LINEAR ? partner : comm->members[partner]);
}

/* --- binomial trees: v is the rank relative to the root --- */

/* The size of v's subtree: its lowest set bit. The root's subtree is the whole tree. */
static uint32_t span_of(uint32_t v, uint32_t n)
{
    return v == 0 ? ceil_power(n) : v & -v;
}

static int32_t absolute_rank(const struct coll_shape *shape, uint32_t v)
{
    return (int32_t)((v + shape->root) % shape->size);
}

/* Bytes of `count` blocks from block v on, where all blocks together have `total` bytes. */
static int64_t range_bytes(uint32_t v, uint32_t count, int64_t block, int64_t total)
{
    int64_t begin = (int64_t)v * block, end = begin + (int64_t)count * block;
    if (end > total) end = total;
    return end > begin ? end - begin : 0;
}

static uint32_t down_steps(uint32_t v, uint32_t n)
{
    return log2_of(span_of(v, n)) + (v != 0);
}

/* From the root to the leaves. block 0: the whole vector of `total` bytes is sent, else the blocks of subtrees. */
static bool down_step(const struct coll_shape *shape, uint32_t v, uint32_t number, int64_t block, int64_t total,
                      struct coll_step *step)
{
    uint32_t n = shape->size, span = span_of(v, n);
    if (number >= down_steps(v, n)) return false;
    if (v != 0 && number == 0) {
        step->receive_from = absolute_rank(shape, v - span);
        return true;
    }
    uint32_t mask = span >> (number - (v != 0) + 1);
    if (v + mask >= n) return true;
    step->send_to = absolute_rank(shape, v + mask);
    step->send_bytes = block ? range_bytes(v + mask, mask, block, total) : total;
    return true;
}

/* From the leaves to the root. */
static bool up_step(const struct coll_shape *shape, uint32_t v, uint32_t number, int64_t block, int64_t total,
                    struct coll_step *step)
{
    uint32_t n = shape->size, span = span_of(v, n), receives = log2_of(span);
    if (number >= receives + (v != 0)) return false;
    if (number < receives) {
        uint32_t child = v + (1u << number);
        if (child < n) step->receive_from = absolute_rank(shape, child);
        return true;
    }
    step->send_to = absolute_rank(shape, v - span);
    step->send_bytes = block ? range_bytes(v, span, block, total) : total;
    return true;
}

enum coll_algorithm coll_choose_ireduce_scatter_block(int64_t bytes)
{
    bool few = bytes / ELEMENT_BYTES < REDUCE_SCATTER_LONG;
    return few ? COLL_REDUCE_SCATTER_HALVING : COLL_REDUCE_SCATTER_PAIRWISE;
}

struct coll_shape coll_comm_idup(const struct trace_comm *comm)
{
    return (struct coll_shape){.algorithm = COLL_COMM_IDUP,
                               .size = comm->count,
                               .bytes = CONTEXT_MASK_BYTES,
                               .first_group = comm->first_group,
                               .kind = CALL_BARRIER,
                               .later = true};
}

/* --- all-gather --- */

static bool doubling_step(const struct coll_shape *shape, uint32_t v, uint32_t number, int64_t block, int64_t total,
                          struct coll_step *step)
{
    uint32_t distance = 1u << number;
    if (distance >= shape->size) return false;
    step->send_to = step->receive_from = absolute_rank(shape, v ^ distance);
    step->send_bytes = range_bytes(v & ~(distance - 1), distance, block, total);
    return true;
}

static bool ring_step(const struct coll_shape *shape, uint32_t v, uint32_t number, int64_t block, int64_t total,
                      struct coll_step *step)
{
    uint32_t n = shape->size;
    if (number + 1 >= n) return false;
    step->send_to = absolute_rank(shape, (v + 1) % n);
    step->receive_from = absolute_rank(shape, (v + n - 1) % n);
    step->send_bytes = range_bytes((v + n - number) % n, 1, block, total);
    return true;
}

static bool bruck_step(const struct coll_shape *shape, uint32_t rank, uint32_t number, struct coll_step *step)
{
    uint32_t n = shape->size, distance = 1u << number;
    if (distance >= n) return false;
    uint32_t blocks = distance < n - distance ? distance : n - distance;
    return coll_step_around(n, rank, n - distance, (int64_t)blocks * shape->bytes, step);
}

/* --- broadcast of long vectors --- */

/* Whether step `number` of v, not the root, is the first one of the scatter that sends: larger children would be out of
 * range. */
static bool is_first_child(const struct coll_shape *shape, uint32_t v, uint32_t number)
{
    uint32_t span = span_of(v, shape->size);
    return number == 1 || v + (span >> (number - 1)) >= shape->size;
}

/* The non-blocking schedule does not know what an inner rank will have. Its first message to others holds all blocks up
 * to the end. */
static bool scatter_allgather_step(const struct coll_shape *shape, uint32_t v, uint32_t number, bool ring,
                                   struct coll_step *step)
{
    int64_t total = shape->bytes, block = (total + shape->size - 1) / shape->size;
    uint32_t scatter = down_steps(v, shape->size);
    if (number >= scatter) return (ring ? ring_step : doubling_step)(shape, v, number - scatter, block, total, step);
    bool later = shape->algorithm == COLL_IBCAST_SCATTER_DOUBLING || shape->algorithm == COLL_IBCAST_SCATTER_RING;
    down_step(shape, v, number, block, total, step);
    uint32_t child = v + (span_of(v, shape->size) >> number);
    if (later && v != 0 && step->send_to >= 0 && is_first_child(shape, v, number))
        step->send_bytes = range_bytes(child, shape->size, block, total);
    return true;
}

/* --- reductions --- */

struct coll_fold coll_fold_of(uint32_t rank, uint32_t n, uint32_t keeper)
{
    struct coll_fold fold = {.power = floor_power(n), .keeper = keeper};
    fold.rest = n - fold.power;
    if (rank >= 2 * fold.rest)
        fold.place = (int32_t)(rank - fold.rest);
    else
        fold.place = (rank & 1) == keeper ? (int32_t)(rank / 2) : -1;
    return fold;
}

uint32_t coll_unfold(const struct coll_fold *fold, uint32_t place)
{
    return place < fold->rest ? 2 * place + fold->keeper : place + fold->rest;
}

/* The step before (hand in) or after (hand out) the exchange among the ranks that stay. */
static void hand_step(const struct coll_shape *shape, const struct coll_fold *fold, uint32_t v, bool in,
                      struct coll_step *step)
{
    if (v >= 2 * fold->rest) return;
    int32_t partner = absolute_rank(shape, v ^ 1);
    if ((fold->place < 0) == in) {
        step->send_to = partner;
        step->send_bytes = shape->bytes;
    } else {
        step->receive_from = partner;
    }
}

static void plan_exchange(const struct coll_shape *shape, const struct coll_fold *fold, uint32_t mask, int64_t bytes,
                          struct coll_step *step)
{
    if (fold->place < 0) return;
    step->send_to = step->receive_from = absolute_rank(shape, coll_unfold(fold, (uint32_t)fold->place ^ mask));
    step->send_bytes = bytes;
}

static int64_t bytes_of_part(int64_t bytes, uint32_t part, uint32_t of)
{
    return bytes / (int64_t)of * (int64_t)part + bytes % (int64_t)of * (int64_t)part / (int64_t)of;
}

static bool allreduce_step(const struct coll_shape *shape, uint32_t rank, uint32_t number, bool halving,
                           struct coll_step *step)
{
    struct coll_fold fold = coll_fold_of(rank, shape->size, 1);
    uint32_t rounds = log2_of(fold.power), folded = fold.rest > 0;
    uint32_t middle = halving ? 2 * rounds : rounds;
    if (number >= middle + 2 * folded) return false;
    if (folded && (number == 0 || number == middle + 1)) {
        hand_step(shape, &fold, rank, number == 0, step);
        return true;
    }
    uint32_t round = number - folded;
    if (!halving) {
        plan_exchange(shape, &fold, 1u << round, shape->bytes, step);
        return true;
    }
    if (round >= rounds) round = 2 * rounds - 1 - round; /* the all-gather reverses the steps of the reduce-scatter */
    plan_exchange(shape, &fold, 1u << round, bytes_of_part(shape->bytes, fold.power >> (round + 1), fold.power), step);
    return true;
}

static bool comm_idup_step(const struct coll_shape *shape, uint32_t rank, uint32_t number, struct coll_step *step)
{
    struct coll_fold fold = coll_fold_of(rank, shape->size, 1);
    uint32_t agreeing = log2_of(fold.power) + (fold.rest > 0 ? 2 : 0);
    if (number < agreeing) return allreduce_step(shape, rank, number, false, step);
    return down_step(shape, rank, number - agreeing, 0, READY_BYTES, step);
}

/* A root that dropped out takes the place of rank 0 in the gather. */
static void gather_reduced(const struct coll_shape *shape, const struct coll_fold *fold, uint32_t rank, uint32_t bit,
                           bool root_back, struct coll_step *step)
{
    uint32_t root_place = root_back ? 0 : (uint32_t)coll_fold_of(shape->root, shape->size, 0).place;
    bool here = root_back && rank == shape->root, gone = root_back && fold->place == 0;
    if ((fold->place < 0 && !here) || gone) return;
    uint32_t place = here ? 0 : (uint32_t)fold->place, other = place ^ (1u << bit);
    if (place >> (bit + 1) != root_place >> (bit + 1)) return; /* its blocks have been sent before */
    int32_t partner = root_back && other == 0 ? (int32_t)shape->root : (int32_t)coll_unfold(fold, other);
    if ((place ^ root_place) >> bit & 1) {
        step->send_to = partner;
        step->send_bytes = bytes_of_part(shape->bytes, fold->power >> (bit + 1), fold->power);
    } else {
        step->receive_from = partner;
    }
}

/* Reduce-scatter by recursive halving, then a binomial gather to the root. Odd ranks drop out, even if one is the
 * root. */
static bool reduce_scatter_gather_step(const struct coll_shape *shape, uint32_t rank, uint32_t number,
                                       struct coll_step *step)
{
    struct coll_shape from_zero = *shape;
    struct coll_fold fold = coll_fold_of(rank, shape->size, 0);
    uint32_t rounds = log2_of(fold.power), folded = fold.rest > 0;
    bool root_back = shape->root < 2 * fold.rest && shape->root % 2 == 1;
    from_zero.root = 0;
    if (number >= 2 * rounds + folded + root_back) return false;
    if (folded && number == 0) {
        hand_step(&from_zero, &fold, rank, true, step);
        return true;
    }
    uint32_t round = number - folded;
    if (round < rounds) {
        plan_exchange(&from_zero, &fold, 1u << round,
                      bytes_of_part(shape->bytes, fold.power >> (round + 1), fold.power), step);
        return true;
    }
    if (root_back && round == rounds) {
        if (rank == shape->root) step->receive_from = 0;
        if (rank != 0) return true;
        step->send_to = (int32_t)shape->root;
        step->send_bytes = bytes_of_part(shape->bytes, 1, fold.power);
        return true;
    }
    gather_reduced(shape, &fold, rank, 2 * rounds - 1 + root_back - round, root_back, step);
    return true;
}

/* --- all-to-all --- */

static bool alltoall_bruck_step(const struct coll_shape *shape, uint32_t rank, uint32_t number, struct coll_step *step)
{
    uint32_t n = shape->size, distance = 1u << number, blocks = 0;
    if (distance >= n) return false;
    for (uint32_t i = 0; i < n; i++) blocks += (i & distance) != 0;
    return coll_step_around(n, rank, distance, (int64_t)blocks * shape->bytes, step);
}

/* A batch of k partners has k steps that receive, then k that send. Distance 0, the own rank, has none. */
bool coll_at_once(uint32_t number, uint32_t size, struct coll_at_once *place)
{
    if (number / 2 + 1 >= size) return false;
    uint32_t batch = (number / 2 + 1) / ALLTOALL_BATCH * ALLTOALL_BATCH;
    uint32_t first = batch > 0 ? batch : 1, end = size - batch > ALLTOALL_BATCH ? batch + ALLTOALL_BATCH : size;
    uint32_t within = number - 2 * (first - 1), count = end - first;
    *place = (struct coll_at_once){.receives = within < count,
                                   .distance = first + within % count,
                                   .overlap = within + 1 < 2 * count};
    return true;
}

static bool alltoall_scattered_step(const struct coll_shape *shape, uint32_t rank, uint32_t number,
                                    struct coll_step *step)
{
    struct coll_at_once place;
    uint32_t n = shape->size;
    if (!coll_at_once(number, n, &place)) return false;
    step->overlap = place.overlap;
    step->send_bytes = shape->bytes;
    if (place.receives)
        step->receive_from = (int32_t)((rank + place.distance) % n);
    else
        step->send_to = (int32_t)((rank + n - place.distance) % n);
    return true;
}

static bool alltoall_pairwise_step(const struct coll_shape *shape, uint32_t rank, uint32_t number,
                                   struct coll_step *step)
{
    uint32_t n = shape->size, distance = number + 1;
    if (distance >= n) return false;
    coll_step_around(n, rank, distance, shape->bytes, step);
    if (coll_is_power_of_two(n)) step->send_to = step->receive_from = (int32_t)(rank ^ distance);
    return true;
}

bool coll_step(const struct coll_shape *shape, uint32_t rank, uint32_t number, struct coll_step *step)
{
    *step = (struct coll_step){.send_to = -1, .receive_from = -1};
    uint32_t n = shape->size, v = (rank + n - shape->root) % n;
    int64_t block = shape->bytes, total = block * (int64_t)n;
    if (shape->first_group > 0) return coll_step_between(shape, rank, number, step);
    if (n < 2 && shape->algorithm != COLL_NEIGHBOR_LINEAR) return false;
    switch (shape->algorithm) {
    case COLL_BCAST_BINOMIAL: return down_step(shape, v, number, 0, shape->bytes, step);
    case COLL_IBCAST_SCATTER_DOUBLING:
    case COLL_BCAST_SCATTER_DOUBLING: return scatter_allgather_step(shape, v, number, false, step);
    case COLL_IBCAST_SCATTER_RING:
    case COLL_BCAST_SCATTER_RING: return scatter_allgather_step(shape, v, number, true, step);
    case COLL_REDUCE_BINOMIAL: return up_step(shape, v, number, 0, shape->bytes, step);
    case COLL_REDUCE_SCATTER_GATHER: return reduce_scatter_gather_step(shape, rank, number, step);
    case COLL_COMM_IDUP: return comm_idup_step(shape, rank, number, step);
    case COLL_ALLREDUCE_DOUBLING: return allreduce_step(shape, rank, number, false, step);
    case COLL_ALLREDUCE_SCATTER_GATHER: return allreduce_step(shape, rank, number, true, step);
    case COLL_GATHER_BINOMIAL: return up_step(shape, v, number, block, total, step);
    case COLL_SCATTER_BINOMIAL: return down_step(shape, v, number, block, total, step);
    case COLL_ALLGATHER_DOUBLING: return doubling_step(shape, rank, number, block, total, step);
    case COLL_ALLGATHER_BRUCK: return bruck_step(shape, rank, number, step);
    case COLL_ALLGATHER_RING: return ring_step(shape, rank, number, block, total, step);
    case COLL_ALLTOALL_BRUCK: return alltoall_bruck_step(shape, rank, number, step);
    case COLL_ALLTOALL_SCATTERED: return alltoall_scattered_step(shape, rank, number, step);
    case COLL_ALLTOALL_PAIRWISE: return alltoall_pairwise_step(shape, rank, number, step);
    default: return coll_step_v(shape, rank, number, step);
    }
}
