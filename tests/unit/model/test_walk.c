/* Events in the order of time with their links, worked out by hand from the traces. */
#include "model_test.h"

#include <stdio.h>
#include <string.h>

#include "model/walk.h"

/* "E0.2@10" enter of call 2 (from 0) of rank 0 at 10 us; O origin, S start, N end, X exit: of the transfer behind the
 * dot; "t1" on thread 1's line; links behind: <enterptr, s startptr, o originptr. */
static void describe(const struct walk_event *event, char *text, size_t size)
{
    static const char letters[] = "EOSNX";
    size_t used =
        (size_t)snprintf(text, size, "%c%u.%zu@%lld", letters[event->kind], event->rank,
                         event->call != WALK_NONE ? event->call : event->transfer, (long long)(event->time_ps / US));
    if (event->thread > 0) used += (size_t)snprintf(text + used, size - used, "t%u", event->thread);
    if (event->enterptr != WALK_NONE) used += (size_t)snprintf(text + used, size - used, "<%zu", event->enterptr);
    if (event->startptr != WALK_NONE) used += (size_t)snprintf(text + used, size - used, "s%zu", event->startptr);
    if (event->originptr != WALK_NONE) snprintf(text + used, size - used, "o%zu", event->originptr);
}

static void expect_walk(const char *text, enum walk_model model, const char *const *events)
{
    struct err err;
    struct relations relations;
    struct walk *walk;
    struct walk_event event;
    struct trace *trace = trace_of(text);
    if (relations_build(trace, &relations, &err) != STATUS_OK) fail_msg("%s", err.text);
    if (walk_open(&relations, model, &walk, &err) != STATUS_OK) fail_msg("%s", err.text);
    size_t number = 0;
    for (; walk_next(walk, &event); number++) {
        char found[80];
        describe(&event, found, sizeof found);
        assert_int_equal(event.number, number);
        assert_non_null(events[number]);
        if (strcmp(found, events[number]) != 0) fail_msg("event %zu: %s, expected %s", number, found, events[number]);
    }
    assert_null(events[number]);
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (uint32_t t = 0; t < trace_thread_count(trace, r); t++) assert_int_equal(walk_thread_depth(walk, r, t), 0);
    assert_int_equal(walk_under_way(walk), 0);
    walk_close(walk);
    relations_clear(&relations);
    trace_free(trace);
}

#define EXPECT(text, model, ...) expect_walk(text, model, (const char *const[]){__VA_ARGS__, NULL})

/* A put 20-25 and a get 30-31 to rank 1, which posts at 5; complete returns at 50, wait at 60. */
#define ONE_EPOCH                                                                                                      \
    "ranks 2\nwindow 0 comm=0\n0 0.000010 0.000012 MPI_Win_start win=0 group=1\n"                                      \
    "0 0.000020 0.000025 MPI_Put win=0 target=1 bytes=8\n0 0.000030 0.000031 MPI_Get win=0 target=1 bytes=8\n"         \
    "0 0.000040 0.000050 MPI_Win_complete win=0\n1 0.000005 0.000006 MPI_Win_post win=0 group=0\n"                     \
    "1 0.000015 0.000060 MPI_Win_wait win=0\n"

static void test_base(void **state)
{
    (void)state;
    EXPECT(ONE_EPOCH, WALK_BASE, "E1.0@5", "X1.0@6<0", "E0.0@10", "X0.0@12<2", "E1.1@15", "E0.1@20", "S0.0@20<5",
           "X0.1@25<5", "N1.0@25<4s6", "E0.2@30", "O0.1@30<9", "S1.1@30<4o10", "N0.1@31<9s11", "X0.2@31<9", "E0.3@40",
           "X0.3@50<14", "X1.1@60<4");
}

/* The put ends before rank 1's wait returns, the get before complete does. */
static void test_extended(void **state)
{
    (void)state;
    EXPECT(ONE_EPOCH, WALK_EXTENDED, "E1.0@5", "X1.0@6<0", "E0.0@10", "X0.0@12<2", "E1.1@15", "E0.1@20", "S0.0@20<5",
           "X0.1@25<5", "E0.2@30", "O0.1@30<8", "S1.1@30<4o9", "X0.2@31<8", "E0.3@40", "N0.1@50<12s10", "X0.3@50<12",
           "N1.0@60<4s6", "X1.1@60<4");
}

