/* Platforms that differ by the errors of their measured values: values worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "platforms/stated_errors.h"
#include "trace/calls/calls.h"

#define M(VALUE, ERROR) "{\"value\": " #VALUE ", \"error\": " #ERROR ", \"n\": 40}"

/* Not shifted: an exact value, one with the error 0, sizes. */
static const char text[] =
    "{\"schema\": \"rmacast.platform/1\", \"$notes\": {\"latency_s\": " M(1, 1) "},"
    " \"nodes\": {\"count\": 2, \"speed\": " M(2, 0.5) ", \"memory_curve\": [{\"ranks\": 1, \"slowdown\": " M(1, 0.1) "},"
    "            {\"ranks\": 2, \"slowdown\": " M(1.5, 0.2) "}, {\"ranks\": 4, \"slowdown\": " M(1.6, 0.9) "}]},"
    " \"network\": {\"segments\": [{\"upto_bytes\": " M(8192, 100) ", \"latency_s\": " M(1e-6, 2e-7) ","
    "                             \"bandwidth_Bps\": " M(1e9, 1e9) "},"
    "                            {\"latency_s\": 2e-6, \"bandwidth_Bps\": " M(2e9, 0) "}],"
    "               \"loopback\": {\"latency_s\": 1e-7, \"bandwidth_Bps\": 1e10, \"reverse_share\":"
    "                   {\"put\": " M(-0.3, 0.1) ", \"get\": " M(-0.3, 0.35) ", \"accumulate\": " M(0.1, 0.3) "}},"
    "               \"overhead_s\": " M(1e-7, 3e-7) "},"
    " \"mpi\": {\"eager_bytes\": " M(4096, 64) ", \"call_s\": {\"MPI_Put\": " M(3e-6, 1e-6) "},"
    "          \"pause\": {\"after_s\": " M(2e-2, 3e-2) ", \"full_s\": " M(6e-2, 5e-3) ", \"call_s\": " M(4e-5, 1e-5) "},"
    "          \"rma\": {\"semantics\": \"a\", \"atomic_s_per_byte\": [{\"upto_bytes\": 9, \"s_per_byte\": " M(1e-9, 5e-10) "},"
    "                                                          {\"s_per_byte\": 2e-9}],"
    "                   \"protocol\": {\"reverse_share\": {\"put\": " M(0.02, 0.005) ", \"get\": 0.01}}}},"
    " \"threads\": {\"create_s\": " M(1e-5, 1e-6) "}}";

static char file[] = "/tmp/rmacast-test-errors-XXXXXX";

static struct platform *open_shifted(const char *override, enum platform_errors errors, size_t values)
{
    const char *overrides[1 + ERROR_SECTIONS] = {override};
    size_t count = override ? 1 : 0;
    struct platform_shift shift;
    struct platform *platform = NULL;
    struct err err = {.text = ""};
    if (platform_shift_make(file, overrides, count, errors, &shift, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_int_equal(shift.values, values);
    for (size_t i = 0; i < shift.count; i++) overrides[count++] = shift.overrides[i];
    if (platform_open(file, overrides, count, &platform, &err) != STATUS_OK) fail_msg("%s", err.text);
    platform_shift_clear(&shift);
    return platform;
}

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-9 * expected) fail_msg("%.12g, expected %.12g", value, expected);
}

/* speed, three slowdowns, latency, bandwidth, put, get and accumulate within a node, overhead, call_s, after_s, full_s, call_s,
 * s_per_byte, put, create_s */
enum { VALUES = 17 };

/* Within a node a share may be negative, down to -0.5. */
static void assert_shares_within(const struct platform *platform, double put, double get, double accumulate)
{
    const double shares[] = {[RMA_PUT] = put, [RMA_GET] = get, [RMA_ACCUMULATE] = accumulate};
    for (int kind = 0; kind < RMA_KIND_COUNT; kind++)
        assert_true(fabs(platform->loopback_reverse[kind][0].share - shares[kind]) < 1e-12);
}

/* One rank alone has 1, whatever the error. */
static void assert_slowdowns(const struct platform *platform, double two, double four)
{
    assert_true(platform_memory_slowdown(platform->groups, 1) == 1);
    assert_near(platform_memory_slowdown(platform->groups, 2), two);
    assert_near(platform_memory_slowdown(platform->groups, 4), four);
}

static void slower_has_longer_times_and_lower_rates(void **state)
{
    (void)state;
    struct platform *platform = open_shifted(NULL, PLATFORM_SLOWER, VALUES);
    assert_near(platform->groups[0].speed, 2 / 1.25);
    assert_slowdowns(platform, 1.7, 2.5);
    assert_near(platform->segments[0].latency_s, 1.2e-6);
    assert_near(platform->segments[0].bandwidth_Bps, 5e8); /* 1e9 / (1 + 1) */
    assert_near(platform->segments[1].latency_s, 2e-6);
    assert_near(platform->segments[1].bandwidth_Bps, 2e9);
    assert_near(platform->overhead_s, 4e-7);
    assert_near(platform->call_s[ID_Put], 4e-6);
    assert_shares_within(platform, -0.2, 0.05, 0.4);
    assert_true(platform->pause.after_s == 0); /* pauses count earlier: 2e-2 - 3e-2 */
    assert_near(platform->pause.full_s, 5.5e-2);
    assert_near(platform->pause.call_s, 5e-5);
    assert_near(platform_apply_s(platform, 9), 9 * 1.5e-9);
    assert_near(platform->protocol.reverse[RMA_PUT][0].share, 0.025);
    assert_near(platform->protocol.reverse[RMA_GET][0].share, 0.01);
    assert_near(platform->thread_create_s, 1.1e-5);
    assert_int_equal(platform->eager_bytes, 4096);
    assert_int_equal(platform->segments[0].upto_bytes, 8192);
    platform_free(platform);
}

static void faster_has_shorter_times_and_higher_rates(void **state)
{
    (void)state;
    struct platform *platform = open_shifted(NULL, PLATFORM_FASTER, VALUES);
    assert_near(platform->groups[0].speed, 2 * 1.25);
    assert_slowdowns(platform, 1.3, 1.3); /* 1.6 - 0.9 is no slowdown, and no row falls */
    assert_near(platform->segments[0].latency_s, 8e-7);
    assert_near(platform->segments[0].bandwidth_Bps, 2e9);
    assert_true(platform->overhead_s == 0); /* 1e-7 - 3e-7 */
    assert_near(platform->call_s[ID_Put], 2e-6);
    assert_near(platform->protocol.reverse[RMA_PUT][0].share, 0.015);
    assert_shares_within(platform, -0.4, -0.5, 0);
    assert_near(platform->pause.after_s, 5e-2);
    assert_near(platform->pause.full_s, 6.5e-2);
    platform_free(platform);
}

static void what_is_set_has_no_error(void **state)
{
    (void)state;
    struct platform *platform = open_shifted("network.overhead_s=1us", PLATFORM_SLOWER, VALUES - 1);
    assert_near(platform->overhead_s, 1e-6);
    platform_free(platform);
    platform = open_shifted(NULL, PLATFORM_AS_STATED, VALUES);
    assert_near(platform->overhead_s, 1e-7);
    platform_free(platform);
}

static int make_file(void **state)
{
    (void)state;
    int fd = mkstemp(file);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out) return -1;
    fputs(text, out);
    return fclose(out);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slower_has_longer_times_and_lower_rates),
        cmocka_unit_test(faster_has_shorter_times_and_higher_rates),
        cmocka_unit_test(what_is_set_has_no_error),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
