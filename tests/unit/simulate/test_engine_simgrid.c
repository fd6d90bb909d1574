/* The SimGrid engine on cases worked out by hand. platforms/two-nodes.json: latency 1 us, 10 GB/s (100 ps per byte), so
 * 1 MB takes 100 us; loopback 0.2 us and 20 GB/s; memory 10 GB/s. Where no links are shared the loggp engine must give
 * the same picosecond. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/children.h"
#include "tests/unit/simulate/engine_test.h"

#define US INT64_C(1000000)
#define S (1000000 * US)
#define MB 1000000

struct row {
    struct test_case test;
    bool alone; /* no links shared: loggp gives the same */
    const struct {
        int64_t left_ps, arrived_ps;
    } expected[4];
};

#define SENDS(...)                                                                                                     \
    .sends = (const struct test_send[]){__VA_ARGS__},                                                                  \
    .count = sizeof((const struct test_send[]){__VA_ARGS__}) / sizeof(struct test_send)
#define TWO_NODES "platforms/two-nodes.json"

static const char xml_star[] =
    "<?xml version='1.0'?>\n"
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    "<platform version=\"4.1\">\n"
    "  <zone id=\"z\" routing=\"Full\">\n"
    "    <host id=\"n10\" speed=\"1Gf\"/> <host id=\"n2\" speed=\"1Gf\"/> <host id=\"n1\" speed=\"1Gf\"/>\n"
    "    <link id=\"l1\" bandwidth=\"1GBps\" latency=\"10us\"/>\n"
    "    <link id=\"l2\" bandwidth=\"1GBps\" latency=\"20us\"/>\n"
    "    <link id=\"l10\" bandwidth=\"1GBps\" latency=\"5us\"/>\n"
    "    <route src=\"n1\" dst=\"n2\"><link_ctn id=\"l1\"/><link_ctn id=\"l2\"/></route>\n"
    "    <route src=\"n1\" dst=\"n10\"><link_ctn id=\"l1\"/><link_ctn id=\"l10\"/></route>\n"
    "    <route src=\"n2\" dst=\"n10\"><link_ctn id=\"l2\"/><link_ctn id=\"l10\"/></route>\n"
    "  </zone>\n"
    "</platform>\n";

