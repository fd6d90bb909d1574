/* A measured value {"value", "error", "n"} in the place of every number of a platform file. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/platforms/platform_test.h"
#include "trace/calls/calls.h"

#define M(VALUE) "{\"value\": " #VALUE ", \"error\": 0.5, \"n\": 40}"

static const char measured[] =
    "{\"schema\": \"rmacast.platform/1\","
    " \"nodes\": {\"count\": " M(2) ", \"cores\": " M(3) ", \"speed\": " M(1.5) ", \"memory_bandwidth_Bps\": " M(4e9) "},"
    " \"network\": {\"segments\": [{\"upto_bytes\": " M(8192) ", \"latency_s\": " M(1e-6) ", \"bandwidth_Bps\": " M(1e9) "},"
    "                             {\"latency_s\": " M(2e-6) ", \"bandwidth_Bps\": " M(2e9) "}],"
    "               \"overhead_s\": " M(1e-7) ", \"gap_s\": " M(2e-7) ","
    "               \"loopback\": {\"latency_s\": " M(3e-7) ", \"bandwidth_Bps\": " M(3e9) ","
    "                              \"overhead_s\": " M(5e-8) ", \"call_s\": {\"MPI_Get\": " M(2e-7) "},"
    "                              \"pause\": {\"call_s\": " M(7e-6) "}, \"reverse_share\": {\"put\": " M(0.5) "}}},"
    " \"mpi\": {\"eager_bytes\": " M(4096) ", \"init_s\": " M(0.25) ", \"finalize_s\": " M(0.125) ","
    "           \"call_s\": {\"MPI_Put\": " M(3e-6) ", \"comment\": \"any\"},"
    "           \"pause\": {\"after_s\": " M(5e-4) ", \"full_s\": " M(6e-4) ", \"call_s\": " M(4e-5) "},"
    "           \"rma\": {\"semantics\": {\"put\": [{\"upto_bytes\": " M(64) ", \"waits\": \"complete\"}, "
    "{\"waits\": \"call\"}]},"
    "                     \"thread_delay_s\": " M(1e-5) ", \"control_bytes\": " M(32) ", \"eager_bytes\": " M(512) ","
    "                     \"window_info_bytes\": " M(24) ", \"epochs_ahead\": " M(2) ", \"buffer_bytes\": " M(100) ","
    "                     \"atomic_s_per_byte\": [{\"upto_bytes\": " M(9) ", \"s_per_byte\": " M(1e-9) "},"
    "                                            {\"fixed_s\": " M(1e-6) ", \"s_per_byte\": " M(2e-9) "}],"
    "                     \"protocol\": {\"put_s_per_byte\": " M(1e-10) ", \"linger_s\": " M(2e-5) ","
    "                                   \"reverse_share\": {\"accumulate\": " M(0.25) "},"
    "                                   \"serves\": {\"put\": [{\"upto_bytes\": " M(70) ", "
    "\"by\": \"hardware\"}, {\"by\": \"call\"}]}}}},"
    " \"threads\": {\"create_s\": " M(1e-5) "}, \"mapping\": {\"ranks_per_node\": " M(2) "}}";

static void every_number_may_be_measured(void **state)
{
    (void)state;
    struct platform *platform = NULL;
    struct err err = {.text = ""};
    if (platform_from_text(measured, NULL, 0, &platform, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_true(platform->node_count == 2 && platform->groups[0].cores == 3 && platform->groups[0].speed == 1.5 &&
                platform->groups[0].memory_bandwidth_Bps == 4e9);
    assert_true(platform->segments[0].upto_bytes == 8192 && platform->segments[1].bandwidth_Bps == 2e9);
    assert_true(platform->overhead_s == 1e-7 && platform->gap_s == 2e-7 && platform->loopback[0].latency_s == 3e-7);
    assert_true(platform->eager_bytes == 4096 && platform->init_s == 0.25 && platform->finalize_s == 0.125);
    assert_true(platform->semantics.rules[RMA_PUT][0].upto_bytes == 64 && platform->semantics.buffer_bytes == 100);
    assert_true(platform->thread_delay_s == 1e-5 && platform->control_bytes == 32 && platform->rma_eager_bytes == 512);
    assert_true(platform->window_info_bytes == 24 && platform->epochs_ahead == 2 && platform->ranks_per_node == 2);
    assert_true(fabs(platform_apply_s(platform, 9) - 9e-9) < 1e-15 && fabs(platform_apply_s(platform, 10) - 1.02e-6) < 1e-12);
    assert_true(platform->protocol.put_s_per_byte == 1e-10 && platform->protocol.linger_s == 2e-5 &&
                protocol_serves(&platform->protocol, SERVICE_PUT, 71) == PROGRESS_CALL);
    assert_true(platform->protocol.reverse[RMA_ACCUMULATE][0].share == 0.25 && platform->protocol.reverse[RMA_PUT][0].share == 0);
    assert_true(platform->loopback_reverse[RMA_PUT][0].share == 0.5 && platform->loopback_reverse[RMA_GET][0].share == 0);
    assert_true(platform->thread_create_s == 1e-5);
    assert_true(platform->pause.after_s == 5e-4 && platform->pause.full_s == 6e-4 && platform->pause.call_s == 4e-5);
    assert_true(platform->loopback_pause.after_s == 0 && platform->loopback_pause.call_s == 7e-6);
    assert_true(platform->call_s[ID_Put] == 3e-6 && platform->call_s[ID_Get] == 0);
    assert_true(platform->loopback_overhead_s == 5e-8);
    assert_true(platform->loopback_call_s[ID_Get] == 2e-7 && platform->loopback_call_s[ID_Put] == 0);
    platform_free(platform);
}

static void absurd_measurements_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *value, *error;
    } rows[] = {
        {"{\"value\": -1e-6}", "network.latency_s.value: -1e-06 is impossible"},
        {"{\"error\": 1}", "network.latency_s.value: missing"},
        {"{\"value\": 1e-6, \"error\": -1}", "network.latency_s.error: -1 is impossible"},
        {"{\"value\": 1e-6, \"error\": \"small\"}", "network.latency_s.error: wrong type"},
        {"{\"value\": 1e-6, \"n\": 0}", "network.latency_s.n: 0 is impossible"},
        {"{\"value\": 1e-6, \"n\": 1.5}", "network.latency_s.n: 1.5 is no whole number"},
        {"{\"value\": 1e-6, \"sigma\": 1}", "network.latency_s.sigma: unknown key"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        struct platform *platform;
        struct err err = {.text = ""};
        snprintf(text, sizeof text,
                 "{\"schema\": \"rmacast.platform/1\", \"nodes\": {\"count\": 2}, "
                 "\"network\": {\"latency_s\": %s, \"bandwidth_Bps\": 1e9}}",
                 rows[i].value);
        if (platform_from_text(text, NULL, 0, &platform, &err) != STATUS_DATA || !strstr(err.text, rows[i].error))
            fail_msg("%s: \"%s\", expected \"%s\"", rows[i].value, err.text, rows[i].error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_may_be_measured),
        cmocka_unit_test(absurd_measurements_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
