/* Rows of members: what they write, read back, refuse, free, and say in a schema. The texts follow from the rows by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/json/field_rows.h"
#include "common/json/json_write.h"

enum color { RED, GREEN, COLORS };

struct part {
    double worth_s;
    char *note; /* NULL: unknown */
};

struct thing {
    double length, level; /* level: any sign */
    uint64_t bytes;
    int64_t left; /* -1: unknown */
    uint32_t ranks;
    int32_t line; /* 0: unknown */
    bool open, strong;
    char *name;
    const char *word;
    char label[8];
    enum color color;
    double *times;
    char **notes;
    size_t note_count;
    cJSON *tree;
    struct part part, inner;
    bool has_inner;
    struct part *items;
    size_t item_count;
    double by_color[COLORS];
    struct part table[COLORS];
};

static const char *name_color(int color)
{
    static const char *const names[] = {"red", "green"};
    return names[color];
}

static const char *name_strong(int strong)
{
    return strong ? "strong" : "weak";
}

static bool is_worth(const void *part)
{
    return ((const struct part *)part)->worth_s > 0;
}

#define S struct part
static const struct field part_fields[] = {SAME(worth_s), SAME(note, IF_THERE), {0}};
#undef S
#define S struct thing
static const struct field same_fields[] = {FIELD("again", bytes, UNREAD), {0}};
static const struct field thing_fields[] = {SCHEMA("thing/1"),
                                            SAME(length, .most = 10),
                                            SAME(level, SIGNED, IF_FINITE),
                                            SAME(bytes),
                                            SAME(left, IF_NOT_NEGATIVE),
                                            SAME(ranks, BELOW),
                                            SAME(line, IF_POSITIVE, LEFT_OUT),
                                            SAME(open, OPTIONAL),
                                            FIELD("kind", strong, .name = name_strong, UNREAD),
                                            SAME(name),
                                            FIELD("word", word, .name = name_color, .count = COLORS),
                                            SAME(label),
                                            NAME_OF("color", color, name_color, COLORS),
                                            SAME(times),
                                            TEXTS("notes", notes, note_count),
                                            SAME(tree, IF_THERE),
                                            OBJECT("part", part, part_fields),
                                            PART("same", same_fields),
                                            INLINE("worth_s", inner, part_fields, IF_FLAG(has_inner), LEFT_OUT),
                                            ARRAY("items", items, item_count, part_fields),
                                            NAMED("by_color", by_color, name_color),
                                            TABLE("table", table, name_color, part_fields, .known = is_worth),
                                            {0}};
#undef S

enum { MANY = 2 };

/* What fill_thing() is. "left" is -1, "line" 0, by_color[RED] NAN and the first of the table not worth writing. */
#define HEAD "{\"schema\":\"thing/1\",\"length\":1.5,"
#define REST                                                                                                                 \
    "\"level\":-2,\"bytes\":7,\"left\":null,\"ranks\":1,\"open\":true,\"kind\":\"weak\",\"name\":\"n, \\\"m\\\"\","           \
    "\"word\":\"green\",\"label\":\"abc\",\"color\":\"green\",\"times\":[0.5,0.25],\"notes\":[\"one\",\"two\"],"             \
    "\"tree\":{\"free\":[1]},\"part\":{\"worth_s\":3,\"note\":null},\"same\":{\"again\":7},\"worth_s\":4,\"note\":\"in\","    \
    "\"items\":[{\"worth_s\":5,\"note\":\"first\"},{\"worth_s\":6,\"note\":null}],"                                          \
    "\"by_color\":{\"red\":null,\"green\":8},\"table\":[{\"name\":\"green\",\"worth_s\":9,\"note\":null}]}"

static void fill_thing(struct thing *thing)
{
    *thing = (struct thing){.length = 1.5, .level = -2, .bytes = 7, .left = -1, .ranks = 1, .open = true, .word = "green",
                            .label = "abc", .color = GREEN, .note_count = 2, .part = {3, NULL}, .inner = {4, strdup("in")},
                            .has_inner = true, .item_count = 2, .by_color = {NAN, 8}, .table = {{0, NULL}, {9, NULL}}};
    thing->name = strdup("n, \"m\"");
    thing->times = calloc(MANY, sizeof *thing->times);
    thing->times[0] = 0.5;
    thing->times[1] = 0.25;
    thing->notes = calloc(2, sizeof *thing->notes);
    thing->notes[0] = strdup("one");
    thing->notes[1] = strdup("two");
    thing->tree = cJSON_Parse("{\"free\":[1]}");
    thing->items = calloc(2, sizeof *thing->items);
    thing->items[0] = (struct part){5, strdup("first")};
    thing->items[1] = (struct part){6, NULL};
}

