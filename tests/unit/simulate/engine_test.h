/* Runs a list of messages through an engine and keeps what became of each: for tests of engines. */
#ifndef TESTS_ENGINE_TEST_H
#define TESTS_ENGINE_TEST_H

#include <stdint.h>
#include <stdio.h>

#include "platforms/platform.h"
#include "simulate/engine/engine.h"

struct test_send {
    int64_t at_ps;
    int32_t src_node, dst_node;
    int64_t bytes;
    bool to_self;
};

struct test_fate {
    int64_t began_ps, left_ps, arrived_ps;
    int order; /* of arrival, from 0 */
};

enum { TEST_SENDS_MAX = 4096, TEST_UNKNOWN = -1 };

/* Sends sends[i] with id i from a timer at at_ps; fates[i] is its fate. stop_after arrivals the run is stopped (0:
 * never). */
enum status test_run(const struct engine_descriptor *kind, const struct platform *platform,
                     const struct test_send *sends, size_t count, int stop_after, struct test_fate *fates,
                     struct err *err);

/* The callback of tests that never stop. */
bool test_go_on(void *context);

/* The same in a child process, since SimGrid runs once per process. xml, if not NULL, is written to a file that stands
 * for "XML" in overrides. */
struct test_case {
    const char *name;
    const char *file; /* platform */
    const char *overrides[4];
    const char *xml;
    const struct test_send *sends;
    size_t count;
    int stop_after;
};
enum status test_run_apart(const struct engine_descriptor *kind, const struct test_case *test, struct test_fate *fates,
                           struct err *err);

#endif
