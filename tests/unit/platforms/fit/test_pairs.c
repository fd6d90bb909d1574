/* Pairs of neighbours in a ring of nodes, in both directions. Every repetition of a series takes the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "common/array.h"
#include "platforms/fit/pairs.h"

enum { REPETITIONS = 10 };
#define SPEC "putLatency -s flush"

static enum status add(struct bench_results *results, int from, int to, int64_t bytes, double time_s, struct err *err)
{
    struct bench_series series = {.demand = {2, 2, false, {0, 0}}, .bytes = bytes};
    const struct bench_repetition times = {time_s, time_s, time_s, time_s, 0, 0, 0};
    strcpy(series.spec, SPEC);
    snprintf(series.place, sizeof series.place, "%d+%d", from, to);
    for (int i = 0; i < REPETITIONS; i++) ARRAY_PUSH(series.repetitions, series.count, series.capacity, times, err);
    ARRAY_PUSH(results->series, results->count, results->capacity, series, err);
    return STATUS_OK;
}

/* A ring of nodes a, b, c, ...: there[i] is the time of 8 bytes from node i to the next one, back[i] the other way. */
static void compare_ring(int nodes, const double *there, const double *back, struct pair_notes *notes)
{
    struct bench_results results = {0};
    struct err err;
    cJSON *hosts = cJSON_CreateArray();
    for (int i = 0; i < nodes; i++) {
        int next = (i + 1) % nodes;
        char name[2] = {(char)('a' + i % 26), '\0'};
        cJSON *node = cJSON_CreateObject();
        cJSON_AddStringToObject(node, "host", name);
        cJSON_AddItemToArray(hosts, node);
        assert_int_equal(add(&results, i, next, 8, there[i], &err), STATUS_OK);
        assert_int_equal(add(&results, next, i, 8, back[i], &err), STATUS_OK);
    }
    assert_int_equal(pairs_compare(&results, SPEC, hosts, notes, &err), STATUS_OK);
    bench_results_clear(&results);
    cJSON_Delete(hosts);
}

static void equal_pairs_are_not_noted(void **state)
{
    (void)state;
    struct pair_notes notes;
    compare_ring(4, (double[]){1.00e-6, 1.05e-6, 1.09e-6, 1.02e-6}, (double[]){1.00e-6, 1.01e-6, 1.05e-6, 1.04e-6}, &notes);
    assert_int_equal(notes.count, 0);
}

/* All four directions of c take 1.5 us and more, the others 1 us: the fourth of eight is the middle, 1 us. */
static void a_slow_node(void **state)
{
    (void)state;
    struct pair_notes notes;
    compare_ring(4, (double[]){1e-6, 1.5e-6, 1.6e-6, 1e-6}, (double[]){1e-6, 1.55e-6, 1.6e-6, 1e-6}, &notes);
    assert_int_equal(notes.count, 1);
    assert_string_equal(notes.text[0], "c is a slow node: " SPEC
                                       " takes 1.50 times the middle of all pairs or more with each neighbour");
}

static void a_slow_pair(void **state)
{
    (void)state;
    struct pair_notes notes;
    compare_ring(4, (double[]){1e-6, 1.3e-6, 1e-6, 1e-6}, (double[]){1e-6, 1.32e-6, 1e-6, 1e-6}, &notes);
    assert_int_equal(notes.count, 1);
    assert_string_equal(notes.text[0], "a slow pair: " SPEC " takes 1.30 times the middle of all pairs between b and c");
}

/* Of a, b, c in a row the two directions of b and c take 2 us, those of a and b 1 us, the lower middle of four. c has
 * one neighbour only: the pair may be slow, or c. */
static void an_end_of_a_row_is_no_slow_node(void **state)
{
    (void)state;
    struct pair_notes notes;
    struct bench_results results = {0};
    struct err err;
    cJSON *hosts = cJSON_Parse("[{\"host\": \"a\"}, {\"host\": \"b\"}, {\"host\": \"c\"}]");
    for (int node = 0; node < 2; node++) {
        assert_int_equal(add(&results, node, node + 1, 8, (node + 1) * 1e-6, &err), STATUS_OK);
        assert_int_equal(add(&results, node + 1, node, 8, (node + 1) * 1e-6, &err), STATUS_OK);
    }
    assert_int_equal(pairs_compare(&results, SPEC, hosts, &notes, &err), STATUS_OK);
    assert_int_equal(notes.count, 1);
    assert_string_equal(notes.text[0],
                        "a slow pair: " SPEC " takes 2.00 times the middle of all pairs between b and c");
    bench_results_clear(&results);
    cJSON_Delete(hosts);
}

