/* Quantities as people write them. All values are exact or follow from the definition of the unit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/units.h"

static void seconds_and_picoseconds(void **state)
{
    (void)state;
    assert_int_equal(units_ps(1), UNITS_PS_PER_S);
    assert_int_equal(units_ps(-1.5e-12), -2); /* halves go away from zero */
    assert_int_equal(units_ps(0.4e-12), 0);
    assert_int_equal(units_ps(410e-6), 410000000);
    /* 2^63 ps are one too many, and -2^63 are not */
    assert_true(units_ps(0x1p63 / 1e12) == INT64_MAX && units_ps(-0x1p63 / 1e12) == INT64_MIN);
    assert_true(units_ps(1e300) == INT64_MAX && units_ps(-1e300) == INT64_MIN);
    assert_true(units_ps(9e6) == 9000000 * UNITS_PS_PER_S);
    assert_true(units_s(UNITS_PS_PER_S / 4) == 0.25);
    assert_true(units_s(-1) == -1e-12);
}

static void durations(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double seconds;
    } right[] = {{"0", 0},          {"0.000123", 0.000123}, {"10us", 10e-6}, {"1.5ms", 1.5e-3}, {"2s", 2},
                 {"300ns", 300e-9}, {"5ps", 5e-12},         {"1e-6", 1e-6},  {"2min", 120}};
    static const char *const wrong[] = {"", "us", "-1us", "10 us", "10u", "10us ", "x", "nan", "inf", "1h", "--"};
    double seconds = 7;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        assert_true(units_parse_duration(right[i].text, &seconds));
        assert_true(fabs(seconds - right[i].seconds) <= 1e-15 * right[i].seconds);
    }
    seconds = 7;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_false(units_parse_duration(wrong[i], &seconds));
    assert_true(seconds == 7);
}

static void rates_sizes_fractions(void **state)
{
    (void)state;
    double value;
    int64_t bytes;
    assert_true(units_parse_rate("12.5GB/s", &value) && value == 12.5e9);
    assert_true(units_parse_rate("100MB/s", &value) && value == 100e6);
    assert_true(units_parse_rate("1e9", &value) && value == 1e9);
    assert_true(units_parse_rate("10Gbit/s", &value) && value == 1.25e9);
    assert_false(units_parse_rate("10GB", &value));
    assert_true(units_parse_size("64K", &bytes) && bytes == 65536);
    assert_true(units_parse_size("1M", &bytes) && bytes == 1048576);
    assert_true(units_parse_size("2G", &bytes) && bytes == INT64_C(2147483648));
    assert_true(units_parse_size("4096", &bytes) && bytes == 4096);
    assert_true(units_parse_size("0.5K", &bytes) && bytes == 512);
    assert_false(units_parse_size("0.3", &bytes)); /* no whole byte */
    assert_false(units_parse_size("64KB", &bytes));
    assert_false(units_parse_size("-1", &bytes));
    assert_false(units_parse_size("1e30", &bytes));
    assert_true(units_parse_fraction("5%", &value) && fabs(value - 0.05) < 1e-17);
    assert_true(units_parse_fraction("0.05", &value) && value == 0.05);
    assert_false(units_parse_fraction("5 %", &value));
}

static void decimal_seconds_are_read_exactly(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ps;
        size_t length; /* of the number; the rest is left */
    } right[] = {
        {"0", 0, 1},
        {"0.010001", INT64_C(10001000000), 8},
        {"1.000000000001", INT64_C(1000000000001), 14},
        {"0.0000000000004", 0, 15},
        {"0.0000000000005", 1, 15},
        {"0.9999999999995", INT64_C(1000000000000), 15},
        {"0.00000000000149", 1, 16},
        {"-2.5", INT64_C(-2500000000000), 4},
        {".5", INT64_C(500000000000), 2},
        {"3.", INT64_C(3000000000000), 2},
        {"1e-6", 1000000, 4},
        {"2.5E-3x", INT64_C(2500000000), 6},
        {"12 MPI_Init", INT64_C(12000000000000), 2},
        {"8999999.999999999999", INT64_C(8999999999999999999), 20}, /* a double has no such digits */
        {"123456.123456789012", INT64_C(123456123456789012), 19},
    };
    static const char *const wrong[] = {"",     "-",     ".", "x", "-.", "9000001", "99999999999999999999",
                                        "1e30", "-1e99", "e5"};
    const char *end;
    int64_t ps;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        assert_true(units_parse_ps(right[i].text, &end, &ps));
        assert_int_equal(ps, right[i].ps);
        assert_int_equal(end - right[i].text, right[i].length);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_false(units_parse_ps(wrong[i], &end, &ps));
}

static void picoseconds_are_written_exactly(void **state)
{
    (void)state;
    static const struct {
        int64_t ps;
        const char *text;
    } rows[] = {{0, "0.000000"},
                {INT64_C(10001000000), "0.010001"},
                {123, "0.000000000123"},
                {INT64_C(1500000000000), "1.500000"},
                {-1, "-0.000000000001"},
                {INT64_C(100000), "0.0000001"},
                {INT64_C(8999999999999999999), "8999999.999999999999"}};
    char buffer[UNITS_TEXT_BYTES];
    const char *end;
    int64_t ps;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(units_format_ps(rows[i].ps, buffer), rows[i].text);
        assert_true(units_parse_ps(buffer, &end, &ps));
        assert_int_equal(ps, rows[i].ps);
    }
    assert_true(strlen(units_format_ps(INT64_MIN, buffer)) < UNITS_TEXT_BYTES);
}

static void tables_show_a_unit(void **state)
{
    (void)state;
    char buffer[UNITS_TEXT_BYTES];
    assert_string_equal(units_format_duration(0, buffer), "0");
    assert_string_equal(units_format_duration(410e-6, buffer), "410 us");
    assert_string_equal(units_format_duration(1.25, buffer), "1.25 s");
    assert_string_equal(units_format_duration(-2e-3, buffer), "-2 ms");
    assert_string_equal(units_format_duration(3e-12, buffer), "3 ps");
    assert_string_equal(units_format_duration(1, buffer), "1 s"); /* exactly one is shown as one */
    assert_string_equal(units_format_duration(1e-3, buffer), "1 ms");
    assert_string_equal(units_format_duration(1e-12, buffer), "1 ps");
    assert_string_equal(units_format_duration(-1e-9, buffer), "-1 ns");
    assert_string_equal(units_format_duration(0.5e-12, buffer), "0.5 ps");
    assert_string_equal(units_format_rate(1e9, buffer), "1 GB/s");
    assert_string_equal(units_format_bytes(1000, buffer), "1 kB");
    assert_string_equal(units_format_rate(9.5e9, buffer), "9.5 GB/s");
    assert_string_equal(units_format_bytes(1048576, buffer), "1.049 MB");
    assert_string_equal(units_format_bytes(8, buffer), "8 B");
}

static void one_has_no_plural(void **state)
{
    (void)state;
    assert_string_equal(units_plural(0), "s");
    assert_string_equal(units_plural(1), "");
    assert_string_equal(units_plural(2), "s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seconds_and_picoseconds),         cmocka_unit_test(durations),
        cmocka_unit_test(rates_sizes_fractions),           cmocka_unit_test(decimal_seconds_are_read_exactly),
        cmocka_unit_test(picoseconds_are_written_exactly), cmocka_unit_test(tables_show_a_unit),
        cmocka_unit_test(one_has_no_plural),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
