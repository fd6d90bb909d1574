/* Clocks of ranks brought together, and effects that stand before their causes. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "craft.h"
#include "tests/unit/trace/same_trace.h"
#include "trace/spool/reader.h"
#include "trace/spool/read.h"
#include "trace/text/text.h"

static void craft_clock(struct craft *craft, uint64_t local_ns, int64_t offset_ns, int64_t error_ns)
{
    struct spool_clock clock = {local_ns, offset_ns, error_ns};
    craft_define(craft, SPOOL_CLOCK, (struct spool_record){0}, &clock, sizeof clock);
}

/* Rank 1's clock reads 5000000 when rank 0's reads 1000000, and gains 1000 ns in 1000000: offsets -4000000 and
 * -4001000, half way -4000500. Time zero is rank 0's MPI_Init at 1000000; rank 1's barrier at its 5500000 is 1499500 -
 * 1000000 = 499500. */
static void offsets_are_interpolated(void **state)
{
    (void)state;
    struct craft zero, one;
    struct trace *trace;
    struct err err = {0};
    char *directory = craft_directory();
    craft_begin(&zero, 0, 2, 1000000);
    craft_prologue(&zero);
    craft_clock(&zero, 1000000, 0, 0);
    craft_call(&zero, CRAFT_INIT, 0, 100);
    craft_call(&zero, CRAFT_BARRIER, 499000, 500000);
    craft_begin(&one, 1, 2, 5000000);
    craft_prologue(&one);
    craft_clock(&one, 5000000, -4000000, 200);
    craft_call(&one, CRAFT_INIT, 0, 100);
    craft_call(&one, CRAFT_BARRIER, 500000, 500100);
    craft_clock(&one, 6000000, -4001000, 300);
    craft_write(&zero, directory, zero.count, SPOOL_CLOSED);
    craft_write(&one, directory, one.count, SPOOL_CLOSED);
    assert_int_equal(spool_read(directory, &trace, &err), STATUS_OK);
    assert_int_equal(trace->ranks[0].calls[0].enter_ps, 0);
    assert_int_equal(trace->ranks[1].calls[0].enter_ps, 0);
    assert_int_equal(trace->ranks[1].calls[1].enter_ps, INT64_C(499500000));
    assert_int_equal(trace->ranks[1].calls[1].exit_ps, INT64_C(499599900)); /* 100 ns of its clock are 99.9 */
    assert_true(trace->provenance.clock.known);
    assert_int_equal(trace->provenance.clock.violations, 0);
    assert_true(trace->provenance.clock.worst_offset_s > 4.0009e-3 &&
                trace->provenance.clock.worst_offset_s < 4.0011e-3);
    assert_true(trace->provenance.clock.worst_error_s > 299e-9 && trace->provenance.clock.worst_error_s < 301e-9);
    trace_free(trace);
    craft_remove(directory);
    craft_free(&zero);
    craft_free(&one);
}

/* Outside of its measurements a clock's offset is that of the nearest one: -4000000 before rank 1's 5200000, -4000800
 * behind its 6000000, half way -4000400. Rank 1 enters MPI_Init at its 5000000, barriers at 5600000 and 7000000. */
static void offsets_are_constant_outside(void **state)
{
    (void)state;
    struct craft zero, one;
    struct trace *trace;
    struct err err = {0};
    char *directory = craft_directory();
    craft_begin(&zero, 0, 2, 1000000);
    craft_prologue(&zero);
    craft_clock(&zero, 1000000, 0, 0);
    craft_call(&zero, CRAFT_INIT, 0, 100);
    craft_call(&zero, CRAFT_BARRIER, 599000, 600000);
    craft_call(&zero, CRAFT_BARRIER, 1999000, 2000000);
    craft_begin(&one, 1, 2, 5000000);
    craft_prologue(&one);
    craft_clock(&one, 5200000, -4000000, 200);
    craft_call(&one, CRAFT_INIT, 0, 100);
    craft_call(&one, CRAFT_BARRIER, 600000, 600100);
    craft_call(&one, CRAFT_BARRIER, 2000000, 2000100);
    craft_clock(&one, 6000000, -4000800, 300);
    craft_write(&zero, directory, zero.count, SPOOL_CLOSED);
    craft_write(&one, directory, one.count, SPOOL_CLOSED);
    assert_int_equal(spool_read(directory, &trace, &err), STATUS_OK);
    assert_int_equal(trace->ranks[1].calls[0].enter_ps, 0);
    assert_int_equal(trace->ranks[1].calls[1].enter_ps, INT64_C(599600000));
    assert_int_equal(trace->ranks[1].calls[2].enter_ps, INT64_C(1999200000));
    assert_int_equal(trace->ranks[1].calls[2].exit_ps, INT64_C(1999300000));
    trace_free(trace);
    craft_remove(directory);
    craft_free(&zero);
    craft_free(&one);
}

