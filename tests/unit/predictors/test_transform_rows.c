/* merge-puts, scale, and what specs look like; worked out by hand. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "transform_test.h"

#define HEAD            "ranks 3\nwindow 0 comm=0\n"
#define assert_us(a, b) assert_true(fabs((a) - (b)) < 1e-6)

/* 8 + 16 bytes to rank 1 become 24 at the second put's place, at the lower displacement; the large put, the get and the
 * single put to rank 2 stay, and so does the put of the next epoch. */
static void small_puts_of_an_epoch_become_one(void **state)
{
    (void)state;
    test_gives("merge-puts:1K",
               HEAD "0 0.000000 0.000000 MPI_Win_lock win=0 target=1 lock=shared\n"
                    "0 0.000000 0.000000 MPI_Win_lock win=0 target=2 lock=shared\n"
                    "0 0.000010 0.000011 MPI_Put win=0 target=1 bytes=8 disp=64\n"
                    "0 0.000021 0.000021 MPI_Put win=0 target=1 bytes=1025 disp=0\n"
                    "0 0.000031 0.000031 MPI_Get win=0 target=1 bytes=8 disp=0\n"
                    "0 0.000041 0.000041 MPI_Put win=0 target=2 bytes=8 disp=0\n"
                    "0 0.000051 0.000052 MPI_Put win=0 target=1 bytes=16 disp=32\n"
                    "0 0.000062 0.000062 MPI_Win_unlock win=0 target=1\n"
                    "0 0.000062 0.000062 MPI_Put win=0 target=2 bytes=8 disp=8\n"
                    "0 0.000062 0.000062 MPI_Win_unlock win=0 target=2\n"
                    "1 0.000000 0.000000 MPI_Comm_group comm=0\n",
               "0 0.000000 0.000000 MPI_Win_lock win=0 target=1 lock=shared\n"
               "0 0.000000 0.000000 MPI_Win_lock win=0 target=2 lock=shared\n"
               "0 0.000020 0.000020 MPI_Put win=0 target=1 bytes=1025 disp=0\n"
               "0 0.000030 0.000030 MPI_Get win=0 target=1 bytes=8 disp=0\n"
               "0 0.000040 0.000040 MPI_Put win=0 target=2 bytes=8 disp=0\n"
               "0 0.000050 0.000051 MPI_Put win=0 target=1 bytes=24 disp=32 target_extent=40\n"
               "0 0.000061 0.000061 MPI_Win_unlock win=0 target=1\n"
               "0 0.000061 0.000061 MPI_Put win=0 target=2 bytes=8 disp=8\n"
               "0 0.000061 0.000061 MPI_Win_unlock win=0 target=2\n"
               "1 0.000000 0.000000 MPI_Comm_group comm=0\n");
}

/* Gets alike: 8 + 16 bytes of rank 1 at the second one's place; the put between them, and the get behind the flush, stay. */
static void small_gets_of_an_epoch_become_one(void **state)
{
    (void)state;
    test_gives("merge-gets",
               HEAD "0 0.000000 0.000000 MPI_Win_lock win=0 target=1 lock=shared\n"
                    "0 0.000010 0.000011 MPI_Get win=0 target=1 bytes=8 disp=64\n"
                    "0 0.000021 0.000021 MPI_Put win=0 target=1 bytes=8 disp=0\n"
                    "0 0.000031 0.000032 MPI_Get win=0 target=1 bytes=16 disp=32\n"
                    "0 0.000042 0.000042 MPI_Win_flush win=0 target=1\n"
                    "0 0.000052 0.000052 MPI_Get win=0 target=1 bytes=8 disp=72\n"
                    "0 0.000062 0.000062 MPI_Win_unlock win=0 target=1\n"
                    "1 0.000000 0.000000 MPI_Comm_group comm=0\n",
               "0 0.000000 0.000000 MPI_Win_lock win=0 target=1 lock=shared\n"
               "0 0.000020 0.000020 MPI_Put win=0 target=1 bytes=8 disp=0\n"
               "0 0.000030 0.000031 MPI_Get win=0 target=1 bytes=24 disp=32 target_extent=40\n"
               "0 0.000041 0.000041 MPI_Win_flush win=0 target=1\n"
               "0 0.000051 0.000051 MPI_Get win=0 target=1 bytes=8 disp=72\n"
               "0 0.000061 0.000061 MPI_Win_unlock win=0 target=1\n"
               "1 0.000000 0.000000 MPI_Comm_group comm=0\n");
}

