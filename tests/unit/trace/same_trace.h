/* Two readings of one input: not only the same trace, but the same numbers in it. */
#ifndef TESTS_SAME_TRACE_H
#define TESTS_SAME_TRACE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/trace.h"

/* Tables item by item, calls and what belongs to them byte by byte, faults. */
void assert_same_traces(const struct trace *one, const struct trace *two);

#endif
