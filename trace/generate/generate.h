/* Generates traces of regular exchange patterns with a chosen synchronisation, for benchmarks, tests and first
 * trials. */
#ifndef TRACE_GENERATE_GENERATE_H
#define TRACE_GENERATE_GENERATE_H

#include "trace/trace.h"

struct generate_options {
    const char *pattern; /* a name of generate_patterns() */
    const char *sync;    /* a name of generate_syncs(): pscw, fence, lock, flush, p2p */
    uint32_t ranks, iterations;
    int64_t bytes;    /* of one transfer */
    double compute_s; /* of one iteration */
    double imbalance; /* rank r computes compute_s * (1 + imbalance * u), u uniform in [-1, 1] from seed, fixed per
                         (rank, iteration) */
    uint64_t seed;
};

/* Makes a trace in the form of a recorded one, whose calls take no time. The caller owns *trace. */
enum status generate_trace(const struct generate_options *options, struct trace **trace, struct err *err);

/* The same, one rank at a time, for a trace that memory does not hold (trace/otf2/otf2.h, otf2_write_ranks):
 * generate_definitions() is the trace, and generate_rank() an otf2_rank_maker whose context is the generator. generate_calls():
 * of the ranks so far. The options are borrowed until generate_close(), which takes NULL. */
struct generator;
enum status generate_open(const struct generate_options *options, struct generator **generator, struct err *err);
const struct trace *generate_definitions(const struct generator *generator);
enum status generate_rank(void *generator, uint32_t rank, struct err *err);
uint64_t generate_calls(const struct generator *generator);
void generate_close(struct generator *generator);

/* NULL-terminated lists for help and checks. */
const char *const *generate_patterns(void);
const char *const *generate_syncs(void);

#endif