/* A put without bytes has no place: 8 bytes at 64 and none at 0 are 8 at 64, in either order; with 16 at 32 they are 24 from
 * 32 to 72. Of the limit, 1024 bytes, a put is still small, and one of 1025 is not. */
static void puts_of_nothing_have_no_place(void **state)
{
    (void)state;
#define LOCK        "0 0.000000 0.000000 MPI_Win_lock win=0 target=1 lock=shared\n"
#define UNLOCK      "0 0.000000 0.000000 MPI_Win_unlock win=0 target=1\n"
#define PUTS(WHAT)  "0 0.000000 0.000000 MPI_Put win=0 target=1 " WHAT "\n"
    static const struct {
        const char *puts, *merged;
    } rows[] = {
        {PUTS("bytes=8 disp=64") PUTS("bytes=0 disp=0"), PUTS("bytes=8 disp=64")},
        {PUTS("bytes=0 disp=0") PUTS("bytes=8 disp=64"), PUTS("bytes=8 disp=64")},
        {PUTS("bytes=8 disp=64") PUTS("bytes=0 disp=0") PUTS("bytes=16 disp=32"), PUTS("bytes=24 disp=32 target_extent=40")},
        {PUTS("bytes=0 disp=64") PUTS("bytes=0 disp=32"), PUTS("bytes=0 disp=32")},
        {PUTS("bytes=8 disp=0 origin_extent=32") PUTS("bytes=8 disp=8"), PUTS("bytes=16 disp=0 origin_extent=40")},
        {PUTS("bytes=8 disp=0") PUTS("bytes=1024 disp=8"), PUTS("bytes=1032 disp=0")},
        {PUTS("bytes=8 disp=0") PUTS("bytes=1025 disp=8"), PUTS("bytes=8 disp=0") PUTS("bytes=1025 disp=8")},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[500], expected[500];
        snprintf(text, sizeof text, HEAD LOCK "%s" UNLOCK, rows[i].puts);
        snprintf(expected, sizeof expected, LOCK "%s" UNLOCK, rows[i].merged);
        test_gives("merge-puts:1K", text, expected);
    }
#undef LOCK
#undef UNLOCK
#undef PUTS
}

#define POLL(FROM, BETWEEN, TO)                                                                                        \
    "1 " FROM " " BETWEEN " MPI_Fetch_and_op win=0 target=1 bytes=0 disp=0 op=NO_OP result_bytes=8 site=wait@flag.c:7\n"  \
    "1 " BETWEEN " " TO " MPI_Win_flush win=0 target=1\n"

/* Whose times computing was used of, without the waits for a core or with them. */
enum use { AS_RECORDED, COMPUTING, COMPUTING_ALONE };

/* Rows of polls that wait for a write, of the row of rank 1 at 10 to 20 and of a later one. */
static uint64_t rows_that_wait_with(const char *writes, const char *later, enum use use)
{
    static const char *const spec = "polls";
    char text[4000];
    struct err err;
    struct rewrite rewrite;
    snprintf(text, sizeof text,
             HEAD "%s1 0 0 MPI_Win_lock_all win=0\n" POLL("0.000010", "0.000011", "0.000012")
                 POLL("0.000015", "0.000016", "0.000020") "1 0.000021 enter next\n1 0.000022 leave next\n"
                 "%s1 0.000200 0.000200 MPI_Win_unlock_all win=0\n",
             writes, later);
    struct trace *trace = test_read(text);
    trace->provenance.uses_computing = use != AS_RECORDED;
    trace->provenance.without_core_waits = use == COMPUTING_ALONE;
    if (rewrite_run(trace, &spec, 1, &rewrite, &err) != STATUS_OK) return 0;
    uint64_t changed = rewrite.reports[0].changed;
    rewrite_clear(&rewrite);
    trace_free(trace);
    return changed;
}

/* The later row has two polls, at 30 to 45. */
static uint64_t rows_that_wait(const char *writes)
{
    return rows_that_wait_with(writes, POLL("0.000030", "0.000031", "0.000032") POLL("0.000040", "0.000041", "0.000045"),
                               AS_RECORDED);
}

/* The first row ends at 20. What was complete by then it has seen, and a write complete at 20, too: the second row does not
 * wait for it, though an earlier write of rank 2 goes on until 100, for which the first row waits. A write complete at 45,
 * when the second row ends, is one for it. */
