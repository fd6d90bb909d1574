/* Collectives, fences, creation and freeing of windows: the steps of their algorithms, whose sends and receives are joined where
 * both ranks have theirs. */
#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"
#include "export/goal/lowering.h"
#include "simulate/plans/collectives.h"

enum sequence { ON_COMMUNICATOR, OF_FENCES, OF_CREATIONS, OF_FREEINGS, SEQUENCES };

struct end { /* of a message inside a collective */
    int32_t handle;
    uint8_t sequence, receives;
    uint32_t from, to;
    uint64_t turn, order;
    int64_t bytes;
    struct goal_id operation;
};

struct lowering {
    struct goal_schedule *schedule;
    struct end *ends;
    size_t count, capacity;
    uint64_t *turns; /* of a rank: collectives so far, by sequence and handle */
    size_t handles;
    struct err *err;
};

/* One call of one rank: its steps one after another, but those that overlap. */
struct steps {
    struct end where; /* handle, sequence, turn */
    uint32_t rank;
    size_t call;
    bool after; /* a step is done, and the next one follows it */
    struct goal_id before, join;
    bool joins; /* join is made: steps since the last one that the next waited for */
};

static enum status add_operation(struct lowering *lowering, struct steps *steps, bool receives, uint32_t partner, int64_t bytes)
{
    struct end end = steps->where;
    TRY(goal_calc(lowering->schedule, steps->rank, 0, &end.operation, lowering->err));
    if (steps->after)
        TRY(goal_require(lowering->schedule, end.operation, steps->before, lowering->err));
    else
        TRY(goal_begins(lowering->schedule, steps->call, end.operation, lowering->err));
    if (!steps->joins) TRY(goal_calc(lowering->schedule, steps->rank, 0, &steps->join, lowering->err));
    steps->joins = true;
    TRY(goal_require(lowering->schedule, steps->join, end.operation, lowering->err));
    end.receives = receives;
    end.from = receives ? partner : steps->rank;
    end.to = receives ? steps->rank : partner;
    end.bytes = bytes;
    end.order = lowering->count;
    ARRAY_PUSH(lowering->ends, lowering->count, lowering->capacity, end, lowering->err);
    return STATUS_OK;
}

static enum status lower_steps(struct lowering *lowering, const struct coll_shape *shape, const struct trace_comm *comm,
                               struct steps *steps)
{
    uint32_t own = (uint32_t)trace_comm_rank(comm, (int32_t)steps->rank);
    struct coll_step step;
    for (uint32_t number = 0; coll_step(shape, own, number, &step); number++) {
        if (step.receive_from >= 0)
            TRY(add_operation(lowering, steps, true, coll_partner(shape, comm, step.receive_from), 0));
        if (step.send_to >= 0)
            TRY(add_operation(lowering, steps, false, coll_partner(shape, comm, step.send_to), step.send_bytes));
        if (step.overlap || !steps->joins) continue;
        steps->before = steps->join;
        steps->after = true;
        steps->joins = false;
    }
    if (!steps->joins && !steps->after) return STATUS_OK;
    struct goal_id last = steps->joins ? steps->join : steps->before;
    const struct trace_call *call = &lowering->schedule->trace->ranks[steps->rank].calls[steps->call];
    return call_makes_request(call->call) ? goal_requests(lowering->schedule, steps->call, last, lowering->err)
                                          : goal_ends(lowering->schedule, steps->call, last, lowering->err);
}

/* False: no collective, or one that makes a communicator, of which the trace does not say enough. */
static bool sequence_of(const struct trace_call *call, enum sequence *sequence)
{
    enum call_kind kind = call_kind(call->call);
    *sequence = kind == CALL_FENCE ? OF_FENCES : kind == CALL_WIN_CREATE ? OF_CREATIONS : OF_FREEINGS;
    if (kind == CALL_FENCE || kind == CALL_WIN_CREATE || kind == CALL_WIN_FREE) return true;
    *sequence = ON_COMMUNICATOR;
    return kind >= CALL_BARRIER && kind <= CALL_NEIGHBOR && kind != CALL_SHMEM_BARRIER;
}

static enum status lower_call(struct lowering *lowering, uint32_t rank, size_t index)
{
    const struct trace *trace = lowering->schedule->trace;
    const struct trace_call *call = &trace->ranks[rank].calls[index];
    enum sequence sequence;
    if (!sequence_of(call, &sequence)) return STATUS_OK;
    const struct trace_comm *comm = trace_call_comm(trace, call);
    struct coll_shape shape = {.algorithm = COLL_BARRIER_DISSEMINATION, .size = comm->count};
    struct steps steps = {.where = {.handle = call->handle, .sequence = (uint8_t)sequence}, .rank = rank, .call = index};
    steps.where.turn = lowering->turns[(size_t)sequence * lowering->handles + (size_t)call->handle]++;
    if (sequence == ON_COMMUNICATOR) shape = coll_shape_of(trace, call);
    return lower_steps(lowering, &shape, comm, &steps);
}

/* Orders receives after the sends of the same two ranks. */
ORDER(compare_ends, struct end, UP(sequence) UP(handle) UP(turn) UP(from) UP(to) UP(receives) UP(order))

static bool same_pair(const struct end *a, const struct end *b)
{
    return a->sequence == b->sequence && a->handle == b->handle && a->turn == b->turn && a->from == b->from && a->to == b->to;
}

static enum status lower_calls(struct lowering *lowering)
{
    const struct trace *trace = lowering->schedule->trace;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        memset(lowering->turns, 0, SEQUENCES * lowering->handles * sizeof *lowering->turns);
        for (size_t i = 0; i < trace->ranks[r].count; i++) TRY(lower_call(lowering, r, i));
    }
    struct end *ends = lowering->ends;
    if (lowering->count > 1) qsort(ends, lowering->count, sizeof *ends, compare_ends);
    for (size_t first = 0, next; first < lowering->count; first = next) {
        size_t sends = 0;
        for (next = first; next < lowering->count && same_pair(&ends[next], &ends[first]); next++) sends += !ends[next].receives;
        size_t receives = next - first - sends, pairs = sends < receives ? sends : receives;
        for (size_t i = 0; i < pairs; i++)
            TRY(goal_join(lowering->schedule, ends[first + i].operation, ends[first + sends + i].operation, ends[first + i].bytes,
                          lowering->err));
        lowering->schedule->left_out += sends + receives - 2 * pairs;
    }
    return STATUS_OK;
}

enum status goal_lower_collectives(const struct trace *trace, struct goal_schedule *schedule, struct err *err)
{
    struct lowering lowering = {.schedule = schedule, .err = err};
    lowering.handles = trace->definitions.comm_count > trace->definitions.window_count
                           ? trace->definitions.comm_count
                           : trace->definitions.window_count;
    lowering.turns = calloc(SEQUENCES * lowering.handles, sizeof *lowering.turns);
    enum status status = lowering.turns ? lower_calls(&lowering) : err_memory(err);
    FREE_ALL(lowering.turns, lowering.ends);
    return status;
}
