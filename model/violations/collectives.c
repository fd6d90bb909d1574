/* Rules between the members of a collective call: model/violations/violations.h has the interface.
 *
 * The k-th call of a member on a window (fences, creations, freeings counted apart) or communicator belongs to the k-th
 * turn. The calls of a turn are compared when each member has made its own, or at the end. Each member is compared with the first
 * one, in the order of ranks; its sizes with those of the first one of its group, where groups have their own. After members have
 * called different functions on a communicator, its later calls cannot be matched and are not compared. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/violations/finder.h"

enum { WINDOW_SEQUENCES = 3 };

/* A member's call of a turn; event 0: it has not come. */
struct member {
    struct trace_call call;
    uint64_t event;
    uint32_t node;
    uint16_t thread;
};

struct turn {
    uint32_t come;
    struct member *members; /* by member */
};

struct turns {
    struct turn *items; /* those to which some member has not come, from first on */
    size_t first, count, capacity;
    size_t done; /* turns before the first one */
    size_t *next; /* by member: number of its next turn; NULL: nobody has made a call */
    bool apart;  /* members called different functions */
};

/* A turn whose calls are compared. */
struct comparison {
    struct violation_finder *finder;
    struct turns *sequence;
    const struct trace_comm *comm;
    const struct turn *turn;
    uint32_t first, second; /* members; second: of an intercommunicator's other group, if its sizes are its own, else NO_MEMBER */
};
#define NO_MEMBER UINT32_MAX

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

/* NO_SEQUENCE: no collective call. */
#define NO_SEQUENCE SIZE_MAX
static size_t sequence_of(const struct trace *trace, const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    if (call->handle == TRACE_NONE) return NO_SEQUENCE;
    if (kind == CALL_FENCE) return (size_t)call->handle * WINDOW_SEQUENCES;
    if (kind == CALL_WIN_CREATE) return (size_t)call->handle * WINDOW_SEQUENCES + 1;
    if (kind == CALL_WIN_FREE) return (size_t)call->handle * WINDOW_SEQUENCES + 2;
    bool collective = call_arm(kind) == ARM_COLLECTIVE;
    return collective ? trace->definitions.window_count * WINDOW_SEQUENCES + (size_t)call->handle : NO_SEQUENCE;
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
    if (comm->first_group == 0 || call_kind(call->call) == CALL_ALLREDUCE) return false;
    return (one < comm->first_group) != (other < comm->first_group);
}

/* A size that a reader derived from sent and received bytes may be 0 if it is not known. */
static bool sizes_differ(const struct trace_call *call, const struct trace_call *other)
{
    bool known = call->bytes != 0 && other->bytes != 0;
    if (!is_in(of_one_size, call) || call->bytes == other->bytes) return false;
    return known || (call_row(call->call)->needed & F_BYTES);
}

static struct place place_of(const struct comparison *of, uint32_t m)
{
    const struct member *member = &of->turn->members[m];
    return (struct place){.enter_ps = member->call.enter_ps,
                          .event = member->event,
                          .rank = (uint32_t)of->comm->members[m],
                          .node = member->node,
                          .site = member->call.site,
                          .call = member->call.call,
                          .thread = member->thread};
}

static const struct trace_call *call_of(const struct comparison *of, uint32_t m)
{
    return &of->turn->members[m].call;
}

static enum status compare_sizes(struct comparison *of, uint32_t m)
{
    const struct trace *trace = of->finder->trace;
    const struct trace_call *call = call_of(of, m);
    uint32_t first = of->first;
    if (are_apart(of->comm, call, m, first)) {
        first = of->second;
        if (first == NO_MEMBER) of->second = m;
    }
    if (first == NO_MEMBER) return STATUS_OK;
    const struct trace_call *other = call_of(of, first);
    if (sizes_differ(call, other))
        TRY(finder_add(of->finder, VIOLATION_size_differs, place_of(of, m), place_of(of, first),
                       "%" PRId64 " bytes, rank %" PRId32 " has %" PRId64, call->bytes, of->comm->members[first],
                       other->bytes));
    const int64_t *counts = trace_call_counts(trace, call), *its = trace_call_counts(trace, other);
    if (!is_in(of_equal_counts, call) || !counts || !its) return STATUS_OK;
    for (uint32_t i = 0; counts != its && i < of->comm->count; i++)
        if (counts[i] != its[i])
            return finder_add(of->finder, VIOLATION_counts_differ, place_of(of, m), place_of(of, first),
                              "%" PRId64 " bytes for rank %" PRId32 ", rank %" PRId32 " has %" PRId64, counts[i],
                              of->comm->members[i], of->comm->members[first], its[i]);
    return STATUS_OK;
}

/* Most are. */
static bool calls_are_equal(const struct trace_call *call, const struct trace_call *other)
{
    return call->call == other->call && call->flags == other->flags && call->peer == other->peer &&
           call->bytes == other->bytes && memcmp(&call->any, &other->any, offsetof(struct trace_members, ref)) == 0;
}

