/* The analysis: wait states, properties and transfer bounds of a trace, recorded or predicted.
 * Source: M.-A. Hermanns, Ereignisbasierte Leistungsanalyse von Remote-Memory-Access-Operationen, FZJ-ZAM-IB-2004-15,
 * chapter 6; A. Kuehnal et al., Specification of Inefficiency Patterns for MPI-2 One-sided Communication, chapters 5 and 6.
 * docs/patterns.md gives each formula. */
#ifndef RMACAST_ANALYZE_H
#define RMACAST_ANALYZE_H

#include "rmacast/error.h"
#include "rmacast/result.h"
#include "rmacast/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Set size = sizeof(struct rmacast_analyze_options) and what else differs from 0, so that later versions may add members. */
struct rmacast_analyze_options {
    size_t size;
    double epsilon_s;    /* waits shorter than this count as zero; from 0 to 9e6 */
    int earliest_post;   /* Late Post lasts up to the earliest post of an epoch's targets, not the latest */
    int64_t eager_bytes; /* sends up to this size do not wait for their receive; from 0 to 9e18; 0: 65536 */
    int intervals;       /* also efficiency of each user region, root causes and the critical path */
};

/* Finds the wait states of every rank and the bounds of every one-sided transfer. The trace may be recorded or predicted.
 * options NULL: defaults. The caller owns *result, which keeps nothing of the trace. RMACAST_USAGE: a value of
 * options is out of its range, or their size is that of another version. RMACAST_DATA: calls of the trace contradict each
 * other or MPI; the text names rank and event. */
enum rmacast_status rmacast_analyze(const struct rmacast_trace *trace, const struct rmacast_analyze_options *options,
                                    struct rmacast_result **result, struct rmacast_error *error);

#ifdef __cplusplus
}
#endif
#endif
