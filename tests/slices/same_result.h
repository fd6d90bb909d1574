/* Whether a trace gives the same result in slices as in memory, to the byte. */
#ifndef TESTS_SLICES_SAME_RESULT_H
#define TESTS_SLICES_SAME_RESULT_H

#include "model/analyze.h"
#include "trace/source.h"

enum { SAME_RESULT_BYTES = 512 };

/* All that can be asked for; intervals are regions, or call paths. */
extern const struct analyze_options same_options, same_by_callpath;

/* The result, which it frees, as JSON, or the fault's text; the caller frees *text. */
enum status text_of_result(enum status status, struct result *result, const struct err *fault, char **text,
                           struct err *err);

/* The result of the whole trace as text, which the caller frees, and if options->verify the table of its transfers; the
 * fault's text if it cannot be analysed. */
enum status whole_result(const struct trace *trace, const struct analyze_options *options, char **text,
                         struct err *err);

/* Compares the result of a source, `calls` read at a time, with the text. *same false: what says where they differ. The
 * source is closed. */
enum status same_result(struct trace_source *source, const struct analyze_options *options, size_t calls,
                        const char *text, bool *same, char what[SAME_RESULT_BYTES], struct err *err);

/* A trace in memory, with many sizes of slices. */
enum status same_in_slices(const struct trace *trace, bool *same, char what[SAME_RESULT_BYTES], struct err *err);

/* model_analyze_slices(), with what contradicts MPI. That is found also where the analysis fails, unless violations->known is
 * false. */
enum status analyze_and_check(struct trace_source *source, const struct analyze_options *options, size_t calls,
                              struct result **result, struct result_violations *violations, struct err *err);

#endif