static void what_a_row_has_seen_is_awaited_once(void **state)
{
    (void)state;
#define ALL(RANK, CALLS) #RANK " 0 0 MPI_Win_lock_all win=0\n" CALLS
#define WRITE(RANK, AT)  #RANK " " AT " " AT " MPI_Accumulate win=0 target=1 bytes=8 disp=0 op=REPLACE\n"
#define FLUSH(FROM, TO)  "0 " FROM " " TO " MPI_Win_flush win=0 target=1\n"
#define ENDS(RANK)       #RANK " 0.000090 0.000100 MPI_Win_unlock_all win=0\n"
    assert_int_equal(rows_that_wait(ALL(0, WRITE(0, "0.000010") WRITE(0, "0.000012") FLUSH("0.000013", "0.000020") ENDS(0))
                                        ALL(2, WRITE(2, "0.000005") ENDS(2))),
                     1);
    assert_int_equal(rows_that_wait(ALL(0, WRITE(0, "0.000010") WRITE(0, "0.000012") FLUSH("0.000013", "0.000020")
                                               WRITE(0, "0.000035") FLUSH("0.000036", "0.000045") ENDS(0))
                                        ALL(2, WRITE(2, "0.000005") ENDS(2))),
                     2);
}

/* A write that is under way when a row ends counts for it, from its call on: a poll of the row may have found it. Where the row
 * has no other poll, which began before the write's call returned, it found it only if the write is complete. */
static void a_single_poll_finds_what_is_complete(void **state)
{
    static const struct {
        const char *at, *complete; /* of the write */
        bool several;              /* polls in the later row, which begins at 30 and ends at 45 */
        uint64_t rows;
    } rows[] = {
        {"0.000029", "0.000050", false, 1}, {"0.000030", "0.000050", false, 1}, {"0.000031", "0.000050", false, 0},
        {"0.000031", "0.000046", false, 0}, {"0.000031", "0.000045", false, 1}, {"0.000046", "0.000050", false, 0},
        {"0.000042", "0.000050", true, 1},  {"0.000045", "0.000050", true, 1},  {"0.000046", "0.000050", true, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char writes[400];
        const char *later = rows[i].several ? POLL("0.000030", "0.000031", "0.000032") POLL("0.000040", "0.000041", "0.000045")
                                            : POLL("0.000030", "0.000031", "0.000045");
        snprintf(writes, sizeof writes,
                 "0 0 0 MPI_Win_lock_all win=0\n0 %s %s MPI_Accumulate win=0 target=1 bytes=8 disp=0 op=REPLACE\n"
                 "0 %s %s MPI_Win_flush win=0 target=1\n" ENDS(0),
                 rows[i].at, rows[i].at, rows[i].at, rows[i].complete);
        const uint64_t found = rows_that_wait_with(writes, later, AS_RECORDED);
        if (found != rows[i].rows) fail_msg("row %zu: %d", i, (int)found);
    }
}

/* What may be written: an operation with data, or with another one than NO_OP. Whether a compare-and-swap writes is not known. */
static void writes_that_are_awaited(void **state)
{
    static const struct {
        const char *call;
        uint64_t rows;
    } rows[] = {{"MPI_Put win=0 target=1 bytes=8 disp=0", 1},
                {"MPI_Get win=0 target=1 bytes=8 disp=0", 0},
                {"MPI_Accumulate win=0 target=1 bytes=8 disp=0 op=SUM", 1},
                {"MPI_Fetch_and_op win=0 target=1 bytes=8 disp=0 op=SUM result_bytes=8", 1},
                {"MPI_Fetch_and_op win=0 target=1 bytes=0 disp=0 op=NO_OP result_bytes=8", 0},
                {"MPI_Compare_and_swap win=0 target=1 bytes=8 disp=0 result_bytes=8", 0},
                {"MPI_Put win=0 target=- bytes=0", 0},
                {"MPI_Put win=0 target=2 bytes=8 disp=0", 0},
                {"MPI_Put win=0 target=0 bytes=8 disp=0", 0},
                {"MPI_Put win=0 target=1 bytes=8 disp=8", 0},
                {"MPI_Put win=0 target=1 bytes=8 disp=7", 1}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char writes[400];
        snprintf(writes, sizeof writes, "0 0 0 MPI_Win_lock_all win=0\n0 0.000012 0.000012 %s\n"
                                        "0 0.000013 0.000018 MPI_Win_flush_all win=0\n" ENDS(0), rows[i].call);
        const uint64_t found = rows_that_wait_with(writes, "", AS_RECORDED);
        if (found != rows[i].rows) fail_msg("%s: %d", rows[i].call, (int)found);
    }
}

/* A row of two polls of bytes 8 to 15, which ends at 20 with a flush, behind a local call that ends at 17. A write that ends in
 * front of byte 8 is another place; one behind the local call may have been seen, and one behind the flush has not. */
static void a_row_ends_with_what_completes_it(void **state)
{
    static const struct {
        const char *write, *flush;
        bool awaited;
    } rows[] = {
        {"0 0.000012 0.000012 MPI_Put win=0 target=1 bytes=8 disp=0\n", FLUSH("0.000013", "0.000018"), false},
        {"0 0.000012 0.000012 MPI_Put win=0 target=1 bytes=9 disp=0\n", FLUSH("0.000013", "0.000018"), true},
        {"0 0.000018 0.000018 MPI_Put win=0 target=1 bytes=9 disp=0\n", FLUSH("0.0000185", "0.000019"), true},
        {"0 0.000022 0.000022 MPI_Put win=0 target=1 bytes=9 disp=0\n", FLUSH("0.000023", "0.000025"), false},
    };
    static const char *const spec = "polls";
    static const char poll[] = "MPI_Fetch_and_op win=0 target=1 bytes=0 disp=8 op=NO_OP result_bytes=8 site=wait@flag.c:7";
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2000];
        struct err err;
        struct rewrite rewrite;
        snprintf(text, sizeof text,
                 HEAD "0 0 0 MPI_Win_lock_all win=0\n%s%s" ENDS(0) "1 0 0 MPI_Win_lock_all win=0\n1 0.000010 0.000011 %s\n"
                 "1 0.000011 0.000012 MPI_Win_flush win=0 target=1\n1 0.000015 0.000016 %s\n"
                 "1 0.000016 0.000017 MPI_Comm_group comm=0\n1 0.000017 0.000020 MPI_Win_flush win=0 target=1\n"
                 "1 0.000200 0.000200 MPI_Win_unlock_all win=0\n", rows[i].write, rows[i].flush, poll, poll);
        struct trace *trace = test_read(text);
        if (rewrite_run(trace, &spec, 1, &rewrite, &err) != STATUS_OK) fail_msg("%s", err.text);
        if (rewrite.reports[0].changed != rows[i].awaited) fail_msg("row %zu: %s", i, rewrite.reports[0].summary);
        rewrite_clear(&rewrite);
        trace_free(trace);
    }
}

