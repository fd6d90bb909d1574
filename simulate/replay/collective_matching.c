#include "simulate/replay/collective_matching.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "simulate/replay/barrier.h"
#include "simulate/replay/core.h"
#include "simulate/replay/walk.h"

/* One collective call of a communicator ("turn") that not all members have begun. */
struct turn {
    uint32_t rank; /* the first member's */
    uint32_t come; /* members that have begun it */
    struct trace_call call; /* its call: the trace may hold it no more */
    uint64_t event;
    int64_t *said; /* of gatherv and scatterv, per member: bytes, NOT_SAID: not begun; NULL: another call */
};

enum { NOT_SAID = -1, SAID_NOTHING = -2 };

/* The turns of one communicator. Members are at most a few turns apart, since their messages synchronise them. */
struct turns {
    struct turn *items; /* open turns; items[first] is turn number `begun` */
    size_t first, count, capacity;
    uint32_t begun;
};

struct agreements {
    struct turns *comms;
    uint32_t *done; /* as core.barriers: turns that each member has begun */
    char sizes[2 * TRACE_PLACE_BYTES + 128]; /* text: the first sizes that differ; empty: none */
};

#define KIND(NAME) (UINT64_C(1) << CALL_##NAME)
_Static_assert(CALL_COMM_FREE < 64, "a set of kinds is one word");

static const uint64_t rooted =
    KIND(BCAST) | KIND(REDUCE) | KIND(GATHER) | KIND(SCATTER) | KIND(GATHERV) | KIND(SCATTERV);
/* trace_call.bytes is the same on all members; so are the counts. */
static const uint64_t of_one_size = KIND(BCAST) | KIND(REDUCE) | KIND(ALLREDUCE) | KIND(GATHER) | KIND(SCATTER) |
                                    KIND(ALLGATHER) | KIND(ALLTOALL) | KIND(REDUCE_SCATTER) | KIND(SCAN) | KIND(EXSCAN);
static const uint64_t of_equal_counts = KIND(ALLGATHERV) | KIND(REDUCE_SCATTER);
/* Only the root knows all counts: the bytes that the others send or get. */
static const uint64_t counted_by_root = KIND(GATHERV) | KIND(SCATTERV);

static bool is_in(uint64_t set, const struct trace_call *call)
{
    return set >> call_kind(call->call) & 1;
}

/* As trace_place(), of who came first. */
static char *first_place(const struct turn *turn, char buffer[TRACE_PLACE_BYTES])
{
    snprintf(buffer, TRACE_PLACE_BYTES, "rank %" PRIu32 ", event %" PRIu64 " (%s)", turn->rank, turn->event,
             call_name(turn->call.call));
    return buffer;
}

static void note_sizes(struct replay *replay, uint32_t rank, const struct turn *turn, const char *has, int64_t value,
                       int64_t other)
{
    char place[TRACE_PLACE_BYTES], its[TRACE_PLACE_BYTES];
    struct agreements *all = core_of(replay)->agreements;
    if (all->sizes[0]) return;
    snprintf(all->sizes, sizeof all->sizes, "%s: %s %" PRId64 " where %s has %" PRId64 ", expected the same on all ranks",
             trace_place(replay->trace, rank, replay->ranks[rank].next, place), has, value,
             first_place(turn, its), other);
}

/* Each group of an intercommunicator may have its own sizes, except where both reduce (MPI-3.1 5.7.1, 5.8, 5.10.1). */
static bool are_apart(const struct replay *replay, uint32_t rank, const struct trace_call *call, uint32_t other)
{
    const struct trace_comm *comm = &replay->trace->definitions.comms[call->handle];
    int32_t between = (int32_t)comm->first_group;
    if (between == 0 || is_in(KIND(ALLREDUCE), call)) return false;
    return (trace_comm_rank(comm, (int32_t)rank) < between) != (trace_comm_rank(comm, (int32_t)other) < between);
}

