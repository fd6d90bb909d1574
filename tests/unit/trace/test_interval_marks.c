/* Interval marks: 0xAA, the number in 16 bits, 0xAA or 0xBB; as a region "#NUMBER(begin)", "#NUMBER(end)". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "trace/interval_marks.h"

static void tags(void **state)
{
    (void)state;
    struct interval_mark mark;
    assert_true(interval_mark_of_tag((int32_t)0xAAFFFFAAu, &mark));
    assert_int_equal(mark.number, 65535);
    assert_true(mark.begins);
    assert_true(interval_mark_of_tag((int32_t)0xAA0000BBu, &mark));
    assert_int_equal(mark.number, 0);
    assert_false(mark.begins);
    assert_false(interval_mark_of_tag((int32_t)0xAA0007ACu, &mark));
    assert_false(interval_mark_of_tag((int32_t)0xAB0007AAu, &mark));
    assert_false(interval_mark_of_tag(7, &mark));
}

static void regions_come_back(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        const struct interval_mark mark = {i < 2 ? 7 : 65535, i % 2};
        struct interval_mark found;
        char name[INTERVAL_MARK_BYTES];
        interval_mark_region(&mark, name);
        assert_true(interval_mark_of_region(name, &found));
        assert_int_equal(found.number, mark.number);
        assert_int_equal(found.begins, mark.begins);
    }
}

static void other_regions(void **state)
{
    (void)state;
    static const char *const names[] = {"",         "#",        "#7",     "#7(begin", "#7(begin) ",      "#65536(end)",
                                        "#-1(end)", "# 7(end)", "7(end)", "#(end)",   "MPI_Send(failed)"};
    struct interval_mark mark;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) assert_false(interval_mark_of_region(names[i], &mark));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags),
        cmocka_unit_test(regions_come_back),
        cmocka_unit_test(other_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
