/* The buffer of semantics d where it is limited (mpi.rma.buffer_bytes). Each origin has one for all its windows. A put
 * occupies its bytes from the begin of its copy until its last byte has left. */
#include <string.h>

#include "common/array.h"
#include "simulate/replay/walk.h"
#include "simulate/windows/transfer.h"

/* Bytes of an origin's buffer that become free at a known time. */
struct room {
    uint32_t rank, next;
    int64_t bytes;
};

DEFINE_POOL(room, next);

static int64_t limit_of(const struct replay *replay)
{
    return replay->platform->semantics.buffer_bytes;
}

bool replay_buffer_fits(const struct replay *replay, const struct rank_state *rank, int64_t bytes)
{
    return bytes <= limit_of(replay) - replay_rare(replay, rank)->buffered_bytes;
}

void replay_buffer_take(struct replay *replay, struct rank_state *rank, int64_t bytes)
{
    struct buffer_use *use = &replay->outcome->buffer;
    if (limit_of(replay) == INT64_MAX) return;
    struct rank_rare *rare = replay_rare(replay, rank);
    rare->buffered_bytes += bytes;
    if (rare->buffered_bytes > use->peak_bytes) use->peak_bytes = rare->buffered_bytes;
    int64_t waited_ps = replay->now_ps - rank->enter_ps - rank->busy_ps;
    if (waited_ps == 0) return;
    use->waits++;
    use->waited_ps += waited_ps;
}

static void give_back(struct replay *replay, uint32_t rank, int64_t bytes)
{
    replay->rare[rank].buffered_bytes -= bytes;
    replay_wake(replay, rank);
}

enum status replay_buffer_left(struct replay *replay, uint32_t rank, int64_t bytes, int64_t left_ps)
{
    if (left_ps <= replay->now_ps) {
        give_back(replay, rank, bytes);
        return STATUS_OK;
    }
    uint32_t index;
    TRY(replay_take_room(replay, &index));
    replay->rooms[index] = (struct room){.rank = rank, .bytes = bytes};
    return replay_timer(replay, left_ps, rank, TIMER_ROOM, index);
}

enum status replay_on_room(struct replay *replay, uint32_t index)
{
    const struct room room = replay->rooms[index];
    replay_release_room(replay, index);
    give_back(replay, room.rank, room.bytes);
    return STATUS_OK;
}

uint32_t replay_rank_of_room(const struct replay *replay, uint32_t room)
{
    return replay->rooms[room].rank;
}
