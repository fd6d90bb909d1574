/* What a program's calls are compared with. */
#ifndef TESTS_RECORD_EXPECT_H
#define TESTS_RECORD_EXPECT_H

#include "trace/trace.h"

/* The calls of one rank as text without times and call sites, one per line. How often a test says no depends on the
 * day: those are left out. The caller frees. */
char *calls_of(const struct trace *trace, int rank);

/* Fails the test unless they are these. */
__attribute__((format(printf, 3, 4))) void expect_calls(const struct trace *trace, int rank, const char *format, ...);

/* The trace as it comes back from an archive; the one given is freed. */
struct trace *archived(struct trace *trace);

/* Every rank is complete, no effect came before its cause. */
void expect_whole(const struct trace *trace);

#endif