/* Time zero is the first MPI_Init by rank 0's clock, whichever rank's that is: ranks 0, 1 and 2 call it at 1000000, 999900 and
 * 1000050. */
static void time_zero_is_the_first_event(void **state)
{
    (void)state;
    struct craft ranks[3];
    struct trace *trace;
    struct err err = {0};
    char *directory = craft_directory();
    static const uint64_t base_ns[] = {1000000, 5000000, 7000000};
    static const int64_t offset_ns[] = {0, -4000100, -5999950}, enter_ps[] = {100000, 0, 150000};
    for (uint32_t r = 0; r < 3; r++) {
        craft_begin(&ranks[r], r, 3, base_ns[r]);
        craft_prologue(&ranks[r]);
        craft_clock(&ranks[r], base_ns[r], offset_ns[r], 0);
        craft_call(&ranks[r], CRAFT_INIT, 0, 400);
        craft_write(&ranks[r], directory, ranks[r].count, SPOOL_CLOSED);
    }
    assert_int_equal(spool_read(directory, &trace, &err), STATUS_OK);
    for (uint32_t r = 0; r < 3; r++) {
        assert_int_equal(trace->ranks[r].calls[0].enter_ps, enter_ps[r]);
        craft_free(&ranks[r]);
    }
    trace_free(trace);
    craft_remove(directory);
}

static void add_anchor(struct spool_rank *rank, uint64_t ticks, uint64_t ns, size_t count)
{
    struct err err;
    assert_int_equal(spool_anchor_add(rank, rank, 0, ticks, ns, &err), STATUS_OK);
    assert_int_equal(rank->anchor_count, count);
}

/* A counter of 1 GHz. Anchors that are less than 1 ms of ticks behind the last one are ignored, and those whose time is
 * not later. Up to 1 ms a tick is 1 ns, up to the next anchor 2 ns. Behind it the rate of all counts: 3 ms in 2 ms. */
static void ticks_are_interpolated(void **state)
{
    (void)state;
    const struct spool_header header = {.version = SPOOL_VERSION, .clock = SPOOL_TICKS, .ticks_per_s = 1000000000};
    struct spool_rank rank = {.header = &header};
    const struct spool spool = {.base_ns = 0};
    add_anchor(&rank, 0, 0, 1);
    assert_int_equal(spool_time_ps(&spool, &rank, 500), 500000); /* the stated rate */
    add_anchor(&rank, 999999, 2000000, 1);
    add_anchor(&rank, 1000000, 1000000, 2);
    add_anchor(&rank, 3000000, 1000000, 2);
    add_anchor(&rank, 3000000, 999999, 2);
    add_anchor(&rank, 2000000, 3000000, 3);
    assert_int_equal(spool_time_ps(&spool, &rank, 250000), INT64_C(250000000));
    assert_int_equal(spool_time_ps(&spool, &rank, 1000000), INT64_C(1000000000));
    assert_int_equal(spool_time_ps(&spool, &rank, 1500000), INT64_C(2000000000));
    assert_int_equal(spool_time_ps(&spool, &rank, 2000000), INT64_C(3000000000));
    assert_int_equal(spool_time_ps(&spool, &rank, 3000000), INT64_C(4500000000));
    assert_int_equal(spool_time_ps(&spool, &rank, 999999), INT64_C(999999000)); /* back again */
    free(rank.anchors);
}

