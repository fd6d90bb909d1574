/* Plans of the collectives with counts per rank, of reduce-scatters and scans. */
#include "simulate/plans/plan.h"

/* Bytes of one rank's block. Without counts all blocks are equal: shares of the vector, or the size of an
 * all-gather. */
static int64_t count_of(const struct coll_shape *shape, uint32_t rank, bool of_vector)
{
    if (shape->counts) return shape->counts[rank];
    return of_vector ? shape->bytes / (int64_t)shape->size : shape->bytes;
}

/* Whether a block of these bytes is known to be empty. Less than a byte per rank of a vector is not. */
static bool is_empty(const struct coll_shape *shape, int64_t bytes)
{
    return bytes == 0 && (shape->counts || shape->bytes == 0);
}

/* Bytes of `count` blocks from `first` on, cyclically. */
static int64_t sum_of(const struct coll_shape *shape, uint32_t first, uint32_t count)
{
    int64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) bytes += count_of(shape, (first + i) % shape->size, false);
    return bytes;
}

enum { SYNCHRONOUS_MIN_PROCS = 32 }; /* MPICH 4.0.2: MPIR_CVAR_GATHERV_INTER_SSEND_MIN_PROCS */

/* The root receives from, or sends to, every other rank whose block is not empty, all at once (MPICH's only
 * algorithms). */
static bool linear_step(const struct coll_shape *shape, uint32_t rank, uint32_t number, bool gather,
                        struct coll_step *step)
{
    uint32_t n = shape->size;
    if (rank != shape->root) {
        if (shape->bytes == 0) return false;
        if (gather) step->send_to = (int32_t)shape->root;
        if (gather) step->send_bytes = shape->bytes;
        step->synchronous = gather && n >= SYNCHRONOUS_MIN_PROCS;
        if (!gather) step->receive_from = (int32_t)shape->root;
        return number == 0;
    }
    uint32_t other = number < shape->root ? number : number + 1;
    if (other >= n) return false;
    step->overlap = number + 2 < n;
    int64_t bytes = gather && !shape->counts ? coll_sent_by(shape, other, rank) : count_of(shape, other, false);
    if (bytes == 0) return true;
    if (gather) {
        step->receive_from = (int32_t)other;
        return true;
    }
    step->send_to = (int32_t)other;
    step->send_bytes = bytes;
    return true;
}

enum { PIECE_BYTES = 32768 }; /* MPICH 4.0.2: MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE */

static int64_t piece_limit(const struct coll_shape *shape)
{
    int64_t least = INT64_MAX;
    if (shape->algorithm == COLL_ALLGATHERV_PIPELINE) return PIECE_BYTES;
    for (uint32_t i = 0; i < shape->size; i++)
        if (count_of(shape, i, false) < least) least = count_of(shape, i, false);
    return least > PIECE_BYTES ? least : PIECE_BYTES;
}

/* Bytes of piece `number` of the blocks in the ring, from `first` downwards; -1: there are no more. An empty block also
 * has a piece. */
static int64_t piece_bytes(const struct coll_shape *shape, uint32_t first, uint32_t number, int64_t limit)
{
    uint32_t n = shape->size;
    for (uint32_t i = 0; i + 1 < n; i++) {
        int64_t bytes = count_of(shape, (first + n - i) % n, false);
        uint32_t pieces = bytes > 0 ? (uint32_t)((bytes + limit - 1) / limit) : 1;
        if (number < pieces) return number + 1 < pieces ? limit : bytes - (int64_t)(pieces - 1) * limit;
        number -= pieces;
    }
    return -1;
}

static bool pipeline_step(const struct coll_shape *shape, uint32_t rank, uint32_t number, struct coll_step *step)
{
    uint32_t n = shape->size, left = (rank + n - 1) % n;
    int64_t limit = piece_limit(shape);
    int64_t sent = piece_bytes(shape, rank, number, limit), received = piece_bytes(shape, left, number, limit);
    if (sent < 0 && received < 0) return false;
    if (received > 0) step->receive_from = (int32_t)left;
    if (sent <= 0) return true;
    step->send_to = (int32_t)((rank + 1) % n);
    step->send_bytes = sent;
    return true;
}

