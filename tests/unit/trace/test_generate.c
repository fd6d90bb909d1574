/* Generated traces: who writes to whom, in which order, when. Expected neighbours are drawn by hand. */
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "trace/generate/generate.h"
#include "trace_test.h"

static struct generate_options options_of(const char *pattern, const char *sync, uint32_t ranks)
{
    return (struct generate_options){
        .pattern = pattern, .sync = sync, .ranks = ranks, .iterations = 2, .bytes = 100, .compute_s = 1e-3, .seed = 1};
}

static struct trace *generated(const struct generate_options *options)
{
    struct trace *trace;
    struct err err = {.text = ""};
    if (generate_trace(options, &trace, &err) != STATUS_OK || trace_check(trace, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    return trace;
}

static void expect_text(const struct generate_options *options, const char *expected)
{
    struct trace *trace = generated(options), *same = trace_of(expected);
    assert_traces_equal(trace, same);
    trace_free(trace);
    trace_free(same);
}

/* The calls of one rank as lines of the text form. */
static void expect_rank(const char *pattern, const char *sync, uint32_t ranks, const char *head, const char *lines)
{
    struct generate_options options = options_of(pattern, sync, ranks);
    options.iterations = 1;
    struct trace *trace = generated(&options), *part;
    char *text = text_of(trace);
    if (!strstr(text, lines) || strncmp(text, head, strlen(head)) != 0) fail_msg("%s\nlacks\n%s%s", text, head, lines);
    part = trace_of(text);
    assert_traces_equal(trace, part);
    free(text);
    trace_free(trace);
    trace_free(part);
}

/* Two ranks in a ring write to each other, in the order post, start, put, complete, wait. */
static void a_ring_of_two_as_text(void **state)
{
    (void)state;
    struct generate_options options = options_of("ring", "pscw", 2);
    expect_text(&options, "rmacast-trace 1\nranks 2\nproperty generator=ring\n"
                          "window 0 comm=0 bytes=100 disp_unit=1 flavor=create\n"
                          "0 0 0 MPI_Win_create win=0\n"
                          "0 0.001 0.001 MPI_Win_post win=0 group=1\n0 0.001 0.001 MPI_Win_start win=0 group=1\n"
                          "0 0.001 0.001 MPI_Put win=0 target=1 bytes=100 disp=0\n"
                          "0 0.001 0.001 MPI_Win_complete win=0\n0 0.001 0.001 MPI_Win_wait win=0\n"
                          "0 0.002 0.002 MPI_Win_post win=0 group=1\n0 0.002 0.002 MPI_Win_start win=0 group=1\n"
                          "0 0.002 0.002 MPI_Put win=0 target=1 bytes=100 disp=0\n"
                          "0 0.002 0.002 MPI_Win_complete win=0\n0 0.002 0.002 MPI_Win_wait win=0\n"
                          "0 0.002 0.002 MPI_Win_free win=0\n"
                          "1 0 0 MPI_Win_create win=0\n"
                          "1 0.001 0.001 MPI_Win_post win=0 group=0\n1 0.001 0.001 MPI_Win_start win=0 group=0\n"
                          "1 0.001 0.001 MPI_Put win=0 target=0 bytes=100 disp=0\n"
                          "1 0.001 0.001 MPI_Win_complete win=0\n1 0.001 0.001 MPI_Win_wait win=0\n"
                          "1 0.002 0.002 MPI_Win_post win=0 group=0\n1 0.002 0.002 MPI_Win_start win=0 group=0\n"
                          "1 0.002 0.002 MPI_Put win=0 target=0 bytes=100 disp=0\n"
                          "1 0.002 0.002 MPI_Win_complete win=0\n1 0.002 0.002 MPI_Win_wait win=0\n"
                          "1 0.002 0.002 MPI_Win_free win=0\n");
}

/* Six ranks stand as 2 x 3 (0 1 / 2 3 / 4 5): rank 3 has 2 in the west, 1 in the north and 5 in the south. Its block
 * comes to rank 2 from the east (slot 1), to rank 1 from the south (slot 3), to rank 5 from the north (slot 2). */
static void a_halo_writes_to_its_neighbours(void **state)
{
    (void)state;
    expect_rank("halo2d", "fence", 6, "rmacast-trace 1\nranks 6\nproperty generator=halo2d\nwindow 0 comm=0 bytes=400 ",
                "3 0.000000 0.000000 MPI_Win_create win=0\n"
                "3 0.000000 0.000000 MPI_Win_fence win=0 assert=NOPRECEDE\n"
                "3 0.001000 0.001000 MPI_Put win=0 target=2 bytes=100 disp=100\n"
                "3 0.001000 0.001000 MPI_Put win=0 target=1 bytes=100 disp=300\n"
                "3 0.001000 0.001000 MPI_Put win=0 target=5 bytes=100 disp=200\n"
                "3 0.001000 0.001000 MPI_Win_fence win=0 assert=NOSUCCEED\n"
                "3 0.001000 0.001000 MPI_Win_free win=0\n4 ");
}

/* The block of rank 1 lies at slot 1 in every window. */
static void a_transpose_locks_every_other_rank(void **state)
{
    (void)state;
    expect_rank("transpose", "lock", 3, "rmacast-trace 1\nranks 3\nproperty generator=transpose\nwindow 0 comm=0 bytes=300 ",
                "1 0.001000 0.001000 MPI_Win_lock win=0 target=2 lock=shared\n"
                "1 0.001000 0.001000 MPI_Put win=0 target=2 bytes=100 disp=100\n"
                "1 0.001000 0.001000 MPI_Win_unlock win=0 target=2\n"
                "1 0.001000 0.001000 MPI_Win_lock win=0 target=0 lock=shared\n"
                "1 0.001000 0.001000 MPI_Put win=0 target=0 bytes=100 disp=100\n"
                "1 0.001000 0.001000 MPI_Win_unlock win=0 target=0\n"
                "1 0.001000 0.001000 MPI_Barrier comm=0\n"
                "1 0.001000 0.001000 MPI_Win_free win=0\n2 ");
}

/* One lock_all around all iterations, a flush and a barrier in each. */
static void a_ring_flushes(void **state)
{
    (void)state;
    expect_rank("ring", "flush", 3, "rmacast-trace 1\nranks 3\nproperty generator=ring\nwindow 0 comm=0 bytes=100 ",
                "1 0.000000 0.000000 MPI_Win_create win=0\n"
                "1 0.000000 0.000000 MPI_Win_lock_all win=0\n"
                "1 0.001000 0.001000 MPI_Put win=0 target=2 bytes=100 disp=0\n"
                "1 0.001000 0.001000 MPI_Win_flush_all win=0\n"
                "1 0.001000 0.001000 MPI_Barrier comm=0\n"
                "1 0.001000 0.001000 MPI_Win_unlock_all win=0\n"
                "1 0.001000 0.001000 MPI_Win_free win=0\n2 ");
}

static void messages_go_round_the_ring(void **state)
{
    (void)state;
    expect_rank("ring", "p2p", 3, "rmacast-trace 1\nranks 3\nproperty generator=ring\n0 ",
                "\n1 0.001000 0.001000 MPI_Irecv comm=0 peer=0 tag=0 bytes=100 req=1\n"
                "1 0.001000 0.001000 MPI_Isend comm=0 peer=2 tag=0 bytes=100 req=2\n"
                "1 0.001000 0.001000 MPI_Waitall reqs=1,2\n2 ");
}

/* Every pattern, synchronisation and number of ranks passes trace_check(), and what is sent is received. */
static void all_combinations_are_right(void **state)
{
    (void)state;
    for (const char *const *pattern = generate_patterns(); *pattern; pattern++)
        for (const char *const *sync = generate_syncs(); *sync; sync++)
            for (uint32_t ranks = 1; ranks <= 13; ranks++) {
                struct generate_options options = options_of(*pattern, *sync, ranks);
                struct trace *trace = generated(&options);
                int64_t sent = 0, received = 0;
                for (uint32_t r = 0; r < ranks; r++)
                    for (size_t i = 0; i < trace->ranks[r].count; i++) {
                        const struct trace_call *call = &trace->ranks[r].calls[i];
                        sent += call->call == ID_Isend ? call->bytes : 0;
                        received += call->call == ID_Irecv ? call->bytes : 0;
                        if (call->call == ID_Put)
                            assert_in_range(call->rma.disp + call->bytes, 1,
                                            trace->definitions.windows[0].bytes[call->peer]);
                    }
                assert_int_equal(sent, received);
                trace_free(trace);
            }
}

/* Computing lies within 1 ms +- 20 %, differs between ranks and iterations, and comes again from the same seed. */
static void imbalance_comes_from_the_seed(void **state)
{
    (void)state;
    struct generate_options options = options_of("ring", "fence", 16);
    options.iterations = 50;
    options.imbalance = 0.2;
    struct trace *one = generated(&options), *same = generated(&options);
    assert_traces_equal(one, same);
    options.seed = 2;
    struct trace *other = generated(&options);
    assert_int_not_equal(trace_rank_end_ps(one, 0), trace_rank_end_ps(other, 0));
    int64_t low = INT64_MAX, high = 0, sum = 0, last = 0;
    for (uint32_t r = 0; r < 16; r++)
        for (size_t i = 0; i < one->ranks[r].count; i++) {
            const struct trace_call *call = &one->ranks[r].calls[i];
            int64_t gap = call->enter_ps - (i ? one->ranks[r].calls[i - 1].exit_ps : 0);
            if (gap == 0) continue;
            assert_int_not_equal(gap, last);
            last = gap;
            low = gap < low ? gap : low;
            high = gap > high ? gap : high;
            sum += gap;
        }
    assert_in_range(low, units_ps(0.8e-3), units_ps(0.85e-3));
    assert_in_range(high, units_ps(1.15e-3), units_ps(1.2e-3));
    assert_in_range(sum / 800, units_ps(0.97e-3),
                    units_ps(1.03e-3)); /* 800 values: 0.115 ms / sqrt(800) = 4 us deviation */
    trace_free(one);
    trace_free(same);
    trace_free(other);
}

static void impossible_options_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *sync, *message;
        uint32_t ranks;
        int64_t bytes;
        double compute_s, imbalance;
    } faults[] = {
        {"star", "pscw", "unknown pattern, expected halo2d, ring or transpose", 2, 1, 1, 0},
        {"ring", "signal", "unknown synchronisation, expected pscw, fence, lock, flush or p2p", 2, 1, 1, 0},
        {"ring", "pscw", "no ranks, expected 1 or more", 0, 1, 1, 0},
        {"ring", "pscw", "impossible bytes, expected 0 or more", 2, -1, 1, 0},
        {"ring", "pscw", "impossible computing time, expected 0 to 4e6 s for all iterations", 2, 1, -1, 0},
        {"ring", "pscw", "impossible computing time, expected 0 to 4e6 s for all iterations", 2, 1, 1e9, 0},
        {"ring", "pscw", "impossible imbalance, expected 0 to 1", 2, 1, 1, 1.5},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct generate_options options = {.pattern = faults[i].pattern,
                                           .sync = faults[i].sync,
                                           .ranks = faults[i].ranks,
                                           .bytes = faults[i].bytes,
                                           .compute_s = faults[i].compute_s,
                                           .imbalance = faults[i].imbalance,
                                           .iterations = 1};
        struct trace *trace;
        struct err err;
        assert_int_equal(generate_trace(&options, &trace, &err), STATUS_USAGE);
        assert_string_equal(err.text, faults[i].message);
    }
}

