/* Shared by the tests of trace/: traces from text and back, comparison of traces. */
#ifndef TESTS_TRACE_TEST_H
#define TESTS_TRACE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/trace.h"

/* Reads text through a file named "t.txt" in a directory of its own; "t.txt" is also the name in messages. */
enum status read_text(const char *text, struct trace **trace, struct err *err);

/* The trace of text, which must be right and pass trace_check(). The caller frees it. */
struct trace *trace_of(const char *text);

/* The trace as text; the caller frees it. */
char *text_of(const struct trace *trace);

/* Everything that the two hold is equal, but their names. */
void assert_traces_equal(const struct trace *one, const struct trace *two);

#endif
