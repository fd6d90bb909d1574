/* For the tests of the laws: traces written call by call, and the platform of the worked example of docs/simulation.md
 * (latency 10 us, 10 GB/s, memory 20 GB/s, no overhead, control messages of 0 bytes). Times in whole microseconds. */
#ifndef TESTS_VERIFY_TEST_H
#define TESTS_VERIFY_TEST_H

#include "platforms/platform.h"
#include "simulate/verify/law.h"

enum { US = 1000000 }; /* picoseconds */

struct platform *test_platform(const char *semantics, const char *override);

/* A simulated trace with the windows 0..windows-1 over all ranks. */
struct trace *test_trace(uint32_t ranks, int windows);
/* Appends a call on window or communicator 0 and returns it. */
struct trace_call *test_call(struct trace *trace, uint32_t rank, enum mpi_call call, int64_t enter_us, int64_t exit_us);
/* The same for put, get, accumulate, with the time of its data. */
struct trace_call *test_operation(struct trace *trace, uint32_t rank, enum mpi_call call, int64_t enter_us,
                                  int64_t exit_us, uint32_t target, int64_t bytes, int64_t from_us, int64_t to_us);
uint32_t test_group(struct trace *trace, int32_t member);

/* The worked example as semantics a to d give it: rank 0 puts 1 MB to rank 1, which posts at 400. */
struct trace *test_worked_example(char semantics);

/* A context over trace as recorded and predicted; platform is freed by test_context_clear, both traces, too. */
struct test_context {
    struct verify_context context;
    struct replay_outcome outcome;
    struct platform *platform;
    struct trace *recorded;
    struct window_mode *modes;
};
void test_context_init(struct test_context *test, struct trace *predicted, struct platform *platform);
void test_context_clear(struct test_context *test);

/* Runs one law. */
struct verify_row test_law(const struct test_context *test, verify_law *law);

#endif
