/* Changes whose gains are worked out by hand: nothing takes time but computing, waiting and, in one engine, a message.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "predictors/advise/advise.h"
#include "transform_test.h"

#define ERROR                           0.06 /* of the run time */
#define KNOWN(seconds)                  {.known = true, .part_s = {[PART_MODEL] = (seconds)}}
#define assert_us(found_s, expected_us) assert_true(fabs((found_s)*1e6 - (expected_us)) < 1e-6)

/* The rows' platforms: messages take no time. */
static enum status open_scene(const void *context, const char *semantics, const char *const *specs, size_t spec_count,
                              const struct trace *trace, struct platform **platform, struct err *err)
{
    char letter[64];
    const char *overrides[8] = {"network.latency_s=0", "network.bandwidth_Bps=1e18", "nodes.memory_bandwidth_Bps=1e18"};
    size_t count = 3;
    (void)trace;
    snprintf(letter, sizeof letter, "mpi.rma.semantics=%s", semantics);
    if (strcmp(semantics, "platform") != 0)
        overrides[count++] = letter;
    else if (context)
        overrides[count++] = context;
    for (size_t i = 0; i < spec_count; i++)
        if (transform_override(specs[i])) overrides[count++] = transform_override(specs[i]);
    return platform_open("tests/cases/base.json", overrides, count, platform, err);
}

/* An engine whose messages take 10 us. */
static enum status open_slow(const struct platform *platform, const int32_t (*pairs)[2], size_t pair_count,
                             const struct engine_callbacks *callbacks, struct engine **engine, struct err *err)
{
    static struct platform_ideal slow; /* the engine borrows it */
    platform_ideal_init(&slow, platform);
    slow.segment.latency_s = 10e-6;
    return engine_by_name("loggp")->open(&slow.platform, pairs, pair_count, callbacks, engine, err);
}

/* An engine that cannot replay d. */
static enum status open_without_d(const struct platform *platform, const int32_t (*pairs)[2], size_t pair_count,
                                  const struct engine_callbacks *callbacks, struct engine **engine, struct err *err)
{
    if (strcmp(platform->semantics.name, "d") == 0) return err_set(err, STATUS_DATA, NULL, NULL, "no d here");
    return engine_by_name("loggp")->open(platform, pairs, pair_count, callbacks, engine, err);
}

static struct advice *advise_with(const struct trace *trace, const struct engine_descriptor *confirms, double error,
                                  struct advice_options *options)
{
    struct advice *advice;
    struct err err = {.text = ""};
    *options = (struct advice_options){
        .scenes = {.open = open_scene}, .error = error, .fast = engine_by_name("loggp"), .confirms = confirms};
    if (advice_find(trace, options, &advice, &err) != STATUS_OK) fail_msg("%s", err.text);
    return advice;
}

static struct advice *advise(const struct trace *trace, const struct engine_descriptor *confirms,
                             struct advice_options *options)
{
    return advise_with(trace, confirms, ERROR, options);
}

static const struct proposal *change_of(const struct advice *advice, const char *name)
{
    for (size_t i = 0; i < advice->count; i++)
        if (strcmp(advice->changes[i].scene.name, name) == 0) return &advice->changes[i];
    fail_msg("no change %s", name);
    return NULL;
}

