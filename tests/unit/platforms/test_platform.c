/* What platform_open reads. Expected values are those written in the text or worked out beside the assertion. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "platforms/topology/shape.h"
#include "tests/unit/platforms/platform_test.h"

static struct platform *from_text(const char *text)
{
    struct platform *platform = NULL;
    struct err err = {.text = ""};
    if (platform_from_text(text, NULL, 0, &platform, &err) != STATUS_OK) fail_msg("%s", err.text);
    return platform;
}

static struct platform *with_override(const char *override)
{
    struct platform *platform = NULL;
    struct err err = {.text = ""};
    if (platform_from_text(PLATFORM_TEXT("", "", ""), &override, 1, &platform, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    return platform;
}

/* The example of the interface contract, and the same values as defaults. */
static void defaults(void **state)
{
    (void)state;
    struct platform *platform = from_text(PLATFORM_TEXT("", "", ""));
    assert_int_equal(platform->node_count, 4);
    assert_int_equal(platform->groups[0].cores, 1);
    assert_true(platform->groups[0].speed == 1);
    assert_true(platform->groups[0].memory_bandwidth_Bps == 1e10);
    assert_true(platform->overhead_s == 0 && platform->gap_s == 0);
    assert_true(platform->loopback[0].latency_s == 2e-7 && platform->loopback[0].bandwidth_Bps == 2e10);
    assert_int_equal(platform->eager_bytes, 65536);
    assert_string_equal(platform->semantics.name, "a");
    assert_true(platform->semantics.start_waits);
    assert_string_equal(platform_lock_name(platform), "blocking");
    assert_int_equal(platform->protocol.calls[STEPS_FENCE].form, FORM_FENCE_BARRIER);
    assert_int_equal(platform->progress, PROGRESS_HARDWARE);
    assert_int_equal(platform->issue, ISSUE_IMMEDIATE);
    assert_false(platform->aggregate);
    assert_int_equal(platform->control_bytes, 0);
    assert_int_equal(platform->rma_eager_bytes, 8192);
    assert_int_equal(platform->epochs_ahead, 1);
    assert_int_equal(platform->window_info_bytes, 16);
    assert_true(platform->thread_delay_s == 0 && platform_apply_s(platform, 1000) == 0);
    assert_int_equal(platform->ranks_per_node, 1);
    assert_true(platform->contention);
    assert_string_equal(platform->topology->shape->name, "crossbar");
    platform_free(platform);
}

static void every_key(void **state)
{
    (void)state;
    struct platform *platform = from_text(PLATFORM_TEXT(
        ", \"cores\": 8, \"speed\": 2.5, \"memory_bandwidth_Bps\": 3e9, \"comment\": \"any\"",
        ", \"overhead_s\": 1e-7, \"gap_s\": {\"value\": 2e-7, \"error\": 1e-9, \"n\": 100},"
        " \"loopback\": {\"latency_s\": 3e-7, \"bandwidth_Bps\": 4e10}",
        ", \"name\": \"all keys\", \"mpi\": {\"eager_bytes\": 4096, \"collectives\": \"mpich\", \"rma\": "
        "{\"semantics\": \"c\","
        " \"protocol\": {\"calls\": {\"lock\": [], \"fence\": [\"issue\", \"barrier\", \"acknowledged\", \"incoming\"]}},"
        " \"progress\": \"thread\", \"thread_delay_s\": 1e-5, \"issue\": "
        "\"deferred\","
        " \"aggregate\": true, \"control_bytes\": 64, \"eager_bytes\": 100, \"atomic_s_per_byte\": 1e-10,"
        " \"window_info_bytes\": 32}}, \"engine\": {\"contention\": false}, \"mapping\": {\"ranks_per_node\": 3}"));
    assert_string_equal(platform->name, "all keys");
    assert_int_equal(platform->groups[0].cores, 8);
    assert_true(platform->groups[0].speed == 2.5 && platform->groups[0].memory_bandwidth_Bps == 3e9);
    assert_true(platform->overhead_s == 1e-7 && platform->gap_s == 2e-7);
    assert_true(platform->loopback_overhead_s == 1e-7 && !platform->loopback_call_s); /* as between nodes */
    assert_true(platform_latency_s(platform, 2, 2, 8, false) == 3e-7 && platform_bandwidth_Bps(platform, 2, 2, 8, false) == 4e10);
    assert_int_equal(platform->eager_bytes, 4096);
    assert_string_equal(platform->semantics.name, "c");
    assert_int_equal(platform->protocol.calls[STEPS_LOCK].form, FORM_LOCK_LAZY);
    assert_int_equal(platform->protocol.calls[STEPS_FENCE].form, FORM_FENCE_NOTIFY);
    assert_false(platform->protocol.calls[STEPS_FENCE].asserted);
    assert_int_equal(platform->progress, PROGRESS_THREAD);
    assert_true(platform->thread_delay_s == 1e-5);
    assert_int_equal(platform->issue, ISSUE_DEFERRED);
    assert_true(platform->aggregate);
    assert_int_equal(platform->control_bytes, 64);
    assert_int_equal(platform->rma_eager_bytes, 100);
    assert_true(platform_apply_s(platform, 1000) == 1000 * 1e-10);
    assert_int_equal(platform->window_info_bytes, 32);
    assert_false(platform->contention);
    assert_int_equal(platform_node_of(platform, 5), 1); /* ranks 3..5 sit on node 1 */
    platform_free(platform);
}

