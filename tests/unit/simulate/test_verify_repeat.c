/* The laws that replay again (1, 4, 6), verify as a whole, and replays in child processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "simulate/verify/child_replay.h"
#include "simulate/verify/digest.h"
#include "simulate/verify/permute.h"
#include "verify_test.h"

static enum verify_state state_of(const struct verify_report *report, int law)
{
    enum verify_state state = VERIFY_NOT_APPLICABLE;
    for (size_t i = 0; i < report->count; i++) {
        if (report->rows[i].law != law || report->rows[i].state == VERIFY_NOT_APPLICABLE) continue;
        if (state != VERIFY_BROKEN) state = report->rows[i].state;
    }
    return state;
}

static struct verify_report verify(const struct trace *trace, const struct platform *platform,
                                   const struct engine_descriptor *engine, const struct replay_outcome *outcome)
{
    struct replay_options options = {.engine = engine, .keep_trace = true};
    struct verify_report report;
    struct err err;
    if (verify_run(trace, platform, &options, outcome, &report, &err) != STATUS_OK) fail_msg("%s", err.text);
    return report;
}

static struct replay_outcome replay(const struct trace *trace, const struct platform *platform,
                                    const struct engine_descriptor *engine)
{
    struct replay_options options = {.engine = engine, .keep_trace = true};
    struct replay_outcome outcome;
    struct err err;
    if (child_replay(trace, platform, &options, &outcome, &err) != STATUS_OK) fail_msg("%s", err.text);
    return outcome;
}

/* Run times of docs/simulation.md: the target's wait ends at 570 under a, at 520 under b, c, d. */
static void all_laws_hold_for_the_worked_example_on_both_engines(void **state)
{
    (void)state;
    struct trace *trace = test_worked_example('a');
    for (size_t e = 0; engine_descriptors()[e]; e++) {
        const struct engine_descriptor *engine = engine_descriptors()[e];
        for (char letter = 'a'; letter <= 'd'; letter++) {
            const char semantics[] = {letter, '\0'};
            struct platform *platform = test_platform(semantics, NULL);
            struct replay_outcome outcome = replay(trace, platform, engine);
            assert_true(outcome.run_time_s > 1e-6 * (letter == 'a' ? 570 : 520) - 1e-9);
            assert_true(outcome.run_time_s < 1e-6 * (letter == 'a' ? 570 : 520) + 1e-9);
            struct verify_report report = verify(trace, platform, engine, &outcome);
            if (!verify_holds(&report)) verify_print(&report, true, stderr);
            assert_true(verify_holds(&report));
            const int checked[] = {1, 2, 3, 5, 6, 8};
            for (size_t i = 0; i < sizeof checked / sizeof *checked; i++)
                assert_int_equal(state_of(&report, checked[i]), VERIFY_HOLDS);
            assert_int_equal(state_of(&report, 4), engine->once_per_process ? VERIFY_NOT_APPLICABLE : VERIFY_HOLDS);
            replay_outcome_clear(&outcome);
            platform_free(platform);
        }
    }
    trace_free(trace);
}

static void another_replay_that_differs_breaks_laws_1_and_6(void **state)
{
    (void)state;
    struct trace *trace = test_worked_example('a');
    struct platform *platform = test_platform("a", NULL);
    const struct engine_descriptor *engine = engine_by_name("loggp");
    struct replay_outcome outcome = replay(trace, platform, engine);
    outcome.trace->ranks[1].sim[1].blocked_ps += 1;
    struct verify_report report = verify(trace, platform, engine, &outcome);
    assert_int_equal(state_of(&report, 1), VERIFY_BROKEN);
    assert_int_equal(state_of(&report, 6), VERIFY_BROKEN);
    assert_int_equal(state_of(&report, 2), VERIFY_HOLDS);
    assert_int_equal(state_of(&report, 3), VERIFY_HOLDS);
    assert_int_equal(state_of(&report, 5), VERIFY_HOLDS);
    assert_false(verify_holds(&report));
    replay_outcome_clear(&outcome);
    platform_free(platform);
    trace_free(trace);
}

/* What b would have made is no fixed point of a. */
static void a_trace_of_other_semantics_breaks_law_6(void **state)
{
    (void)state;
    struct test_context test;
    test_context_init(&test, test_worked_example('b'), test_platform("a", NULL));
    struct verify_row row = test_law(&test, verify_identity);
    assert_int_equal(row.state, VERIFY_BROKEN);
    test_context_clear(&test);
}

