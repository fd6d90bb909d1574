/* Sums by item, rank and thread; which rank has most, and whether it stands out: worked out by hand. */
#include "model_test.h"

#include "model/waits/rank_sums.h"

#define S INT64_C(1000000000000)

static void sums_are_of_item_rank_and_thread(void **state)
{
    static const struct rank_sum more[] = {
        {.item = 7, .rank = 1, .thread = 2, .count = 1, .ps = 5, .without_core_ps = 1},
        {.item = 7, .rank = 1, .thread = 0, .count = 1, .ps = 3},
        {.item = 3, .rank = 1, .thread = 2, .count = 4, .ps = 9},
        {.item = 7, .rank = 0, .thread = 9, .count = 1, .ps = 2},
        {.item = 7, .rank = 1, .thread = 2, .count = 2, .ps = 6, .without_core_ps = 3},
        {.item = UINT32_MAX, .rank = 0, .thread = 0, .count = 1, .ps = 8},
    };
    static const struct rank_sum of_7[] = {{7, 0, 9, 1, 2, 0}, {7, 1, 0, 1, 3, 0}, {7, 1, 2, 3, 11, 4}};
    struct rank_sums sums = {.count = 0};
    struct err err;
    size_t count;
    (void)state;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) assert_int_equal(rank_sums_add(&sums, &more[i], &err), STATUS_OK);
    assert_int_equal(sums.count, 5);
    rank_sums_sort(&sums);
    const struct rank_sum *found = rank_sums_of(&sums, 7, &count);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(found[i].rank, of_7[i].rank);
        assert_int_equal(found[i].thread, of_7[i].thread);
        assert_int_equal(found[i].count, of_7[i].count);
        assert_int_equal(found[i].ps, of_7[i].ps);
        assert_int_equal(found[i].without_core_ps, of_7[i].without_core_ps);
    }
    assert_int_equal(rank_sums_of(&sums, 3, &count)->ps, 9);
    assert_int_equal(count, 1);
    rank_sums_of(&sums, 4, &count);
    assert_int_equal(count, 0);
    assert_int_equal(rank_sums_of(&sums, UINT32_MAX, &count)->ps, 8); /* the last item has a last sum */
    assert_int_equal(count, 1);
    rank_sums_clear(&sums);
}

/* The rank with the most time over its threads, then with the larger count, then the lower one; its thread likewise. */
static void the_worst_rank(void **state)
{
    static const struct {
        struct rank_sum sums[3];
        size_t count;
        uint32_t rank, thread;
        int64_t calls, ps;
    } rows[] = {
        {{{0, 0, 0, 1, 5, 0}, {0, 0, 1, 1, 6, 0}, {0, 1, 0, 9, 10, 0}}, 3, 0, 1, 2, 11},
        {{{0, 0, 0, 1, 5, 0}, {0, 1, 0, 1, 4, 0}, {0, 1, 1, 1, 2, 0}}, 3, 1, 0, 2, 6},
        {{{0, 2, 0, 1, 5, 0}, {0, 3, 0, 2, 5, 0}}, 2, 3, 0, 2, 5},
        {{{0, 2, 0, 2, 5, 0}, {0, 3, 0, 2, 5, 0}}, 2, 2, 0, 2, 5},
        {{{0, 2, 0, 1, 5, 0}, {0, 2, 1, 3, 5, 0}}, 2, 2, 1, 4, 10},
        {{{0, 2, 4, 3, 5, 0}, {0, 2, 5, 3, 5, 0}}, 2, 2, 4, 6, 10},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rank_sum worst = rank_sums_worst(rows[i].sums, rows[i].count);
        if (worst.rank != rows[i].rank || worst.thread != rows[i].thread || (int64_t)worst.count != rows[i].calls ||
            worst.ps != rows[i].ps)
            fail_msg("row %zu: rank %u, thread %u, %d calls, %d ps", i, worst.rank, worst.thread, (int)worst.count,
                     (int)worst.ps);
    }
}

/* The largest stands out if it is more than the others' mean by more than a tenth of it, and by more than they differ. */
static void the_largest_value_stands_out(void **state)
{
    static const struct {
        double values[3];
        uint32_t count, most_rank;
        double second, least, others;
        bool stands_out;
    } rows[] = {
        {{10}, 1, 0, 0, 10, 0, false},
        {{0, 0}, 2, 0, 0, 0, 0, false},
        {{10, 10}, 2, 0, 10, 10, 10, false}, /* of equal ones the first is the largest */
        {{10, 11}, 2, 1, 10, 10, 10, false}, /* a tenth is not enough */
        {{10, 11.5}, 2, 1, 10, 10, 10, true},
        {{3, 1, 2}, 3, 0, 2, 1, 1.5, true}, /* 1.5 more; the others differ by 1 */
        {{2, 3, 1}, 3, 1, 2, 1, 1.5, true},
        {{0, 3, 2}, 3, 1, 2, 0, 1, false}, /* 2 more; the others differ by 2 */
        {{2, 2.9, 2.9}, 3, 1, 2.9, 2, 2.45, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct spread spread = {.count = 0};
        for (uint32_t r = 0; r < rows[i].count; r++) spread_add(&spread, r, rows[i].values[r]);
        assert_int_equal(spread.count, rows[i].count);
        assert_int_equal(spread.most_rank, rows[i].most_rank);
        assert_true(spread.second_s == rows[i].second && spread.least_s == rows[i].least);
        assert_true(spread_others_s(&spread) == rows[i].others);
        if (spread_stands_out(&spread) != rows[i].stands_out) fail_msg("row %zu", i);
    }
}

/* Rank 0's two threads have 2 s, rank 3 has 1.5 s. Of two ranks the larger is 0.5 more, and there is one other. Of three the
 * third has nothing: 1.25 more than 0.75, and the others differ by 1.5. Of five: 1.625 more than 0.375. */
static void ranks_without_a_sum_have_no_time(void **state)
{
    static const struct rank_sum sums[] = {{0, 0, 0, 1, S, 0}, {0, 0, 1, 1, S, 0}, {0, 3, 0, 1, 3 * S / 2, 0}};
    (void)state;
    assert_true(rank_sums_stand_out(sums, 3, 2));
    assert_false(rank_sums_stand_out(sums, 3, 3));
    assert_true(rank_sums_stand_out(sums, 3, 5));
    assert_false(rank_sums_stand_out(sums, 2, 1)); /* one rank alone */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_of_item_rank_and_thread),
        cmocka_unit_test(the_worst_rank),
        cmocka_unit_test(the_largest_value_stands_out),
        cmocka_unit_test(ranks_without_a_sum_have_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
