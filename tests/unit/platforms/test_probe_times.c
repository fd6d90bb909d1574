/* Times: medians, refusals, the latency, costs per byte, and what follows from times in units of the latency. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "platforms/platform.h"
#include "platforms/probe/report.h"
#include "probe_test.h"

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* 1 to 10 us: the median is 5.5 us, the 90th percentile 9.1 us (linear between order statistics): 1.65 medians. */
static void a_wide_series_is_refused(void **state)
{
    (void)state;
    struct probe_record record = {0};
    probe_say(&record, "rmacast-probe time put_flush 8 1e-6 2e-6 3e-6 4e-6 5e-6 6e-6 7e-6 8e-6 9e-6 1e-5");
    probe_say(&record, "rmacast-probe time get_flush 8 10e-6 10e-6 10e-6 10e-6 10e-6 10e-6 10e-6 10e-6 12e-6 50e-6");
    struct probe_findings findings = probe_evaluated(&record);
    assert_true(findings.times[0].refused);
    assert_true(fabs(findings.times[0].value_s - 5.5e-6) < 1e-15);
    assert_true(fabs(findings.times[0].spread - 9.1 / 5.5) < 1e-9);
    assert_null(probe_find_time(&findings, "put_flush", 8));
    /* 9 of 10 order statistics are at most 12 us, the quantile is 15.8 us: refused, too. */
    assert_true(findings.times[1].refused);
    struct probe_time latency;
    assert_false(probe_latency(&findings, &latency));
    probe_findings_clear(&findings);
    /* Measured once more, in a quieter moment. */
    probe_say_time(&record, "put_flush", 8, 4e-6);
    findings = probe_evaluated(&record);
    assert_true(probe_latency(&findings, &latency));
    assert_true(near(latency.value_s, 2e-6));
    probe_findings_clear(&findings);
    probe_record_clear(&record);
}

/* Others had a rank's core for 21 % of the time: no time is believed. 19 % show in the spread of what they touch. */
static void busy_cores(void **state)
{
    (void)state;
    for (int busy = 0; busy < 2; busy++) {
        struct probe_record record = {0};
        probe_say(&record, "rmacast-probe value gap_s %g", 8e-3);
        probe_say(&record, "rmacast-probe value lost_share %g", busy ? 0.21 : 0.19);
        probe_say_time(&record, "unlock", 8, 0.9e-3);
        struct probe_findings findings = probe_evaluated(&record);
        assert_int_equal(findings.times[0].refused, busy ? PROBE_BUSY : PROBE_ACCEPTED);
        assert_int_equal(probe_find_time(&findings, "unlock", 8) == NULL, busy);
        probe_findings_clear(&findings);
        probe_record_clear(&record);
    }
}

/* Three sizes make a cost. 1 KB is one of them, a byte less is none. */
static void a_cost_is_of_three_sizes_from_1_KB_on(void **state)
{
    (void)state;
    for (int64_t first = 1023; first <= 1024; first++) {
        const int64_t sizes[] = {first, 2048, 4096};
        struct probe_record record = {0};
        struct probe_cost cost;
        for (int i = 0; i < 3; i++) {
            probe_say_time(&record, "put_flush", sizes[i], 1e-3);
            probe_say_time(&record, "accumulate_flush", sizes[i], 1e-3 + 1e-9 * (double)sizes[i]);
        }
        struct probe_findings findings = probe_evaluated(&record);
        assert_int_equal(probe_apply_cost(&findings, &cost), first == 1024);
        if (first == 1024) assert_true(cost.n == 3 && near(cost.below_s_per_byte, 1e-9));
        probe_findings_clear(&findings);
        probe_record_clear(&record);
    }
}

/* Half of put and flush; where puts need nobody at the target, of a ping-pong. */
static void latency_found(void **state)
{
    (void)state;
    for (int alone = 0; alone < 2; alone++) {
        struct probe_record record = {0};
        struct probe_time latency;
        probe_say_time(&record, "ping_pong", 8, 2.1e-3);
        probe_say_time(&record, "put_flush", 8, 2e-3);
        probe_say_tries(&record, "served", "put", 8, alone ? 3 : 2, 9);
        struct probe_findings findings = probe_evaluated(&record);
        assert_true(probe_latency(&findings, &latency));
        assert_true(near(latency.value_s, alone ? 1.05e-3 : 1e-3));
        assert_string_equal(latency.name, alone ? "ping_pong" : "put_flush");
        probe_findings_clear(&findings);
        probe_record_clear(&record);
    }
}

