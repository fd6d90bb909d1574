/* Sums of picoseconds over ranks have 128 bits. 64 bits hold 2562 hours, which 1024 ranks exceed in three hours. The
 * sum of 2^20 ranks with 106 days each is below 2^84. If one rank causes waits of so many ranks 2^20 times, it is below
 * 2^104. */
#ifndef COMMON_WIDE_H
#define COMMON_WIDE_H

__extension__ typedef __int128 wide_ps;

/* The nearest double to the sum in seconds. */
static inline double wide_s(wide_ps ps)
{
    return (double)ps / 1e12;
}

#endif
