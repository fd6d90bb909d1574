/* What is put into bytes is taken out in the same order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/bytes.h"

static void order(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    struct err err;
    const int numbers[3] = {7, -2, 40};
    int number, *array;
    char *text, *none;
    void *items, *nothing;
    assert_int_equal(bytes_put(&bytes, &numbers[1], sizeof numbers[1], &err), STATUS_OK);
    assert_int_equal(bytes_put_text(&bytes, "halo.c", &err), STATUS_OK);
    assert_int_equal(bytes_put_text(&bytes, NULL, &err), STATUS_OK);
    assert_int_equal(bytes_put(&bytes, numbers, sizeof numbers, &err), STATUS_OK);
    bytes_take(&bytes, &number, sizeof number);
    assert_int_equal(number, -2);
    assert_int_equal(bytes_take_text(&bytes, &text, &err), STATUS_OK);
    assert_string_equal(text, "halo.c");
    assert_int_equal(bytes_take_text(&bytes, &none, &err), STATUS_OK);
    assert_null(none);
    assert_int_equal(bytes_take_array(&bytes, 3, sizeof *array, &items, &err), STATUS_OK);
    array = items;
    assert_memory_equal(array, numbers, sizeof numbers);
    assert_int_equal(bytes_take_array(&bytes, 0, sizeof *array, &nothing, &err), STATUS_OK);
    assert_null(nothing);
    assert_int_equal(bytes.taken, bytes.count);
    free(text);
    free(items);
    bytes_clear(&bytes);
}

static void empty_keeps_memory(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    struct err err;
    int number = 5;
    assert_int_equal(bytes_put(&bytes, &number, sizeof number, &err), STATUS_OK);
    bytes_take(&bytes, &number, sizeof number);
    size_t capacity = bytes.capacity;
    bytes_empty(&bytes);
    assert_int_equal(bytes.count, 0);
    assert_int_equal(bytes.taken, 0);
    assert_int_equal(bytes.capacity, capacity);
    bytes_clear(&bytes);
    assert_int_equal(bytes.capacity, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(order), cmocka_unit_test(empty_keeps_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