/* Two pairs take 1 us, two are 9 and 11 % slower: only the last one is noted. */
static void a_tenth_is_no_difference(void **state)
{
    (void)state;
    struct pair_notes notes;
    compare_ring(4, (double[]){1e-6, 1e-6, 1.09e-6, 1.11e-6}, (double[]){1e-6, 1e-6, 1.09e-6, 1.11e-6}, &notes);
    assert_int_equal(notes.count, 1);
    assert_string_equal(notes.text[0],
                        "a slow pair: " SPEC " takes 1.11 times the middle of all pairs between a and d");
}

/* Of two pairs the other one takes 1.2 us, half of the repetitions 0.12 us less and half 0.12 us more. The median's
 * error is 1.2533 * 1.4826 * 0.12 us / sqrt(10) = 0.0705 us, three of them 0.212 us: that is more than the difference.
 * Of two sizes the mean has an error of 1 / sqrt(2) of that, 0.15 us: a slow pair. */
static void sizes_make_it_certain(void **state)
{
    (void)state;
    for (int sizes = 1; sizes <= 2; sizes++) {
        struct pair_notes notes;
        struct bench_results results = {0};
        struct err err;
        cJSON *hosts = cJSON_Parse("[{\"host\": \"a\"}, {\"host\": \"b\"}, {\"host\": \"c\"}]");
        for (int i = 0; i < sizes; i++)
            for (int pair = 0; pair < 2; pair++)
                for (int back = 0; back < 2; back++) {
                    assert_int_equal(add(&results, pair + back, pair + 1 - back, 8 << i, pair ? 1.2e-6 : 1e-6, &err),
                                     STATUS_OK);
                    struct bench_series *last = &results.series[results.count - 1];
                    for (size_t r = 0; pair && r < last->count; r++)
                        last->repetitions[r].root = last->repetitions[r].most = r % 2 ? 1.08e-6 : 1.32e-6;
                }
        assert_int_equal(pairs_compare(&results, SPEC, hosts, &notes, &err), STATUS_OK);
        assert_int_equal(notes.count, sizes - 1);
        if (sizes == 2)
            assert_string_equal(notes.text[0],
                                "a slow pair: " SPEC " takes 1.20 times the middle of all pairs between b and c");
        bench_results_clear(&results);
        cJSON_Delete(hosts);
    }
}

/* 2 us there, 1 us back; so far apart are the two directions of two nodes, too. */
static void an_asymmetric_pair(void **state)
{
    (void)state;
    struct pair_notes notes;
    for (int nodes = 2; nodes <= 3; nodes++) {
        struct bench_results results = {0};
        struct err err;
        cJSON *hosts = cJSON_Parse("[{\"host\": \"a\"}, {\"host\": \"b\"}, {\"host\": \"c\"}]");
        assert_int_equal(add(&results, 0, 1, 8, 2e-6, &err), STATUS_OK);
        assert_int_equal(add(&results, 1, 0, 8, 1e-6, &err), STATUS_OK);
        if (nodes == 3) assert_int_equal(add(&results, 1, 2, 8, 1e-6, &err), STATUS_OK);
        assert_int_equal(pairs_compare(&results, SPEC, hosts, &notes, &err), STATUS_OK);
        assert_int_equal(notes.count, 1);
        assert_string_equal(notes.text[0], "an asymmetric pair: " SPEC " takes 2.00 times as long from a to b as back");
        bench_results_clear(&results);
        cJSON_Delete(hosts);
    }
}

/* From b to a 1.2 us, back 1 us. If the repetitions of one direction are 0.12 us longer and shorter in turn, its error is
 * 0.0705 us as above: the 0.2 us between them are less than three errors, whichever direction that is. Without errors they
 * count. */
static void both_directions_have_errors(void **state)
{
    (void)state;
    for (int noisy = 0; noisy < 3; noisy++) { /* none, the slow direction, the other one */
        struct pair_notes notes;
        struct bench_results results = {0};
        struct err err;
        cJSON *hosts = cJSON_Parse("[{\"host\": \"a\"}, {\"host\": \"b\"}]");
        for (int slow = 0; slow < 2; slow++) {
            assert_int_equal(add(&results, slow, 1 - slow, 8, slow ? 1.2e-6 : 1e-6, &err), STATUS_OK);
            struct bench_series *last = &results.series[slow];
            for (size_t r = 0; noisy == 2 - slow && r < last->count; r++)
                last->repetitions[r].root = last->repetitions[r].most = (slow ? 1.2e-6 : 1e-6) + (r % 2 ? -0.12e-6 : 0.12e-6);
        }
        assert_int_equal(pairs_compare(&results, SPEC, hosts, &notes, &err), STATUS_OK);
        assert_int_equal(notes.count, noisy == 0);
        bench_results_clear(&results);
        cJSON_Delete(hosts);
    }
}

