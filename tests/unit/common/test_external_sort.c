/* Records of several runs come back in order, whole and once. A run holds 2^18 records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/external_sort.h"

enum { RUN = 1 << 18 };

static int compare(const void *one, const void *other)
{
    const uint32_t *a = one, *b = other;
    return (*a > *b) - (*a < *b);
}

/* 7 is odd, so i * 7 mod count has each number below count once, unless count is a multiple of 7. */
static void sort_numbers(uint32_t count)
{
    struct temp_file temp;
    struct external_sort *sorter;
    struct err err;
    bool any;
    uint32_t number, next = 0;
    assert_int_equal(temp_file_open(&temp, &err), STATUS_OK);
    assert_int_equal(external_sort_new(&temp, sizeof number, compare, &sorter, &err), STATUS_OK);
    for (uint32_t i = 0; i < count; i++) {
        number = (uint32_t)((uint64_t)i * 7 % count);
        assert_int_equal(external_sort_add(sorter, &number, &err), STATUS_OK);
    }
    assert_int_equal(temp.bytes, count > RUN ? (count - 1) / RUN * (RUN * sizeof number) : 0);
    assert_int_equal(external_sort_turn(sorter, &err), STATUS_OK);
    while (external_sort_next(sorter, &number, &any, &err) == STATUS_OK && any)
        if (number != next++) fail_msg("%u numbers: %u in place of %u", count, number, next - 1);
    assert_int_equal(next, count);
    external_sort_free(sorter);
    temp_file_close(&temp);
}

static void numbers_come_in_order(void **state)
{
    static const uint32_t counts[] = {0, 1, 2, 1000, RUN, RUN + 1, 2 * RUN, 2 * RUN + 127, 2 * RUN + 129};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        assert_true(counts[i] == 0 || counts[i] % 7 != 0);
        sort_numbers(counts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_come_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
