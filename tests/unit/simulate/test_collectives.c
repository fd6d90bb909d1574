/* The plans of collectives, executed step by step: every message finds its partner in order, nothing blocks for ever
 * even where a send ends only when its receive is posted, all ranks that must have somebody's data have heard of it,
 * and messages and bytes are those of the literature (R. Thakur, R. Rabenseifner, W. Gropp, IJHPCA 19(1), 2005, section
 * 3), written here as sums over ranks, not as steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "simulate/plans/collectives.h"

enum { RANKS_MAX = 16, PENDING_MAX = RANKS_MAX * RANKS_MAX };

struct posted { /* a send or a receive that has not met its partner */
    uint32_t rank, partner;
    uint64_t knows; /* send: whose data its sender had heard of */
};

struct execution {
    const struct coll_shape *shape;
    uint32_t step[RANKS_MAX], waiting[RANKS_MAX]; /* waiting: messages of the steps so far that have not met */
    bool done[RANKS_MAX];
    uint64_t knows[RANKS_MAX]; /* bits of the ranks whose data have arrived, in whatever form */
    uint32_t sends[RANKS_MAX], receives[RANKS_MAX];
    int64_t bytes[RANKS_MAX]; /* sent */
    struct posted send[PENDING_MAX], receive[PENDING_MAX];
    size_t send_count, receive_count;
};

/* Takes the oldest of the list that fits; false if there is none. */
static bool take(struct posted *list, size_t *count, uint32_t rank, uint32_t partner, struct posted *taken)
{
    for (size_t i = 0; i < *count; i++) {
        if (list[i].rank != rank || list[i].partner != partner) continue;
        *taken = list[i];
        memmove(&list[i], &list[i + 1], (--*count - i) * sizeof *list);
        return true;
    }
    return false;
}

static void add(struct posted *list, size_t *count, struct posted one)
{
    assert_in_range(*count, 0, PENDING_MAX - 1);
    list[(*count)++] = one;
}

static void post_send(struct execution *run, uint32_t rank, const struct coll_step *step)
{
    struct posted mine = {rank, (uint32_t)step->send_to, run->knows[rank]}, other;
    assert_in_range(step->send_to, 0, run->shape->size - 1);
    assert_true(step->send_bytes >= 0);
    run->sends[rank]++;
    run->bytes[rank] += step->send_bytes;
    if (take(run->receive, &run->receive_count, mine.partner, rank, &other)) {
        run->knows[mine.partner] |= mine.knows;
        run->waiting[mine.partner]--;
        return;
    }
    run->waiting[rank]++;
    add(run->send, &run->send_count, mine);
}

static void post_receive(struct execution *run, uint32_t rank, const struct coll_step *step)
{
    struct posted mine = {rank, (uint32_t)step->receive_from, 0}, other;
    assert_in_range(step->receive_from, 0, run->shape->size - 1);
    run->receives[rank]++;
    if (take(run->send, &run->send_count, mine.partner, rank, &other)) {
        run->knows[rank] |= other.knows;
        run->waiting[mine.partner]--;
        return;
    }
    run->waiting[rank]++;
    add(run->receive, &run->receive_count, mine);
}

/* One step of one rank; false if it cannot go on now. What a rank sends in a step it knew before it. */
static bool advance(struct execution *run, uint32_t rank, bool *overlap)
{
    struct coll_step step;
    if (run->done[rank] || (run->waiting[rank] > 0 && !*overlap)) return false;
    if (!coll_step(run->shape, rank, run->step[rank]++, &step)) {
        run->done[rank] = true;
        return true;
    }
    *overlap = step.overlap;
    if (step.send_to >= 0) post_send(run, rank, &step);
    if (step.receive_from >= 0) post_receive(run, rank, &step);
    return true;
}

