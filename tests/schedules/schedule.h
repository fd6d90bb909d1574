/* MPICH 4.0.2's collectives as loops of point-to-point calls: who sends how much to whom, and what has to be there
 * before. Written by hand from the descriptions of the algorithms (R. Thakur, R. Rabenseifner, W. Gropp, Optimization
 * of Collective Communication Operations in MPICH, IJHPCA 19(1), 2005), without a look at simulate/plans/collectives.c: it is
 * an independent path to what a collective costs. tests/schedules lets MPICH prove it, message by message; tests/oracle
 * runs it on SMPI.
 *
 * The program that includes it gives the four functions below. Messages hold no data that matters. */
#ifndef TESTS_SCHEDULES_SCHEDULE_H
#define TESTS_SCHEDULES_SCHEDULE_H

#include <mpi.h>
#include <stdbool.h>

enum { NOBODY = -1, PARTY_MAX = 64, SCHEDULE_REQUESTS_MAX = 2 * PARTY_MAX };

struct party {
    MPI_Comm comm;
    int rank, size;
    bool later; /* the non-blocking collective */
};

static void schedule_send(const struct party *party, int to, long bytes, MPI_Request *request);
static void schedule_send_synchronous(const struct party *party, int to, long bytes, MPI_Request *request);
static void schedule_receive(const struct party *party, int from, MPI_Request *request);
/* Waits for all of them, whose senders may wait for that; sources: of the receives. */
static void schedule_take(const struct party *party, int count, MPI_Request *requests, const int *sources);

static struct party party_of(MPI_Comm comm, bool later)
{
    struct party party = {.comm = comm, .later = later};
    MPI_Comm_rank(comm, &party.rank);
    MPI_Comm_size(comm, &party.size);
    return party;
}

static void finish(int count, MPI_Request *requests)
{
    MPI_Status statuses[SCHEDULE_REQUESTS_MAX];
    PMPI_Waitall(count, requests, statuses);
}

/* Both at once; NOBODY: not. */
static void exchange(const struct party *party, int to, long bytes, int from)
{
    MPI_Request requests[2];
    int count = 0;
    if (from != NOBODY) schedule_receive(party, from, &requests[count++]);
    if (to != NOBODY) schedule_send(party, to, bytes, &requests[count++]);
    finish(count, requests);
}

static int turned(const struct party *party, int rank, int by)
{
    return ((rank + by) % party->size + party->size) % party->size;
}

static long least(long a, long b)
{
    return a < b ? a : b;
}

static int power_below(int n)
{
    int power = 1;
    while (2 * power <= n) power *= 2;
    return power;
}

static bool is_power(int n)
{
    return power_below(n) == n;
}

/* --- trees: `place` counts ranks from the root on, as blocks are numbered --- */

static void schedule_barrier(const struct party *party)
{
    for (int far = 1; far < party->size; far *= 2)
        exchange(party, turned(party, party->rank, far), 0, turned(party, party->rank, -far));
}

static void bcast_whole(const struct party *party, int root, long bytes)
{
    int place = turned(party, party->rank, -root), far = 1;
    while (far < party->size && !(place & far)) far *= 2;
    if (place) exchange(party, NOBODY, 0, turned(party, party->rank, -far));
    for (far /= 2; far > 0; far /= 2)
        if (place + far < party->size) exchange(party, turned(party, party->rank, far), bytes, NOBODY);
}

/* Blocks [place, end of the subtree) of `block` bytes each, `bytes` in all. MPI_Ibcast's ranks between root and leaves
 * do not know how much they will have: all that could come, up to the end. */
static void scatter_blocks(const struct party *party, int root, long block, long bytes, bool knows)
{
    int place = turned(party, party->rank, -root), far = 1;
    while (far < party->size && !(place & far)) far *= 2;
    long behind = bytes - place * block, held = place && knows ? least(behind, far * block) : behind;
    if (place && behind > 0) exchange(party, NOBODY, 0, turned(party, party->rank, -far));
    for (far /= 2; far > 0; far /= 2) {
        long part = held - far * block;
        if (place + far >= party->size || part <= 0) continue;
        exchange(party, turned(party, party->rank, far), part, NOBODY);
        held -= part;
    }
}