/* Ten times from 1 to 1.09 ms: the quartiles are 1.0225 and 1.0675, so the median, 1.045, has an error of 1.253 * 0.045
 * / 1.349 / sqrt(10) = 0.013218 ms. Latency is half of both. The 10th percentile is 1.009, 0.0135 ms below the
 * quartile. */
static void latency_has_half_the_error(void **state)
{
    (void)state;
    struct probe_record record = {0};
    struct probe_time latency;
    probe_say(
        &record,
        "rmacast-probe time put_flush 8 1.09e-3 1.01e-3 1.02e-3 1.03e-3 1.04e-3 1.05e-3 1.06e-3 1.07e-3 1.08e-3 1e-3");
    struct probe_findings findings = probe_evaluated(&record);
    assert_true(probe_latency(&findings, &latency));
    assert_true(near(latency.value_s, 0.5225e-3));
    assert_true(fabs(latency.error_s - 0.5 * 0.013218e-3) < 1e-9);
    assert_true(near(findings.times[0].low_s, 1.009e-3));
    assert_true(fabs(findings.times[0].low_error_s - 0.0135e-3) < 1e-12);
    probe_findings_clear(&findings);
    probe_record_clear(&record);
}

/* Within 10 %: get and flush, not the lock. */
static void latency_is_checked_against_others(void **state)
{
    (void)state;
    struct probe_record record = {0};
    probe_say(&record, "rmacast-probe begin 1 A library");
    probe_say(&record, "rmacast-probe hosts one two");
    probe_say_time(&record, "put_flush", 8, 2e-3);
    probe_say_time(&record, "get_flush", 8, 2.19e-3);
    probe_say_time(&record, "lock", 8, 2.21e-3);
    struct probe_findings findings = probe_evaluated(&record);
    struct err err = {.text = ""};
    cJSON *json;
    if (probe_to_json(&findings, NULL, &json, &err) != STATUS_OK) fail_msg("%s", err.text);
    const cJSON *row, *against = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "latency_s"), "against");
    int rows = 0;
    cJSON_ArrayForEach(row, against)
    {
        bool lock = strcmp(cJSON_GetObjectItem(row, "name")->valuestring, "lock") == 0;
        assert_int_equal(cJSON_IsTrue(cJSON_GetObjectItem(row, "agrees")), !lock);
        rows++;
    }
    assert_int_equal(rows, 3);
    cJSON_Delete(json);
    probe_findings_clear(&findings);
    probe_record_clear(&record);
}

/* A call of 1 us + 0.5 ns for each byte. */
static void put_cost(void **state)
{
    (void)state;
    struct probe_record record = {0};
    struct probe_cost cost;
    for (int64_t bytes = 1024; bytes <= 65536; bytes *= 4)
        probe_say_time(&record, "put_call", bytes, 1e-6 + 0.5e-9 * (double)bytes);
    struct probe_findings findings = probe_evaluated(&record);
    assert_true(probe_put_cost(&findings, &cost));
    assert_true(fabs(cost.below_s_per_byte - 0.5e-9) < 1e-15);
    probe_findings_clear(&findings);
    probe_record_clear(&record);
}

/* Load only adds time: to each call an exponential share of 5 % on average. The median of that is 5 % of ln 2, so a cost of
 * 0.5 ns has the median 0.5173 ns. Three standard errors of normal values hold for 99.7 %. */
static void put_cost_is_within_its_error(void **state)
{
    (void)state;
    enum { SEEDS = 200, SIZES = 5, REPETITIONS = 40 };
    static const int64_t sizes[SIZES] = {1024, 4096, 16384, 65536, 131072};
    int within = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
        struct probe_record record = {0};
        struct probe_cost cost;
        gsl_rng *random = gsl_rng_alloc(gsl_rng_taus);
        gsl_rng_set(random, (unsigned long)seed);
        for (int i = 0; i < SIZES; i++) {
            char values[2048] = "";
            size_t used = 0;
            for (int k = 0; k < REPETITIONS; k++)
                used += (size_t)snprintf(values + used, sizeof values - used, " %.12g",
                                         (1e-6 + 0.5e-9 * (double)sizes[i]) * (1 + gsl_ran_exponential(random, 0.05)));
            probe_say(&record, "rmacast-probe time put_call %ld%s", (long)sizes[i], values);
        }
        gsl_rng_free(random);
        struct probe_findings findings = probe_evaluated(&record);
        assert_true(probe_put_cost(&findings, &cost));
        assert_true(cost.error_s < 0.05e-9);
        within += fabs(cost.below_s_per_byte - 0.5e-9 * (1 + 0.05 * M_LN2)) <= cost.error_s;
        probe_findings_clear(&findings);
        probe_record_clear(&record);
    }
    if (within < 0.95 * SEEDS) fail_msg("the cost of %d of %d seeds is within its error, expected 95 %%", within, SEEDS);
}

