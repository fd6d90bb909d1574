/* The time lines of a run for a page: all calls, waits and transfers if they are few, else levels of detail
 * (report/levels.h). */
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

/* Writes one JSON object; its keys are described in report/web/timeline_data.js. trace has passed trace_check(); found
 * is from its analysis. Returns STATUS_DATA if the window is after the run's end. */
enum status timeline_write(const struct trace *trace, const struct analyze_found *found,
                           const struct timeline_options *options, FILE *out, struct err *err);

/* The same for a trace that was read in slices, of which only the definitions remain. */
void timeline_write_slices(const struct trace *trace, const struct report_slices *slices, FILE *out);

#endif
