/* The least end of a transfer: enter, latency and bytes / bandwidth, with the stated errors in their favour. Platform:
 * 10 us, 10 GB/s, memory 20 GB/s; 1 MB takes 100 us, in memory 50. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/match/relations.h"
#include "simulate/predicted/trace_bounds.h"
#include "verify_test.h"

static int64_t least_us(const char *override, enum mpi_call call, uint32_t target, int64_t bytes, int64_t result_bytes)
{
    struct platform *platform = test_platform("a", override);
    struct trace *trace = test_trace(2, 1);
    struct err err;
    test_call(trace, 0, ID_Win_lock_all, 0, 0);
    struct trace_call *operation = test_operation(trace, 0, call, 40, 500, target, bytes, 400, 600);
    if (call == ID_Get_accumulate) operation->rma.result_bytes = result_bytes;
    test_call(trace, 0, ID_Win_unlock_all, 500, 700);
    struct relations relations;
    struct trace_bounds bounds = {0};
    assert_int_equal(relations_build(trace, &relations, &err), STATUS_OK);
    struct least_ends ends;
    assert_int_equal(least_ends_open(&ends, platform, &err), STATUS_OK);
    assert_int_equal(trace_bounds_keep(trace, &relations, &ends, &bounds, &err), STATUS_OK);
    least_ends_clear(&ends);
    relations_clear(&relations);
    assert_int_equal(bounds.transfers, 1);
    assert_int_equal(bounds.endless, 0);
    const struct trace_sim *sim = &trace->ranks[0].sim[1];
    assert_true(sim->base_end_ps == (int64_t)500 * US && sim->extended_end_ps == (int64_t)700 * US);
    assert_true(trace->ranks[0].sim[0].xfer_least_ps == TRACE_UNKNOWN_PS);
    int64_t found_ps = sim->xfer_least_ps - (int64_t)40 * US;
    assert_int_equal(found_ps % US, 0);
    trace_free(trace);
    platform_free(platform);
    return found_ps / US;
}

static void least_ends(void **state)
{
    (void)state;
    static const char latency[] = "network.latency_s={\"value\": 1e-5, \"error\": 2e-6, \"n\": 9}",
                      rate[] = "network.bandwidth_Bps={\"value\": 1e10, \"error\": 1e10, \"n\": 9}",
                      unsure[] = "network.latency_s={\"value\": 1e-5, \"error\": 2e-5, \"n\": 9}",
                      pairs[] = "mapping.ranks_per_node=2";
    static const struct {
        const char *override;
        enum mpi_call call;
        uint32_t target;
        int64_t bytes, result_bytes, us;
    } rows[] = {
        {NULL, ID_Put, 1, 1000000, 0, 110},
        {NULL, ID_Accumulate, 1, 0, 0, 10},
        {NULL, ID_Get, 1, 1000000, 0, 110},                    /* without its request */
        {NULL, ID_Get_accumulate, 1, 1000000, 500000, 110},    /* 110 there, 60 back */
        {NULL, ID_Get_accumulate, 1, 500000, 1000000, 110},
        {NULL, ID_Put, 0, 1000000, 0, 50},                     /* to the own rank: a copy */
        {pairs, ID_Put, 1, 1000000, 0, 51},                    /* within the node: 1 us, 20 GB/s */
        {latency, ID_Put, 1, 1000000, 0, 108},
        {rate, ID_Put, 1, 1000000, 0, 60},
        {latency, ID_Get, 1, 1000000, 0, 108},
        {unsure, ID_Put, 1, 1000000, 0, 100},                  /* no negative latency */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(least_us(rows[i].override, rows[i].call, rows[i].target, rows[i].bytes, rows[i].result_bytes),
                         rows[i].us);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(least_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
