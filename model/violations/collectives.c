/* Rules between the members of a collective call: model/violations/violations.h has the interface.
 *
 * The k-th call of a member on a window (fences, creations, freeings counted apart) or communicator belongs to the k-th
 * turn. Each member is compared with the first one, in the order of ranks; its sizes with those of the first one of its group,
 * where groups have their own. After members have called different functions on a communicator, its later calls cannot be matched
 * and are not compared. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/violations/finder.h"

enum { WINDOW_SEQUENCES = 3 };
static const struct call_at nowhere = {0, NO_CALL};

struct turn {
    struct call_at first, second; /* of an intercommunicator's other group, if its sizes are its own */
    uint32_t come;
    size_t *calls; /* by member, of kinds whose counts are compared; NULL: none */
};

struct turns {
    struct turn *items;
    size_t count, capacity;
    bool apart; /* members called different functions */
};

struct walk {
    struct finder *finder;
    const struct trace *trace;
    struct turns *sequences;
    size_t sequence_count;
    size_t *next; /* per sequence: turns of the rank */
};

#define KIND(NAME) (UINT64_C(1) << CALL_##NAME)
static const uint64_t rooted =
    KIND(BCAST) | KIND(REDUCE) | KIND(GATHER) | KIND(SCATTER) | KIND(GATHERV) | KIND(SCATTERV);
static const uint64_t of_one_size = KIND(BCAST) | KIND(REDUCE) | KIND(ALLREDUCE) | KIND(GATHER) | KIND(SCATTER) |
                                    KIND(ALLGATHER) | KIND(ALLTOALL) | KIND(REDUCE_SCATTER) | KIND(SCAN) | KIND(EXSCAN);
static const uint64_t of_one_operation =
    KIND(REDUCE) | KIND(ALLREDUCE) | KIND(REDUCE_SCATTER) | KIND(SCAN) | KIND(EXSCAN);
static const uint64_t of_equal_counts = KIND(ALLGATHERV) | KIND(REDUCE_SCATTER);
static const uint64_t of_own_counts = KIND(ALLGATHERV) | KIND(ALLTOALLV) | KIND(REDUCE_SCATTER);
static const uint64_t counted_by_root = KIND(GATHERV) | KIND(SCATTERV);

static bool is_in(uint64_t set, const struct trace_call *call)
{
    return set >> call_kind(call->call) & 1;
}

/* NO_CALL: no collective call. */
static size_t sequence_of(const struct trace *trace, const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    if (call->handle == TRACE_NONE) return NO_CALL;
    if (kind == CALL_FENCE) return (size_t)call->handle * WINDOW_SEQUENCES;
    if (kind == CALL_WIN_CREATE) return (size_t)call->handle * WINDOW_SEQUENCES + 1;
    if (kind == CALL_WIN_FREE) return (size_t)call->handle * WINDOW_SEQUENCES + 2;
    bool collective = call_arm(kind) == ARM_COLLECTIVE;
    return collective ? trace->definitions.window_count * WINDOW_SEQUENCES + (size_t)call->handle : NO_CALL;
}

static const struct trace_comm *comm_of(const struct trace *trace, size_t sequence)
{
    size_t windows = trace->definitions.window_count * WINDOW_SEQUENCES;
    return &trace->definitions
                .comms[sequence < windows ? (size_t)trace->definitions.windows[sequence / WINDOW_SEQUENCES].comm
                                          : sequence - windows];
}

/* In an intercommunicator each group may have its own sizes, except in reductions (MPI-3.1 5.7.1, 5.8, 5.10.1). */
static bool are_apart(const struct trace_comm *comm, const struct trace_call *call, uint32_t one, uint32_t other)
{
    int32_t between = (int32_t)comm->first_group;
    if (between == 0 || call_kind(call->call) == CALL_ALLREDUCE) return false;
    return (trace_comm_rank(comm, (int32_t)one) < between) != (trace_comm_rank(comm, (int32_t)other) < between);
}

