/* Calls between barriers, in a measured run and in a prediction that is twice as slow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/open.h"
#include "validate/skeletons.h"

enum { REPETITIONS = 12 };

/* Per repetition of 1 s: a barrier of 1 ms, a local call of 0.1 us, which is what the clock adds to each call, at 0.1 s a put,
 * until 0.1 s + slow (3 us + i) a flush; from 0.17 s on eleven barriers of slow 1 ms and one until 0.201 s; then three fences of
 * slow 2 us each. The last repetition's put is far too late: medians do not see it. Every other repetition has a broadcast on
 * another communicator between two barriers. */
static struct trace *make_trace(double slow, int ranks)
{
    int comm = ranks > 2; /* of the two ranks that call */
    char file[] = "/tmp/rmacast-skeletons-XXXXXX";
    FILE *out = fdopen(mkstemp(file), "w");
    struct trace *trace;
    struct err err = {0};
    assert_non_null(out);
    fprintf(out, "rmacast-trace 1\nranks %d\ncomm 1 ranks=0,1\ncomm 2 ranks=0,1\nwindow 0 comm=%d bytes=64,64 disp_unit=1\n",
            ranks, comm);
    for (int rank = 0; rank < 2; rank++)
        for (int i = 0; i < REPETITIONS; i++) {
            double flush = slow * (3e-6 + 1e-6 * i) + (i + 1 == REPETITIONS ? 0.05 : 0);
            fprintf(out, "%d %d.000 %d.001 MPI_Barrier comm=%d\n", rank, i, i, comm);
            if (rank == 0) fprintf(out, "0 %d.09 %d.0900001 MPI_Comm_group comm=%d\n", i, i, comm);
            if (rank == 0) fprintf(out, "0 %d.1 %.9f MPI_Put win=0 target=1 bytes=8 disp=0\n", i, i + 0.1 + 1e-6);
            if (rank == 0) fprintf(out, "0 %.9f %.9f MPI_Win_flush win=0 target=1\n", i + 0.1 + 1e-6, i + 0.1 + flush);
            for (int k = 0; k < 11; k++)
                fprintf(out, "%d %.9f %.9f MPI_Barrier comm=%d\n", rank, i + 0.17 + 1e-3 * slow * k,
                        i + 0.17 + 1e-3 * slow * (k + 1), comm);
            fprintf(out, "%d %d.2 %d.201 MPI_Barrier comm=%d\n", rank, i, i, comm);
            if (i % 2 == 1) {
                fprintf(out, "%d %d.21 %d.22 MPI_Bcast comm=2 root=0 bytes=4\n", rank, i, i);
                fprintf(out, "%d %d.23 %d.231 MPI_Barrier comm=%d\n", rank, i, i, comm);
            }
            for (int k = 0; k < 3; k++)
                fprintf(out, "%d %.9f %.9f MPI_Win_fence win=0 assert=0\n", rank, i + 0.3 + 2e-6 * slow * k,
                        i + 0.3 + 2e-6 * slow * (k + 1));
        }
    fclose(out);
    if (trace_open(file, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    unlink(file);
    return trace;
}

static void repetitions_are_rows(void **state)
{
    (void)state;
    struct trace *measured = make_trace(1, 2), *predicted = make_trace(2, 2);
    struct skeletons skeletons;
    struct err err = {0};
    if (skeletons_compare(measured, predicted, 0, &skeletons, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_int_equal(skeletons.count, 3);
    const struct skeleton *put = &skeletons.items[0], *fences = &skeletons.items[1], *train = &skeletons.items[2];
    assert_string_equal(put->name, "MPI_Put 8 > 1, MPI_Win_flush");
    assert_int_equal(put->count, REPETITIONS);
    /* 3, 4, ... 13 us and one of 50 ms more: between the sixth and the seventh, 8.5 us, less 0.1 us for each of two calls. */
    assert_true(fabs(put->measured_median_s - 8.3e-6) < 1e-9);
    assert_true(fabs(put->measured_p10_s - 3.9e-6) < 1e-9); /* 1.1 steps from the first of 12 */
    assert_true(fabs(put->predicted_median_s - 17e-6) < 1e-9);
    assert_string_equal(fences->name, "3 MPI_Win_fence");
    assert_int_equal(fences->count, REPETITIONS - 1); /* those behind the last barrier are not between two */
    assert_true(fabs(fences->measured_median_s - 5.7e-6) < 1e-9);
    assert_true(fabs(fences->predicted_median_s - 12e-6) < 1e-9);
    assert_string_equal(train->name, "MPI_Barrier, one of a train");
    assert_int_equal(train->count, REPETITIONS);
    /* From the end of the first, at 0.171 s, predicted 0.172 s, to 0.201 s: 11 barriers. */
    assert_true(fabs(train->measured_median_s - 0.03 / 11) < 1e-9);
    assert_true(fabs(train->predicted_median_s - 0.029 / 11) < 1e-9);
    skeletons_clear(&skeletons);

    /* The partner has barriers and fences only: the train begins with the barrier until 0.001 s. */
    assert_int_equal(skeletons_compare(measured, predicted, 1, &skeletons, &err), STATUS_OK);
    assert_int_equal(skeletons.count, 2);
    assert_string_equal(skeletons.items[1].name, "MPI_Barrier, one of a train");
    assert_true(fabs(skeletons.items[1].measured_median_s - 0.2 / 12) < 1e-9);
    skeletons_clear(&skeletons);

    assert_int_equal(skeletons_compare(measured, predicted, 2, &skeletons, &err), STATUS_DATA);
    predicted->ranks[0].count--;
    assert_int_equal(skeletons_compare(measured, predicted, 0, &skeletons, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "expected a replay of the measured run"));
    trace_free(measured);
    trace_free(predicted);
}

/* Pairs between nodes and within one have rows of their own. */
static void pairs_of_more_ranks_have_names(void **state)
{
    (void)state;
    struct trace *measured = make_trace(1, 4), *predicted = make_trace(2, 4);
    struct skeletons skeletons;
    struct err err = {0};
    if (skeletons_compare(measured, predicted, 0, &skeletons, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_int_equal(skeletons.count, 3);
    assert_string_equal(skeletons.items[0].name, "MPI_Put 8 > 1, MPI_Win_flush, ranks 0 and 1");
    assert_string_equal(skeletons.items[1].name, "3 MPI_Win_fence, ranks 0 and 1");
    assert_string_equal(skeletons.items[2].name, "MPI_Barrier, one of a train, ranks 0 and 1");
    skeletons_clear(&skeletons);
    trace_free(measured);
    trace_free(predicted);
}

/* Five rounds of a row, and one of them lacks the other row: the round with the second least median, the repetitions of all. */
static void rounds_are_joined(void **state)
{
    (void)state;
    static struct skeleton items[5][2] = {
        {{.name = "a", .count = 40, .measured_median_s = 3, .measured_p10_s = 2, .predicted_median_s = 5},
         {.name = "b", .count = 1}},
        {{.name = "b", .count = 1},
         {.name = "a", .count = 41, .measured_median_s = 9, .measured_p10_s = 1, .predicted_median_s = 4}},
        {{.name = "a", .count = 42, .measured_median_s = 4, .measured_p10_s = 3, .predicted_median_s = 4.5}},
        {{.name = "a", .count = 1, .measured_median_s = 8}},
        {{.name = "a", .count = 1, .measured_median_s = 8}}};
    const struct skeletons rounds[] = {{items[0], 2, 2}, {items[1], 2, 2}, {items[2], 1, 1}, {items[3], 1, 1}, {items[4], 1, 1}};
    struct skeletons joined;
    struct err err = {0};
    assert_int_equal(skeletons_join(rounds, 5, &joined, &err), STATUS_OK);
    assert_int_equal(joined.count, 1);
    assert_string_equal(joined.items[0].name, "a");
    assert_int_equal(joined.items[0].count, 125);
    assert_true(joined.items[0].measured_median_s == 4 && joined.items[0].measured_p10_s == 3);
    assert_true(joined.items[0].predicted_median_s == 4.5);
    skeletons_clear(&joined);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(repetitions_are_rows), cmocka_unit_test(pairs_of_more_ranks_have_names),
                                       cmocka_unit_test(rounds_are_joined)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
