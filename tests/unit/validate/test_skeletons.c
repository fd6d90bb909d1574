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
 * until 0.1 s + slow (3 us + i) a flush; from 0.17 s on eleven barriers of slow 1 ms and one until 0.201 s; a local call. The
 * last put is far too late: medians do not see it. Every other repetition has a broadcast on another communicator
 * between two barriers. Then repetitions of 1 s with a barrier and three fences of slow 2 us each. */
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
            /* the shortest one counts */
            fprintf(out, "%d %d.3 %d.%s MPI_Comm_group comm=%d\n", rank, i, i, i == 5 ? "31" : "3000001", comm);
        }
    for (int rank = 0; rank < 2; rank++)
        for (int i = REPETITIONS; i < 2 * REPETITIONS; i++) {
            fprintf(out, "%d %d.000 %d.001 MPI_Barrier comm=%d\n", rank, i, i, comm);
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
    const struct skeleton *put = &skeletons.items[0], *train = &skeletons.items[1], *fences = &skeletons.items[2];
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
    assert_string_equal(skeletons.items[0].name, "MPI_Barrier, one of a train");
    assert_true(fabs(skeletons.items[0].measured_median_s - 0.2 / 12) < 1e-9);
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
    assert_string_equal(skeletons.items[1].name, "MPI_Barrier, one of a train, ranks 0 and 1");
    assert_string_equal(skeletons.items[2].name, "3 MPI_Win_fence, ranks 0 and 1");
    skeletons_clear(&skeletons);
    trace_free(measured);
    trace_free(predicted);
}

/* Three visits of puts of 8 bytes, with 12 repetitions each, and puts of 16 bytes between them: the same calls later are a
 * series of their own. The one with 9 repetitions is none. In the last one a put of 16 bytes takes 1 us behind each of 8: a
 * put of other bytes is another call. */
