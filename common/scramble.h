/* A random number that depends on its argument alone: splitmix64 (G. L. Steele, D. Lea, C. H. Flood, Fast Splittable
 * Pseudorandom Number Generators, OOPSLA 2014). */
#ifndef COMMON_SCRAMBLE_H
#define COMMON_SCRAMBLE_H

#include <stdint.h>

static inline uint64_t scramble_bits(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

#endif