/* A size that a reader derived from sent and received bytes may be 0 if it is not known. */
static bool sizes_differ(const struct trace_call *call, const struct trace_call *other)
{
    bool known = call->bytes != 0 && other->bytes != 0;
    if (!is_in(of_one_size, call) || call->bytes == other->bytes) return false;
    return known || (call_row(call->call)->needed & F_BYTES);
}

static enum status compare_sizes(struct walk *walk, const struct trace_comm *comm, struct call_at at,
                                 struct turn *turn)
{
    struct finder *finder = walk->finder;
    const struct trace_call *call = finder_call(finder, at);
    struct call_at first = turn->first;
    if (are_apart(comm, call, at.rank, first.rank)) {
        first = turn->second;
        if (first.call == NO_CALL) turn->second = at;
    }
    if (first.call == NO_CALL) return STATUS_OK;
    const struct trace_call *other = finder_call(finder, first);
    if (sizes_differ(call, other))
        TRY(finder_add(finder, VIOLATION_size_differs, at, first, "%" PRId64 " bytes, rank %" PRIu32 " has %" PRId64,
                       call->bytes, first.rank, other->bytes));
    const int64_t *counts = trace_call_counts(walk->trace, call), *its = trace_call_counts(walk->trace, other);
    if (!is_in(of_equal_counts, call) || !counts || !its) return STATUS_OK;
    for (uint32_t i = 0; counts != its && i < comm->count; i++)
        if (counts[i] != its[i])
            return finder_add(finder, VIOLATION_counts_differ, at, first,
                              "%" PRId64 " bytes for rank %" PRId32 ", rank %" PRIu32 " has %" PRId64, counts[i],
                              comm->members[i], first.rank, its[i]);
    return STATUS_OK;
}

static enum status compare_calls(struct walk *walk, struct turns *sequence, const struct trace_comm *comm, struct call_at at,
                                 struct turn *turn)
{
    struct finder *finder = walk->finder;
    const struct call_at first = turn->first;
    const struct trace_call *call = finder_call(finder, at), *other = finder_call(finder, first);
    if (call->call != other->call) {
        sequence->apart = true;
        return finder_add(finder, VIOLATION_collective_differs, at, first, "%s, rank %" PRIu32 " calls %s",
                          call_name(call->call), first.rank, call_name(other->call));
    }
    if ((call->flags | other->flags) & TRACE_BREAK) return STATUS_OK;
    if (call_kind(call->call) == CALL_FENCE && trace_fence_ends(call->flags) != trace_fence_ends(other->flags))
        return finder_add(finder, VIOLATION_fence_assertions_differ, at, first, "%s, rank %" PRIu32 " asserts %s",
                          trace_fence_ends(call->flags), first.rank, trace_fence_ends(other->flags));
    if (is_in(rooted, call) && call->peer != other->peer)
        return finder_add(finder, VIOLATION_root_differs, at, first, "%" PRId32 ", rank %" PRIu32 " has %" PRId32,
                          call->peer, first.rank, other->peer);
    if (is_in(of_one_operation, call) && call->collective.op != other->collective.op &&
        call->collective.op != TRACE_OP_UNKNOWN && other->collective.op != TRACE_OP_UNKNOWN)
        TRY(finder_add(finder, VIOLATION_operation_differs, at, first, "%s, rank %" PRIu32 " has %s",
                       trace_op_name(call->collective.op), first.rank, trace_op_name(other->collective.op)));
    return compare_sizes(walk, comm, at, turn);
}

