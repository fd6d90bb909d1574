/* Transfers by pair, window, call path and size on a run worked out by hand, and the tables of them.
 *
 *   rank 0 -> 1, window 0: put of 1000 bytes 10-20 us, put of 3000 bytes 20-40, unlock ends at 60:
 *       1000 / 50 us = 20 MB/s at least, 1000 / 10 us = 100 MB/s at most; 3000 / 40 = 75, 3000 / 20 = 150
 *   rank 0 -> 2, window 1 ("halo"), in region step: get of 1000 bytes 100-110, unlock ends at 120:
 *       1000 / 20 = 50, 1000 / 10 = 100
 *   rank 2 -> 2, window 0: put of nothing 10-11, unlock ends at 12: 0, 0 */
#include "model_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/result/result_csv.h"
#include "model/transfers/transfer_groups.h"

static const char *const run = "ranks 3\nwindow 0 comm=0\nwindow 1 comm=0 name=halo\n"
                               "0 0.000000 0.000001 MPI_Win_lock win=0 target=1 lock=exclusive\n"
                               "0 0.000010 0.000020 MPI_Put win=0 target=1 bytes=1000\n"
                               "0 0.000020 0.000040 MPI_Put win=0 target=1 bytes=3000\n"
                               "0 0.000050 0.000060 MPI_Win_unlock win=0 target=1\n"
                               "0 0.000090 enter step\n"
                               "0 0.000090 0.000091 MPI_Win_lock win=1 target=2 lock=shared\n"
                               "0 0.000100 0.000110 MPI_Get win=1 target=2 bytes=1000\n"
                               "0 0.000110 0.000120 MPI_Win_unlock win=1 target=2\n"
                               "0 0.000120 leave step\n"
                               "2 0.000000 0.000001 MPI_Win_lock win=0 target=2 lock=exclusive\n"
                               "2 0.000010 0.000011 MPI_Put win=0 target=2 bytes=0\n"
                               "2 0.000011 0.000012 MPI_Win_unlock win=0 target=2\n";

static struct result *analyzed(const struct filter *filter)
{
    struct err err;
    struct result *result;
    struct analyze_options options = ANALYZE_DEFAULTS;
    struct trace *trace = trace_of(run);
    if (filter) options.filter = *filter;
    if (model_analyze(trace, &options, &result, &err) != STATUS_OK) fail_msg("%s", err.text);
    trace_free(trace);
    return result;
}

#define MB(found, expected) assert_float_equal((float)((found) * 1e-6), (float)(expected), 1e-3f)

static void expect(const struct result_group *group, uint64_t count, uint64_t bytes, double least, double overall,
                   double most)
{
    assert_int_equal(group->count, count);
    assert_int_equal(group->bytes, bytes);
    MB(group->lower_bound_Bps.median, least);
    MB(group->lower_bound_Bps.overall, overall);
    MB(group->upper_bound_Bps.median, most);
}

static void by_pair(void **state)
{
    (void)state;
    struct result *result = analyzed(NULL);
    const struct result_groups *pairs = &result->transfer_groups[TRANSFERS_OF_PAIR];
    uint64_t count;
    assert_int_equal(pairs->count, 3);
    expect(&pairs->items[0], 2, 4000, 47.5, 4000 / 90.0, 125); /* 0 -> 1: 4000 bytes in 50 + 40 us */
    MB(pairs->items[0].lower_bound_Bps.min, 20);
    MB(pairs->items[0].lower_bound_Bps.max, 75);
    MB(pairs->items[0].upper_bound_Bps.overall, 4000 / 30.0);
    expect(&pairs->items[1], 1, 1000, 50, 50, 100);
    assert_string_equal(pairs->items[1].kind, "get");
    expect(&pairs->items[2], 1, 0, 0, 0, 0);
    assert_int_equal(result_matrix_bytes(result, 0, 1, &count), 4000);
    assert_int_equal(count, 2);
    assert_int_equal(result_matrix_bytes(result, 1, 0, &count), 0);
    assert_int_equal(count, 0);
    result_free(result);
}

static void by_window_and_place(void **state)
{
    (void)state;
    struct result *result = analyzed(NULL);
    const struct result_groups *windows = &result->transfer_groups[TRANSFERS_OF_WINDOW];
    const struct result_groups *places = &result->transfer_groups[TRANSFERS_OF_PLACE];
    assert_int_equal(windows->count, 2);
    expect(&windows->items[0], 3, 4000, 20, 4000 / 92.0, 100); /* of 0, 20, 75 and of 0, 100, 150 */
    expect(&windows->items[1], 1, 1000, 50, 50, 100);
    assert_string_equal(windows->items[1].name, "halo");
    assert_int_equal(places->count, 2); /* the puts of ranks 0 and 2 stand at one place: none is known */
    assert_string_equal(places->items[0].name, "MPI_Put");
    expect(&places->items[0], 3, 4000, 20, 4000 / 92.0, 100);
    assert_string_equal(places->items[1].name, "step/MPI_Get");
    assert_string_equal(places->items[1].function, "MPI_Get");
    result_free(result);
}

