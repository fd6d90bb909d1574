/* What a recording says of the run time of another run: steps that differ, and ranks that start at different times. */
#include "trace_test.h"

#include <math.h>
#include <stdio.h>

#include "trace/steps.h"

#define HALF_BAND 1.645 /* standard deviations: 90 % of a normal distribution lie so far from its mean at most */

/* Calls of one rank that take no time, so that the steps lie between them: place 'A' or 'B' and the milliseconds before it. */
struct step {
    char place;
    double ms;
};
enum { STEPS_MAX = 8 };

static struct trace *trace_of_steps(const struct step *steps, const double *starts_ms)
{
    char text[4096];
    struct trace *trace;
    struct err err;
    int length = snprintf(text, sizeof text, "rmacast-trace 1\nranks 2\n");
    for (int rank = 0; rank < 2; rank++) {
        double now_ms = starts_ms[rank];
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "%d %.6f %.6f MPI_Comm_group comm=0 site=m@a.c:1\n", rank, now_ms / 1e3, now_ms / 1e3);
        for (int i = 0; i < STEPS_MAX && rank == 0 && steps[i].place; i++) {
            now_ms += steps[i].ms;
            /* There and back, so that every step at a place is between the same two calls. */
            length += snprintf(text + length, sizeof text - (size_t)length,
                               "0 %.6f %.6f MPI_Comm_group comm=0 site=m@a.c:%d\n"
                               "0 %.6f %.6f MPI_Comm_group comm=0 site=m@a.c:1\n",
                               now_ms / 1e3, now_ms / 1e3, steps[i].place, now_ms / 1e3, now_ms / 1e3);
        }
    }
    if (read_text(text, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    return trace;
}

static enum status recording_error(const struct trace *trace, bool starts, double *error_s, struct err *err)
{
    struct trace_spread spread = TRACE_SPREAD_NONE;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        TRY(trace_spread_add(&spread, trace, rank, 0, err));
        trace_spread_end(&spread);
    }
    *error_s = trace_spread_error(trace, &spread, starts);
    return STATUS_OK;
}

/* The variance of a kind of step is the sum of the squares of what its steps differ from their mean, times n / (n - 1): that of
 * the sum of n of them. A rare length counts as far as it is from the nearest common one. Half of the computing must be known;
 * what is not known is taken to differ as much. */
static void steps_that_differ(void **state)
{
    (void)state;
    static const struct {
        struct step steps[STEPS_MAX];
        double variance; /* of the sum, in ms2; NAN: not known */
    } rows[] = {
        {{{'A', 10}, {'A', 10}, {'A', 10}}, 0},
        {{{'A', 10}, {'A', 11}, {'A', 12}}, 3},                                             /* (1 + 0 + 1) 3 / 2 */
        {{{'A', 5}, {'A', 20}, {'A', 5}, {'A', 20}, {'A', 5}, {'A', 20}}, 0},               /* two kinds */
        {{{'A', 5}, {'A', 20}, {'A', 5.4}, {'A', 20}, {'A', 5.2}, {'A', 20}}, 0.12},        /* (0.04 + 0.04) 3 / 2 */
        {{{'A', 5}, {'A', 5}, {'A', 9}, {'A', 5}}, 16},                                     /* 9 is rare: (9 - 5)^2 */
        {{{'A', 5}, {'A', 5}, {'A', 5}, {'A', 14}, {'A', 20}, {'A', 20}, {'A', 20}}, 36},   /* nearer to 20 */
        {{{'A', 1}, {'A', 2}, {'A', 4}}, NAN},
        {{{'A', 10}, {'A', 10}}, NAN},                                                      /* twice is not often */
        {{{'A', 5}, {'A', 5}, {'A', 5}, {'B', 15}}, 0},                                     /* just half is known */
        {{{'A', 5}, {'A', 5}, {'A', 5}, {'B', 15.001}}, NAN},
        {{{'A', 10}, {'A', 11}, {'A', 12}, {'B', 33}}, 6},                                  /* 3, and as much for the rest */
        {{{'A', 5}, {'A', 5}, {'A', 5}, {'B', 5}, {'B', 6}, {'B', 5.5}, {'A', 5}}, 0.75},   /* (0.25 + 0.25) 3 / 2 */
    };
    static const double starts_ms[2] = {0, 0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace *trace = trace_of_steps(rows[i].steps, starts_ms);
        struct err err;
        double error_s, expected_s = HALF_BAND * sqrt(rows[i].variance) / 1e3;
        assert_int_equal(recording_error(trace, true, &error_s, &err), STATUS_OK);
        if (isnan(expected_s) != isnan(error_s) || fabs(error_s - expected_s) > 1e-9)
            fail_msg("row %zu: %.9g s, expected %.9g", i, error_s, expected_s);
        trace_free(trace);
    }
}

static void ranks_that_start_late(void **state)
{
    (void)state;
    static const struct step none[STEPS_MAX] = {{0, 0}};
    static const double starts_ms[2] = {1, 5};
    struct trace *trace = trace_of_steps(none, starts_ms);
    struct err err;
    double error_s;
    assert_int_equal(recording_error(trace, true, &error_s, &err), STATUS_OK);
    assert_true(fabs(error_s - 0.002) < 1e-12); /* half of 4 ms */
    assert_int_equal(recording_error(trace, false, &error_s, &err), STATUS_OK);
    assert_true(error_s == 0); /* a section of the run does not begin with the ranks */
    trace->provenance.simulated = true;
    assert_int_equal(recording_error(trace, true, &error_s, &err), STATUS_OK);
    assert_true(error_s == 0); /* its times are exact */
    trace->provenance.simulated = false;
    trace->provenance.generator = strdup(TRACE_GENERATOR_MODEL);
    assert_int_equal(recording_error(trace, true, &error_s, &err), STATUS_OK);
    assert_true(isnan(error_s)); /* a described program: nobody measured it */
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_that_differ), cmocka_unit_test(ranks_that_start_late)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