/* A pair is advised only if it gains more than the better of its changes and its own error together. */
static void more_than_the_error(void **state)
{
    (void)state;
    static const struct {
        double gain_s, error_s, alone_s[2]; /* 0: no single change */
        bool advised;
    } rows[] = {
        {6.1, 6, {0, 0}, true},        {6, 6, {0, 0}, false},       {5, 6, {0, 0}, false},
        {1, 0, {0, 0}, true},          {0, 0, {0, 0}, false},       {-1, 0, {0, 0}, false},
        {NAN, 0, {0, 0}, false},       {103, 6, {100, 50}, false},  {103, 6, {50, 100}, false},
        {106, 6, {100, 50}, false},    {106.1, 6, {100, 50}, true}, {106.1, 6, {50, 100}, true},
        {106.1, 6, {100, 101}, false}, {7, 6, {-100, -50}, true},   {5, 6, {-100, -50}, false},
        {7, 6, {NAN, 0.5}, true},      {7, 6, {0.5, NAN}, true},    {7, 6, {NAN, 1.5}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct proposal alone[2];
        struct proposal change = {.applies = true, .gain_s = rows[i].gain_s, .error = KNOWN(rows[i].error_s)};
        for (int k = 0; k < 2; k++) {
            alone[k] = (struct proposal){.applies = true, .gain_s = rows[i].alone_s[k]};
            if (rows[i].alone_s[k] != 0) change.alone[k] = &alone[k];
        }
        if (advice_is_advised(&change) != rows[i].advised) fail_msg("row %zu", i);
        change.applies = false;
        assert_false(advice_is_advised(&change));
        /* A single change that does not apply gains nothing, whatever its figure is. */
        if (change.alone[0]) alone[0].applies = alone[1].applies = false;
        change.applies = true;
        if (change.alone[0]) assert_int_equal(advice_is_advised(&change), rows[i].gain_s > rows[i].error_s);
    }
}

/* Rank 0 starts at 0; rank 1 posts at 100 us. Under a rank 0 is in start until then and computes 20 + 30 + 50 us: 200.
 * Under b it computes the first 20 us meanwhile, under c 50, under d and with an early post all 100: gains of 20, 50,
 * 100 and 100 us. After a barrier rank 2 computes 40 us before its second fence, and rank 0 as long behind it: 280 in
 * all. Balanced, each computes 280/3 us: rank 0 after the post another 200/3 of them, rank 2 then 280/3, rank 0 80/3: 280 again,
 * but for rounding. With fence=pscw rank 0 waits for its partner, rank 1, only: 40 us less. So five singles gain: d, post-early,
 * c, fence=pscw, b. The best four in pairs, but not c and d together, are five pairs; the gains of both parts of the
 * program add up. MPI_Win_test and the fetching operation keep rma=p2p and pscw=notify from changing anything. */
static const char many[] =
    "ranks 3\nwindow 0 comm=0 bytes=64,64,64 disp_unit=1\nwindow 1 comm=0 bytes=64,64,64 disp_unit=1\n"
    "0 0.000000 0.000000 MPI_Win_start win=0 group=1 site=@p.c:7\n"
    "0 0.000020 0.000020 MPI_Put win=0 target=1 bytes=8 disp=0\n"
    "0 0.000050 0.000050 MPI_Win_complete win=0\n"
    "0 0.000100 0.000100 MPI_Barrier comm=0\n"
    "0 0.000100 0.000100 MPI_Win_fence win=1\n"
    "0 0.000100 0.000100 MPI_Get_accumulate win=1 target=1 bytes=8 result_bytes=8 disp=0 op=SUM\n"
    "0 0.000100 0.000100 MPI_Win_fence win=1\n"
    "0 0.000140 0.000140 MPI_Comm_group comm=0\n"
    "1 0.000000 0.000000 MPI_Comm_group comm=0\n"
    "1 0.000100 0.000100 MPI_Win_post win=0 group=0\n"
    "1 0.000100 0.000100 MPI_Win_test win=0 flag=1\n"
    "1 0.000100 0.000100 MPI_Barrier comm=0\n"
    "1 0.000100 0.000100 MPI_Win_fence win=1\n"
    "1 0.000100 0.000100 MPI_Win_fence win=1\n"
    "2 0.000000 0.000000 MPI_Barrier comm=0\n"
    "2 0.000000 0.000000 MPI_Win_fence win=1\n"
    "2 0.000040 0.000040 MPI_Win_fence win=1\n";

/* The largest gain first; of equal gains, the one that was found first. */
static const struct {
    const char *name;
    double gain_us;
    bool advised;
} ordered[] = {
    {"d+fence=pscw", 140, true},
    {"platform+post-early+fence=pscw", 140, true},
    {"d", 100, true},
    {"platform+post-early", 100, true},
    {"d+post-early", 100, false},
    {"c+post-early", 100, false},
    {"c+fence=pscw", 90, true},
    {"c", 50, true},
    {"platform+fence=pscw", 40, true},
    {"b", 20, true},
    {"platform+balance", 0, false},
    {"a", 0, false},
};
enum { ORDERED = sizeof ordered / sizeof *ordered, CONFIRMED = 6 };

static void assert_where(const struct advice *advice, const char *name, const char *begin)
{
    const struct proposal *change = change_of(advice, name);
    if (!change->where || strncmp(change->where, begin, strlen(begin)) != 0)
        fail_msg("%s: most in %s, expected %s", name, change->where ? change->where : "nothing", begin);
}

static void the_best_in_pairs(void **state)
{
    (void)state;
    struct advice_options options;
    struct trace *trace = test_read(many);
    for (int confirms = 0; confirms < 2; confirms++) {
        struct advice *advice = advise(trace, confirms ? engine_by_name("loggp") : NULL, &options);
        size_t pairs = 0;
        assert_us(advice->reference_s, 280);
        for (size_t i = 0; i < ORDERED; i++) {
            const struct proposal *change = &advice->changes[advice->order[i]];
            if (strcmp(change->scene.name, ordered[i].name) != 0)
                fail_msg("%s, expected %s", change->scene.name, ordered[i].name);
            assert_us(change->gain_s, ordered[i].gain_us);
            assert_us(advice_error_s(change), ERROR * 280);
            assert_int_equal(advice_is_advised(change), ordered[i].advised);
            assert_int_equal(change->confirmed, confirms && i < CONFIRMED); /* so many of the best */
        }
        for (size_t i = 1; i < advice->count; i++) pairs += advice->changes[i].alone[0] != NULL;
        assert_int_equal(pairs, 5);
        assert_int_equal(advice->count,
                         1 + 4 + 22 + pairs); /* the platform, a to d, all transforms but scale, which takes a number */
        assert_where(advice, "platform+post-early",
                     "MPI_Win_start (p.c:7): move MPI_Win_post of rank 1 up to 100 us earlier");
        assert_where(advice, "platform+fence=pscw", "MPI_Win_fence: let MPI_Win_fence of rank 2 come");
        assert_where(advice, "d+fence=pscw", "MPI_Win_fence: let");
        assert_where(advice, "platform+post-early+fence=pscw",
                     "MPI_Win_start (p.c:7): move"); /* 100 us against 40 + 40 */
        assert_null(change_of(advice, "platform+fence=notify")->where);
        advice_free(advice);
    }
    trace_free(trace);
}

static const char late[] = "ranks 2\nwindow 0 comm=0 bytes=64,64 disp_unit=1\n"
                           "0 0.000000 0.000000 MPI_Win_start win=0 group=1\n"
                           "0 0.000000 0.000000 MPI_Put win=0 target=1 bytes=8 disp=0\n"
                           "0 0.000000 0.000000 MPI_Win_complete win=0\n"
                           "0 0.000100 0.000100 MPI_Comm_group comm=0\n"
                           "1 0.000000 0.000000 MPI_Comm_group comm=0\n"
                           "1 0.000100 0.000100 MPI_Win_post win=0 group=0\n"
                           "1 0.000100 0.000100 MPI_Win_wait win=0\n";

/* Rank 0 waits in start for the post of rank 1 at 100 us, and computes 100 us: 200. Messages of 10 us: the post comes
 * at 110, so 210; with the post at 0 it comes at 10: 110. Under d rank 0 is through at 100; the put leaves when the
 * post has come, at 110, and rank 1 waits for it until 120. So the other engine's gains are 100 and 90 us, and the gain
 * of d is uncertain by the difference, 10 us, beside the share that is asked for. */
static void engines_that_differ(void **state)
{
    (void)state;
    struct engine_descriptor slow = *engine_by_name("loggp");
    slow.open = open_slow;
    struct advice_options options;
    struct trace *trace = test_read(late);
    struct advice *advice = advise(trace, &slow, &options);
    assert_us(advice->reference_s, 210);
    assert_int_equal(advice->count, 1 + 4 + 22 + 3); /* d, post-early and rma=p2p in pairs: only these gain */
    const struct proposal *early = change_of(advice, "platform+post-early"), *d = change_of(advice, "d");
    assert_true(early->confirmed && d->confirmed);
    assert_us(early->gain_s, 100);
    assert_us(advice_error_s(early), ERROR * 210);
    assert_us(d->gain_s, 90);
    assert_us(advice_error_s(d), ERROR * 210 + 10);
    assert_us(d->run_time_s, 100); /* by the fast engine */
    const struct proposal *a = change_of(advice, "a");
    assert_false(a->confirmed); /* no gain by the fast one */
    assert_us(a->gain_s, 0);
    advice_free(advice);
    trace_free(trace);
}

/* Nothing gains more than an error of 100 %, so nothing is replayed again. What one engine cannot replay is kept with
 * its reason. */
static void changes_that_are_not_replayed(void **state)
{
    (void)state;
    struct engine_descriptor other = *engine_by_name("loggp");
    other.open = open_slow;
    struct advice_options options;
    struct trace *trace = test_read(late);
    struct advice *advice = advise_with(trace, &other, 1, &options);
    const struct proposal *d = change_of(advice, "d");
    assert_false(d->confirmed || advice_is_advised(d));
    assert_us(d->gain_s, 100);
    assert_us(advice_error_s(d), 200); /* as long as the run */
    advice_free(advice);

    other.open = open_without_d;
    advice = advise(trace, &other, &options);
    d = change_of(advice, "d");
    assert_false(d->applies);
    assert_non_null(strstr(d->why, "no d here"));
    assert_false(advice_is_advised(d));
    assert_true(advice_is_advised(change_of(advice, "platform+post-early")));
    assert_int_equal(advice->order[0], change_of(advice, "platform+post-early") - advice->changes);
    advice_free(advice);
    trace_free(trace);
}

/* On a platform with d the program takes 100 us, and 200 under a: a loss has an error, too, and comes behind what
 * changes nothing, and before what does not apply. */
static void losses_come_last(void **state)
{
    (void)state;
    struct trace *trace = test_read(late);
    struct advice_options options = {.scenes = {.open = open_scene, .context = "mpi.rma.semantics=d"},
                                     .error = ERROR,
                                     .fast = engine_by_name("loggp")};
    struct advice *advice;
    struct err err;
    assert_int_equal(advice_find(trace, &options, &advice, &err), STATUS_OK);
    const struct proposal *a = change_of(advice, "a");
    assert_us(advice->reference_s, 100);
    assert_us(a->gain_s, -100);
    assert_us(advice_error_s(a), ERROR * 100);
    assert_false(advice_is_advised(a));
    size_t places[3] = {0};
    for (size_t i = 0; i + 1 < advice->count; i++) {
        const struct proposal *change = &advice->changes[advice->order[i]];
        if (change == a) places[1] = i;
        if (change == change_of(advice, "d")) places[0] = i;
        if (change == change_of(advice, "platform+put=rput")) places[2] = i;
    }
    assert_true(places[0] < places[1] && places[1] < places[2]);
    advice_free(advice);
    trace_free(trace);
}

/* Rank 0 starts twice, and waits for the posts of rank 1, FIRST and SECOND us after the wait before. */
#define STARTS(FIRST, SECOND, BOTH)                                                                                    \
    "ranks 2\nwindow 0 comm=0 bytes=64,64 disp_unit=1\n"                                                               \
    "0 0.0 enter one\n0 0.0 0.0 MPI_Win_start win=0 group=1\n0 0.0 0.0 MPI_Win_complete win=0\n0 0.0 leave one\n"      \
    "0 0.0 enter two\n0 0.0 0.0 MPI_Win_start win=0 group=1\n0 0.0 0.0 MPI_Win_complete win=0\n0 0.0 leave two\n"      \
    "1 0.0 0.0 MPI_Comm_group comm=0\n"                                                                                \
    "1 0.0000" FIRST " 0.0000" FIRST " MPI_Win_post win=0 group=0\n1 0.0000" FIRST " 0.0000" FIRST                     \
    " MPI_Win_wait win=0\n"                                                                                            \
    "1 0.0000" BOTH " 0.0000" BOTH " MPI_Win_post win=0 group=0\n1 0.0000" BOTH " 0.0000" BOTH " MPI_Win_wait win=0\n"

/* The place that is named is the one that loses most by what the change shortens, wherever it stands. Of equal ones it
 * is the first. */
static void where_most_is_lost(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where;
    } rows[] = {
        {STARTS("10", "80", "90"), "two/MPI_Win_start: move MPI_Win_post"},
        {STARTS("80", "10", "90"), "one/MPI_Win_start: move MPI_Win_post"},
        {STARTS("40", "40", "80"), "one/MPI_Win_start: move MPI_Win_post"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct advice_options options;
        struct trace *trace = test_read(rows[i].text);
        struct advice *advice = advise(trace, NULL, &options);
        const struct proposal *early = change_of(advice, "platform+post-early");
        assert_non_null(early->where);
        if (strncmp(early->where, rows[i].where, strlen(rows[i].where)) != 0) fail_msg("row %zu: %s", i, early->where);
        assert_null(change_of(advice, "d")->where); /* it is no change of the program */
        assert_null(change_of(advice, "platform+wait-late")->where);
        advice_free(advice);
        trace_free(trace);
    }
}

/* What is printed of each sort of change, in the order of `order`: first the best one; those that are advised, with gain, error
 * and share of the run; then those that gain nothing, but no such pairs; then those that do not apply, by reason. */
static void what_is_printed(void **state)
{
    (void)state;
    static const struct advice_options options = {.error = ERROR};
    static struct advice advice = {.options = &options, .count = 8, .order = {2, 1, 6, 3, 4, 5, 7}, .reference_s = 400e-6};
    static char why[] = "no puts", place[] = "t:rank 0: get changes nothing: no puts", where[] = "main (a.c:1): move it";
    const struct proposal changes[] = {
        {.applies = true, .confirmed = true},
        {.applies = true, .gain_s = 50e-6, .error = KNOWN(3e-6), .run_time_s = 350e-6},
        {.applies = true, .gain_s = 100e-6, .error = KNOWN(6e-6), .run_time_s = 300e-6, .confirmed = true, .where = where},
        {.applies = false, .why = why},
        {.applies = true, .gain_s = 2e-6, .error = KNOWN(3e-6)},
        {.applies = false, .gain_s = NAN},
        {.applies = true, .gain_s = 51e-6, .error = KNOWN(3e-6), .alone = {&advice.changes[1], &advice.changes[4]}},
        {.applies = false, .why = place},
    };
    static const char *const names[] = {"platform", "b", "d", "rput", "c", "polls", "b+c", "platform+get"};
    char *text = NULL;
    size_t bytes;
    for (size_t i = 0; i < advice.count; i++) {
        advice.changes[i] = changes[i];
        scene_name(&advice.changes[i].scene, names[i]);
    }
    static struct platform platform; /* without a library */
    advice.changes[0].scene.platform = &platform;
    for (int none = 0; none < 2; none++) {
        FILE *out = open_memstream(&text, &bytes);
        assert_non_null(out);
        if (none) advice.changes[1].error.part_s[PART_MODEL] = 60e-6, advice.changes[2].error.part_s[PART_MODEL] = 110e-6;
        advice_print(&advice, out);
        fclose(out);
        assert_string_equal(text,
                            none ? "No change gains more than its error\n\nrun time 400 us as the platform is (ideal library)\n\n"
                                   "no gain beyond its error: d (100 us), b (50 us), c (2 us), polls (not replayed)\n"
                                   "does not apply: rput, get: no puts\n"
                                 : "d saves 100 us +- 6 us, 25.0 % of the run time\n\n"
                                   "run time 400 us as the platform is (ideal library)\n\n"
                                   "change                             gain    error      of run\n"
                                   "d                                100 us +- 6 us       25.0 %\n"
                                   "    most in main (a.c:1): move it\n"
                                   "b                                 50 us +- 3 us       12.5 %  fast engine only\n\n"
                                   "no gain beyond its error: c (2 us), polls (not replayed)\n"
                                   "does not apply: rput, get: no puts\n");
        free(text);
    }
}

/* Ten calls of two ranks: in MPI for 100 s, 20 of them wait states. */
static struct result_share calls_of_run[] = {
    {.activity = "MPI_Win_flush", .time_s = 60, .wait_s = 5, .transfer_known = true, .transfer_s = 10, .unexplained_s = 45},
    {.activity = "MPI_Init", .time_s = 300, .init = true},
    {.activity = "MPI_Barrier", .time_s = 40, .wait_s = 15, .transfer_known = true, .transfer_s = 25, .unexplained_s = 0},
};

/* Where nothing is advised, the headline says what takes the time: of 100 s in MPI, without MPI_Init, 20 are wait states, 35
 * transfer, 45 unexplained. With 30 of the latter without a core transfer is the largest part; with 80 more of waiting in the
 * barrier it is waiting, 100 of 180. If rank 2 has 30 s of user code and the three others 10 s, 60 s are unbalanced: that
 * comes first, unless it explains less than half of the waiting. Of 12000 s all MPI is less than 1 %. */
static void what_takes_the_time(void **state)
{
    (void)state;
    static const struct {
        double without_core_s, wait_s, most_s, total_s;
        const char *expected;
    } rows[] = {
        {0, 0, 10, 1000, "45 % of MPI's time is unexplained, most of it in MPI_Win_flush"},
        {30, 0, 10, 1000, "35 % of MPI's time is transfer, most of it in MPI_Barrier"},
        {40, 0, 10, 1000, "40 % of MPI's time is spent without a core, most of it in MPI_Win_flush"},
        {0, 80, 10, 1000, "56 % of MPI's time is waiting for other ranks, most of it in MPI_Barrier"},
        {0, 0, 30, 1000, "rank 2 computes 3.0 times as long as the others"},
        {0, 80, 30, 1000, "rank 2 computes 3.0 times as long as the others"}, /* 60 of 100 s of waiting */
        {0, 105, 30, 1000, "61 % of MPI's time is waiting for other ranks, most of it in MPI_Barrier"},
        {0, 0, 10, 12300, "MPI takes 0.8 % of all ranks' time"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double rank_time_s[4] = {rows[i].total_s};
        struct result_share calls[3];
        char text[ADVICE_HEADLINE_BYTES];
        memcpy(calls, calls_of_run, sizeof calls);
        calls[0].unexplained_s -= rows[i].without_core_s;
        calls[2].wait_s += rows[i].wait_s;
        calls[2].time_s += rows[i].wait_s;
        struct result run = {.rank_count = 4, .rank_time_s = rank_time_s, .init_s = 300};
        run.calls = (struct result_shares){.items = calls, .count = 3, .total_s = 400 + rows[i].wait_s};
        run.user = (struct result_user){.most_s = rows[i].most_s,
                                        .others_s = 10,
                                        .unbalanced_s = 3 * (rows[i].most_s - 10),
                                        .rank = 2,
                                        .stands_out = rows[i].most_s > 10};
        const struct advice_options options = {.error = ERROR, .recorded = &run};
        static struct advice advice = {.count = 1};
        advice.options = &options;
        advice_headline(&advice, text);
        const char *at = strstr(text, ": ");
        if (strncmp(text, "No change of calls helps", 24) != 0 || !at || strcmp(at + 2, rows[i].expected) != 0)
            fail_msg("row %zu: %s", i, text);
    }
}

/* Places are found by their advice's text, in which a name stands for its change. */
static void names_are_no_parts_of_others(void **state)
{
    (void)state;
    for (const struct transform *const *row = transforms(); *row; row++)
        for (const struct transform *const *other = transforms(); *other; other++)
            if (row != other && strstr((*row)->name, (*other)->name))
                fail_msg("%s is a part of %s", (*other)->name, (*row)->name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_than_the_error), cmocka_unit_test(the_best_in_pairs),
        cmocka_unit_test(engines_that_differ), cmocka_unit_test(changes_that_are_not_replayed),
        cmocka_unit_test(losses_come_last),    cmocka_unit_test(where_most_is_lost),
        cmocka_unit_test(what_is_printed),     cmocka_unit_test(what_takes_the_time),
            cmocka_unit_test(names_are_no_parts_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