/* What sends and collectives have of their own, between nodes or inside one. */
static void two_sided(void **state)
{
    (void)state;
    struct platform *platform = from_text(
        PLATFORM_TEXT("", ", \"two_sided\": {\"segments\": [{\"upto_bytes\": 100, \"latency_s\": 5e-6, \"bandwidth_Bps\": 1e9},"
                          "{\"latency_s\": 6e-6, \"bandwidth_Bps\": 9e10}]}", ""));
    assert_true(platform_latency_s(platform, 0, 1, 100, true) == 5e-6 && platform_latency_s(platform, 0, 1, 101, true) == 6e-6);
    assert_true(platform_bandwidth_Bps(platform, 0, 1, 101, true) == 9e10);
    assert_true(platform_latency_s(platform, 0, 1, 100, false) != 5e-6);
    assert_true(platform_latency_s(platform, 1, 1, 100, true) == 2e-7); /* the loopback has none */
    assert_true(platform_peak_Bps(platform) == 9e10);
    platform_free(platform);
    platform = from_text(PLATFORM_TEXT("", ", \"loopback\": {\"latency_s\": 3e-7, \"bandwidth_Bps\": 4e10,"
                                           " \"two_sided\": {\"latency_s\": 1e-7, \"bandwidth_Bps\": 5e10}}", ""));
    assert_true(platform_latency_s(platform, 1, 1, 8, true) == 1e-7 && platform_latency_s(platform, 1, 1, 8, false) == 3e-7);
    assert_true(platform_bandwidth_Bps(platform, 1, 1, 8, true) == 5e10);
    assert_true(platform_latency_s(platform, 0, 1, 8, true) == platform_latency_s(platform, 0, 1, 8, false));
    platform_free(platform);
}

/* Up to and including upto_bytes; beyond the last row the last row. The list may stand under any of three keys. */
static void segments_of_latency(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"schema\": \"rmacast.platform/1\", \"nodes\": {\"count\": 2}, \"network\": {\"segments\":"
        "[{\"upto_bytes\": 100, \"latency_s\": 1e-6, \"bandwidth_Bps\": 1e9}, {\"latency_s\": 2e-6, \"bandwidth_Bps\": "
        "2e9}]}}",
        "{\"schema\": \"rmacast.platform/1\", \"nodes\": {\"count\": 2}, \"network\": {\"latency_s\":"
        "[{\"upto_bytes\": 100, \"latency_s\": 1e-6, \"bandwidth_Bps\": 1e9},"
        " {\"upto_bytes\": 200, \"latency_s\": 2e-6, \"bandwidth_Bps\": 2e9}]}}",
        "{\"schema\": \"rmacast.platform/1\", \"nodes\": {\"count\": 2}, \"network\": {\"latency_s\": 1e-6, "
        "\"bandwidth_Bps\":"
        "[{\"upto_bytes\": 100, \"bandwidth_Bps\": 1e9}, {\"latency_s\": 2e-6, \"bandwidth_Bps\": 2e9}]}}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct platform *platform = from_text(texts[i]);
        assert_true(platform_latency_s(platform, 0, 1, 0, false) == 1e-6 &&
                    platform_bandwidth_Bps(platform, 0, 1, 0, false) == 1e9);
        assert_true(platform_latency_s(platform, 0, 1, 100, false) == 1e-6 &&
                    platform_bandwidth_Bps(platform, 0, 1, 100, false) == 1e9);
        assert_true(platform_latency_s(platform, 1, 0, 101, false) == 2e-6 &&
                    platform_bandwidth_Bps(platform, 1, 0, 101, false) == 2e9);
        assert_true(platform_latency_s(platform, 0, 1, 1 << 30, false) == 2e-6);
        assert_true(platform_peak_Bps(platform) == 2e9);
        platform_free(platform);
    }
}

