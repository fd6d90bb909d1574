/* rmacast_simulate(): what it takes for computing; what it makes is the caller's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void open_inputs(const char *nodes, struct rmacast_trace **trace, struct rmacast_platform **platform)
{
    char trace_path[] = "/tmp/rmacast-public-XXXXXX", platform_path[] = "/tmp/rmacast-public-XXXXXX";
    struct rmacast_error error = {.text = ""};
    write_file(trace_path, TRACE, nodes);
    write_file(platform_path,
               "{\"schema\":\"rmacast.platform/1\",\"name\":\"two\",\"nodes\":{\"count\":2},\"network\":{\"latency_s\":"
               "1e-6,\"bandwidth_Bps\":1e10}%s}",
               "");
    if (rmacast_trace_open(trace_path, trace, &error) != RMACAST_OK) fail_msg("%s", error.text);
    if (rmacast_platform_open(platform_path, NULL, 0, platform, &error) != RMACAST_OK) fail_msg("%s", error.text);
    unlink(trace_path);
    unlink(platform_path);
}

/* Opens the trace, simulates it and checks that it stays as it was. The run time in ms, -1: refused with RMACAST_USAGE. */
static double predicted_ms(const char *nodes, const char *compute)
{
    struct rmacast_simulate_options options = {.size = sizeof options, .compute = compute};
    struct rmacast_trace *trace;
    struct rmacast_platform *platform;
    struct rmacast_result *result;
    open_inputs(nodes, &trace, &platform);
    enum rmacast_status status = rmacast_simulate(trace, platform, &options, NULL, &result, NULL);
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

/* The ranks were alone on their nodes, and half of their 50 ms waits for memory, which takes 3 times as long for two: 25 + 75. */
static void option_memory_bound(void **state)
{
    (void)state;
    const char *const settings[] = {"nodes.memory_curve=[{\"ranks\":2,\"slowdown\":3}]", "mapping.ranks_per_node=2",
                                    "nodes.cores=2"};
    const double shares[] = {0, 0.5, 1, -0.1}, expected[] = {50, 100, 150, -1};
    struct rmacast_trace *trace;
    struct rmacast_platform *platform, *shared;
    struct rmacast_result *result;
    open_inputs("", &trace, &platform);
    assert_int_equal(rmacast_platform_open("two-nodes", settings, 3, &shared, NULL), RMACAST_OK);
    for (size_t i = 0; i < 4; i++) {
        const struct rmacast_simulate_options options = {.size = sizeof options, .memory_bound = shares[i]};
        enum rmacast_status status = rmacast_simulate(trace, shared, &options, NULL, &result, NULL);
        assert_int_equal(status, expected[i] < 0 ? RMACAST_USAGE : RMACAST_OK);
        if (status != RMACAST_OK) continue;
        MS(1e3 * rmacast_result_run_time_s(result), expected[i]);
        rmacast_result_free(result);
    }
    rmacast_platform_free(shared);
    rmacast_platform_free(platform);
    rmacast_trace_free(trace);
}

/* What was made needs neither trace nor platform any more. Run with the address sanitizer, this finds what is borrowed. */
static void outlives_its_inputs(void **state)
{
    struct rmacast_trace *trace, *predicted;
    struct rmacast_platform *platform;
    struct rmacast_result *result, *analysis;
    struct rmacast_call call;
    char *json;
    (void)state;
    open_inputs(CROWDED, &trace, &platform);
    assert_int_equal(rmacast_simulate(trace, platform, NULL, &predicted, &result, NULL), RMACAST_OK);
    assert_int_equal(rmacast_analyze(trace, NULL, &analysis, NULL), RMACAST_OK);
    rmacast_trace_free(trace);
    rmacast_platform_free(platform);
    assert_true(rmacast_trace_is_simulated(predicted));
    assert_int_equal(rmacast_trace_rank_count(predicted), 2);
    MS(1e3 * rmacast_trace_run_time_s(predicted), 30);
    assert_int_equal(rmacast_trace_call(predicted, 1, 1, &call, NULL), RMACAST_OK);
    assert_string_equal(call.name, "MPI_Comm_group");
    MS(1e3 * call.enter_s, 30);
    assert_int_equal(rmacast_result_to_json(result, &json, NULL), RMACAST_OK);
    assert_non_null(strstr(json, "\"two\""));
    free(json);
    MS(1e3 * rmacast_result_run_time_s(analysis), 70);
    assert_int_equal(rmacast_result_to_json(analysis, &json, NULL), RMACAST_OK);
    free(json);
    rmacast_result_free(analysis);
    rmacast_result_free(result);
    rmacast_trace_free(predicted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(option_compute), cmocka_unit_test(option_memory_bound),
                                       cmocka_unit_test(outlives_its_inputs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
