/* An archive that Score-P 7.1 wrote (tests/data/scorep-ping-pong). Expected values: otf2-print's listing of it,
 * ticks turned into picoseconds with bc: (tick - 7397466976977800) * 10^12 / 2095197216, cut. */
#include <stdlib.h>
#include <string.h>

#include "trace/otf2/otf2.h"
#include "trace_test.h"

#define ARCHIVE "tests/data/scorep-ping-pong"

static struct trace *read_archive(const char *path)
{
    struct trace *trace;
    struct err err = {.text = ""};
    if (otf2_read(path, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    if (trace_check(trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    return trace;
}

/* 8 messages each way, 16 KiB doubling: 16384 * (2^8 - 1) bytes each way. */
static void messages(void **state)
{
    (void)state;
    struct trace *trace = read_archive(ARCHIVE);
    assert_int_equal(trace->rank_count, 2);
    for (uint32_t rank = 0; rank < 2; rank++) {
        int64_t bytes[2] = {16384, 16384};
        int count[2] = {0, 0};
        for (size_t i = 0; i < trace->ranks[rank].count; i++) {
            const struct trace_call *call = &trace->ranks[rank].calls[i];
            bool send = call->call == ID_Send;
            if (!send && call->call != ID_Recv) continue;
            assert_int_equal(call->bytes, bytes[send]);
            assert_int_equal(call->peer, 1 - (int32_t)rank);
            assert_int_equal(call->message.tag, (send ? rank : 1 - rank) == 0 ? 10 : 20);
            assert_int_equal(call->handle, 0);
            bytes[send] *= 2;
            count[send]++;
        }
        assert_int_equal(count[0], 8);
        assert_int_equal(count[1], 8);
    }
    trace_free(trace);
}

static void times(void **state)
{
    (void)state;
    struct trace *trace = read_archive(ARCHIVE "/traces.otf2");
    const struct trace_call *calls = trace->ranks[0].calls;
    size_t first = 0;
    while (calls[first].call != ID_Send) first++;
    assert_int_equal(calls[first].enter_ps, INT64_C(193668225072));
    assert_int_equal(calls[first].exit_ps, INT64_C(193685930327));
    assert_int_equal(calls[0].call, ID_region_enter);
    assert_string_equal(trace->definitions.regions[calls[0].ref], "main");
    assert_int_equal(calls[1].call, ID_Init);
    assert_int_equal(calls[trace->ranks[0].count - 1].call, ID_region_leave);
    assert_int_equal(calls[trace->ranks[0].count - 2].call, ID_Finalize);
    assert_string_equal(trace_node_name(trace, 0), "quartz10");
    assert_string_equal(trace_node_name(trace, 1), "quartz10");
    assert_false(trace->ranks[0].incomplete);
    assert_false(trace->provenance.simulated);
    trace_free(trace);
}

static void unknown_functions_are_told_once(void **state)
{
    (void)state;
    struct trace *trace = read_archive(ARCHIVE);
    size_t found = 0;
    for (size_t i = 0; i < trace->provenance.note_count; i++)
        found += strstr(trace->provenance.notes[i], "MPI_Comm_size, MPI_Comm_rank") != NULL;
    assert_int_equal(found, 1);
    assert_int_equal(trace->provenance.note_count, 1);
    size_t entered = 0;
    for (size_t i = 0; i < trace->ranks[1].count; i++) {
        const struct trace_call *call = &trace->ranks[1].calls[i];
        entered += call->call == ID_region_enter && strcmp(trace->definitions.regions[call->ref], "MPI_Comm_size") == 0;
    }
    assert_int_equal(entered, 1);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages),
        cmocka_unit_test(times),
        cmocka_unit_test(unknown_functions_are_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
