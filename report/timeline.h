/* The time lines of a run for a page: calls, waits and transfers in full where they are few, else what each rank mostly
 * does in short pieces of time. */
#ifndef REPORT_TIMELINE_H
#define REPORT_TIMELINE_H

#include <stdio.h>

#include "model/analyze.h"
#include "report/slices.h"
#include "trace/trace.h"

struct timeline_options {
    int64_t from_ps, until_ps; /* the window of time since the first event that is shown in full; until 0: to the end */
    uint64_t calls_max;        /* more calls in the window are shown as levels of detail */
};

/* Writes one JSON object; its keys are described in report/web/timeline_data.js. trace has passed trace_check(); found is
 * what its analysis found. STATUS_DATA if the window is behind the run's end. */
enum status timeline_write(const struct trace *trace, const struct analyze_found *found,
                           const struct timeline_options *options, FILE *out, struct err *err);

/* The same of a trace that was read in slices, whose definitions are left. */
void timeline_write_slices(const struct trace *trace, const struct report_slices *slices, FILE *out);

#endif
