/* Each faulty platform gives one line that names the key path (or the option) and what was expected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/platforms/platform_test.h"

#define CALLS(PROTOCOL) ", \"mpi\": {\"rma\": {\"protocol\": {" PROTOCOL "}}}"

struct row {
    const char *text;
    const char *expected; /* part of the message behind the file's name */
};

static const struct row rows[] = {
    {"[]", ":(root): wrong type, expected an object"},
    {"{", ":1: the text ends"},
    {"{ // comment\n}", ":1: not JSON"},
    {"{}", ":schema: missing, expected a string"},
    {"{\"schema\": \"rmacast.platform/2\"}",
     ":schema: unknown schema 'rmacast.platform/2', expected rmacast.platform/1"},
    {"{\"schema\": \"rmacast.platform/1\"}", ":nodes: missing, expected an object"},
    {"{\"schema\": \"rmacast.platform/1\", \"nodes\": {}}", ":nodes.count: missing, expected a number"},
    {"{\"schema\": \"rmacast.platform/1\", \"nodes\": {\"count\": 2}}", ":network: missing, expected an object"},
    {"{\"schema\": \"rmacast.platform/1\", \"nodes\": {\"count\": 2}, \"network\": {\"bandwidth_Bps\": 1e9}}",
     ":network.latency_s: missing, expected a number"},
    {"{\"schema\": \"rmacast.platform/1\", \"nodes\": {\"count\": 2}, \"network\": {\"latency_s\": 1e-6}}",
     ":network.bandwidth_Bps: missing, expected a number"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"rma\": {\"protocol\": {\"serves\": {\"put\": {\"by\": \"call\"}}}}}"),
     ":mpi.rma.protocol.serves.put: an object, expected a string, or rows of upto_bytes and by"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"call_s\": 1e-6}"), ":mpi.call_s: wrong type, expected an object"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"call_s\": {\"MPI_Poot\": 1}}"),
     ":mpi.call_s.MPI_Poot: no function whose calls are simulated, expected one as MPI_Win_start"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"call_s\": {\"MPI_Comm_group\": 1}}"), ":mpi.call_s.MPI_Comm_group: no function"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"call_s\": {\"sem_post\": 1}}"), ":mpi.call_s.sem_post: no function"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"call_s\": {\"MPI_Put\": -1}}"), ":mpi.call_s.MPI_Put: -1 is impossible"},
    {PLATFORM_TEXT("", ", \"loopback\": {\"latency_s\": 1e-7, \"bandwidth_Bps\": 1e10, \"call_s\": {\"MPI_Poot\": 1}}", ""),
     ":network.loopback.call_s.MPI_Poot: no function"},
    {PLATFORM_TEXT("", ", \"loopback\": {\"latency_s\": 1e-7, \"bandwidth_Bps\": 1e10, \"overhead_s\": -1}", ""),
     ":network.loopback.overhead_s: -1 is impossible"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"pause\": 1e-6}"), ":mpi.pause: wrong type, expected an object"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"pause\": {\"call_s\": -1e-6}}"), ":mpi.pause.call_s: -1e-06 is impossible"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"pause\": {\"after_s\": 1e9}}"), ":mpi.pause.after_s: 1000000000 is impossible"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"pause\": {\"s\": 1}}"),
     ":mpi.pause.s: unknown key, expected one of after_s, full_s, call_s"},
    {PLATFORM_TEXT("", "", ", \"nets\": 1"), ":nets: unknown key, expected one of schema"},
    {PLATFORM_TEXT(", \"core\": 1", "", ""), ":nodes.core: unknown key, expected one of count, cores"},
    {PLATFORM_TEXT(", \"cores\": 0", "", ""), ":nodes.cores: 0 is impossible here, expected a number from 1 to"},
    {PLATFORM_TEXT(", \"cores\": 1.5", "", ""), ":nodes.cores: 1.5 is no whole number"},
    {PLATFORM_TEXT(", \"speed\": -1", "", ""), ":nodes.speed: -1 is impossible"},
    {PLATFORM_TEXT(", \"speed\": \"fast\"", "", ""), ":nodes.speed: wrong type, expected a number"},
    {PLATFORM_TEXT(", \"memory_bandwidth_Bps\": \"much\"", "", ""), ":nodes.memory_bandwidth_Bps: wrong type"},
    {PLATFORM_TEXT("", ", \"overhead_s\": \"10us\"", ""), ":network.overhead_s: wrong type, expected a number"},
    {PLATFORM_TEXT("", ", \"gap_s\": {\"value\": 1, \"sigma\": 2}", ""), ":network.gap_s.sigma: unknown key"},
    {PLATFORM_TEXT("", ", \"gap_s\": {\"error\": 1}", ""), ":network.gap_s.value: missing"},
    {PLATFORM_TEXT("", ", \"loopback\": {\"latency_s\": 1}", ""), ":network.loopback.bandwidth_Bps: missing"},
    {PLATFORM_TEXT("", ", \"two_sided\": {\"latency_s\": 1}", ""), ":network.two_sided.bandwidth_Bps: missing"},
    {PLATFORM_TEXT("", ", \"two_sided\": {\"gap_s\": 1}", ""), ":network.two_sided.gap_s: unknown key"},
    {PLATFORM_TEXT("", ", \"segments\": []", ""), ":network.segments: no size segments"},
    {PLATFORM_TEXT("", ", \"segments\": [{}, {}]", ""), ":network.segments[0].upto_bytes: missing"},
    {PLATFORM_TEXT("", ", \"segments\": [{\"upto_bytes\": 8}, {\"upto_bytes\": 8}, {}]", ""),
     ":network.segments[1].upto_bytes: not ascending"},
    {PLATFORM_TEXT("", ", \"segments\": [{\"upto_bytes\": 8}, {\"upto_bytes\": 4}]", ""),
     ":network.segments[1].upto_bytes: not ascending"},
    {PLATFORM_TEXT("", ", \"gap_s\": 0, \"gap_s\": 1", ""), ":network.gap_s: stands twice, expected once"},
    {PLATFORM_TEXT("", ", \"segments\": [{\"rate\": 8}]", ""), ":network.segments[0].rate: unknown key"},
    {PLATFORM_TEXT("", ", \"topology\": {\"type\": \"ring\"}", ""),
     ":network.topology.type: unknown topology 'ring', expected"},
    {PLATFORM_TEXT("", ", \"topology\": {}", ""), ":network.topology.type: missing"},
    {PLATFORM_TEXT("", ", \"topology\": {\"type\": \"torus\"}", ""), ":network.topology.dimensions: missing"},
    {PLATFORM_TEXT("", ", \"topology\": {\"type\": \"torus\", \"dimensions\": [3, 1]}", ""),
     ":network.topology: this torus has 3 nodes, expected at least nodes.count = 4"},
    {PLATFORM_TEXT("", ", \"topology\": {\"type\": \"torus\", \"dimensions\": [3, 0]}", ""),
     ":network.topology.dimensions[1]: 0 is impossible"},
    {PLATFORM_TEXT("", ", \"topology\": {\"type\": \"fat_tree\", \"down\": [4, 4], \"up\": [1]}", ""),
     ":network.topology.up: 1 value, expected one for each of the 2 levels"},
    {PLATFORM_TEXT(
         "", ", \"topology\": {\"type\": \"dragonfly\", \"groups\": 4, \"chassis\": 1, \"routers\": 2, \"nodes\": 4}",
         ""),
     ":network.topology.groups: 4 groups, expected at most one per router of a chassis (2)"},
    {PLATFORM_TEXT("", ", \"topology\": {\"type\": \"torus\", \"dimensions\": [65536, 65536]}", ""),
     ":network.topology: more than 2^31 nodes"},
    {PLATFORM_TEXT("", ", \"topology\": {\"simgrid_xml\": \"no-such-file.xml\"}", ""),
     ":network.topology.simgrid_xml: /tmp/no-such-file.xml: cannot be opened: No such file or directory"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"collectives\": \"ompi\"}"),
     ":mpi.collectives: unknown value 'ompi', expected mpich"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"rma\": {\"lock\": \"eager\"}}"),
     ":mpi.rma.lock: unknown value 'eager', expected blocking or lazy"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"rma\": {\"lock\": \"eager\", \"protocol\": {\"calls\": {\"lock\": [\"ask\"]}}}}"),
     ":mpi.rma.lock: unknown value 'eager', expected blocking or lazy"},
    {PLATFORM_TEXT("", "", CALLS("\"complete\": \"remote\"")),
     ":mpi.rma.protocol.complete: replaced by the steps of mpi.rma.protocol.calls.complete, as \"issue,notify,left\""},
    {PLATFORM_TEXT("", "", CALLS("\"calls\": {\"complete\": [\"notify\", \"issue\"]}")),
     ":mpi.rma.protocol.calls.complete[0]: step 'notify' as the first one, expected issue"},
    {PLATFORM_TEXT("", "", CALLS("\"calls\": {\"unlock\": [\"issue\", \"answer\"]}")),
     ":mpi.rma.protocol.calls.unlock[1]: step 'answer' behind 'issue', expected acknowledged, query, query_connected, query_all, "
     "release"},
    {PLATFORM_TEXT("", "", CALLS("\"calls\": {\"unlock\": [\"issue\", \"acknowledged\", \"acknowledged\"]}")),
     ":mpi.rma.protocol.calls.unlock[2]: step 'acknowledged' behind 'acknowledged', expected release"},
    {PLATFORM_TEXT("", "", CALLS("\"calls\": {\"flush\": [\"issue\"]}")),
     ":mpi.rma.protocol.calls.flush: ends behind 'issue', expected acknowledged, query, query_connected, query_all"},
    {PLATFORM_TEXT("", "", CALLS("\"calls\": {\"flush\": [\"issue\", \"acknowledged\", \"answer\"]}")),
     ":mpi.rma.protocol.calls.flush[2]: step 'answer' behind 'acknowledged', expected the end"},
    {PLATFORM_TEXT("", "", CALLS("\"calls\": {\"fence\": []}")),
     ":mpi.rma.protocol.calls.fence: no steps, expected asserted, issue"},
    {PLATFORM_TEXT("", "", CALLS("\"calls\": {\"fence\": \"issue,query_all,answer,barrier\"}")),
     ":mpi.rma.protocol.calls.fence: step 'query_all' behind 'issue', expected acknowledged, query, query_connected, "
     "barrier, counts"},
    {PLATFORM_TEXT("", "", CALLS("\"calls\": {\"lock\": [\"grant\"]}")),
     ":mpi.rma.protocol.calls.lock[0]: step 'grant' as the first one, expected ask, the end"},
    {PLATFORM_TEXT("", "", CALLS("\"calls\": {\"start\": []}")), ":mpi.rma.protocol.calls.start: unknown key"},
    {PLATFORM_TEXT("", "", CALLS("\"calls\": {\"lock\": 1}")), ":mpi.rma.protocol.calls.lock: wrong type"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"rma\": {\"progress\": true}}"),
     ":mpi.rma.progress: wrong type, expected a string"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"rma\": {\"aggregate\": \"yes\"}}"),
     ":mpi.rma.aggregate: wrong type, expected true or false"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"rma\": {\"semantics\": \"e\"}}"),
     ":mpi.rma.semantics: unknown semantics 'e'"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"rma\": {\"semantics\": {\"get\": \"call\"}}}"),
     ":mpi.rma.semantics.put: missing, expected start, call, complete, never or an array of rows"},
    {PLATFORM_TEXT("", "",
                   ", \"mpi\": {\"rma\": {\"semantics\": {\"put\": [{\"upto_bytes\": 8, \"waits\": \"call\"}, "
                   "{\"upto_bytes\": 8, \"waits\": \"start\"}]}}}"),
     ":mpi.rma.semantics.put[1].upto_bytes: not ascending"},
    {PLATFORM_TEXT("", "",
                   ", \"mpi\": {\"rma\": {\"semantics\": {\"put\": [{\"waits\": \"call\", \"posts\": \"all\"}]}}}"),
     ":mpi.rma.semantics.put[0].posts: unknown value 'all', expected target or group"},
    {PLATFORM_TEXT("", "",
                   ", \"mpi\": {\"rma\": {\"semantics\": {\"put\": [{\"waits\": \"never\", \"posts\": \"group\"}]}}}"),
     ":mpi.rma.semantics.put[0].posts: contradicts waits = never, expected waits = call or complete"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"rma\": {\"semantics\": {\"put\": \"soon\"}}}"),
     ":mpi.rma.semantics.put: unknown value 'soon', expected start, call, complete or never"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"rma\": {\"semantics\": {\"put\": \"start\", \"start\": \"returns\"}}}"),
     ":mpi.rma.semantics.start: 'returns' contradicts"},
    {PLATFORM_TEXT("", "", ", \"mapping\": {\"ranks\": [0, 4]}"), ":mapping.ranks[1]: no node of this platform"},
    {PLATFORM_TEXT("", "", ", \"mapping\": {\"ranks\": [0], \"ranks_per_node\": 1}"),
     ":mapping.ranks_per_node: contradicts"},
    {PLATFORM_TEXT("", "", ", \"mpi\": {\"rma\": {\"protocol\": {\"polls\": {\"value\": 1, \"sigma\": 1}}}}"),
     ":mpi.rma.protocol.polls.sigma: unknown key"},
    {PLATFORM_TEXT("", "", ", \"engine\": {\"contention\": 1}"),
     ":engine.contention: wrong type, expected true or false"},
};

