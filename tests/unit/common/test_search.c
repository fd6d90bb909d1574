/* Orders decide by the first member that differs, each in its direction; NULL is a text before all others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "common/search.h"

struct item {
    int up;
    double down;
    const char *text;
};
ORDER(by_up, struct item, UP(up))
ORDER(by_all, struct item, BY(by_up) DOWN(down) BY_TEXT(text))
ORDER(by_value, uint64_t, UP_ITSELF)

/* The items as they are to be sorted: every pair of them, both ways. */
static void orders_items(void **state)
{
    const struct item items[] = {{-1, 0, "z"}, {1, 2.5, "z"}, {1, 2, NULL}, {1, 2, "a"}, {1, 2, "b"}, {2, 3, "a"}};
    const size_t count = sizeof items / sizeof *items;
    (void)state;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            const int order = by_all(&items[i], &items[k]);
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
}

/* 2^63 is beyond what the difference of two numbers tells. */
static void orders_numbers(void **state)
{
    uint64_t numbers[] = {UINT64_C(1) << 63, 1, 0, UINT64_MAX};
    (void)state;
    qsort(numbers, 4, sizeof *numbers, by_value);
    for (int i = 0; i < 3; i++) assert_true(numbers[i] < numbers[i + 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders_items), cmocka_unit_test(orders_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
