/* The rules of MPI-3.1 chapter 11 on epochs, one row each: the calls of rank 0 in order, and what the cursor says of
 * the last one. Calls are numbered from 0; the window has ranks 0 to 2, and groups name ranks 1 and 2 unless the row
 * says another. */
#include "trace_test.h"

#include <stdio.h>
#include <string.h>

#include "trace/epoch_cursor.h"

#define PUT(TARGET)    "MPI_Put win=0 target=" #TARGET " bytes=8"
#define LOCK(TARGET)   "MPI_Win_lock win=0 target=" #TARGET " lock=shared"
#define UNLOCK(TARGET) "MPI_Win_unlock win=0 target=" #TARGET
#define START          "MPI_Win_start win=0 group=1,2"
#define POST           "MPI_Win_post win=0 group=1,2"
#define COMPLETE       "MPI_Win_complete win=0"
#define WAIT           "MPI_Win_wait win=0"
#define FENCE          "MPI_Win_fence win=0"
#define LOCK_ALL       "MPI_Win_lock_all win=0"
#define UNLOCK_ALL     "MPI_Win_unlock_all win=0"
#define FREE           "MPI_Win_free win=0"

enum { NO = -1 };

/* Numbers of the calls that opened the epoch, NO: there is none. */
struct rule {
    const char *section, *what;
    const char *calls[6];
    unsigned faults;
    int opens, in, closes, overlaps[2];
};

