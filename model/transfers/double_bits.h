/* Positive doubles have the order of their bits: sign, exponent, 52 bits of fraction (IEEE 754). */
#ifndef MODEL_TRANSFERS_DOUBLE_BITS_H
#define MODEL_TRANSFERS_DOUBLE_BITS_H

#include <stdint.h>
#include <string.h>

_Static_assert(sizeof(double) == sizeof(uint64_t), "IEEE 754 doubles");

static inline uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
