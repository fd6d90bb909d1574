#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "platforms/bench/config.h"

/* The minimal configuration of the first MPI network bench, which was
 *     node_configurations = { conf1 = (2, 10); };
 *     tests = { test1 = { conf = "conf1"; sizeconf = ("1M","10M"); tests="reduceTo0";}; }; */
static const char original[] =
    "{ \"node_configurations\": { \"conf1\": [2, 10] },\n"
    "  \"tests\": { \"test1\": { \"conf\": \"conf1\", \"sizeconf\": [\"1M\", \"10M\"], \"tests\": \"reduceTo0\" } } }";

static void the_original_example(void **state)
{
    (void)state;
    struct bench_config config;
    struct err err;
    assert_int_equal(bench_config_parse(original, "x.json", &config, &err), STATUS_OK);
    assert_int_equal(config.count, 1);
    assert_string_equal(config.jobs[0].test, "test1");
    assert_string_equal(config.jobs[0].spec, "reduceTo0");
    assert_int_equal(config.jobs[0].function, BENCH_FUNCTION_reduce_to_0);
    assert_int_equal(config.jobs[0].demand.nodes, 2);
    assert_int_equal(config.jobs[0].demand.ranks, 10);
    assert_int_equal(config.jobs[0].size_count, 2);
    assert_int_equal(config.jobs[0].sizes[0], 1048576);
    assert_int_equal(config.jobs[0].sizes[1], 10485760);
    bench_config_clear(&config);
}

/* Names of names, lists of names, values beside names; the order of jobs: functions, then configurations. */
static void names_stand_wherever_values_may(void **state)
{
    (void)state;
    static const char text[] =
        "{ \"node_configurations\": { \"pair\": [2, 2], \"both\": [\"pair\", [1, 4]] },"
        "  \"size_configurations\": { \"few\": [8, \"1K\"], \"more\": [\"few\", 1048576] },"
        "  \"test_collections\": { \"one\": [\"putLatency -w create -s lock\", \"barrier\"], \"all\": [\"one\", \"bcast\"] },"
        "  \"tests\": { \"t\": { \"conf\": \"both\", \"sizes\": [\"more\", \"2M\"], \"tests\": \"all\", \"minRepeats\": 7,"
        "                        \"maxDuration\": 0.5, \"confidence\": 0.1 } } }";
    struct bench_config config;
    struct err err;
    assert_int_equal(bench_config_parse(text, "x.json", &config, &err), STATUS_OK);
    assert_int_equal(config.count, 6);
    assert_int_equal(config.jobs[0].function, BENCH_FUNCTION_put_latency);
    assert_int_equal(config.jobs[0].window, BENCH_CREATE);
    assert_int_equal(config.jobs[0].epoch, BENCH_LOCK);
    assert_int_equal(config.jobs[0].demand.nodes, 2);
    assert_int_equal(config.jobs[1].demand.nodes, 1);
    assert_int_equal(config.jobs[1].demand.ranks, 4);
    assert_int_equal(config.jobs[0].size_count, 4);
    assert_int_equal(config.jobs[0].sizes[1], 1024);
    assert_int_equal(config.jobs[0].sizes[3], 2097152);
    assert_int_equal(config.jobs[2].function, BENCH_FUNCTION_barrier); /* no sizes: once */
    assert_int_equal(config.jobs[2].size_count, 1);
    assert_int_equal(config.jobs[2].sizes[0], 0);
    assert_int_equal(config.jobs[5].function, BENCH_FUNCTION_bcast);
    assert_int_equal(config.jobs[5].min_repeats, 7);
    assert_true(config.jobs[5].max_duration_s == 0.5 && config.jobs[5].confidence == 0.1);
    bench_config_clear(&config);
}

