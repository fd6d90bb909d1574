/* The known answer of a fit: times of sizes on straight lines. */
#ifndef TESTS_FIT_TRUTH_H
#define TESTS_FIT_TRUTH_H

struct truth {
    double upto, latency, per_byte; /* holds for sizes up to upto */
};

static inline double true_time(const struct truth *truth, double bytes)
{
    while (bytes > truth->upto) truth++;
    return truth->latency + truth->per_byte * bytes;
}

#endif
