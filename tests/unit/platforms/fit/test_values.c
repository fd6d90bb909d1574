/* Values of two platform files side by side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/fit/values.h"

#define M(VALUE, ERROR) "{\"value\": " #VALUE ", \"error\": " #ERROR ", \"n\": 40}"

/* The table of the differences of two platforms. */
static char *difference(const char *first, const char *second)
{
    cJSON *a = cJSON_Parse(first), *b = cJSON_Parse(second), *differences;
    struct err err;
    char *text = NULL;
    size_t bytes;
    assert_true(a && b);
    assert_int_equal(platform_differences(a, b, &differences, &err), STATUS_OK);
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(platform_print_differences(differences, out, NULL), STATUS_OK);
    fclose(out);
    cJSON_Delete(differences);
    cJSON_Delete(a);
    cJSON_Delete(b);
    return text;
}

/* 4 +- 0.4 and 5 +- 0.3: a quarter more, 1 / hypot(0.4, 0.3) = 2 errors. -4 and -5: a quarter less. Nothing is a share
 * of 0. */
static void what_differs(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second, *row;
    } rows[] = {
        {"{\"a\": 1}", "{\"a\": 1.0}", ""},
        {"{\"a\": " M(4, 0.4) "}", "{\"a\": {\"value\": 4, \"error\": 0.4, \"n\": 7}}", ""},
        {"{\"a\": " M(4, 0.4) "}", "{\"a\": " M(4, 0.3) "}", "a 4 +- 0.4 4 +- 0.3 +0.0 % 0.0 errors"},
        {"{\"a\": " M(4, 0.4) "}", "{\"a\": " M(5, 0.3) "}", "a 4 +- 0.4 5 +- 0.3 +25.0 % 2.0 errors"},
        {"{\"a\": -4}", "{\"a\": -5}", "a -4 -5 -25.0 %"},
        {"{\"a\": 0}", "{\"a\": 5}", "a 0 5"},
        {"{\"a\": {\"b\": \"x\"}}", "{\"a\": {\"b\": \"y\"}}", "a.b \"x\" \"y\""},
        {"{\"a\": [1, 2]}", "{\"a\": [1, 2, 3]}", "a[2] - 3"},
        {"{\"a\": []}", "{}", "a [] -"},
        {"{\"a\": [\"x\", \"y\"]}", "{\"a\": [\"x\"]}", "a [\"x\",\"y\"] [\"x\"]"},
        {"{\"a\": 1, \"b\": 2}", "{\"a\": 1}", "b 2 -"},
        {"{\"a\": 1, \"$note\": 2}", "{\"a\": 1, \"$note\": 3}", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = difference(rows[i].first, rows[i].second), words[256] = "";
        for (char *rest = text, *word; (word = strsep(&rest, " \n"));)
            if (*word) snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", *words ? " " : "", word);
        if (strcmp(words, rows[i].row) != 0) fail_msg("row %zu: %s", i, words);
        free(text);
    }
}

/* Of what is measured the error is a share of the value's size. */
static void what_is_measured(void **state)
{
    (void)state;
    struct err err;
    char *text = NULL;
    size_t bytes;
    cJSON *platform = cJSON_Parse("{\"a\": " M(-4, 1) ", \"b\": 3, \"c\": " M(0, 1) "}");
    for (int measured = 0; measured < 2; measured++) {
        FILE *out = open_memstream(&text, &bytes);
        assert_int_equal(platform_print_values(platform, measured, out, &err), STATUS_OK);
        fclose(out);
        assert_non_null(strstr(text, "-4 +- 1            25.0 %  n = 40\n"));
        assert_non_null(strstr(text, "0 +- 1             0.0 %  n = 40\n"));
        assert_int_equal(strstr(text, "\nb ") != NULL, !measured);
        free(text);
    }
    cJSON_Delete(platform);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_differs), cmocka_unit_test(what_is_measured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
