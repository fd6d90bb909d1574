/* Broadcast, gather, scatter, all-gather, all-to-all. Relative ranks: the root is 0. */
#include "tests/reference/collective.h"

enum {
    BCAST_BINOMIAL_BYTES = 12 * 1024,
    BCAST_BINOMIAL_BELOW_RANKS = 8,
    BCAST_DOUBLING_BYTES = 512 * 1024,
    ALLGATHER_DOUBLING_BELOW_BYTES = 512 * 1024,
    ALLGATHER_BRUCK_BELOW_BYTES = 80 * 1024,
    ALLTOALL_BRUCK_FROM_RANKS = 9,
    ALLTOALL_BRUCK_BYTES = 256,
    IALLTOALL_BRUCK_BYTES = 2 * 1024,
    ALLTOALL_AT_ONCE_BYTES = 32 * 1024,
};

static bool is_power(uint32_t count)
{
    return (count & (count - 1)) == 0;
}

static uint32_t relative_to(const struct party *party, uint32_t root)
{
    return (party->me + party->count - root) % party->count;
}

static uint32_t absolute(const struct party *party, uint32_t relative, uint32_t root)
{
    return (relative + root) % party->count;
}

/* In a binomial tree: the distance to the parent; of the root: the first power of two that spans all. */
static uint32_t distance_up(uint32_t relative, uint32_t count)
{
    uint32_t distance = 1;
    while (distance < count && !(relative & distance)) distance *= 2;
    return distance;
}

/* Members of the subtree below, its root included. */
static uint32_t subtree(uint32_t relative, uint32_t distance, uint32_t count)
{
    uint32_t left = count - relative;
    return distance < left ? distance : left;
}

static void broadcast_tree(const struct party *party, uint32_t root, int64_t bytes)
{
    uint32_t own = relative_to(party, root), up = distance_up(own, party->count);
    if (own > 0) party_receive(party, absolute(party, own - up, root));
    for (uint32_t distance = up / 2; distance > 0; distance /= 2)
        if (own + distance < party->count) party_send(party, absolute(party, own + distance, root), bytes);
}

/* --- a vector in as many parts as there are members, rounded up; the last ones may have less or nothing --- */

static int64_t part_end(const struct party *party, uint32_t relative, int64_t bytes)
{
    int64_t part = (bytes + party->count - 1) / party->count, end = part * relative;
    return end < bytes ? end : bytes;
}

static int64_t parts_bytes(const struct party *party, uint32_t first, uint32_t count, int64_t bytes)
{
    return part_end(party, first + count, bytes) - part_end(party, first, bytes);
}

/* The non-blocking one does not know how much it will have received: what it sends first reaches up to the end. */
static void scatter_parts(const struct party *party, uint32_t root, int64_t bytes)
{
    uint32_t own = relative_to(party, root), up = distance_up(own, party->count);
    bool to_the_end = party->later;
    if (own > 0 && parts_bytes(party, own, subtree(own, up, party->count), bytes) > 0)
        party_receive(party, absolute(party, own - up, root));
    for (uint32_t distance = up / 2; distance > 0; distance /= 2) {
        uint32_t child = own + distance;
        if (child >= party->count) continue;
        uint32_t below = to_the_end ? party->count - child : subtree(child, distance, party->count);
        int64_t sent = parts_bytes(party, child, below, bytes);
        to_the_end &= sent == 0;
        if (sent > 0) party_send(party, absolute(party, child, root), sent);
    }
}

static void double_parts(const struct party *party, uint32_t root, int64_t bytes)
{
    uint32_t own = relative_to(party, root);
    for (uint32_t distance = 1; distance < party->count; distance *= 2) {
        uint32_t other = absolute(party, own ^ distance, root), first = own / distance * distance;
        party_exchange(party, other, parts_bytes(party, first, distance, bytes), other);
    }
}

static void pass_parts(const struct party *party, uint32_t root, int64_t bytes)
{
    uint32_t own = relative_to(party, root), n = party->count;
    for (uint32_t step = 0; step + 1 < n; step++)
        party_exchange(party, (party->me + 1) % n, parts_bytes(party, (own + n - step) % n, 1, bytes),
                       (party->me + n - 1) % n);
}