static bool allgatherv_step(const struct coll_shape *shape, uint32_t rank, uint32_t number, struct coll_step *step)
{
    uint32_t n = shape->size, distance = number < 31 ? 1u << number : n;
    if (distance >= n) return false;
    if (shape->algorithm == COLL_ALLGATHERV_DOUBLING) {
        step->send_to = step->receive_from = (int32_t)(rank ^ distance);
        step->send_bytes = sum_of(shape, rank & ~(distance - 1), distance);
        return true;
    }
    uint32_t blocks = distance < n - distance ? distance : n - distance;
    return coll_step_around(n, rank, n - distance, sum_of(shape, rank, blocks), step);
}

/* Everybody at once, without empty blocks. */
static bool alltoallv_step(const struct coll_shape *shape, uint32_t rank, uint32_t number, struct coll_step *step)
{
    struct coll_at_once place;
    uint32_t n = shape->size;
    if (!coll_at_once(number, n, &place)) return false;
    uint32_t from = (rank + place.distance) % n, to = (rank + n - place.distance) % n;
    step->overlap = place.overlap;
    if (place.receives) {
        if (coll_sent_by(shape, from, rank) > 0) step->receive_from = (int32_t)from;
        return true;
    }
    int64_t bytes = count_of(shape, to, true);
    if (is_empty(shape, bytes)) return true;
    step->send_to = (int32_t)to;
    step->send_bytes = bytes;
    return true;
}

/* One step after another, upwards. */
static bool reduce_scatter_pairwise_step(const struct coll_shape *shape, uint32_t rank, uint32_t number,
                                         struct coll_step *step)
{
    uint32_t n = shape->size, distance = number + 1;
    if (distance >= n) return false;
    return coll_step_around(n, rank, distance, count_of(shape, (rank + distance) % n, true), step);
}

/* Blocks of the `count` places from first on. */
static int64_t places_bytes(const struct coll_shape *shape, const struct coll_fold *fold, uint32_t first,
                                  uint32_t count)
{
    int64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rank = coll_unfold(fold, first + i);
        bytes += count_of(shape, rank, true);
        if (rank < 2 * fold->rest) bytes += count_of(shape, rank - 1, true); /* it handed in to the rank */
    }
    return bytes;
}

/* Recursive halving; ranks that dropped out get their block at the end. Of blocks, empty ones are left out. */
static bool halving_step(const struct coll_shape *shape, uint32_t rank, uint32_t number, struct coll_step *step)
{
    struct coll_fold fold = coll_fold_of(rank, shape->size, 1);
    uint32_t rounds = 0, folded = fold.rest > 0, partner = rank ^ 1;
    while (1u << rounds < fold.power) rounds++;
    if (number >= rounds + 2 * folded) return false;
    bool first = folded && number == 0, last = folded && number == rounds + 1;
    if (first || last) {
        if (rank >= 2 * fold.rest) return true;
        uint32_t dropped = fold.place < 0 ? rank : partner;
        if (last && is_empty(shape, count_of(shape, dropped, true))) return true;
        if ((fold.place < 0) == first) {
            step->send_to = (int32_t)partner;
            step->send_bytes = first ? shape->bytes : count_of(shape, partner, true);
        } else {
            step->receive_from = (int32_t)partner;
        }
        return true;
    }
    if (fold.place < 0) return true;
    uint32_t mask = fold.power >> (number - folded + 1), other = (uint32_t)fold.place ^ mask;
    int32_t peer = (int32_t)coll_unfold(&fold, other);
    int64_t ours = places_bytes(shape, &fold, (uint32_t)fold.place & ~(mask - 1), mask);
    int64_t theirs = places_bytes(shape, &fold, other & ~(mask - 1), mask);
    if (!is_empty(shape, ours)) step->receive_from = peer;
    if (is_empty(shape, theirs)) return true;
    step->send_to = peer;
    step->send_bytes = theirs;
    return true;
}