/* Two polls are one row if between them are only calls that complete the first one on its own window, or that stay on the rank:
 * not a flush of another window, nor an operation. Of a row the first poll goes. */
static void what_may_be_between_polls(void **state)
{
    static const struct {
        const char *call;
        bool in_row;
    } rows[] = {
        {"MPI_Win_flush win=0 target=1", true},  {"MPI_Win_flush_local win=0 target=1", true},
        {"MPI_Win_sync win=0", true},            {"MPI_Comm_group comm=0", true},
        {"MPI_Win_flush win=1 target=1", false}, {"MPI_Win_flush_local win=1 target=1", false},
        {"MPI_Win_sync win=1", false},           {"MPI_Put win=0 target=2 bytes=8 disp=0", false},
        {"MPI_Barrier comm=1", false},
    };
    static const char *const spec = "polls";
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2000];
        struct err err;
        struct rewrite rewrite;
        snprintf(text, sizeof text,
                 HEAD "window 1 comm=0\ncomm 1 ranks=1\n" ALL(0, WRITE(0, "0.000012") FLUSH("0.000013", "0.000015") ENDS(0))
                 "1 0 0 MPI_Win_lock_all win=0\n1 0 0 MPI_Win_lock_all win=1\n" POLL("0.000010", "0.000011", "0.000012")
                 "1 0.000012 0.000013 %s\n" POLL("0.000015", "0.000016", "0.000020")
                 "1 0.000200 0.000200 MPI_Win_unlock_all win=1\n1 0.000200 0.000200 MPI_Win_unlock_all win=0\n", rows[i].call);
        struct trace *trace = test_read(text);
        if (rewrite_run(trace, &spec, 1, &rewrite, &err) != STATUS_OK) fail_msg("%s", err.text);
        const char *went = rows[i].in_row ? "1 of 2 polls went" : "0 of 0 polls went";
        if (!strstr(rewrite.reports[0].summary, went)) fail_msg("%s: %s", rows[i].call, rewrite.reports[0].summary);
        rewrite_clear(&rewrite);
        trace_free(trace);
    }
}