/* A ring of three has six directions; two nodes have two. On one node the job stays as it is. Other jobs stay. */
static void pairs_are_placed_on_all_neighbours(void **state)
{
    (void)state;
    static const int expected[][2] = {{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 0}, {0, 2}}, counts[] = {1, 2, 6};
    for (int nodes = 1; nodes <= 3; nodes++) {
        struct bench_config config;
        struct err err;
        assert_int_equal(
            bench_config_parse(
                "{ \"tests\": { \"p\": { \"conf\": [2, 2], \"sizes\": [8, 64], \"tests\": \"bcast\", \"pairs\": true },"
                "               \"o\": { \"conf\": [2, 2], \"sizes\": 8, \"tests\": \"barrier\" } } }",
                "x.json", &config, &err),
            STATUS_OK);
        assert_int_equal(bench_config_place_pairs(&config, nodes, &err), STATUS_OK);
        assert_int_equal(config.count, counts[nodes - 1] + 1);
        for (int i = 0; i + 1 < config.count; i++) {
            assert_int_equal(config.jobs[i].demand.fixed, nodes > 1);
            assert_int_equal(config.jobs[i].demand.nodes, 2);
            if (nodes > 1) assert_memory_equal(config.jobs[i].demand.at, expected[i], sizeof expected[i]);
            assert_int_equal(config.jobs[i].sizes[1], 64);
        }
        assert_string_equal(config.jobs[config.count - 1].test, "o");
        assert_false(config.jobs[config.count - 1].demand.fixed);
        bench_config_clear(&config);
    }
}

static void the_default_is_a_configuration(void **state)
{
    (void)state;
    struct bench_config config;
    struct err err;
    assert_int_equal(bench_config_open(NULL, &config, &err), STATUS_OK);
    assert_true(config.count > 40);
    for (int i = 0; i < config.count; i++) assert_true(config.jobs[i].optional);
    bench_config_clear(&config);
}

static void a_test_says_whether_it_is_optional(void **state)
{
    (void)state;
    struct bench_config config;
    struct err err;
    assert_int_equal(bench_config_parse("{ \"tests\": { \"t\": { \"conf\": [1, 2], \"sizes\": 8, \"tests\": \"bcast\" },"
                                        "  \"o\": { \"conf\": [1, 2], \"sizes\": 8, \"tests\": \"bcast\",\n"
                                        "           \"optional\": true } } }",
                                        "x.json", &config, &err),
                     STATUS_OK);
    assert_false(config.jobs[0].optional);
    assert_true(config.jobs[1].optional);
    bench_config_clear(&config);
}

/* A test that is otherwise right, and one key of it. */
#define TEST(KEYS) "{ \"tests\": { \"t\": { " KEYS " } } }"
#define REST       "\"conf\": [1, 2], \"sizes\": 8, \"tests\": \"bcast\""

