/* Sums of picoseconds over ranks: 128 bits. 64 bits end at 2562 hours, which 1024 ranks pass in three; 2^20 ranks of 106
 * days each stay below 2^84 here, times as many waits that one rank causes below 2^104. */
#ifndef COMMON_WIDE_H
#define COMMON_WIDE_H

__extension__ typedef __int128 wide_ps;

/* Nearest double, as units_s(). */
static inline double wide_s(wide_ps ps)
{
    return (double)ps / 1e12;
}

#endif