/* Rank 1 polls its memory: MPI_Win_sync, then a probe that finds nothing, every `every` us from 10 on. The put of 12 is complete
 * at 18. Of 16 syncs the first 15 and their probes go, unless they are too few, the rank computes more than 5 us between two
 * calls, the put goes elsewhere or into another window, or something else is between. */
static void polls_of_memory_wait(void **state)
{
    static const struct {
        int syncs;
        double every_us;
        const char *put, *between;
        bool waits;
    } rows[] = {{16, 1, "win=0 target=1 bytes=8 disp=24", "MPI_Iprobe comm=0 peer=0 tag=3 flag=0", true},
                {15, 1, "win=0 target=1 bytes=8 disp=24", "MPI_Iprobe comm=0 peer=0 tag=3 flag=0", false},
                {16, 10, "win=0 target=1 bytes=8 disp=24", "MPI_Iprobe comm=0 peer=0 tag=3 flag=0", true},
                {16, 10.2, "win=0 target=1 bytes=8 disp=24", "MPI_Iprobe comm=0 peer=0 tag=3 flag=0", false},
                {16, 1, "win=0 target=2 bytes=8 disp=24", "MPI_Iprobe comm=0 peer=0 tag=3 flag=0", false},
                {16, 1, "win=1 target=1 bytes=8 disp=24", "MPI_Iprobe comm=0 peer=0 tag=3 flag=0", false},
                {16, 1, "win=0 target=1 bytes=8 disp=24", "MPI_Put win=0 target=2 bytes=8 disp=0", false}};
    static const char *const spec = "polls";
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[4000];
        struct err err;
        struct rewrite rewrite;
        int length = snprintf(text, sizeof text,
                              HEAD "window 1 comm=0\n0 0 0 MPI_Win_lock_all win=0\n0 0 0 MPI_Win_lock_all win=1\n"
                                   "0 0.000012 0.000012 MPI_Put %s\n0 0.000013 0.000018 MPI_Win_flush_all win=0\n"
                                   "0 0.000018 0.000018 MPI_Win_flush_all win=1\n0 0.001 0.001 MPI_Win_unlock_all win=0\n"
                                   "0 0.001 0.001 MPI_Win_unlock_all win=1\n1 0 0 MPI_Win_lock_all win=0\n",
                              rows[i].put);
        for (int n = 0; n < rows[i].syncs; n++) {
            const double at_s = (10 + n * rows[i].every_us) * 1e-6, then_s = at_s + rows[i].every_us / 2 * 1e-6;
            length += snprintf(text + length, sizeof text - (size_t)length, "1 %.9f %.9f MPI_Win_sync win=0 site=wait@flag.c:9\n",
                               at_s, at_s);
            length += snprintf(text + length, sizeof text - (size_t)length, "1 %.9f %.9f %s\n", then_s, then_s, rows[i].between);
        }
        snprintf(text + length, sizeof text - (size_t)length, "1 0.001 0.001 MPI_Win_unlock_all win=0\n");
        struct trace *trace = test_read(text);
        if (rewrite_run(trace, &spec, 1, &rewrite, &err) != STATUS_OK) fail_msg("row %zu: %s", i, err.text);
        if (rewrite.reports[0].changed != rows[i].waits) fail_msg("row %zu: %s", i, rewrite.reports[0].summary);
        if (rows[i].waits && !strstr(rewrite.reports[0].summary, "15 of 16 polls went"))
            fail_msg("row %zu: %s", i, rewrite.reports[0].summary);
        rewrite_clear(&rewrite);
        trace_free(trace);
    }
}

/* Rank 0's write of 12 is complete at 18, before the row of rank 1 ends at 20, unless the recording had both later: by the 10
 * that were paused before them where computing is used, by the 10 of a wait for a core where it is used without. */
static void what_was_first_shows_in_the_recorded_times(void **state)
{
    static const uint64_t rows[][3] = {{1, 0, 0}, {1, 1, 0}};
    (void)state;
    for (int core = 0; core < 2; core++)
        for (enum use use = AS_RECORDED; use <= COMPUTING_ALONE; use++) {
            char writes[400];
            snprintf(writes, sizeof writes,
                     "property core_waits=1\n0 0 0 MPI_Win_lock_all win=0\n"
                     "0 0.000012 0.000012 MPI_Accumulate win=0 target=1 bytes=8 disp=0 op=REPLACE %s=0.00001\n"
                     "0 0.000013 0.000018 MPI_Win_flush win=0 target=1\n" ENDS(0),
                     core ? "core_wait" : "paused");
            const uint64_t found = rows_that_wait_with(writes, "", use);
            if (found != rows[core][use]) fail_msg("%d, %d: %d", core, use, (int)found);
        }
}