static const struct row rows[] = {
    {{"1 MB", TWO_NODES, {NULL}, SENDS({0, 0, 1, MB, false})}, true, {{100 * US, 101 * US}}},
    {{"0 bytes", TWO_NODES, {NULL}, SENDS({7 * US, 0, 1, 0, false})}, true, {{7 * US, 8 * US}}},
    {{"64 bytes, a timer", TWO_NODES, {NULL}, SENDS({0, 0, 1, 64, false})}, true, {{6400, 1006400}}},
    {{"65 bytes, a flow", TWO_NODES, {NULL}, SENDS({0, 0, 1, 65, false})}, true, {{6500, 1006500}}},
    {{"inside a node, not queued", TWO_NODES, {NULL}, SENDS({0, 0, 0, 1000, false}, {0, 0, 0, 1000, false})},
     true,
     {{50000, 250000}, {50000, 250000}}},
    {{"to self: memory, no latency", TWO_NODES, {NULL}, SENDS({0, 1, 1, 1000, true})}, true, {{100000, 100000}}},
    {{"sender is first in, first out", TWO_NODES, {"nodes.count=3"}, SENDS({0, 0, 1, MB, false}, {0, 0, 2, MB, false})},
     true,
     {{100 * US, 101 * US}, {200 * US, 201 * US}}},
    /* the control message waits for the NIC and comes after the data of its pair, at the same picosecond */
    {{"0 bytes behind 1 MB", TWO_NODES, {NULL}, SENDS({0, 0, 1, MB, false}, {1 * US, 0, 1, 0, false})},
     true,
     {{100 * US, 101 * US}, {100 * US, 101 * US}}},
    /* 40 bytes leave at 100 us for 4 ns, the next 1 MB begins then */
    {{"1 MB, 40 bytes, 1 MB",
      TWO_NODES,
      {NULL},
      SENDS({0, 0, 1, MB, false}, {1 * US, 0, 1, 40, false}, {2 * US, 0, 1, MB, false})},
     true,
     {{100 * US, 101 * US}, {100 * US + 4000, 101 * US + 4000}, {200 * US + 4000, 201 * US + 4000}}},
    {{"gap 150 us",
      TWO_NODES,
      {"network.gap_s=150e-6"},
      SENDS({0, 0, 1, MB, false}, {0, 0, 1, MB, false}, {0, 0, 1, 0, false})},
     true,
     {{100 * US, 101 * US}, {250 * US, 251 * US}, {300 * US, 301 * US}}},
    /* after a day of simulated time SimGrid's clock has steps of 15 ps */
    {{"late", TWO_NODES, {NULL}, SENDS({86400 * S, 0, 1, MB, false}, {86400 * S, 1, 0, 100, false})},
     true,
     {{86400 * S + 100 * US, 86400 * S + 101 * US}, {86400 * S + 10000, 86400 * S + 1010000}}},
    {{"both directions", TWO_NODES, {NULL}, SENDS({0, 0, 1, MB, false}, {0, 1, 0, MB, false})},
     true,
     {{100 * US, 101 * US}, {100 * US, 101 * US}}},
    {{"two senders, one receiver: half the rate each",
      TWO_NODES,
      {"nodes.count=3"},
      SENDS({0, 0, 2, MB, false}, {0, 1, 2, MB, false})},
     false,
     {{200 * US, 201 * US}, {200 * US, 201 * US}}},
    /* alone until 50 us (0.5 MB), both at half rate until 150 us (the first has ended), the second's last 0.5 MB alone
     */
    {{"the second 50 us later", TWO_NODES, {"nodes.count=3"}, SENDS({0, 0, 2, MB, false}, {50 * US, 1, 2, MB, false})},
     false,
     {{150 * US, 151 * US}, {200 * US, 201 * US}}},
    {{"no contention",
      TWO_NODES,
      {"nodes.count=3", "engine.contention=false"},
      SENDS({0, 0, 2, MB, false}, {0, 1, 2, MB, false}, {0, 0, 1, MB, false})},
     true,
     {{100 * US, 101 * US}, {100 * US, 101 * US}, {100 * US, 101 * US}}},
    /* 0.1 MB at 1 GB/s take 100 us on links of 10 GB/s: the link is occupied as long, so two into one receiver take
       twice */
    {{"a size segment slower than the link",
      TWO_NODES,
      {"nodes.count=3", "network.segments=[{\"upto_bytes\": 100000, \"bandwidth_Bps\": 1e9}, {}]"},
      SENDS({0, 0, 1, 100000, false}, {500 * US, 0, 2, 100000, false}, {500 * US, 1, 2, 100000, false})},
     false,
     {{100 * US, 101 * US}, {700 * US, 701 * US}, {700 * US, 701 * US}}},
    {{"ideal", "ideal", {NULL}, SENDS({5, 0, 100000, MB, false}, {6, 3, 3, MB, true})}, true, {{5, 5}, {6, 6}}},
    /* 64 nodes: 1 MB at 12.1 GB/s = 82644628.1 ps after 7.2 us; leaf 0 is nodes 0-15; two more links cost 2 x 130 ns */
    {{"fat tree",
      "platforms/infiniband-64.json",
      {NULL},
      SENDS({0, 0, 1, MB, false}, {200 * US, 0, 16, MB, false}, {400 * US, 63, 5, MB, false})},
     true,
     {{82644628, 82644628 + 7200000},
      {200 * US + 82644628, 200 * US + 82644628 + 7460000},
      {400 * US + 82644628, 400 * US + 82644628 + 7460000}}},
    /* 2 x 1 MB over one link of 12.1 GB/s; the rate is no round number, nor is what SimGrid is told */
    {{"fat tree, two senders",
      "platforms/infiniband-64.json",
      {NULL},
      SENDS({0, 1, 0, MB, false}, {0, 2, 0, MB, false})},
     false,
     {{165289256, 165289256 + 7200000}, {165289256, 165289256 + 7200000}}},
    /* hosts by name are nodes: n1, n2, n10. 1 MB at 1 GB/s; latencies 10 + 20 and 5 + 20 us */
    {{"SimGrid platform",
      TWO_NODES,
      {"nodes.count=3"},
      xml_star,
      SENDS({0, 0, 1, MB, false}, {2000 * US, 2, 1, MB, false}, {4000 * US, 2, 1, 0, false})},
     false,
     {{1000 * US, 1030 * US}, {3000 * US, 3025 * US}, {4000 * US, 4025 * US}}},
    /* both share l10 equally, although their latencies differ */
    {{"SimGrid platform, shared link",
      TWO_NODES,
      {"nodes.count=3"},
      xml_star,
      SENDS({0, 0, 2, MB, false}, {0, 1, 2, MB, false})},
     false,
     {{2000 * US, 2015 * US}, {2000 * US, 2025 * US}}},
    {{"SimGrid platform, no contention",
      TWO_NODES,
      {"nodes.count=3", "engine.contention=false"},
      xml_star,
      SENDS({0, 0, 2, MB, false}, {0, 1, 2, MB, false})},
     false,
     {{1000 * US, 1015 * US}, {1000 * US, 1025 * US}}},
};