/* An equal part of the time and of the repetitions, rounded up, but at least 20 of these, or all. */
static void rounds_share_repetitions_and_time(void **state)
{
    (void)state;
    static const char text[] = "{ \"tests\": { \"a\": { \"conf\": [1, 2], \"sizes\": 8, \"tests\": \"barrier\","
                               " \"minRepeats\": 1000, \"maxDuration\": 0.6 },"
                               " \"b\": { \"conf\": [1, 2], \"sizes\": 8, \"tests\": \"barrier\", \"minRepeats\": 40 },"
                               " \"c\": { \"conf\": [1, 2], \"sizes\": 8, \"tests\": \"barrier\", \"minRepeats\": 12 } } }";
    static const struct {
        int rounds, repeats[3];
    } rows[] = {{1, {1000, 40, 12}}, {3, {334, 20, 12}}, {100, {20, 20, 12}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench_config config;
        struct err err;
        assert_int_equal(bench_config_parse(text, "x.json", &config, &err), STATUS_OK);
        assert_int_equal(config.count, 3);
        bench_config_share(&config, rows[i].rounds);
        for (int k = 0; k < 3; k++) assert_int_equal(config.jobs[k].min_repeats, rows[i].repeats[k]);
        assert_true(config.jobs[0].max_duration_s == 0.6 / rows[i].rounds);
        bench_config_clear(&config);
    }
}

static void faults_name_file_and_key(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"[]", "x.json:(root): wrong type"},
        {"{ }", "x.json:tests: missing"},
        {"{ \"tests\": {} }", "x.json:tests: no tests"},
        {"{ \"test\": {} }", "x.json:test: unknown key"},
        {TEST(REST ", \"repeats\": 3"), "x.json:tests.t.repeats: unknown key"},
        {TEST("\"sizes\": 8, \"tests\": \"bcast\""), "x.json:tests.t.conf: missing"},
        {TEST("\"conf\": [1, 2], \"tests\": \"bcast\""), "x.json:tests.t.sizes: missing"},
        {TEST("\"conf\": [1, 2], \"sizes\": 8"), "x.json:tests.t.tests: missing"},
        {TEST("\"conf\": \"big\", \"sizes\": 8, \"tests\": \"bcast\""),
         "x.json:tests.t.conf: no node configuration 'big'"},
        {TEST("\"conf\": [0, 2], \"sizes\": 8, \"tests\": \"bcast\""), "x.json:tests.t.conf[0]: 0 is impossible"},
        {TEST("\"conf\": [3, 2], \"sizes\": 8, \"tests\": \"bcast\""), "x.json:tests.t.conf: 2 ranks on 3 nodes"},
        {TEST("\"conf\": [1, 2, 3], \"sizes\": 8, \"tests\": \"bcast\""), "x.json:tests.t.conf[0]: wrong type"},
        {TEST("\"conf\": [1, 1], \"sizes\": 8, \"tests\": \"bcast\""), "x.json:tests.t.conf: 1 rank, bcast needs 2"},
        {TEST("\"conf\": [1, 2], \"sizes\": \"1Q\", \"tests\": \"bcast\""), "x.json:tests.t.sizes: no size '1Q'"},
        {TEST("\"conf\": [1, 2], \"sizes\": -8, \"tests\": \"bcast\""), "x.json:tests.t.sizes: -8 is impossible"},
        {TEST("\"conf\": [1, 2], \"sizes\": [], \"tests\": \"bcast\""), "x.json:tests.t.sizes: an empty list"},
        {TEST("\"conf\": [1, 2], \"sizes\": [8, 1.5], \"tests\": \"bcast\""),
         "x.json:tests.t.sizes[1]: 1.5 is no whole number"},
        {TEST("\"conf\": [1, 2], \"sizes\": 8, \"tests\": \"broadcast\""), "x.json:tests.t.tests: no test 'broadcast'"},
        {TEST("\"conf\": [1, 2], \"sizes\": 8, \"tests\": \"bcast -s fence\""),
         "x.json:tests.t.tests: bcast has no option -s"},
        {TEST("\"conf\": [1, 2], \"sizes\": 8, \"tests\": \"putLatency -s now\""),
         "x.json:tests.t.tests: -s now, expected fence"},
        {TEST("\"conf\": [1, 2], \"sizes\": 8, \"tests\": \"putLatency -w\""),
         "x.json:tests.t.tests: -w without a name"},
        {TEST("\"conf\": [1, 2], \"sizes\": 8, \"tests\": \"putLatency -q x\""),
         "x.json:tests.t.tests: unknown option '-q'"},
        {TEST(REST ", \"minRepeats\": 0"), "x.json:tests.t.minRepeats: 0 is impossible"},
        {TEST(REST ", \"maxDuration\": \"long\""), "x.json:tests.t.maxDuration: wrong type"},
        {TEST(REST ", \"pairs\": 1"), "x.json:tests.t.pairs: wrong type"},
        {TEST(REST ", \"optional\": 1"), "x.json:tests.t.optional: wrong type"},
        {"{ \"tests\": { \"t\": { \"conf\": [1, 2], \"sizes\": 8, \"tests\": \"bcast\", \"pairs\": true } } }",
         "a test of pairs, expected 2 nodes with 2 ranks in all"},
        {TEST(REST ", \"sizeconf\": 8"), "x.json:tests.t.sizeconf: beside sizes"},
        {"{ \"size_configurations\": { \"a\": [\"b\"], \"b\": [\"a\"] },"
         "  \"tests\": { \"t\": { \"conf\": [1, 2], \"sizes\": \"a\", \"tests\": \"bcast\" } } }",
         "names refer to names more than 16 deep"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench_config config;
        struct err err = {0};
        if (bench_config_parse(rows[i].text, "x.json", &config, &err) != STATUS_DATA || !strstr(err.text, rows[i].error))
            fail_msg("%s: \"%s\", expected \"%s\"", rows[i].text, err.text, rows[i].error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_original_example),
        cmocka_unit_test(names_stand_wherever_values_may),
        cmocka_unit_test(pairs_are_placed_on_all_neighbours),
        cmocka_unit_test(the_default_is_a_configuration),
        cmocka_unit_test(a_test_says_whether_it_is_optional),
        cmocka_unit_test(rounds_share_repetitions_and_time),
        cmocka_unit_test(faults_name_file_and_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