static struct trace *checked_by(unsigned threads, const char *text)
{
    char file[] = "/tmp/rmacast-test-XXXXXX";
    struct trace *trace;
    struct err err = {0};
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    assert_true(dprintf(descriptor, "rmacast-trace 1\n%s", text) > 0);
    close(descriptor);
    enum status status = text_read_by(0, file, false, &trace, &err);
    if (status != STATUS_OK) print_message("%s\n", err.text);
    unlink(file);
    assert_int_equal(status, STATUS_OK);
    assert_int_equal(clock_check(trace, threads, &err), STATUS_OK);
    return trace;
}

/* Several threads look for violations in blocks of ranks: they find some wherever one thread does. */
static struct trace *checked(const char *text)
{
    struct trace *alone = checked_by(1, text);
    for (unsigned threads = 2; threads <= 4; threads++) {
        struct trace *trace = checked_by(threads, text);
        assert_int_equal(trace->provenance.clock.violations, alone->provenance.clock.violations);
        assert_same_traces(alone, trace);
        trace_free(trace);
    }
    return alone;
}

/* A call whose times the repair decides, in seconds. */
struct expected {
    uint32_t rank;
    size_t call; /* of the rank, from 0 */
    double enter_s, exit_s;
};

#define GROUPS "ranks 4\ncomm 1 ranks=0,1,2,3 between=2\n"
#define EXCHANGES(COMM)                                                                                                \
    "0 1 2 MPI_Alltoall comm=" COMM " bytes=8\n1 3 4 MPI_Alltoall comm=" COMM " bytes=8\n"                             \
    "2 1 4 MPI_Alltoall comm=" COMM " bytes=8\n3 1 4 MPI_Alltoall comm=" COMM " bytes=8\n"                             \
    "0 5 6 MPI_Alltoall comm=" COMM " bytes=8\n1 5 8 MPI_Alltoall comm=" COMM " bytes=8\n"                             \
    "2 7 8 MPI_Alltoall comm=" COMM " bytes=8\n3 5 8 MPI_Alltoall comm=" COMM " bytes=8\n"
#define PAIR   "ranks 2\nwindow 0 comm=0\n"
#define SIZED  "ranks 2\nwindow 0 comm=0 bytes=64 disp_unit=1\n"