static void execute(const struct coll_shape *shape, struct execution *run)
{
    bool overlap[RANKS_MAX] = {false}, moved = true;
    *run = (struct execution){.shape = shape};
    for (uint32_t r = 0; r < shape->size; r++) run->knows[r] = UINT64_C(1) << r;
    while (moved) {
        moved = false;
        for (uint32_t r = 0; r < shape->size; r++) moved |= advance(run, r, &overlap[r]);
    }
    for (uint32_t r = 0; r < shape->size; r++) {
        if (!run->done[r] || run->waiting[r] > 0)
            fail_msg("algorithm %d, %u ranks, root %u, %lld bytes: rank %u is stuck in step %u", shape->algorithm,
                     shape->size, shape->root, (long long)shape->bytes, r, run->step[r]);
    }
    assert_int_equal(run->send_count + run->receive_count, 0);
}

/* --- formulas --- */

static uint32_t ones(uint32_t v)
{
    return (uint32_t)__builtin_popcount(v);
}

static uint32_t log2_down(uint32_t n)
{
    return 31 - (uint32_t)__builtin_clz(n);
}

static uint32_t log2_up(uint32_t n)
{
    return n == 1 ? 0 : log2_down(n - 1) + 1;
}

/* Bytes of a vector's part v when it is cut into n equal parts, rounded up. */
static int64_t part_of(int64_t bytes, uint32_t n, uint32_t v)
{
    int64_t part = (bytes + n - 1) / n, begin = part * v < bytes ? part * v : bytes;
    return bytes - begin < part ? bytes - begin : part;
}

/* In a binomial tree block v passes as many edges as its number has ones. */
static int64_t tree_bytes(uint32_t n, int64_t block)
{
    int64_t sum = 0;
    for (uint32_t v = 0; v < n; v++) sum += ones(v) * block;
    return sum;
}

static int64_t tree_bytes_of_vector(uint32_t n, int64_t bytes)
{
    int64_t sum = 0;
    for (uint32_t v = 0; v < n; v++) sum += ones(v) * part_of(bytes, n, v);
    return sum;
}

/* Everybody ends with everything: each rank takes in what it did not have. */
static int64_t gathered_by_all(uint32_t n, int64_t all)
{
    return (int64_t)(n - 1) * all;
}

/* At distance d the first d of each 2 d ranks exchange with the other d; of the last, shorter group those with a
 * partner. */
static uint32_t scan_messages(uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t d = 1; d < n; d *= 2) sum += n / (2 * d) * 2 * d + (n % (2 * d) > d ? 2 * (n % (2 * d) - d) : 0);
    return sum;
}

/* Sums over all ranks. power: the largest power of two in n; each of the rest ranks hands its vector in, and in
 * all-reduce gets the result back. */
static bool root_drops_out(uint32_t n, uint32_t root)
{
    return root % 2 == 1 && root < 2 * (n - (1u << log2_down(n)));
}

static int64_t expected_bytes(enum coll_algorithm algorithm, uint32_t n, uint32_t root, int64_t b)
{
    int64_t power = INT64_C(1) << log2_down(n), rounds = log2_down(n), rest = n - power;
    switch (algorithm) {
    case COLL_BCAST_BINOMIAL:
    case COLL_REDUCE_BINOMIAL: return (n - 1) * b;
    case COLL_BCAST_SCATTER_DOUBLING:
    case COLL_BCAST_SCATTER_RING: return tree_bytes_of_vector(n, b) + gathered_by_all(n, b);
    /* A root that dropped out gets the first part from rank 0, whose place it takes. */
    case COLL_REDUCE_SCATTER_GATHER:
        return (power - 1) * b + rounds * b / 2 + rest * b + (root_drops_out(n, root) ? b / power : 0);
    case COLL_ALLREDUCE_DOUBLING: return power * rounds * b + 2 * rest * b;
    case COLL_ALLREDUCE_SCATTER_GATHER: return 2 * (power - 1) * b + 2 * rest * b;
    case COLL_GATHER_BINOMIAL:
    case COLL_SCATTER_BINOMIAL: return tree_bytes(n, b);
    case COLL_ALLGATHER_DOUBLING:
    case COLL_ALLGATHER_BRUCK:
    case COLL_ALLGATHER_RING: return gathered_by_all(n, n * b);
    case COLL_ALLTOALL_BRUCK: return n * tree_bytes(n, b); /* a block to distance d takes as many hops as d has ones */
    case COLL_ALLTOALL_SCATTERED:
    case COLL_ALLTOALL_PAIRWISE: return (int64_t)n * (n - 1) * b;
    case COLL_GATHERV_LINEAR:
    case COLL_SCATTERV_LINEAR: return (n - 1) * b;
    case COLL_ALLGATHERV_DOUBLING:
    case COLL_ALLGATHERV_BRUCK:
    case COLL_ALLGATHERV_PIPELINE:
    case COLL_IALLGATHERV_PIPELINE: return gathered_by_all(n, n * b);
    case COLL_ALLTOALLV_SCATTERED: /* without counts every block is the vector's n-th part */
    case COLL_REDUCE_SCATTER_PAIRWISE: return (int64_t)n * (n - 1) * (b / n);
    /* Each of the power ranks gives away what is not its own: all but one vector in the end. */
    case COLL_REDUCE_SCATTER_HALVING: return (power - 1) * n * (b / n) + rest * (b + b / n);
    case COLL_SCAN_DOUBLING: return scan_messages(n) * b;
    case COLL_BARRIER_DISSEMINATION: return n * log2_up(n) * b;
    default: fail_msg("algorithm %d has no formula", algorithm); return -1;
    }
}