void party_broadcast(const struct party *party, uint32_t root, int64_t bytes)
{
    int64_t less = party->later; /* the limits belong to the next algorithm */
    if (bytes <= BCAST_BINOMIAL_BYTES - less || party->count < BCAST_BINOMIAL_BELOW_RANKS) {
        broadcast_tree(party, root, bytes);
        return;
    }
    scatter_parts(party, root, bytes);
    if (is_power(party->count) && bytes <= BCAST_DOUBLING_BYTES - less)
        double_parts(party, root, bytes);
    else
        pass_parts(party, root, bytes);
}

/* --- blocks --- */

void party_gather(const struct party *party, uint32_t root, int64_t bytes)
{
    uint32_t own = relative_to(party, root), up = distance_up(own, party->count);
    for (uint32_t distance = 1; distance < up; distance *= 2)
        if (own + distance < party->count) party_receive(party, absolute(party, own + distance, root));
    if (own > 0) party_send(party, absolute(party, own - up, root), bytes * subtree(own, up, party->count));
}

void party_scatter(const struct party *party, uint32_t root, int64_t bytes)
{
    uint32_t own = relative_to(party, root), up = distance_up(own, party->count);
    if (own > 0) party_receive(party, absolute(party, own - up, root));
    for (uint32_t distance = up / 2; distance > 0; distance /= 2) {
        uint32_t child = own + distance;
        if (child < party->count)
            party_send(party, absolute(party, child, root), bytes * subtree(child, distance, party->count));
    }
}

/* J. Bruck et al., IEEE TPDS 8(11), 1997. */
static void allgather_bruck(const struct party *party, int64_t bytes)
{
    uint32_t n = party->count;
    for (uint32_t distance = 1; distance < n; distance *= 2) {
        uint32_t blocks = distance < n - distance ? distance : n - distance;
        party_exchange(party, (party->me + n - distance) % n, bytes * blocks, (party->me + distance) % n);
    }
}

void party_allgather(const struct party *party, int64_t bytes)
{
    uint32_t n = party->count;
    int64_t all = bytes * n;
    if (is_power(n) && all < ALLGATHER_DOUBLING_BELOW_BYTES) {
        for (uint32_t distance = 1; distance < n; distance *= 2)
            party_exchange(party, party->me ^ distance, bytes * distance, party->me ^ distance);
    } else if (!is_power(n) && all < ALLGATHER_BRUCK_BELOW_BYTES) {
        allgather_bruck(party, bytes);
    } else {
        for (uint32_t step = 1; step < n; step++)
            party_exchange(party, (party->me + 1) % n, bytes, (party->me + n - 1) % n);
    }
}

/* The blocks whose destination is so far away that the distance is among its powers of two. */
static void alltoall_bruck(const struct party *party, int64_t bytes)
{
    uint32_t n = party->count;
    for (uint32_t distance = 1; distance < n; distance *= 2) {
        uint32_t blocks = 0;
        for (uint32_t away = 0; away < n; away++) blocks += (away & distance) != 0;
        party_exchange(party, (party->me + distance) % n, bytes * blocks, (party->me + n - distance) % n);
    }
}

static void alltoall_pairs(const struct party *party, int64_t bytes)
{
    uint32_t n = party->count;
    for (uint32_t turn = 1; turn < n; turn++) {
        uint32_t to = is_power(n) ? party->me ^ turn : (party->me + turn) % n;
        uint32_t from = is_power(n) ? to : (party->me + n - turn) % n;
        party_exchange(party, to, bytes, from);
    }
}

void party_alltoall(const struct party *party, int64_t bytes)
{
    int64_t bruck_bytes = party->later ? IALLTOALL_BRUCK_BYTES : ALLTOALL_BRUCK_BYTES;
    if (party->count >= ALLTOALL_BRUCK_FROM_RANKS && bytes <= bruck_bytes)
        alltoall_bruck(party, bytes);
    else if (bytes <= ALLTOALL_AT_ONCE_BYTES)
        party_exchange_all(party, bytes);
    else
        alltoall_pairs(party, bytes);
}