static enum status compare_turn(struct replay *replay, uint32_t rank, const struct turn *turn, uint32_t number)
{
    const struct trace_call *call = &replay->ranks[rank].calls[replay->ranks[rank].next];
    const struct trace_call *first = &turn->call;
    if (call->call != first->call)
        return replay_fail(replay, rank, "collective call %" PRIu32 " on communicator %" PRId32 " is %s on rank %" PRIu32
                           " (event %" PRIu64 "), expected the same function on all ranks",
                           number + 1, call->handle, call_name(first->call), turn->rank, turn->event);
    if ((call->flags | first->flags) & TRACE_BREAK) return STATUS_OK;
    if (is_in(rooted, call) && call->peer != first->peer)
        return replay_fail(replay, rank, "root %" PRId32 " where rank %" PRIu32 ", event %" PRIu64 " (%s) has %" PRId32
                           ", expected the same on all ranks of communicator %" PRId32,
                           call->peer, turn->rank, turn->event, call_name(call->call), first->peer, call->handle);
    if (are_apart(replay, rank, call, turn->rank)) return STATUS_OK;
    if (is_in(of_one_size, call) && call->bytes != first->bytes)
        note_sizes(replay, rank, turn, "bytes", call->bytes, first->bytes);
    const int64_t *counts = trace_call_counts(replay->trace, call), *others = trace_call_counts(replay->trace, first);
    if (!is_in(of_equal_counts, call) || !counts || !others || counts == others) return STATUS_OK;
    for (uint32_t i = 0; i < replay->trace->definitions.comms[call->handle].count; i++)
        if (counts[i] != others[i]) note_sizes(replay, rank, turn, "counts hold", counts[i], others[i]);
    return STATUS_OK;
}

/* Compares the root's count for a member with the member's own. */
static void compare_count(struct replay *replay, uint32_t rank, const struct trace_call *call, uint32_t member,
                                 int64_t count, int64_t said)
{
    struct agreements *all = core_of(replay)->agreements;
    char place[TRACE_PLACE_BYTES];
    if (count == said || said < 0 || all->sizes[0]) return;
    snprintf(all->sizes, sizeof all->sizes,
             "%s: the counts of root %" PRId32 " have %" PRId64 " bytes for rank %" PRId32 ", whose call has %" PRId64
             ", expected the same",
             trace_place(replay->trace, rank, replay->ranks[rank].next, place), call->peer, count,
             replay->trace->definitions.comms[call->handle].members[member], said);
}

static enum status compare_with_root(struct replay *replay, uint32_t rank, struct turn *turn, uint32_t own)
{
    const struct trace_call *call = &replay->ranks[rank].calls[replay->ranks[rank].next];
    const struct trace_comm *comm = &replay->trace->definitions.comms[call->handle];
    const int64_t *counts = trace_call_counts(replay->trace, call);
    uint32_t root = (uint32_t)trace_comm_rank(comm, call->peer);
    if (!turn->said) {
        turn->said = malloc(comm->count * sizeof *turn->said);
        if (!turn->said) return err_memory(replay->err);
        for (uint32_t i = 0; i < comm->count; i++) turn->said[i] = NOT_SAID;
    }
    if (own != root) {
        turn->said[own] = call->flags & TRACE_BREAK ? SAID_NOTHING : call->bytes;
        if (turn->said[root] < 0) return STATUS_OK; /* compared when the root begins */
        const struct trace_call *its = &replay->ranks[call->peer].calls[turn->said[root]];
        compare_count(replay, rank, call, own, trace_call_counts(replay->trace, its)[own], turn->said[own]);
        return STATUS_OK;
    }
    turn->said[root] = counts ? (int64_t)replay->ranks[rank].next : SAID_NOTHING;
    for (uint32_t i = 0; counts && i < comm->count; i++)
        if (i != root) compare_count(replay, rank, call, i, counts[i], turn->said[i]);
    return STATUS_OK;
}

static enum status make_agreements(struct replay *replay)
{
    struct agreements *made = calloc(1, sizeof *made);
    core_of(replay)->agreements = made;
    if (!made) return err_memory(replay->err);
    made->comms = calloc(replay->trace->definitions.comm_count, sizeof *made->comms);
    made->done = calloc(core_of(replay)->barrier_count, sizeof *made->done);
    return made->comms && made->done ? STATUS_OK : err_memory(replay->err);
}

static enum status add_turn(struct turns *turns, const struct turn *turn, struct err *err)
{
    if (turns->first > 0 && turns->first + turns->count == turns->capacity) {
        memmove(turns->items, turns->items + turns->first, turns->count * sizeof *turns->items);
        turns->first = 0;
    }
    size_t end = turns->first + turns->count;
    TRY(array_reserve((void **)&turns->items, &turns->capacity, end + 1, sizeof *turns->items, err));
    turns->items[end] = *turn;
    turns->count++;
    return STATUS_OK;
}

