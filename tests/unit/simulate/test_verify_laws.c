/* Each law holds on predicted traces written by hand and breaks when one figure in them is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "verify_test.h"

/* broken NULL: the law holds; else it is broken, and the detail holds this text. */
static void assert_law(struct verify_row row, const char *broken)
{
    if (!broken) {
        assert_string_equal(verify_state_name(row.state), "holds");
        return;
    }
    assert_int_equal(row.state, VERIFY_BROKEN);
    if (!strstr(row.detail, broken)) fail_msg("'%s' is not in '%s'", broken, row.detail);
}

#define assert_holds(row)        assert_law(row, NULL)
#define assert_broken(row, text) assert_law(row, text)

enum { START, PUT, COMPLETE }; /* of rank 0 in the worked example */
enum { POST, WAIT };           /* of rank 1 */

static void worked(struct test_context *test, char letter)
{
    const char semantics[] = {letter, '\0'};
    test_context_init(test, test_worked_example(letter), test_platform(semantics, NULL));
}

static void the_worked_example_breaks_no_law(void **state)
{
    (void)state;
    for (char letter = 'a'; letter <= 'd'; letter++) {
        struct test_context test;
        worked(&test, letter);
        assert_holds(test_law(&test, verify_transfer_time));
        struct verify_row active = test_law(&test, verify_waits_active);
        assert_holds(active);
        assert_int_equal(active.checked, letter == 'd' ? 3 : 5); /* d: neither put nor complete waits */
        assert_holds(test_law(&test, verify_bounds));
        assert_holds(test_law(&test, verify_conservation));
        test_context_clear(&test);
    }
}

/* One figure of rank 0 in the worked example that is another one. */
enum figure { EXIT, LEAVES, ARRIVES, LEAST };