static void overrides(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double expected; /* of latency_s, bandwidth_Bps, eager_bytes: whichever the key names */
    } rows[] = {
        {"network.latency_s=2.5e-6", 2.5e-6},
        {"network.latency_s=10us", 1e-5},
        {"network.bandwidth_Bps=12.5GB/s", 1.25e10},
        {"mpi.eager_bytes=64K", 65536},
        {"mpi.eager_bytes=17", 17},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct platform *platform = with_override(rows[i].text);
        double found = strstr(rows[i].text, "latency")     ? platform->segments[0].latency_s
                       : strstr(rows[i].text, "bandwidth") ? platform->segments[0].bandwidth_Bps
                                                           : (double)platform->eager_bytes;
        if (fabs(found - rows[i].expected) > 1e-12 * rows[i].expected) fail_msg("%s gives %g", rows[i].text, found);
        platform_free(platform);
    }
    struct platform *platform = with_override("mpi.rma.semantics=d");
    assert_string_equal(platform->semantics.name, "d");
    platform_free(platform);
}

/* One latency or rate for the network replaces those of its sizes and of its two-sided messages. One of the two-sided messages,
 * or of the loopback, leaves the others. */
static void overrides_of_lines(void **state)
{
    (void)state;
    static const char line[] = "\"segments\": [{\"upto_bytes\": 100, \"latency_s\": 1e-6, \"bandwidth_Bps\": 1e9},"
                               " {\"latency_s\": 2e-6, \"bandwidth_Bps\": 2e9}]";
    static const struct {
        const char *texts[2];
        /* of 8 and 800 bytes between nodes, 8 and 800 two-sided ones, 8 within a node, and a two-sided one there */
        double latency_s[6];
    } rows[] = {
        {{"network.bandwidth_Bps=3e9", NULL}, {1e-6, 2e-6, 1e-6, 2e-6, 1e-6, 1e-6}},
        {{"network.latency_s=5e-6", NULL}, {5e-6, 5e-6, 5e-6, 5e-6, 1e-6, 1e-6}},
        {{"network.two_sided.latency_s=5e-6", NULL}, {1e-6, 2e-6, 5e-6, 5e-6, 1e-6, 1e-6}},
        {{"network.latency_s=5e-6", "network.two_sided.latency_s=4e-6"}, {5e-6, 5e-6, 4e-6, 4e-6, 1e-6, 1e-6}},
        {{"network.loopback.latency_s=5e-6", NULL}, {1e-6, 2e-6, 1e-6, 2e-6, 5e-6, 5e-6}},
    };
    char text[2048];
    snprintf(text, sizeof text,
             "{\"schema\": \"rmacast.platform/1\", \"nodes\": {\"count\": 2}, \"network\": {%s, \"two_sided\": {%s},"
             " \"loopback\": {%s, \"two_sided\": {%s}}}}",
             line, line, line, line);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct platform *platform = NULL;
        struct err err = {.text = ""};
        if (platform_from_text(text, rows[i].texts, rows[i].texts[1] ? 2 : 1, &platform, &err) != STATUS_OK)
            fail_msg("%s", err.text);
        const double *expected = rows[i].latency_s;
        assert_true(platform_latency_s(platform, 0, 1, 8, false) == expected[0]);
        assert_true(platform_latency_s(platform, 0, 1, 800, false) == expected[1]);
        assert_true(platform_latency_s(platform, 0, 1, 8, true) == expected[2]);
        assert_true(platform_latency_s(platform, 0, 1, 800, true) == expected[3]);
        assert_true(platform_latency_s(platform, 0, 0, 8, false) == expected[4]);
        assert_true(platform_latency_s(platform, 0, 0, 8, true) == expected[5]);
        if (i == 0)
            for (int two_sided = 0; two_sided < 2; two_sided++)
                for (int64_t bytes = 8; bytes <= 800; bytes += 792)
                    assert_true(platform_bandwidth_Bps(platform, 0, 1, bytes, two_sided) == 3e9);
        platform_free(platform);
    }
}

static void letters(void **state)
{
    (void)state;
    static const enum rma_waits waits[] = {WAITS_START, WAITS_CALL, WAITS_COMPLETE, WAITS_NEVER};
    for (int i = 0; i < 4; i++) {
        struct rma_semantics semantics;
        char letter[2] = {(char)('a' + i), '\0'};
        assert_true(semantics_by_letter(letter, &semantics));
        assert_string_equal(semantics.name, letter);
        assert_true(semantics.start_waits == (i == 0));
        for (int kind = 0; kind < RMA_KIND_COUNT; kind++) {
            assert_int_equal(semantics_waits(&semantics, (enum rma_kind)kind, 0), waits[i]);
            assert_int_equal(semantics_waits(&semantics, (enum rma_kind)kind, INT64_MAX), waits[i]);
        }
    }
    struct rma_semantics untouched;
    assert_false(semantics_by_letter("e", &untouched));
    assert_false(semantics_by_letter("ab", &untouched));
    assert_false(semantics_by_letter("", &untouched));
}

