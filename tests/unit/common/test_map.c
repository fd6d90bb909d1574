/* The map and the growing array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/array.h"
#include "common/map.h"

static void an_empty_map_holds_nothing(void **state)
{
    (void)state;
    struct map map = {0};
    assert_null(map_find(&map, 0));
    map_clear(&map);
    assert_null(map_find(&map, 0));
}

static void a_key_keeps_its_first_value(void **state)
{
    (void)state;
    struct map map = {0};
    struct err err;
    uint64_t *slot;
    assert_int_equal(map_put(&map, 0, 5, &slot, &err), STATUS_OK);
    assert_int_equal(*slot, 5);
    assert_int_equal(map_put(&map, 0, 6, &slot, &err), STATUS_OK);
    assert_int_equal(*slot, 5);
    *slot = 7;
    assert_int_equal(*map_find(&map, 0), 7);
    assert_int_equal(map_put(&map, UINT64_MAX, 8, &slot, &err), STATUS_OK);
    assert_int_equal(*map_find(&map, UINT64_MAX), 8);
    assert_int_equal(map.count, 2);
    map_clear(&map);
}

/* Dense, sparse and high keys: each survives the growth. */
static void many_keys_are_found(void **state)
{
    (void)state;
    enum { KEYS = 20000 };
    static const uint64_t strides[] = {1, 4096, UINT64_C(1) << 49};
    struct err err;
    for (size_t s = 0; s < sizeof strides / sizeof *strides; s++) {
        struct map map = {0};
        uint64_t *slot;
        for (uint64_t i = 0; i < KEYS; i++)
            assert_int_equal(map_put(&map, i * strides[s] + 1, i, &slot, &err), STATUS_OK);
        for (uint64_t i = 0; i < KEYS; i++) {
            const uint64_t *found = map_find(&map, i * strides[s] + 1);
            assert_non_null(found);
            assert_int_equal(*found, i);
        }
        assert_null(map_find(&map, 0));
        map_clear(&map);
    }
}

/* Two of three keys are taken out; neighbours that had moved behind them are found all the same. */
static void keys_are_taken_out(void **state)
{
    (void)state;
    enum { KEYS = 30000 };
    struct err err;
    struct map map = {0};
    uint64_t *slot;
    map_remove(&map, 1);
    for (uint64_t i = 0; i < KEYS; i++) assert_int_equal(map_put(&map, i, i, &slot, &err), STATUS_OK);
    for (uint64_t i = 0; i < KEYS; i++)
        if (i % 3 != 0) map_remove(&map, i);
    map_remove(&map, 1);
    assert_int_equal(map.count, KEYS / 3);
    for (uint64_t i = 0; i < KEYS; i++) {
        const uint64_t *found = map_find(&map, i);
        assert_int_equal(found != NULL, i % 3 == 0);
        if (found) assert_int_equal(*found, i);
    }
    map_clear(&map);
}

enum { IDS = 64, STEPS = 20000 };

/* Against an array: puts, takes and finds in an order that a small generator makes (any order will do). */
static void keys_come_and_go(void **state)
{
    (void)state;
    struct map table = {0};
    uint64_t values[IDS], value, random = 1;
    bool open[IDS] = {false};
    size_t count = 0;
    struct err err;
    for (int i = 0; i < STEPS; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t slot = (random >> 33) % IDS;
        uint64_t id = slot * 4096; /* many share a home */
        if (!open[slot]) {
            assert_null(map_find(&table, id));
            assert_int_equal(map_set(&table, id, random, &err), STATUS_OK);
            values[slot] = random;
            count++;
        } else {
            assert_true(map_take(&table, id, &value));
            assert_int_equal(value, values[slot]);
            count--;
        }
        open[slot] = !open[slot];
        assert_int_equal(table.count, count);
        for (size_t k = 0; i % 97 == 0 && k < IDS; k++) {
            const uint64_t *found = map_find(&table, k * 4096);
            assert_int_equal(found != NULL, open[k]);
            if (found) assert_int_equal(*found, values[k]);
        }
    }
    uint64_t *left;
    assert_int_equal(map_values(&table, &left, &err), STATUS_OK);
    for (size_t i = 1; i < count; i++) assert_true(left[i - 1] < left[i]);
    free(left);
    map_empty(&table);
    assert_int_equal(table.count, 0);
    assert_false(map_take(&table, 0, &value));
    map_clear(&table);
}

static void mixing_depends_on_both_words_and_their_order(void **state)
{
    (void)state;
    assert_true(map_mix(1, 2) != map_mix(2, 1));
    assert_true(map_mix(1, 2) != map_mix(1, 3));
    assert_true(map_mix(1, 2) == map_mix(1, 2));
}

struct list {
    int *items;
    size_t count, capacity;
};

static enum status push(struct list *list, int value, struct err *err)
{
    ARRAY_PUSH(list->items, list->count, list->capacity, value, err);
    return STATUS_OK;
}

static void an_array_grows(void **state)
{
    (void)state;
    struct list list = {0};
    struct err err;
    for (int i = 0; i < 1000; i++) assert_int_equal(push(&list, i, &err), STATUS_OK);
    for (int i = 0; i < 1000; i++) assert_int_equal(list.items[i], i);
    assert_true(list.capacity >= 1000);
    free(list.items);
}

static void an_array_beyond_memory_is_an_error(void **state)
{
    (void)state;
    void *data = NULL;
    size_t capacity = 0;
    struct err err;
    assert_int_equal(array_reserve(&data, &capacity, SIZE_MAX / 2, 16, &err), STATUS_SYSTEM);
    assert_string_equal(err.text, "out of memory");
    assert_null(data);
    assert_int_equal(capacity, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_holds_nothing),
        cmocka_unit_test(a_key_keeps_its_first_value),
        cmocka_unit_test(many_keys_are_found),
        cmocka_unit_test(keys_are_taken_out),
        cmocka_unit_test(keys_come_and_go),
        cmocka_unit_test(mixing_depends_on_both_words_and_their_order),
        cmocka_unit_test(an_array_grows),
        cmocka_unit_test(an_array_beyond_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