static void a_call_that_does_not_copy_has_no_cost(void **state)
{
    (void)state;
    struct probe_record record = {0};
    struct probe_cost cost;
    for (int64_t bytes = 1024; bytes <= 65536; bytes *= 4) probe_say_time(&record, "put_call", bytes, 1e-6);
    struct probe_findings findings = probe_evaluated(&record);
    assert_false(probe_put_cost(&findings, &cost));
    probe_findings_clear(&findings);
    probe_record_clear(&record);
    /* Each time counts with an error of 1 %. Of x = 0, 1000, 2000 bytes the slope's is 1 % / (sqrt(2) * 1000) of 1 us, 7.07 ps,
     * and three times that: 21.2 ps. 0.02 us more in 1000 bytes are 20 ps a byte, 0.023 are 23. */
    for (int more = 0; more < 2; more++) {
        struct probe_record noisy = {0};
        for (int i = 0; i < 3; i++) probe_say_time(&noisy, "put_call", 1000 * i, 1e-6 + (more ? 23e-9 : 20e-9) * i);
        findings = probe_evaluated(&noisy);
        assert_int_equal(probe_put_cost(&findings, &cost), more);
        probe_findings_clear(&findings);
        probe_record_clear(&noisy);
    }
}

/* Put and flush take 20 us + 1 ns for each byte; an accumulate 0.7 ns for each byte more up to 48 KB, 2 ns from 64 KB
 * on. The step is stated at the middle, (49152 + 65536) / 2 - 1. Without it there is one cost. */
static void apply_cost(void **state)
{
    (void)state;
    static const int64_t sizes[] = {8192, 16384, 32768, 49152, 65536, 131072, 1048576};
    for (int steps = 0; steps < 2; steps++) {
        struct probe_record record = {0};
        struct probe_cost cost;
        for (int i = 0; i < 7; i++) {
            double put_s = 20e-6 + 1e-9 * (double)sizes[i];
            probe_say_time(&record, "put_flush", sizes[i], put_s);
            probe_say_time(&record, "accumulate_flush", sizes[i], put_s + (steps && i > 3 ? 2e-9 : 0.7e-9) * (double)sizes[i]);
        }
        struct probe_findings findings = probe_evaluated(&record);
        assert_true(probe_apply_cost(&findings, &cost));
        assert_true(fabs(cost.below_s_per_byte - 0.7e-9) < 1e-14);
        assert_true(fabs(cost.above_s_per_byte - (steps ? 2e-9 : 0.7e-9)) < 1e-14);
        assert_true(cost.upto_bytes == (steps ? 57343 : INT64_MAX));
        struct platform *platform = probe_platform(&record);
        assert_true(fabs(platform_apply_s(platform, 100000) - (steps ? 2e-9 : 0.7e-9) * 1e5) < 1e-9);
        platform_free(platform);
        probe_findings_clear(&findings);
        probe_record_clear(&record);
    }
}

/* Costs per byte of six sizes in ns. Up to half as much more is no step: of 1 and 1.49 it is the mean, 1.245, whose
 * squares are 6 * 0.245^2; its error is sqrt(0.36015 / 5 / 6) = 0.10957. Of 1 and 1.51 there is a step, and no square
 * is left. Costs that grow by 0.5 from size to size have 4.375 of squares, and in halves 2 * 0.5 left, more than a
 * fifth: no step, and an error of sqrt(4.375 / 30) = 0.38188. What is below 1 KB does not count, nor what costs less
 * than nothing. */
