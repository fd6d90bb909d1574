/* Predicted and measured calls, one by one, worked out by hand. Times are whole seconds, so all sums are exact. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "trace/open.h"
#include "validate/calls.h"
#include "validate/ranking.h"

enum { RUNS_MOST = 4 };

static struct trace *trace_of(const char *text)
{
    char path[] = "/tmp/rmacast-calls-XXXXXX";
    struct err err;
    struct trace *trace;
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_true(dprintf(descriptor, "rmacast-trace 1\nranks 2\nwindow 0 comm=0 bytes=64,64 disp_unit=1\n%s", text) > 0);
    close(descriptor);
    enum status status = trace_open(path, &trace, &err);
    unlink(path);
    if (status != STATUS_OK) fail_msg("%s", err.text);
    return trace;
}

/* Measured traces end with NULL. */
static struct validate_calls *match(const char *predicted_text, const char *const *measured_texts, char **difference)
{
    struct trace *predicted = trace_of(predicted_text), *measured[RUNS_MOST];
    struct validate_calls *calls;
    struct err err = {.text = ""};
    size_t count = 0;
    for (; measured_texts[count]; count++) measured[count] = trace_of(measured_texts[count]);
    if (validate_calls_match(predicted, (const struct trace *const *)measured, count, NULL, NULL, &calls, difference,
                             &err) != STATUS_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < count; i++) trace_free(measured[i]);
    trace_free(predicted);
    return calls;
}

static size_t place_of(const struct validate_calls *calls, const char *callpath, const char *function)
{
    for (size_t i = 0; i < calls->place_count; i++)
        if (strcmp(calls->places[i].callpath, callpath) == 0 && strcmp(calls->places[i].function, function) == 0)
            return i;
    fail_msg("no place %s, %s", callpath, function);
    return 0;
}

#define BARRIERS(A, B, C, D)                                                                                           \
    "0 " A " " B " MPI_Barrier comm=0\n0 " C " " D " MPI_Barrier comm=0\n1 0 0 MPI_Comm_group comm=0\n"

/* Two barriers, predicted as 10 and 4 s; measured 8, 12, 14 and 10, 4, 6 s: medians 12 and 6, ranges 8 to 14 and 4 to
 * 10, which the second prediction just meets. Before each are 10 s of computing; measured 12, 8, 10 and 8, 10, 10. */
static void medians_and_ranges(void **state)
{
    (void)state;
    struct validate_calls *calls =
        match(BARRIERS("10", "20", "30", "34"),
              (const char *const[]){BARRIERS("12", "20", "28", "38"), BARRIERS("8", "20", "30", "34"),
                                    BARRIERS("10", "24", "34", "40"), NULL},
              NULL);
    const struct validate_call_group *barriers = &calls->groups[place_of(calls, "MPI_Barrier", "MPI_Barrier")];
    const struct validate_call_group *computing = &calls->groups[place_of(calls, "MPI_Barrier", "computing")];
    assert_int_equal(calls->count, 6); /* and rank 1's call, with nothing before it */
    assert_int_equal(barriers->count, 2);
    assert_true(barriers->predicted_s == 14 && barriers->measured_s == 18 && barriers->error_s == -4);
    assert_true(barriers->absolute_s == 4 && barriers->spread_s == 6 + 6 && barriers->share == 1);
    assert_true(barriers->predicted_median_s == 7 && barriers->measured_median_s == 9);
    assert_true(computing->predicted_s == 20 && computing->absolute_s == 0 && computing->spread_s == 4 + 2);
    assert_true(calls->calls_error_s == -4 && calls->computing_error_s == 0 && calls->absolute_s == 4);
    assert_int_equal(calls->within_spread, 6);
    assert_true(calls->error_s.worst == 2 && calls->error_s.median == 0);
    assert_true(calls->relative.count == 4);                    /* where something is measured: rank 1 has nothing */
    assert_int_equal(calls->calls[calls->worst].occurrence, 1); /* the first of two errors of 2 s */
    assert_int_equal(calls->order[0], place_of(calls, "MPI_Barrier", "MPI_Barrier"));
    for (size_t i = 1; i + 1 < calls->place_count; i++)
        assert_true(calls->order[i] < calls->order[i + 1]); /* of equal errors */
    validate_calls_free(calls);

    /* Just outside of what was measured, above and below. */
    calls =
        match(BARRIERS("10", "20", "30", "34"),
              (const char *const[]){BARRIERS("10", "19", "29", "34"), BARRIERS("10", "18", "28", "34"), NULL}, NULL);
    assert_int_equal(calls->within_spread, 6 - 2);
    validate_calls_free(calls);
}

/* Tests and probes that found nothing are computing: the prediction has two of each, the run none. From the call before
 * to the one that succeeds are 8 s, measured 3. Regions are no calls. */