/* Start returns at 10 (the post's latency). Two puts of 1 MB at 10 and 110: the second has left at 210, wait ends at
 * 220. One put of 2 MB at 110: left at 310, wait ends at 320. */
static void merging_costs_what_it_delays(void **state)
{
    (void)state;
    static const char text[] = HEAD "0 0 0 MPI_Win_start win=0 group=1\n0 0 0 MPI_Put win=0 target=1 bytes=1000000\n"
                                    "0 0.0001 0.0001 MPI_Put win=0 target=1 bytes=1000000\n"
                                    "0 0.0001 0.0001 MPI_Win_complete win=0\n"
                                    "1 0 0 MPI_Win_post win=0 group=0\n1 0 0 MPI_Win_wait win=0\n";
    static const char *const none[] = {NULL}, *const merged[] = {"merge-puts:1M", NULL};
    assert_us(test_run_rewritten_us(text, "a", none), 220);
    assert_us(test_run_rewritten_us(text, "a", merged), 320);
}

/* 10 before main and 20 inside it stay, 100 in main/solve and 40 in main/solve/inner are halved, 30 behind stays. */
static const char regions[] = "ranks 1\n"
                              "0 0.000000 0.000000 MPI_Comm_group comm=0\n"
                              "0 0.000010 enter main\n"
                              "0 0.000030 enter solve\n"
                              "0 0.000130 enter inner\n"
                              "0 0.000170 leave inner\n"
                              "0 0.000170 leave solve\n"
                              "0 0.000200 leave main\n";

static void computing_of_a_call_path_is_scaled(void **state)
{
    (void)state;
    test_gives("scale:main/solve=0.5", regions,
               "0 0.000000 0.000000 MPI_Comm_group comm=0\n"
               "0 0.000010 enter main\n"
               "0 0.000030 enter solve\n"
               "0 0.000080 enter inner\n"
               "0 0.000100 leave inner\n"
               "0 0.000100 leave solve\n"
               "0 0.000130 leave main\n");
    test_gives("scale:/=2", regions,
               "0 0.000000 0.000000 MPI_Comm_group comm=0\n"
               "0 0.000020 enter main\n"
               "0 0.000060 enter solve\n"
               "0 0.000260 enter inner\n"
               "0 0.000340 leave inner\n"
               "0 0.000340 leave solve\n"
               "0 0.000400 leave main\n");
    /* one after another: 140 of 200 in solve become 0, the rest is tripled */
    static const char *const both[] = {"scale:main/solve=0", "scale:/=3", NULL};
    assert_us(test_run_rewritten_us(regions, "a", both), 180);
}

/* Outside regions the three ranks compute 10, 30 and 20: 20 each. In solve 30, 90 and nothing: 60 for the two that compute there.
 * Of five computings the one that has its mean stays. */
static void computing_is_balanced_by_call_path(void **state)
{
    (void)state;
    static const char text[] = "ranks 3\n"
                               "0 0.000000 0.000000 MPI_Comm_group comm=0\n0 0.000010 enter solve\n0 0.000040 leave solve\n"
                               "1 0.000000 0.000000 MPI_Comm_group comm=0\n1 0.000030 enter solve\n1 0.000120 leave solve\n"
                               "2 0.000000 0.000000 MPI_Comm_group comm=0\n2 0.000020 enter solve\n2 0.000020 leave solve\n";
    static const char *const spec = "balance";
    struct trace *trace = test_read(text);
    struct rewrite rewrite;
    struct err err;
    test_gives(spec, text,
               "0 0.000000 0.000000 MPI_Comm_group comm=0\n0 0.000020 enter solve\n0 0.000080 leave solve\n"
               "1 0.000000 0.000000 MPI_Comm_group comm=0\n1 0.000020 enter solve\n1 0.000080 leave solve\n"
               "2 0.000000 0.000000 MPI_Comm_group comm=0\n2 0.000020 enter solve\n2 0.000020 leave solve\n");
    assert_int_equal(rewrite_run(trace, &spec, 1, &rewrite, &err), STATUS_OK);
    assert_int_equal(rewrite.reports[0].considered, 5);
    assert_int_equal(rewrite.reports[0].changed, 4);
    assert_non_null(strstr(rewrite.reports[0].summary, "rank 1 had most, 120 us, the others 30 us each"));
    rewrite_clear(&rewrite);
    trace_free(trace);
}

