/* MPI-3 calls: lock_all, flushes, request-based and fetching operations, sendrecv, collectives with counts. */
#include "model_test.h"

#include "model/match/locks.h"
#include "model/match/relations.h"
#include "model/transfers/bounds.h"
#include "model/waits/properties.h"

static void expect_end(const char *text, size_t index, int64_t us)
{
    struct err err;
    struct transfers transfers;
    struct trace *trace = trace_of(text);
    if (bounds_find(trace, &transfers, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_true(index < transfers.count);
    assert_int_equal(transfers.items[index].upper_end_ps, us * US);
    transfers_clear(&transfers);
    trace_free(trace);
}

#define ALL         "ranks 3\nwindow 0 comm=0\n0 0.000001 0.000002 MPI_Win_lock_all win=0 assert=0\n"
#define PUT(target) "0 0.000003 0.000004 MPI_Put win=0 target=" target " bytes=8\n"
#define END         "0 0.000090 0.000099 MPI_Win_unlock_all win=0\n"

static void flush_completes_at_the_target(void **state)
{
    (void)state;
    expect_end(ALL PUT("1") END, 0, 99);
    expect_end(ALL PUT("1") "0 0.000010 0.000020 MPI_Win_flush win=0 target=1\n" END, 0, 20);
    expect_end(ALL PUT("1") "0 0.000010 0.000020 MPI_Win_flush win=0 target=2\n" END, 0, 99);
    expect_end(ALL PUT("1") "0 0.000010 0.000020 MPI_Win_flush_all win=0\n" END, 0, 20);
    /* A put after the flush is not flushed by it. */
    expect_end(ALL "0 0.000002 0.000003 MPI_Win_flush_all win=0\n" PUT("1") END, 0, 99);
}

static void local_flush_completes_gets_only(void **state)
{
    (void)state;
    expect_end(ALL PUT("1") "0 0.000010 0.000020 MPI_Win_flush_local win=0 target=1\n" END, 0, 99);
    expect_end(ALL "0 0.000003 0.000004 MPI_Get win=0 target=1 bytes=8\n"
                   "0 0.000010 0.000020 MPI_Win_flush_local_all win=0\n" END,
               0, 20);
    expect_end(ALL "0 0.000003 0.000004 MPI_Fetch_and_op win=0 target=1 bytes=8 result_bytes=8 op=MPI_SUM\n"
                   "0 0.000010 0.000020 MPI_Win_flush_local win=0 target=1\n" END,
               0, 20);
}

static void requests(void **state)
{
    (void)state;
    /* The wait of a put's request says nothing of the target. */
    expect_end(ALL
               "0 0.000003 0.000004 MPI_Rput win=0 target=1 bytes=8 req=1\n0 0.000010 0.000020 MPI_Wait req=1\n" END,
               0, 99);
    expect_end(
        ALL "0 0.000003 0.000004 MPI_Rget win=0 target=1 bytes=8 req=1\n0 0.000010 0.000020 MPI_Waitall reqs=1\n" END,
        0, 20);
}

static void flush_under_one_lock(void **state)
{
    (void)state;
    expect_end("ranks 2\nwindow 0 comm=0\n0 0.000001 0.000002 MPI_Win_lock win=0 target=1 lock=shared\n" PUT(
                   "1") "0 0.000010 0.000020 MPI_Win_flush win=0 target=1\n0 0.000090 0.000099 MPI_Win_unlock win=0 "
                        "target=1\n",
               0, 20);
}

/* MPI_PROC_NULL has no lock: rank 1 waits for nobody's, 20 to 60. With a real target it would wait until 51. */
#define TWO_EXCLUSIVE(target)                                                                                          \
    "ranks 3\nwindow 0 comm=0\n"                                                                                       \
    "0 0.000010 0.000011 MPI_Win_lock win=0 target=" target " lock=exclusive\n"                                        \
    "0 0.000050 0.000051 MPI_Win_unlock win=0 target=" target "\n"                                                     \
    "1 0.000020 0.000060 MPI_Win_lock win=0 target=" target " lock=exclusive\n"                                        \
    "1 0.000070 0.000071 MPI_Win_unlock win=0 target=" target "\n"
static void nobody_has_no_lock(void **state)
{
    (void)state;
    assert_int_equal(severity_ps(TWO_EXCLUSIVE("-"), NULL, PATTERN_LOCK_CONTENTION, 1), 0);
    assert_int_equal(severity_ps(TWO_EXCLUSIVE("2"), NULL, PATTERN_LOCK_CONTENTION, 1), 31 * US);
}

/* Rank 2's exclusive lock of rank 1 returns at 12, after rank 0 entered its unlock at 10: so rank 0's shared lock of rank 1 was
 * free, be it of a lock or of a lock_all, whose end at 30 waits for other targets. The lock call has waited from 5 to 12 for rank
 * 0. Rank 2's own release at 14 bounds that release, and would leave 1 us from 13 to 14 for a lazy lock's unlock: the longer wait
 * counts. Rank 0's lock returned at 1, before rank 2 asked. */
static void an_exclusive_lock_shows_the_release_of_shared_ones(void **state)
{
    (void)state;
#define LATE_RELEASE(LOCK, UNLOCK)                                                                                     \
    "ranks 3\nwindow 0 comm=0\n0 0.000000 0.000001 " LOCK "\n0 0.000010 0.000030 " UNLOCK "\n"                         \
    "2 0.000005 0.000012 MPI_Win_lock win=0 target=1 lock=exclusive\n"                                                 \
    "2 0.000013 0.000014 MPI_Win_unlock win=0 target=1\n"
    static const char all[] = LATE_RELEASE("MPI_Win_lock_all win=0", "MPI_Win_unlock_all win=0"),
                      one[] = LATE_RELEASE("MPI_Win_lock win=0 target=1 lock=shared", "MPI_Win_unlock win=0 target=1");
    /* A lock that returns at the enter of the unlock shows nothing: rank 0 waits from 10 to 14. Rank 2 asked after 1. */
    static const char tie[] = "ranks 3\nwindow 0 comm=0\n0 0.000000 0.000001 MPI_Win_lock win=0 target=1 lock=shared\n"
                              "0 0.000010 0.000030 MPI_Win_unlock win=0 target=1\n"
                              "2 0.000005 0.000010 MPI_Win_lock win=0 target=1 lock=exclusive\n"
                              "2 0.000013 0.000014 MPI_Win_unlock win=0 target=1\n";
    assert_int_equal(severity_ps(tie, NULL, PATTERN_LOCK_CONTENTION, 0), 4 * US);
    assert_int_equal(severity_ps(tie, NULL, PATTERN_LOCK_CONTENTION, 2), 0);
    for (int i = 0; i < 2; i++) {
        const char *text = i == 0 ? all : one;
        assert_int_equal(severity_ps(text, NULL, PATTERN_LOCK_CONTENTION, 0), 0);
        assert_int_equal(severity_ps(text, NULL, PATTERN_LOCK_CONTENTION, 2), 7 * US);
    }
}

/* The origin for whose release rank 2's last lock waits, -1: none; and the release for which it would wait otherwise. */
struct found {
    int holder;
    int64_t next_ps;
};
static enum status note_holder(void *context, const struct holding *holding, const struct holding *holder)
{
    struct found *found = context;
    if (holding->origin == 2) *found = (struct found){holder ? (int)holder->origin : -1, holding->next_ps};
    return STATUS_OK;
}

static struct found holder_before_rank_2(const char *text)
{
    struct err err;
    struct relations relations;
    struct trace *trace = trace_of(text);
    struct found found = {-2, 0};
    if (relations_build(trace, &relations, &err) != STATUS_OK) fail_msg("%s", err.text);
    if (locks_visit(&relations, note_holder, &found, &err) != STATUS_OK) fail_msg("%s", err.text);
    relations_clear(&relations);
    trace_free(trace);
    return found;
}

/* Two shared holders of a lazy lock release it at 100 us; the one that asked later is the one before rank 2. A lock asks in
 * its first operation with a request, at 10, else in its first flush, at 30, else in its unlock, at 50 or 60; whether other
 * operations come before or behind that is no matter. If both ask at 50, the lock that began later counts, then the higher
 * rank. */
static void the_last_to_ask_is_the_holder(void **state)
{
    (void)state;
#define LAZY                                                                                                           \
    "ranks 4\nproperty simulated=1 platform=case engine=loggp semantics=a lock=lazy\nwindow 0 comm=0 bytes=8 disp_unit=1\n" \
    "2 0.000000 0.000001 MPI_Win_lock win=0 target=3 lock=exclusive\n"                                                 \
    "2 0.000020 0.000021 MPI_Put win=0 target=3 bytes=8 disp=0\n2 0.000070 0.000150 MPI_Win_unlock win=0 target=3\n"
#define SHARES(RANK, AT)  #RANK " " AT " 0.000002 MPI_Win_lock win=0 target=3 lock=shared\n"
#define PUTS(RANK, AT)    #RANK " " AT " " AT " MPI_Put win=0 target=3 bytes=8 disp=0\n"
#define RPUTS(RANK)                                                                                                    \
    #RANK " 0.000010 0.000010 MPI_Rput win=0 target=3 bytes=8 disp=0 req=1\n" #RANK " 0.000011 0.000012 MPI_Wait req=1\n"
#define FLUSHES(RANK)     #RANK " 0.000030 0.000040 MPI_Win_flush win=0 target=3\n"
#define LEAVES(RANK, AT)  #RANK " " AT " 0.000100 MPI_Win_unlock win=0 target=3\n"
    static const struct {
        const char *text;
        int holder;
    } rows[] = {
        {LAZY SHARES(0, "0.0") PUTS(0, "0.000005") RPUTS(0) LEAVES(0, "0.000060")
             SHARES(1, "0.0") PUTS(1, "0.000005") LEAVES(1, "0.000050"), 1},
        {LAZY SHARES(0, "0.0") PUTS(0, "0.000005") LEAVES(0, "0.000050")
             SHARES(1, "0.0") PUTS(1, "0.000005") RPUTS(1) LEAVES(1, "0.000060"), 0},
        {LAZY SHARES(0, "0.0") PUTS(0, "0.000005") LEAVES(0, "0.000050")
             SHARES(1, "0.0") RPUTS(1) PUTS(1, "0.000015") LEAVES(1, "0.000060"), 0},
        {LAZY SHARES(0, "0.0") PUTS(0, "0.000005") LEAVES(0, "0.000050")
             SHARES(1, "0.0") PUTS(1, "0.000005") FLUSHES(1) PUTS(1, "0.000045") LEAVES(1, "0.000060"), 0},
        {LAZY SHARES(0, "0.0") PUTS(0, "0.000005") FLUSHES(0) LEAVES(0, "0.000050")
             SHARES(1, "0.0") PUTS(1, "0.000005") RPUTS(1) LEAVES(1, "0.000060"), 0},
        {LAZY SHARES(0, "0.000001") PUTS(0, "0.000005") LEAVES(0, "0.000050")
             SHARES(1, "0.0") PUTS(1, "0.000005") LEAVES(1, "0.000050"), 0},
        {LAZY SHARES(0, "0.0") PUTS(0, "0.000005") LEAVES(0, "0.000050")
             SHARES(1, "0.0") PUTS(1, "0.000005") LEAVES(1, "0.000050"), 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (holder_before_rank_2(rows[i].text).holder != rows[i].holder)
            fail_msg("row %zu: rank %d, expected %d", i, holder_before_rank_2(rows[i].text).holder, rows[i].holder);
}

/* Exclusive locks of rank 3 that are released at 10, 20, 30 and then by rank 2, which waits for the last holder. Without that
 * one it would wait for the last release by a third origin: rank 1's at 20; if ranks 2 and 0 took turns for none; before them
 * rank 1 at 10; and if the last holder came twice in a row, for that of the other one. */
static void the_next_release_is_of_a_third_origin(void **state)
{
    (void)state;
#define TURN(RANK, LOCK, LOCKED, UNLOCK, RELEASED)                                                                     \
    #RANK " 0.0000" #LOCK " 0.0000" #LOCKED " MPI_Win_lock win=0 target=3 lock=exclusive\n" #RANK " 0.0000" #UNLOCK      \
    " 0.0000" #RELEASED " MPI_Win_unlock win=0 target=3\n"
#define FIRST(RANK)  TURN(RANK, 01, 02, 08, 10)
#define SECOND(RANK) TURN(RANK, 11, 12, 18, 20)
#define THIRD(RANK)  TURN(RANK, 21, 22, 28, 30)
#define LAST         TURN(2, 31, 32, 38, 40)
#define FOUR         "ranks 4\nwindow 0 comm=0\n"
    static const struct {
        const char *text;
        struct found expected;
    } rows[] = {
        {FOUR FIRST(0) THIRD(0) SECOND(1) LAST, {0, 20 * US}},
        {FOUR FIRST(0) THIRD(0) SECOND(2) LAST, {0, INT64_MIN}},
        {FOUR THIRD(0) FIRST(1) SECOND(2) LAST, {0, 10 * US}},
        {FOUR SECOND(0) THIRD(0) FIRST(1) LAST, {0, 10 * US}},
        {FOUR THIRD(0) FIRST(2) SECOND(2) LAST, {0, INT64_MIN}},
        {FOUR FIRST(2) SECOND(2) THIRD(2) LAST, {-1, INT64_MIN}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct found found = holder_before_rank_2(rows[i].text);
        if (found.holder != rows[i].expected.holder || found.next_ps != rows[i].expected.next_ps)
            fail_msg("row %zu: rank %d, %lld ps", i, found.holder, (long long)found.next_ps);
    }
}

static void epoch_faults(void **state)
{
    (void)state;
    expect_fault(ALL "0 0.000003 0.000004 MPI_Win_lock win=0 target=1 lock=shared\n",
                 (const char *const[]){"rank 0, event 2 (MPI_Win_lock)", "still held", NULL});
    expect_fault("ranks 1\nwindow 0 comm=0\n" END, (const char *const[]){"rank 0, event 1", "MPI_Win_lock_all", NULL});
    expect_fault(ALL END "0 0.000100 0.000101 MPI_Put win=0 target=1 bytes=8\n",
                 (const char *const[]){"outside any access epoch", NULL});
}

static void sendrecv(void **state)
{
    (void)state;
    /* Both exchange: rank 0 enters at 10, rank 1 at 40: rank 0 waits 30 for rank 1's part. */
    const char *text =
        "ranks 2\n0 0.000010 0.000050 MPI_Sendrecv comm=0 peer=1 tag=1 source=1 recvtag=2 bytes=8 received=8\n"
        "1 0.000040 0.000055 MPI_Sendrecv comm=0 peer=0 tag=2 source=0 recvtag=1 bytes=8 received=8\n";
    assert_int_equal(severity_ps(text, NULL, PATTERN_LATE_SENDER, 0), 30 * US);
    assert_int_equal(severity_ps(text, NULL, PATTERN_LATE_SENDER, 1), 0);
}

static void collectives_with_counts(void **state)
{
    (void)state;
    const char *text = "ranks 2\n0 0.000010 0.000040 MPI_Reduce_scatter comm=0 bytes=16\n"
                       "1 0.000030 0.000041 MPI_Reduce_scatter comm=0 bytes=16\n";
    assert_int_equal(severity_ps(text, NULL, PATTERN_WAIT_AT_NXN, 0), 20 * US);
}

/* Only calls that have nothing to do with messages or windows count as "other". */
static void every_kind_has_its_property(void **state)
{
    (void)state;
    for (int k = CALL_WIN_CREATE; k <= CALL_EXSCAN; k++)
        if (property_of((enum call_kind)k) == PROPERTY_INIT_FINALIZE) fail_msg("kind %d counts as other", k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flush_completes_at_the_target),
        cmocka_unit_test(local_flush_completes_gets_only),
        cmocka_unit_test(requests),
        cmocka_unit_test(flush_under_one_lock),
        cmocka_unit_test(nobody_has_no_lock),
        cmocka_unit_test(an_exclusive_lock_shows_the_release_of_shared_ones),
        cmocka_unit_test(the_last_to_ask_is_the_holder),
        cmocka_unit_test(the_next_release_is_of_a_third_origin),
        cmocka_unit_test(epoch_faults),
        cmocka_unit_test(sendrecv),
        cmocka_unit_test(collectives_with_counts),
        cmocka_unit_test(every_kind_has_its_property),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