/* An archive is written of one rank's calls at a time: those of the whole trace, in the same memory. */
static void one_rank_at_a_time_is_held(void **state)
{
    const struct generate_options options = options_of("halo2d", "pscw", 6);
    struct trace *whole = generated(&options);
    struct generator *generator;
    struct err err = {.text = ""};
    (void)state;
    assert_int_equal(generate_open(&options, &generator, &err), STATUS_OK);
    const struct trace *one = generate_definitions(generator);
    uint64_t calls = 0;
    assert_int_equal(one->definitions.group_count, whole->definitions.group_count);
    for (uint32_t r = 0; r < options.ranks; r++) {
        assert_int_equal(generate_rank(generator, r, &err), STATUS_OK);
        calls += whole->ranks[r].count;
        assert_int_equal(trace_all_calls(one), whole->ranks[r].count);
        assert_memory_equal(one->ranks[r].calls, whole->ranks[r].calls, whole->ranks[r].count * sizeof *one->ranks[r].calls);
        if (r > 0) assert_null(one->ranks[r - 1].calls);
    }
    assert_int_equal(generate_calls(generator), calls);
    generate_close(generator);
    trace_free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_of_two_as_text),
        cmocka_unit_test(a_halo_writes_to_its_neighbours),
        cmocka_unit_test(a_transpose_locks_every_other_rank),
        cmocka_unit_test(a_ring_flushes), cmocka_unit_test(messages_go_round_the_ring),
        cmocka_unit_test(all_combinations_are_right),
        cmocka_unit_test(imbalance_comes_from_the_seed),
        cmocka_unit_test(impossible_options_are_named),
        cmocka_unit_test(one_rank_at_a_time_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
