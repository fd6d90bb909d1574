/* JSON documents: the bytes are those of cJSON's own printer; a document in which an allocation failed is not written. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/json.h"
#include "common/json/json_write.h"

/* Of cJSON's allocations, counted from 1, this one fails; 0: none. */
static size_t failing, allocations;

static void *allocate(size_t bytes)
{
    if (++allocations != failing) return malloc(bytes);
    errno = ENOMEM;
    return NULL;
}

static int begin_counting(void **state)
{
    (void)state;
    cJSON_InitHooks(&(cJSON_Hooks){allocate, free});
    return 0;
}

static int end_counting(void **state)
{
    (void)state;
    cJSON_InitHooks(NULL);
    return 0;
}

static void fail_at(size_t number)
{
    failing = number;
    allocations = 0;
}

/* Every kind of value, in objects and arrays, with an item that is left out. */
static cJSON *make_document(bool with_numbers)
{
    static const double numbers[] = {0, -0.0, 1, -3, 0.1, 1e300, 1.0 / 3, 123456789012345678.0, 5e-324};
    cJSON *root = cJSON_CreateObject(), *list, *left_out = cJSON_CreateArray();
    json_add_text(root, "text", "a \"quoted\" \\ \b\f\n\r\t\x01 \xc3\xa9");
    json_add_text(root, "nothing", NULL);
    json_add_bool(root, "yes", true);
    json_add_known(root, "known", true, 2.5);
    json_add_known(root, "unknown", false, 2.5);
    json_add_object(root, "empty");
    list = json_add_array(json_add_object(root, "inner"), "list");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) json_append(list, cJSON_CreateNumber(numbers[i]));
    json_add_number(json_append_object(list), "inf", INFINITY);
    json_append(list, cJSON_CreateArray());
    json_append(left_out, cJSON_CreateNull());
    json_drop(root, left_out);
    if (with_numbers) json_add_numbers(root, "numbers", numbers, sizeof numbers / sizeof *numbers);
    json_put(root, "more", cJSON_CreateString("~"));
    return root;
}

static void bytes_are_those_of_cjson(void **state)
{
    (void)state;
    cJSON *json = make_document(false);
    char *expected[] = {cJSON_Print(json), cJSON_PrintUnformatted(json)};
    for (int layout = 0; layout < 2; layout++) {
        char *text = json_print(json, layout == 0 ? JSON_LINES : JSON_LINE);
        assert_string_equal(text, expected[layout]);
        free(text);
        free(expected[layout]);
    }
    cJSON_Delete(json);
}

/* An array of numbers in a row of memory is written as one of items. */
static void numbers_are_written_as_items(void **state)
{
    (void)state;
    const double numbers[] = {0, 1.5, NAN, -7};
    cJSON *json = cJSON_CreateObject();
    json_add_numbers(json, "a", numbers, 4);
    json_add_numbers(json, "b", numbers, 0);
    char *lines = json_print(json, JSON_LINES), *line = json_print(json, JSON_LINE);
    assert_string_equal(lines, "{\n\t\"a\":\t[0, 1.5, null, -7],\n\t\"b\":\t[]\n}");
    assert_string_equal(line, "{\"a\":[0,1.5,null,-7],\"b\":[]}");
    free(lines);
    free(line);
    json_add_numbers(json, "c", NULL, 4); /* no memory for them */
    assert_null(json_print(json, JSON_LINE));
    cJSON_Delete(json);
}

/* Each allocation fails once: no document, and nothing is written of it. Then none fails. */
static void a_failed_allocation_is_not_lost(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        char *text = NULL;
        size_t size;
        struct err err = {.text = ""};
        FILE *out = open_memstream(&text, &size);
        fail_at(n);
        cJSON *json = make_document(true);
        bool failed = allocations >= n;
        fail_at(0);
        assert_int_equal(json_write(json, JSON_LINES, out, &err), failed ? STATUS_SYSTEM : STATUS_OK);
        assert_int_equal(fclose(out), 0);
        assert_int_equal(size > 0, !failed);
        if (failed) assert_string_equal(err.text, "out of memory");
        cJSON_Delete(json);
        free(text);
        if (!failed) {
            assert_int_equal(n, 39); /* 25 items, 11 keys and 2 texts, and one more */
            return;
        }
    }
}

/* cJSON says of no failed parse whether it lacked memory: the second one is the answer. */
static void a_failed_parse_is_no_syntax_error(void **state)
{
    (void)state;
    static const char text[] = "{\"a\": [1, \"b\", {\"c\": true}], \"d\": null}";
    for (size_t n = 1;; n++) {
        struct json_document document;
        struct err err = {.text = ""};
        fail_at(n);
        if (json_parse(text, "t.json", &document, &err) != STATUS_OK) fail_msg("allocation %zu: %s", n, err.text);
        const bool failed = allocations >= n;
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(document.root, "d")));
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(document.root, "a")), 3);
        json_close(&document);
        if (failed) continue;
        assert_true(n > 11); /* 7 items, 3 keys, 1 text */
        break;
    }
    struct json_document document;
    struct err err;
    fail_at(0);
    errno = ENOMEM; /* of something before */
    assert_int_equal(json_parse("{\"a\": x}", "t.json", &document, &err), STATUS_DATA);
    assert_string_equal(err.text, "t.json:1: not JSON near 'x}', expected a JSON value");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_those_of_cjson),
        cmocka_unit_test(numbers_are_written_as_items),
        cmocka_unit_test(a_failed_allocation_is_not_lost),
        cmocka_unit_test(a_failed_parse_is_no_syntax_error),
    };
    return cmocka_run_group_tests(tests, begin_counting, end_counting);
}