static long range(int first, int count, long block, long bytes)
{
    long begin = least(first * block, bytes), end = least((first + count) * block, bytes);
    return end - begin;
}

static void bcast_scattered(const struct party *party, int root, long bytes, bool ring)
{
    int place = turned(party, party->rank, -root), n = party->size;
    long block = (bytes + n - 1) / n;
    scatter_blocks(party, root, block, bytes, !party->later);
    if (ring) {
        for (int turn = 0; turn < n - 1; turn++)
            exchange(party, turned(party, party->rank, 1), range(turned(party, place, -turn), 1, block, bytes),
                     turned(party, party->rank, -1));
        return;
    }
    for (int far = 1; far < n; far *= 2) {
        int partner = turned(party, place ^ far, root);
        exchange(party, partner, range(place - place % far, far, block, bytes), partner);
    }
}

static void schedule_bcast(const struct party *party, int root, long bytes)
{
    bool middle = party->later ? bytes < 524288 : bytes <= 524288, few = party->later ? bytes < 12288 : bytes <= 12288;
    if (few || party->size < 8)
        bcast_whole(party, root, bytes);
    else
        bcast_scattered(party, root, bytes, !(middle && is_power(party->size)));
}

static void schedule_scatter(const struct party *party, int root, long bytes)
{
    scatter_blocks(party, root, bytes, bytes * party->size, true);
}

static void schedule_gather(const struct party *party, int root, long bytes)
{
    int place = turned(party, party->rank, -root);
    for (int far = 1; far < party->size; far *= 2) {
        if (place & far) {
            int held = far < party->size - place ? far : party->size - place;
            exchange(party, turned(party, party->rank, -far), held * bytes, NOBODY);
            return;
        }
        if (place + far < party->size) exchange(party, NOBODY, 0, turned(party, party->rank, far));
    }
}

static void reduce_whole(const struct party *party, int root, long bytes)
{
    int place = turned(party, party->rank, -root);
    for (int far = 1; far < party->size; far *= 2) {
        if (place & far) {
            exchange(party, turned(party, party->rank, -far), bytes, NOBODY);
            return;
        }
        if (place + far < party->size) exchange(party, NOBODY, 0, turned(party, party->rank, far));
    }
}

/* --- reductions: the ranks beyond a power of two hand their part to a neighbour; the others have seats --- */

struct seats {
    int count, spare, seat; /* seat: NOBODY for those who handed in */
    int keeps;              /* of each of the first `spare` pairs: the even one (0) or the odd one (1) */
};

static struct seats take_seats(const struct party *party, int keeps)
{
    struct seats seats = {.count = power_below(party->size), .keeps = keeps};
    seats.spare = party->size - seats.count;
    if (party->rank >= 2 * seats.spare)
        seats.seat = party->rank - seats.spare;
    else
        seats.seat = party->rank % 2 == keeps ? party->rank / 2 : NOBODY;
    return seats;
}

static int seated(const struct seats *seats, int seat)
{
    return seat < seats->spare ? 2 * seat + seats->keeps : seat + seats->spare;
}

/* From those without a seat to their neighbours, or back. */
static void hand(const struct party *party, const struct seats *seats, bool in, long bytes)
{
    if (party->rank >= 2 * seats->spare) return;
    int neighbour = party->rank ^ 1;
    if ((seats->seat == NOBODY) == in)
        exchange(party, neighbour, bytes, NOBODY);
    else
        exchange(party, NOBODY, 0, neighbour);
}

/* Bytes of parts [first, first + count) of `of`: whole elements; the first parts have one more, of the non-blocking
 * collectives the last one has all that are left. */
