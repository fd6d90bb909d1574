/* Shared by the tests of model/: traces from text, times in microseconds. */
#ifndef TESTS_MODEL_TEST_H
#define TESTS_MODEL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/waits/totals.h"
#include "model/analyze.h"
#include "trace/trace.h"

#define US INT64_C(1000000) /* picoseconds */

/* "rmacast-trace 1" is put before the text. The trace has passed trace_check(); failing is a failed test. */
struct trace *trace_of(const char *text);

/* Severity of one pattern on one rank, in picoseconds; options NULL: defaults. */
int64_t severity_ps(const char *text, const struct analyze_options *options, enum pattern pattern, uint32_t rank);

/* The account of a whole text; the caller clears it. */
struct totals account_of(const char *text, const struct analyze_options *options);

/* The analysis of text fails with STATUS_DATA and a message that holds all of the words (NULL-terminated). */
void expect_fault(const char *text, const char *const *words);

#endif