static uint32_t expected_messages(enum coll_algorithm algorithm, uint32_t n, uint32_t root, int64_t b)
{
    uint32_t rounds = log2_down(n), power = 1u << rounds, rest = n - power;
    switch (algorithm) {
    case COLL_BCAST_BINOMIAL:
    case COLL_REDUCE_BINOMIAL:
    case COLL_GATHER_BINOMIAL:
    case COLL_SCATTER_BINOMIAL: return n - 1;
    case COLL_BCAST_SCATTER_DOUBLING: return n - 1 + n * rounds;
    case COLL_BCAST_SCATTER_RING: return n - 1 + n * (n - 1);
    case COLL_REDUCE_SCATTER_GATHER: return power * rounds + power - 1 + rest + root_drops_out(n, root);
    case COLL_ALLREDUCE_DOUBLING: return power * rounds + 2 * rest;
    case COLL_ALLREDUCE_SCATTER_GATHER: return 2 * power * rounds + 2 * rest;
    case COLL_ALLGATHER_DOUBLING: return n * rounds;
    case COLL_ALLGATHER_BRUCK:
    case COLL_ALLTOALL_BRUCK: return n * log2_up(n);
    case COLL_ALLGATHER_RING:
    case COLL_ALLTOALL_SCATTERED:
    case COLL_ALLTOALL_PAIRWISE: return n * (n - 1);
    case COLL_GATHERV_LINEAR:
    case COLL_SCATTERV_LINEAR: return b > 0 ? n - 1 : 0; /* empty blocks are not sent */
    case COLL_ALLGATHERV_DOUBLING: return n * rounds;
    case COLL_BARRIER_DISSEMINATION:
    case COLL_ALLGATHERV_BRUCK: return n * log2_up(n);
    case COLL_ALLGATHERV_PIPELINE: return n * (n - 1) * (uint32_t)((b + 32767) / 32768); /* pieces of 32 KiB */
    case COLL_IALLGATHERV_PIPELINE: return n * (n - 1) * (b > 0); /* equal blocks go whole */
    case COLL_ALLTOALLV_SCATTERED: return b > 0 ? n * (n - 1) : 0;
    case COLL_REDUCE_SCATTER_PAIRWISE: return n * (n - 1);
    case COLL_REDUCE_SCATTER_HALVING: return b > 0 ? power * rounds + 2 * rest : rest; /* whole vectors are handed in */
    case COLL_SCAN_DOUBLING: return scan_messages(n);
    default: fail_msg("algorithm %d has no formula", algorithm); return 0;
    }
}

