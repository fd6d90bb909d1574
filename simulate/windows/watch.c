#include "simulate/windows/watch.h"

#include <stdlib.h>

#include "common/array.h"
#include "model/match/shmem_writes.h"
#include "simulate/replay/walk.h"
#include "simulate/windows/op.h"

struct watches {
    int32_t window;
    struct map of_writes, of_waits; /* by rank and call */
    struct watch *items;
    size_t count, capacity;
};

static uint64_t key_of(uint32_t rank, size_t call)
{
    return (uint64_t)rank << 40 | call;
}

const struct watch *replay_watch_of(const struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    const uint64_t *index = map_find(&replay->watches->of_waits, key_of(rank, state->next));
    return index ? &replay->watches->items[*index] : NULL;
}

void replay_take_effect(struct replay *replay, uint32_t op, int64_t at_ps)
{
    const struct op *by = &replay->ops[op];
    if (replay->members[by->member].window != replay->watches->window) return;
    const uint64_t *index = map_find(&replay->watches->of_writes, key_of(by->origin, by->call));
    if (!index) return;
    struct watch *watch = &replay->watches->items[*index];
    watch->arrived = true;
    watch->arrived_ps = at_ps;
    replay_wake(replay, watch->waiter);
}

static enum status add_watch(struct replay *replay, uint32_t rank, size_t call, const struct shmem_write *cause)
{
    struct watches *watches = replay->watches;
    uint64_t *of_write, *of_wait;
    TRY(map_put(&watches->of_writes, key_of(cause->origin, cause->call), watches->count, &of_write,
                replay->err));
    TRY(map_put(&watches->of_waits, key_of(rank, call), *of_write, &of_wait, replay->err));
    if (*of_write < watches->count) return STATUS_OK;
    struct watch made = {.origin = cause->origin, .waiter = rank, .call = cause->call};
    ARRAY_PUSH(watches->items, watches->count, watches->capacity, made, replay->err);
    return STATUS_OK;
}

enum status replay_prepare_watches(struct replay *replay, int32_t window)
{
    replay->watches = calloc(1, sizeof *replay->watches);
    if (!replay->watches) return err_memory(replay->err);
    replay->watches->window = window;
    struct shmem_writes writes;
    TRY(shmem_writes_find(replay->trace, &writes, replay->err));
    enum status status = shmem_writes_pair(replay->trace, &writes, replay->err);
    for (uint32_t rank = 0; status == STATUS_OK && rank < replay->trace->rank_count; rank++)
        for (size_t i = 0; status == STATUS_OK && i < replay->trace->ranks[rank].count; i++) {
            const struct shmem_write *cause = shmem_writes_cause(&writes, replay->trace, rank, i);
            if (cause) status = add_watch(replay, rank, i, cause);
        }
    shmem_writes_clear(&writes);
    return status;
}

void replay_clear_watches(struct replay *replay)
{
    struct watches *watches = replay->watches;
    if (!watches) return;
    map_clear(&watches->of_writes);
    map_clear(&watches->of_waits);
    FREE_ALL(watches->items, watches);
}