static void small_steps_are_one_cost(void **state)
{
    (void)state;
    static const int64_t sizes[] = {2048, 4096, 8192, 16384, 32768, 65536};
    static const struct {
        double ns[6], below, above, error;
        int64_t upto;
    } rows[] = {{{1, 1, 1, 1.49, 1.49, 1.49}, 1.245, 1.245, 0.10957, INT64_MAX},
                {{1, 1, 1, 1.51, 1.51, 1.51}, 1, 1.51, 0, (8192 + 16384) / 2 - 1},
                {{0.5, 1, 1.5, 2, 2.5, 3}, 1.75, 1.75, 0.38188, INT64_MAX},
                {{-1, -1, -1, -1, 3, 3}, 0, 3, 0, (16384 + 32768) / 2 - 1}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct probe_record record = {0};
        struct probe_cost cost;
        for (int i = -1; i < 6; i++) {
            int64_t bytes = i < 0 ? 1023 : sizes[i];
            probe_say_time(&record, "put_flush", bytes, 1e-3);
            probe_say_time(&record, "accumulate_flush", bytes,
                           1e-3 + (i < 0 ? 9 : rows[r].ns[i]) * 1e-9 * (double)bytes);
        }
        struct probe_findings findings = probe_evaluated(&record);
        assert_true(probe_apply_cost(&findings, &cost));
        if (fabs(cost.below_s_per_byte - rows[r].below * 1e-9) > 1e-14 ||
            fabs(cost.above_s_per_byte - rows[r].above * 1e-9) > 1e-14 ||
            fabs(cost.error_s - rows[r].error * 1e-9) > 1e-14 || cost.upto_bytes != rows[r].upto || cost.n != 6)
            fail_msg("row %zu: %g %g +- %g up to %g of %zu", r, cost.below_s_per_byte, cost.above_s_per_byte,
                     cost.error_s, (double)cost.upto_bytes, cost.n);
        probe_findings_clear(&findings);
        probe_record_clear(&record);
    }
}

/* L = 1 ms, 10 ns for each byte: a message of n bytes above the eager limit and an answer take 4 L + n/B, or 6 L + n/B where the
 * sender tells the receiver that the data are there. A fence of one barrier, or of two. Making a window: 2 L or 8 L. */
static void times_in_latencies(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        struct probe_record record = {0};
        probe_say_time(&record, "put_flush", 8, 2e-3);
        for (int64_t bytes = 65536; bytes <= 262144; bytes *= 4)
            probe_say_time(&record, "round_trip", bytes, (more ? 6e-3 : 4e-3) + 10e-9 * (double)bytes);
        probe_say_time(&record, "barrier_train", 0, 1e-3);
        probe_say_time(&record, "fence_train", 0, more ? 2.1e-3 : 1.1e-3);
        probe_say_time(&record, "win_create", 0, more ? 8.6e-3 : 2.2e-3);
        /* The hardware answers, so no delay shows it, but complete and unlock take a latency or more. */
        probe_say_tries(&record, "complete", "put", 8, 2, 9);
        probe_say_tries(&record, "unlock_asleep", "none", 0, 2, 9);
        probe_say_time(&record, "complete", 8, more ? 1e-3 : 0.9e-3);
        probe_say_time(&record, "unlock", 8, more ? 2e-3 : 0.9e-3);
        struct platform *platform = probe_platform(&record);
        assert_int_equal(platform->rendezvous, more ? RENDEZVOUS_NOTIFIED : RENDEZVOUS_DIRECT);
        const struct call_steps *calls = platform->protocol.calls;
        assert_int_equal(calls[STEPS_FENCE].form, more ? FORM_FENCE_COUNTS : FORM_FENCE_BARRIER);
        assert_int_equal(platform->window_creation, more ? WINDOW_CREATION_MPICH : WINDOW_CREATION_EXCHANGE);
        assert_int_equal(calls[STEPS_COMPLETE].form, more ? FORM_COMPLETE_BEHIND : FORM_COMPLETE_LOCAL);
        assert_int_equal(calls[STEPS_UNLOCK].form, more ? FORM_UNLOCK_ANSWERED : FORM_UNLOCK_RELEASED);
        platform_free(platform);
        probe_record_clear(&record);
    }
}

/* A fence of whose assertions nothing is known looks at them, as one that does not wait where both allow it; one that waits there
 * does not. Without a time it has no counts; with neither it has no steps of its own. Above 1.6 barriers it has counts. */
