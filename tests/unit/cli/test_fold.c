#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/terminal/fold.h"

static void lines_fit(void **state)
{
    /* of 20 columns; what is folded goes on 4 columns further in than the line */
    static const struct {
        const char *text, *expected;
        bool colored;
    } rows[] = {
        {"", "", false},
        {"short\n\nlast", "short\n\nlast", false},
        {"exactly 20 columns w\n", "exactly 20 columns w\n", false},
        {"spaces at the end               \n", "spaces at the end\n", false},
        {"name          1.5 ms\n", "name          1.5 ms\n", false},
        {"a row      of    columns that\n", "a row      of\n    columns that\n", false},
        {"  in further and longer\n", "  in further and\n      longer\n", false},
        /* of 26 characters 16 have room behind the 4 spaces: 13 and three dots, a third of them at the begin */
        {"at abcdefghijklmnopqrstuvwxyz\n", "at\n    abcd...rstuvwxyz\n", false},
        {"abcdefghijklmnopqrstuvwxyz\n", "abcde...opqrstuvwxyz\n", false},
        /* a character of two bytes takes one column, and is not cut in two */
        {"\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244 56789012 0\n",
         "\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244 56789012\n    0\n", false},
        {"\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244"
         "\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\n",
         "\303\244\303\244\303\244\303\244\303\244...\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244"
         "\303\244\303\244\303\244\n", false},
        {"  advice: move\nWarning: no advice:\n",
         "  \033[1madvice:\033[0m move\n\033[33mWarning:\033[0m no advice:\n", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        fold_write(rows[i].text, 20, rows[i].colored, out);
        fclose(out);
        assert_string_equal(text, rows[i].expected);
        free(text);
    }
}

static void wide_lines_stay(void **state)
{
    static const char line[] = "a line that is longer than any terminal of eighty columns, since it has more of them  \n";
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    assert_non_null(out);
    fold_write(line, 0, false, out);
    fclose(out);
    /* whole, without the two spaces at its end */
    assert_int_equal(size, strlen(line) - 2);
    assert_memory_equal(text, line, strlen(line) - 3);
    assert_int_equal(text[size - 1], '\n');
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_fit), cmocka_unit_test(wide_lines_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