/* A call path is a whole one: solve is no part of solver, 20 before, nor of sol, 10 behind. */
static void only_the_whole_name_is_a_path(void **state)
{
    (void)state;
    test_gives("scale:solve=0.5",
               "ranks 1\n0 0.000000 0.000000 MPI_Comm_group comm=0\n0 0.000010 enter solver\n0 0.000030 leave solver\n"
               "0 0.000030 enter solve\n0 0.000050 leave solve\n0 0.000060 enter sol\n0 0.000070 leave sol\n",
               "0 0.000000 0.000000 MPI_Comm_group comm=0\n0 0.000010 enter solver\n0 0.000030 leave solver\n"
               "0 0.000030 enter solve\n0 0.000040 leave solve\n0 0.000050 enter sol\n0 0.000060 leave sol\n");
}

/* Of the seven calls five have computing before them; nothing is before the first one, nor between the two that leave. With the
 * factor 1 nothing changes. */
static void computings_are_counted(void **state)
{
    (void)state;
    static const char *const specs[] = {"scale:/=2", "scale:/=1"};
    for (int i = 0; i < 2; i++) {
        struct trace *trace = test_read(regions);
        struct rewrite rewrite;
        struct err err;
        assert_int_equal(rewrite_run(trace, &specs[i], 1, &rewrite, &err), STATUS_OK);
        assert_int_equal(rewrite.reports[0].considered, 5);
        assert_int_equal(rewrite.reports[0].changed, i == 0 ? 5 : 0);
        rewrite_clear(&rewrite);
        trace_free(trace);
    }
}

/* Both writes of rank 0 are complete at 20, when rank 1's row ends: it waits for the last one, behind which a message leaves,
 * also if both have one time. */
static void the_last_complete_write_is_awaited(void **state)
{
    (void)state;
    static const char *const spec = "polls", *const writes[] = {WRITE(0, "0.000010") WRITE(0, "0.000012"),
                                                                WRITE(0, "0.000012") WRITE(0, "0.000012")};
    static const enum mpi_call expected[] = {ID_Win_lock_all, ID_Accumulate, ID_Accumulate, ID_Send, ID_Win_flush};
    for (int tie = 0; tie < 2; tie++) {
        char text[2000];
        struct err err;
        struct rewrite rewrite;
        snprintf(text, sizeof text,
                 HEAD "0 0 0 MPI_Win_lock_all win=0\n%s" FLUSH("0.000013", "0.000015") ENDS(0)
                 "1 0 0 MPI_Win_lock_all win=0\n" POLL("0.000010", "0.000011", "0.000012")
                 POLL("0.000015", "0.000016", "0.000020") "1 0.000200 0.000200 MPI_Win_unlock_all win=0\n", writes[tie]);
        struct trace *trace = test_read(text);
        if (rewrite_run(trace, &spec, 1, &rewrite, &err) != STATUS_OK) fail_msg("%s", err.text);
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
            assert_int_equal(rewrite.trace->ranks[0].calls[i].call, expected[i]);
        rewrite_clear(&rewrite);
        trace_free(trace);
    }
}

/* Sums over ranks and places. The first post passes 100 us, the second 110, the other rank's 5: 215. Rows of two polls lose one
 * each. Computing: 10 + 20 and 40, halved. Two ranks lock twice: each has one section with one flush. */
