/* The buffer of semantics d where it is limited (mpi.rma.buffer_bytes). Each origin has one for all its windows. A put
 * occupies its bytes from the begin of its copy until its last byte has left. */
#include <stdlib.h>

#include "common/array.h"
#include "simulate/replay/walk.h"
#include "simulate/windows/transfer.h"

/* Bytes of an origin's buffer that become free at a known time. */
struct leaving {
    uint32_t rank, next;
    int64_t bytes;
};

struct buffers {
    int64_t *held_bytes; /* by rank: copied or being copied, and not left yet */
    POOL(leaving, leaving);
};

DEFINE_POOL(leaving, next, replay->buffers);

enum status replay_prepare_buffers(struct replay *replay)
{
    if (replay->platform->semantics.buffer_bytes == INT64_MAX) return STATUS_OK;
    replay->buffers = calloc(1, sizeof *replay->buffers);
    if (!replay->buffers) return err_memory(replay->err);
    replay->buffers->free_leaving = NO_INDEX;
    replay->buffers->held_bytes = calloc(replay->trace->rank_count, sizeof *replay->buffers->held_bytes);
    return replay->buffers->held_bytes ? STATUS_OK : err_memory(replay->err);
}

void replay_clear_buffers(struct replay *replay)
{
    if (!replay->buffers) return;
    FREE_ALL(replay->buffers->held_bytes, replay->buffers->leavings, replay->buffers);
}

bool replay_buffer_fits(const struct replay *replay, uint32_t rank, int64_t bytes)
{
    return !replay->buffers || bytes <= replay->platform->semantics.buffer_bytes - replay->buffers->held_bytes[rank];
}

void replay_buffer_take(struct replay *replay, uint32_t rank, int64_t bytes)
{
    const struct rank_state *state = &replay->ranks[rank];
    struct buffer_use *use = &replay->outcome->buffer;
    if (!replay->buffers) return;
    int64_t *held_bytes = &replay->buffers->held_bytes[rank];
    *held_bytes += bytes;
    if (*held_bytes > use->peak_bytes) use->peak_bytes = *held_bytes;
    int64_t waited_ps = replay->now_ps - state->enter_ps - state->busy_ps;
    if (waited_ps == 0) return;
    use->waits++;
    use->waited_ps += waited_ps;
}

static void give_back(struct replay *replay, uint32_t rank, int64_t bytes)
{
    replay->buffers->held_bytes[rank] -= bytes;
    replay_wake(replay, rank);
}

enum status replay_buffer_left(struct replay *replay, uint32_t rank, int64_t bytes, int64_t left_ps)
{
    if (left_ps <= replay->now_ps) {
        give_back(replay, rank, bytes);
        return STATUS_OK;
    }
    uint32_t index;
    TRY(replay_take_leaving(replay, &index));
    replay->buffers->leavings[index] = (struct leaving){.rank = rank, .bytes = bytes};
    return replay_timer(replay, left_ps, rank, TIMER_BUFFER, index);
}

enum status replay_on_buffer(struct replay *replay, uint32_t index)
{
    const struct leaving left = replay->buffers->leavings[index];
    replay_release_leaving(replay, index);
    give_back(replay, left.rank, left.bytes);
    return STATUS_OK;
}

uint32_t replay_rank_of_buffer(const struct replay *replay, uint32_t index)
{
    return replay->buffers->leavings[index].rank;
}
