#include "simulate/replay/barrier.h"

#include <stdlib.h>

#include "common/array.h"
#include "simulate/replay/collective_matching.h"
#include "simulate/replay/core.h"
#include "simulate/replay/message.h"

enum { PHASE_ENTER, PHASE_BARRIER };

static uint32_t rounds_of(uint32_t count)
{
    uint32_t rounds = 0;
    while ((UINT64_C(1) << rounds) < count) rounds++;
    return rounds;
}

/* Returns the number of counts so far. */
static size_t prepare_group(struct replay *replay, size_t index, const struct trace_comm *comm, size_t first_count)
{
    struct core *core = core_of(replay);
    struct barrier_group *group = &core->barrier_groups[index];
    *group = (struct barrier_group){.comm = comm,
                                    .first = (uint32_t)core->barrier_count,
                                    .first_count = (uint32_t)first_count,
                                    .rounds = rounds_of(comm->count)};
    core->barrier_count += comm->count;
    return first_count + (size_t)comm->count * group->rounds;
}

enum status replay_prepare_barriers(struct replay *replay)
{
    struct core *core = core_of(replay);
    const struct trace *trace = replay->trace;
    size_t barrier_groups = trace->definitions.comm_count + trace->definitions.window_count, counts = 0;
    core->barrier_groups = calloc(barrier_groups + 1, sizeof *core->barrier_groups);
    if (!core->barrier_groups) return err_memory(replay->err);
    for (size_t c = 0; c < trace->definitions.comm_count; c++)
        counts = prepare_group(replay, c, &trace->definitions.comms[c], counts);
    core->first_window_barrier = core->barrier_count;
    for (size_t w = 0; w < trace->definitions.window_count; w++)
        counts = prepare_group(replay, trace->definitions.comm_count + w,
                               &trace->definitions.comms[trace->definitions.windows[w].comm], counts);
    core->barriers = calloc(core->barrier_count + 1, sizeof *core->barriers);
    core->barrier_counts = calloc(counts + 1, sizeof *core->barrier_counts);
    if (!core->barriers || !core->barrier_counts) return err_memory(replay->err);
    for (uint32_t m = 0; m < barrier_groups; m++)
        for (uint32_t i = 0; i < core->barrier_groups[m].comm->count; i++)
            core->barriers[core->barrier_groups[m].first + i].group = m;
    return STATUS_OK;
}

void replay_clear_barriers(struct replay *replay)
{
    struct core *core = core_of(replay);
    FREE_ALL(core->barrier_groups, core->barriers, core->barrier_counts);
}

/* The barrier of the `own`-th member of the communicator. */
static uint32_t barrier_of_comm(const struct replay *replay, int32_t comm, uint32_t own)
{
    return core_of(replay)->barrier_groups[comm].first + own;
}

uint32_t replay_barrier_of_window(const struct replay *replay, uint32_t member)
{
    return (uint32_t)core_of(replay)->first_window_barrier + member;
}

uint32_t replay_next_task(struct replay *replay, int32_t comm, uint32_t own)
{
    return ++core_of(replay)->barriers[barrier_of_comm(replay, comm, own)].tasks;
}

void replay_barrier_begin(struct replay *replay, uint32_t index)
{
    struct barrier *barrier = &core_of(replay)->barriers[index];
    barrier->instance++;
    barrier->round = 0;
}

/* Whether the message of the round is missing. received: so many came, modulo 256. None comes early: its sender has
 * heard, over other members, that this one is through with the instance before. */
static bool lacks_message(const struct barrier *barrier, uint8_t received)
{
    return (uint8_t)barrier->instance != received;
}

static enum status send_round(struct replay *replay, uint32_t rank, const struct barrier_group *group, uint32_t own,
                              uint32_t round)
{
    uint32_t to = own + (UINT32_C(1) << round), count = group->comm->count; /* 2^round < count, and count <= 2^24 */
    if (to >= count) to -= count;
    uint32_t counter = group->first_count + to * group->rounds + round;
    uint32_t other = (uint32_t)group->comm->members[to];
    return replay_send_control(replay, MESSAGE_BARRIER, rank, other, counter, 0);
}

enum status replay_barrier_step(struct replay *replay, uint32_t rank, uint32_t index, bool *done)
{
    struct core *core = core_of(replay);
    struct barrier *barrier = &core->barriers[index];
    const struct barrier_group *group = &core->barrier_groups[barrier->group];
    uint32_t own = index - group->first, counter = group->first_count + own * group->rounds + barrier->round;
    for (;; barrier->round++, counter++) { /* counter: of the round whose message it sends next */
        if (barrier->round > 0 && lacks_message(barrier, core->barrier_counts[counter - 1])) break;
        if (barrier->round == group->rounds) {
            replay->ranks[rank].in_barrier = false;
            *done = true;
            return STATUS_OK;
        }
        TRY(send_round(replay, rank, group, own, barrier->round));
    }
    replay->ranks[rank].barrier = index;
    replay->ranks[rank].in_barrier = true;
    core->counter = counter - 1;
    *done = false;
    return STATUS_OK;
}

/* Advances a rank that blocks in the barrier up to its last round; its call's step function is not called before. */
enum status replay_on_barrier(struct replay *replay, const struct engine_note *message)
{
    struct core *core = core_of(replay);
    const uint32_t rank = message->destination;
    const struct rank_state *state = &replay->ranks[rank];
    bool done;
    core->barrier_counts[message->ref]++;
    if (state->status != RANK_BLOCKED || !state->in_barrier || state->threads) {
        replay_wake(replay, rank);
        return STATUS_OK;
    }
    TRY(replay_barrier_step(replay, rank, state->barrier, &done));
    if (done) {
        replay_wake(replay, rank);
        return STATUS_OK;
    }
    mailbox_await_next(&core->mailbox, replay->nodes[rank], core->counter);
    core->counter = ENGINE_NO_COUNTER;
    return STATUS_OK;
}

enum step replay_step_comm_barrier(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    int32_t comm_id = call->handle < 0 ? 0 : call->handle; /* MPI_Init and MPI_Finalize: the world */
    const struct trace_comm *comm = &replay->trace->definitions.comms[comm_id];
    uint32_t own = (uint32_t)trace_comm_rank(comm, (int32_t)rank);
    uint32_t barrier = barrier_of_comm(replay, comm_id, own);
    bool done;
    if (state->phase == PHASE_ENTER) {
        if (call->handle >= 0) STEP_TRY(replay_match_collectives(replay, rank, comm_id, own));
        replay_barrier_begin(replay, barrier);
        return replay_spend(replay, state, comm->count > 1 ? replay_overhead_ps(replay, state) : 0, PHASE_BARRIER);
    }
    STEP_TRY(replay_barrier_step(replay, rank, barrier, &done));
    return done ? replay_exit(state, replay->now_ps) : STEP_BLOCK;
}
