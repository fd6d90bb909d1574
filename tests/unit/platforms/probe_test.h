/* Shared by the tests of the probe: a mock of what the program says of an MPI library that behaves as the test wants. */
#ifndef TESTS_PROBE_TEST_H
#define TESTS_PROBE_TEST_H

#include <stdint.h>

#include "platforms/probe/section.h"

/* Adds a line, which must be one of the program's. */
void probe_say(struct probe_record *record, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* count tries with a delay of 3 ms, in which call `waits` waited; waits = number of calls: none did. The origin begins 2.9 ms
 * before the event; a call that does not wait takes 1 us, one that does returns 10 us behind the event. */
void probe_say_tries(struct probe_record *record, const char *name, const char *variant, int64_t bytes, int waits, int count);

/* A series of 40 times that are all of this length. */
void probe_say_time(struct probe_record *record, const char *name, int64_t bytes, double time_s);

struct probe_findings probe_evaluated(const struct probe_record *record);
/* The section, which a platform file takes: opened as one. The caller frees with platform_free. */
struct platform *probe_platform(const struct probe_record *record);

#endif
