/* Levels of detail: pieces begin as 1 ns and are 16384 for a few ranks. Letters: "C" is a collective, "H" an operation,
 * "A" computing; shares are 21sts, "V" is all of a piece. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "report/levels.h"

enum { PIECES = 16384, NS = 1000 };

static struct err err;

static struct levels *make(uint32_t ranks, int64_t from_ns, int64_t until_ns)
{
    struct levels *levels;
    bool all = until_ns == 0;
    assert_int_equal(levels_new(ranks, all ? INT64_MIN : from_ns * NS, all ? INT64_MAX : until_ns * NS, &levels, &err),
                     STATUS_OK);
    return levels;
}

static void add(struct levels *levels, uint32_t rank, enum mpi_call call, int64_t enter_ns, int64_t exit_ns)
{
    const struct trace_call made = {.call = (uint16_t)call, .enter_ps = enter_ns * NS, .exit_ps = exit_ns * NS};
    levels_add_call(levels, rank, &made);
}

/* What levels_write() makes, and frees the levels. */
static cJSON *written(struct levels *levels, int64_t begin_ns)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs("{\"first\":0", out);
    levels_write(levels, begin_ns * NS, out);
    fputc('}', out);
    fclose(out);
    levels_free(levels);
    cJSON *json = cJSON_Parse(text);
    free(text);
    assert_non_null(json);
    return json;
}

static const cJSON *level(const cJSON *json, int number)
{
    const cJSON *found = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "levels"), number);
    assert_non_null(found);
    return found;
}

static double number_of(const cJSON *of, const char *key)
{
    return cJSON_GetObjectItem(of, key)->valuedouble;
}

static const char *row(const cJSON *of, int number)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(of, "rows"), number)->valuestring;
}

static void expect_piece(const cJSON *of, int number, size_t piece, const char *letters)
{
    char found[4] = "";
    assert_true(strlen(row(of, number)) >= 3 * piece + 3);
    memcpy(found, row(of, number) + 3 * piece, 3);
    assert_string_equal(found, letters);
}

/* The second call goes beyond the last piece: pieces of 2 ns. Coarser levels have pieces four times as long. */
static void pieces_grow(void **state)
{
    (void)state;
    struct levels *levels = make(1, 0, 0);
    add(levels, 0, ID_Barrier, 0, 3);
    add(levels, 0, ID_Put, 3, 4);
    levels_add_wait(levels, 0, 0, 3 * NS);
    add(levels, 0, ID_Barrier, 10, PIECES);
    add(levels, 0, ID_Barrier, PIECES, 2 * PIECES);
    cJSON *json = written(levels, 0);
    const cJSON *finest = level(json, 0), *next = level(json, 1), *last = level(json, 2);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "levels")), 3);
    assert_true(number_of(finest, "piece_ps") == 2 * NS && number_of(next, "piece_ps") == 8 * NS &&
                number_of(last, "piece_ps") == 32 * NS);
    assert_int_equal(strlen(row(finest, 0)), 3 * PIECES);
    assert_int_equal(strlen(row(last, 0)), 3 * PIECES / 16);
    expect_piece(finest, 0, 0, "CVV");
    expect_piece(finest, 0, 1, "CKK"); /* half of it the put */
    expect_piece(finest, 0, 2, "AVA");
    expect_piece(finest, 0, 5, "CVA");
    expect_piece(finest, 0, PIECES - 1, "CVA");
    expect_piece(next, 0, 0, "AKH"); /* of 8 ns 4 computing, 3 waiting: 21 x 3 / 8 = 7.9 */
    cJSON_Delete(json);
}

/* A run of 16384 ns has pieces of 1 ns for up to 32 ranks, and of 4 ns for more, however many: 256 rows at most. */
static void many_ranks_have_fewer_pieces(void **state)
{
    static const struct {
        uint32_t ranks;
        int rows;
        size_t pieces;
    } rows[] = {{32, 32, PIECES}, {33, 33, PIECES / 4}, {256, 256, PIECES / 4}, {1000, 256, PIECES / 4}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct levels *levels = make(rows[i].ranks, 0, 0);
        add(levels, 0, ID_Barrier, 0, PIECES);
        cJSON *json = written(levels, 0);
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(level(json, 0), "rows")), rows[i].rows);
        assert_int_equal(strlen(row(level(json, 0), 0)), 3 * rows[i].pieces);
        cJSON_Delete(json);
    }
}

