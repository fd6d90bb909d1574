#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "verify_test.h"

static const char platform_text[] =
    "{\"schema\": \"rmacast.platform/1\", \"name\": \"test\","
    " \"nodes\": {\"count\": 3, \"cores\": 1, \"speed\": 1.0, \"memory_bandwidth_Bps\": 2e10},"
    " \"network\": {\"topology\": {\"type\": \"crossbar\"}, \"latency_s\": 1e-5, \"bandwidth_Bps\": 1e10, "
    "\"overhead_s\": 0,"
    "  \"gap_s\": 0, \"loopback\": {\"latency_s\": 1e-6, \"bandwidth_Bps\": 2e10}},"
    " \"mpi\": {\"eager_bytes\": 65536, \"collectives\": \"mpich\", \"rma\": {\"semantics\": \"a\","
    "  \"progress\": \"hardware\", \"thread_delay_s\": 0, \"issue\": \"immediate\","
    "  \"aggregate\": false, \"control_bytes\": 0, \"eager_bytes\": 8192, \"atomic_s_per_byte\": 0,"
    "  \"window_info_bytes\": 16}},"
    " \"mapping\": {\"ranks_per_node\": 1}}";

struct platform *test_platform(const char *semantics, const char *override)
{
    char path[] = "/tmp/rmacast-verify-XXXXXX", letter[32];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *out = fdopen(fd, "w");
    fputs(platform_text, out);
    fclose(out);
    snprintf(letter, sizeof letter, "mpi.rma.semantics=%s", semantics);
    const char *overrides[] = {letter, override};
    struct platform *platform;
    struct err err;
    enum status status = platform_open(path, overrides, override ? 2 : 1, &platform, &err);
    remove(path);
    if (status != STATUS_OK) fail_msg("%s", err.text);
    return platform;
}

struct trace *test_trace(uint32_t ranks, int windows)
{
    struct trace *trace;
    struct err err;
    int32_t window;
    assert_int_equal(trace_new("test", ranks, &trace, &err), STATUS_OK);
    trace->provenance.simulated = true;
    for (int i = 0; i < windows; i++)
        assert_int_equal(trace_add_window(trace, 0, NULL, NULL, 'c', &window, &err), STATUS_OK);
    return trace;
}

struct trace_call *test_call(struct trace *trace, uint32_t rank, enum mpi_call call, int64_t enter_us, int64_t exit_us)
{
    const struct trace_call made = {
        .enter_ps = enter_us * US,
        .exit_ps = exit_us * US,
        .any = TRACE_NO_MEMBERS,
        .peer = TRACE_NONE,
        .call = (uint16_t)call,
    };
    struct err err;
    if (trace_add_call(trace, rank, &made, &err) != STATUS_OK) fail_msg("%s", err.text);
    return &trace->ranks[rank].calls[trace->ranks[rank].count - 1];
}

struct trace_call *test_operation(struct trace *trace, uint32_t rank, enum mpi_call call, int64_t enter_us,
                                  int64_t exit_us, uint32_t target, int64_t bytes, int64_t from_us, int64_t to_us)
{
    struct trace_call *made = test_call(trace, rank, call, enter_us, exit_us);
    made->peer = (int32_t)target;
    made->bytes = bytes;
    struct trace_sim *sim = &trace->ranks[rank].sim[trace->ranks[rank].count - 1];
    sim->xfer_start_ps = from_us * US;
    sim->xfer_end_ps = to_us * US;
    return made;
}

uint32_t test_group(struct trace *trace, int32_t member)
{
    uint32_t group;
    struct err err;
    assert_int_equal(trace_add_group(trace, &member, 1, &group, &err), STATUS_OK);
    return group;
}

/* Enter-exit of start, put, complete, wait and the data's way, from the table of docs/simulation.md. The data leave in
 * a when the put is called, in b, c, d when the post (400) has arrived (410); they take 10 + 100. */
