/* How much the run time of another run differs since its computing and its start do, as one recording shows it (docs/trust.md).
 *
 * A step is the computing of a thread between two calls. Steps between the same two places are equal where their lengths lie
 * close together, so a loop that computes 5 ms in most iterations and 20 ms in some has two kinds of steps. What differs
 * between recordings as a whole, one recording does not show. */
#ifndef TRACE_RECORDING_ERROR_H
#define TRACE_RECORDING_ERROR_H

#include "trace/trace.h"

/* Half of the band, in seconds, in which 90 % of other runs are: 1.645 standard deviations of the sum of a rank's steps if they
 * differ independently, the largest of the ranks (of 64 of them, of the first 16,384 calls of each, scaled to all); with
 * `starts` also half of the range in which the ranks start. 0 for a trace whose times nobody measured. NAN: less than half of
 * the computing is in steps that occur three times. The trace has the computing that a replay takes (trace_use_computing()). */
enum status trace_recording_error(const struct trace *trace, bool starts, double *error_s, struct err *err);

#endif