/* A trace, how many effects come before their causes, and calls as they are repaired; rows of zeros end the calls. */
static const struct row {
    const char *text;
    uint64_t violations;
    struct expected calls[6];
} rows[] = {
    /* The receive ends at 9.5, the send begins at 10: the exit moves to 10, 0.5 later. Of the 1 s of computing that
     * follows a tenth makes up for it: the next call moves by 0.4, the one after 2 s more by 0.2, the last, 3 s later,
     * not at all. */
    {"ranks 2\n"
     "0 10 10.1 MPI_Send comm=0 peer=1 tag=3 bytes=8\n"
     "1 9 9.5 MPI_Recv comm=0 peer=0 tag=3 bytes=8\n"
     "1 10.5 10.6 MPI_Comm_group comm=0\n"
     "1 12.6 12.7 MPI_Comm_group comm=0\n"
     "1 15.7 15.8 MPI_Comm_group comm=0\n",
     1,
     {{0, 0, 10, 10.1}, {1, 0, 9, 10}, {1, 1, 10.9, 11}, {1, 2, 12.8, 12.9}, {1, 3, 15.7, 15.8}}},
    /* Two receives side by side: the first one's exit moves from 9.5 to 10, so the second one begins at 9.5 + 0.5 and
     * ends at 9.9 + 0.5, after its message was sent at 10.2 or, by rank 2, at 9.92: the smaller violation moves
     * nothing. */
    {"ranks 2\n"
     "0 10 10.1 MPI_Send comm=0 peer=1 tag=3 bytes=8\n"
     "0 10.2 10.3 MPI_Send comm=0 peer=1 tag=3 bytes=8\n"
     "1 9 9.5 MPI_Recv comm=0 peer=0 tag=3 bytes=8\n"
     "1 9.5 9.9 MPI_Recv comm=0 peer=0 tag=3 bytes=8\n",
     2,
     {{1, 0, 9, 10}, {1, 1, 10, 10.4}}},
    {"ranks 3\n"
     "0 10 10.1 MPI_Send comm=0 peer=1 tag=3 bytes=8\n"
     "1 9 9.5 MPI_Recv comm=0 peer=0 tag=3 bytes=8\n"
     "1 9.5 9.9 MPI_Recv comm=0 peer=2 tag=3 bytes=8\n"
     "2 9.92 10 MPI_Send comm=0 peer=1 tag=3 bytes=8\n",
     2,
     {{1, 0, 9, 10}, {1, 1, 10, 10.4}}},
    /* The second violation is larger than the shift of 0.5 that is left: its message was sent at 10.9. 5 s later a
     * tenth of the computing, 0.5, takes back half of the shift of 1. */
    {"ranks 2\n"
     "0 10 10.1 MPI_Send comm=0 peer=1 tag=3 bytes=8\n"
     "0 10.9 11 MPI_Send comm=0 peer=1 tag=3 bytes=8\n"
     "1 9 9.5 MPI_Recv comm=0 peer=0 tag=3 bytes=8\n"
     "1 9.5 9.9 MPI_Recv comm=0 peer=0 tag=3 bytes=8\n"
     "1 14.9 15 MPI_Comm_group comm=0\n",
     2,
     {{1, 0, 9, 10}, {1, 1, 10, 10.9}, {1, 2, 15.4, 15.5}}},
    /* Of two groups, ranks 0 and 1 against 2 and 3: in the first exchange rank 0 ends at 2, before rank 1 of its own
     * group comes at 3, which it need not await, and after the others came at 1. In the second one it ends at 6, where
     * rank 2 comes at 7: one effect too early. Rank 1 ends at 8, after both. */
    {GROUPS EXCHANGES("1"), 1, {{0, 0, 1, 2}, {0, 1, 5, 7}}},
    /* The same calls on the world are two effects too early: in the first one rank 0 has to await rank 1, too, which
     * moves it by 1; of the 3 s of computing that follow a tenth makes up for that. */
    {GROUPS EXCHANGES("0"), 2, {{0, 0, 1, 3}, {0, 1, 5.7, 7}}},
    /* Tag 2 is received first; the second receive's message was sent at 1, the first's at 2. Only the wait is too
     * early: it ends at 1.5 and completes both. */
    {"ranks 2\n"
     "0 1 1.1 MPI_Send comm=0 peer=1 tag=1 bytes=8\n"
     "0 2 2.1 MPI_Send comm=0 peer=1 tag=2 bytes=8\n"
     "1 0 0.1 MPI_Irecv comm=0 peer=0 tag=2 bytes=8 req=0\n"
     "1 0.2 0.3 MPI_Irecv comm=0 peer=0 tag=1 bytes=8 req=1\n"
     "1 0.4 1.5 MPI_Waitall reqs=0,1\n",
     1,
     {{1, 2, 0.4, 2}}},
    /* The barrier of rank 2 begins at 7; the others leave at 5 and 7.5. The shift of rank 0 travels with its message:
     * sent at 5.5, shifted by 2 less a tenth of 0.5 s: 7.45, so rank 1's receive, done at 7.4, ends there. It was right
     * as recorded: one violation. */
    {"ranks 3\n"
     "0 4 5 MPI_Barrier comm=0\n"
     "0 5.5 5.6 MPI_Send comm=0 peer=1 tag=0 bytes=1\n"
     "1 4 7.2 MPI_Barrier comm=0\n"
     "1 7.2 7.4 MPI_Recv comm=0 peer=0 tag=0 bytes=1\n"
     "2 7 7.5 MPI_Barrier comm=0\n",
     1,
     {{0, 0, 4, 7}, {0, 1, 7.45, 7.55}, {1, 0, 4, 7.2}, {1, 1, 7.2, 7.45}}},
    /* A complete with puts need not return after the post (MPI may buffer them). One with a get must: its data cannot
     * be there before the post at 12. A wait returns after its origin's complete at 25. */
    {SIZED "0 1 1.1 MPI_Win_start win=0 group=1\n"
           "0 1.2 1.3 MPI_Put win=0 target=1 bytes=8\n"
           "0 1.4 1.5 MPI_Win_complete win=0\n"
           "0 11 11.1 MPI_Win_start win=0 group=1\n"
           "0 11.2 11.3 MPI_Get win=0 target=1 bytes=8\n"
           "0 11.4 11.5 MPI_Win_complete win=0\n"
           "0 21 21.1 MPI_Win_start win=0 group=1\n"
           "0 25 25.1 MPI_Win_complete win=0\n"
           "1 2 2.1 MPI_Win_post win=0 group=0\n"
           "1 2.2 2.3 MPI_Win_wait win=0\n"
           "1 12 12.1 MPI_Win_post win=0 group=0\n"
           "1 12.2 12.3 MPI_Win_wait win=0\n"
           "1 21 21.1 MPI_Win_post win=0 group=0\n"
           "1 21.2 24 MPI_Win_wait win=0\n",
     2,
     {{0, 2, 1.4, 1.5}, {0, 5, 11.4, 12}, {1, 5, 21.2, 25}}},
    /* Reductions wait at the root, broadcasts for it. The last one is wrong: its root leaves at 3.1, rank 1 comes at 4.
     */
    {"ranks 2\n"
     "0 1 1.1 MPI_Bcast comm=0 root=1 bytes=8\n"
     "0 2 2.1 MPI_Reduce comm=0 root=1 bytes=8\n"
     "0 3 3.1 MPI_Reduce comm=0 root=0 bytes=8\n"
     "1 1 1.1 MPI_Bcast comm=0 root=1 bytes=8\n"
     "1 2.5 2.6 MPI_Reduce comm=0 root=1 bytes=8\n"
     "1 4 4.1 MPI_Reduce comm=0 root=0 bytes=8\n",
     1,
     {{0, 2, 3, 4}}},
    /* One violation, of one kind: rank 1 comes at 3 or 5, and rank 0 has left; or rank 0 comes at 5, and rank 1 has
     * left. */
    {PAIR "0 1 2 MPI_Win_fence win=0\n1 3 4 MPI_Win_fence win=0\n", 1, {{0, 0, 1, 3}}},
    {PAIR "0 1 2 MPI_Win_free win=0\n1 3 4 MPI_Win_free win=0\n", 1, {{0, 0, 1, 3}}},
    {PAIR "0 1 1 MPI_Win_start win=0 group=1\n0 5 6 MPI_Win_complete win=0\n"
          "1 1 1 MPI_Win_post win=0 group=0\n1 2 3 MPI_Win_wait win=0\n",
     1,
     {{1, 1, 2, 5}}},
    {PAIR "0 1 1 MPI_Win_start win=0 group=1\n0 1 1 MPI_Get win=0 target=1 bytes=8\n0 2 3 MPI_Win_complete win=0\n"
          "1 5 5 MPI_Win_post win=0 group=0\n1 5 6 MPI_Win_wait win=0\n",
     1,
     {{0, 2, 2, 5}}},
    {PAIR "0 5 6 MPI_Neighbor_alltoall comm=0 bytes=8 received=8 neighbours=1:1\n"
          "1 1 2 MPI_Neighbor_alltoall comm=0 bytes=8 received=8 neighbours=0:0\n",
     1,
     {{1, 0, 1, 5}}},
    {PAIR "0 5 6 MPI_Sendrecv comm=0 peer=1 tag=0 source=1 recvtag=0 bytes=8 received=8\n"
          "1 1 2 MPI_Sendrecv comm=0 peer=0 tag=0 source=0 recvtag=0 bytes=8 received=8\n",
     1,
     {{1, 0, 1, 5}}},
};

