/* Predicted and measured transfers: bounds within a node and between nodes, worked out by hand. Times are microseconds.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "trace/open.h"
#include "validate/transfers.h"

enum { RUNS_MOST = 3, TEXT_BYTES = 2048 };

static struct trace *trace_of(const char *text)
{
    char path[] = "/tmp/rmacast-transfers-XXXXXX";
    struct err err;
    struct trace *trace;
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_true(dprintf(descriptor, "rmacast-trace 1\nranks 2\n%s", text) > 0);
    close(descriptor);
    enum status status = trace_open(path, &trace, &err);
    unlink(path);
    if (status != STATUS_OK) fail_msg("%s", err.text);
    return trace;
}

/* Measured traces end with NULL. */
static struct validate_transfers compare(const char *predicted_text, const char *const *measured_texts)
{
    struct trace *predicted = trace_of(predicted_text), *measured[RUNS_MOST];
    struct validate_transfers found;
    struct err err = {.text = ""};
    size_t count = 0;
    for (; measured_texts[count]; count++) measured[count] = trace_of(measured_texts[count]);
    if (validate_transfers_match(predicted, (const struct trace *const *)measured, count, NULL, NULL, &found, &err) !=
        STATUS_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < count; i++) trace_free(measured[i]);
    trace_free(predicted);
    return found;
}

/* A put of rank 0 at 10 us that returns at RETURN; the epoch ends at both ranks at END. MORE: what a simulation knows
 * of it. */
#define ONE(NODES, RETURN, END, MORE)                                                                                  \
    NODES "window 0 comm=0 bytes=64,64 disp_unit=1\n"                                                                  \
          "0 0.000000 0.000001 MPI_Win_lock win=0 target=1 lock=exclusive\n"                                           \
          "0 0.000010 0.0000" RETURN " MPI_Put win=0 target=1 bytes=8 disp=0" MORE "\n"                                \
          "0 0.0000" RETURN " 0.0000" END " MPI_Win_unlock win=0 target=1\n"
#define SIMULATED "property simulated=1\n"
#define ONE_NODE  "node 0 name=a ranks=0,1\n"
#define TWO_NODES "node 0 name=a ranks=0\nnode 1 name=b ranks=1\n"

/* Measured: the put returns at 40, the unlock at 50. Predicted: it returns at 12, the unlock at 15. Between two nodes
 * the data cannot have been there before the call returned: 30 to 40 us after its begin against 2 to 5 us, outside.
 * Within a node the call may have copied them at once: 0 to 40 us, within. Where nodes are not known, ranks are on
 * different ones. */
