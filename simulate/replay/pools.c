/* Pools of small items with free lists: indices stay valid while arrays move. */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "simulate/replay/core.h"

/* `link` is the member that chains free items. */
#define DEFINE_POOL(type, name, link)                                                                                  \
    enum status replay_take_##name(struct replay *replay, uint32_t *index)                                             \
    {                                                                                                                  \
        if (replay->free_##name != NO_INDEX) {                                                                         \
            *index = replay->free_##name;                                                                              \
            replay->free_##name = replay->name##s[*index].link;                                                        \
        } else {                                                                                                       \
            TRY(array_reserve((void **)&replay->name##s, &replay->name##_capacity, replay->name##_count + 1,           \
                              sizeof *replay->name##s, replay->err));                                                  \
            *index = (uint32_t)replay->name##_count++;                                                                 \
        }                                                                                                              \
        memset(&replay->name##s[*index], 0, sizeof replay->name##s[0]);                                                \
        return STATUS_OK;                                                                                              \
    }                                                                                                                  \
    void replay_release_##name(struct replay *replay, uint32_t index)                                                  \
    {                                                                                                                  \
        replay->name##s[index].link = replay->free_##name;                                                             \
        replay->free_##name = index;                                                                                   \
    }

DEFINE_POOL(op, op, next)
DEFINE_POOL(lock_epoch, lock_epoch, next)
DEFINE_POOL(request, request, rank)
DEFINE_POOL(envelope, envelope, next)
DEFINE_POOL(waiting_message, message, next)
DEFINE_POOL(coll_task, task, next)
DEFINE_POOL(room, room, next)

void replay_clear_pools(struct replay *replay)
{
    free(replay->ops);
    free(replay->lock_epochs);
    free(replay->requests);
    free(replay->envelopes);
    free(replay->messages);
    free(replay->tasks);
    free(replay->rooms);
}