static enum status compare_calls(struct comparison *of, uint32_t m)
{
    struct violation_finder *finder = of->finder;
    const struct trace_call *call = call_of(of, m), *other = call_of(of, of->first);
    if (of->comm->first_group == 0 && calls_are_equal(call, other)) return STATUS_OK;
    struct place at = place_of(of, m), first = place_of(of, of->first);
    if (call->call != other->call) {
        of->sequence->apart = true;
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
    return compare_sizes(of, m);
}

/* Compares the bytes that a rank sends by its own counts with its size. */
static enum status compare_own(const struct comparison *of, uint32_t m)
{
    const struct trace_call *call = call_of(of, m);
    const int64_t *counts = trace_call_counts(of->finder->trace, call);
    int64_t sent = 0;
    if (!is_in(of_own_counts, call) || !counts || call->flags & TRACE_BREAK) return STATUS_OK;
    for (uint32_t i = 0; i < of->comm->count; i++)
        if ((call_kind(call->call) != CALL_ALLGATHERV || i == m) && __builtin_add_overflow(sent, counts[i], &sent))
            return STATUS_OK;
    if (sent == call->bytes) return STATUS_OK;
    return finder_add(of->finder, VIOLATION_counts_differ, place_of(of, m), NOWHERE,
                      "%" PRId64 " bytes, its own counts say %" PRId64, call->bytes, sent);
}

/* Compares the bytes of a member in the root's counts with the member's own. */
static enum status compare_with_root(const struct comparison *of)
{
    int32_t root = trace_comm_rank(of->comm, call_of(of, of->first)->peer);
    if (root == TRACE_NONE) return STATUS_OK;
    struct place at_root = place_of(of, (uint32_t)root);
    const int64_t *counts = trace_call_counts(of->finder->trace, call_of(of, (uint32_t)root));
    for (uint32_t i = 0; counts && i < of->comm->count; i++) {
        const struct trace_call *call = call_of(of, i);
        if (i == (uint32_t)root || counts[i] == call->bytes || call->flags & TRACE_BREAK) continue;
        TRY(finder_add(of->finder, VIOLATION_counts_differ, place_of(of, i), at_root,
                       "%" PRId64 " bytes, root %" PRIu32 " has %" PRId64 " for rank %" PRId32, call->bytes,
                       at_root.rank, counts[i], of->comm->members[i]));
    }
    return STATUS_OK;
}

/* Compares the bytes that all members send to a member with those that it receives. */
static enum status compare_received(const struct comparison *of)
{
    int64_t *sent = calloc(of->comm->count, sizeof *sent);
    bool known = of->comm->first_group == 0;
    if (!sent) return err_memory(of->finder->err);
    for (uint32_t i = 0; known && i < of->comm->count; i++) {
        const int64_t *counts = trace_call_counts(of->finder->trace, call_of(of, i));
        known = counts && !(call_of(of, i)->flags & TRACE_BREAK);
        for (uint32_t k = 0; known && k < of->comm->count; k++)
            known = !__builtin_add_overflow(sent[k], counts[k], &sent[k]);
    }
    enum status status = STATUS_OK;
    for (uint32_t i = 0; known && status == STATUS_OK && i < of->comm->count; i++) {
        const struct trace_call *call = call_of(of, i);
        if (call->collective.recv_bytes > 0 && call->collective.recv_bytes != sent[i])
            status = finder_add(of->finder, VIOLATION_counts_differ, place_of(of, i), NOWHERE,
                                "receives %" PRId64 " bytes, all ranks send it %" PRId64, call->collective.recv_bytes,
                                sent[i]);
    }
    free(sent);
    return status;
}

/* Compares the members that have made their calls. */
static enum status compare_turn(struct violation_finder *finder, struct turns *sequence, const struct trace_comm *comm,
                                const struct turn *turn)
{
    struct comparison of = {finder, sequence, comm, turn, NO_MEMBER, NO_MEMBER};
    for (uint32_t i = 0; i < comm->count && !sequence->apart; i++) {
        uint32_t m = comm->order ? comm->order[i] : i;
        if (turn->members[m].event == 0) continue;
        TRY(compare_own(&of, m));
        if (of.first == NO_MEMBER)
            of.first = m;
        else
            TRY(compare_calls(&of, m));
    }
    if (sequence->apart || turn->come < comm->count) return STATUS_OK;
    if (is_in(counted_by_root, call_of(&of, of.first))) return compare_with_root(&of);
    return is_in(KIND(ALLTOALLV), call_of(&of, of.first)) ? compare_received(&of) : STATUS_OK;
}

/* The first member that comes makes the turn. */
static enum status find_turn(struct violation_finder *finder, struct turns *sequence, const struct trace_comm *comm,
                             size_t number, struct turn **turn)
{
    if (number == sequence->done + (sequence->count - sequence->first)) {
        struct turn made = {.members = calloc(comm->count, sizeof *made.members)};
        if (!made.members) return err_memory(finder->err);
        if (sequence->first > 0 && sequence->count == sequence->capacity) {
            memmove(sequence->items, sequence->items + sequence->first,
                    (sequence->count - sequence->first) * sizeof *sequence->items);
            sequence->count -= sequence->first;
            sequence->first = 0;
        }
        enum status status = array_reserve((void **)&sequence->items, &sequence->capacity, sequence->count + 1,
                                           sizeof *sequence->items, finder->err);
        if (status != STATUS_OK) free(made.members);
        if (status != STATUS_OK) return status;
        sequence->items[sequence->count++] = made;
    }
    *turn = &sequence->items[sequence->first + (number - sequence->done)];
    return STATUS_OK;
}

static void free_turns(struct turns *sequence)
{
    for (size_t i = sequence->first; i < sequence->count; i++) free(sequence->items[i].members);
    FREE_ALL(sequence->items, sequence->next);
    *sequence = (struct turns){.apart = sequence->apart};
}

/* Compares and forgets turns of which each member has made its call. */
static enum status end_turns(struct violation_finder *finder, struct turns *sequence, const struct trace_comm *comm)
{
    while (sequence->first < sequence->count && sequence->items[sequence->first].come == comm->count) {
        TRY(compare_turn(finder, sequence, comm, &sequence->items[sequence->first]));
        free(sequence->items[sequence->first++].members);
        sequence->done++;
    }
    if (sequence->apart) free_turns(sequence);
    return STATUS_OK;
}

bool collectives_are_about(const struct violation_finder *finder, const struct trace_call *call)
{
    size_t s = sequence_of(finder->trace, call);
    return s != NO_SEQUENCE && !finder->sequences[s].apart;
}

enum status collectives_take(struct violation_finder *finder, struct place at, const struct trace_call *call)
{
    size_t s = sequence_of(finder->trace, call);
    struct turns *sequence = &finder->sequences[s];
    const struct trace_comm *comm = comm_of(finder->trace, s);
    int32_t m = trace_comm_rank(comm, (int32_t)at.rank);
    struct turn *turn = NULL;
    if (!sequence->next) sequence->next = calloc(comm->count, sizeof *sequence->next);
    if (!sequence->next) return err_memory(finder->err);
    TRY(find_turn(finder, sequence, comm, sequence->next[m]++, &turn));
    turn->members[m] = (struct member){*call, at.event, at.node, at.thread};
    turn->come++;
    return end_turns(finder, sequence, comm);
}

/* The first member with a complete recording that has not come; TRACE_NONE: there is none. */
static int32_t find_absent(const struct violation_finder *finder, const struct trace_comm *comm, const struct turn *turn)
{
    for (uint32_t m = 0; m < comm->count; m++)
        if (turn->members[m].event == 0 && finder->complete[comm->members[m]]) return comm->members[m];
    return TRACE_NONE;
}

/* All turns that are left lack a member. */
static enum status end_sequence(struct violation_finder *finder, size_t s)
{
    struct turns *sequence = &finder->sequences[s];
    const struct trace_comm *comm = comm_of(finder->trace, s);
    for (size_t i = sequence->first; i < sequence->count && !sequence->apart; i++)
        TRY(compare_turn(finder, sequence, comm, &sequence->items[i]));
    if (sequence->apart || sequence->first == sequence->count) return STATUS_OK;
    const struct turn *turn = &sequence->items[sequence->first];
    struct comparison of = {finder, sequence, comm, turn, 0, NO_MEMBER};
    uint32_t i = 0;
    while (turn->members[comm->order ? comm->order[i] : i].event == 0) i++;
    struct place first = place_of(&of, comm->order ? comm->order[i] : i);
    int32_t absent = find_absent(finder, comm, turn);
    if (absent == TRACE_NONE || !finder->complete[first.rank]) return STATUS_OK;
    return finder_add(finder, VIOLATION_collective_missing, first, NOWHERE, "rank %" PRId32, absent);
}

enum status collectives_begin(struct violation_finder *finder)
{
    const struct trace_definitions *definitions = &finder->trace->definitions;
    finder->sequence_count = definitions->window_count * WINDOW_SEQUENCES + definitions->comm_count;
    finder->sequences = calloc(finder->sequence_count + 1, sizeof *finder->sequences);
    return finder->sequences ? STATUS_OK : err_memory(finder->err);
}

enum status collectives_end(struct violation_finder *finder)
{
    for (size_t s = 0; s < finder->sequence_count; s++) TRY(end_sequence(finder, s));
    return STATUS_OK;
}

void collectives_clear(struct violation_finder *finder)
{
    for (size_t s = 0; finder->sequences && s < finder->sequence_count; s++) free_turns(&finder->sequences[s]);
    free(finder->sequences);
}
