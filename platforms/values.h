/* Every time and rate of an opened platform as a number that can be changed in place: for replays at other values. The keys are
 * those of --set, but for rows by size, which have a number: "network.segments[1].latency_s". */
#ifndef PLATFORMS_VALUES_H
#define PLATFORMS_VALUES_H

#include "platforms/keys.h"

enum { VALUE_KEY_BYTES = 96 };
struct platform_value {
    char key[VALUE_KEY_BYTES];
    enum key_kind kind;  /* KEY_TIME, KEY_PAUSE, KEY_COST, KEY_RATE or KEY_SPEED */
    double *at, *follows; /* borrowed from the platform; follows: has the same value, since the file says nothing; NULL: none */
};

struct platform_values {
    struct platform_value *items; /* owned */
    size_t count, capacity;
};

/* Values that are drawn (network.jitter_s) are left out. Inits *values. */
enum status platform_values_find(struct platform *platform, struct platform_values *values, struct err *err);
void platform_values_clear(struct platform_values *values);

/* Makes all times factor times as long, and the rates as low; the speed stays. With a power of two nothing is rounded. */
void platform_values_stretch(const struct platform_values *values, double factor);

#endif
