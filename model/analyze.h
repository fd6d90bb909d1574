/* The detector: from a trace, recorded or simulated, to wait states, properties and transfer bounds. Formulas and their
 * sources: docs/patterns.md. */
#ifndef MODEL_ANALYZE_H
#define MODEL_ANALYZE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/waits/totals.h"
#include "model/waits/filter.h"
#include "model/waits/section.h"
#include "model/waits/wait_profile.h"
#include "model/efficiency/intervals.h"
#include "model/result/result.h"
#include "model/transfers/transfer_log.h"
#include "model/waits/waits.h"
#include "trace/trace.h"

enum late_post_mode { LATE_POST_LATEST, LATE_POST_EARLIEST };

/* What an analysis of a whole trace found on its way. */
struct analyze_found {
    struct waits waits; /* with intervals: sorted by waits_sort() */
    struct transfers transfers; /* with intervals */
    struct wait_profile profile; /* borrows the trace */
};
void analyze_found_clear(struct analyze_found *found);

/* Who looks on while a trace is analysed in slices: gets the waits that a round found, sorted, and their trace. */
struct analyze_watcher {
    void *context;
    enum status (*found)(void *context, const struct trace *trace, const struct waits *waits, struct err *err);
};

struct analyze_options {
    int64_t epsilon_ps; /* severities below count as zero */
    enum late_post_mode late_post;
    int64_t eager_bytes; /* two-sided patterns; 65536 by default */
    int64_t close_ps;    /* a receive that begins earlier than this after a send is close to it; 10 us by default */
    bool network_known;  /* advised distances are worked out for this network, else from what the trace shows */
    double latency_s, bandwidth_Bps;
    struct section_marks section;              /* of which the times are; of whole traces */
    struct filter filter;                      /* waits that are counted */
    struct transfer_log *transfers;            /* gets every transfer that passes the filter, borrowed; NULL: none */
    struct analyze_found *found;               /* of model_analyze: all-zero, is filled; NULL: not wanted */
    const struct analyze_watcher *watcher;     /* of model_analyze_slices with intervals, borrowed; NULL: nobody */
    bool verify;                               /* result->checks are wanted; needs intervals */
    bool intervals;                            /* result->efficiency, causes and critical path are wanted */
    enum interval_source interval_source;      /* what the intervals of result->efficiency are */
    bool lost_all;                             /* all MPI time of result->efficiency counts as lost */
    bool per_rank;                             /* result->efficiency is written with the values of every rank */
    double ideal_run_time_s, reference_user_s; /* for POP's metrics, 0: unknown (model/efficiency/efficiency.h) */
};
#define ANALYZE_DEFAULTS                                                                                               \
    {                                                                                                                  \
        .epsilon_ps = 0, .late_post = LATE_POST_LATEST, .eager_bytes = 65536, .close_ps = INT64_C(10000000)            \
    }

/* trace has passed trace_check(). options NULL: defaults. The caller owns *result. */
enum status model_analyze(const struct trace *trace, const struct analyze_options *options, struct result **result,
                          struct err *err);

/* Adds what the trace says of its faults (trace/faults.h) to left_out, as model_analyze does. */
enum status model_report_faults(const struct trace *trace, struct result *result, struct err *err);

/* Only the severities, exact in picoseconds, for comparing with a simulator's own account. Inits *account. */
enum status model_totals(const struct trace *trace, const struct analyze_options *options, struct totals *totals,
                         struct err *err);

#endif