static long parts(const struct party *party, int first, int count, int of, long bytes, int element)
{
    long elements = bytes / element, each = elements / of, more = elements % of;
    if (party->later) return (count * each + (first + count == of ? more : 0)) * element;
    return (count * each + least(first + count, more) - least(first, more)) * element;
}

/* Returns the part that is left to this seat. */
static int halve(const struct party *party, const struct seats *seats, long bytes, int element)
{
    int first = 0;
    for (int far = 1; far < seats->count; far *= 2) {
        int half = seats->count / (2 * far), other = seats->seat ^ far;
        bool low = seats->seat < other;
        exchange(party, seated(seats, other),
                 parts(party, low ? first + half : first, half, seats->count, bytes, element), seated(seats, other));
        if (!low) first += half;
    }
    return first;
}

static void schedule_allreduce(const struct party *party, long bytes, int element, long few)
{
    struct seats seats = take_seats(party, 1);
    hand(party, &seats, true, bytes);
    if (seats.seat == NOBODY) {
        hand(party, &seats, false, bytes);
        return;
    }
    if (bytes <= few || bytes / element < seats.count) {
        for (int far = 1; far < seats.count; far *= 2) {
            int other = seated(&seats, seats.seat ^ far);
            exchange(party, other, bytes, other);
        }
    } else {
        int first = halve(party, &seats, bytes, element);
        for (int far = seats.count / 2, held = 1; far > 0; far /= 2, held *= 2) {
            int other = seated(&seats, seats.seat ^ far);
            exchange(party, other, parts(party, first, held, seats.count, bytes, element), other);
            first -= first % (2 * held);
        }
    }
    hand(party, &seats, false, bytes);
}

/* The parts come back to the root's seat. A root without one takes that of rank 0. */
static void gather_parts(const struct party *party, const struct seats *seats, int root, long bytes, int element,
                         int first)
{
    bool unseated = root < 2 * seats->spare && root % 2 == 1;
    int seat = seats->seat, home = unseated ? 0 : root < 2 * seats->spare ? root / 2 : root - seats->spare;
    if (unseated && party->rank == root) {
        exchange(party, NOBODY, 0, 0);
        seat = first = 0;
    } else if (unseated && seat == 0) {
        exchange(party, root, parts(party, 0, 1, seats->count, bytes, element), NOBODY);
        return;
    }
    if (seat == NOBODY) return;
    for (int far = seats->count / 2, held = 1; far > 0; far /= 2, held *= 2) {
        int other = seat ^ far, partner = unseated && other == 0 ? root : seated(seats, other);
        if ((seat ^ home) & far) {
            exchange(party, partner, parts(party, first, held, seats->count, bytes, element), NOBODY);
            return;
        }
        exchange(party, NOBODY, 0, partner);
        first -= first % (2 * held);
    }
}

static void schedule_reduce(const struct party *party, int root, long bytes, int element)
{
    struct seats seats = take_seats(party, 0);
    if (bytes <= 2048 || bytes / element < seats.count) {
        reduce_whole(party, root, bytes);
        return;
    }
    hand(party, &seats, true, bytes);
    int first = seats.seat == NOBODY ? 0 : halve(party, &seats, bytes, element);
    gather_parts(party, &seats, root, bytes, element, first);
}

static void schedule_scan(const struct party *party, long bytes)
{
    for (int far = 1; far < party->size; far *= 2) {
        int other = party->rank ^ far;
        if (other < party->size) exchange(party, other, bytes, other);
    }
}

/* counts: bytes of each rank's block. */
static void scatter_reduced_pairwise(const struct party *party, const long *counts)
{
    for (int turn = 1; turn < party->size; turn++) {
        int to = turned(party, party->rank, turn);
        exchange(party, to, counts[to], turned(party, party->rank, -turn));
    }
}

