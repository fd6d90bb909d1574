/* Values of attributes behind their names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/xml_attribute.h"

static const struct {
    const char *behind, *value; /* NULL: none */
} rows[] = {
    {"=\"v\">", "v\">"}, {"='v'>", "v'>"},  {" \t\r\n= \t\r\n'v'", "v'"}, {"=\"\"", "\""},
    {"=v", NULL},        {"\"v\"", NULL},   {" v=\"w\"", NULL},           {"=", NULL},
    {"", NULL},          {"==\"v\"", NULL},
};

static void values_behind_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *value = xml_attribute_value(rows[i].behind);
        if (!rows[i].value)
            assert_null(value);
        else
            assert_string_equal(value, rows[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_behind_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
