/* rmacast_simulate(): what it takes for computing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include <rmacast/rmacast.h>

/* Two ranks compute from 10 to 60 ms, and wait for a core for 20 ms of it; a barrier takes no time. */
#define TRACE                                                                                                          \
    "rmacast-trace 1\nranks 2\n%s"                                                                                     \
    "0 0.0 0.010 MPI_Comm_group comm=0\n1 0.0 0.010 MPI_Comm_group comm=0\n"                                           \
    "0 0.060 0.070 MPI_Comm_group comm=0 core_wait=0.020\n1 0.060 0.070 MPI_Comm_group comm=0 core_wait=0.020\n"
#define CROWDED "property core_waits=1\nnode 0 name=one ranks=0,1 cores=1\n"
#define ROOMY "property core_waits=1\nnode 0 name=one ranks=0,1 cores=2\n"

static void write_file(char *path, const char *format, const char *text)
{
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fprintf(file, format, text);
    fclose(file);
}

/* Opens the trace, simulates it and checks that it stays as it was. The run time in ms, -1: refused with RMACAST_USAGE. */
static double predicted_ms(const char *nodes, const char *compute)
{
    char trace_path[] = "/tmp/rmacast-public-XXXXXX", platform_path[] = "/tmp/rmacast-public-XXXXXX";
    struct rmacast_simulate_options options = {.size = sizeof options, .compute = compute};
    struct rmacast_error error = {.text = ""};
    struct rmacast_trace *trace;
    struct rmacast_platform *platform;
    struct rmacast_result *result;
    write_file(trace_path, TRACE, nodes);
    write_file(platform_path,
               "{\"schema\":\"rmacast.platform/1\",\"name\":\"two\",\"nodes\":{\"count\":2},\"network\":{\"latency_s\":"
               "1e-6,\"bandwidth_Bps\":1e10}%s}",
               "");
    if (rmacast_trace_open(trace_path, &trace, &error) != RMACAST_OK) fail_msg("%s", error.text);
    if (rmacast_platform_open(platform_path, NULL, 0, &platform, &error) != RMACAST_OK) fail_msg("%s", error.text);
    unlink(trace_path);
    unlink(platform_path);
    enum rmacast_status status = rmacast_simulate(trace, platform, &options, NULL, &result, &error);
    double ms = -1;
    if (status == RMACAST_OK) ms = 1e3 * rmacast_result_run_time_s(result);
    if (status == RMACAST_OK) rmacast_result_free(result);
    if (status != RMACAST_OK) assert_int_equal(status, RMACAST_USAGE);
    assert_float_equal((float)rmacast_trace_run_time_s(trace), 0.070f, 1e-9f);
    rmacast_trace_free(trace);
    rmacast_platform_free(platform);
    return ms;
}

#define MS(found, expected) assert_float_equal((float)(found), (float)(expected), 1e-4f)

static void option_compute(void **state)
{
    (void)state;
    /* MPI_Comm_group takes no time in a replay: 50 ms of computing, 30 of them undisturbed. */
    MS(predicted_ms(CROWDED, NULL), 30);
    MS(predicted_ms(CROWDED, "wall"), 50);
    MS(predicted_ms(ROOMY, NULL), 50);
    MS(predicted_ms(ROOMY, "undisturbed"), 30);
    MS(predicted_ms(ROOMY, "all"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(option_compute)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