struct worked_row {
    int64_t start[2], put[2], complete[2], wait[2], data[2];
};

struct trace *test_worked_example(char semantics)
{
    static const struct worked_row rows[] = {
        {{0, 410}, {460, 460}, {510, 560}, {450, 570}, {460, 570}},
        {{0, 0}, {50, 410}, {460, 510}, {450, 520}, {410, 520}},
        {{0, 0}, {50, 50}, {100, 510}, {450, 520}, {410, 520}},
        {{0, 0}, {50, 100}, {150, 150}, {450, 520}, {410, 520}},
    };
    const struct worked_row *row = &rows[semantics - 'a'];
    struct trace *trace = test_trace(2, 1);
    test_call(trace, 0, ID_Win_start, row->start[0], row->start[1])->ref = test_group(trace, 1);
    test_operation(trace, 0, ID_Put, row->put[0], row->put[1], 1, 1000000, row->data[0], row->data[1]);
    test_call(trace, 0, ID_Win_complete, row->complete[0], row->complete[1]);
    /* start waits for the post in a, the put in b, complete in c. */
    if (semantics != 'd') trace->ranks[0].sim[semantics - 'a'].awaited_post_ps = 400 * US;
    test_call(trace, 1, ID_Win_post, 400, 400)->ref = test_group(trace, 0);
    test_call(trace, 1, ID_Win_wait, row->wait[0], row->wait[1]);
    return trace;
}

static struct trace *copy_trace(const struct trace *trace)
{
    struct trace *copy;
    struct err err;
    assert_int_equal(trace_new_like(trace, &copy, &err), STATUS_OK);
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++)
            assert_int_equal(trace_add_thread_call(copy, r, trace_call_thread(trace, r, i), &trace->ranks[r].calls[i], &err), 0);
    return copy;
}

void test_context_init(struct test_context *test, struct trace *predicted, struct platform *platform)
{
    struct err err;
    if (trace_check(predicted, &err) != STATUS_OK) fail_msg("%s", err.text);
    memset(test, 0, sizeof *test);
    test->platform = platform;
    test->recorded = copy_trace(predicted);
    test->outcome.trace = predicted;
    assert_int_equal(totals_init(&test->outcome.totals, predicted->rank_count, &err), STATUS_OK);
    test->context = (struct verify_context){
        .trace = test->recorded,
        .predicted = predicted,
        .platform = platform,
        .engine = engine_by_name("loggp"),
        .outcome = &test->outcome,
        .slack_ps = 1,
    };
    for (uint32_t r = 0; r < predicted->rank_count; r++)
        for (size_t i = 0; i < predicted->ranks[r].count; i++) {
            if (!verify_is_operation(&predicted->ranks[r].calls[i])) continue;
            test->outcome.transfers++;
            test->outcome.transfer_bytes += (uint64_t)predicted->ranks[r].calls[i].bytes;
        }
    if (window_modes_new(predicted, platform, &test->modes, &err) != STATUS_OK) fail_msg("%s", err.text);
    test->context.modes = test->modes;
    if (relations_build(predicted, &test->context.relations, &err) != STATUS_OK) fail_msg("%s", err.text);
    if (verify_endings_find(predicted, &test->context.endings, &err) != STATUS_OK) fail_msg("%s", err.text);
}

void test_context_clear(struct test_context *test)
{
    map_clear(&test->context.endings);
    relations_clear(&test->context.relations);
    free(test->modes);
    totals_clear(&test->outcome.totals);
    trace_free(test->outcome.trace);
    trace_free(test->recorded);
    platform_free(test->platform);
}

struct verify_row test_law(const struct test_context *test, verify_law *law)
{
    struct verify_row row = {.state = VERIFY_HOLDS};
    struct err err;
    if (law(&test->context, &row, &err) != STATUS_OK) fail_msg("%s", err.text);
    return row;
}
