/* JSON with key paths in every message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/json.h"

static struct json_document parsed(const char *text)
{
    struct json_document document;
    struct err err;
    if (json_parse(text, "p.json", &document, &err) != STATUS_OK) fail_msg("%s", err.text);
    return document;
}

static struct json_node at(const struct json_document *document, const char *one, const char *two)
{
    struct json_node root = json_root(document), node = json_member(&root, one);
    return two ? json_member(&node, two) : node;
}

static void values_come_with_their_types(void **state)
{
    (void)state;
    struct json_document document = parsed("{\"n\": 2.5, \"i\": 7, \"s\": \"x\", \"b\": true, \"m\": {\"value\": 3, "
                                           "\"error\": 0.1, \"n\": 9}, \"a\": [1, [2]]}");
    struct err err;
    double number;
    int64_t integer;
    const char *string;
    bool boolean;
    struct json_node node = at(&document, "n", NULL);
    assert_int_equal(json_number(&node, 0, 10, &number, &err), STATUS_OK);
    assert_true(number == 2.5);
    node = at(&document, "i", NULL);
    assert_int_equal(json_integer(&node, 0, 10, &integer, &err), STATUS_OK);
    assert_int_equal(integer, 7);
    node = at(&document, "s", NULL);
    assert_int_equal(json_string(&node, &string, &err), STATUS_OK);
    assert_string_equal(string, "x");
    node = at(&document, "b", NULL);
    assert_int_equal(json_boolean(&node, &boolean, &err), STATUS_OK);
    assert_true(boolean);
    node = at(&document, "m", NULL);
    assert_int_equal(json_number(&node, 0, 10, &number, &err), STATUS_OK); /* a measured value */
    assert_true(number == 3);
    assert_int_equal(json_object(&node, &err), STATUS_OK);
    node = at(&document, "a", NULL);
    assert_int_equal(json_array(&node, &err), STATUS_OK);
    assert_int_equal(json_count(&node), 2);
    struct json_node inner = json_element(&node, 1), deep = json_element(&inner, 0);
    assert_string_equal(deep.path, "a[1][0]");
    assert_int_equal(json_integer(&deep, 0, 10, &integer, &err), STATUS_OK);
    assert_int_equal(integer, 2);
    assert_null(json_element(&node, 2).item);
    struct json_node first = json_element(&node, 0), second = json_next(&node, &first, 1);
    assert_ptr_equal(second.item, inner.item);
    assert_string_equal(second.path, inner.path);
    assert_null(json_next(&node, &second, 2).item);
    json_close(&document);
}

static void each_fault_names_file_and_key(void **state)
{
    (void)state;
    static const char *const keys[] = {"n", "o", NULL};
    struct json_document document =
        parsed("{\"o\": {\"n\": \"x\", \"f\": 1.5, \"l\": {\"value\": \"y\"}, \"comment\": 1, \"$id\": 2}}");
    struct err err;
    double number;
    int64_t integer;
    const char *string;
    bool boolean;
    struct json_node node = at(&document, "o", "n"), object = at(&document, "o", NULL);
    assert_int_equal(json_number(&node, 0, 1, &number, &err), STATUS_DATA);
    assert_string_equal(err.text, "p.json:o.n: wrong type, expected a number (line 1)");
    json_boolean(&node, &boolean, &err);
    assert_string_equal(err.text, "p.json:o.n: wrong type, expected true or false (line 1)");
    json_object(&node, &err);
    assert_string_equal(err.text, "p.json:o.n: wrong type, expected an object (line 1)");
    json_array(&node, &err);
    assert_string_equal(err.text, "p.json:o.n: wrong type, expected an array (line 1)");
    node = at(&document, "o", "missing");
    json_string(&node, &string, &err);
    assert_string_equal(err.text, "p.json:o.missing: missing, expected a string (line 1)");
    node = at(&document, "none", "deep");
    json_number(&node, 0, 1, &number, &err);
    assert_string_equal(err.text, "p.json:none.deep: missing, expected a number (line 1)");
    node = at(&document, "o", "f");
    json_number(&node, 0, 1, &number, &err);
    assert_string_equal(err.text, "p.json:o.f: 1.5 is impossible here, expected a number from 0 to 1 (line 1)");
    json_integer(&node, 0, 10, &integer, &err);
    assert_string_equal(err.text, "p.json:o.f: 1.5 is no whole number (line 1)");
    node = at(&document, "o", "l");
    json_number(&node, 0, 1, &number, &err);
    assert_string_equal(err.text, "p.json:o.l.value: wrong type, expected a number (line 1)");
    assert_int_equal(json_known_keys(&object, keys, &err), STATUS_DATA);
    assert_string_equal(err.text, "p.json:o.f: unknown key, expected one of n, o (line 1)");
    json_error(&object, &err, "%s", "own words");
    assert_string_equal(err.text, "p.json:o: own words (line 1)");
    node = json_root(&document);
    json_error(&node, &err, "x");
    assert_string_equal(err.text, "p.json:(root): x (line 1)");
    json_close(&document);
}

static void known_keys_pass(void **state)
{
    (void)state;
    static const char *const keys[] = {"a", "b", NULL};
    struct json_document document = parsed("{\"a\": 1, \"comment b\": \"why\", \"$schema\": \"x\"}");
    struct json_node root = json_root(&document);
    struct err err;
    assert_int_equal(json_known_keys(&root, keys, &err), STATUS_OK);
    json_close(&document);
}