static void schedule_reduce_scatter(const struct party *party, const long *counts, bool halving)
{
    struct seats seats = take_seats(party, 1);
    long bytes = 0, of_seat[PARTY_MAX];
    if (!halving) {
        scatter_reduced_pairwise(party, counts);
        return;
    }
    for (int i = 0; i < party->size; i++) bytes += counts[i];
    for (int i = 0; i < seats.count; i++) {
        int rank = seated(&seats, i);
        of_seat[i] = counts[rank] + (rank < 2 * seats.spare ? counts[rank - 1] : 0);
    }
    hand(party, &seats, true, bytes);
    for (int far = seats.count / 2; seats.seat != NOBODY && far > 0; far /= 2) {
        int other = seats.seat ^ far;
        long half = 0;
        for (int i = 0; i < far; i++) half += of_seat[other - other % far + i];
        long own = 0;
        for (int i = 0; i < far; i++) own += of_seat[seats.seat - seats.seat % far + i];
        exchange(party, half > 0 ? seated(&seats, other) : NOBODY, half, own > 0 ? seated(&seats, other) : NOBODY);
    }
    long handed = party->rank < 2 * seats.spare ? counts[party->rank - party->rank % 2] : 0;
    if (handed > 0) hand(party, &seats, false, handed);
}

/* --- everybody to everybody --- */

static long around(const struct party *party, const long *counts, int first, int count)
{
    long bytes = 0;
    for (int i = 0; i < count; i++) bytes += counts[turned(party, first, i)];
    return bytes;
}

static void allgather_doubling(const struct party *party, const long *counts)
{
    for (int far = 1; far < party->size; far *= 2)
        exchange(party, party->rank ^ far, around(party, counts, party->rank - party->rank % far, far),
                 party->rank ^ far);
}

static void allgather_bruck(const struct party *party, const long *counts)
{
    for (int far = 1; far < party->size; far *= 2) {
        int blocks = far < party->size - far ? far : party->size - far;
        exchange(party, turned(party, party->rank, -far), around(party, counts, party->rank, blocks),
                 turned(party, party->rank, far));
    }
}

/* Blocks in pieces go round: what is sent next is what has come. */
static void allgather_ring(const struct party *party, const long *counts, long piece)
{
    int n = party->size, sent = 0, come = 0;
    int left = turned(party, party->rank, -1), right = turned(party, party->rank, 1);
    long sent_of = 0, come_of = 0;
    while (sent < n - 1 || come < n - 1) {
        long to_send = sent < n - 1 ? least(piece, counts[turned(party, party->rank, -sent)] - sent_of) : 0;
        long to_come = come < n - 1 ? least(piece, counts[turned(party, left, -come)] - come_of) : 0;
        exchange(party, to_send > 0 ? right : NOBODY, to_send, to_come > 0 ? left : NOBODY);
        sent_of += to_send;
        come_of += to_come;
        if (sent < n - 1 && sent_of == counts[turned(party, party->rank, -sent)]) sent++, sent_of = 0;
        if (come < n - 1 && come_of == counts[turned(party, left, -come)]) come++, come_of = 0;
    }
}

static void allgather_any(const struct party *party, const long *counts, long piece)
{
    long all = around(party, counts, 0, party->size);
    if (all < 524288 && is_power(party->size))
        allgather_doubling(party, counts);
    else if (all < 81920)
        allgather_bruck(party, counts);
    else
        allgather_ring(party, counts, piece);
}

static void schedule_allgatherv(const struct party *party, const long *counts)
{
    long piece = 32768, smallest = counts[0];
    for (int i = 1; i < party->size; i++) smallest = least(smallest, counts[i]);
    allgather_any(party, counts, party->later && smallest > piece ? smallest : piece);
}

static void schedule_allgather(const struct party *party, long bytes)
{
    long counts[PARTY_MAX];
    for (int i = 0; i < party->size; i++) counts[i] = bytes;
    allgather_any(party, counts, bytes);
}

/* 32 at a time, itself being the first: all of them have to be done before the next. counts: bytes to each, from[]:
 * whether something comes of each; NULL: as much as goes there. */
