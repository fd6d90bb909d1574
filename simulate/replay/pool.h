/* Pools of small items with free lists: indices stay valid when arrays move. A pool NAME of struct TYPE is a member of
 * struct replay. replay_take_NAME returns the index of a zeroed item, replay_release_NAME frees it. */
#ifndef SIMULATE_REPLAY_POOL_H
#define SIMULATE_REPLAY_POOL_H

#define POOL(type, name)                                                                                               \
    struct type *name##s;                                                                                              \
    size_t name##_count, name##_capacity;                                                                              \
    uint32_t free_##name

#define DECLARE_POOL(name)                                                                                             \
    enum status replay_take_##name(struct replay *replay, uint32_t *index);                                            \
    void replay_release_##name(struct replay *replay, uint32_t index)

/* link: the member that chains free items. */
#define DEFINE_POOL(name, link)                                                                                        \
    DECLARE_POOL(name);                                                                                                \
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
    }                                                                                                                  \
    DECLARE_POOL(name)

#endif