static void broken_text_names_the_line(void **state)
{
    (void)state;
    struct json_document document;
    struct err err;
    assert_int_equal(json_parse("{\n \"a\": 1,\n \"b\": x\n}", "p.json", &document, &err), STATUS_DATA);
    assert_memory_equal(err.text, "p.json:3: not JSON near 'x", 26);
    for (const char *const *text = (const char *const[]){"", "{\"a\": [", "[{\n", "{\"a\":", NULL}; *text; text++) {
        assert_int_equal(json_parse(*text, "p.json", &document, &err), STATUS_DATA);
        assert_non_null(strstr(err.text, ": the text ends, expected a JSON value"));
    }
    char deep[4000];
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    assert_int_equal(json_parse(deep, "p.json", &document, &err), STATUS_DATA);
    assert_string_equal(err.text, "p.json:1: nested too deeply, expected less than 1000 levels");
    assert_int_equal(json_parse("{} more", "p.json", &document, &err), STATUS_DATA);
    assert_int_equal(json_open("/nowhere/p.json", &document, &err), STATUS_DATA);
    assert_string_equal(err.text, "/nowhere/p.json: cannot be opened: No such file or directory");
}

static void a_file_is_read_whole(void **state)
{
    (void)state;
    enum { ITEMS = 50000 };
    char name[] = "/tmp/rmacast-test-XXXXXX";
    int descriptor = mkstemp(name);
    FILE *out = fdopen(descriptor, "w");
    assert_non_null(out);
    fputc('[', out);
    for (int i = 0; i < ITEMS; i++) fprintf(out, "%s%d", i ? "," : "", i);
    fputc(']', out);
    fclose(out);
    struct json_document document;
    struct err err;
    assert_int_equal(json_open(name, &document, &err), STATUS_OK);
    struct json_node root = json_root(&document);
    assert_int_equal(json_count(&root), ITEMS);
    json_close(&document);
    assert_int_equal(json_open("/tmp", &document, &err), STATUS_DATA);
    unlink(name);
}

/* The line of the key, of an element that of its value; of what is missing that of the key above. Texts of strings and keys may
 * look like structure. */
static void errors_have_the_line_of_their_key(void **state)
{
    (void)state;
    static const char text[] = "{ \"a\": \"}],{\\\"\\n\",\n"   /* 1 */
                               "  \"a.b\": 1,\n"              /* 2 */
                               "  \"n\": { \"x\": [1, 2],\n" /* 3 */
                               "         \"y\":\n"           /* 4 */
                               "           -3e5,\n"          /* 5 */
                               "         \"list\": [ [], {\n"/* 6 */
                               "           },\n"             /* 7 */
                               "           { \"x\": true } ] },\n" /* 8 */
                               "  \"last\" : null }\n";       /* 9 */
    static const struct {
        const char *path;
        int line;
    } rows[] = {{"", 1},          {"a", 1},           {"a.b", 2},     {"n", 3},          {"n.x[1]", 3},
                {"n.y", 4},       {"n.list[1]", 6},   {"n.list[2]", 8}, {"n.list[2].x", 8}, {"n.list[2].z", 8},
                {"n.list[9]", 6}, {"last", 9},        {"n.none", 3},  {"none", 1},       {"n.list[1].x", 6}};
    struct json_document document = parsed(text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct json_node node = json_root(&document);
        struct err err;
        char expected[64];
        snprintf(expected, sizeof expected, "p.json:%s: wrong (line %d)", *rows[i].path ? rows[i].path : "(root)", rows[i].line);
        strcpy(node.path, rows[i].path);
        assert_int_equal(json_error(&node, &err, "wrong"), STATUS_DATA);
        assert_string_equal(err.text, expected);
        json_cut_line(err.text);
        assert_null(strstr(err.text, "line"));
    }
    json_close(&document);
}

/* cJSON would end a string there. Behind an escaped backslash it is text. */
static void no_null_in_strings(void **state)
{
    (void)state;
    struct json_document document = parsed("{\"s\": \"a\\\\u0000\"}");
    struct json_node node = at(&document, "s", NULL);
    const char *string;
    struct err err;
    assert_int_equal(json_string(&node, &string, &err), STATUS_OK);
    assert_string_equal(string, "a\\u0000");
    json_close(&document);
    assert_int_equal(json_parse("{\n\"s\": \"a\\u0000b\"}", "p.json", &document, &err), STATUS_DATA);
    assert_string_equal(err.text, "p.json:2: a string with \\u0000, expected characters");
}

/* Of a key that stands twice the second one is named. */
static void a_key_that_stands_twice(void **state)
{
    (void)state;
    struct json_document document;
    struct err err;
    assert_int_equal(json_parse("{\n \"a\": 1,\n \"a\": 2\n}", "p.json", &document, &err), STATUS_DATA);
    assert_string_equal(err.text, "p.json:a: stands twice, expected once (line 3)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_have_the_line_of_their_key),
        cmocka_unit_test(a_key_that_stands_twice),
        cmocka_unit_test(no_null_in_strings),
        cmocka_unit_test(values_come_with_their_types),
        cmocka_unit_test(each_fault_names_file_and_key),
        cmocka_unit_test(known_keys_pass),
        cmocka_unit_test(broken_text_names_the_line),
        cmocka_unit_test(a_file_is_read_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
