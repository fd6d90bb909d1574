/* What holds of every transform on generated programs: computing of each rank and bytes of each pair stay, the
 * rewritten trace replays under a-d, and rewriting it again changes nothing more. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "trace/generate/generate.h"
#include "transform_test.h"

enum { RANKS = 6 };

static const char *const specs[] = {"post-early", "complete-early", "wait-late", "fence=pscw",
                                    "put=rput",   "merge-puts",     "merge-gets", "polls",
                                    "pscw=notify", "flag=notify", "rma=p2p",
                                    "scale:/=1"};
enum { SPEC_COUNT = sizeof specs / sizeof *specs };

static struct trace *generate(const char *pattern, const char *sync, uint64_t seed)
{
    struct generate_options options = {.pattern = pattern,
                                       .sync = sync,
                                       .ranks = RANKS,
                                       .iterations = 4,
                                       .bytes = 5000,
                                       .compute_s = 1e-3,
                                       .imbalance = 0.5,
                                       .seed = seed};
    struct trace *trace;
    struct err err;
    if (generate_trace(&options, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    return trace;
}

/* From time zero to the last event, less the calls. */
static int64_t computing_ps(const struct trace *trace, uint32_t rank)
{
    int64_t sum_ps = trace_rank_end_ps(trace, rank) - trace_begin_ps(trace);
    for (size_t i = 0; i < trace->ranks[rank].count; i++)
        sum_ps -= trace->ranks[rank].calls[i].exit_ps - trace->ranks[rank].calls[i].enter_ps;
    return sum_ps;
}

static int64_t pair_bytes(const struct trace *trace, uint32_t origin, int32_t target)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < trace->ranks[origin].count; i++) {
        const struct trace_call *call = &trace->ranks[origin].calls[i];
        enum call_kind kind = call_operation(call_kind(call->call));
        bool moves = kind == CALL_PUT || kind == CALL_GET || kind == CALL_ACCUMULATE || kind == CALL_ISEND;
        if (moves && call->peer == target)
            bytes += call->bytes;
    }
    return bytes;
}

static void assert_kept(const struct trace *before, const struct trace *after)
{
    for (uint32_t r = 0; r < RANKS; r++) {
        assert_int_equal(computing_ps(before, r), computing_ps(after, r));
        for (int32_t t = 0; t < RANKS; t++) assert_int_equal(pair_bytes(before, r, t), pair_bytes(after, r, t));
    }
}

static void check(const struct trace *trace, const char *spec)
{
    struct rewrite once, twice;
    struct err err;
    enum status status = rewrite_run(trace, &spec, 1, &once, &err);
    if (status == STATUS_DATA && strstr(err.text, "changes nothing")) return; /* put=rput without locks */
    if (status != STATUS_OK) fail_msg("%s", err.text);
    if (!once.trace) { /* nothing of the kind is in the program */
        assert_int_equal(once.reports[0].considered, 0);
        rewrite_clear(&once);
        return;
    }
    assert_kept(trace, once.trace);
    for (const char *letter = "abcd"; *letter; letter++) {
        char semantics[] = {*letter, '\0'};
        assert_true(test_run_us(once.trace, semantics) > 0);
    }
    if (strstr(spec, "notify") && once.reports[0].changed > 0) { /* what it makes is OpenSHMEM's */
        assert_int_equal(rewrite_run(once.trace, &spec, 1, &twice, &err), STATUS_DATA);
        rewrite_clear(&once);
        return;
    }
    if (rewrite_run(once.trace, &spec, 1, &twice, &err) != STATUS_OK) fail_msg("%s", err.text);
    char *first = test_calls(once.trace), *second = test_calls(twice.trace ? twice.trace : once.trace);
    assert_int_equal(twice.reports[0].changed, 0);
    assert_string_equal(first, second);
    free(first);
    free(second);
    rewrite_clear(&twice);
    rewrite_clear(&once);
}

static void laws_hold(void **state)
{
    (void)state;
    for (const char *const *pattern = generate_patterns(); *pattern; pattern++)
        for (const char *const *sync = generate_syncs(); *sync; sync++)
            for (uint64_t seed = 1; seed <= 3; seed++) {
                struct trace *trace = generate(*pattern, *sync, seed);
                for (size_t i = 0; i < SPEC_COUNT; i++) check(trace, specs[i]);
                trace_free(trace);
            }
}

/* All of them one after another, too. */
static void laws_hold_of_chains(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct trace *trace = generate("halo2d", "fence", seed);
        static const char *const chain[] = {"fence=pscw", "complete-early", "wait-late", "merge-puts", "post-early"};
        struct rewrite rewrite;
        struct err err;
        if (rewrite_run(trace, chain, 5, &rewrite, &err) != STATUS_OK) fail_msg("%s", err.text);
        assert_int_equal(rewrite.count, 5);
        assert_kept(trace, rewrite.trace);
        for (const char *letter = "abcd"; *letter; letter++) {
            char semantics[] = {*letter, '\0'};
            assert_true(test_run_us(rewrite.trace, semantics) > 0);
        }
        rewrite_clear(&rewrite);
        trace_free(trace);
    }
}

/* Where messages do not meet, times are maxima of sums: an earlier post and a later wait can only be waited for less.
 */
static void assert_not_longer(const struct trace *trace, const char *spec)
{
    struct rewrite rewrite;
    struct err err;
    if (rewrite_run(trace, &spec, 1, &rewrite, &err) != STATUS_OK) fail_msg("%s", err.text);
    for (const char *letter = "abcd"; *letter; letter++) {
        char semantics[] = {*letter, '\0'};
        double before_us = test_run_apart_us(trace, semantics), after_us = test_run_apart_us(rewrite.trace, semantics);
        if (after_us > before_us + 1e-6)
            fail_msg("%s under %s: %.6f us, was %.6f", spec, semantics, after_us, before_us);
    }
    rewrite_clear(&rewrite);
}

static void earlier_posts_and_later_waits_never_cost(void **state)
{
    (void)state;
    for (const char *const *pattern = generate_patterns(); *pattern; pattern++)
        for (uint64_t seed = 1; seed <= 10; seed++) {
            struct trace *trace = generate(*pattern, "pscw", seed);
            assert_not_longer(trace, "post-early");
            assert_not_longer(trace, "wait-late");
            trace_free(trace);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(laws_hold), cmocka_unit_test(laws_hold_of_chains),
                                       cmocka_unit_test(earlier_posts_and_later_waits_never_cost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