/* Pair b-c takes 1.3 times as long as a-b with 8 bytes. With 16 bytes it was measured alone: there is no middle to compare. */
static void a_size_of_one_pair_says_nothing(void **state)
{
    (void)state;
    struct pair_notes notes;
    struct bench_results results = {0};
    struct err err;
    cJSON *hosts = cJSON_Parse("[{\"host\": \"a\"}, {\"host\": \"b\"}, {\"host\": \"c\"}]");
    assert_int_equal(add(&results, 0, 1, 8, 1e-6, &err), STATUS_OK);
    assert_int_equal(add(&results, 1, 2, 8, 1.3e-6, &err), STATUS_OK);
    assert_int_equal(add(&results, 1, 2, 16, 1.3e-6, &err), STATUS_OK);
    assert_int_equal(pairs_compare(&results, SPEC, hosts, &notes, &err), STATUS_OK);
    assert_int_equal(notes.count, 1);
    assert_string_equal(notes.text[0], "a slow pair: " SPEC " takes 1.30 times the middle of all pairs between b and c");
    bench_results_clear(&results);
    cJSON_Delete(hosts);
}

/* Three pairs in one direction each, from b to a 1.1 us above d to c, e to f: the middle is 1 us. One direction alone
 * is named, whichever it is. */
static void a_direction_without_the_other(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        struct pair_notes notes;
        struct bench_results results = {0};
        struct err err;
        cJSON *hosts = cJSON_Parse("[{\"host\": \"a\"}, {\"host\": \"b\"}, {\"host\": \"c\"}, {}, {}, {}]");
        assert_int_equal(add(&results, turned, 1 - turned, 8, 1.2e-6, &err), STATUS_OK);
        assert_int_equal(add(&results, 3, 2, 8, 1e-6, &err), STATUS_OK);
        assert_int_equal(add(&results, 4, 5, 8, 1e-6, &err), STATUS_OK);
        assert_int_equal(pairs_compare(&results, SPEC, hosts, &notes, &err), STATUS_OK);
        assert_int_equal(notes.count, 1);
        assert_string_equal(notes.text[0],
                            turned ? "a slow pair: " SPEC " takes 1.20 times the middle of all pairs between b and a"
                                   : "a slow pair: " SPEC " takes 1.20 times the middle of all pairs between a and b");
        bench_results_clear(&results);
        cJSON_Delete(hosts);
    }
}

/* Where all is twice as slow the share of the difference decides, not the difference: 2.2 us there and 2.02 us back are
 * 2 + 9 %, relative to the middle of 1 us 0.18 more. 2.24 and 2.02 us are 11 % apart. */
static void directions_are_compared_by_their_share(void **state)
{
    static const struct {
        double there_s;
        const char *kind;
    } rows[] = {{2.2e-6, "a slow pair"}, {2.24e-6, "an asymmetric pair"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pair_notes notes;
        compare_ring(4, (double[]){rows[i].there_s, 1e-6, 1e-6, 1e-6}, (double[]){2.02e-6, 1e-6, 1e-6, 1e-6}, &notes);
        assert_int_equal(notes.count, 1);
        if (strncmp(notes.text[0], rows[i].kind, strlen(rows[i].kind)) != 0) fail_msg("%s", notes.text[0]);
    }
}

/* Asymmetric pairs: up to 16 are named, of 17 and 40 fifteen are. */
static void many_notes(void **state)
{
    static const struct {
        int pairs;
        const char *last;
    } rows[] = {{15, "an asymmetric pair"}, {16, "an asymmetric pair"}, {17, "2 more nodes"}, {40, "25 more nodes"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pair_notes notes;
        const int most = rows[i].pairs < PAIR_NOTES_MOST ? rows[i].pairs : PAIR_NOTES_MOST;
        double there[40], back[40];
        for (int k = 0; k < rows[i].pairs; k++) {
            there[k] = 2e-6;
            back[k] = 1e-6;
        }
        compare_ring(rows[i].pairs, there, back, &notes);
        assert_int_equal(notes.count, most);
        if (strncmp(notes.text[most - 1], rows[i].last, strlen(rows[i].last)) != 0)
            fail_msg("%s", notes.text[most - 1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_pairs_are_not_noted),
        cmocka_unit_test(a_slow_node),
        cmocka_unit_test(a_slow_pair),
        cmocka_unit_test(an_end_of_a_row_is_no_slow_node),
        cmocka_unit_test(a_tenth_is_no_difference),
        cmocka_unit_test(sizes_make_it_certain),
        cmocka_unit_test(an_asymmetric_pair),
        cmocka_unit_test(both_directions_have_errors),
        cmocka_unit_test(a_size_of_one_pair_says_nothing),
        cmocka_unit_test(a_direction_without_the_other),
        cmocka_unit_test(directions_are_compared_by_their_share),
        cmocka_unit_test(many_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
