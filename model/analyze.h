/* Analyses a trace, recorded or simulated: finds wait states, properties and transfer bounds. docs/patterns.md has the
 * formulas and their sources. */
#ifndef MODEL_ANALYZE_H
#define MODEL_ANALYZE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/waits/totals.h"
#include "model/waits/filter.h"
#include "model/waits/section.h"
#include "model/waits/wait_profile.h"
#include "model/causes/critical_path.h"
#include "model/efficiency/intervals.h"
#include "model/result/result.h"
#include "model/transfers/transfer_log.h"
#include "model/waits/waits.h"
#include "trace/trace.h"

enum late_post_mode { LATE_POST_LATEST, LATE_POST_EARLIEST };

/* Intermediate results of the analysis of a whole trace. */
struct analyze_found {
    struct waits waits; /* with intervals: sorted by waits_sort() */
    struct transfers transfers; /* with intervals */
    struct critical_path path;  /* with intervals */
    struct wait_profile profile; /* borrows the trace */
};
void analyze_found_clear(struct analyze_found *found);

struct callpaths;
struct main_loop;
struct relations;

/* An observer of an analysis. A function may be NULL. */
struct analyze_watcher {
    void *context;
    /* The new calls of a round have been read. */
    enum status (*read)(void *context, const struct trace *trace, const struct callpaths *paths, struct err *err);
    /* With intervals: the sorted waits that a round found. */
    enum status (*found)(void *context, const struct trace *trace, const struct waits *waits, struct err *err);
    /* Comes last in a round: its messages, and which are final; after the last round all calls have been read. */
    enum status (*matched)(void *context, const struct relations *relations, bool last, struct err *err);
    bool reads_on; /* if the analysis refuses a call, read() and matched() get the rest all the same; then it fails */
};

struct analyze_options {
    int64_t epsilon_ps; /* smaller severities are not counted */
    enum late_post_mode late_post;
    int64_t eager_bytes; /* two-sided patterns; 65536 by default */
    int64_t close_ps;    /* a receive that begins earlier than this after a send is close to it; 10 us by default */
    bool network_known;  /* advised distances are computed for this network, else from times of the trace */
    double latency_s, bandwidth_Bps;
    const struct relations *relations; /* of the trace that model_analyze() gets; borrowed; NULL: it builds them */
    struct section_marks section;              /* section of the run whose times and waits count; for
                                                  slices filter.section has it, too */
    struct filter filter;                      /* waits that are counted */
    struct flight_limits limits;               /* what is to be outstanding at once at most */
    struct transfer_log *transfers;            /* receives every transfer that passes the filter; borrowed; NULL: not
                                                  needed */
    struct analyze_found *found;               /* model_analyze() fills this all-zero struct; NULL: not needed */
    const struct analyze_watcher *watcher;     /* borrowed; NULL: none */
    /* By enum mpi_call: functions of which no Wait for Progress is inferred, beside those of which the trace refutes it;
     * borrowed; NULL: none. */
    const bool *not_inferred;
    size_t over_time;                          /* fill result->over_time with at most so many slices; 0: not needed */
    const char *iterations; /* of over_time: where iterations begin (model/over_time/iterations.h); borrowed; NULL: of the
                               loop, or if there is none slices of time */
    const struct main_loop *loop; /* of over_time: one that was looked for; borrowed; NULL: none was */
    bool find_loop;               /* model_analyze() looks for it where there is neither of them */
    bool verify;                               /* fill result->checks; needs intervals */
    bool intervals;                            /* fill result->efficiency, causes and critical path */
    enum interval_source interval_source;      /* where the intervals of result->efficiency come from */
    bool lost_all;                             /* all MPI time of result->efficiency counts as lost */
    bool per_rank;                             /* result->efficiency is written with the values of every rank */
    double ideal_run_time_s, reference_user_s; /* for POP's metrics, 0: unknown (model/efficiency/efficiency.h) */
};
#define ANALYZE_DEFAULTS                                                                                               \
    {                                                                                                                  \
        .epsilon_ps = 0, .late_post = LATE_POST_LATEST, .eager_bytes = 65536, .close_ps = INT64_C(10000000)            \
    }

/* Analyses a trace that has passed trace_check(). options may be NULL: defaults. The caller owns *result. */
enum status model_analyze(const struct trace *trace, const struct analyze_options *options, struct result **result,
                          struct err *err);

/* Adds the trace's faults (trace/faults.h) to left_out, as model_analyze() does. */
enum status model_report_faults(const struct trace *trace, struct result *result, struct err *err);

/* Computes only the severities, exact in picoseconds, to compare them with a simulator's totals. Inits *totals. */
enum status model_totals(const struct trace *trace, const struct analyze_options *options, struct totals *totals,
                         struct err *err);

#endif