static void expect_written(const struct field *rows, const void *item, const char *expected)
{
    cJSON *json;
    assert_int_equal(fields_to_json(rows, item, MANY, &json, NULL), STATUS_OK);
    char *text = json_print(json, JSON_LINE);
    assert_string_equal(text, expected);
    free(text);
    cJSON_Delete(json);
}

static enum status read_thing(const char *text, struct thing *thing, struct err *err)
{
    struct json_document document;
    assert_int_equal(json_parse(text, "file", &document, err), STATUS_OK);
    const struct json_node root = json_root(&document);
    *thing = (struct thing){.left = 1};
    enum status status = fields_read(thing_fields, &root, MANY, thing, err);
    json_close(&document);
    return status;
}

/* The whole is written, read back and written again. The sanitizers see what is not freed, or twice. */
static void test_write_read_clear(void **state)
{
    struct thing thing, again;
    struct err err;
    (void)state;
    fill_thing(&thing);
    expect_written(thing_fields, &thing, HEAD REST);
    fields_clear(thing_fields, &thing);
    assert_null(thing.name);
    assert_int_equal(read_thing(HEAD REST, &again, &err), STATUS_OK);
    assert_int_equal(again.left, -1);
    assert_true(isnan(again.by_color[RED]));
    assert_true(again.has_inner);
    expect_written(thing_fields, &again, HEAD REST);
    fields_clear(thing_fields, &again);
    fields_clear(thing_fields, &again); /* legal again */
}

/* What is replaced in the whole text, and the error; "" where it is still read. */
static const struct {
    const char *from, *to, *error;
} changes[] = {
    {"\"length\":1.5", "\"length\":11", "file:length: 11 is impossible here, expected a number from 0 to 10"},
    {"\"length\":1.5,", "", "file:length: missing, expected a number"},
    {"\"level\":-2", "\"level\":null", ""},
    {"\"bytes\":7,\"left\"", "\"bytes\":-7,\"left\"", "file:bytes: "},
    {"\"ranks\":1", "\"ranks\":2", "file:ranks: "}, /* as many as MANY */
    {"\"open\":true,", "", ""},
    {"\"open\":true", "\"open\":1", "file:open: "},
    {"\"word\":\"green\"", "\"word\":\"blue\"", "file:word: \"blue\" is unknown, expected red or green"},
    {"\"color\":\"green\"", "\"color\":3", "file:color: "},
    {"[0.5,0.25]", "[0.5]", "file:times: 1 numbers, expected one for each of the 2 ranks"},
    {"[\"one\",\"two\"]", "[\"one\",2]", "file:notes[1]: "},
    {"\"worth_s\":6", "\"worth_s\":-6", "file:items[1].worth_s: "},
    {"\"name\":\"green\",\"worth_s\":9", "\"name\":\"blue\",\"worth_s\":9", "file:table[0].name: "},
    {"\"by_color\":{\"red\":null", "\"by_color\":{\"red\":\"x\"", "file:by_color.red: "},
    {"\"worth_s\":4,\"note\":\"in\",", "", ""},
    {"\"schema\":\"thing/1\"", "\"more\":{}", ""}, /* keys without a row */
};

static void test_read_changed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const char *at = strstr(HEAD REST, changes[i].from);
        char text[2000];
        struct thing thing;
        struct err err = {.status = STATUS_OK};
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - (HEAD REST)), HEAD REST, changes[i].to, at + strlen(changes[i].from));
        enum status status = read_thing(text, &thing, &err);
        if (status != (*changes[i].error ? STATUS_DATA : STATUS_OK)) fail_msg("%s: %s", changes[i].to, err.text);
        if (strncmp(err.text, changes[i].error, strlen(changes[i].error)) != 0) fail_msg("%s", err.text);
        fields_clear(thing_fields, &thing);
    }
}

/* --- what is written only --- */

