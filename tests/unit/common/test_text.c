/* Lines that people read, and fields of other formats, with names as an attacker would choose them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/csv.h"
#include "common/json/json_write.h"
#include "common/text/json_text.h"
#include "common/text/text.h"

#define OVERRIDE "\xe2\x80\xae" /* U+202E, the text behind it runs to the left */

static char *written;
static size_t size;

static FILE *begin(void)
{
    FILE *out = open_memstream(&written, &size);
    assert_non_null(out);
    return out;
}

static void expect(FILE *out, const char *expected)
{
    assert_int_equal(fclose(out), 0);
    assert_string_equal(written, expected);
    free(written);
}

static void a_line_ends_where_the_format_says_so(void **state)
{
    (void)state;
    FILE *out = begin();
    text_print(out, "%-4s|%d\n%s on %s\n", "a\nb", 7, "\tc\r", "d\033[31m");
    expect(out, "a?b |7\n?c? on d?[31m\n");
}

/* The first control character takes the place of the format's newline until the names are plain. */
static void names_with_all_controls_end_no_line(void **state)
{
    char name[32];
    (void)state;
    for (int i = 0; i < 31; i++) name[i] = (char)(i + 1);
    name[31] = '\0';
    FILE *out = begin();
    text_print(out, "%s\n", "a\001b\002c");
    text_print(out, "%s\n", name);
    expect(out, "a?b?c\n????????????????????????????????");
}

static void what_is_not_visible_is_shown_as_a_question_mark(void **state)
{
    (void)state;
    FILE *out = begin();
    text_print(out, "%s\n", OVERRIDE "x\xe2\x80\x8by\xc2\x9bz\xe2\x81\xa6\xd8\x9c\xef\xbb\xbf\xff \xc3\xa4\xe2\x82\xac");
    expect(out, "???x???y??z????????? \xc3\xa4\xe2\x82\xac\n");
}

static void a_text_that_is_cut_says_so(void **state)
{
    char *name = malloc(40001);
    (void)state;
    assert_non_null(name);
    memset(name, 'x', 40000);
    name[40000] = '\0';
    FILE *out = begin();
    text_print(out, "%s\n", name);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(size, 16383 + 4);
    assert_string_equal(written + 16380, "xxx...\n");
    free(written);
    free(name);
}

static void xml_is_xml(void **state)
{
    (void)state;
    FILE *out = begin();
    text_write_xml(out, "<a b=\"c\" d='e'>&\001\xff\xef\xbf\xbf\xc3\xa4\n");
    expect(out, "&lt;a b=&quot;c&quot; d=&apos;e&apos;&gt;&amp;?????\xc3\xa4?");
}

static void a_field_is_one_field(void **state)
{
    (void)state;
    FILE *out = begin();
    csv_write_text(out, "enter ", "plain\xff" OVERRIDE);
    fputc(';', out);
    csv_write_text(out, "", "a,\"b\"\nc\001");
    fputc(';', out);
    csv_write_text(out, "", NULL);
    fputc(';', out);
    csv_write_quoted(out, "", NULL);
    expect(out, "enter plain????;\"a,\"\"b\"\"\nc?\";;\"\"");
}

/* U+202E and U+E0001 (a pair of surrogates: 0xe0001 - 0x10000 = 0xd0001: 0xd800 + 0x340, 0xdc00 + 1) are escaped, a byte that is
 * no UTF-8 is replaced, a number that is none is null. */
static void json_is_valid_and_keeps_characters(void **state)
{
    (void)state;
    cJSON *tree = cJSON_CreateObject();
    cJSON_AddStringToObject(tree, "na\xffme", "a\n\"\xff" OVERRIDE "\xf3\xa0\x80\x81\x7f\xc3\xa4");
    cJSON_AddNumberToObject(tree, "n", (double)NAN);
    cJSON_AddNumberToObject(tree, "i", (double)INFINITY);
    char *text = json_print(tree, JSON_LINE);
    assert_string_equal(text, "{\"na\\ufffdme\":\"a\\n\\\"\\ufffd\\u202e\\udb40\\udc01\\u007f\xc3\xa4\",\"n\":null,\"i\":null}");
    cJSON *again = cJSON_Parse(text);
    assert_string_equal(cJSON_GetObjectItem(again, "na\xef\xbf\xbdme")->valuestring,
                        "a\n\"\xef\xbf\xbd" OVERRIDE "\xf3\xa0\x80\x81\x7f\xc3\xa4");
    cJSON_Delete(again);
    free(text);
    text = json_print(tree, JSON_LINES);
    assert_int_equal(text[1], '\n');
    free(text);
    cJSON_Delete(tree);
}

static void a_page_gets_names_only(void **state)
{
    (void)state;
    char name[600];
    FILE *out = begin();
    json_text_write(out, "</script>&\"\\\n" OVERRIDE "\xff");
    json_text_copy(out, "{\"a\\n\":\"\\u202e<\\\"b\\\\u\"}");
    expect(out, "\"\\u003c/script\\u003e\\u0026\\u0022\\u005c\\u000a\\u202e\\ufffd\""
                "{\"a\\n\":\"\\u202e\\u003c\\\"b\\\\u\"}");
    for (size_t length = 499; length <= 501; length++) { /* 500 bytes are whole */
        memset(name, 'x', length);
        name[length] = '\0';
        out = begin();
        json_text_write(out, name);
        assert_int_equal(fclose(out), 0);
        assert_int_equal(size, length == 501 ? 500 + 5 : length + 2);
        free(written);
    }
    memset(name, 'x', sizeof name);
    memcpy(name + 499, "\xc3\xa4y", 4); /* the 500th and 501st byte are one character */
    out = begin();
    json_text_write(out, name);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(size, 501 + 5);
    assert_string_equal(written + 499, "x\xc3\xa4...\"");
    free(written);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_ends_where_the_format_says_so),
        cmocka_unit_test(names_with_all_controls_end_no_line),
        cmocka_unit_test(what_is_not_visible_is_shown_as_a_question_mark),
        cmocka_unit_test(a_text_that_is_cut_says_so),
        cmocka_unit_test(xml_is_xml),
        cmocka_unit_test(a_field_is_one_field),
        cmocka_unit_test(json_is_valid_and_keeps_characters),
        cmocka_unit_test(a_page_gets_names_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