/* The contract's table; accumulate is not in it and follows put. */
static void semantics_table(void **state)
{
    (void)state;
    struct platform *platform =
        from_text(PLATFORM_TEXT("", "",
                                ", \"mpi\": {\"rma\": {\"semantics\": {\"put\": [{\"upto_bytes\": 64, \"waits\": "
                                "\"complete\"}, {\"waits\": \"call\"}],"
                                " \"get\": \"complete\", \"start\": \"returns\"}}}"));
    const struct rma_semantics *semantics = &platform->semantics;
    assert_string_equal(semantics->name, "table");
    assert_false(semantics->start_waits);
    assert_int_equal(semantics_waits(semantics, RMA_PUT, 64), WAITS_COMPLETE);
    assert_int_equal(semantics_waits(semantics, RMA_PUT, 65), WAITS_CALL);
    assert_int_equal(semantics_waits(semantics, RMA_GET, 1 << 20), WAITS_COMPLETE);
    assert_int_equal(semantics_waits(semantics, RMA_ACCUMULATE, 65), WAITS_CALL);
    platform_free(platform);

    platform = from_text(
        PLATFORM_TEXT("", "", ", \"mpi\": {\"rma\": {\"semantics\": {\"put\": \"never\", \"get\": \"start\"}}}"));
    assert_true(platform->semantics.start_waits); /* because get waits there */
    platform_free(platform);
    platform = from_text(
        PLATFORM_TEXT("", "", ", \"mpi\": {\"rma\": {\"semantics\": {\"put\": \"never\", \"start\": \"waits\"}}}"));
    assert_true(platform->semantics.start_waits);
    platform_free(platform);
}

/* Puts up to 64 bytes wait in complete and larger ones in the call, these for the whole group; an accumulate that the
 * buffer does not hold waits in its call for its target alone. */
static void posts_of_the_group(void **state)
{
    (void)state;
    struct platform *platform = from_text(PLATFORM_TEXT(
        "", "",
        ", \"mpi\": {\"rma\": {\"buffer_bytes\": 100, \"semantics\": {"
        "\"put\": [{\"upto_bytes\": 64, \"waits\": \"complete\", \"posts\": \"target\"}, "
        "{\"waits\": \"call\", \"posts\": \"group\"}], \"get\": [{\"waits\": \"complete\", \"posts\": \"group\"}], "
        "\"accumulate\": \"never\"}}}"));
    const struct rma_semantics *semantics = &platform->semantics;
    assert_false(semantics_waits_for_group(semantics, RMA_PUT, 64));
    assert_true(semantics_waits_for_group(semantics, RMA_PUT, 65));
    assert_true(semantics_waits_for_group(semantics, RMA_GET, 1));
    assert_int_equal(semantics_waits(semantics, RMA_GET, 1), WAITS_COMPLETE);
    assert_int_equal(semantics_waits(semantics, RMA_ACCUMULATE, 101), WAITS_CALL);
    assert_false(semantics_waits_for_group(semantics, RMA_ACCUMULATE, 101));
    platform_free(platform);

    struct rma_semantics letter;
    assert_true(semantics_by_letter("b", &letter));
    assert_false(semantics_waits_for_group(&letter, RMA_PUT, 65));
}

static void mapping(void **state)
{
    (void)state;
    struct err err;
    struct platform *platform =
        from_text(PLATFORM_TEXT("", "", ", \"mapping\": {\"ranks_per_node\": 2, \"round_robin\": true}"));
    assert_int_equal(platform_node_of(platform, 0), 0);
    assert_int_equal(platform_node_of(platform, 3), 3);
    assert_int_equal(platform_node_of(platform, 5), 1);
    assert_int_equal(platform_check_ranks(platform, 8, &err), STATUS_OK);
    assert_int_equal(platform_check_ranks(platform, 9, &err), STATUS_DATA); /* 4 nodes x 2 */
    assert_non_null(strstr(err.text, "nodes.count"));
    assert_non_null(strstr(err.text, "9 ranks"));
    platform_free(platform);

    platform = from_text(PLATFORM_TEXT("", "", ", \"mapping\": {\"ranks\": [0, 0, 3, 1]}"));
    assert_int_equal(platform_node_of(platform, 1), 0);
    assert_int_equal(platform_node_of(platform, 2), 3);
    assert_int_equal(platform_check_ranks(platform, 4, &err), STATUS_OK);
    assert_int_equal(platform_check_ranks(platform, 5, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "mapping.ranks"));
    platform_free(platform);
}