static void summaries_are_sums_over_all_ranks(void **state)
{
#define LOCKS(R)                                                                                                       \
    #R " 0 0.000001 MPI_Win_lock win=0 target=2 lock=shared\n" #R " 0.000001 0.000002 MPI_Win_unlock win=0 target=2\n"         \
    #R " 0.000003 0.000004 MPI_Win_lock win=0 target=2 lock=shared\n" #R " 0.000005 0.000006 MPI_Win_unlock win=0 target=2\n"
    static const struct {
        const char *spec, *text, *summary;
    } rows[] = {
        {"post-early",
         HEAD "window 1 comm=0\n0 0 0 MPI_Comm_group comm=0\n1 0.000100 0.000101 MPI_Win_post win=0 group=\n"
              "1 0.000111 0.000112 MPI_Win_post win=1 group=\n2 0.000005 0.000006 MPI_Win_post win=0 group=\n",
         "3 of 3 MPI_Win_post calls moved up, over 215 us of computing in all"},
        {"polls",
         HEAD ALL(0, WRITE(0, "0.000010") FLUSH("0.000013", "0.000020")
                         WRITE(0, "0.000035") FLUSH("0.000036", "0.000045") ENDS(0))
             ALL(1, POLL("0.000010", "0.000011", "0.000012") POLL("0.000015", "0.000016", "0.000020"))
             "1 0.000021 enter next\n1 0.000022 leave next\n" POLL("0.000030", "0.000031", "0.000032")
             POLL("0.000040", "0.000041", "0.000045") "1 0.000200 0.000200 MPI_Win_unlock_all win=0\n",
         "2 rows of polls wait for the writes that ended them; 2 of 4 polls went"},
        {"scale:/=0.5",
         HEAD "0 0 0 MPI_Comm_group comm=0\n0 0.000010 0.000011 MPI_Comm_group comm=0\n"
              "0 0.000031 0.000031 MPI_Comm_group comm=0\n"
              "1 0.000040 0.000040 MPI_Comm_group comm=0\n",
         "computing in / over all ranks is 35 us, was 70 us"},
        {"lock=lock_all", HEAD LOCKS(0) LOCKS(1), "4 of 4 lock epochs became 2 of MPI_Win_lock_all with 2 flushes"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace *trace = test_read(rows[i].text);
        struct rewrite rewrite;
        struct err err;
        if (rewrite_run(trace, &rows[i].spec, 1, &rewrite, &err) != STATUS_OK) fail_msg("%s: %s", rows[i].spec, err.text);
        assert_string_equal(rewrite.reports[0].summary, rows[i].summary);
        rewrite_clear(&rewrite);
        trace_free(trace);
    }
}

static void unknown_call_paths_are_named(void **state)
{
    (void)state;
    struct trace *trace = test_read(regions);
    const char *spec = "scale:solve=2";
    struct rewrite rewrite;
    struct err err;
    assert_int_equal(rewrite_run(trace, &spec, 1, &rewrite, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "no user region has the call path 'solve' that is to be scaled, and no call the line, "
                                     "expected one of / (everything), main, main/solve, main/solve/inner"));
    trace_free(trace);
}

static void specs_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *text;
    } wrong[] = {
        {"post", "unknown rewrite 'post', expected one of post-early, "},
        {"post-early:2", "post-early takes nothing behind a colon"},
        {"merge-puts:x", "'x', expected a size"},
        {"scale", "expected scale:CALLPATH=FACTOR"},
        {"scale:main", "scale main, expected CALLPATH=FACTOR"},
        {"scale:main=-1", "with a factor from 0 to 1e6"},
        {"scale:main=nan", "with a factor from 0 to 1e6"},
        {"scale:=2", "expected CALLPATH=FACTOR"},
    };
    struct err err;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(transform_check(wrong[i].spec, &err), STATUS_USAGE);
        if (!strstr(err.text, wrong[i].text)) fail_msg("'%s' does not hold '%s'", err.text, wrong[i].text);
    }
    for (const struct transform *const *row = transforms(); *row; row++) {
        assert_true(strlen((*row)->summary) > 0 && (*row)->apply);
        if (!(*row)->argument || (*row)->fallback) assert_int_equal(transform_check((*row)->name, &err), STATUS_OK);
    }
    assert_int_equal(transform_check("scale:a=b=1e3", &err), STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_puts_of_an_epoch_become_one),
        cmocka_unit_test(small_gets_of_an_epoch_become_one),
        cmocka_unit_test(puts_of_nothing_have_no_place),
        cmocka_unit_test(what_a_row_has_seen_is_awaited_once),
        cmocka_unit_test(a_single_poll_finds_what_is_complete),
        cmocka_unit_test(a_row_ends_with_what_completes_it),
        cmocka_unit_test(what_may_be_between_polls),
        cmocka_unit_test(polls_of_memory_wait),
        cmocka_unit_test(what_was_first_shows_in_the_recorded_times),
        cmocka_unit_test(writes_that_are_awaited),
        cmocka_unit_test(merging_costs_what_it_delays),
        cmocka_unit_test(computing_of_a_call_path_is_scaled),
        cmocka_unit_test(computing_is_balanced_by_call_path),
        cmocka_unit_test(only_the_whole_name_is_a_path),
        cmocka_unit_test(computings_are_counted),
        cmocka_unit_test(the_last_complete_write_is_awaited),
        cmocka_unit_test(summaries_are_sums_over_all_ranks),
        cmocka_unit_test(unknown_call_paths_are_named),
        cmocka_unit_test(specs_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
