/* Prepares a trace that does not fit into memory for a page: one pass over its slices (model/slices/slices.h) computes
 * its result and its levels of detail. */
#ifndef REPORT_SLICES_H
#define REPORT_SLICES_H

#include "model/analyze.h"
#include "report/levels.h"
#include "report/placed_waits.h"
#include "trace/source.h"

struct report_slices {
    struct result *result;
    struct levels *levels;
    struct placed_waits waits; /* the longest ones */
};

/* options are those of the analysis. Inits *made. The caller closes the source, whose definitions remain valid until
 * then. */
enum status report_slices_read(struct trace_source *source, const struct analyze_options *options,
                               struct report_slices *made, struct err *err);
void report_slices_clear(struct report_slices *slices);

#endif
