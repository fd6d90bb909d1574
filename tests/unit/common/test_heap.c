/* A heap gives indices in the order of their keys, whatever the order in which they come and however keys grow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "common/heap.h"

enum { ITEMS = 7 };

static bool is_before(const void *context, uint32_t one, uint32_t other)
{
    const int *keys = context;
    return keys[one] != keys[other] ? keys[one] < keys[other] : one < other;
}

static void expect_order(struct heap *heap, const int *keys, const uint32_t *order, uint32_t count)
{
    assert_int_equal(heap->count, count);
    for (uint32_t i = 0; i < count; i++) assert_int_equal(heap_pop(heap, is_before, keys), order[i]);
    assert_int_equal(heap->count, 0);
}

/* Keys 5 1 4 1 3 9 2: equal ones in the order of their indices. Every rotation of the order of pushing. */
static void comes_out_in_order(void **state)
{
    const int keys[ITEMS] = {5, 1, 4, 1, 3, 9, 2};
    const uint32_t order[ITEMS] = {1, 3, 6, 4, 2, 0, 5};
    uint32_t items[ITEMS];
    (void)state;
    for (uint32_t first = 0; first < ITEMS; first++) {
        struct heap heap = {.items = items};
        for (uint32_t i = 0; i < ITEMS; i++) heap_push(&heap, (first + i) % ITEMS, is_before, keys);
        expect_order(&heap, keys, order, ITEMS);
    }
}

/* Keys 1 2 3 4: the first one's grows to 3.5 (in tenths), then that of the next to 50. */
static void first_is_final(void **state)
{
    int keys[] = {10, 20, 30, 40};
    const uint32_t order[] = {2, 0, 3, 1};
    uint32_t items[4];
    struct heap heap = {.items = items};
    (void)state;
    for (uint32_t i = 0; i < 4; i++) heap_push(&heap, i, is_before, keys);
    keys[0] = 35;
    heap_sift_down(&heap, is_before, keys);
    assert_int_equal(heap.items[0], 1);
    keys[1] = 50;
    heap_sift_down(&heap, is_before, keys);
    assert_int_equal(heap.items[0], 2);
    expect_order(&heap, keys, order, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(comes_out_in_order), cmocka_unit_test(first_is_final)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
