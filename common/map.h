/* Hash map from a 64-bit key to a 64-bit value: open addressing, linear probing. */
#ifndef COMMON_MAP_H
#define COMMON_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

struct map {
    uint64_t *keys;
    uint64_t *values;
    uint8_t *used;
    size_t count, capacity; /* capacity is 0 or a power of two */
};

/* All-zero is the empty map. */
void map_clear(struct map *map);

/* Removes all keys, keeps the memory. */
void map_empty(struct map *map);

/* The address of key's value, or NULL. Valid until the next map_put. */
uint64_t *map_find(const struct map *map, uint64_t key);

/* Sets *slot to the address of key's value, adding the key with value `initial` if it is new. Valid until the next
 * map_put. */
enum status map_put(struct map *map, uint64_t key, uint64_t initial, uint64_t **slot, struct err *err);

/* Sets a key's value, whether it is new or not. */
enum status map_set(struct map *map, uint64_t key, uint64_t value, struct err *err);

/* Removes a key, if it is there. Addresses of values change. */
void map_remove(struct map *map, uint64_t key);

/* The same, and returns the value. Returns false, without setting *value, if the key is missing. */
bool map_take(struct map *map, uint64_t key, uint64_t *value);

/* All values, ascending, in memory that the caller frees. */
enum status map_values(const struct map *map, uint64_t **values, struct err *err);

/* The key of a pair of numbers; each pair has a key of its own. */
static inline uint64_t map_pair(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

/* Mixes two words into a key-sized hash (for composite keys that are verified by the caller). */
uint64_t map_mix(uint64_t a, uint64_t b);

#endif
