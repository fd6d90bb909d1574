/* The parts that writer and reader share: call sites as text, bytes of collectives. */
#include <stdlib.h>
#include <string.h>

#include "trace/otf2/profile.h"
#include "trace_test.h"

static void check_site(char *function, char *file, int32_t line, const char *expected)
{
    char *text = archive_site_text(&(struct trace_site){function, file, line}), *one, *two;
    int32_t number;
    assert_string_equal(text, expected);
    assert_true(archive_site_parse(text, &one, &two, &number));
    assert_int_equal(function == NULL, one == NULL);
    assert_int_equal(file == NULL, two == NULL);
    if (function) assert_string_equal(function, one);
    if (file) assert_string_equal(file, two);
    assert_int_equal(number, line);
    free(text);
}

static void sites(void **state)
{
    (void)state;
    check_site("main", "halo.c", 40, "main@halo.c:40");
    check_site(NULL, NULL, 0, "?@?:0");
    check_site("?", "", -3, "%3F@:-3");
    check_site("f@@V1", "c:/a@b%.c", 1, "f%40%40V1@c:/a%40b%25.c:1");
    char wrong[][16] = {"", "main", "main@file", "main@file:", "main@file:4x", "file:4"};
    char *one, *two;
    int32_t number;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(archive_site_parse(wrong[i], &one, &two, &number));
}

/* Score-P's counting for 4 ranks and blocks of 8 bytes; in place the own block is not counted. */
static void collective_bytes(void **state)
{
    (void)state;
    static const struct {
        enum call_kind kind;
        bool root;
        uint64_t sent, received, in_place_sent, in_place_received;
    } rows[] = {
        {CALL_GATHER, true, 8, 32, 0, 24},      {CALL_GATHER, false, 8, 0, 8, 0},
        {CALL_REDUCE, true, 8, 32, 0, 24},      {CALL_SCATTER, true, 32, 8, 24, 0},
        {CALL_SCATTER, false, 0, 8, 0, 8},      {CALL_BCAST, true, 32, 8, 32, 8},
        {CALL_BCAST, false, 0, 8, 0, 8},        {CALL_ALLREDUCE, false, 32, 32, 32, 32},
        {CALL_ALLTOALL, false, 32, 32, 32, 32}, {CALL_ALLGATHER, false, 32, 32, 32, 32},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t sent, received;
        archive_collective_bytes(rows[i].kind, rows[i].root, 4, 8, &sent, &received);
        assert_int_equal(sent, rows[i].sent);
        assert_int_equal(received, rows[i].received);
        assert_int_equal(archive_collective_block(rows[i].kind, 4, sent, received), 8);
        assert_int_equal(archive_collective_block(rows[i].kind, 4, rows[i].in_place_sent, rows[i].in_place_received),
                         8);
    }
    /* 3 other ranks' blocks of 6 bytes: 18 is no multiple of 4. */
    assert_int_equal(archive_collective_block(CALL_ALLREDUCE, 4, 18, 18), 6);
    assert_int_equal(archive_collective_block(CALL_BARRIER, 4, 0, 0), 0);
    assert_int_equal(archive_collective_block(CALL_GATHER, 1, 0, 5), 0);
    assert_int_equal(archive_collective_block(CALL_ALLTOALL, 0, 5, 5), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sites), cmocka_unit_test(collective_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