static void effects_follow_their_causes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace *trace = checked(rows[i].text);
        if (trace->provenance.clock.violations != rows[i].violations)
            fail_msg("row %zu: %" PRIu64 " violations", i, (uint64_t)trace->provenance.clock.violations);
        for (const struct expected *one = rows[i].calls; one->exit_s > 0; one++) {
            const struct trace_call *call = &trace->ranks[one->rank].calls[one->call];
            if (call->enter_ps != (int64_t)(one->enter_s * 1e12 + 0.5) ||
                call->exit_ps != (int64_t)(one->exit_s * 1e12 + 0.5))
                fail_msg("row %zu, rank %" PRIu32 ", call %zu: %" PRId64 " to %" PRId64 " ps", i, one->rank, one->call,
                         call->enter_ps, call->exit_ps);
        }
        trace_free(trace);
    }
}

static enum status read_anchors(uint64_t ticks, uint64_t ns, struct err *err)
{
    struct craft zero;
    struct trace *trace = NULL;
    char *directory = craft_directory();
    craft_begin(&zero, 0, 1, 1000000);
    zero.ticks_per_s = 2000000000;
    craft_prologue(&zero);
    craft_call(&zero, CRAFT_INIT, 0, 100);
    craft_anchor(&zero, 200000000, 101000000); /* 100 ms of both */
    craft_anchor(&zero, ticks, ns);
    craft_call(&zero, CRAFT_BARRIER, 500000000, 500001000);
    craft_write(&zero, directory, zero.count, SPOOL_CLOSED);
    enum status status = spool_read(directory, &trace, err);
    if (status == STATUS_OK) trace_free(trace);
    craft_remove(directory);
    craft_free(&zero);
    return status;
}

