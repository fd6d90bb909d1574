#include "simulate/engine/loggp/jitter.h"

#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/scramble.h"
#include "common/units.h"

void jitter_init(struct jitter *jitter, const struct platform *platform)
{
    bool draws = platform->draw > 0 && platform->jitter_s > 0;
    *jitter = (struct jitter){.sd_ps = draws ? (double)units_ps(platform->jitter_s) : 0, .draw = platform->draw};
}

void jitter_clear(struct jitter *jitter)
{
    map_clear(&jitter->index);
    free(jitter->pairs);
}

enum status jitter_draw(struct jitter *jitter, int32_t src_node, int32_t dst_node, int64_t begin_ps, int64_t *latency_ps,
                        struct err *err)
{
    uint64_t key = map_pair((uint32_t)src_node, (uint32_t)dst_node), *slot;
    TRY(map_put(&jitter->index, key, jitter->count, &slot, err));
    size_t index = (size_t)*slot;
    if (index == jitter->count) ARRAY_PUSH(jitter->pairs, jitter->count, jitter->capacity, (struct jitter_pair){0}, err);
    struct jitter_pair *pair = &jitter->pairs[index];
    const double z = scramble_bell(jitter->draw, key, pair->messages);
    int64_t drawn_ps = *latency_ps + llround(jitter->sd_ps * z), stated_ps = begin_ps + *latency_ps;
    if (drawn_ps < 0) drawn_ps = 0;
    bool behind = pair->messages > 0 && stated_ps >= pair->stated_ps;
    if (behind && begin_ps + drawn_ps < pair->drawn_ps) drawn_ps = pair->drawn_ps - begin_ps;
    if (pair->messages++ == 0 || behind) {
        pair->stated_ps = stated_ps;
        pair->drawn_ps = begin_ps + drawn_ps;
    }
    *latency_ps = drawn_ps;
    return STATUS_OK;
}
