/* Pools of small items with free lists: indices stay valid when arrays move. A pool NAME of struct TYPE is members of a
 * struct of the replay. replay_take_NAME returns the index of a zeroed item, replay_release_NAME frees it. */
#ifndef SIMULATE_REPLAY_POOL_H
#define SIMULATE_REPLAY_POOL_H

#include "common/array.h"

#define POOL(type, name)                                                                                               \
    struct type *name##s;                                                                                              \
    size_t name##_count, name##_capacity;                                                                              \
    uint32_t free_##name

#define DECLARE_POOL(name)                                                                                             \
    enum status replay_take_##name(struct replay *replay, uint32_t *index);                                            \
    void replay_release_##name(struct replay *replay, uint32_t index)

/* link: the member that chains free items. owner: expression with `replay`, of the struct that has the pool. */
#define DEFINE_POOL(name, link, owner)                                                                                 \
    DECLARE_POOL(name);                                                                                                \
    enum status replay_take_##name(struct replay *replay, uint32_t *index)                                             \
    {                                                                                                                  \
        if ((owner)->free_##name != NO_INDEX) {                                                                        \
            *index = (owner)->free_##name;                                                                             \
            (owner)->free_##name = (owner)->name##s[*index].link;                                                      \
        } else {                                                                                                       \
            TRY(array_reserve((void **)&(owner)->name##s, &(owner)->name##_capacity, (owner)->name##_count + 1,        \
                              sizeof *(owner)->name##s, replay->err));                                                 \
            *index = (uint32_t)(owner)->name##_count++;                                                                \
        }                                                                                                              \
        memset(&(owner)->name##s[*index], 0, sizeof (owner)->name##s[0]);                                              \
        return STATUS_OK;                                                                                              \
    }                                                                                                                  \
    void replay_release_##name(struct replay *replay, uint32_t index)                                                  \
    {                                                                                                                  \
        (owner)->name##s[index].link = (owner)->free_##name;                                                           \
        (owner)->free_##name = index;                                                                                  \
    }                                                                                                                  \
    DECLARE_POOL(name)

#endif
