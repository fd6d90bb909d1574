#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/progress_bar.h"
#include "platforms/platform.h"
#include "simulate/replay.h"
#include "trace/generate.h"

static void the_text_says_share_rate_and_time_left(void **state)
{
    (void)state;
    char text[PROGRESS_BAR_BYTES];
    /* 3 of 10 million in 6 s: 500 k per second, 7 million left take 14 s */
    assert_string_equal(progress_bar_text(6, 3000000, 10000000, text),
                        "[######              ]  30 %, 500 k events/s, 14 s left");
    /* a quarter in 40 s: 120 s left; 2.5 per second */
    assert_string_equal(progress_bar_text(40, 100, 400, text),
                        "[#####               ]  25 %, 2.5 events/s, 2 min 00 s left");
    /* a thousandth in 20 s: 19980 s = 5 h 33 min */
    assert_string_equal(progress_bar_text(20, 1000, 1000000, text),
                        "[                    ]   0 %, 50 events/s, 5 h 33 min left");
    assert_string_equal(progress_bar_text(2, 4000000000, 4000000000, text),
                        "[####################] 100 %, 2.0 G events/s, 0 s left");
    assert_string_equal(progress_bar_text(1, 0, 0, text), "[                    ]   0 %, 0.0 events/s, 0 s left");
}

struct told {
    uint64_t times, last, all;
    bool forward;
};

static void take(void *context, uint64_t calls, uint64_t all_calls)
{
    struct told *told = context;
    told->forward = told->forward && calls > told->last && calls <= all_calls;
    told->last = calls;
    told->all = all_calls;
    told->times++;
}

/* From the first call on, about a thousand times, never backwards. */
static void a_replay_tells_how_far_it_is(void **state)
{
    (void)state;
    struct generate_options what = {.pattern = "ring", .sync = "pscw", .ranks = 4, .iterations = 1000, .bytes = 8};
    struct trace *trace;
    struct platform *platform;
    struct err err;
    struct told told = {.forward = true};
    struct replay_options options = {.engine = engine_by_name("loggp"), .progress = take, .progress_context = &told};
    struct replay_outcome outcome;
    assert_int_equal(generate_trace(&what, &trace, &err), STATUS_OK);
    assert_int_equal(platform_open("ideal", NULL, 0, &platform, &err), STATUS_OK);
    assert_int_equal(replay_run(trace, platform, &options, &outcome, &err), STATUS_OK);
    size_t all = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++) all += trace->ranks[r].count;
    assert_true(told.forward);
    assert_int_equal(told.all, all);
    assert_in_range(told.times, 900, 1001);
    assert_in_range(told.last, all - all / 500, all);
    replay_outcome_clear(&outcome);
    platform_free(platform);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_says_share_rate_and_time_left),
        cmocka_unit_test(a_replay_tells_how_far_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