/* A second anchor, 100 ms of ticks later: the clock may have gained or lost a quarter and 10 ms, 72 to 135 ms. (72 and a quarter
 * are 90, and 10.) */
static void anchors_agree(void **state)
{
    (void)state;
    struct err err = {0};
    assert_int_equal(read_anchors(400000000, 201000000, &err), STATUS_OK);
    assert_int_equal(read_anchors(400000000, 235000000, &err), STATUS_OK);
    assert_int_equal(read_anchors(400000000, 237000000, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, ": an anchor 0.1 s of ticks and 0.136 s of the clock after the one before"));
    assert_int_equal(read_anchors(400000000, 173100000, &err), STATUS_OK);
    assert_int_equal(read_anchors(400000000, 172000000, &err), STATUS_DATA);
    assert_int_equal(read_anchors(400000000, UINT64_MAX, &err), STATUS_DATA);
    assert_int_equal(read_anchors(400000000, 1000000, &err), STATUS_DATA);
    assert_int_equal(read_anchors(UINT64_C(1) << 54, 201000000, &err), STATUS_DATA);
}

/* No time is taken for the nearest one that a trace may have. */
static void times_beyond_the_limit(void **state)
{
    (void)state;
    const uint64_t most_ns = UINT64_C(6000000) * 1000000000;
    for (uint64_t beyond = 0; beyond < 2; beyond++) {
        struct craft zero;
        struct trace *trace = NULL;
        struct err err = {0};
        char *directory = craft_directory();
        craft_begin(&zero, 0, 1, 1000000);
        craft_prologue(&zero);
        craft_call(&zero, CRAFT_INIT, 0, 100);
        craft_enter(&zero, CRAFT_BARRIER, 1000);
        craft_anchor(&zero, most_ns, most_ns); /* has the bits of a time that a head lacks */
        craft_exit(&zero, CRAFT_BARRIER, most_ns + beyond);
        craft_write(&zero, directory, zero.count, SPOOL_CLOSED);
        assert_int_equal(spool_read(directory, &trace, &err), beyond ? STATUS_DATA : STATUS_OK);
        if (beyond) assert_non_null(strstr(err.text, ": a time of more than 6e+06 s, expected 0 to 6000000 s"));
        if (!beyond) assert_int_equal(trace->ranks[0].calls[1].exit_ps, (int64_t)most_ns * 1000);
        trace_free(trace);
        craft_remove(directory);
        craft_free(&zero);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_are_interpolated), cmocka_unit_test(time_zero_is_the_first_event),
        cmocka_unit_test(offsets_are_constant_outside),
        cmocka_unit_test(ticks_are_interpolated),
        cmocka_unit_test(effects_follow_their_causes),
        cmocka_unit_test(anchors_agree),
        cmocka_unit_test(times_beyond_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