/* An engine that is slower under d, as no network is. */
static enum status open_unfair(const struct platform *platform, const int32_t (*pairs)[2], size_t pair_count,
                               const struct engine_callbacks *callbacks, struct engine **engine, struct err *err)
{
    static struct platform slow;
    static struct net_segment segment;
    if (strcmp(platform->semantics.name, "d") != 0)
        return engine_by_name("loggp")->open(platform, pairs, pair_count, callbacks, engine, err);
    slow = *platform;
    segment = platform->segments[0];
    segment.latency_s = 1e-3;
    slow.segments = &segment;
    slow.segment_count = 1;
    return engine_by_name("loggp")->open(&slow, pairs, pair_count, callbacks, engine, err);
}

static void semantics_that_wait_less_but_last_longer_break_law_4(void **state)
{
    (void)state;
    struct engine_descriptor unfair = *engine_by_name("loggp");
    unfair.open = open_unfair;
    struct test_context test;
    test_context_init(&test, test_worked_example('a'), test_platform("a", NULL));
    struct verify_row row = test_law(&test, verify_monotony);
    assert_int_equal(row.state, VERIFY_HOLDS);
    test.context.engine = &unfair;
    row = test_law(&test, verify_monotony);
    assert_int_equal(row.state, VERIFY_BROKEN);
    assert_non_null(strstr(row.detail, "semantics d"));
    test_context_clear(&test);
}

