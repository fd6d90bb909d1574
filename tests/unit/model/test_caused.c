/* Waits by the intervals of both calls: sums and orders worked out by hand. */
#include "model_test.h"

#include <stdio.h>
#include <string.h>

#include "model/efficiency/caused.h"

static struct err err;

/* The rows are "INTERVAL<CAUSE TIME", - for a wait that no single call ended. */
static void expect_rows(const struct caused *caused, const char *expected)
{
    char found[400] = "", cause[12];
    size_t length = 0;
    for (size_t i = 0; i < caused->count; i++) {
        const struct caused_row *row = &caused->rows[i];
        snprintf(cause, sizeof cause, "%u", row->cause);
        length += (size_t)snprintf(found + length, sizeof found - length, "%s%u<%s %d", i ? ", " : "", row->interval,
                                   row->cause == CAUSED_NOWHERE ? "-" : cause, (int)row->time_ps);
    }
    assert_string_equal(found, expected);
}

static void add(struct caused *caused, uint32_t interval, uint32_t cause, wide_ps time_ps)
{
    assert_int_equal(caused_add(caused, interval, cause, time_ps, &err), STATUS_OK);
}

/* Intervals 1 and 2 wait for each other, and for themselves: that is four rows. No time is no row. */
static struct caused example(void)
{
    struct caused caused = {.rows = NULL};
    add(&caused, 1, 3, 15);
    add(&caused, 1, 2, 10);
    add(&caused, 2, 1, 20);
    add(&caused, 1, 2, 5);
    add(&caused, 0, CAUSED_NOWHERE, 15);
    add(&caused, 3, 3, 0);
    return caused;
}

static void times_are_sums_of_pairs(void **state)
{
    struct caused caused = example();
    (void)state;
    expect_rows(&caused, "1<3 15, 1<2 15, 2<1 20, 0<- 15");
    caused_sort(&caused); /* of equal times the lower interval, then the lower cause */
    expect_rows(&caused, "2<1 20, 0<- 15, 1<2 15, 1<3 15");
    caused_clear(&caused);
    expect_rows(&caused, "");
    caused_sort(&caused);
}

/* Intervals 0 to 3 become 5, 6, 7 and 8; nowhere stays nowhere. */
static void rows_are_renumbered(void **state)
{
    static const uint32_t here[] = {5, 6, 7, 8};
    struct caused caused = example();
    (void)state;
    caused_renumber(&caused, here);
    expect_rows(&caused, "6<8 15, 6<7 15, 7<6 20, 5<- 15");
    caused_clear(&caused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_sums_of_pairs),
        cmocka_unit_test(rows_are_renumbered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
