#include "common/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    double factor;
};

static const struct unit durations[] = {{"", 1},      {"s", 1},      {"ms", 1e-3}, {"us", 1e-6},
                                        {"ns", 1e-9}, {"ps", 1e-12}, {"min", 60}};
static const struct unit rates[] = {{"", 1},         {"B/s", 1},        {"kB/s", 1e3},     {"KB/s", 1e3},
                                    {"MB/s", 1e6},   {"GB/s", 1e9},     {"TB/s", 1e12},    {"bit/s", 0.125},
                                    {"kbit/s", 125}, {"Mbit/s", 125e3}, {"Gbit/s", 125e6}, {"Bps", 1}};
static const struct unit sizes[] = {
    {"", 1}, {"B", 1}, {"K", 1024}, {"M", 1048576}, {"G", 1073741824.0}, {"T", 1099511627776.0}};
static const struct unit fractions[] = {{"", 1}, {"%", 0.01}};

static bool parse_unit(const char *text, const struct unit *units, size_t count, double *value)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || !isfinite(number) || number < 0) return false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(end, units[i].name) != 0) continue;
        *value = number * units[i].factor;
        return true;
    }
    return false;
}

#define PARSE(text, table, value) parse_unit(text, table, sizeof(table) / sizeof *(table), value)

bool units_parse_duration(const char *text, double *seconds)
{
    return PARSE(text, durations, seconds);
}

bool units_parse_rate(const char *text, double *bytes_per_s)
{
    return PARSE(text, rates, bytes_per_s);
}

bool units_parse_fraction(const char *text, double *fraction)
{
    return PARSE(text, fractions, fraction);
}

bool units_parse_size(const char *text, int64_t *bytes)
{
    double value;
    if (!PARSE(text, sizes, &value) || value != floor(value) || value > 9e18) return false;
    *bytes = (int64_t)value;
    return true;
}

int64_t units_ps(double s)
{
    double ps = s * (double)UNITS_PS_PER_S;
    if (!(ps < 0x1p63)) return INT64_MAX;
    return ps < -0x1p63 ? INT64_MIN : llround(ps);
}

double units_s(int64_t ps)
{
    return (double)ps / (double)UNITS_PS_PER_S;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The digits after a decimal point as ps, rounded; *end is the text after them. */
static uint64_t parse_fraction_ps(const char *first, const char **end)
{
    enum { DIGITS = 12 }; /* of a picosecond */
    static const uint64_t scales[DIGITS + 1] = {
        1000000000000, 100000000000, 10000000000, 1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100,
        10,            1};
    const char *c = first, *last = first + DIGITS;
    uint64_t part = 0;
    for (unsigned digit; c < last && (digit = (unsigned char)*c - (unsigned)'0') <= 9; c++) part = part * 10 + digit;
    part *= scales[c - first];
    if (c == last && *c >= '5' && *c <= '9') part++;
    while (is_digit(*c)) c++;
    *end = c;
    return part;
}

bool units_parse_ps(const char *text, const char **end, int64_t *ps)
{
    const char *c = text;
    bool negative = *c == '-';
    if (negative) c++;
    const char *digits = c;
    uint64_t whole = 0, part = 0;
    for (; is_digit(*c); c++)
        if ((whole = whole * 10 + (uint64_t)(*c - '0')) > 9000000) return false;
    size_t seen = (size_t)(c - digits);
    if (*c == '.') {
        const char *first = ++c;
        part = parse_fraction_ps(first, &c);
        seen += (size_t)(c - first);
    }
    if (seen == 0) return false;
    if (*c == 'e' || *c == 'E') {
        char *stop;
        double value = strtod(text, &stop);
        if (!(fabs(value) < 9e6)) return false;
        *end = stop;
        *ps = units_ps(value);
        return true;
    }
    int64_t magnitude = (int64_t)(whole * (uint64_t)UNITS_PS_PER_S + part);
    *end = c;
    *ps = negative ? -magnitude : magnitude;
    return true;
}

char *units_format_ps(int64_t ps, char buffer[UNITS_TEXT_BYTES])
{
    uint64_t magnitude = ps < 0 ? -(uint64_t)ps : (uint64_t)ps;
    int length = snprintf(buffer, UNITS_TEXT_BYTES, "%s%" PRIu64 ".%012" PRIu64, ps < 0 ? "-" : "",
                          magnitude / (uint64_t)UNITS_PS_PER_S, magnitude % (uint64_t)UNITS_PS_PER_S);
    for (int cut = 0; cut < 6 && buffer[length - 1] == '0'; cut++) buffer[--length] = '\0';
    return buffer;
}

static char *format_value(double value, const struct unit *units, size_t count, char *buffer)
{
    size_t i = 0;
    while (i + 1 < count && fabs(value) < units[i].factor) i++;
    if (value == 0)
        snprintf(buffer, UNITS_TEXT_BYTES, "0");
    else
        snprintf(buffer, UNITS_TEXT_BYTES, "%.4g %s", value / units[i].factor, units[i].name);
    return buffer;
}

#define FORMAT(value, table, buffer) format_value(value, table, sizeof(table) / sizeof *(table), buffer)

char *units_format_duration(double seconds, char buffer[UNITS_TEXT_BYTES])
{
    static const struct unit shown[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"ps", 1e-12}};
    return FORMAT(seconds, shown, buffer);
}

char *units_format_rate(double bytes_per_s, char buffer[UNITS_TEXT_BYTES])
{
    static const struct unit shown[] = {{"TB/s", 1e12}, {"GB/s", 1e9}, {"MB/s", 1e6}, {"kB/s", 1e3}, {"B/s", 1}};
    return FORMAT(bytes_per_s, shown, buffer);
}

char *units_format_bytes(double bytes, char buffer[UNITS_TEXT_BYTES])
{
    static const struct unit shown[] = {{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}};
    return FORMAT(bytes, shown, buffer);
}