/* Rank 1 began earlier than rank 0, which was added first. */
static void earlier_ranks_come_later(void **state)
{
    (void)state;
    struct levels *levels = make(2, 0, 0);
    add(levels, 0, ID_Barrier, 1100, 1200);
    add(levels, 1, ID_Barrier, 1000, 1050);
    assert_int_equal(levels_begin_ps(levels), 1000 * NS);
    assert_int_equal(levels_end_ps(levels), 1200 * NS);
    cJSON *json = written(levels, 1000);
    const cJSON *finest = level(json, 0);
    assert_true(number_of(finest, "from_ps") == 0 && number_of(finest, "piece_ps") == NS);
    expect_piece(finest, 0, 99, "   ");
    expect_piece(finest, 0, 100, "CVA");
    expect_piece(finest, 1, 0, "CVA");
    expect_piece(finest, 1, 49, "CVA");
    expect_piece(finest, 1, 50, "   ");
    cJSON_Delete(json);
}

/* The first call takes no time, at time 0: the others begin behind it all the same. */
static void a_call_at_zero_is_the_first(void **state)
{
    (void)state;
    struct levels *levels = make(2, 0, 0);
    assert_true(levels_begin_ps(levels) == 0 && levels_end_ps(levels) == 0);
    add(levels, 0, ID_Barrier, 0, 0);
    assert_true(levels_begin_ps(levels) == 0 && levels_end_ps(levels) == 0);
    add(levels, 0, ID_Barrier, 5, 8);
    add(levels, 1, ID_Barrier, 3, 7);
    assert_true(levels_begin_ps(levels) == 0 && levels_end_ps(levels) == 8 * NS);
    add(levels, 1, ID_Barrier, -2, -1);
    assert_true(levels_begin_ps(levels) == -2 * NS && levels_end_ps(levels) == 8 * NS);
    levels_free(levels);
}

/* The pieces are as many as fit: one more to the left is no reason for pieces twice as long, and all of the move is of
 * whole pieces. */
static void a_piece_to_the_left(void **state)
{
    (void)state;
    for (int extra = 0; extra < 2; extra++) {
        struct levels *levels = make(2, 0, 0);
        add(levels, 0, ID_Barrier, 100, 99 + PIECES - extra * 50);
        add(levels, 1, ID_Put, 99, 100);
        cJSON *json = written(levels, 0);
        const cJSON *finest = level(json, 0);
        assert_true(number_of(finest, "from_ps") == 99 * NS && number_of(finest, "piece_ps") == NS);
        expect_piece(finest, 0, 0, "   ");
        expect_piece(finest, 0, 1, "CVA");
        expect_piece(finest, 1, 0, "HVA");
        expect_piece(finest, 1, 1, "   ");
        cJSON_Delete(json);
    }
    /* From 99.5 ns on: half of the piece that is added. */
    struct levels *levels = make(1, 0, 0);
    add(levels, 0, ID_Barrier, 100, 101);
    levels_add_wait(levels, 0, 99 * NS + NS / 2, 100 * NS);
    const struct trace_call half = {.call = ID_Put, .enter_ps = 99 * NS + NS / 2, .exit_ps = 100 * NS};
    levels_add_call(levels, 0, &half);
    cJSON *json = written(levels, 0);
    assert_true(number_of(level(json, 0), "from_ps") == 99 * NS);
    expect_piece(level(json, 0), 0, 0, "HVV");
    expect_piece(level(json, 0), 0, 1, "CVA");
    cJSON_Delete(json);
}

/* Computing is that of a region until as many regions were left as were entered: "B" from 10 to 50. One that is left without
 * having been entered, where recording began inside it, was none. */