static struct trace *make_visits(void)
{
    static const struct {
        int repetitions, bytes, us, then_bytes;
    } visits[] = {{12, 8, 3, 0}, {12, 16, 4, 0}, {12, 8, 2, 0}, {9, 16, 6, 0}, {12, 8, 5, 0}, {12, 8, 7, 16}};
    char file[] = "/tmp/rmacast-skeletons-XXXXXX";
    FILE *out = fdopen(mkstemp(file), "w");
    struct trace *trace;
    struct err err = {0};
    double now = 0;
    assert_non_null(out);
    fprintf(out, "rmacast-trace 1\nranks 2\nwindow 0 comm=0 bytes=64,64 disp_unit=1\n");
    for (size_t v = 0; v < sizeof visits / sizeof *visits; v++)
        for (int i = 0; i < visits[v].repetitions; i++, now += 1e-3) {
            for (int rank = 0; rank < 2; rank++)
                fprintf(out, "%d %.9f %.9f MPI_Barrier comm=0\n", rank, now, now + 1e-4);
            fprintf(out, "0 %.9f %.9f MPI_Put win=0 target=1 bytes=%d disp=0\n", now + 2e-4, now + 2e-4 + 1e-6 * visits[v].us,
                    visits[v].bytes);
            if (visits[v].then_bytes > 0)
                fprintf(out, "0 %.9f %.9f MPI_Put win=0 target=1 bytes=%d disp=0\n", now + 2e-4 + 1e-6 * visits[v].us,
                        now + 2e-4 + 1e-6 * (visits[v].us + 1), visits[v].then_bytes);
        }
    for (int rank = 0; rank < 2; rank++) fprintf(out, "%d %.9f %.9f MPI_Barrier comm=0\n", rank, now, now + 1e-4);
    fclose(out);
    if (trace_open(file, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    unlink(file);
    return trace;
}

static void visits_are_series(void **state)
{
    (void)state;
    static const char *const names[] = {"MPI_Put 8 > 1", "MPI_Put 16 > 1", "MPI_Put 8 > 1", "MPI_Put 8 > 1",
                                        "MPI_Put 8 > 1, MPI_Put 16 > 1"};
    static const double times_s[] = {3e-6, 4e-6, 2e-6, 5e-6, 8e-6};
    struct trace *trace = make_visits();
    struct skeletons series, rows;
    struct err err = {0};
    if (skeletons_compare(trace, trace, 0, &series, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_int_equal(series.count, 5);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(series.items[i].name, names[i]);
        assert_int_equal(series.items[i].count, 12);
        assert_true(fabs(series.items[i].measured_median_s - times_s[i]) < 1e-9);
    }
    assert_int_equal(skeletons_join(&series, &rows, &err), STATUS_OK);
    assert_int_equal(rows.count, 3);
    assert_string_equal(rows.items[0].name, "MPI_Put 8 > 1");
    assert_int_equal(rows.items[0].count, 36);
    assert_true(fabs(rows.items[0].measured_median_s - 3e-6) < 1e-9); /* of 2, 3 and 5 us, 12 each */
    skeletons_clear(&rows);
    skeletons_clear(&series);
    trace_free(trace);
}

/* 12 puts of 1 us in region "a", 12 of 2 us in region "b", and again in "a" 12 of 3 us: rows by region. */
static void regions_are_rows(void **state)
{
    (void)state;
    static const char regions[] = "aba";
    char file[] = "/tmp/rmacast-skeletons-XXXXXX";
    FILE *out = fdopen(mkstemp(file), "w");
    struct trace *trace;
    struct err err = {0};
    double now = 0;
    assert_non_null(out);
    fprintf(out, "rmacast-trace 1\nranks 2\nwindow 0 comm=0 bytes=64,64 disp_unit=1\n");
    for (int v = 0; v < 3; v++) {
        fprintf(out, "0 %.9f enter %c\n", now, regions[v]);
        for (int i = 0; i < 13; i++, now += 1e-3) { /* the last put is behind the last barrier of its region */
            for (int rank = 0; rank < 2; rank++) fprintf(out, "%d %.9f %.9f MPI_Barrier comm=0\n", rank, now + 1e-5, now + 1e-4);
            fprintf(out, "0 %.9f %.9f MPI_Put win=0 target=1 bytes=8 disp=0\n", now + 2e-4, now + 2e-4 + 1e-6 * (v + 1));
        }
        fprintf(out, "0 %.9f leave %c\n", now, regions[v]);
    }
    fclose(out);
    if (trace_open(file, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    unlink(file);
    struct skeletons series, rows;
    if (skeletons_compare(trace, trace, 0, &series, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_int_equal(series.count, 3);
    assert_int_equal(skeletons_join(&series, &rows, &err), STATUS_OK);
    assert_int_equal(rows.count, 2);
    assert_string_equal(rows.items[0].region, "a");
    assert_string_equal(rows.items[1].region, "b");
    assert_true(rows.items[0].count == 24 && rows.items[1].count == 12);
    assert_true(fabs(rows.items[0].predicted_median_s - 2e-6) < 1e-9); /* of 1 and 3 us */
    assert_true(fabs(rows.items[1].measured_median_s - 2e-6) < 1e-9);
    skeletons_clear(&rows);
    skeletons_clear(&series);
    trace_free(trace);
}

/* Ten times COUNT barriers side by side, of 1 to COUNT ms, with a fence behind them: the first one ends what was before
 * it, so of eleven there are ten in the train, the least number; their mean is that of 2 to 11 ms. The fence and its
 * barrier begin the next train. */
static void ten_barriers_are_a_train(void **state)
{
    (void)state;
    for (int barriers = 10; barriers <= 11; barriers++) {
        char file[] = "/tmp/rmacast-skeletons-XXXXXX";
        FILE *out = fdopen(mkstemp(file), "w");
        struct trace *trace;
        struct skeletons series;
        struct err err = {0};
        double now = 0;
        assert_non_null(out);
        fprintf(out, "rmacast-trace 1\nranks 1\nwindow 0 comm=0 bytes=64 disp_unit=1\n");
        for (int i = 0; i < 10; i++) {
            for (int k = 1; k <= barriers; now += 1e-3 * k++)
                fprintf(out, "0 %.9f %.9f MPI_Barrier comm=0\n", now, now + 1e-3 * k);
            fprintf(out, "0 %.9f %.9f MPI_Win_fence win=0\n", now, now + 1e-3);
            now += 1e-3;
        }
        fclose(out);
        if (trace_open(file, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
        unlink(file);
        if (skeletons_compare(trace, trace, 0, &series, &err) != STATUS_OK) fail_msg("%s", err.text);
        assert_int_equal(series.count, barriers == 11);
        if (barriers == 11) {
            assert_string_equal(series.items[0].name, "MPI_Barrier, one of a train");
            assert_int_equal(series.items[0].count, 10);
            assert_true(fabs(series.items[0].measured_median_s - 6.5e-3) < 1e-9);
        }
        skeletons_clear(&series);
        trace_free(trace);
    }
}

/* Of three rows two count: differences of +5 and -50 %, of whose sizes the median is 27.5 %; of the 10th percentiles +10.5 % (2.1
 * of 1.9) and -37.5 % (4 of 6.4), 24.0 %. The error of the second one is 4 of 8 us, as large as its difference. The third one, of
 * another speed, is in no figure. */
static void remarks_are_behind_the_table(void **state)
{
    (void)state;
    struct skeleton rows[] = {
        {.name = "near", .count = 40, .measured_median_s = 2e-6, .measured_p10_s = 1.9e-6, .predicted_median_s = 2.1e-6,
         .measured_error_s = 2e-7},
        {.name = "slow", .count = 7, .measured_median_s = 2e-6, .measured_p10_s = 1.9e-6, .predicted_median_s = 9e-6,
         .left_out = true, .remark = "it is of another speed"},
        {.name = "far", .count = 40, .measured_median_s = 8e-6, .measured_p10_s = 6.4e-6, .predicted_median_s = 4e-6,
         .measured_error_s = 4e-6, .remark = "some do not count"},
    };
    const struct skeletons skeletons = {.items = rows, .count = 3};
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    skeletons_print(&skeletons, out);
    fclose(out);
    assert_non_null(strstr(text, "\nnear "));
    assert_null(strstr(text, "\nslow "));
    const char *end = strstr(text, "median size of the differences");
    assert_non_null(end);
    assert_non_null(strstr(end, " 27.5 % "));
    const char *far = strstr(text, "\nfar ");
    assert_non_null(far);
    assert_non_null(strstr(far, "50.0 %\n"));
    assert_non_null(strstr(end, " 24.0 %\n1 of 2 rows are within 10 % of the median, 1 of the others within its error\n"
                                "not compared: slow: it is of another speed\nfar: some do not count\n"));
    free(text);
}

/* A standard error of 10.1 % of the median is too much, one of 9.9 % is not, and a row that was left out keeps its remark. */
static void uncertain_rows_are_left_out(void **state)
{
    (void)state;
    struct skeleton rows[] = {
        {.name = "certain", .measured_median_s = 1e-5, .measured_error_s = 3 * 9.9e-7},
        {.name = "uncertain", .measured_median_s = 1e-5, .measured_error_s = 3 * 1.01e-6},
        {.name = "other", .measured_median_s = 1e-5, .measured_error_s = 1e-5, .left_out = true, .remark = "said"},
        {.name = "told", .measured_median_s = 1e-5, .predicted_median_s = 1e-5, .predicted_error_s = 2.9e-6},
        {.name = "not told", .measured_median_s = 1e-5, .predicted_median_s = 2e-5, .predicted_error_s = 9e-6},
    };
    struct skeletons skeletons = {.items = rows, .count = 5};
    skeletons_leave_out(&skeletons);
    assert_false(rows[0].left_out);
    assert_string_equal(rows[0].remark, "");
    assert_true(rows[1].left_out);
    assert_string_equal(rows[1].remark, "its passes differ, so the error of its median is 30 %");
    assert_string_equal(rows[2].remark, "said");
    assert_false(rows[3].left_out);
    assert_true(rows[4].left_out);
    assert_string_equal(rows[4].remark, "by the errors in the file its prediction has an error of 45 %");
}

static void slower_rows_are_errors(void **state)
{
    (void)state;
    struct skeleton rows[] = {{.name = "a", .region = "1", .predicted_median_s = 2e-6},
                              {.name = "a", .region = "2", .predicted_median_s = 4e-6},
                              {.name = "b", .region = "1", .predicted_median_s = 1e-6, .predicted_error_s = 5e-7}};
    struct skeleton moved[] = {{.name = "a", .region = "2", .predicted_median_s = 7e-6},
                               {.name = "a", .region = "1", .predicted_median_s = 2.5e-6}};
    struct skeletons to = {.items = rows, .count = 3};
    const struct skeletons slower = {.items = moved, .count = 2};
    skeletons_take_errors(&to, &slower);
    assert_float_equal(rows[0].predicted_error_s, 5e-7, 1e-15); /* 2.5 - 2 us */
    assert_float_equal(rows[1].predicted_error_s, 3e-6, 1e-15); /* 7 - 4 us */
    assert_float_equal(rows[2].predicted_error_s, 5e-7, 1e-15); /* its own */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(repetitions_are_rows),
                                       cmocka_unit_test(pairs_of_more_ranks_have_names),
                                       cmocka_unit_test(visits_are_series),
                                       cmocka_unit_test(regions_are_rows),
                                       cmocka_unit_test(remarks_are_behind_the_table),
                                       cmocka_unit_test(ten_barriers_are_a_train),
                                       cmocka_unit_test(uncertain_rows_are_left_out),
                                       cmocka_unit_test(slower_rows_are_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