static bool scan_step(const struct coll_shape *shape, uint32_t rank, uint32_t number, struct coll_step *step)
{
    uint32_t distance = number < 31 ? 1u << number : shape->size;
    if (distance >= shape->size) return false;
    uint32_t other = rank ^ distance;
    if (other >= shape->size) return true;
    step->send_to = step->receive_from = (int32_t)other;
    step->send_bytes = shape->bytes;
    return true;
}

static bool dissemination_step(const struct coll_shape *shape, uint32_t rank, uint32_t number, struct coll_step *step)
{
    uint32_t n = shape->size, distance = number < 31 ? 1u << number : n;
    if (distance >= n) return false;
    step->control = true;
    return coll_step_around(n, rank, distance, shape->bytes, step);
}

/* MPICH's linear schedule: everything is posted at once. */
static bool neighbor_step(const struct coll_shape *shape, uint32_t number, struct coll_step *step)
{
    const struct trace_neighbors *all = &shape->neighbors;
    uint32_t most = all->source_count > all->destination_count ? all->source_count : all->destination_count;
    if (number >= most) return false;
    step->overlap = number + 1 < most;
    if (number < all->source_count) step->receive_from = (int32_t)all->sources[number];
    if (number >= all->destination_count) return true;
    step->send_to = (int32_t)all->destinations[number];
    step->send_bytes = shape->counts ? shape->counts[number] : shape->bytes / (int64_t)all->destination_count;
    return true;
}

/* The bytes of the edges that end, or begin, at a member. */
static int64_t edge_bytes(const struct trace_neighbors *edges, int32_t member, bool ends)
{
    enum { EDGE_BYTES = 8 }; /* the other end and the weight */
    int64_t bytes = 0;
    const int64_t *at = ends ? edges->destinations : edges->sources;
    for (uint32_t i = 0; i < edges->source_count; i++) bytes += at[i] == member ? EDGE_BYTES : 0;
    return bytes;
}

/* To each member first the edges that end there, then those that begin there; what concerns itself a rank keeps. */
static bool edges_step(const struct coll_shape *shape, uint32_t rank, uint32_t number, struct coll_step *step)
{
    const struct coll_calls *calls = shape->calls;
    uint32_t other = number / 2;
    bool ends = number % 2 == 0;
    if (other >= shape->size || !calls) return false;
    struct trace_neighbors theirs;
    const struct trace_call *call = coll_call_of(shape, other);
    step->overlap = number + 1 < 2 * shape->size;
    if (other == rank) return true;
    if (call && trace_call_neighbors(calls->trace, call, &theirs) &&
        edge_bytes(&theirs, calls->comm->members[rank], ends) > 0)
        step->receive_from = (int32_t)other;
    int64_t bytes = edge_bytes(&shape->neighbors, calls->comm->members[other], ends);
    if (bytes == 0) return true;
    step->send_to = (int32_t)other;
    step->send_bytes = bytes;
    return true;
}

bool coll_step_v(const struct coll_shape *shape, uint32_t rank, uint32_t number, struct coll_step *step)
{
    switch (shape->algorithm) {
    case COLL_GATHERV_LINEAR: return linear_step(shape, rank, number, true, step);
    case COLL_SCATTERV_LINEAR: return linear_step(shape, rank, number, false, step);
    case COLL_ALLGATHERV_DOUBLING:
    case COLL_ALLGATHERV_BRUCK: return allgatherv_step(shape, rank, number, step);
    case COLL_ALLGATHERV_PIPELINE:
    case COLL_IALLGATHERV_PIPELINE: return pipeline_step(shape, rank, number, step);
    case COLL_ALLTOALLV_SCATTERED: return alltoallv_step(shape, rank, number, step);
    case COLL_REDUCE_SCATTER_HALVING: return halving_step(shape, rank, number, step);
    case COLL_REDUCE_SCATTER_PAIRWISE: return reduce_scatter_pairwise_step(shape, rank, number, step);
    case COLL_SCAN_DOUBLING: return scan_step(shape, rank, number, step);
    case COLL_BARRIER_DISSEMINATION: return dissemination_step(shape, rank, number, step);
    case COLL_NEIGHBOR_LINEAR: return neighbor_step(shape, number, step);
    case COLL_EDGES: return edges_step(shape, rank, number, step);
    default: return false;
    }
}