/* Compares the bytes that a rank sends by its own counts with its size. */
static enum status compare_own(struct walk *walk, const struct trace_comm *comm, struct call_at at)
{
    const struct trace_call *call = finder_call(walk->finder, at);
    const int64_t *counts = trace_call_counts(walk->trace, call);
    uint32_t member = (uint32_t)trace_comm_rank(comm, (int32_t)at.rank);
    int64_t sent = 0;
    if (!is_in(of_own_counts, call) || !counts || call->flags & TRACE_BREAK) return STATUS_OK;
    for (uint32_t i = 0; i < comm->count; i++)
        if ((call_kind(call->call) != CALL_ALLGATHERV || i == member) && __builtin_add_overflow(sent, counts[i], &sent))
            return STATUS_OK;
    if (sent == call->bytes) return STATUS_OK;
    return finder_add(walk->finder, VIOLATION_counts_differ, at, nowhere,
                      "%" PRId64 " bytes, its own counts say %" PRId64, call->bytes, sent);
}

static enum status keep_call(struct walk *walk, const struct trace_comm *comm, struct turn *turn, struct call_at at)
{
    const struct trace_call *call = finder_call(walk->finder, at);
    if (!is_in(counted_by_root | KIND(ALLTOALLV), call)) return STATUS_OK;
    if (!turn->calls) {
        turn->calls = malloc(comm->count * sizeof *turn->calls);
        if (!turn->calls) return err_memory(walk->finder->err);
        for (uint32_t i = 0; i < comm->count; i++) turn->calls[i] = NO_CALL;
    }
    turn->calls[trace_comm_rank(comm, (int32_t)at.rank)] = at.call;
    return STATUS_OK;
}

static enum status add_member(struct walk *walk, size_t s, struct call_at at)
{
    struct turns *sequence = &walk->sequences[s];
    const struct trace_comm *comm = comm_of(walk->trace, s);
    size_t number = walk->next[s]++;
    struct turn made = {.first = at, .second = nowhere};
    if (number == sequence->count)
        ARRAY_PUSH(sequence->items, sequence->count, sequence->capacity, made, walk->finder->err);
    struct turn *turn = &sequence->items[number];
    turn->come++;
    TRY(compare_own(walk, comm, at));
    if (turn->first.rank != at.rank) TRY(compare_calls(walk, sequence, comm, at, turn));
    return sequence->apart ? STATUS_OK : keep_call(walk, comm, turn, at);
}

/* Compares the bytes of a member in the root's counts with the member's own. */
static enum status compare_with_root(struct walk *walk, const struct trace_comm *comm, const struct turn *turn)
{
    const struct trace_call *first = finder_call(walk->finder, turn->first);
    int32_t root = trace_comm_rank(comm, first->peer);
    if (root == TRACE_NONE || turn->calls[root] == NO_CALL) return STATUS_OK;
    struct call_at at_root = {(uint32_t)comm->members[root], turn->calls[root]};
    const int64_t *counts = trace_call_counts(walk->trace, finder_call(walk->finder, at_root));
    for (uint32_t i = 0; counts && i < comm->count; i++) {
        struct call_at at = {(uint32_t)comm->members[i], turn->calls[i]};
        if (i == (uint32_t)root || at.call == NO_CALL) continue;
        const struct trace_call *call = finder_call(walk->finder, at);
        if (counts[i] == call->bytes || call->flags & TRACE_BREAK) continue;
        TRY(finder_add(walk->finder, VIOLATION_counts_differ, at, at_root,
                       "%" PRId64 " bytes, root %" PRIu32 " has %" PRId64 " for rank %" PRIu32, call->bytes,
                       at_root.rank, counts[i], at.rank));
    }
    return STATUS_OK;
}

