/* A trace in which every row of the table of calls stands with every field that it allows, several times. */
#ifndef TESTS_OTF2_SAMPLE_H
#define TESTS_OTF2_SAMPLE_H

#include "trace/trace.h"

enum { SAMPLE_RANKS = 4 };

struct sample_options {
    bool simulated;
    int64_t first_ps; /* time of the first event, any sign */
    bool broken;      /* ranks break off: inside a receive, a wait for requests, between calls */
};

/* Passes trace_check(). The caller frees it. */
struct trace *sample_make(const struct sample_options *options);

#endif