struct list {
    int64_t time_ps;
    wide_ps sum_ps;
    bool flags[COLORS];
    const struct part *pointed; /* NULL: none */
    double *numbers;
    size_t count;
    struct part *parts; /* MANY */
};

static void make_double(const void *item, void *made)
{
    *(double *)made = 2 * (double)((const struct list *)item)->count;
}

static void make_word(const void *item, void *made)
{
    *(const char **)made = ((const struct list *)item)->count > 0 ? "many" : NULL;
}

/* 0: an element, 1: none, 2: null, 3: the end. */
static enum field_each fill_part(const void *item, size_t index, void *made)
{
    struct part *part = made;
    (void)item;
    if (part->note || index == 3) return FIELD_END; /* made is of zeros each time */
    part->worth_s = (double)index + 0.5;
    part->note = strdup("owned");
    return index == 0 ? FIELD_ELEMENT : index == 1 ? FIELD_SKIP : FIELD_NULL;
}

static enum field_each fill_color(const void *item, size_t index, void *made)
{
    (void)item;
    ((struct part *)made)->worth_s = (double)index;
    return index < COLORS ? FIELD_ELEMENT : FIELD_END;
}

#define S struct list
static const struct field list_fields[] = {PS("time_s", time_ps),
                                           FIELD("sum_s", sum_ps),
                                           FLAGS("flags", flags, name_color),
                                           OBJECT("pointed", pointed, part_fields, POINTED, IF_THERE),
                                           NUMBERS("numbers", numbers, count),
                                           COMPUTED("double", FIELD_DOUBLE, make_double),
                                           COMPUTED("word", FIELD_WORD, make_word, IF_THERE, LEFT_OUT),
                                           EACH("each", struct part, fill_part, part_fields, .nulls = true, .owned = true),
                                           EACH("colors", struct part, fill_color, part_fields, .name = name_color,
                                                .count = COLORS),
                                           PER_RANK("parts", parts, part_fields),
                                           {.key = "none", .kind = FIELD_CONSTANT},
                                           {0}};
#undef S

static void test_written_only(void **state)
{
    const struct part part = {1, NULL};
    double numbers[] = {1, NAN, 3};
    struct part parts[MANY] = {{1, NULL}, {2, NULL}};
    struct list list = {1500000000000, (wide_ps)1 << 70, {false, true}, &part, numbers, 3, parts};
    (void)state;
    expect_written(list_fields, &list,
                   "{\"time_s\":1.5,\"sum_s\":1180591620.7174113,\"flags\":[\"green\"],\"pointed\":{\"worth_s\":1,\"note\":null},"
                   "\"numbers\":[1,null,3],\"double\":6,\"word\":\"many\",\"each\":[{\"worth_s\":0.5,\"note\":\"owned\"},null],"
                   "\"colors\":{\"red\":{\"worth_s\":0,\"note\":null},\"green\":{\"worth_s\":1,\"note\":null}},"
                   "\"parts\":[{\"worth_s\":1,\"note\":null},{\"worth_s\":2,\"note\":null}],\"none\":null}"); /* 2^70 / 1e12 */
}

/* Columns are found in parts and inline structs; what is unknown, and what has no row, is empty. */
static void test_csv(void **state)
{
    char text[200] = "";
    struct thing thing;
    FILE *out = fmemopen(text, sizeof text, "w");
    (void)state;
    fill_thing(&thing);
    fields_write_csv(thing_fields, "name,length,left,nothing,bytes,open,again", &thing, out);
    fclose(out);
    assert_string_equal(text, "\"n, \"\"m\"\"\",1.5,,,7,yes,7");
    fields_clear(thing_fields, &thing);
}

static void test_schema(void **state)
{
    (void)state;
    cJSON *schema = fields_schema(part_fields);
    char *text = json_print(schema, JSON_LINE);
    assert_string_equal(text, "{\"type\":\"object\",\"properties\":{\"worth_s\":{\"type\":\"number\",\"minimum\":0},"
                              "\"note\":{\"type\":[\"string\",\"null\"]}},"
                              "\"required\":[\"worth_s\",\"note\"],\"additionalProperties\":false}");
    free(text);
    cJSON_Delete(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_read_clear), cmocka_unit_test(test_read_changed), cmocka_unit_test(test_written_only),
        cmocka_unit_test(test_csv), cmocka_unit_test(test_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