static void faulty_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct platform *platform = NULL;
        struct err err = {.text = ""};
        enum status status = platform_from_text(rows[i].text, NULL, 0, &platform, &err);
        if (status != STATUS_DATA || !strstr(err.text, rows[i].expected) || strncmp(err.text, "/tmp/", 5) != 0)
            fail_msg("%s\n  gives %d \"%s\"\n  expected \"%s\"", rows[i].text, status, err.text, rows[i].expected);
        assert_null(platform);
    }
}

static const struct row overrides[] = {
    {"network.latncy_s=1", "--set:network.latncy_s=1: unknown key, expected one of overhead_s"},
    {"netwrk.latency_s=1", "--set:netwrk.latency_s=1: unknown key, expected one of schema"},
    {"nodes.count=none", "--set:nodes.count=none: wrong type, expected a number"},
    {"nodes.count=0", "--set:nodes.count=0: 0 is impossible here"},
    {"mpi.call_s.MPI_Put=10 usec", "--set:mpi.call_s.MPI_Put=10 usec: wrong type, expected a number, or with its unit, as 10us"},
    {"mpi.call_s=10us", "--set:mpi.call_s=10us: wrong type, expected an object"},
    {"network.latency_s=10 usec", "--set:network.latency_s=10 usec: wrong type, expected a number, or with its unit, as 10us"},
    {"network.bandwidth_Bps=fast",
     "--set:network.bandwidth_Bps=fast: wrong type, expected a number, or with its unit, as 12.5GB/s"},
    {"mpi.rma.control_bytes=64k", "--set:mpi.rma.control_bytes=64k: wrong type, expected a number, or with its unit, as 64K"},
    {"nodes.count.x=1", "--set:nodes.count.x=1: 'count' is no object, expected SECTION.KEY=VALUE"},
    {"nodes.count", "--set:nodes.count: not understood, expected SECTION.KEY=VALUE"},
    {"=1", "--set:=1: not understood"},
    {"nodes.=1", "--set:nodes.=1: not understood"},
    {"mpi.rma.semantics=x", "--set:mpi.rma.semantics=x: unknown semantics 'x'"},
    {"mpi.rma.semantics={\"get\": \"call\"}",
     "--set:mpi.rma.semantics={\"get\": \"call\"}: put: missing, expected start"},
    {"mpi.rma.protocol.calls.lock=ask,,grant",
     "--set:mpi.rma.protocol.calls.lock=ask,,grant: step '' behind 'ask', expected grant, the end"},
    {"mpi.rma.protocol.calls.lock=,", "--set:mpi.rma.protocol.calls.lock=,: step '' as the first one, expected ask, the end"},
    {"mpi.rma.protocol.calls.lock=[\"\"]", "--set:mpi.rma.protocol.calls.lock=[\"\"]: [0]: step '' as the first one"},
    {"mpi.rma.protocol.calls.lock=[\"ask,grant\"]",
     "--set:mpi.rma.protocol.calls.lock=[\"ask,grant\"]: [0]: step 'ask,grant' as the first one"},
    {"mpi.rma.protocol.calls.lock=5",
     "--set:mpi.rma.protocol.calls.lock=5: wrong type, expected an array of steps, or their names as text"},
    {"mpi.rma.protocol.calls.lock=[\"ask\"",
     "--set:mpi.rma.protocol.calls.lock=[\"ask\": the text ends, expected a JSON value"},
    {"mpi.rma.protocol={\"calls\": {\"lock\": [], \"lock\": []}}",
     "--set:mpi.rma.protocol={\"calls\": {\"lock\": [], \"lock\": []}}: calls.lock: stands twice, expected once"},
    {"mpi.rma.windows.\"0\".lock=ask", "--set:mpi.rma.windows.\"0\".lock=ask: unknown key, expected one of semantics, calls"},
    {"mapping.ranks=[0,9]", "--set:mapping.ranks=[0,9]: [1]: no node of this platform"},
};