static void steps_of_a_fence(void **state)
{
    static const struct {
        int waits;      /* 0: in the fence, 1: not; -1: unknown */
        double times;   /* of a barrier that takes 1 ms; 0: not measured */
        enum steps_form form;
        bool asserted;
    } rows[] = {
        {-1, 0, FORM_FENCE_BARRIER, true},    {-1, 1.5, FORM_FENCE_BARRIER, true}, {-1, 1.7, FORM_FENCE_COUNTS, true},
        {0, 0, FORM_FENCE_BARRIER, false},    {0, 1.7, FORM_FENCE_COUNTS, false},  {1, 0, FORM_FENCE_BARRIER, true},
        {1, 1.7, FORM_FENCE_COUNTS, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct probe_record record = {0};
        if (rows[i].waits >= 0) probe_say_tries(&record, "fence", "noprecede|nosucceed", 0, rows[i].waits, 9);
        if (rows[i].times > 0) probe_say_time(&record, "barrier_train", 0, 1e-3);
        if (rows[i].times > 0) probe_say_time(&record, "fence_train", 0, rows[i].times * 1e-3);
        struct platform *platform = probe_platform(&record);
        const struct call_steps *fence = &platform->protocol.calls[STEPS_FENCE];
        if (fence->form != rows[i].form || fence->asserted != rows[i].asserted)
            fail_msg("row %zu: form %d, asserted %d", i, fence->form, fence->asserted);
        platform_free(platform);
        probe_record_clear(&record);
    }
}

/* Windows that are made by 8 L of collectives are those of MPICH, whose puts with gaps are active messages, or of Open MPI, whose
 * are not. */
static void rules_of_puts(void **state)
{
    (void)state;
    static const char *const libraries[] = {"MPICH Version:\t4.0.2", "Open MPI v4.1.4"};
    for (int i = 0; i < 2; i++) {
        struct probe_record record = {0};
        snprintf(record.library, sizeof record.library, "%s", libraries[i]);
        probe_say_time(&record, "put_flush", 8, 2e-3);
        probe_say_time(&record, "win_create", 0, 8e-3);
        probe_say_tries(&record, "served", "put", 8, 0, 9);
        struct platform *platform = probe_platform(&record);
        assert_int_equal(platform->protocol.dynamic_put, PUT_RULES_ACCUMULATE);
        assert_int_equal(platform->protocol.noncontiguous_put, i == 0 ? PUT_RULES_ACCUMULATE : PUT_RULES_OWN);
        platform_free(platform);
        probe_record_clear(&record);
    }
}

/* A put is complete at its origin when flush_local has little left to do, or when the data have left: from three tenths of a
 * flush on. One that waits for its target (its first call alone waited) is acknowledged, however long flush_local takes. */
static void copied_or_left(void **state)
{
    (void)state;
    static const struct {
        int waits;
        double flush_local_s;
        enum local_mode local;
    } rows[] = {{2, 0.29e-3, LOCAL_COPIED}, {2, 0.31e-3, LOCAL_LEFT}, {1, 0.31e-3, LOCAL_ACKNOWLEDGED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct probe_record record = {0};
        probe_say_tries(&record, "served", "put", 8, rows[i].waits, 9);
        probe_say_time(&record, "put_flush", 65536, 1e-3);
        probe_say_time(&record, "put_flush_local", 65536, rows[i].flush_local_s);
        struct platform *platform = probe_platform(&record);
        assert_int_equal(platform->protocol.local[RMA_PUT], rows[i].local);
        platform_free(platform);
        probe_record_clear(&record);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wide_series_is_refused),
        cmocka_unit_test(busy_cores),
        cmocka_unit_test(a_cost_is_of_three_sizes_from_1_KB_on), cmocka_unit_test(latency_found),
        cmocka_unit_test(latency_has_half_the_error),
        cmocka_unit_test(latency_is_checked_against_others),
        cmocka_unit_test(put_cost),
        cmocka_unit_test(put_cost_is_within_its_error),
        cmocka_unit_test(a_call_that_does_not_copy_has_no_cost),
        cmocka_unit_test(apply_cost),
        cmocka_unit_test(small_steps_are_one_cost),
        cmocka_unit_test(times_in_latencies),
        cmocka_unit_test(steps_of_a_fence),
        cmocka_unit_test(rules_of_puts),
        cmocka_unit_test(copied_or_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