/* Places come by their bytes, equal ones by name, file and line, whatever came first in the run. */
static void equal_places_are_in_order(void **state)
{
    (void)state;
    struct err err;
    struct result *result;
    struct analyze_options options = ANALYZE_DEFAULTS;
    struct trace *trace = trace_of("ranks 2\nwindow 0 comm=0\n0 0.0 0.0 MPI_Win_lock win=0 target=1 lock=shared\n"
                                   "0 0.000001 0.000002 MPI_Put win=0 target=1 bytes=8 site=f@b.c:1\n"
                                   "0 0.000002 0.000003 MPI_Put win=0 target=1 bytes=8 site=f@a.c:9\n"
                                   "0 0.000003 0.000004 MPI_Put win=0 target=1 bytes=8 site=f@a.c:2\n"
                                   "0 0.000004 0.000005 MPI_Put win=0 target=1 bytes=9 site=f@b.c:7\n"
                                   "0 0.000006 0.000007 MPI_Win_unlock win=0 target=1\n");
    static const int32_t lines[] = {7, 2, 9, 1};
    assert_int_equal(model_analyze(trace, &options, &result, &err), STATUS_OK);
    assert_int_equal(result->transfer_groups[TRANSFERS_OF_PLACE].count, 4);
    for (int i = 0; i < 4; i++) assert_int_equal(result->transfer_groups[TRANSFERS_OF_PLACE].items[i].line, lines[i]);
    result_free(result);
    trace_free(trace);
}

static void by_size(void **state)
{
    (void)state;
    struct result *result = analyzed(NULL);
    const struct result_groups *sizes = &result->transfer_groups[TRANSFERS_OF_SIZE];
    assert_int_equal(sizes->count, 3);
    assert_int_equal(sizes->items[0].to_bytes, 0);
    expect(&sizes->items[1], 2, 2000, 35, 2000 / 70.0, 100); /* 20 and 50 */
    assert_int_equal(sizes->items[1].from_bytes, 512);
    assert_int_equal(sizes->items[1].to_bytes, 1023);
    expect(&sizes->items[2], 1, 3000, 75, 75, 150);
    result_free(result);
    assert_int_equal(transfer_size_class(1), 1);
    assert_int_equal(transfer_size_class(1023), 10);
    assert_int_equal(transfer_size_class(1024), 11);
}

/* Of the operations at 20-40, 100-110 and 10-11 us those that end at 25 us or later, on window 0. */
static void selected(void **state)
{
    (void)state;
    struct result *result =
        analyzed(&(struct filter){.by_window = true, .by_time = true, .from_ps = 25 * US, .to_ps = INT64_MAX});
    assert_int_equal(result->transfer_count, 1);
    assert_int_equal(result->transfer_bytes, 3000);
    assert_int_equal(result->transfer_groups[TRANSFERS_OF_WINDOW].count, 1);
    result_free(result);
}

static char *text_of(void (*write)(const struct result *, FILE *))
{
    char *text;
    size_t bytes;
    struct result *result = analyzed(NULL);
    FILE *out = open_memstream(&text, &bytes);
    write(result, out);
    fclose(out);
    result_free(result);
    return text;
}

static void tables(void **state)
{
    (void)state;
    char *groups = text_of(csv_write_transfer_groups), *matrix = text_of(csv_write_matrix), *people = text_of(result_print);
    assert_non_null(strstr(groups, "\npair,0,1,put,,,,,,,,2,4000,20000000,47500000,75000000,44444444.4444444,"
                                   "100000000,125000000,150000000,133333333.333333\n"));
    assert_non_null(strstr(groups, "\nwindow,,,,1,halo,,,,,,1,1000,50000000,"));
    assert_non_null(strstr(groups, "\ncallpath,,,,,step/MPI_Get,MPI_Get,,,,,1,1000,50000000,"));
    assert_non_null(strstr(groups, "\nsize,,,,,,,,,512,1023,2,2000,20000000,35000000,"));
    assert_string_equal(matrix, "origin,target,count,bytes\n0,1,2,4000\n0,2,1,1000\n2,2,1,0\n");
    assert_non_null(strstr(people, "\n  512 to 1023 bytes "));
    assert_non_null(strstr(people, "\n  0 -> 1 put "));
    assert_non_null(strstr(people, "\n       0         -      4 kB      1 kB\n"));
    free(groups);
    free(matrix);
    free(people);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_pair), cmocka_unit_test(by_window_and_place), cmocka_unit_test(by_size),
        cmocka_unit_test(equal_places_are_in_order),
        cmocka_unit_test(selected), cmocka_unit_test(tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