static void ideal(void **state)
{
    (void)state;
    struct platform *platform;
    struct err err;
    assert_int_equal(platform_open("ideal", NULL, 0, &platform, &err), STATUS_OK);
    assert_int_equal(platform_check_ranks(platform, 1 << 20, &err), STATUS_OK);
    assert_int_equal(platform_node_of(platform, 12345), 12345);
    assert_true(platform_latency_s(platform, 0, 1, 1 << 20, false) == 0);
    assert_true(isinf(platform_bandwidth_Bps(platform, 0, 1, 1 << 20, false)));
    assert_true(isinf(platform_bandwidth_Bps(platform, 1, 1, 1 << 20, false)));
    assert_true(isinf(platform->groups[0].memory_bandwidth_Bps));
    assert_true(platform_peak_Bps(platform) == 0);
    assert_false(platform->contention);
    platform_free(platform);
}

/* The described clusters that come with the program: they are valid, and as large as their names say. */
static void shipped(void **state)
{
    (void)state;
    static const struct {
        const char *file, *topology;
        int nodes;
    } rows[] = {
        {"platforms/two-nodes.json", "crossbar", 2},
        {"platforms/ethernet-16.json", "crossbar", 16},
        {"platforms/infiniband-64.json", "fat_tree", 64},
        {"platforms/dragonfly-512.json", "dragonfly", 512},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct platform *platform;
        struct err err = {.text = ""};
        if (platform_open(rows[i].file, NULL, 0, &platform, &err) != STATUS_OK) fail_msg("%s", err.text);
        assert_int_equal(platform->node_count, rows[i].nodes);
        assert_string_equal(platform->topology->shape->name, rows[i].topology);
        double before_s = 0;
        for (int64_t bytes = 1; bytes < 1 << 24; bytes++) { /* a larger message never takes less time */
            double time_s = platform_latency_s(platform, 0, 1, bytes, false) +
                            (double)bytes / platform_bandwidth_Bps(platform, 0, 1, bytes, false);
            if (time_s < before_s)
                fail_msg("%s: %lld bytes take less than one byte less", rows[i].file, (long long)bytes);
            before_s = time_s;
        }
        platform_free(platform);
    }
}

/* From 1 of one rank to 1.5 of three, to 3.5 of seven, which holds for more. Without a curve all is 1. */
static void memory_beside_neighbours(void **state)
{
    (void)state;
    static const double expected[] = {1, 1.25, 1.5, 2, 2.5, 3, 3.5, 3.5};
    struct platform *platform =
        with_override("nodes.memory_curve=[{\"ranks\":3,\"slowdown\":1.5},{\"ranks\":7,\"slowdown\":3.5}]");
    for (uint32_t ranks = 1; ranks <= 8; ranks++)
        assert_true(platform_memory_slowdown(platform->groups, ranks) == expected[ranks - 1]);
    assert_true(platform_memory_slowdown(platform->groups, UINT32_MAX) == 3.5);
    platform_free(platform);
    platform = with_override("nodes.memory_curve=[{\"ranks\":1,\"slowdown\":1},"
                             "{\"ranks\":2,\"slowdown\":{\"value\":2,\"error\":0.2}},"
                             "{\"ranks\":4,\"slowdown\":{\"value\":1.9,\"error\":0.1}},{\"ranks\":8,\"slowdown\":3}]");
    assert_true(platform_memory_slowdown(platform->groups, 1) == 1);
    assert_true(platform_memory_slowdown(platform->groups, 4) == 2); /* 1.9 is within twice the errors of no fall */
    assert_true(platform_memory_slowdown(platform->groups, 6) == 2.5);
    platform_free(platform);
    platform = with_override("nodes.cores=4");
    assert_true(platform_memory_slowdown(platform->groups, 4) == 1);
    platform_free(platform);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_beside_neighbours), cmocka_unit_test(defaults),
        cmocka_unit_test(every_key),
        cmocka_unit_test(segments_of_latency),
        cmocka_unit_test(two_sided),
        cmocka_unit_test(overrides),
        cmocka_unit_test(overrides_of_lines),
        cmocka_unit_test(letters),
        cmocka_unit_test(semantics_table),
        cmocka_unit_test(posts_of_the_group),
        cmocka_unit_test(mapping),
        cmocka_unit_test(ideal),
        cmocka_unit_test(shipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