/* Compares the bytes that all members send to a member with those that it receives. */
static enum status compare_received(struct walk *walk, const struct trace_comm *comm, const struct turn *turn)
{
    int64_t *sent = calloc(comm->count, sizeof *sent);
    bool known = comm->first_group == 0;
    if (!sent) return err_memory(walk->finder->err);
    for (uint32_t i = 0; known && i < comm->count; i++) {
        const struct trace_call *call = &walk->trace->ranks[comm->members[i]].calls[turn->calls[i]];
        const int64_t *counts = trace_call_counts(walk->trace, call);
        known = counts && !(call->flags & TRACE_BREAK);
        for (uint32_t k = 0; known && k < comm->count; k++)
            known = !__builtin_add_overflow(sent[k], counts[k], &sent[k]);
    }
    enum status status = STATUS_OK;
    for (uint32_t i = 0; known && status == STATUS_OK && i < comm->count; i++) {
        struct call_at at = {(uint32_t)comm->members[i], turn->calls[i]};
        const struct trace_call *call = finder_call(walk->finder, at);
        if (call->collective.recv_bytes > 0 && call->collective.recv_bytes != sent[i])
            status = finder_add(walk->finder, VIOLATION_counts_differ, at, nowhere,
                                "receives %" PRId64 " bytes, all ranks send it %" PRId64, call->collective.recv_bytes,
                                sent[i]);
    }
    free(sent);
    return status;
}

/* The first member with a complete recording that makes no call of this turn; TRACE_NONE: there is none. */
static int32_t find_absent(const struct walk *walk, size_t s, size_t number)
{
    const struct trace_comm *comm = comm_of(walk->trace, s);
    for (uint32_t m = 0; m < comm->count; m++) {
        const struct trace_rank *rank = &walk->trace->ranks[comm->members[m]];
        size_t turns = 0;
        if (!walk->finder->complete[comm->members[m]]) continue;
        for (size_t i = 0; i < rank->count && turns <= number; i++)
            turns += sequence_of(walk->trace, &rank->calls[i]) == s;
        if (turns <= number) return comm->members[m];
    }
    return TRACE_NONE;
}

static enum status end_sequence(struct walk *walk, size_t s)
{
    const struct turns *sequence = &walk->sequences[s];
    const struct trace_comm *comm = comm_of(walk->trace, s);
    for (size_t i = 0; !sequence->apart && i < sequence->count; i++) {
        const struct turn *turn = &sequence->items[i];
        if (turn->come < comm->count) {
            int32_t absent = find_absent(walk, s, i);
            if (absent == TRACE_NONE || !walk->finder->complete[turn->first.rank]) return STATUS_OK;
            return finder_add(walk->finder, VIOLATION_collective_missing, turn->first, nowhere, "rank %" PRId32,
                              absent);
        }
        if (!turn->calls) continue;
        bool by_root = is_in(counted_by_root, finder_call(walk->finder, turn->first));
        TRY(by_root ? compare_with_root(walk, comm, turn) : compare_received(walk, comm, turn));
    }
    return STATUS_OK;
}

static enum status find_collectives(struct walk *walk)
{
    for (uint32_t r = 0; r < walk->trace->rank_count; r++) {
        const struct trace_rank *rank = &walk->trace->ranks[r];
        memset(walk->next, 0, walk->sequence_count * sizeof *walk->next);
        for (size_t i = 0; i < rank->count; i++) {
            size_t s = sequence_of(walk->trace, &rank->calls[i]);
            if (s != NO_CALL && !walk->sequences[s].apart) TRY(add_member(walk, s, (struct call_at){r, i}));
        }
    }
    for (size_t s = 0; s < walk->sequence_count; s++) TRY(end_sequence(walk, s));
    return STATUS_OK;
}

enum status find_in_collectives(struct finder *finder)
{
    const struct trace *trace = finder->trace;
    struct walk walk = {.finder = finder, .trace = trace};
    walk.sequence_count = trace->definitions.window_count * WINDOW_SEQUENCES + trace->definitions.comm_count;
    walk.sequences = calloc(walk.sequence_count + 1, sizeof *walk.sequences);
    walk.next = calloc(walk.sequence_count + 1, sizeof *walk.next);
    enum status status = walk.sequences && walk.next ? find_collectives(&walk) : err_memory(finder->err);
    for (size_t s = 0; walk.sequences && s < walk.sequence_count; s++) {
        for (size_t i = 0; i < walk.sequences[s].count; i++) free(walk.sequences[s].items[i].calls);
        free(walk.sequences[s].items);
    }
    FREE_ALL(walk.sequences, walk.next);
    return status;
}
