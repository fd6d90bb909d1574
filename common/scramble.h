/* A random number that depends on its argument alone: splitmix64 (G. L. Steele, D. Lea, C. H. Flood, Fast Splittable
 * Pseudorandom Number Generators, OOPSLA 2014). */
#ifndef COMMON_SCRAMBLE_H
#define COMMON_SCRAMBLE_H

#include <math.h>
#include <stdint.h>

static inline uint64_t scramble_bits(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The number-th random number of the key in a series, with mean 0 and standard deviation 1, between -3.46 and 3.46: the sum of
 * four equally distributed numbers. Those have 16 bits each, so the variance of their sum is 4 (2^32 - 1) / 12. */
static inline double scramble_bell(uint64_t series, uint64_t key, uint64_t number)
{
    enum { PARTS = 4, PART_BITS = 16, PART_VALUES = 1 << PART_BITS };
    const double mean = PARTS * (PART_VALUES - 1) / 2.0, sd = sqrt(((double)PART_VALUES * PART_VALUES - 1) * PARTS / 12);
    const uint64_t bits = scramble_bits(scramble_bits(scramble_bits(series) ^ key) + number);
    uint64_t sum = 0;
    for (int part = 0; part < PARTS; part++) sum += bits >> (part * PART_BITS) & (PART_VALUES - 1);
    return ((double)sum - mean) / sd;
}

#endif