static void check_row(const struct row *row, const struct engine_descriptor *kind)
{
    struct test_fate fates[4];
    struct err err = {.text = ""};
    if (test_run_apart(kind, &row->test, fates, &err) != STATUS_OK)
        fail_msg("%s: %s: %s", kind->name, row->test.name, err.text);
    for (size_t i = 0; i < row->test.count; i++) {
        /* shared links: SimGrid's double of seconds may round by a picosecond */
        int64_t off_left = llabs(fates[i].left_ps - row->expected[i].left_ps);
        int64_t off_arrived = llabs(fates[i].arrived_ps - row->expected[i].arrived_ps);
        int64_t tolerance = row->alone ? 0 : 2;
        if (off_left > tolerance || off_arrived > tolerance)
            fail_msg("%s: %s: message %zu left at %lld, arrived at %lld ps", kind->name, row->test.name, i,
                     (long long)fates[i].left_ps, (long long)fates[i].arrived_ps);
        if (strcmp(kind->name, "simgrid") == 0 && i > 0 && row->test.sends[i].src_node == row->test.sends[0].src_node &&
            row->test.sends[i].dst_node == row->test.sends[0].dst_node && fates[i].order < fates[0].order)
            fail_msg("%s: %s: message %zu overtakes", kind->name, row->test.name, i);
    }
}

static void by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_row(&rows[i], engine_by_name("simgrid"));
        if (rows[i].alone) check_row(&rows[i], engine_by_name("loggp"));
    }
}

/* All 64 nodes of a full-bisection tree send to the node of the next leaf at once: d-mod-k routing gives each its own
 * links (E. Zahavi, D-Mod-K Routing, 2010), so each takes as long as alone. */
static void fat_tree_shift(void **state)
{
    (void)state;
    struct test_send sends[64];
    struct test_fate fates[64];
    struct err err = {.text = ""};
    for (int i = 0; i < 64; i++) sends[i] = (struct test_send){0, i, (i + 16) % 64, MB, false};
    struct test_case test = {"shift", "platforms/infiniband-64.json", {NULL}, NULL, sends, 64, 0};
    if (test_run_apart(engine_by_name("simgrid"), &test, fates, &err) != STATUS_OK) fail_msg("%s", err.text);
    for (int i = 0; i < 64; i++) assert_int_equal(fates[i].arrived_ps, 82644628 + 7460000);
}

/* Property: no message is earlier than alone, each arrives, messages of one sender begin in the order of sending, and a
 * second run gives the same picoseconds. The seed is printed. */
