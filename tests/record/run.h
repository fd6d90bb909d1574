/* Running a test program under the recorder and reading its spool. */
#ifndef TESTS_RECORD_RUN_H
#define TESTS_RECORD_RUN_H

#include "trace/trace.h"

/* Four ranks; settings are shell assignments ("A=1 B=2") before the command; with RMACAST_THREADS=1 thread primitives
 * are recorded. The spool is gone afterwards. The test
 * fails if the exit status is not the expected one, or the spool cannot be read or does not pass trace_check(). */
struct trace *run_recorded(const char *settings, const char *program, int expected_status);

/* The calls of one rank, one after another; times and sites are left out. Fails the test at the first difference. */
struct walk {
    const struct trace *trace;
    uint32_t rank;
    size_t next;
};
struct walk walk_begin(const struct trace *trace, uint32_t rank);
const struct trace_call *walk_call(struct walk *walk, const char *name, int32_t handle, int32_t peer, int32_t tag,
                                   int64_t bytes, int64_t disp);
/* The same for calls that have a window or communicator only (handle TRACE_NONE: not even that). */
const struct trace_call *walk_plain(struct walk *walk, const char *name, int32_t handle);
void walk_end(const struct walk *walk);

/* Members of the group of a post or start, which must be exactly these. */
void expect_group(const struct trace *trace, const struct trace_call *call, uint32_t count, const int32_t *members);

#endif