/* Every rank sends the same. */
static bool is_symmetric(enum coll_algorithm algorithm)
{
    return algorithm == COLL_ALLGATHER_BRUCK || algorithm == COLL_ALLGATHER_DOUBLING ||
           algorithm == COLL_ALLGATHER_RING || algorithm == COLL_ALLTOALL_BRUCK ||
           algorithm == COLL_ALLTOALL_PAIRWISE || algorithm == COLL_ALLTOALL_SCATTERED;
}

static bool counts_blocks(enum call_kind kind)
{
    return kind == CALL_ALLGATHERV || kind == CALL_GATHERV || kind == CALL_SCATTERV || kind == CALL_ALLTOALLV ||
           kind == CALL_REDUCE_SCATTER;
}

static void check_reaches_all(enum call_kind kind, const struct execution *run)
{
    uint32_t n = run->shape->size, root = run->shape->root;
    uint64_t all = (UINT64_C(1) << n) - 1;
    bool from_root = kind == CALL_BCAST || kind == CALL_SCATTER || kind == CALL_SCATTERV;
    bool to_root = kind == CALL_REDUCE || kind == CALL_GATHER || kind == CALL_GATHERV;
    for (uint32_t r = 0; r < n; r++) {
        uint64_t must = from_root ? UINT64_C(1) << root : to_root && r != root ? 0 : all;
        if (counts_blocks(kind) && run->shape->bytes == 0) must = 0; /* empty blocks are not sent */
        if (kind == CALL_SCAN) must = (UINT64_C(2) << r) - 1;
        assert_int_equal(run->knows[r] & must, must);
    }
}

static void check_counts(const struct execution *run)
{
    uint32_t n = run->shape->size, messages = 0;
    int64_t bytes = 0, expected = n == 1 ? 0 : expected_bytes(run->shape->algorithm, n, run->shape->root, run->shape->bytes);
    for (uint32_t r = 0; r < n; r++) {
        messages += run->sends[r];
        bytes += run->bytes[r];
        if (!is_symmetric(run->shape->algorithm)) continue;
        assert_int_equal(run->sends[r], run->sends[0]);
        assert_int_equal(run->receives[r], run->sends[0]);
        assert_int_equal(run->bytes[r], expected / n);
    }
    assert_int_equal(messages, n == 1 ? 0 : expected_messages(run->shape->algorithm, n, run->shape->root, run->shape->bytes));
    assert_int_equal(bytes, expected);
}

struct plan {
    enum call_kind kind;
    enum coll_algorithm algorithm;
    bool power_only, rooted;
};

static const struct plan plans[] = {
    {CALL_BCAST, COLL_BCAST_BINOMIAL, false, true},
    {CALL_BCAST, COLL_BCAST_SCATTER_DOUBLING, true, true},
    {CALL_BCAST, COLL_BCAST_SCATTER_RING, false, true},
    {CALL_REDUCE, COLL_REDUCE_BINOMIAL, false, true},
    {CALL_REDUCE, COLL_REDUCE_SCATTER_GATHER, false, true},
    {CALL_ALLREDUCE, COLL_ALLREDUCE_DOUBLING, false, false},
    {CALL_ALLREDUCE, COLL_ALLREDUCE_SCATTER_GATHER, false, false},
    {CALL_GATHER, COLL_GATHER_BINOMIAL, false, true},
    {CALL_SCATTER, COLL_SCATTER_BINOMIAL, false, true},
    {CALL_ALLGATHER, COLL_ALLGATHER_DOUBLING, true, false},
    {CALL_ALLGATHER, COLL_ALLGATHER_BRUCK, false, false},
    {CALL_ALLGATHER, COLL_ALLGATHER_RING, false, false},
    {CALL_ALLTOALL, COLL_ALLTOALL_BRUCK, false, false},
    {CALL_ALLTOALL, COLL_ALLTOALL_SCATTERED, false, false},
    {CALL_ALLTOALL, COLL_ALLTOALL_PAIRWISE, false, false},
    {CALL_GATHERV, COLL_GATHERV_LINEAR, false, true},
    {CALL_SCATTERV, COLL_SCATTERV_LINEAR, false, true},
    {CALL_ALLGATHERV, COLL_ALLGATHERV_DOUBLING, true, false},
    {CALL_ALLGATHERV, COLL_ALLGATHERV_BRUCK, false, false},
    {CALL_ALLGATHERV, COLL_ALLGATHERV_PIPELINE, false, false},
    {CALL_ALLGATHERV, COLL_IALLGATHERV_PIPELINE, false, false},
    {CALL_ALLTOALLV, COLL_ALLTOALLV_SCATTERED, false, false},
    {CALL_REDUCE_SCATTER, COLL_REDUCE_SCATTER_HALVING, false, false},
    {CALL_REDUCE_SCATTER, COLL_REDUCE_SCATTER_PAIRWISE, false, false},
    {CALL_SCAN, COLL_SCAN_DOUBLING, false, false},
    {CALL_BARRIER, COLL_BARRIER_DISSEMINATION, false, false},
};