static const struct rule rules[] = {
    /* Fences. A fence ends the epoch before it and begins the next one. */
    {"11.5.1", "a fence begins an epoch", {FENCE}, 0, 0, NO, NO, {NO, NO}},
    {"11.5.1", "an operation is in the epoch of the fence", {FENCE, PUT(1)}, 0, NO, 0, NO, {NO, NO}},
    {"11.5.1", "a fence ends the epoch before it", {FENCE, PUT(1), FENCE}, 0, 2, NO, 0, {NO, NO}},
    {"11.5.1", "each fence begins one", {FENCE, FENCE, PUT(1)}, 0, NO, 1, NO, {NO, NO}},
    {"11.5.1", "without operations there is no epoch to overlap", {FENCE, START}, 0, 1, NO, NO, {NO, NO}},
    {"11.5.1", "no start while fences have operations", {FENCE, PUT(1), START}, EPOCH_OVERLAPS, 2, NO, NO, {0, NO}},
    {"11.5.1", "no lock while fences have operations", {FENCE, PUT(1), LOCK(1)}, EPOCH_OVERLAPS, 2, NO, NO, {0, NO}},
    {"11.5.1", "no fence inside a start", {START, FENCE}, EPOCH_OVERLAPS, 1, NO, NO, {0, NO}},
    {"11.5.1", "no fence inside a post", {POST, FENCE}, EPOCH_OVERLAPS, 1, NO, NO, {0, NO}},
    {"11.5.1", "no fence inside both", {POST, START, FENCE}, EPOCH_OVERLAPS, 2, NO, NO, {1, 0}},
    {"11.5.1", "no fence inside a lock", {LOCK(1), FENCE}, EPOCH_OVERLAPS, 1, NO, NO, {0, NO}},
    {"11.5.1", "no fence inside lock_all", {LOCK_ALL, FENCE}, EPOCH_OVERLAPS, 1, NO, NO, {0, NO}},
    /* Start, complete; post, wait, test. */
    {"11.5.2", "start opens", {START}, 0, 0, NO, NO, {NO, NO}},
    {"11.5.2", "an operation is in the start", {START, PUT(2)}, 0, NO, 0, NO, {NO, NO}},
    {"11.5.2", "complete closes", {START, PUT(2), COMPLETE}, 0, NO, NO, 0, {NO, NO}},
    {"11.5.2", "no complete without start", {COMPLETE}, EPOCH_NOT_OPEN, NO, NO, NO, {NO, NO}},
    {"11.5.2", "no second complete", {START, COMPLETE, COMPLETE}, EPOCH_NOT_OPEN, NO, NO, NO, {NO, NO}},
    {"11.5.2", "targets are in the group", {START, PUT(0)}, EPOCH_OUTSIDE_GROUP, NO, 0, NO, {NO, NO}},
    {"11.5.2", "access epochs are disjoint", {START, START}, EPOCH_OVERLAPS, 1, NO, NO, {0, NO}},
    {"11.5.2", "the later start is what complete closes", {START, START, COMPLETE}, 0, NO, NO, 1, {NO, NO}},
    {"11.5.2", "post opens", {POST}, 0, 0, NO, NO, {NO, NO}},
    {"11.5.2", "wait closes", {POST, WAIT}, 0, NO, NO, 0, {NO, NO}},
    {"11.5.2", "no wait without post", {WAIT}, EPOCH_NOT_OPEN, NO, NO, NO, {NO, NO}},
    {"11.5.2", "exposure epochs are disjoint", {POST, POST}, EPOCH_OVERLAPS, 1, NO, NO, {0, NO}},
    {"11.5.2", "a test that found nothing closes nothing", {POST, "MPI_Win_test win=0 flag=0"}, 0, NO, 0, NO, {NO, NO}},
    {"11.5.2", "a successful test is a wait", {POST, "MPI_Win_test win=0 flag=1"}, 0, NO, NO, 0, {NO, NO}},
    {"11.5.2", "no test without post", {"MPI_Win_test win=0 flag=0"}, EPOCH_NOT_OPEN, NO, NO, NO, {NO, NO}},
    {"11.5", "a process is origin and target at once", {POST, START, PUT(1)}, 0, NO, 1, NO, {NO, NO}},
    {"11.5",
     "an exposure epoch takes no operations of its own rank",
     {POST, PUT(1)},
     EPOCH_OUTSIDE,
     NO,
     NO,
     NO,
     {NO, NO}},
    /* Locks. */
    {"11.5.3", "lock opens", {LOCK(1)}, 0, 0, NO, NO, {NO, NO}},
    {"11.5.3", "locks of several targets may be held", {LOCK(1), LOCK(2)}, 0, 1, NO, NO, {NO, NO}},
    {"11.5.3", "an operation is under the lock of its target", {LOCK(1), LOCK(2), PUT(1)}, 0, NO, 0, NO, {NO, NO}},
    {"11.5.3", "unlock lets go of one target", {LOCK(1), LOCK(2), UNLOCK(1), PUT(2)}, 0, NO, 1, NO, {NO, NO}},
    {"11.5.3", "unlock closes", {LOCK(1), LOCK(2), UNLOCK(2)}, 0, NO, NO, 1, {NO, NO}},
    {"11.5.3", "a lock covers its target only", {LOCK(1), PUT(2)}, EPOCH_OUTSIDE, NO, NO, NO, {NO, NO}},
    {"11.5.3", "no operation behind unlock", {LOCK(1), UNLOCK(1), PUT(1)}, EPOCH_OUTSIDE, NO, NO, NO, {NO, NO}},
    {"11.5.3", "no unlock without lock", {LOCK(1), UNLOCK(2)}, EPOCH_NOT_OPEN, NO, NO, NO, {NO, NO}},
    {"11.5.3", "a process locks a target once at a time", {LOCK(1), LOCK(1)}, EPOCH_OVERLAPS, NO, NO, NO, {0, NO}},
    {"11.5.3", "no lock inside a start", {START, LOCK(1)}, EPOCH_OVERLAPS, 1, NO, NO, {0, NO}},
    {"11.5.3", "no start under a lock: the oldest", {LOCK(1), LOCK(2), START}, EPOCH_OVERLAPS, 2, NO, NO, {0, NO}},
    {"11.5.3",
     "the oldest of those still held",
     {LOCK(1), LOCK(2), UNLOCK(1), START},
     EPOCH_OVERLAPS,
     3,
     NO,
     NO,
     {1, NO}},
    {"11.5.3", "lock_all covers all targets", {LOCK_ALL, PUT(0)}, 0, NO, 0, NO, {NO, NO}},
    {"11.5.3", "unlock_all closes", {LOCK_ALL, UNLOCK_ALL}, 0, NO, NO, 0, {NO, NO}},
    {"11.5.3", "no unlock_all without lock_all", {LOCK(1), UNLOCK_ALL}, EPOCH_NOT_OPEN, NO, NO, NO, {NO, NO}},
    {"11.5.3", "no lock under lock_all", {LOCK_ALL, LOCK(1)}, EPOCH_OVERLAPS, 1, NO, NO, {0, NO}},
    {"11.5.3", "no lock_all under a lock", {LOCK(1), LOCK_ALL}, EPOCH_OVERLAPS, 1, NO, NO, {0, NO}},
    /* Flushes. */
    {"11.5.4", "flush is under the lock", {LOCK(1), "MPI_Win_flush win=0 target=1"}, 0, NO, 0, NO, {NO, NO}},
    {"11.5.4", "flush is under lock_all", {LOCK_ALL, "MPI_Win_flush_local win=0 target=1"}, 0, NO, 0, NO, {NO, NO}},
    {"11.5.4",
     "no flush of a target without lock",
     {LOCK(1), "MPI_Win_flush win=0 target=2"},
     EPOCH_OUTSIDE,
     NO,
     NO,
     NO,
     {NO, NO}},
    {"11.5.4", "flush_all means every lock", {LOCK(1), "MPI_Win_flush_all win=0"}, 0, NO, NO, NO, {NO, NO}},
    {"11.5.4", "no flush_all without lock", {START, "MPI_Win_flush_all win=0"}, EPOCH_OUTSIDE, NO, NO, NO, {NO, NO}},
    /* Assertions. */
    {"11.5.5",
     "no operation behind NOSUCCEED",
     {FENCE " assert=NOSUCCEED", PUT(1)},
     EPOCH_AFTER_NOSUCCEED,
     NO,
     0,
     NO,
     {NO, NO}},
    {"11.5.5",
     "the next fence takes operations again",
     {FENCE " assert=NOSUCCEED", FENCE, PUT(1)},
     0,
     NO,
     1,
     NO,
     {NO, NO}},
    {"11.5.5",
     "no operation before NOPRECEDE",
     {FENCE, PUT(1), FENCE " assert=NOPRECEDE"},
     EPOCH_PRECEDED,
     NO,
     0,
     NO,
     {NO, NO}},
    {"11.5.5",
     "NOPRECEDE completes nothing: the next fence does",
     {FENCE, PUT(1), FENCE " assert=NOPRECEDE", FENCE},
     0,
     3,
     NO,
     0,
     {NO, NO}},
    {"11.5.5", "NOPRECEDE behind no operation", {FENCE, FENCE " assert=NOPRECEDE", PUT(1)}, 0, NO, 1, NO, {NO, NO}},
    /* Operations. */
    {"11.5", "no operation outside epochs", {PUT(1)}, EPOCH_OUTSIDE, NO, NO, NO, {NO, NO}},
    {"11.5", "no operation behind complete", {START, COMPLETE, PUT(1)}, EPOCH_OUTSIDE, NO, NO, NO, {NO, NO}},
    {"11.3", "MPI_PROC_NULL may stand anywhere", {"MPI_Put win=0 target=-1 bytes=8"}, 0, NO, NO, NO, {NO, NO}},
    {"11.3.5", "requests are for locks", {LOCK(1), "MPI_Rput win=0 target=1 bytes=8 req=1"}, 0, NO, 0, NO, {NO, NO}},
    {"11.3.5", "not for starts", {START, "MPI_Rput win=0 target=1 bytes=8 req=1"}, EPOCH_NO_LOCK, NO, 0, NO, {NO, NO}},
    {"11.3.5", "not for fences", {FENCE, "MPI_Rget win=0 target=1 bytes=8 req=1"}, EPOCH_NO_LOCK, NO, 0, NO, {NO, NO}},
    /* Windows. */
    {"11.2.5", "a window is freed outside epochs", {FENCE, FREE}, 0, NO, NO, NO, {NO, NO}},
    {"11.2.5", "not inside a start", {START, FREE}, EPOCH_OVERLAPS, NO, NO, NO, {0, NO}},
    {"11.2.5", "not inside a post", {POST, FREE}, EPOCH_OVERLAPS, NO, NO, NO, {0, NO}},
    {"11.2.5", "not under a lock", {LOCK(2), FREE}, EPOCH_OVERLAPS, NO, NO, NO, {0, NO}},
    {"11.2.5", "not while a fence has operations", {FENCE, PUT(1), FREE}, EPOCH_OVERLAPS, NO, NO, NO, {0, NO}},
    {"11.2.5", "its epochs end with it", {START, FREE, COMPLETE}, EPOCH_NOT_OPEN, NO, NO, NO, {NO, NO}},
    {"11.5", "windows are apart", {START, "MPI_Win_start win=1 group=1"}, 0, 1, NO, NO, {NO, NO}},
};