static void a_wrong_figure_breaks_the_law_that_it_contradicts(void **state)
{
    (void)state;
    static const struct {
        char letter;
        int call;
        enum figure figure;
        int64_t ps;
        verify_law *law;
        const char *broken;
    } rows[] = {
        /* 1 MB cannot take less than 10 + 100 us from 460 on: one picosecond is forgiven, two are not. */
        {'a', PUT, ARRIVES, 570 * US - 1, verify_transfer_time, NULL},
        {'a', PUT, ARRIVES, 570 * US - 2, verify_transfer_time, "rank 0, event 2 (MPI_Put)"},
        {'a', PUT, ARRIVES, 570 * US - 2, verify_waits_active, NULL},
        {'b', PUT, ARRIVES, TRACE_UNKNOWN_PS, verify_transfer_time, "does not know"},
        /* Data that arrive at 571 have not arrived when wait returns at 570. */
        {'a', PUT, ARRIVES, 571 * US, verify_transfer_time, NULL},
        {'a', PUT, ARRIVES, 571 * US, verify_waits_active, "rank 1, event 2 (MPI_Win_wait)"},
        {'a', PUT, ARRIVES, 571 * US, verify_bounds, "outside its bounds"},
        {'a', PUT, ARRIVES, 570 * US + 1, verify_bounds, NULL},
        {'a', PUT, ARRIVES, 570 * US + 2, verify_bounds, "outside its bounds"},
        {'a', PUT, LEAST, 570 * US, verify_bounds, NULL},
        {'a', PUT, LEAST, 571 * US, verify_bounds, "outside its bounds 571"},
        /* The end of a put lies behind the call that asked for it: in b the call returns at 410. */
        {'b', PUT, ARRIVES, 410 * US - 1, verify_bounds, NULL},
        {'b', PUT, ARRIVES, 410 * US - 2, verify_bounds, "rank 0, event 2 (MPI_Put)"},
        /* The post of 400 is known at the origin at 410: nothing that waits for it may return at 409, under the semantics that
         * make it wait. */
        {'a', START, EXIT, 409 * US, verify_waits_active, "start returns before the post"},
        {'b', PUT, EXIT, 409 * US, verify_waits_active, "the call returns before the post"},
        {'c', COMPLETE, EXIT, 409 * US, verify_waits_active, "complete returns before"},
        {'d', PUT, LEAVES, 409 * US, verify_waits_active, "the data move before"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_context test;
        worked(&test, rows[i].letter);
        struct trace_rank *rank = &test.outcome.trace->ranks[0];
        int64_t *figures[] = {[EXIT] = &rank->calls[rows[i].call].exit_ps,
                              [LEAVES] = &rank->sim[rows[i].call].xfer_start_ps,
                              [ARRIVES] = &rank->sim[rows[i].call].xfer_end_ps,
                              [LEAST] = &rank->sim[rows[i].call].xfer_least_ps};
        *figures[rows[i].figure] = rows[i].ps;
        assert_law(test_law(&test, rows[i].law), rows[i].broken);
        test_context_clear(&test);
    }
}

/* A put waits for the posts of its whole group: rank 1 posts at 100, rank 2 at 300, which are known at 110 and 310. */
static void put_for_the_group(struct test_context *test, const char *waits, int64_t exit_us, int64_t leaves_us)
{
    static const int32_t targets[] = {1, 2};
    char table[128];
    snprintf(table, sizeof table, "mpi.rma.semantics={\"put\":[{\"waits\":\"%s\",\"posts\":\"group\"}]}", waits);
    struct trace *trace = test_trace(3, 1);
    uint32_t group;
    struct err err;
    assert_int_equal(trace_add_group(trace, targets, 2, &group, &err), STATUS_OK);
    test_call(trace, 0, ID_Win_start, 0, 0)->ref = group;
    test_operation(trace, 0, ID_Put, 10, exit_us, 1, 1000000, leaves_us, leaves_us + 110);
    test_call(trace, 0, ID_Win_complete, 320, 430);
    for (uint32_t target = 1; target <= 2; target++) {
        int64_t post_us = target == 1 ? 100 : 300;
        test_call(trace, target, ID_Win_post, post_us, post_us)->ref = test_group(trace, 0);
        test_call(trace, target, ID_Win_wait, post_us, 450);
    }
    test_context_init(test, trace, test_platform("b", table));
}

static void puts_that_do_not_wait_for_the_group_break_law_2(void **state)
{
    (void)state;
    static const struct {
        const char *waits, *broken;
        int64_t exit_us, leaves_us;
    } rows[] = {
        {"call", NULL, 310, 310},
        {"call", "the call returns before the posts of the group", 309, 310},
        {"call", "the data move before the posts of the group", 310, 309},
        {"complete", NULL, 10, 310},
        {"complete", "the data move before the posts of the group", 10, 110},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_context test;
        put_for_the_group(&test, rows[i].waits, rows[i].exit_us, rows[i].leaves_us);
        assert_law(test_law(&test, verify_waits_active), rows[i].broken);
        /* What the trace says it waited for: both posts in the call under b, both in complete under c. */
        struct trace_sim *sim = test.outcome.trace->ranks[0].sim;
        bool in_call = strcmp(rows[i].waits, "call") == 0;
        sim[in_call ? PUT : COMPLETE].awaited_post_ps = 300 * US;
        totals_add(&test.outcome.totals, PATTERN_EARLY_TRANSFER, 0, in_call ? 290 * US : 0);
        assert_holds(test_law(&test, verify_awaited));
        if (in_call) sim[PUT].awaited_post_ps = 100 * US; /* its target's */
        if (in_call) assert_broken(test_law(&test, verify_awaited), "has to wait for one of 300000000 ps");
        test_context_clear(&test);
    }
}

/* In a start, in b the put, in c complete waits for the post of 400, from 0, 50 and 100 on; in d nothing does. Said of
 * another call, of an earlier post or not at all, or counted otherwise, it breaks the law. */
static void calls_that_say_otherwise_what_they_waited_for_break_law_3(void **state)
{
    (void)state;
    for (char letter = 'a'; letter <= 'd'; letter++) {
        struct test_context test;
        worked(&test, letter);
        struct trace_sim *sim = test.outcome.trace->ranks[0].sim;
        enum pattern pattern = letter == 'b' ? PATTERN_EARLY_TRANSFER : PATTERN_LATE_POST;
        int call = letter - 'a';
        const int64_t waited_us[] = {400, 350, 300};
        if (letter == 'd') {
            assert_holds(test_law(&test, verify_awaited));
            sim[PUT].awaited_post_ps = 400 * US;
            assert_broken(test_law(&test, verify_awaited),
                          "waited for one of 400000000 ps of the posts, has to wait for none");
            test_context_clear(&test);
            continue;
        }
        assert_broken(test_law(&test, verify_awaited), "of rank 0: the simulator counts 0 ps in 0 waits");
        totals_add(&test.outcome.totals, pattern, 0, waited_us[call] * US);
        assert_holds(test_law(&test, verify_awaited));
        for (int off = -1; off <= 1; off += 2) { /* an earlier post, or a later one */
            sim[call].awaited_post_ps = 400 * US + off;
            assert_broken(test_law(&test, verify_awaited), "has to wait for one of 400000000 ps");
        }
        sim[call].awaited_post_ps = TRACE_UNKNOWN_PS;
        assert_broken(test_law(&test, verify_awaited),
                      "waited for none of the posts, has to wait for one of 400000000 ps");
        test_context_clear(&test);
    }
}

/* Start of a is entered at 0, the put of b at 50, complete of c at 100; another call is at 45. The call's own time passes before
 * it waits: a post may come in it unawaited, and a microsecond later it may not. */
static void posts_that_come_in_own_time_break_no_law(void **state)
{
    (void)state;
    static const char pause[] = "mpi.pause={\"after_s\":1e-5,\"call_s\":5e-6}", 
                      behind[] = "mpi.rma.protocol.calls.complete=[\"issue\",\"acknowledged\",\"notify\"]";
    static const struct {
        char letter;
        const char *change;
        double overhead_s, loopback_overhead_s;
        bool within, deferred; /* both ranks on one node; issue = deferred */
        enum mpi_call between;
        uint16_t flags; /* of that call */
        int64_t until_us;
    } rows[] = {
        {'c', NULL, 5e-6, 5e-6, false, false, ID_Comm_group, 0, 105},
        {'c', NULL, 5e-6, 7e-6, false, false, ID_Comm_group, 0, 105},
        {'c', NULL, 5e-6, 7e-6, true, false, ID_Comm_group, 0, 107},
        /* complete that notifies behind acknowledgements spends its overhead later, unless it issues something */
        {'c', behind, 5e-6, 5e-6, false, false, ID_Comm_group, 0, 100},
        {'c', behind, 5e-6, 5e-6, false, true, ID_Comm_group, 0, 105},
        {'a', "mpi.call_s={\"MPI_Win_start\":5e-6}", 0, 0, false, false, ID_Comm_group, 0, 5},
        {'b', "mpi.call_s={\"MPI_Put\":5e-6}", 0, 0, false, false, ID_Comm_group, 0, 55},
        {'c', "mpi.call_s={\"MPI_Win_complete\":5e-6}", 0, 0, false, false, ID_Comm_group, 0, 105},
        {'c', "mpi.call_s={\"MPI_Win_start\":5e-6}", 0, 0, false, false, ID_Comm_group, 0, 100},
        /* the pause before the put lasts from the start on, or from the last call that asks somebody */
        {'b', pause, 0, 0, false, false, ID_Comm_group, 0, 55},
        {'b', pause, 0, 0, false, false, ID_Win_lock, TRACE_NOCHECK, 55},
        {'b', pause, 0, 0, false, false, ID_Win_lock, 0, 50},
        {'b', "mpi.pause={\"after_s\":6e-5,\"call_s\":5e-6}", 0, 0, false, false, ID_Comm_group, 0, 50},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int late = 0; late < 2; late++) {
            struct trace *trace = test_trace(2, 2);
            struct test_context test;
            const char letter[] = {rows[i].letter, '\0'};
            const int64_t post_us = rows[i].until_us + late;
            test_call(trace, 0, ID_Win_start, 0, 0)->ref = test_group(trace, 1);
            struct trace_call *call = test_call(trace, 0, rows[i].between, 45, 45);
            call->handle = rows[i].between == ID_Win_lock; /* of the other window */
            call->peer = rows[i].between == ID_Win_lock ? 1 : TRACE_NONE;
            call->flags = rows[i].flags;
            test_operation(trace, 0, ID_Put, 50, 50, 1, 8, 400, 411);
            test_call(trace, 0, ID_Win_complete, 100, 410);
            test_call(trace, 1, ID_Win_post, post_us, post_us)->ref = test_group(trace, 0);
            test_call(trace, 1, ID_Win_wait, 420, 430);
            test_context_init(&test, trace, test_platform(letter, rows[i].change));
            test.platform->overhead_s = rows[i].overhead_s;
            test.platform->loopback_overhead_s = rows[i].loopback_overhead_s;
            if (rows[i].within) test.platform->ranks_per_node = 2;
            if (rows[i].deferred) test.platform->issue = ISSUE_DEFERRED;
            struct verify_row row = test_law(&test, verify_awaited);
            if ((row.state == VERIFY_BROKEN) != late) fail_msg("row %zu, %d: %s", i, late, row.detail);
            if (late) assert_broken(row, "waited for none of the posts, has to wait for one of");
            test_context_clear(&test);
        }
}

/* Under NOCHECK the origin need not know of the post. */
static void nocheck_lifts_the_wait_for_the_post(void **state)
{
    (void)state;
    struct test_context test;
    worked(&test, 'a');
    test.outcome.trace->ranks[0].calls[START].exit_ps = 0;
    test.outcome.trace->ranks[0].calls[START].flags |= TRACE_NOCHECK;
    assert_holds(test_law(&test, verify_waits_active));
    test_context_clear(&test);
}

/* complete is entered at 510; its notification needs 10: wait cannot return before 520, whatever the data do. */
static void a_wait_before_the_notification_breaks_law_2(void **state)
{
    (void)state;
    struct test_context test;
    worked(&test, 'a');
    struct trace_sim *sim = &test.outcome.trace->ranks[0].sim[PUT];
    sim->xfer_start_ps = 410 * US;
    sim->xfer_end_ps = 511 * US;
    test.outcome.trace->ranks[1].calls[WAIT].exit_ps = 519 * US;
    assert_broken(test_law(&test, verify_waits_active), "before the origin's complete");
    test_context_clear(&test);
}

/* a: start waits from 0 until the post (400); wait from 450 until complete is entered (510), of which the origin worked
 * after its put (460): 50. */
static void a_wrong_account_breaks_law_3(void **state)
{
    (void)state;
    struct test_context test;
    worked(&test, 'a');
    struct totals *own = &test.outcome.totals;
    totals_add(own, PATTERN_LATE_POST, 0, (int64_t)400 * US);
    totals_add(own, PATTERN_EARLY_WAIT, 1, (int64_t)60 * US);
    totals_add(own, PATTERN_LATE_COMPLETE, 1, (int64_t)50 * US);
    assert_holds(test_law(&test, verify_account));
    own->severity_ps[PATTERN_LATE_POST][0] += 1;
    assert_holds(test_law(&test, verify_account));
    own->severity_ps[PATTERN_LATE_POST][0] += 1;
    assert_broken(test_law(&test, verify_account), "late_post of rank 0");
    own->severity_ps[PATTERN_LATE_POST][0] -= 2;
    own->severity_ps[PATTERN_EARLY_WAIT][1] -= 2;
    assert_broken(test_law(&test, verify_account), "early_wait of rank 1");
    test_context_clear(&test);
}

/* d: the put lasts 50 us, a copy that ends before the post: nobody waits for it. With the post at 70 it lies in the copy, which
 * waits for it no more than before, unless the trace says so. */
static void a_copy_is_no_early_transfer(void **state)
{
    (void)state;
    struct test_context test;
    worked(&test, 'd');
    assert_holds(test_law(&test, verify_account));
    totals_add(&test.outcome.totals, PATTERN_EARLY_TRANSFER, 0, 2);
    assert_broken(test_law(&test, verify_account), "early_transfer of rank 0");
    test_context_clear(&test);
    worked(&test, 'd');
    struct trace *trace = test.outcome.trace;
    trace->ranks[1].calls[POST].enter_ps = trace->ranks[1].calls[POST].exit_ps = 70 * US;
    assert_holds(test_law(&test, verify_account));
    trace->ranks[0].sim[PUT].awaited_post_ps = 70 * US;
    assert_broken(test_law(&test, verify_account), "early_transfer of rank 0");
    test_context_clear(&test);
}

static void a_lost_put_breaks_law_5(void **state)
{
    (void)state;
    struct test_context test;
    worked(&test, 'a');
    test.outcome.trace->ranks[0].calls[PUT].bytes -= 8;
    assert_broken(test_law(&test, verify_conservation),
                  "put from rank 0 to rank 1: recorded minus simulated are 0 operations, 8 bytes");
    test.outcome.trace->ranks[0].calls[PUT].bytes += 8;
    test.outcome.trace->ranks[0].calls[PUT].call = ID_Get;
    assert_broken(test_law(&test, verify_conservation),
                  "put from rank 0 to rank 1: recorded minus simulated are 1 operations");
    test.outcome.trace->ranks[0].calls[PUT].call = ID_Put;
    test.outcome.trace->ranks[0].calls[COMPLETE].bytes = 8; /* no operation */
    assert_holds(test_law(&test, verify_conservation));
    test_context_clear(&test);
}

static void lock(struct trace *trace, uint32_t rank, int32_t target, bool exclusive, int64_t lock_us, int64_t locked_us,
                 int64_t unlocked_us)
{
    struct trace_call *call = test_call(trace, rank, ID_Win_lock, lock_us, locked_us);
    call->peer = target;
    call->flags = exclusive ? TRACE_EXCLUSIVE : 0;
    test_call(trace, rank, ID_Win_unlock, unlocked_us, unlocked_us)->peer = target;
}

/* Rank 0 holds the lock at the target from 20 to 100; rank 1 gets it at second_us. MPI_PROC_NULL has no lock: any number of ranks
 * "hold" it. */
static void a_lock_with_two_holders_breaks_law_2(void **state)
{
    (void)state;
    static const struct {
        int32_t target;
        bool first_exclusive, second_exclusive;
        int64_t second_us;
        const char *broken;
    } rows[] = {
        {2, true, true, 120, NULL},
        {2, true, true, 99, "rank 1, event 1 (MPI_Win_lock)"},
        {2, true, false, 99, "held while another"},
        {2, false, true, 99, "held while another"},
        {2, false, false, 99, NULL},
        {TRACE_NONE, true, true, 99, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace *trace = test_trace(3, 1);
        struct test_context test;
        lock(trace, 0, rows[i].target, rows[i].first_exclusive, 0, 20, 100);
        lock(trace, 1, rows[i].target, rows[i].second_exclusive, 0, rows[i].second_us, 200);
        test_context_init(&test, trace, test_platform("a", NULL));
        struct verify_row row = test_law(&test, verify_waits_passive);
        if (rows[i].target == TRACE_NONE)
            assert_int_not_equal(row.state, VERIFY_BROKEN);
        else
            assert_law(row, rows[i].broken);
        test_context_clear(&test);
    }
}

/* Two or three locks of ranks 0, 1, ..., each from its first to its second time. Holders of different windows, or of different
 * targets, do not meet, nor one who promises that nobody holds the lock (NOCHECK). An exclusive lock waits for all that hold it,
 * the one that came first and stays longest, too; a shared one only for the exclusive holders. */
static void only_holders_of_one_lock_meet(void **state)
{
    (void)state;
    enum { N = TRACE_NOCHECK, X = TRACE_EXCLUSIVE };
    static const struct {
        struct {
            int32_t window, target;
            int flags;
            int64_t from_us, until_us;
        } locks[3];
        const char *broken;
    } rows[] = {
        {{{0, 2, X, 20, 100}, {1, 2, X, 50, 200}}, NULL},
        {{{0, 2, X, 20, 100}, {0, 1, X, 50, 200}}, NULL},
        {{{0, 1, X, 20, 100}, {0, 2, X, 50, 200}, {0, 1, X, 99, 300}}, "rank 2, event 1"},
        {{{1, 2, X, 20, 100}, {0, 2, X, 50, 200}, {1, 2, X, 99, 300}}, "rank 2, event 1"},
        {{{0, 2, X, 20, 100}, {0, 2, X | N, 50, 200}, {0, 2, X, 100, 300}}, NULL},
        {{{0, 2, 0, 20, 300}, {0, 2, 0, 30, 100}, {0, 2, X, 299, 400}}, "rank 2, event 1"},
        {{{0, 2, 0, 20, 300}, {0, 2, 0, 30, 100}, {0, 2, X, 300, 400}}, NULL},
        {{{0, 2, X, 20, 100}, {0, 2, 0, 100, 200}, {0, 2, 0, 150, 250}}, NULL},
        {{{0, 2, 0, 20, 50}, {0, 2, X, 60, 100}, {0, 2, X, 99, 250}}, "rank 2, event 1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace *trace = test_trace(3, 2);
        struct test_context test;
        for (uint32_t rank = 0; rank < 3 && rows[i].locks[rank].until_us > 0; rank++) {
            struct trace_call *call = test_call(trace, rank, ID_Win_lock, 0, rows[i].locks[rank].from_us);
            call->handle = rows[i].locks[rank].window;
            call->peer = rows[i].locks[rank].target;
            call->flags = (uint16_t)rows[i].locks[rank].flags;
            call = test_call(trace, rank, ID_Win_unlock, rows[i].locks[rank].until_us, rows[i].locks[rank].until_us);
            call->handle = rows[i].locks[rank].window;
            call->peer = rows[i].locks[rank].target;
        }
        test_context_init(&test, trace, test_platform("a", NULL));
        struct verify_row row = test_law(&test, verify_waits_passive);
        if ((row.state == VERIFY_BROKEN) != (rows[i].broken != NULL)) fail_msg("row %zu: %s", i, row.detail);
        assert_law(row, rows[i].broken);
        test_context_clear(&test);
    }
}

/* A release of 100 is at the target at 110, its answer back at 120: where unlock waits for it, it does not return before. It goes
 * nowhere under NOCHECK, to the rank itself, and of lock_all no answer is looked at. Events of an open lock have no release. */
static void an_unlock_before_the_answer_breaks_law_2(void **state)
{
    (void)state;
    static const char answered[] = "mpi.rma.protocol.calls.unlock=[\"issue\",\"acknowledged\",\"release\",\"answer\"]";
    static const struct {
        const char *steps;
        enum mpi_call lock, unlock;
        int32_t target;
        uint16_t flags;
        int64_t exit_us;
        const char *broken;
    } rows[] = {
        {answered, ID_Win_lock, ID_Win_unlock, 1, 0, 120, NULL},
        {answered, ID_Win_lock, ID_Win_unlock, 1, 0, 119, "rank 0, event 2 (MPI_Win_unlock): unlock returns before"},
        {NULL, ID_Win_lock, ID_Win_unlock, 1, 0, 119, NULL},
        {answered, ID_Win_lock, ID_Win_unlock, 1, TRACE_NOCHECK, 119, NULL},
        {answered, ID_Win_lock, ID_Win_unlock, 0, 0, 100, NULL},
        {answered, ID_Win_lock, ID_Win_unlock, TRACE_NONE, 0, 100, NULL},
        {answered, ID_Win_lock_all, ID_Win_unlock_all, TRACE_NONE, 0, 100, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace *trace = test_trace(2, 1);
        struct test_context test;
        struct trace_call *call = test_call(trace, 0, rows[i].lock, 0, 20);
        call->peer = rows[i].target;
        call->flags = rows[i].flags;
        test_call(trace, 0, rows[i].unlock, 100, rows[i].exit_us)->peer = rows[i].target;
        trace->ranks[0].sim[1].released_ps = 100 * (int64_t)US;
        test_call(trace, 1, ID_Win_lock, 0, 20)->peer = 0;
        test_context_init(&test, trace, test_platform("a", rows[i].steps));
        struct verify_row row = test_law(&test, verify_waits_passive);
        if ((row.state == VERIFY_BROKEN) != (rows[i].broken != NULL)) fail_msg("row %zu: %s", i, row.detail);
        assert_law(row, rows[i].broken);
        test_context_clear(&test);
    }
}

/* 1 MB takes 10 + 100, and with 0.1 ns for each byte that is combined 100 more; the answer of a fetching operation 60 for 0.5
 * MB. A microsecond less is too little. */
static void a_transfer_takes_all_its_parts(void **state)
{
    (void)state;
    static const struct {
        enum mpi_call call;
        int64_t result_bytes, least_us;
    } rows[] = {{ID_Put, 0, 110}, {ID_Get, 0, 110}, {ID_Accumulate, 0, 210}, {ID_Get_accumulate, 500000, 270}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int less = 0; less < 2; less++) {
            struct trace *trace = test_trace(2, 1);
            struct test_context test;
            test_call(trace, 0, ID_Win_lock, 0, 20)->peer = 1;
            const int64_t end_us = 20 + rows[i].least_us - less;
            test_operation(trace, 0, rows[i].call, 20, 20, 1, 1000000, 20, end_us)->rma.result_bytes = rows[i].result_bytes;
            test_context_init(&test, trace, test_platform("a", "mpi.rma.atomic_s_per_byte=1e-10"));
            struct verify_row row = test_law(&test, verify_transfer_time);
            if ((row.state == VERIFY_BROKEN) != less) fail_msg("row %zu, %d: %s", i, less, row.detail);
            test_context_clear(&test);
        }
}

/* A transfer that is not known breaks the law if a later call lets its operation go: on its window, and its target or all. */
static void a_transfer_that_is_let_go_is_known(void **state)
{
    (void)state;
    static const struct {
        enum mpi_call call;
        int32_t window, target;
        bool known;
    } rows[] = {
        {ID_Win_unlock, 0, 1, true},      {ID_Win_unlock, 0, 0, false},      {ID_Win_unlock, 1, 1, false},
        {ID_Win_flush, 0, 1, true},       {ID_Win_flush, 0, 0, false},       {ID_Win_flush_all, 0, TRACE_NONE, true},
        {ID_Win_flush_local, 0, 1, true}, {ID_Win_sync, 0, TRACE_NONE, false}, {ID_Win_flush_all, 1, TRACE_NONE, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace *trace = test_trace(2, 2);
        struct test_context test;
        for (int32_t k = 0; k < 4; k++) {
            struct trace_call *call = test_call(trace, 0, ID_Win_lock, 0, 0);
            call->handle = k / 2;
            call->peer = k % 2;
        }
        test_operation(trace, 0, ID_Put, 20, 20, 1, 8, 20, 31);
        trace->ranks[0].sim[4].xfer_end_ps = TRACE_UNKNOWN_PS;
        struct trace_call *call = test_call(trace, 0, rows[i].call, 30, 60);
        call->handle = rows[i].window;
        call->peer = rows[i].target;
        test_context_init(&test, trace, test_platform("a", NULL));
        for (int law = 0; law < 2; law++) {
            struct verify_row row = test_law(&test, law ? verify_bounds : verify_transfer_time);
            if ((row.state == VERIFY_BROKEN) != rows[i].known) fail_msg("row %zu, %d: %s", i, law, row.detail);
        }
        test_context_clear(&test);
    }
}

/* A lazy lock is held from the first data of its epoch on, whichever operation's they are. Rank 0 holds it until 100. */
static void a_lazy_lock_is_held_from_its_first_data(void **state)
{
    (void)state;
    static const struct {
        int64_t first_us, second_us; /* when the data of rank 1's operations begin to leave */
        const char *broken;
    } rows[] = {{100, 110, NULL}, {99, 110, "held while another"}, {110, 99, "held while another"}, {110, 100, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace *trace = test_trace(3, 1);
        struct test_context test;
        for (uint32_t rank = 0; rank < 2; rank++) {
            struct trace_call *call = test_call(trace, rank, ID_Win_lock, 0, 0);
            call->peer = 2;
            call->flags = TRACE_EXCLUSIVE;
            const int64_t first_us = rank ? rows[i].first_us : 20, second_us = rank ? rows[i].second_us : 30;
            test_operation(trace, rank, ID_Put, 5, 5, 2, 8, first_us, first_us + 11);
            test_operation(trace, rank, ID_Put, 6, 6, 2, 8, second_us, second_us + 11);
            test_call(trace, rank, ID_Win_unlock, 90, rank ? 200 : 100)->peer = 2;
        }
        test_context_init(&test, trace, test_platform("a", "mpi.rma.lock=lazy"));
        assert_law(test_law(&test, verify_waits_passive), rows[i].broken);
        test_context_clear(&test);
    }
}

/* Rank 0 locks, 0-60: its request is at rank 1 at 10 and served at until_us. Rank 1 is in MPI at 0, from from_us to
 * to_us, and at 50. */
static struct trace *lock_and_calls(int64_t from_us, int64_t to_us, int64_t until_us)
{
    struct trace *trace = test_trace(2, 1);
    lock(trace, 0, 1, true, 0, 60, 70);
    trace->ranks[0].sim[0].progress_from_ps = 10 * US;
    trace->ranks[0].sim[0].progress_until_ps = until_us * US;
    test_call(trace, 1, ID_Comm_group, 0, 0);
    test_call(trace, 1, ID_Comm_group, from_us, to_us);
    return trace;
}

static struct verify_row served(struct trace *trace, const char *progress, enum visit_mode visit)
{
    struct test_context test;
    test_context_init(&test, trace, test_platform("a", progress));
    if (strstr(progress, "thread")) test.platform->thread_delay_s = 4e-5;
    test.platform->protocol.visit = visit;
    struct verify_row row = test_law(&test, verify_awaited);
    test_context_clear(&test);
    return row;
}

static struct verify_row progress_of_lock(const char *progress, enum visit_mode visit, int64_t from_us, int64_t to_us,
                                          int64_t until_us)
{
    struct trace *trace = lock_and_calls(from_us, to_us, until_us);
    test_call(trace, 1, ID_Comm_group, 50, 50);
    return served(trace, progress, visit);
}

/* Regions of the user between rank 1's calls serve nobody and are not inside MPI. Of its threads the one serves while the other
 * one has left: from 20 to 60, beside 30 to 35. */
static void regions_and_threads_do_not_hide_who_serves(void **state)
{
    (void)state;
    static const char call[] = "mpi.rma.progress=call";
    const struct trace_call region = {
        .enter_ps = 30 * US, .exit_ps = 30 * US, .any = TRACE_NO_MEMBERS, .peer = TRACE_NONE, .handle = TRACE_NONE};
    for (int late = 0; late < 2; late++)
        for (enum visit_mode visit = VISIT_ENTER; visit <= VISIT_WAIT; visit++) {
            struct trace *trace = visit == VISIT_ENTER ? lock_and_calls(5, 10 + late, 50) : lock_and_calls(20, 30, 30 + late);
            struct err err;
            uint32_t name;
            assert_int_equal(trace_add_region(trace, "r", &name, &err), STATUS_OK);
            for (enum mpi_call edge = ID_region_enter; edge <= ID_region_leave; edge++) {
                struct trace_call made = region;
                made.call = (uint16_t)edge;
                made.region.region = name;
                assert_int_equal(trace_add_call(trace, 1, &made, &err), STATUS_OK);
            }
            test_call(trace, 1, ID_Comm_group, 50, 50);
            assert_law(served(trace, call, visit), late ? "waits for progress from 10000000 to " : NULL);
        }
    for (int64_t until_us = 60; until_us <= 61; until_us++) {
        struct trace *trace = lock_and_calls(20, 60, until_us);
        struct err err;
        struct trace_call other = trace->ranks[1].calls[1];
        other.enter_ps = 30 * US;
        other.exit_ps = 35 * US;
        assert_int_equal(trace_add_thread_call(trace, 1, 1, &other, &err), STATUS_OK);
        other.enter_ps = other.exit_ps = 90 * US;
        assert_int_equal(trace_add_thread_call(trace, 1, 1, &other, &err), STATUS_OK);
        assert_law(served(trace, call, VISIT_WAIT), until_us > 60 ? "waits for progress from 10000000 to " : NULL);
    }
}

static void progress_that_nobody_makes_breaks_law_3(void **state)
{
    (void)state;
    static const char call[] = "mpi.rma.progress=call", thread[] = "mpi.rma.progress=thread",
                      broken[] = "rank 0, event 1 (MPI_Win_lock): waits for progress from 10000000 to ";
    static const struct {
        const char *progress;
        enum visit_mode visit;
        int64_t from_us, to_us, until_us;
        const char *broken;
    } rows[] = {
        {call, VISIT_ENTER, 5, 10, 50, NULL},
        {call, VISIT_ENTER, 5, 11, 50, broken},  /* it was inside when the request came */
        {call, VISIT_ENTER, 20, 20, 50, broken}, /* it would have served at 20 */
        {call, VISIT_ENTER, 20, 20, 20, NULL},
        {call, VISIT_ENTER, 5, 10, 49, broken},  /* it enters at 50 */
        {thread, VISIT_ENTER, 5, 11, 50, NULL},  /* 40 later */
        {thread, VISIT_ENTER, 5, 11, 51, broken},
        {call, VISIT_ENTER, 20, 30, 25, broken}, /* it serves as it enters */
        {call, VISIT_WAIT, 20, 30, 25, NULL},    /* or at any time in the call */
        {call, VISIT_WAIT, 20, 30, 20, NULL},
        {call, VISIT_WAIT, 20, 30, 30, NULL},
        {call, VISIT_WAIT, 20, 30, 19, broken},
        {call, VISIT_WAIT, 20, 30, 31, broken},
        {call, VISIT_WAIT, 20, 30, 51, NULL},    /* who has ended serves */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_law(progress_of_lock(rows[i].progress, rows[i].visit, rows[i].from_us, rows[i].to_us, rows[i].until_us),
                   rows[i].broken);
}

/* 1 MB leaves at 20 and arrives at 130; the acknowledgement of a put is back at 140, a get needs none. Unlock and flush, of one
 * target or of all, wait for that; a flush of the origin alone (flush_local) only for what brings data. To itself no answer goes.
 * The lock that stays open has a flush alone. */
static void an_early_unlock_breaks_law_2(void **state)
{
    (void)state;
    static const struct {
        enum mpi_call lock, operation, flush;
        uint32_t target;
        int64_t known_us;
    } rows[] = {
        {ID_Win_lock, ID_Put, ID_Win_unlock, 1, 140},        {ID_Win_lock, ID_Get, ID_Win_unlock, 1, 130},
        {ID_Win_lock, ID_Accumulate, ID_Win_flush, 1, 140},  {ID_Win_lock, ID_Get_accumulate, ID_Win_flush, 1, 130},
        {ID_Win_lock_all, ID_Put, ID_Win_unlock_all, 1, 140}, {ID_Win_lock_all, ID_Put, ID_Win_flush_all, 1, 140},
        {ID_Win_lock, ID_Get, ID_Win_flush_local, 1, 130},   {ID_Win_lock, ID_Put, ID_Win_flush_local, 1, 0},
        {ID_Win_lock, ID_Put, ID_Win_unlock, 0, 130},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int early = 0; early < 2; early++) {
            struct trace *trace = test_trace(2, 1);
            struct test_context test;
            const bool all = rows[i].lock == ID_Win_lock_all;
            const int64_t known_us = rows[i].known_us ? rows[i].known_us : 31;
            test_call(trace, 0, rows[i].lock, 0, 20)->peer = all ? TRACE_NONE : (int32_t)rows[i].target;
            test_operation(trace, 0, rows[i].operation, 20, 20, rows[i].target, 1000000, 20, 130);
            test_call(trace, 0, rows[i].flush, 30, known_us - early)->peer = all ? TRACE_NONE : (int32_t)rows[i].target;
            test_context_init(&test, trace, test_platform("a", NULL));
            struct verify_row row = test_law(&test, verify_waits_passive);
            if ((row.state == VERIFY_BROKEN) != (early && rows[i].known_us)) fail_msg("row %zu, %d: %s", i, early, row.detail);
            if (early && rows[i].known_us) assert_broken(row, "event 3 (MPI_Win_");
            test_context_clear(&test);
        }
}

/* 1 MB: a put leaves from 20 to 120, the data of a get are there at 140. Under d a put of a start is copied when its call ends,
 * at 20; MPI knows none with a request there, but the replay takes it. */
static struct verify_row one_request(char semantics, bool starts, enum mpi_call kind, int64_t wait_us)
{
    struct trace *trace = test_trace(2, 1);
    struct test_context test;
    const char letter[] = {semantics, '\0'};
    if (starts)
        test_call(trace, 0, ID_Win_start, 0, 20)->ref = test_group(trace, 1);
    else
        test_call(trace, 0, ID_Win_lock, 0, 20)->peer = 1;
    struct trace_call *call = kind == ID_Rget ? test_operation(trace, 0, kind, 20, 20, 1, 1000000, 30, 140)
                                              : test_operation(trace, 0, kind, 20, 20, 1, 1000000, 20, 130);
    call->ref = 1;
    struct trace_call *wait = test_call(trace, 0, ID_Wait, 20, wait_us);
    wait->ref = 1;
    wait->handle = TRACE_NONE;
    if (starts)
        test_call(trace, 0, ID_Win_complete, 150, 150);
    else
        test_call(trace, 0, ID_Win_unlock, 150, 150)->peer = 1;
    test_context_init(&test, trace, test_platform(letter, NULL));
    struct verify_row row = test_law(&test, verify_waits_request);
    test_context_clear(&test);
    return row;
}

static void a_request_done_too_early_breaks_law_2(void **state)
{
    (void)state;
    static const struct {
        char semantics;
        bool starts;
        enum mpi_call kind;
        int64_t wait_us;
        const char *broken;
    } rows[] = {
        {'a', false, ID_Rput, 120, NULL},        {'a', false, ID_Rput, 119, "rank 0, event 3 (MPI_Wait)"},
        {'a', false, ID_Raccumulate, 120, NULL}, {'a', false, ID_Raccumulate, 119, "complete at its origin"},
        {'a', false, ID_Rget, 140, NULL},        {'a', false, ID_Rget, 139, "rank 0, event 3 (MPI_Wait)"},
        {'d', false, ID_Rput, 120, NULL},        {'d', false, ID_Rput, 119, "complete at its origin"},
        {'d', true, ID_Rput, 20, NULL},          {'d', true, ID_Rget, 139, "complete at its origin"},
        {'c', true, ID_Rput, 119, "complete at its origin"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_law(one_request(rows[i].semantics, rows[i].starts, rows[i].kind, rows[i].wait_us), rows[i].broken);
}

/* Rank 1 arrives at 50: rank 0 may not leave at 49, unless the assertions switch the barrier off. */
static struct verify_row two_fences(enum mpi_call kind, int64_t first_exit_us, uint16_t flags)
{
    struct trace *trace = test_trace(2, 1);
    struct test_context test;
    test_call(trace, 0, kind, 0, first_exit_us)->flags = flags;
    test_call(trace, 1, kind, 50, 60)->flags = flags;
    test_context_init(&test, trace, test_platform("a", NULL));
    struct verify_row row = test_law(&test, verify_waits_group);
    test_context_clear(&test);
    return row;
}

static void a_member_that_leaves_too_early_breaks_law_2(void **state)
{
    (void)state;
    const enum mpi_call kinds[] = {ID_Win_create, ID_Win_fence, ID_Win_free, ID_Barrier};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        assert_holds(two_fences(kinds[i], 60, 0));
        assert_broken(two_fences(kinds[i], 49, 0), "rank 0, event 1");
    }
    assert_broken(two_fences(ID_Win_fence, 0, TRACE_NOPRECEDE), "rank 0, event 1");
    assert_holds(two_fences(ID_Win_fence, 0, TRACE_NOPRECEDE | TRACE_NOSUCCEED));
}

/* 1000 bytes sent at 0 need 10 + 0.1 us: a receive, or the wait for it, may return at 11 but not at 10. */
static struct verify_row one_message(bool nonblocking, int64_t exit_us)
{
    struct trace *trace = test_trace(2, 0);
    struct test_context test;
    struct trace_call *send = test_call(trace, 0, ID_Send, 0, 1);
    send->peer = 1;
    send->bytes = 1000;
    struct trace_call *receive = test_call(trace, 1, nonblocking ? ID_Irecv : ID_Recv, 0, nonblocking ? 0 : exit_us);
    receive->peer = 0;
    receive->bytes = 1000;
    if (nonblocking) {
        receive->ref = 1;
        struct trace_call *wait = test_call(trace, 1, ID_Wait, 0, exit_us);
        wait->ref = 1;
        wait->handle = TRACE_NONE;
    }
    test_context_init(&test, trace, test_platform("a", NULL));
    struct verify_row row = test_law(&test, verify_waits_message);
    test_context_clear(&test);
    return row;
}

static void a_message_received_too_early_breaks_law_2(void **state)
{
    (void)state;
    assert_holds(one_message(false, 11));
    assert_broken(one_message(false, 10), "rank 1, event 1 (MPI_Recv)");
    assert_holds(one_message(true, 11));
    assert_broken(one_message(true, 10), "rank 1, event 2 (MPI_Wait)");
}

/* A receive of 1000 bytes, 0-60, that waits for progress from from_us to 50. */
static struct verify_row progress_and_message(int64_t from_us)
{
    struct trace *trace = test_trace(2, 0);
    struct test_context test;
    struct trace_call *send = test_call(trace, 0, ID_Send, 0, 1);
    send->peer = 1;
    send->bytes = 1000;
    struct trace_call *receive = test_call(trace, 1, ID_Irecv, 0, 0);
    receive->peer = 0;
    receive->bytes = 1000;
    receive->ref = 1;
    struct trace_call *wait = test_call(trace, 1, ID_Wait, 0, 60);
    wait->ref = 1;
    wait->handle = TRACE_NONE;
    trace->ranks[1].sim[1].progress_from_ps = from_us * US;
    trace->ranks[1].sim[1].progress_until_ps = 50 * US;
    test_context_init(&test, trace, test_platform("a", NULL));
    struct verify_row row = test_law(&test, verify_waits_message);
    test_context_clear(&test);
    return row;
}

/* As above the message is there at 10.1. */
static void progress_before_the_message_breaks_law_2(void **state)
{
    (void)state;
    assert_holds(progress_and_message(11));
    assert_broken(progress_and_message(10), "rank 1, event 2 (MPI_Wait): waits only for progress before");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_example_breaks_no_law),
        cmocka_unit_test(a_wrong_figure_breaks_the_law_that_it_contradicts),
        cmocka_unit_test(puts_that_do_not_wait_for_the_group_break_law_2),
        cmocka_unit_test(calls_that_say_otherwise_what_they_waited_for_break_law_3),
        cmocka_unit_test(posts_that_come_in_own_time_break_no_law),
        cmocka_unit_test(nocheck_lifts_the_wait_for_the_post),
        cmocka_unit_test(a_wait_before_the_notification_breaks_law_2),
        cmocka_unit_test(a_wrong_account_breaks_law_3),
        cmocka_unit_test(a_copy_is_no_early_transfer),
        cmocka_unit_test(a_lost_put_breaks_law_5),
        cmocka_unit_test(a_lock_with_two_holders_breaks_law_2),
        cmocka_unit_test(a_transfer_takes_all_its_parts),
        cmocka_unit_test(a_transfer_that_is_let_go_is_known),
        cmocka_unit_test(only_holders_of_one_lock_meet),
        cmocka_unit_test(an_unlock_before_the_answer_breaks_law_2),
        cmocka_unit_test(a_lazy_lock_is_held_from_its_first_data),
        cmocka_unit_test(progress_that_nobody_makes_breaks_law_3),
        cmocka_unit_test(regions_and_threads_do_not_hide_who_serves),
        cmocka_unit_test(an_early_unlock_breaks_law_2),
        cmocka_unit_test(a_request_done_too_early_breaks_law_2),
        cmocka_unit_test(a_member_that_leaves_too_early_breaks_law_2),
        cmocka_unit_test(a_message_received_too_early_breaks_law_2),
        cmocka_unit_test(progress_before_the_message_breaks_law_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