/* bytes are multiples of 16, so that halves and sixteenths of a vector are whole. */
static void plans_end_and_move_what_the_literature_says(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 5, 6, 7, 8, 13, 16};
    static const int64_t bytes[] = {0, 16, 1600, 1048576};
    for (size_t p = 0; p < sizeof plans / sizeof *plans; p++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (uint32_t root = 0; root < (plans[p].rooted ? sizes[s] : 1); root++)
                for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++) {
                    struct coll_shape shape = {
                        .algorithm = plans[p].algorithm, .size = sizes[s], .root = root, .bytes = bytes[b]};
                    struct execution run;
                    if (plans[p].power_only && !coll_is_power_of_two(sizes[s])) continue;
                    execute(&shape, &run);
                    check_reaches_all(plans[p].kind, &run);
                    check_counts(&run);
                }
}

/* 13 bytes over 8 ranks: parts of 2 bytes, the seventh has 1, the eighth none. Part v passes ones(v) edges:
 * 2 x (1 + 1 + 2 + 1 + 2) + 1 x 2; all then take in what they lack: 7 x 13. */
static void a_vector_that_cannot_be_cut_evenly(void **state)
{
    (void)state;
    static const enum coll_algorithm both[] = {COLL_BCAST_SCATTER_DOUBLING, COLL_BCAST_SCATTER_RING};
    for (int i = 0; i < 2; i++) {
        struct coll_shape shape = {.algorithm = both[i], .size = 8, .root = 3, .bytes = 13};
        struct execution run;
        int64_t sum = 0;
        execute(&shape, &run);
        check_reaches_all(CALL_BCAST, &run);
        for (int r = 0; r < 8; r++) sum += run.bytes[r];
        assert_int_equal(sum, 2 * 7 + 2 + 7 * 13);
    }
}

/* A vector of less than a byte per rank is not empty, one of none is, and so are blocks that are known to be. */
static void short_vectors_are_not_empty(void **state)
{
    (void)state;
    static const int64_t none[4] = {0};
    static const enum coll_algorithm algorithms[] = {COLL_REDUCE_SCATTER_HALVING, COLL_ALLTOALLV_SCATTERED};
    static const uint32_t sends[] = {2, 3};
    for (int i = 0; i < 2; i++)
        for (int64_t bytes = 0; bytes <= 3; bytes += 3)
            for (int known = 0; known < 2; known++) {
                struct coll_shape shape = {.algorithm = algorithms[i], .size = 4, .bytes = bytes, .counts = known ? none : NULL};
                struct coll_step step;
                for (uint32_t rank = 0; rank < 4; rank++) {
                    uint32_t found = 0;
                    for (uint32_t number = 0; coll_step(&shape, rank, number, &step); number++) found += step.send_to >= 0;
                    assert_int_equal(found, known || bytes == 0 ? 0 : sends[i]);
                }
            }
}

/* The root of a broadcast among 8 sends to 3, the root of a scatter hands over 4, 2 and 1 blocks; a chain of n steps
 * would pass the sums above, but not this. */