static void copies_within_a_node(void **state)
{
    (void)state;
    const struct {
        const char *predicted, *measured;
        uint64_t between, within;
    } rows[] = {
        {ONE("", "12", "15", ""), ONE("", "40", "50", ""), 1, 0},
        {ONE(TWO_NODES, "12", "15", ""), ONE(TWO_NODES, "40", "50", ""), 1, 0},
        {ONE(ONE_NODE, "12", "15", ""), ONE(ONE_NODE, "40", "50", ""), 0, 1},
        {ONE(ONE_NODE, "12", "15", ""), ONE("", "40", "50", ""), 1, 0}, /* the measured run's nodes count */
        {ONE(TWO_NODES, "12", "15", ""), ONE(ONE_NODE, "40", "50", ""), 0, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct validate_transfers found = compare(rows[i].predicted, (const char *const[]){rows[i].measured, NULL});
        assert_int_equal(found.count, 1);
        if (found.between_nodes != rows[i].between || found.within != rows[i].within) fail_msg("row %zu", i);
        assert_int_equal(found.between_nodes_within, 0);
        /* Widths are of transfers between nodes whose lower bound is above 0. */
        assert_int_equal(found.width.count, i < 2);
    }
}

/* Within a node the predicted put returns at 60, and its data cannot be there before 11: 1 us after the begin.
 * Measured: 10 to 30 us. That is within 1 to 60 us, since the call may have copied them long before it returned. If it
 * waited for a post until 55, it has not: from 50 us on. */
static void a_put_that_waited(void **state)
{
    (void)state;
#define LEAST SIMULATED ONE_NODE
    static const char measured[] = ONE(TWO_NODES, "20", "40", "");
    struct validate_transfers found =
        compare(ONE(LEAST, "60", "70", " xfer_least=0.000011"), (const char *const[]){measured, NULL});
    assert_int_equal(found.within, 1);
    found = compare(ONE(LEAST, "60", "70", " xfer_least=0.000011 awaited_post=0.000055"),
                    (const char *const[]){measured, NULL});
    assert_int_equal(found.within, 0);
    /* A least end behind the return counts between nodes, too: 12 to 60 us, or 35 to 60. */
    found =
        compare(ONE(SIMULATED TWO_NODES, "12", "70", " xfer_least=0.000022"), (const char *const[]){measured, NULL});
    assert_int_equal(found.within, 1);
    assert_true(fabs(found.width.median - 60.0 / 12) < 1e-9);
    found =
        compare(ONE(SIMULATED TWO_NODES, "12", "70", " xfer_least=0.000045"), (const char *const[]){measured, NULL});
    assert_int_equal(found.within, 0);
    assert_true(fabs(found.width.median - 60.0 / 35) < 1e-9);
}

/* Where the measured end is known, that alone counts. The prediction says 10 to 20 us after the begin; ends at 10 and
 * 20 us are within, at 9 and 21 us not, though the bounds of the run, 5 to 60 us, meet the prediction. */
static void known_ends(void **state)
{
    (void)state;
    static const char *const ends[] = {"19", "20", "30", "31"};
    for (int i = 0; i < 4; i++) {
        char text[TEXT_BYTES];
        snprintf(text, sizeof text, ONE(SIMULATED TWO_NODES, "15", "70", " xfer_start=0.000010 xfer_end=0.0000%s"),
                 ends[i]);
        struct validate_transfers found = compare(ONE(TWO_NODES, "20", "30", ""), (const char *const[]){text, NULL});
        assert_int_equal(found.ends_known, 1);
        assert_int_equal(found.within, i == 1 || i == 2);
    }
}

/* The latest end is predicted as 20 us. Measured are 40, then 20, then 15 us: errors of 20, 0 and 5 us. The prediction,
 * 10 to 20, misses the first run, 30 to 40 us. Together the runs are from 5 to 40 us: it is no further outside than
 * they are apart. */
static void repetitions(void **state)
{
    (void)state;
    struct validate_transfers found =
        compare(ONE(TWO_NODES, "20", "30", ""),
                (const char *const[]){ONE(TWO_NODES, "40", "50", ""), ONE(TWO_NODES, "20", "30", ""),
                                      ONE(TWO_NODES, "15", "25", ""), NULL});
    assert_int_equal(found.count, 3);
    assert_int_equal(found.within, 2);
    assert_int_equal(found.within_spread, 1);
    assert_true(fabs(found.error_s.median - 5e-6) < 1e-12);
    assert_true(fabs(found.error_s.worst - 20e-6) < 1e-12);
    assert_true(fabs(found.relative.worst - 0.5) < 1e-9); /* 20 of 40; 5 of 15 */
    /* Two runs that are both later: 30 to 40 and 35 to 45 us. They are both outside, and so is their range. */
    found = compare(ONE(TWO_NODES, "20", "30", ""),
                    (const char *const[]){ONE(TWO_NODES, "40", "50", ""), ONE(TWO_NODES, "45", "55", ""), NULL});
    assert_int_equal(found.within, 0);
    assert_int_equal(found.within_spread, 0);
    /* And two that are both earlier: 1 to 5 us. */
    found = compare(ONE(TWO_NODES, "20", "30", ""),
                    (const char *const[]){ONE(TWO_NODES, "11", "15", ""), ONE(TWO_NODES, "12", "15", ""), NULL});
    assert_int_equal(found.within, 0);
    assert_int_equal(found.within_spread, 0);
}

/* Three puts, each with its own flush, end 5 us, 15 us and 15 us later than predicted: the first of the worst ones is
 * named, by rank and event. One that has no end in the prediction is not compared. */
static void the_worst_one(void **state)
{
    (void)state;
#define PUT(AT, END)                                                                                                   \
    "1 0.000" AT "00 0.000" AT "00 MPI_Put win=0 target=0 bytes=8 disp=0\n"                                            \
    "1 0.000" AT "00 0.000" END " MPI_Win_flush win=0 target=0\n"
#define THREE(A, B, C, LAST)                                                                                           \
    TWO_NODES "window 0 comm=0 bytes=64,64 disp_unit=1\n"                                                              \
              "1 0.000000 0.000000 MPI_Win_lock win=0 target=0 lock=exclusive\n" PUT("1", A) PUT("2", B) PUT("3", C)   \
                  LAST
    struct validate_transfers found = compare(
        THREE("110", "210", "310", "1 0.000400 0.000400 MPI_Put win=0 target=0 bytes=8 disp=0\nincomplete 1 killed\n"),
        (const char *const[]){THREE("115", "225", "325",
                                    "1 0.000400 0.000400 MPI_Put win=0 target=0 bytes=8 disp=0\n"
                                    "1 0.000400 0.000401 MPI_Win_unlock win=0 target=0\n"),
                              NULL});
    assert_int_equal(found.count, 3);
    assert_int_equal(found.worst_rank, 1);
    assert_int_equal(found.worst_event, 4); /* lock, put, flush, put */
    assert_true(fabs(found.error_s.worst - 15e-6) < 1e-12);
    assert_true(fabs(found.error_s.median - 15e-6) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_within_a_node), cmocka_unit_test(a_put_that_waited), cmocka_unit_test(known_ends),
        cmocka_unit_test(repetitions),          cmocka_unit_test(the_worst_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