/* Everything at one moment: a rank's own order, starts before ends. Regions nest around calls. */
static void test_one_moment(void **state)
{
    (void)state;
    EXPECT("ranks 2\nwindow 0 comm=0\n0 0 0 MPI_Win_fence win=0\n0 0 enter r\n0 0 0 MPI_Get win=0 target=1 bytes=8\n"
           "0 0 0 MPI_Win_fence win=0\n0 0 leave r\n1 0 0 MPI_Win_fence win=0\n1 0 0 MPI_Win_fence win=0\n",
           WALK_EXTENDED, "E0.0@0", "X0.0@0<0", "E0.1@0", "E0.2@0<2", "O0.0@0<3", "X0.2@0<3", "E0.3@0<2", "E1.0@0",
           "X1.0@0<7", "E1.1@0", "S1.0@0<9o4", "N0.0@0<6s10", "X0.3@0<6", "X0.4@0<2", "X1.1@0<9");
}

static void test_open_end(void **state)
{
    (void)state;
    /* The trace ends inside the epoch: in the base model the put ends, in the extended one it does not. */
    struct err err;
    struct relations relations;
    struct walk *walk;
    struct walk_event event;
    struct trace *trace = trace_of("ranks 2\nwindow 0 comm=0\n0 0 0.000001 MPI_Win_start win=0 group=1\n"
                                   "0 0.000002 0.000003 MPI_Put win=0 target=1 bytes=8\n");
    assert_int_equal(relations_build(trace, &relations, &err), STATUS_OK);
    for (int model = WALK_BASE; model <= WALK_EXTENDED; model++) {
        assert_int_equal(walk_open(&relations, (enum walk_model)model, &walk, &err), STATUS_OK);
        while (walk_next(walk, &event)) continue;
        assert_int_equal(walk_under_way(walk), model == WALK_BASE ? 0 : 1);
        assert_int_equal(walk_transfers(walk)->count, 1);
        walk_close(walk);
    }
    walk_close(NULL);
    relations_clear(&relations);
    trace_free(trace);
}

/* Thread 1 of rank 0 starts, puts and gets, thread 0 completes; thread 1 of rank 1 waits. The put ends with that wait, on its
 * line, the get with complete, on thread 0's; that the get's data leave at 14 is no call of rank 1: on thread 0's line. In
 * the base model both end with their operation: of the put rank 1 has no call just then. */
#define THREADS                                                                                                        \
    "ranks 2\nwindow 0 comm=0\n0 0.000010 0.000011 MPI_Win_start win=0 group=1 thread=1\n"                             \
    "0 0.000012 0.000013 MPI_Put win=0 target=1 bytes=8 thread=1\n"                                                    \
    "0 0.000014 0.000015 MPI_Get win=0 target=1 bytes=8 thread=1\n0 0.000020 0.000030 MPI_Win_complete win=0\n"        \
    "1 0.000005 0.000006 MPI_Win_post win=0 group=0\n1 0.000016 0.000032 MPI_Win_wait win=0 thread=1\n"

static void test_threads(void **state)
{
    (void)state;
    EXPECT(THREADS, WALK_EXTENDED, "E1.0@5", "X1.0@6<0", "E0.0@10t1", "X0.0@11t1<2", "E0.1@12t1", "S0.0@12t1<4",
           "X0.1@13t1<4", "E0.2@14t1", "O0.1@14t1<7", "S1.1@14o8", "X0.2@15t1<7", "E1.1@16t1", "E0.3@20",
           "N0.1@30<12s9", "X0.3@30<12", "N1.0@32t1<11s5", "X1.1@32t1<11");
    EXPECT(THREADS, WALK_BASE, "E1.0@5", "X1.0@6<0", "E0.0@10t1", "X0.0@11t1<2", "E0.1@12t1", "S0.0@12t1<4",
           "X0.1@13t1<4", "N1.0@13s5", "E0.2@14t1", "O0.1@14t1<8", "S1.1@14o9", "N0.1@15t1<8s10", "X0.2@15t1<8",
           "E1.1@16t1", "E0.3@20", "X0.3@30<14", "X1.1@32t1<13");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base),       cmocka_unit_test(test_extended), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_one_moment), cmocka_unit_test(test_open_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