static void trees_are_as_deep_as_the_logarithm(void **state)
{
    (void)state;
    struct execution run;
    execute(&(struct coll_shape){.algorithm = COLL_BCAST_BINOMIAL, .size = 8, .root = 5, .bytes = 100}, &run);
    assert_int_equal(run.sends[5], 3);
    execute(&(struct coll_shape){.algorithm = COLL_SCATTER_BINOMIAL, .size = 8, .root = 5, .bytes = 100}, &run);
    assert_int_equal(run.sends[5], 3);
    assert_int_equal(run.bytes[5], 700);
    execute(&(struct coll_shape){.algorithm = COLL_REDUCE_BINOMIAL, .size = 8, .root = 5, .bytes = 100}, &run);
    assert_int_equal(run.receives[5], 3);
    execute(&(struct coll_shape){.algorithm = COLL_GATHER_BINOMIAL, .size = 5, .root = 0, .bytes = 100}, &run);
    assert_int_equal(run.receives[0], 3);
}

/* The tuning table in MPICH 4.0.2's library (strings libmpich.so.12, "collective=bcast" and so on), for communicators without
 * several ranks per node, commutative and built-in operations, and elements of eight bytes. */
static void choices_switch_where_mpich_switches(void **state)
{
    (void)state;
    static const struct {
        enum call_kind kind;
        bool later;
        uint32_t size;
        int64_t bytes;
        enum coll_algorithm expected;
    } rows[] = {
        {CALL_BCAST, false, 16, 12288, COLL_BCAST_BINOMIAL},
        {CALL_BCAST, true, 16, 12287, COLL_BCAST_BINOMIAL},
        {CALL_BCAST, false, 7, 1048576, COLL_BCAST_BINOMIAL},
        {CALL_BCAST, false, 16, 12289, COLL_BCAST_SCATTER_DOUBLING},
        {CALL_BCAST, true, 16, 12288, COLL_IBCAST_SCATTER_DOUBLING},
        {CALL_BCAST, false, 16, 524288, COLL_BCAST_SCATTER_DOUBLING},
        {CALL_BCAST, true, 16, 524287, COLL_IBCAST_SCATTER_DOUBLING},
        {CALL_BCAST, false, 16, 524289, COLL_BCAST_SCATTER_RING},
        {CALL_BCAST, true, 16, 524288, COLL_IBCAST_SCATTER_RING},
        {CALL_BCAST, false, 9, 12288, COLL_BCAST_BINOMIAL},
        {CALL_BCAST, false, 9, 12289, COLL_BCAST_SCATTER_RING},
        {CALL_BCAST, true, 9, 12288, COLL_IBCAST_SCATTER_RING},
        {CALL_REDUCE, false, 5, 2048, COLL_REDUCE_BINOMIAL},
        {CALL_REDUCE, false, 5, 2049, COLL_REDUCE_SCATTER_GATHER},
        {CALL_REDUCE, false, 300, 2056, COLL_REDUCE_SCATTER_GATHER},  /* 257 elements, 256 ranks halve */
        {CALL_REDUCE, false, 1024, 8184, COLL_REDUCE_BINOMIAL},       /* 1023 elements, 1024 ranks */
        {CALL_ALLREDUCE, false, 5, 8, COLL_ALLREDUCE_DOUBLING},
        {CALL_ALLREDUCE, false, 5, 24, COLL_ALLREDUCE_DOUBLING},      /* 3 elements, 4 ranks halve */
        {CALL_ALLREDUCE, false, 5, 32, COLL_ALLREDUCE_SCATTER_GATHER},
        {CALL_ALLREDUCE, false, 64, 504, COLL_ALLREDUCE_DOUBLING},    /* 63 elements */
        {CALL_ALLREDUCE, false, 64, 512, COLL_ALLREDUCE_SCATTER_GATHER},
        {CALL_ALLREDUCE, true, 5, 2048, COLL_ALLREDUCE_DOUBLING},
        {CALL_ALLREDUCE, true, 5, 2049, COLL_ALLREDUCE_SCATTER_GATHER},
        {CALL_COMM_CREATE, false, 64, 260, COLL_ALLREDUCE_SCATTER_GATHER}, /* 65 elements of four bytes */
        {CALL_COMM_CREATE, false, 128, 260, COLL_ALLREDUCE_DOUBLING},
        {CALL_GATHER, false, 5, 1048576, COLL_GATHER_BINOMIAL},
        {CALL_SCATTER, false, 5, 1048576, COLL_SCATTER_BINOMIAL},
        {CALL_ALLGATHER, false, 8, 65535, COLL_ALLGATHER_DOUBLING}, /* 524280 in all */
        {CALL_ALLGATHER, false, 8, 65536, COLL_ALLGATHER_RING},
        {CALL_ALLGATHER, false, 5, 16383, COLL_ALLGATHER_BRUCK}, /* 81915 in all */
        {CALL_ALLGATHER, false, 5, 16384, COLL_ALLGATHER_RING},
        {CALL_ALLTOALL, false, 9, 256, COLL_ALLTOALL_BRUCK},
        {CALL_ALLTOALL, false, 8, 256, COLL_ALLTOALL_SCATTERED},
        {CALL_ALLTOALL, false, 9, 257, COLL_ALLTOALL_SCATTERED},
        {CALL_ALLTOALL, true, 9, 2048, COLL_ALLTOALL_BRUCK},
        {CALL_ALLTOALL, true, 8, 2048, COLL_ALLTOALL_SCATTERED},
        {CALL_ALLTOALL, true, 9, 2049, COLL_ALLTOALL_SCATTERED},
        {CALL_ALLTOALL, false, 8, 32768, COLL_ALLTOALL_SCATTERED},
        {CALL_ALLTOALL, false, 8, 32769, COLL_ALLTOALL_PAIRWISE},
        {CALL_ALLGATHERV, false, 5, INT64_MAX, COLL_ALLGATHERV_PIPELINE}, /* counts not known; no overflow on the way */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(coll_choose(rows[i].kind, rows[i].later, rows[i].size, rows[i].bytes), rows[i].expected);
}

/* MPICH posts 32 receives of an all-to-all, the own rank's the first, upwards, then as many sends downwards: of 40
 * ranks rank 5 receives from 6, 7, ... 36 (31 of them), sends to 4, 3, 2, 1, 0, 39, ... 14, and waits; then the last 8:
 * from 37, ... 4, to 13, ... 6. */
static void an_all_to_all_waits_behind_32_partners(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct coll_shape shape = {.size = 40, .bytes = 4096};
        shape.algorithm = i ? COLL_ALLTOALLV_SCATTERED : COLL_ALLTOALL_SCATTERED;
        struct coll_step step;
        static const struct {
            uint32_t number;
            int32_t receive_from, send_to;
            bool overlap;
        } expected[] = {{0, 6, -1, true},   {30, 36, -1, true}, {31, -1, 4, true},  {61, -1, 14, false},
                        {62, 37, -1, true}, {69, 4, -1, true},  {70, -1, 13, true}, {77, -1, 6, false}};
        for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
            assert_true(coll_step(&shape, 5, expected[k].number, &step));
            assert_int_equal(step.receive_from, expected[k].receive_from);
            assert_int_equal(step.send_to, expected[k].send_to);
            assert_int_equal(step.overlap, expected[k].overlap);
        }
        assert_false(coll_step(&shape, 5, 78, &step));
    }
}

static void a_gatherv_is_synchronous_from_32_ranks_on(void **state)
{
    (void)state;
    struct coll_step step;
    for (uint32_t size = 31; size < 33; size++) {
        struct coll_shape shape = {.algorithm = COLL_GATHERV_LINEAR, .size = size, .bytes = 8};
        assert_true(coll_step(&shape, 1, 0, &step));
        assert_int_equal(step.synchronous, size == 32);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_end_and_move_what_the_literature_says),
        cmocka_unit_test(a_vector_that_cannot_be_cut_evenly),
        cmocka_unit_test(short_vectors_are_not_empty),
        cmocka_unit_test(trees_are_as_deep_as_the_logarithm),
        cmocka_unit_test(choices_switch_where_mpich_switches),
        cmocka_unit_test(an_all_to_all_waits_behind_32_partners),
        cmocka_unit_test(a_gatherv_is_synchronous_from_32_ranks_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
