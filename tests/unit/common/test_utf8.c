/* Characters of RFC 3629 and its section 4: at each limit of a length the last one that is none and the first one that is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/text/utf8.h"

static void lengths_are_those_of_the_rfc(void **state)
{
    (void)state;
    assert_int_equal(utf8_length(""), 1);
    assert_int_equal(utf8_length("\x7f"), 1);
    assert_int_equal(utf8_length("\xc2\x80"), 2);
    assert_int_equal(utf8_length("\xe0\xa0\x80"), 3);
    assert_int_equal(utf8_length("\xed\x9f\xbf"), 3);
    assert_int_equal(utf8_length("\xee\x80\x80"), 3);
    assert_int_equal(utf8_length("\xf0\x90\x80\x80"), 4);
    assert_int_equal(utf8_length("\xf4\x8f\xbf\xbf"), 4);
}

static void other_bytes_are_no_character(void **state)
{
    (void)state;
    assert_int_equal(utf8_length("\x80"), 0);
    assert_int_equal(utf8_length("\xc1\xbf"), 0);         /* overlong */
    assert_int_equal(utf8_length("\xe0\x9f\xbf"), 0);     /* overlong */
    assert_int_equal(utf8_length("\xed\xa0\x80"), 0);     /* half of a surrogate pair */
    assert_int_equal(utf8_length("\xed\xbf\xbf"), 0);
    assert_int_equal(utf8_length("\xf0\x8f\xbf\xbf"), 0); /* overlong */
    assert_int_equal(utf8_length("\xf4\x90\x80\x80"), 0); /* U+110000 */
    assert_int_equal(utf8_length("\xf8\x88\x80\x80\x80"), 0);
    assert_int_equal(utf8_length("\xe2\x82"), 0); /* cut off */
}

/* Unicode 15, categories Cc, Cf, Zl and Zp: the first and the last of each run, and their neighbours. */
static void visible_is_what_changes_nothing(void **state)
{
    static const char *const hidden[] = {"",
                                         "\x1f",
                                         "\x7f",
                                         "\xc2\x80",
                                         "\xc2\x9f",
                                         "\xc2\xad",
                                         "\xd8\x9c",
                                         "\xe2\x80\x8b",
                                         "\xe2\x80\x8f",
                                         "\xe2\x80\xa8",
                                         "\xe2\x80\xae",
                                         "\xe2\x81\xa0",
                                         "\xe2\x81\xaf",
                                         "\xef\xbb\xbf",
                                         "\xef\xbf\xbe",
                                         "\xf3\xa0\x80\x81",
                                         "\xf4\x8f\xbf\xbf",
                                         "\xff",
                                         "\xc2"};
    static const char *const visible[] = {" ",
                                          "~",
                                          "\xc2\xa0",
                                          "\xc2\xac",
                                          "\xc2\xae",
                                          "\xe2\x80\x8a",
                                          "\xe2\x80\x90",
                                          "\xe2\x80\xa7",
                                          "\xe2\x80\xaf",
                                          "\xe2\x81\xb0",
                                          "\xef\xbf\xbd",
                                          "\xf0\x9f\x98\x80"};
    (void)state;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) assert_int_equal(utf8_visible(hidden[i]), 0);
    for (size_t i = 0; i < sizeof visible / sizeof *visible; i++) assert_int_equal(utf8_visible(visible[i]), strlen(visible[i]));
}

static void a_terminal_obeys_nothing_that_is_left(void **state)
{
    (void)state;
    char text[] = "a\tb\n\033[31mred\a\x7f \xc2\x9b" "2J \xc2\xb5 \xc3\x9f \xc2"; /* a micro sign and a sharp s stay */
    utf8_make_plain(text);
    assert_string_equal(text, "a?b??[31mred?? ??2J \xc2\xb5 \xc3\x9f ?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_are_those_of_the_rfc),
        cmocka_unit_test(other_bytes_are_no_character),
        cmocka_unit_test(visible_is_what_changes_nothing),
        cmocka_unit_test(a_terminal_obeys_nothing_that_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