enum status replay_match_collectives(struct replay *replay, uint32_t rank, int32_t comm, uint32_t own)
{
    struct core *core = core_of(replay);
    uint32_t members = replay->trace->definitions.comms[comm].count;
    if (members < 2) return STATUS_OK;
    if (!core->agreements) TRY(make_agreements(replay));
    struct turns *turns = &core->agreements->comms[comm];
    uint32_t number = core->agreements->done[core->barrier_groups[comm].first + own]++;
    size_t place = number - turns->begun;
    if (place == turns->count) {
        size_t next = replay->ranks[rank].next;
        struct turn made = {
            .rank = rank, .call = replay->ranks[rank].calls[next], .event = trace_event(replay->trace, rank, next)};
        TRY(add_turn(turns, &made, replay->err));
    }
    struct turn *turn = &turns->items[turns->first + place];
    TRY(compare_turn(replay, rank, turn, number));
    if (is_in(counted_by_root, &turn->call)) TRY(compare_with_root(replay, rank, turn, own));
    if (++turn->come == members) {
        while (turns->count > 0 && turns->items[turns->first].come == members) {
            free(turns->items[turns->first].said);
            turns->first++;
            turns->count--;
            turns->begun++;
        }
        if (turns->count == 0) turns->first = 0;
    }
    return STATUS_OK;
}

/* A member that has begun fewer turns. An open turn has one. */
static int32_t absent_from(const struct replay *replay, size_t comm, uint32_t number)
{
    const uint32_t *done = core_of(replay)->agreements->done + core_of(replay)->barrier_groups[comm].first;
    const struct trace_comm *members = &replay->trace->definitions.comms[comm];
    uint32_t i = 0;
    while (i + 1 < members->count && done[i] > number) i++;
    return members->members[i];
}

const char *replay_sizes_differ(const struct replay *replay)
{
    const struct core *core = core_of(replay);
    return core->agreements && core->agreements->sizes[0] ? core->agreements->sizes : NULL;
}

enum status replay_note_agreements(struct replay *replay)
{
    if (!core_of(replay)->agreements || !replay->made) return STATUS_OK;
    if (replay_sizes_differ(replay)) TRY(trace_add_note(replay->made->trace, replay->err, "%s", replay_sizes_differ(replay)));
    for (size_t c = 0; c < replay->trace->definitions.comm_count; c++) {
        const struct turns *turns = &core_of(replay)->agreements->comms[c];
        for (size_t i = 0; i < turns->count; i++) {
            const struct turn *turn = &turns->items[turns->first + i];
            char place[TRACE_PLACE_BYTES];
            if (!call_makes_request(turn->call.call)) continue;
            return trace_add_note(replay->made->trace, replay->err,
                                  "%s: rank %" PRId32 " never comes to this collective call",
                                  first_place(turn, place),
                                  absent_from(replay, c, turns->begun + (uint32_t)i));
        }
    }
    return STATUS_OK;
}

void replay_clear_agreements(struct replay *replay)
{
    struct agreements *agreements = core_of(replay)->agreements;
    if (!agreements) return;
    for (size_t c = 0; agreements->comms && c < replay->trace->definitions.comm_count; c++) {
        struct turns *turns = &agreements->comms[c];
        for (size_t i = 0; i < turns->count; i++) free(turns->items[turns->first + i].said);
        free(turns->items);
    }
    FREE_ALL(agreements->comms, agreements->done, agreements);
}

/* Index of the number-th fence (from 1) on the window; the rank's count if there is none. */
static size_t find_fence(const struct rank_state *state, int32_t window, size_t number)
{
    size_t i = 0;
    for (; i < state->count; i++) {
        if (call_kind(state->calls[i].call) != CALL_FENCE || state->calls[i].handle != window) continue;
        if (--number == 0) break;
    }
    return i;
}

enum status replay_check_fence(struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    if (call_kind(call->call) != CALL_FENCE) return STATUS_OK;
    size_t number = 0;
    for (size_t i = 0; i <= state->next; i++)
        number += call_kind(state->calls[i].call) == CALL_FENCE && state->calls[i].handle == call->handle;
    const struct trace_comm *comm = trace_call_comm(replay->trace, call);
    for (uint32_t m = 0; m < comm->count; m++) {
        const struct rank_state *other = &replay->ranks[comm->members[m]];
        size_t at = find_fence(other, call->handle, number);
        if (at == other->count) continue;
        const char *own = trace_fence_ends(call->flags), *its = trace_fence_ends(other->calls[at].flags);
        if (own != its)
            return replay_fail(replay, rank, "fence %zu on window %" PRId32 " asserts %s, that of rank %" PRId32
                               " (event %zu) %s, expected the same on all ranks (MPI-3.1 11.5.5)",
                               number, call->handle, own, comm->members[m], at + 1, its);
    }
    return STATUS_OK;
}