static void faulty_overrides(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof overrides / sizeof *overrides; i++) {
        struct platform *platform = NULL;
        struct err err = {.text = ""};
        const char *const list[] = {"nodes.cores=2", overrides[i].text};
        enum status status = platform_from_text(PLATFORM_TEXT("", "", ""), list, 2, &platform, &err);
        if (status != STATUS_USAGE || strncmp(err.text, overrides[i].expected, strlen(overrides[i].expected)) != 0)
            fail_msg("%s gives %d \"%s\"", overrides[i].text, status, err.text);
    }
}

/* A fault of the file is not put to the account of a correct option. */
static void blame(void **state)
{
    (void)state;
    struct platform *platform = NULL;
    struct err err = {.text = ""};
    const char *const list[] = {"network.latency_s=2e-6"};
    assert_int_equal(platform_from_text(PLATFORM_TEXT("", ", \"latency\": 1", ""), list, 1, &platform, &err),
                     STATUS_DATA);
    assert_non_null(strstr(err.text, ":network.latency: unknown key"));
}

static void no_file(void **state)
{
    (void)state;
    struct platform *platform = NULL;
    struct err err = {.text = ""};
    assert_int_equal(platform_open("/tmp/no-such-platform.json", NULL, 0, &platform, &err), STATUS_DATA);
    assert_string_equal(err.text, "/tmp/no-such-platform.json: cannot be opened: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faulty_files),
        cmocka_unit_test(faulty_overrides),
        cmocka_unit_test(blame),
        cmocka_unit_test(no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