static void regions_inside_regions(void **state)
{
    (void)state;
    struct levels *levels = make(1, 0, 0);
    static const struct {
        enum mpi_call call;
        int64_t at_ns;
    } calls[] = {{ID_Barrier, 0},       {ID_region_leave, 5},  {ID_region_enter, 10}, {ID_region_enter, 20},
                 {ID_region_leave, 30}, {ID_Barrier, 40},      {ID_region_leave, 50}, {ID_Barrier, 60}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) add(levels, 0, calls[i].call, calls[i].at_ns, calls[i].at_ns);
    cJSON *json = written(levels, 0);
    for (size_t piece = 0; piece < 60; piece++)
        expect_piece(level(json, 0), 0, piece, piece >= 10 && piece < 50 ? "BVA" : "AVA");
    cJSON_Delete(json);
}

/* So much earlier that both do not fit before the pieces have grown. */
static void much_earlier(void **state)
{
    (void)state;
    struct levels *levels = make(2, 0, 0);
    add(levels, 0, ID_Barrier, 5 * PIECES, 6 * PIECES);
    add(levels, 1, ID_Barrier, 0, PIECES);
    cJSON *json = written(levels, 0);
    const cJSON *finest = level(json, 0);
    int64_t piece_ns = (int64_t)number_of(finest, "piece_ps") / NS, from_ns = (int64_t)number_of(finest, "from_ps") / NS;
    assert_true(piece_ns == 8 && from_ns <= 0 && from_ns > -piece_ns);
    expect_piece(finest, 0, (size_t)(5 * PIECES - from_ns) / 8 - 1, "   ");
    expect_piece(finest, 0, (size_t)(5 * PIECES - from_ns) / 8 + 1, "CVA");
    expect_piece(finest, 1, 1, "CVA");
    expect_piece(finest, 1, (size_t)(PIECES - from_ns) / 8 + 1, "   ");
    cJSON_Delete(json);
}

/* Two threads of a rank may wait at once: of 10 ns in a call 10 + 5 are waits, which is all of it. */
static void no_more_than_all_is_waiting(void **state)
{
    (void)state;
    struct levels *levels = make(1, 0, 0);
    add(levels, 0, ID_Barrier, 0, 10);
    levels_add_wait(levels, 0, 0, 10 * NS);
    levels_add_wait(levels, 0, 0, 5 * NS);
    cJSON *json = written(levels, 0);
    for (size_t piece = 0; piece < 10; piece++) expect_piece(level(json, 0), 0, piece, "CVV");
    expect_piece(level(json, 1), 0, 1, "CVV"); /* 4-8 ns: 4 + 1 */
    expect_piece(level(json, 1), 0, 2, "CVV"); /* 8-10 ns */
    cJSON_Delete(json);
}

static void window_is_cut_out(void **state)
{
    (void)state;
    struct levels *levels = make(1, 10, 20);
    add(levels, 0, ID_Barrier, 0, 30);
    add(levels, 0, ID_Barrier, 40, 50);
    cJSON *json = written(levels, 0);
    assert_true(number_of(level(json, 0), "from_ps") == 10 * NS);
    assert_int_equal(strlen(row(level(json, 0), 0)), 3 * 10);
    cJSON_Delete(json);
}

static void nothing_at_all(void **state)
{
    (void)state;
    cJSON *json = written(make(1, 0, 0), 0);
    assert_string_equal(row(level(json, 0), 0), "");
    cJSON_Delete(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_grow), cmocka_unit_test(many_ranks_have_fewer_pieces),
        cmocka_unit_test(earlier_ranks_come_later),
        cmocka_unit_test(a_call_at_zero_is_the_first),
        cmocka_unit_test(a_piece_to_the_left),
        cmocka_unit_test(regions_inside_regions),
        cmocka_unit_test(much_earlier),
        cmocka_unit_test(no_more_than_all_is_waiting), cmocka_unit_test(window_is_cut_out),
        cmocka_unit_test(nothing_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
