/* Lines of values, counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/json/json_line.h"

#define NESTED "{\n\"a\": {\n\"b\": 1,\n\"bc\": 2\n},\n\"c\": [\n{\"d\": 1},\n{\n\"d\": [5,\n6]\n}\n],\n\"e\": {}\n}\n"

static const struct {
    const char *text, *path;
    int line;
} rows[] = {
    {NESTED, "a", 2},
    {NESTED, "a.b", 3},
    {NESTED, "a.bc", 4},  /* b is the begin of another key */
    {NESTED, "a.bcd", 2}, /* and bc that of one that is not there: the key above */
    {NESTED, "a.b.c", 3}, /* a number has no members */
    {NESTED, "c", 6},
    {NESTED, "c[0].d", 7},
    {NESTED, "c[1]", 8},
    {NESTED, "c[1].d", 9},
    {NESTED, "c[1].d[0]", 9},
    {NESTED, "c[1].d[1]", 10},
    {NESTED, "c[1].d[2]", 9},
    {NESTED, "c[2]", 6},
    {NESTED, "c[1", 6}, /* no index */
    {NESTED, "e.f", 13},
    {NESTED, "f", 1},
    {NESTED, "", 1},
    {"\n\n{\n\"a\": 1}", "b", 3}, /* blanks before the object */
    {"[1,\n[2,\n3]]", "[1][1]", 3},
    /* a quote in a key and in a value, a backslash before a quote that ends a text, and brackets in a text */
    {"{\n\"q\\\"\": 1,\n\"b\": 2}", "b", 3},
    {"{\n\"a\": \"x\\\", \\\"b\\\": \",\n\"b\": 2}", "b", 3},
    {"{\n\"a\": \"x\\\\\",\n\"b\": 2}", "b", 3},
    {"{\n\"a\": \"}]{[\",\n\"b\": 2}", "b", 3},
    {"{\n\"a\": [[1, 2], {\"b\": [3]}],\n\"b\": 2}", "b", 3},
    {"{\n\"a\": -1.5e3,\n\"t\": true,\n\"n\": null ,\n\"b\": 2}", "b", 5},
    {"{\n\"a\" : 1,\n\"a\" : 2}", "a", 3}, /* the last of two */
};

static void lines_of_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int line = json_line(rows[i].text, rows[i].path);
        if (line != rows[i].line) fail_msg("row %zu, %s: line %d, expected %d", i, rows[i].path, line, rows[i].line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_of_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
