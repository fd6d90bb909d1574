#include "common/array.h"
#include "common/map.h"
#include "common/search.h"

#include <stdlib.h>
#include <string.h>

/* The finaliser of MurmurHash3 (Austin Appleby, public domain). */
static uint64_t scramble_key(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    x ^= x >> 33;
    return x;
}

uint64_t map_mix(uint64_t a, uint64_t b)
{
    return scramble_key(scramble_key(a) + b);
}

void map_clear(struct map *map)
{
    FREE_ALL(map->keys, map->values, map->used);
    memset(map, 0, sizeof *map);
}

void map_empty(struct map *map)
{
    if (map->count > 0) memset(map->used, 0, map->capacity);
    map->count = 0;
}

static size_t slot_of(const struct map *map, uint64_t key)
{
    size_t i = (size_t)scramble_key(key) & (map->capacity - 1);
    while (map->used[i] && map->keys[i] != key) i = (i + 1) & (map->capacity - 1);
    return i;
}

uint64_t *map_find(const struct map *map, uint64_t key)
{
    if (map->capacity == 0) return NULL;
    size_t i = slot_of(map, key);
    return map->used[i] ? &map->values[i] : NULL;
}

static enum status grow_map(struct map *map, struct err *err)
{
    struct map bigger = {.count = map->count, .capacity = map->capacity ? map->capacity * 2 : 16};
    bigger.keys = malloc(bigger.capacity * sizeof *bigger.keys);
    bigger.values = malloc(bigger.capacity * sizeof *bigger.values);
    bigger.used = calloc(bigger.capacity, 1);
    if (!bigger.keys || !bigger.values || !bigger.used) {
        map_clear(&bigger);
        return err_memory(err);
    }
    for (size_t i = 0; i < map->capacity; i++) {
        if (!map->used[i]) continue;
        size_t to = slot_of(&bigger, map->keys[i]);
        bigger.used[to] = 1;
        bigger.keys[to] = map->keys[i];
        bigger.values[to] = map->values[i];
    }
    map_clear(map);
    *map = bigger;
    return STATUS_OK;
}

enum status map_put(struct map *map, uint64_t key, uint64_t initial, uint64_t **slot, struct err *err)
{
    if (map->count * 4 >= map->capacity * 3) TRY(grow_map(map, err));
    size_t i = slot_of(map, key);
    if (!map->used[i]) {
        map->used[i] = 1;
        map->keys[i] = key;
        map->values[i] = initial;
        map->count++;
    }
    *slot = &map->values[i];
    return STATUS_OK;
}

enum status map_set(struct map *map, uint64_t key, uint64_t value, struct err *err)
{
    uint64_t *slot;
    TRY(map_put(map, key, value, &slot, err));
    *slot = value;
    return STATUS_OK;
}

/* Moves later items into the gap, unless the gap is before their own slots. */
void map_remove(struct map *map, uint64_t key)
{
    if (map->capacity == 0) return;
    size_t gap = slot_of(map, key), last = map->capacity - 1;
    if (!map->used[gap]) return;
    for (size_t i = (gap + 1) & last; map->used[i]; i = (i + 1) & last) {
        size_t own = (size_t)scramble_key(map->keys[i]) & last;
        if (((i - own) & last) < ((i - gap) & last)) continue;
        map->keys[gap] = map->keys[i];
        map->values[gap] = map->values[i];
        gap = i;
    }
    map->used[gap] = 0;
    map->count--;
}

bool map_take(struct map *map, uint64_t key, uint64_t *value)
{
    const uint64_t *found = map_find(map, key);
    if (!found) return false;
    *value = *found;
    map_remove(map, key);
    return true;
}

ORDER(by_value, uint64_t, UP_ITSELF)

enum status map_values(const struct map *map, uint64_t **values, struct err *err)
{
    size_t count = 0;
    *values = malloc((map->count + 1) * sizeof **values);
    if (!*values) return err_memory(err);
    for (size_t i = 0; i < map->capacity; i++)
        if (map->used[i]) (*values)[count++] = map->values[i];
    qsort(*values, count, sizeof **values, by_value);
    return STATUS_OK;
}