static void failed_tests_are_computing(void **state)
{
    (void)state;
    static const struct {
        const char *begin, *failed, *succeeds, *end, *function;
    } rows[] = {
        {"1 0 0 MPI_Win_start win=0 group=0\n1 1 1 MPI_Win_complete win=0\n0 0 1 MPI_Win_post win=0 group=1\n",
         "MPI_Win_test win=0 flag=0", "MPI_Win_test win=0 flag=1", "", "MPI_Win_test"},
        {"1 0 0 MPI_Send comm=0 peer=0 tag=1 bytes=8\n0 0 1 MPI_Irecv comm=0 peer=1 tag=1 bytes=8 req=0\n",
         "MPI_Test req=0 flag=0", "MPI_Test req=0 flag=1", "", "MPI_Test"},
        {"1 0 0 MPI_Send comm=0 peer=0 tag=1 bytes=8\n0 0 1 MPI_Irecv comm=0 peer=1 tag=1 bytes=8 req=0\n",
         "MPI_Testall reqs= flag=0", "MPI_Testall reqs=0 flag=1", "", "MPI_Testall"},
        {"1 0 0 MPI_Send comm=0 peer=0 tag=1 bytes=8\n0 0 1 MPI_Comm_group comm=0\n",
         "MPI_Iprobe comm=0 peer=1 tag=1 flag=0", "MPI_Iprobe comm=0 peer=1 tag=1 bytes=8 flag=1",
         "0 40 40 MPI_Recv comm=0 peer=1 tag=1 bytes=8\n", "MPI_Iprobe"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char predicted[1024], measured[1024];
        snprintf(predicted, sizeof predicted, "%s0 2 4 %s\n0 5 6 %s\n0 9 12 %s\n%s", rows[i].begin, rows[i].failed,
                 rows[i].failed, rows[i].succeeds, rows[i].end);
        snprintf(measured, sizeof measured, "%s0 2 enter solve\n0 3 leave solve\n0 4 9 %s\n%s", rows[i].begin,
                 rows[i].succeeds, rows[i].end);
        char *difference;
        struct validate_calls *calls = match(predicted, (const char *const[]){measured, NULL}, &difference);
        if (!calls) fail_msg("row %zu: %s", i, difference);
        const struct validate_call_group *tests = &calls->groups[place_of(calls, rows[i].function, rows[i].function)];
        const struct validate_call_group *computing = &calls->groups[place_of(calls, rows[i].function, "computing")];
        assert_int_equal(tests->count, 1);
        assert_true(tests->predicted_s == 3 && tests->measured_s == 5);
        assert_true(computing->predicted_s == 8 && computing->measured_s == 3);
        validate_calls_free(calls);
    }
}

#define FOUR(A, B) "0 0 0 MPI_Comm_group comm=0\n0 0 " A " MPI_Barrier comm=0\n0 100 " B " MPI_Barrier comm=0\n"

/* Of a barrier's four repetitions two take 10 and 11 s, two 29 and 30 s: 18 s apart, median 20 s. It is predicted as 25
 * s, an error of 5. The other barrier takes 10 s each time: with an error of 5 s, too, the groups have half of the
 * error, with 6 less. */
static void half_of_the_error_is_a_race(void **state)
{
    (void)state;
    const char *const measured[] = {FOUR("10", "110"), FOUR("30", "110"), FOUR("11", "110"), FOUR("29", "110"), NULL};
    static const char *const predicted[] = {FOUR("25", "115"), FOUR("25", "116"), FOUR("25", "104")};
    for (int i = 0; i < 3; i++) {
        struct validate_calls *calls = match(predicted[i], measured, NULL);
        const struct validate_call_group *barriers = &calls->groups[place_of(calls, "MPI_Barrier", "MPI_Barrier")];
        assert_int_equal(barriers->two_groups, 1);
        assert_true(barriers->two_groups_s == 5);
        assert_true(barriers->absolute_s == (i == 0 ? 10 : 11));
        assert_int_equal(barriers->race, i == 0);
        validate_calls_free(calls);
    }
    /* The other call begins when this one ends, at 10 or 30 s: its computing has two groups as well, and is none of a
     * race. */
#define BEHIND(A) "0 0 0 MPI_Comm_group comm=0\n0 " A " 50 MPI_Barrier comm=0\n"
    struct validate_calls *calls =
        match(BEHIND("25"), (const char *const[]){BEHIND("10"), BEHIND("30"), BEHIND("11"), BEHIND("29"), NULL}, NULL);
    assert_true(calls->groups[place_of(calls, "MPI_Barrier", "MPI_Barrier")].race);
    assert_int_equal(calls->groups[place_of(calls, "MPI_Barrier", "computing")].two_groups, 1);
    assert_false(calls->groups[place_of(calls, "MPI_Barrier", "computing")].race);
    validate_calls_free(calls);
}

/* Each thread's calls are matched by themselves, though the threads take turns in other ways in the run; the first call
 * of each thread at a place has number 1. */
static void threads_are_matched_apart(void **state)
{
    (void)state;
#define THREADS(A, B, C)                                                                                               \
    "0 0 0 pthread_create child=1\n0 0 0 thread_begin thread=1\n0 " A " " B " MPI_Comm_group comm=0 thread=1\n"        \
    "0 20 " C " MPI_Comm_group comm=0\n0 40 40 thread_end thread=1\n"
    struct validate_calls *calls =
        match(THREADS("1", "3", "24"), (const char *const[]){THREADS("30", "31", "27"), NULL}, NULL);
    size_t seen = 0;
    for (size_t i = 0; i < calls->count; i++) {
        const struct validate_call *call = &calls->calls[i];
        if (strcmp(calls->places[call->place].function, "MPI_Comm_group") != 0) continue;
        assert_int_equal(call->occurrence, 1);
        assert_true(call->predicted_s == (call->thread == 1 ? 2 : 4) &&
                    call->measured_s == (call->thread == 1 ? 1 : 7));
        seen++;
    }
    assert_int_equal(seen, 2);
    validate_calls_free(calls);
}

/* The run puts 16 instead of 8 bytes in its second put, and the other way round in its third: it is told of the first,
 * and how many there are. */
static void other_bytes_are_counted(void **state)
{
    (void)state;
#define PUTS(A, B, C)                                                                                                  \
    "0 0 0 MPI_Win_lock win=0 target=1 lock=shared\n0 1 1 MPI_Put win=0 target=1 bytes=" A "\n"                        \
    "0 2 2 MPI_Put win=0 target=1 bytes=" B "\n0 3 3 MPI_Put win=0 target=1 bytes=" C                                  \
    "\n0 4 4 MPI_Win_unlock win=0 target=1\n"
    struct validate_calls *calls =
        match(PUTS("8", "8", "16"), (const char *const[]){PUTS("8", "8", "16"), PUTS("8", "16", "8"), NULL}, NULL);
    assert_int_equal(calls->other_count, 2);
    assert_int_equal(calls->other.run, 1);
    assert_int_equal(calls->other.event, 3);
    assert_int_equal(calls->other.bytes, 16);
    assert_int_equal(calls->other.predicted_bytes, 8);
    assert_string_equal(calls->places[calls->other.place].function, "MPI_Put");
    validate_calls_free(calls);
    /* As many bytes to another rank, or for another root. */
    static const char *const peers[][2] = {
        {"0 0 0 MPI_Send comm=0 peer=1 tag=0 bytes=8\n", "0 0 0 MPI_Send comm=0 peer=0 tag=0 bytes=8\n"},
        {"0 0 0 MPI_Bcast comm=0 root=1 bytes=8\n", "0 0 0 MPI_Bcast comm=0 root=0 bytes=8\n"}};
    for (int i = 0; i < 2; i++) {
        calls = match(peers[i][0], (const char *const[]){peers[i][1], NULL}, NULL);
        assert_int_equal(calls->other_count, 1);
        assert_true(calls->other.peer == 0 && calls->other.predicted_peer == 1);
        validate_calls_free(calls);
    }
}

static void other_calls_are_a_difference(void **state)
{
    (void)state;
    char *difference;
    static const char one[] = "0 0 1 MPI_Barrier comm=0\n",
                      two[] = "0 0 1 MPI_Barrier comm=0\n0 1 2 MPI_Comm_group comm=0\n",
                      other[] = "0 0 1 MPI_Barrier comm=0\n0 1 2 MPI_Barrier comm=0\n";
    static const struct {
        const char *predicted, *measured, *says;
    } rows[] = {{one, two, "rank 0, event 2: has MPI_Comm_group, expected no further call as in the prediction"},
                {two, one, "rank 0, event 2: has no further call, expected MPI_Comm_group as in the prediction"},
                {two, other, "rank 0, event 2: has MPI_Barrier, expected MPI_Comm_group as in the prediction"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_null(
            match(rows[i].predicted, (const char *const[]){rows[i].predicted, rows[i].measured, NULL}, &difference));
        if (!difference || !strstr(difference, rows[i].says))
            fail_msg("row %zu: %s", i, difference ? difference : "no difference");
        free(difference);
    }
}

/* a ran in 1 to 2 s, b in 2 to 3 s, c in 4 s: a and b meet at 2 s, so a and c, b and c are apart. c is predicted as
 * fast as b: no order. Of the three pairs of medians one agrees (a, b), one is tied in the prediction, and a is
 * predicted before c: tau is 2 / sqrt(2 * 3). */
static void variants_that_meet_are_not_apart(void **state)
{
    (void)state;
    const struct ranking_variant variants[] = {{"a", 1, 1.5, 1, 2}, {"b", 5, 2.5, 2, 3}, {"c", 5, 4, 4, 4}};
    struct ranking ranking = ranking_of(variants, 3);
    assert_int_equal(ranking.apart, 2);
    assert_int_equal(ranking.right, 1);
    assert_true(fabs(ranking.tau - 2 / sqrt(6)) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians_and_ranges),
        cmocka_unit_test(failed_tests_are_computing),
        cmocka_unit_test(half_of_the_error_is_a_race),
        cmocka_unit_test(threads_are_matched_apart),
        cmocka_unit_test(other_bytes_are_counted),
        cmocka_unit_test(other_calls_are_a_difference),
        cmocka_unit_test(variants_that_meet_are_not_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