static void random_messages(void **state)
{
    (void)state;
    enum { COUNT = 2000, NODES = 24 };
    static struct test_send sends[COUNT];
    static struct test_fate fates[COUNT], again[COUNT];
    unsigned seed = 20040815;
    print_message("seed %u\n", seed);
    for (int i = 0; i < COUNT; i++) {
        int64_t at_ps = (int64_t)(rand_r(&seed) % 1000) * US;
        int src = rand_r(&seed) % NODES, dst = rand_r(&seed) % NODES;
        sends[i] = (struct test_send){at_ps, src, dst, rand_r(&seed) % 200000, src == dst};
    }
    struct test_case test = {
        "random", TWO_NODES, {"nodes.count=24", "network.topology={\"type\": \"torus\", \"dimensions\": [4, 3, 2]}"},
        NULL,     sends,     COUNT,
        0};
    struct err err = {.text = ""};
    const struct engine_descriptor *kind = engine_by_name("simgrid");
    if (test_run_apart(kind, &test, fates, &err) != STATUS_OK) fail_msg("%s", err.text);
    if (test_run_apart(kind, &test, again, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_memory_equal(fates, again, sizeof fates);
    for (int i = 0; i < COUNT; i++) {
        int64_t alone_ps = sends[i].bytes * 100, latency_ps = sends[i].to_self ? 0 : US;
        assert_true(fates[i].began_ps >= sends[i].at_ps);
        assert_true(fates[i].left_ps >= fates[i].began_ps + alone_ps);
        assert_int_equal(fates[i].arrived_ps, fates[i].left_ps + latency_ps);
        for (int j = 0; j < i; j++) {
            if (sends[i].src_node != sends[j].src_node || sends[i].to_self || sends[j].to_self) continue;
            bool after = sends[i].at_ps >= sends[j].at_ps; /* at equal times in the order of making */
            assert_true(after ? fates[i].began_ps >= fates[j].left_ps : fates[j].began_ps >= fates[i].left_ps);
        }
    }
}

static void stop(void **state)
{
    (void)state;
    static const struct test_send sends[] = {{0, 0, 1, MB, false}, {0, 1, 0, 10, false}, {50 * US, 1, 0, MB, false}};
    struct test_case test = {"stop", TWO_NODES, {NULL}, NULL, sends, 3, 1};
    struct test_fate fates[3];
    struct err err = {.text = ""};
    if (test_run_apart(engine_by_name("simgrid"), &test, fates, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_int_equal(fates[1].arrived_ps, 1001000);
    assert_int_equal(fates[0].arrived_ps, TEST_UNKNOWN);
    assert_int_equal(fates[2].arrived_ps, TEST_UNKNOWN);
}

struct bad {
    const char *name, *xml, *expected; /* behind the file's name */
};

#define XML(BODY)                                                                                                      \
    "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "                \
    "version=\"4.1\">\n"                                                                                               \
    "<zone id=\"z\" routing=\"Full\">\n" BODY "\n</zone>\n</platform>\n"
#define HOST(NAME) "<host id=\"" NAME "\" speed=\"1Gf\"/>"
#define CLUSTER(NAME, RADICAL)                                                                                         \
    "<cluster id=\"" NAME "\" prefix=\"" NAME "\" suffix=\"\" " RADICAL " speed=\"1Gf\" bw=\"1GBps\" lat=\"0\"/>"

static const struct bad bads[] = {
    {"no XML", "hello\n", ".xml: no host, expected a SimGrid platform with at least nodes.count = 2"},
    {"empty", "", ".xml: no host, expected"},
    {"unknown element", XML(HOST("a") HOST("b") "<hos id=\"a\"/>"), ".xml:5: "},
    {"lines count with what is left out", XML("<!--\n-->" HOST("a") HOST("b") "<hos id=\"a\"/>"), ".xml:6: "},
    {"no speed", XML(HOST("a") "<host id=\"b\" speed=\"fast\"/>"), ".xml: the speed of host 'b' is none, expected one above 0"},
    {"speed 0", XML(HOST("a") "<host id=\"b\" speed=\"0f\"/>"), ".xml: the speed of host 'b' is none, expected one above 0"},
    {"no cores", XML(HOST("a") "<host id=\"b\" speed=\"1Gf\" core=\"0\"/>"),
     ".xml: the cores of host 'b' are none, expected 1 to 1048576"},
    {"cores in words", XML(HOST("a") "<host id=\"b\" speed=\"1Gf\" core=\"4x\"/>"), ".xml: the cores of host 'b' are none"},
    {"one name twice", XML(HOST("a") HOST("a")), ".xml: there are two hosts 'a', expected one of that name"},
    {"too few hosts", XML(HOST("a")), ".xml: 1 host, expected at least nodes.count = 2"},
    {"no routes", XML(HOST("a") HOST("b")), ".xml: no route from host 'a' to 'b', expected one"},
    {"one way only",
     XML(HOST("a") HOST("b") "<link id=\"l\" bandwidth=\"1GBps\" latency=\"0\"/>"
                             "<route src=\"a\" dst=\"b\" symmetrical=\"NO\"><link_ctn id=\"l\"/></route>"),
     ".xml: no route from host 'b' to 'a', expected one"},
    {"hosts beyond count", XML(CLUSTER("c", "radical=\"0-99999999\"")),
     ".xml: 100000000 hosts, expected at most 262144"},
    /* 200000 + 62144 + 1, one more than 2^18 */
    {"one host too many", XML(CLUSTER("c", "radical=\"0-199999\"") CLUSTER("d", "radical = '1-62144, 70000'")),
     ".xml: 262145 hosts, expected at most 262144"},
    {"hosts in a comment", XML("<!-- > " CLUSTER("c", "radical=\"0-99999999\"") " -->" HOST("a")),
     ".xml: 1 host, expected at least nodes.count = 2"},
};

static void bad_platforms(void **state)
{
    (void)state;
    static const struct test_send sends[] = {{0, 0, 1, 10, false}};
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        struct test_case test = {bads[i].name, TWO_NODES, {NULL}, bads[i].xml, sends, 1, 0};
        struct test_fate fate;
        struct err err = {.text = ""};
        enum status status = test_run_apart(engine_by_name("simgrid"), &test, &fate, &err);
        if (status == STATUS_OK || status == STATUS_SYSTEM || !strstr(err.text, bads[i].expected) || strchr(err.text, '\n'))
            fail_msg("%s gives %d \"%s\"", bads[i].name, status, err.text);
    }
}

static enum status open_twice(void *context, size_t index, FILE *out, struct err *err)
{
    (void)context, (void)index, (void)out;
    static const struct test_send sends[] = {{0, 0, 1, MB, false}};
    const struct engine_descriptor *kind = engine_by_name("simgrid");
    struct platform *platform;
    struct test_fate fate;
    TRY(platform_open(TWO_NODES, NULL, 0, &platform, err));
    TRY(test_run(kind, platform, sends, 1, 0, &fate, err));
    enum status status = test_run(kind, platform, sends, 1, 0, &fate, err);
    platform_free(platform);
    return status;
}

static void one_engine_per_process(void **state)
{
    (void)state;
    struct child_answer answer;
    struct err err;
    assert_int_equal(children_run(open_twice, NULL, 1, 1, &answer, &err), STATUS_OK);
    assert_int_equal(answer.status, STATUS_USAGE);
    assert_string_equal(answer.err.text,
                        "engine:simgrid: opened a second time in one process, expected one simulation per process");
    child_answers_clear(&answer, 1);
    assert_true(engine_by_name("simgrid")->once_per_process);
}

static void handler(int number)
{
    (void)number;
}

static enum status keep_signals(void *context, size_t index, FILE *out, struct err *err)
{
    (void)context, (void)index, (void)out;
    static const struct test_send sends[] = {{0, 0, 1, MB, false}};
    struct platform *platform;
    struct test_fate fate;
    struct sigaction before[32], after;
    signal(SIGINT, handler);
    for (int i = 1; i < 32; i++) sigaction(i, NULL, &before[i]);
    TRY(platform_open(TWO_NODES, NULL, 0, &platform, err));
    TRY(test_run(engine_by_name("simgrid"), platform, sends, 1, 0, &fate, err));
    platform_free(platform);
    for (int i = 1; i < 32; i++) {
        sigaction(i, NULL, &after);
        if (after.sa_handler != before[i].sa_handler)
            return err_set(err, STATUS_DATA, NULL, NULL, "signal %d has another handler", i);
    }
    return STATUS_OK;
}

static void signals(void **state)
{
    (void)state;
    struct child_answer answer;
    struct err err;
    assert_int_equal(children_run(keep_signals, NULL, 1, 1, &answer, &err), STATUS_OK);
    if (answer.status != STATUS_OK) fail_msg("%s", answer.err.text);
    child_answers_clear(&answer, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand), cmocka_unit_test(fat_tree_shift), cmocka_unit_test(random_messages),
        cmocka_unit_test(stop),    cmocka_unit_test(bad_platforms),  cmocka_unit_test(one_engine_per_process),
        cmocka_unit_test(signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
