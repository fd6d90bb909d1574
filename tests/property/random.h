/* A stream of random numbers that a seed fixes on every machine: splitmix64 (G. Steele, D. Lea, C. Flood, Fast
 * splittable pseudorandom number generators, OOPSLA 2014). */
#ifndef TESTS_PROPERTY_RANDOM_H
#define TESTS_PROPERTY_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
    uint64_t state; /* the seed */
};

static inline uint64_t random_next(struct random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 0 .. count - 1; the bias towards small numbers (below 2^-32) does not matter here. */
static inline uint32_t random_below(struct random *random, uint32_t count)
{
    return (uint32_t)((random_next(random) >> 32) * count >> 32);
}

static inline bool random_chance(struct random *random, uint32_t percent)
{
    return random_below(random, 100) < percent;
}

#endif