static void all_at_once(const struct party *party, const long *counts, const long *from)
{
    enum { AT_A_TIME = 32 };
    for (int begin = 0; begin < party->size; begin += AT_A_TIME) {
        MPI_Request requests[SCHEDULE_REQUESTS_MAX];
        int count = 0, end = begin + AT_A_TIME < party->size ? begin + AT_A_TIME : party->size;
        for (int i = begin; i < end; i++) {
            int other = turned(party, party->rank, i);
            if (i > 0 && (from ? from : counts)[other] > 0) schedule_receive(party, other, &requests[count++]);
        }
        for (int i = begin; i < end; i++) {
            int other = turned(party, party->rank, -i);
            if (i > 0 && counts[other] > 0) schedule_send(party, other, counts[other], &requests[count++]);
        }
        finish(count, requests);
    }
}

static void alltoall_bruck(const struct party *party, long bytes)
{
    for (int far = 1; far < party->size; far *= 2) {
        int blocks = 0;
        for (int i = 0; i < party->size; i++) blocks += (i & far) != 0;
        exchange(party, turned(party, party->rank, far), blocks * bytes, turned(party, party->rank, -far));
    }
}

static void schedule_alltoall(const struct party *party, long bytes)
{
    long counts[PARTY_MAX], few = party->later ? 2048 : 256;
    for (int i = 0; i < party->size; i++) counts[i] = bytes;
    if (bytes <= few && party->size > 8) {
        alltoall_bruck(party, bytes);
    } else if (bytes <= 32768) {
        all_at_once(party, counts, NULL);
    } else {
        bool pairs = is_power(party->size);
        for (int i = 1; i < party->size; i++) {
            int to = pairs ? party->rank ^ i : turned(party, party->rank, i);
            exchange(party, to, bytes, pairs ? to : turned(party, party->rank, -i));
        }
    }
}

/* --- linear ones --- */

/* Among 32 ranks or more everybody waits until the root has taken the message. */
static void schedule_gatherv(const struct party *party, int root, const long *counts)
{
    MPI_Request requests[SCHEDULE_REQUESTS_MAX];
    int sources[PARTY_MAX], count = 0;
    if (party->rank != root) {
        if (counts[party->rank] == 0) return;
        (party->size < 32 ? schedule_send : schedule_send_synchronous)(party, root, counts[party->rank], requests);
        finish(1, requests);
        return;
    }
    for (int i = 0; i < party->size; i++) {
        if (i == root || counts[i] == 0) continue;
        sources[count] = i;
        schedule_receive(party, i, &requests[count++]);
    }
    schedule_take(party, count, requests, sources);
}

static void schedule_scatterv(const struct party *party, int root, const long *counts)
{
    MPI_Request requests[SCHEDULE_REQUESTS_MAX];
    int count = 0;
    if (party->rank != root) {
        if (counts[party->rank] > 0) exchange(party, NOBODY, 0, root);
        return;
    }
    for (int i = 0; i < party->size; i++)
        if (i != root && counts[i] > 0) schedule_send(party, i, counts[i], &requests[count++]);
    finish(count, requests);
}

static void schedule_neighbours(const struct party *party, int in_count, const int *in, int out_count, const int *out,
                                const long *counts)
{
    MPI_Request requests[SCHEDULE_REQUESTS_MAX];
    int count = 0;
    for (int i = 0; i < out_count; i++) schedule_send(party, out[i], counts[i], &requests[count++]);
    for (int i = 0; i < in_count; i++) schedule_receive(party, in[i], &requests[count++]);
    finish(count, requests);
}

/* --- communicators: the free context ids are agreed on, then one number says that the new one is ready --- */

static void schedule_comm_create(const struct party *old, const struct party *made, bool gathers, bool doubling)
{
    enum { COLOUR_AND_KEY = 8, CONTEXT_IDS = 260, CONTEXT_WORD = 4, READY = 4 };
    if (gathers) schedule_allgather(old, COLOUR_AND_KEY);
    schedule_allreduce(old, CONTEXT_IDS, CONTEXT_WORD, doubling ? CONTEXT_IDS : 8);
    bcast_whole(made, 0, READY);
}

#endif