/* On the ideal network the example takes 500 us; the target computes 450 of them (docs/simulation.md). */
static void runs_below_the_ideal_one_break_law_8(void **state)
{
    (void)state;
    static const struct {
        double run_time_s;
        int64_t later_us; /* the target comes to its wait */
        enum verify_state state;
    } rows[] = {{570e-6, 0, VERIFY_HOLDS}, {499e-6, 0, VERIFY_BROKEN}, {570e-6, 50, VERIFY_HOLDS}, {570e-6, 51, VERIFY_BROKEN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_context test;
        test_context_init(&test, test_worked_example('a'), test_platform("a", NULL));
        struct trace *predicted = test_worked_example('a');
        struct trace_call *wait = &predicted->ranks[1].calls[1];
        wait->enter_ps += rows[i].later_us * US;
        test.context.predicted = predicted;
        test.outcome.run_time_s = rows[i].run_time_s;
        struct verify_row row = test_law(&test, verify_ideal);
        if (row.state != rows[i].state) fail_msg("row %zu: %s", i, row.detail);
        test_context_clear(&test);
        trace_free(predicted);
    }
}

/* Rank 0 keeps the lock and asks for it at 11, rank 1 at 0: its request is there at 10, it holds the lock from 20 to 21, and
 * rank 0 has it from 31 to 131, computes 100 more: 231. With twice the latency the request comes at 20: rank 0 has had
 * the lock since 11 and ends at 211, rank 1 at 132. Longer ways, shorter run: the law does not speak of locks. */
static void the_order_of_locks_is_no_matter_of_law_4(void **state)
{
    (void)state;
    struct trace *trace = test_trace(2, 0);
    int32_t window;
    struct err err;
    assert_int_equal(trace_add_window(trace, 0, NULL, NULL, 'h', &window, &err), STATUS_OK);
    test_call(trace, 1, ID_shmem_set_lock, 0, 1)->ref = 7;
    test_call(trace, 1, ID_shmem_clear_lock, 2, 2)->ref = 7;
    test_call(trace, 0, ID_shmem_set_lock, 11, 12)->ref = 7;
    test_call(trace, 0, ID_shmem_clear_lock, 112, 112)->ref = 7;
    test_call(trace, 0, ID_shmem_quiet, 212, 212);
    struct test_context test;
    test_context_init(&test, trace, test_platform("a", NULL));
    struct verify_row row = test_law(&test, verify_monotony);
    assert_int_equal(row.state, VERIFY_NOT_APPLICABLE);
    assert_non_null(strstr(row.detail, "locks"));
    test_context_clear(&test);
}

/* Two ranks, each completes its puts before it posts: deadlock under a, b and c; d goes on. */
static void a_deadlock_is_an_endless_run(void **state)
{
    (void)state;
    struct trace *trace = test_trace(2, 1);
    for (uint32_t r = 0; r < 2; r++) {
        uint32_t other = test_group(trace, r == 0);
        test_call(trace, r, ID_Win_start, 0, 0)->ref = other;
        test_operation(trace, r, ID_Put, 0, 0, !r, 8, 10, 21);
        test_call(trace, r, ID_Win_complete, 0, 0);
        test_call(trace, r, ID_Win_post, 0, 0)->ref = other;
        test_call(trace, r, ID_Win_wait, 0, 30);
    }
    struct test_context test;
    test_context_init(&test, trace, test_platform("d", NULL));
    struct verify_row row = test_law(&test, verify_monotony);
    if (row.state != VERIFY_HOLDS) fail_msg("%s", row.detail);
    test_context_clear(&test);
}

/* Rank 0 names both others, but puts to rank 1 only; rank 2 posts at 100. c waits for that post in complete (110), b
 * does not: b is the faster one, and law 4 does not say otherwise. */
static void targets_without_operations_wait_more_under_c(void **state)
{
    (void)state;
    struct trace *trace = test_trace(3, 1);
    struct err err;
    uint32_t both;
    assert_int_equal(trace_add_group(trace, (int32_t[]){1, 2}, 2, &both, &err), STATUS_OK);
    test_call(trace, 0, ID_Win_start, 0, 0)->ref = both;
    test_operation(trace, 0, ID_Put, 10, 10, 1, 8, 10, 21);
    test_call(trace, 0, ID_Win_complete, 10, 10);
    test_call(trace, 0, ID_Barrier, 200, 200);
    uint32_t origin = test_group(trace, 0);
    for (uint32_t r = 1; r <= 2; r++) {
        test_call(trace, r, ID_Win_post, r == 1 ? 0 : 100, r == 1 ? 0 : 100)->ref = origin;
        test_call(trace, r, ID_Win_wait, 100, 120);
        test_call(trace, r, ID_Barrier, 120, 200);
    }
    struct test_context test;
    test_context_init(&test, trace, test_platform("a", NULL));
    struct verify_row row = test_law(&test, verify_monotony);
    if (row.state != VERIFY_HOLDS) fail_msg("%s", row.detail);
    test_context_clear(&test);
}

static void law_4_says_why_it_does_not_apply(void **state)
{
    (void)state;
    struct trace *trace = test_trace(2, 1);
    test_call(trace, 0, ID_Win_lock, 0, 0)->peer = 1;
    test_call(trace, 0, ID_Win_unlock, 0, 0)->peer = 1;
    struct test_context test;
    test_context_init(&test, trace, test_platform("a", NULL));
    struct verify_row row = test_law(&test, verify_monotony);
    assert_int_equal(row.state, VERIFY_NOT_APPLICABLE);
    assert_non_null(strstr(row.detail, "locks"));
    test.context.engine = engine_by_name("simgrid");
    row = test_law(&test, verify_monotony);
    assert_int_equal(row.state, VERIFY_NOT_APPLICABLE);
    test_context_clear(&test);
}

static uint64_t digest_of(const struct trace *trace)
{
    uint64_t digest;
    struct err err;
    assert_int_equal(verify_digest(trace, &digest, &err), STATUS_OK);
    return digest;
}

/* Two windows, two groups, two communicators, two lists, a region, a site: every kind of id. */
static struct trace *varied_trace(void)
{
    struct trace *trace = test_trace(3, 2);
    struct err err;
    int32_t comm;
    uint32_t list, region, site;
    assert_int_equal(trace_add_comm(trace, (int32_t[]){2, 0}, 2, &comm, &err), STATUS_OK);
    assert_int_equal(trace_add_comm(trace, (int32_t[]){0, 1}, 2, &comm, &err), STATUS_OK);
    assert_int_equal(trace_add_list(trace, (uint32_t[]){7, 8}, 2, &list, &err), STATUS_OK);
    assert_int_equal(trace_add_region(trace, "solve", &region, &err), STATUS_OK);
    assert_int_equal(trace_add_site(trace, "main", "a.c", 3, &site, &err), STATUS_OK);
    test_call(trace, 0, ID_region_enter, 0, 0)->ref = region;
    struct trace_call *post = test_call(trace, 0, ID_Win_post, 1, 1);
    post->ref = test_group(trace, 2);
    post->handle = 1;
    post->site = site;
    test_call(trace, 0, ID_Barrier, 2, 3)->handle = 2;
    for (uint32_t request = 7; request <= 8; request++) {
        struct trace_call *send = test_call(trace, 0, ID_Isend, 4, 4);
        send->peer = 1;
        send->ref = request;
    }
    struct trace_call *wait = test_call(trace, 0, ID_Waitall, 5, 6);
    wait->ref = list;
    wait->handle = TRACE_NONE;
    test_call(trace, 2, ID_Win_start, 1, 1)->ref = test_group(trace, 1);
    return trace;
}

static void the_digest_does_not_depend_on_ids(void **state)
{
    (void)state;
    struct trace *trace = varied_trace(), *permuted;
    struct err err;
    assert_int_equal(verify_permute(trace, &permuted, &err), STATUS_OK);
    assert_int_not_equal(trace->ranks[0].calls[1].ref, permuted->ranks[0].calls[1].ref);
    assert_int_not_equal(trace->ranks[0].calls[1].handle, permuted->ranks[0].calls[1].handle);
    assert_int_not_equal(trace->ranks[0].calls[2].handle, permuted->ranks[0].calls[2].handle);
    assert_true(digest_of(trace) == digest_of(permuted));
    trace_free(permuted);
    trace_free(trace);
}

static void the_digest_depends_on_everything_else(void **state)
{
    (void)state;
    struct trace *trace = varied_trace();
    uint64_t first = digest_of(trace);
    struct trace_call *post = &trace->ranks[0].calls[1], kept = *post;
#define CHANGE(member, value)                                                                                          \
    do {                                                                                                               \
        post->member = (value);                                                                                        \
        assert_true(digest_of(trace) != first);                                                                        \
        *post = kept;                                                                                                  \
    } while (0)
    CHANGE(enter_ps, kept.enter_ps - 1);
    CHANGE(exit_ps, kept.exit_ps + 1);
    CHANGE(bytes, 1);
    CHANGE(any.first, 1);
    CHANGE(any.second, 1);
    CHANGE(peer, 1);
    CHANGE(any.third, 1);
    CHANGE(flags, TRACE_NOCHECK);
    CHANGE(site, 0);
    CHANGE(ref, kept.ref + 1);
    CHANGE(call, ID_Win_start);
#undef CHANGE
    trace->ranks[2].sim[0].xfer_end_ps = 5;
    assert_true(digest_of(trace) != first);
    trace_free(trace);
}

/* The outcome of a child is the outcome of this process. */
static void a_replay_apart_gives_the_same(void **state)
{
    (void)state;
    struct trace *trace = test_worked_example('b');
    struct platform *platform = test_platform("b", "nodes.speed=2");
    struct replay_options options = {.engine = engine_by_name("loggp"), .keep_trace = true};
    struct replay_outcome here, apart = replay(trace, platform, options.engine);
    struct err err;
    assert_int_equal(replay_run(trace, platform, &options, &here, &err), STATUS_OK);
    assert_true(digest_of(here.trace) == digest_of(apart.trace));
    assert_true(here.run_time_s == apart.run_time_s);
    assert_int_equal(here.stats.events, apart.stats.events);
    assert_int_equal(here.transfers, apart.transfers);
    assert_string_equal(here.trace->provenance.platform, apart.trace->provenance.platform);
    assert_string_equal(here.trace->provenance.semantics, apart.trace->provenance.semantics);
    assert_true(here.trace->ranks[1].speed == apart.trace->ranks[1].speed);
    for (uint32_t r = 0; r < 2; r++) {
        assert_true(here.rank_time_s[r] == apart.rank_time_s[r]);
        for (int p = 0; p < PATTERN_COUNT; p++)
            assert_true(here.totals.severity_ps[p][r] == apart.totals.severity_ps[p][r]);
    }
    replay_outcome_clear(&here);
    replay_outcome_clear(&apart);
    platform_free(platform);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_laws_hold_for_the_worked_example_on_both_engines),
        cmocka_unit_test(another_replay_that_differs_breaks_laws_1_and_6),
        cmocka_unit_test(a_trace_of_other_semantics_breaks_law_6),
        cmocka_unit_test(runs_below_the_ideal_one_break_law_8),
        cmocka_unit_test(semantics_that_wait_less_but_last_longer_break_law_4),
        cmocka_unit_test(a_deadlock_is_an_endless_run),
        cmocka_unit_test(the_order_of_locks_is_no_matter_of_law_4),
        cmocka_unit_test(targets_without_operations_wait_more_under_c),
        cmocka_unit_test(law_4_says_why_it_does_not_apply),
        cmocka_unit_test(the_digest_does_not_depend_on_ids),
        cmocka_unit_test(the_digest_depends_on_everything_else),
        cmocka_unit_test(a_replay_apart_gives_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
