/* Which changes of a platform's values are tried, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "validate/explain/platform_changes.h"

static void find_changes(const char *text, struct platform_changes *changes)
{
    char file[] = "/tmp/rmacast-changes-XXXXXX";
    struct err err = {.text = ""};
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    enum status status = platform_changes_find(file, NULL, 0, changes, &err);
    unlink(file);
    if (status != STATUS_OK) fail_msg("%s", err.text);
}

/* A measured value moves by its error, down and up; whole bytes stay whole: 4096 - 10.4 is 4086. What would be below 0
 * is not tried: 0.1 us - 0.3 us. A quantity without an error moves by a tenth; a number of nodes, ranks or a limit
 * without an error does not, nor does 0, or an error of 0. Of a list the whole is set, with one value changed. */
static void quantities_move_by_their_errors(void **state)
{
    (void)state;
    static const struct {
        const char *key, *from, *to, *override;
        enum change_why why;
    } rows[] = {
        {"network.latency_s", "1e-06", "8e-07", "network.latency_s=", CHANGE_STATED_ERROR},
        {"network.latency_s", "1e-06", "1.2e-06", "network.latency_s=", CHANGE_STATED_ERROR},
        {"network.segments[0].bandwidth_Bps", "2e+09", "1.8e+09",
         "network.segments=[{\"upto_bytes\":8192,\"bandwidth_Bps\":1800000000},{\"bandwidth_Bps\":{\"value\":"
         "4000000000,\"error\":1000000000}}]",
         CHANGE_ASSUMED},
        {"network.segments[0].bandwidth_Bps", "2e+09", "2.2e+09",
         "network.segments=[{\"upto_bytes\":8192,\"bandwidth_Bps\":2200000000},{\"bandwidth_Bps\":{\"value\":"
         "4000000000,\"error\":1000000000}}]",
         CHANGE_ASSUMED},
        {"network.segments[1].bandwidth_Bps", "4e+09", "3e+09",
         "network.segments=[{\"upto_bytes\":8192,\"bandwidth_Bps\":2000000000},{\"bandwidth_Bps\":{\"value\":"
         "3000000000,\"error\":1000000000}}]",
         CHANGE_STATED_ERROR},
        {"network.segments[1].bandwidth_Bps", "4e+09", "5e+09",
         "network.segments=[{\"upto_bytes\":8192,\"bandwidth_Bps\":2000000000},{\"bandwidth_Bps\":{\"value\":"
         "5000000000,\"error\":1000000000}}]",
         CHANGE_STATED_ERROR},
        {"network.overhead_s", "1e-07", "4e-07", "network.overhead_s=", CHANGE_STATED_ERROR},
        {"mpi.eager_bytes", "4096", "4086", "mpi.eager_bytes=4086", CHANGE_STATED_ERROR},
        {"mpi.eager_bytes", "4096", "4106", "mpi.eager_bytes=4106", CHANGE_STATED_ERROR},
        {"mpi.call_s.MPI_Put", "2e-06", "1.8e-06", "mpi.call_s.MPI_Put=", CHANGE_ASSUMED},
        {"mpi.call_s.MPI_Put", "2e-06", "2.2e-06", "mpi.call_s.MPI_Put=", CHANGE_ASSUMED},
        {"mpi.rma.protocol.reverse_share.put[1].share", "0.5", "0.45",
         "mpi.rma.protocol.reverse_share.put=[{\"upto_bytes\":64,\"share\":0},{\"share\":0.45}]", CHANGE_ASSUMED},
        {"mpi.rma.protocol.reverse_share.put[1].share", "0.5", "0.55",
         "mpi.rma.protocol.reverse_share.put=[{\"upto_bytes\":64,\"share\":0},{\"share\":0.55}]", CHANGE_ASSUMED},
    };
    struct platform_changes changes;
    find_changes(
        "{\"schema\": \"rmacast.platform/1\", \"nodes\": {\"count\": 4}, \"network\": {"
        "\"latency_s\": {\"value\": 1e-6, \"error\": 2e-7, \"n\": 9}, \"segments\": [{\"upto_bytes\": 8192, "
        "\"bandwidth_Bps\": 2e9},"
        "{\"bandwidth_Bps\": {\"value\": 4e9, \"error\": 1e9}}], \"overhead_s\": {\"value\": 1e-7, \"error\": 3e-7}, "
        "\"gap_s\": 0},"
        "\"mpi\": {\"eager_bytes\": {\"value\": 4096, \"error\": 10.4}, \"init_s\": {\"value\": 0, \"error\": 0},"
        "\"call_s\": {\"MPI_Put\": 2e-6}, "
        "\"rma\": {\"semantics\": \"b\", \"protocol\": {\"reverse_share\": {\"put\": [{\"upto_bytes\": 64, \"share\": 0}, "
        "{\"share\": 0.5}]}}}}, \"mapping\": {\"ranks_per_node\": 1}}",
        &changes);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct platform_change *change = &changes.items[i];
        assert_true(i < changes.count);
        if (strcmp(change->key, rows[i].key) != 0 || strcmp(change->from, rows[i].from) != 0 ||
            strcmp(change->to, rows[i].to) != 0 ||
            strncmp(change->override, rows[i].override, strlen(rows[i].override)) != 0 || change->why != rows[i].why)
            fail_msg("change %zu: %s from %s to %s by %s", i, change->key, change->from, change->to, change->override);
    }
    /* Behind them are the choices, other semantics than b, and of a key that the file lacks each value but the default; and the
     * defaults of quantities that it lacks: 1e10 +- 10 %. Which server is the default is said by mpi.rma.progress. */
#define LOCK "[\"ask\",\"grant\"]"
    static const char *const others[][3] = {{"nodes.memory_bandwidth_Bps", "1e+10", "9e+09"},
                                            {"nodes.memory_bandwidth_Bps", "1e+10", "1.1e+10"},
                                            {"mpi.rma.window_info_bytes", "16", "18"},
                                            {"mpi.rma.protocol.serves.put", "default", "call"},
                                            {"mpi.rma.semantics", "b", "a"},
                                            {"mpi.rma.semantics", "b", "c"},
                                            {"mpi.rma.semantics", "b", "d"},
                                            {"mpi.rma.protocol.calls.lock", LOCK, "[]"},
                                            {"mpi.rma.protocol.get_data", "direct", "rendezvous"},
                                            {"network.control_bypass", "false", "true"}};
    size_t found = 0;
    for (size_t i = sizeof rows / sizeof *rows; i < changes.count; i++) {
        const struct platform_change *change = &changes.items[i];
        assert_true(change->why == CHANGE_OTHER_VALUE || change->why == CHANGE_ASSUMED);
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            if (strcmp(change->key, others[k][0]) != 0 || strcmp(change->to, others[k][2]) != 0) continue;
            assert_string_equal(change->from, others[k][1]);
            found++;
        }
        assert_false(strcmp(change->key, "mpi.rma.protocol.calls.lock") == 0 && strcmp(change->to, LOCK) == 0);
        assert_string_not_equal(change->key, "mpi.rma.eager_bytes"); /* a limit */
    }
    assert_int_equal(found, sizeof others / sizeof *others);
    platform_changes_clear(&changes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quantities_move_by_their_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
