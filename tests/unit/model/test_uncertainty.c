/* Errors of predicted times: sums of known parts, and what of two runs cancels in their difference. */
#include "common/json/json_write.h"
#include "model/result/result_fields.h"
#include "model_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "model/result/uncertainty.h"

#define assert_s(found, expected) assert_true(fabs((found) - (expected)) < 1e-12)

static const double exact_s[ERROR_SOURCES] = {0};

/* 10 s inside MPI. The shares are those of docs/trust.md. */
static void runs(void **state)
{
    (void)state;
    struct uncertainty run = uncertainty_of_run(0.5, exact_s, CLASS_UNDRAWN, 10);
    assert_int_equal(run.class, CLASS_UNDRAWN);
    assert_true(isnan(run.part_s[PART_RACES]));
    assert_s(uncertainty_total_s(&run), 0.5 + 0 + 1); /* 10 % */
    uncertainty_draw(&run, 99, 101, 100); /* a range of just 2 % */
    assert_int_equal(run.class, CLASS_STEADY);
    assert_s(uncertainty_total_s(&run), 0.5 + 1 + 0.5); /* half of the range, 5 % */
    uncertainty_draw(&run, 99, 101.1, 100);
    assert_int_equal(run.class, CLASS_RACING);
    assert_s(uncertainty_total_s(&run), 0.5 + 1.05 + 1); /* 10 % */
    run = uncertainty_of_run(NAN, NULL, CLASS_STEERED, 10);
    assert_int_equal(run.class, CLASS_STEERED);
    assert_s(uncertainty_total_s(&run), 3); /* 30 %: nothing else is known */
    uncertainty_draw(&run, 100, 100, 100);
    assert_int_equal(run.class, CLASS_STEERED); /* draws do not make other calls */
    assert_s(uncertainty_total_s(&run), 3);
    run = (struct uncertainty){.known = false};
    uncertainty_draw(&run, 1, 2, 1);
    assert_true(isnan(uncertainty_total_s(&run)));
}

/* Recordings differ independently: 3-4-5. The model's share is of the longer time inside MPI, by the worse class. */
static void differences(void **state)
{
    (void)state;
    struct uncertainty a = uncertainty_of_run(3, exact_s, CLASS_UNDRAWN, 10);
    struct uncertainty b = uncertainty_of_run(4, exact_s, CLASS_UNDRAWN, 20);
    struct uncertainty made = uncertainty_of_difference(&a, &b);
    assert_s(uncertainty_total_s(&made), 5 + 0 + 1); /* 5 % of 20 */
    assert_false(uncertainty_tells(&made, 6) || uncertainty_tells(&made, -6));
    assert_true(uncertainty_tells(&made, 6.01) && uncertainty_tells(&made, -6.01));
    uncertainty_draw(&a, 100, 100, 100);
    uncertainty_draw(&b, 97, 103, 100); /* races: half of 6 */
    made = uncertainty_of_difference(&b, &a);
    assert_s(uncertainty_total_s(&made), 5 + 3 + 2); /* 10 % of 20 */
    b = uncertainty_of_run(NAN, NULL, CLASS_UNDRAWN, 20);
    made = uncertainty_of_difference(&a, &b);
    assert_true(isnan(made.part_s[PART_RECORDING]) && isnan(made.part_s[PART_RACES]) && isnan(made.part_s[PART_PLATFORM]));
    a.known = false;
    made = uncertainty_of_difference(&a, &b);
    assert_true(isnan(uncertainty_total_s(&made)));
    assert_true(uncertainty_tells(&made, 1e-12) && !uncertainty_tells(&made, 0));
}

/* Sources are independent: 3-4-5. The sources of a difference are the differences of the sources: latency 3 - 1, rate 4 - 4. One
 * that a row does not state leaves the others. */
static void sources(void **state)
{
    (void)state;
    const double a_s[ERROR_SOURCES] = {[ERROR_LATENCY] = 3, [ERROR_RATE] = 4, [ERROR_NODES] = NAN};
    const double b_s[ERROR_SOURCES] = {[ERROR_LATENCY] = 1, [ERROR_RATE] = 4, [ERROR_NODES] = NAN};
    struct uncertainty a = uncertainty_of_run(0, a_s, CLASS_UNDRAWN, 0), b = uncertainty_of_run(0, b_s, CLASS_UNDRAWN, 0);
    assert_s(a.part_s[PART_PLATFORM], 5);
    struct uncertainty made = uncertainty_of_difference(&a, &b);
    assert_s(made.part_s[PART_PLATFORM], 2);
}

static void texts(void **state)
{
    (void)state;
    char text[UNCERTAINTY_TEXT_BYTES];
    struct uncertainty run = uncertainty_of_run(0.5, NULL, CLASS_UNDRAWN, 10);
    assert_string_equal(uncertainty_text(&run, text), "1.5 s (recording 500 ms, model 1 s; unknown: races, platform)");
    uncertainty_draw(&run, 100, 100, 100);
    run.part_s[PART_PLATFORM] = 0;
    assert_string_equal(uncertainty_text(&run, text), "1 s (recording 500 ms, model 500 ms)");
    run = (struct uncertainty){.known = true, .part_s = {NAN, NAN, NAN, NAN}};
    assert_string_equal(uncertainty_text(&run, text), "unknown (unknown: recording, races, platform, model)");
}

/* What is written is read again. */
static void json(void **state)
{
    (void)state;
    struct uncertainty run = uncertainty_of_run(0.5, NULL, CLASS_STEERED, 10), read;
    struct json_document document;
    struct err err;
    cJSON *object = cJSON_CreateObject();
    fields_write(uncertainty_fields, &run, 0, object);
    assert_s(cJSON_GetObjectItem(object, "error_s")->valuedouble, 3.5);
    const cJSON *parts = cJSON_GetObjectItem(object, "error_parts");
    assert_s(cJSON_GetObjectItem(parts, "recording")->valuedouble, 0.5);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(parts, "races")) && cJSON_IsNull(cJSON_GetObjectItem(parts, "platform")));
    assert_s(cJSON_GetObjectItem(parts, "model")->valuedouble, 3);
    char *printed = json_print(object, JSON_LINE);
    assert_int_equal(json_parse(printed, "made", &document, &err), STATUS_OK);
    struct json_node root = json_root(&document);
    read = (struct uncertainty){.known = false};
    assert_int_equal(fields_read(uncertainty_fields, &root, 0, &read, &err), STATUS_OK);
    assert_true(read.known && read.class == CLASS_STEERED);
    for (int i = 0; i < UNCERTAINTY_PARTS; i++)
        assert_true(read.part_s[i] == run.part_s[i] || (isnan(read.part_s[i]) && isnan(run.part_s[i])));
    json_close(&document);
    char *class = strstr(printed, "steered");
    memcpy(class, "soaring", strlen("soaring"));
    assert_int_equal(json_parse(printed, "made", &document, &err), STATUS_OK);
    root = json_root(&document);
    assert_int_equal(fields_read(uncertainty_fields, &root, 0, &read, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "error_class"));
    json_close(&document);
    free(printed);
    cJSON_Delete(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs), cmocka_unit_test(differences), cmocka_unit_test(sources),
                                       cmocka_unit_test(texts), cmocka_unit_test(json)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