static struct trace *trace_of_calls(const char *const calls[], size_t most)
{
    char text[2048] = "rmacast-trace 1\nranks 3\nwindow 0 comm=0\nwindow 1 comm=0\n";
    for (size_t i = 0; i < most && calls[i]; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "0 %zu %zu %s\n", i, i + 1, calls[i]);
    return trace_of(text);
}

static int opened(const struct epoch *epoch)
{
    return epoch ? (int)epoch->opened : NO;
}

static void each_rule(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        const struct rule *rule = &rules[r];
        struct trace *trace = trace_of_calls(rule->calls, sizeof rule->calls / sizeof *rule->calls);
        struct epoch_cursor cursor;
        struct epoch_step step;
        struct err err;
        assert_int_equal(epoch_cursor_init(&cursor, trace, &err), STATUS_OK);
        for (size_t i = 0; i < trace->ranks[0].count; i++)
            assert_int_equal(epoch_cursor_take(&cursor, &trace->ranks[0].calls[i], i, &step, &err), STATUS_OK);
        const int found[] = {(int)step.faults,    opened(step.opens),       opened(step.in),
                             opened(step.closes), opened(step.overlaps[0]), opened(step.overlaps[1])};
        const int expected[] = {(int)rule->faults, rule->opens,       rule->in,
                                rule->closes,      rule->overlaps[0], rule->overlaps[1]};
        if (memcmp(found, expected, sizeof found) != 0)
            fail_msg("MPI-3.1 %s, %s: faults %d opens %d in %d closes %d overlaps %d, %d", rule->section, rule->what,
                     found[0], found[1], found[2], found[3], found[4], found[5]);
        epoch_cursor_clear(&cursor);
        trace_free(trace);
    }
}

