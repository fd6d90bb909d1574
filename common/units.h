/* Parses and prints quantities, and converts between seconds and picoseconds.
 *
 * Times of traces are integers in picoseconds (suffix _ps). Reported values are doubles in SI units (suffixes _s and
 * _Bps, bytes without a suffix). 2^63 ps are 106 days. */
#ifndef COMMON_UNITS_H
#define COMMON_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNITS_PS_PER_S INT64_C(1000000000000)

/* Nearest picosecond that 64 bits hold: 106 days at most. */
int64_t units_ps(double s);
double units_s(int64_t ps);

/* The sum of both, or the nearest number that 64 bits hold. */
static inline int64_t units_add_ps(int64_t a, int64_t b)
{
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t units_min_ps(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t units_max_ps(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* "0.000123", "10us", "1.5ms", "2s", "300ns", "5ps", "1e-6" to seconds; false on anything else or a negative value. */
bool units_parse_duration(const char *text, double *seconds);

/* Parses decimal seconds exactly: digits after the 12th decimal are rounded. A leading '-' and an exponent are
 * accepted. Sets *end to the character after the number. Returns false if there is no number, or it is out of range. */
bool units_parse_ps(const char *text, const char **end, int64_t *ps);

/* "12.5GB/s", "100MB/s", "1e9", "10Gbit/s" (decimal prefixes) to bytes per second. */
bool units_parse_rate(const char *text, double *bytes_per_s);

/* "64K", "1M", "2G" (powers of two), "4096" to bytes. */
bool units_parse_size(const char *text, int64_t *bytes);

/* "5%" or "0.05" to 0.05. */
bool units_parse_fraction(const char *text, double *fraction);

/* Seconds with 12 decimals, trailing zeros cut down to 6 decimals ("0.010001", "0.000000000123"). Returns buffer. */
enum { UNITS_TEXT_BYTES = 40 };
char *units_format_ps(int64_t ps, char buffer[UNITS_TEXT_BYTES]);

/* For tables: three to four significant digits and a unit, as "410 us", "1.25 s", "0"; "9.5 GB/s"; "1.0 MB" (decimal).
 * Return buffer. */
char *units_format_duration(double seconds, char buffer[UNITS_TEXT_BYTES]);
char *units_format_rate(double bytes_per_s, char buffer[UNITS_TEXT_BYTES]);
char *units_format_bytes(double bytes, char buffer[UNITS_TEXT_BYTES]);

/* The ending of a noun behind a count, as in "%zu rank%s": "" for 1, else "s". */
static inline const char *units_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

#endif
