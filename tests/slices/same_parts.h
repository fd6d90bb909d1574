/* Whether a trace gives the same result in several parts (model/shards/shards.h), each in a thread of its own, as in
 * one. */
#ifndef TESTS_SLICES_SAME_PARTS_H
#define TESTS_SLICES_SAME_PARTS_H

#include "tests/slices/same_result.h"

/* The result of the trace in so many parts as text, which the caller frees, or the fault's text, which all parts must
 * tell; *result false then. Each part reads `calls` at a time; *most of the trace's calls are in memory of one at a
 * time when parts meet. */
enum status parts_result(const struct trace *trace, const struct analyze_options *options, uint32_t parts, size_t calls,
                         char **text, bool *result, size_t *most, struct err *err);

/* Compares with the whole trace for many numbers of parts and sizes of slices. A trace at fault must be so in parts,
 * too; which fault of several is told may differ. */
enum status same_in_parts(const struct trace *trace, bool *same, char what[SAME_RESULT_BYTES], struct err *err);

/* Whether no part of three ever holds an eighth of a long trace: what is final goes, copies too. */
enum status parts_hold_little(const struct trace *trace, bool *little, char what[SAME_RESULT_BYTES], struct err *err);

#endif