/* A put to rank 1, and calls that complete it or not. */
static const struct {
    const char *section, *call;
    enum epoch_completion completion;
} completions[] = {
    {"11.5.1", FENCE, COMPLETE_AT_TARGET},
    {"11.5.5", FENCE " assert=NOPRECEDE", COMPLETE_NOWHERE},
    {"11.5.2", COMPLETE, COMPLETE_AT_ORIGIN},
    {"11.5.2", WAIT, COMPLETE_NOWHERE},
    {"11.5.3", UNLOCK(1), COMPLETE_AT_TARGET},
    {"11.5.3", UNLOCK(2), COMPLETE_NOWHERE},
    {"11.5.3", UNLOCK_ALL, COMPLETE_AT_TARGET},
    {"11.5.4", "MPI_Win_flush win=0 target=1", COMPLETE_AT_TARGET},
    {"11.5.4", "MPI_Win_flush win=0 target=2", COMPLETE_NOWHERE},
    {"11.5.4", "MPI_Win_flush_all win=0", COMPLETE_AT_TARGET},
    {"11.5.4", "MPI_Win_flush_local win=0 target=1", COMPLETE_AT_ORIGIN},
    {"11.5.4", "MPI_Win_flush_local_all win=0", COMPLETE_AT_ORIGIN},
    {"11.5.4", "MPI_Win_flush_all win=1", COMPLETE_NOWHERE},
    {"11.5.4", "MPI_Win_sync win=0", COMPLETE_NOWHERE},
};

static void each_completion(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof completions / sizeof *completions; i++) {
        struct trace *trace = trace_of_calls(&completions[i].call, 1);
        if (epoch_completion(&trace->ranks[0].calls[0], 0, 1) != completions[i].completion)
            fail_msg("MPI-3.1 %s: %s", completions[i].section, completions[i].call);
        trace_free(trace);
    }
}

/* Slots of closed epochs are used again: no more epochs are kept than are open at once, and one that ends. */
static void slots(void **state)
{
    (void)state;
    static const char *const calls[] = {LOCK(1),   LOCK(2), UNLOCK(1), LOCK(0), UNLOCK(0),
                                        UNLOCK(2), FENCE,   FENCE,     FENCE};
    struct trace *trace = trace_of_calls(calls, sizeof calls / sizeof *calls);
    struct epoch_cursor cursor;
    struct epoch_step step;
    struct err err;
    assert_int_equal(epoch_cursor_init(&cursor, trace, &err), STATUS_OK);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(epoch_cursor_take(&cursor, &trace->ranks[0].calls[i], i, &step, &err), STATUS_OK);
    const struct epoch *lock = epoch_cursor_open(&cursor, 0, EPOCH_LOCK);
    assert_int_equal(lock->target, 2);
    lock = epoch_cursor_newer(&cursor, lock);
    assert_int_equal(lock->target, 0);
    assert_null(epoch_cursor_newer(&cursor, lock));
    for (size_t i = 4; i < trace->ranks[0].count; i++)
        assert_int_equal(epoch_cursor_take(&cursor, &trace->ranks[0].calls[i], i, &step, &err), STATUS_OK);
    assert_int_equal(step.fence, 2);
    assert_int_equal(cursor.count, 2);
    epoch_cursor_restart(&cursor);
    assert_null(epoch_cursor_open(&cursor, 0, EPOCH_FENCE));
    epoch_cursor_clear(&cursor);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule),
        cmocka_unit_test(each_completion),
        cmocka_unit_test(slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
