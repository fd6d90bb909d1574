/* fields_schema() of common/json/fields.h. */
#include "common/json/fields.h"
#include "common/json/json_write.h"

enum { NAMES_MAX = 64 }; /* more, as the names of MPI's functions, are any text */

static cJSON *schema_of_type(const char *type)
{
    cJSON *schema = cJSON_CreateObject();
    json_add_text(schema, "type", type);
    return schema;
}

static cJSON *schema_of_number(const char *type, bool any_sign)
{
    cJSON *schema = schema_of_type(type);
    if (!any_sign) json_add_number(schema, "minimum", 0);
    return schema;
}

static cJSON *schema_of_names(const struct field *row)
{
    const size_t count = row->kind == FIELD_BOOL ? 2 : row->count;
    cJSON *schema = schema_of_type("string"), *names = count <= NAMES_MAX ? json_add_array(schema, "enum") : NULL;
    for (size_t i = 0; names && i < count; i++)
        if (row->name((int)i)) json_append(names, cJSON_CreateString(row->name((int)i)));
    return schema;
}

static cJSON *schema_of_array(cJSON *items)
{
    cJSON *schema = schema_of_type("array");
    json_put(schema, "items", items);
    return schema;
}

/* An object by names. */
static cJSON *schema_of_map(const struct field *row, cJSON *value)
{
    cJSON *schema = schema_of_type("object"), *required = row->left_out ? NULL : json_add_array(schema, "required");
    json_put(schema, "propertyNames", schema_of_names(row));
    json_put(schema, "additionalProperties", value);
    for (size_t i = 0; required && i < row->count; i++) json_append(required, cJSON_CreateString(row->name((int)i)));
    return schema;
}

/* A schema without a type is one of any value, or of a constant. */
static cJSON *or_null(cJSON *schema)
{
    cJSON *names = cJSON_GetObjectItemCaseSensitive(schema, "enum");
    const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(schema, "type"));
    if (names) json_append(names, cJSON_CreateNull());
    if (!type) return schema;
    cJSON *types = cJSON_CreateArray();
    json_append(types, cJSON_CreateString(type));
    json_append(types, cJSON_CreateString("null"));
    json_replace(schema, "type", types);
    return schema;
}

static cJSON *schema_of_object(void)
{
    cJSON *schema = schema_of_type("object");
    json_add_object(schema, "properties");
    json_add_array(schema, "required");
    json_add_bool(schema, "additionalProperties", false);
    return schema;
}

/* A key may be in two rows, of which one is written. schema NULL: null. */
static void add_member(cJSON *object, const char *key, cJSON *schema, bool required)
{
    cJSON *members = cJSON_GetObjectItemCaseSensitive(object, "properties");
    cJSON *before = cJSON_GetObjectItemCaseSensitive(members, key);
    if (required) json_append(cJSON_GetObjectItemCaseSensitive(object, "required"), cJSON_CreateString(key));
    if (before && !schema) {
        or_null(before);
        return;
    }
    if (before) {
        cJSON *either = cJSON_CreateObject(), *list = json_add_array(either, "anyOf");
        json_append(list, cJSON_Duplicate(before, true));
        json_append(list, schema);
        schema = either;
    }
    json_replace(members, key, schema ? schema : schema_of_type("null"));
}

static void add_rows(cJSON *object, const struct field *rows, bool always);

static cJSON *schema_of_elements(const struct field *row)
{
    cJSON *element = schema_of_object();
    if (row->kind == FIELD_TABLE) add_member(element, "name", schema_of_names(row), true);
    add_rows(element, row->rows, true);
    return schema_of_array(row->nulls ? or_null(element) : element);
}

static cJSON *schema_of_constant(const char *text)
{
    cJSON *schema = cJSON_CreateObject();
    json_add_text(schema, "const", text);
    return schema;
}

static cJSON *schema_of_value(const struct field *row)
{
    switch (row->kind) {
    case FIELD_DOUBLE:
    case FIELD_WIDE:
    case FIELD_PS: return schema_of_number("number", row->any_sign);
    case FIELD_BOOL: return row->name ? schema_of_names(row) : schema_of_type("boolean");
    case FIELD_WORD:
    case FIELD_NAME: return row->name ? schema_of_names(row) : schema_of_type("string");
    case FIELD_TEXT:
    case FIELD_CHARS: return schema_of_type("string");
    case FIELD_NUMBERS: return schema_of_array(or_null(schema_of_type("number")));
    case FIELD_TEXTS: return schema_of_array(schema_of_type("string"));
    case FIELD_FLAGS: return schema_of_array(schema_of_names(row));
    case FIELD_NAMED: return schema_of_map(row, or_null(schema_of_number("number", row->any_sign)));
    case FIELD_TREE:
        if (!row->rows) return row->array ? schema_of_type("array") : cJSON_CreateObject();
        return row->array ? schema_of_elements(row) : fields_schema(row->rows);
    case FIELD_OBJECT:
    case FIELD_INLINE:
    case FIELD_MADE: return fields_schema(row->rows);
    case FIELD_EACH:
    case FIELD_ARRAY:
    case FIELD_LIST:
    case FIELD_TABLE:
        return row->kind == FIELD_EACH && row->name ? schema_of_map(row, fields_schema(row->rows)) : schema_of_elements(row);
    case FIELD_CONSTANT: return row->text ? schema_of_constant(row->text) : NULL;
    default: return schema_of_number("integer", row->any_sign);
    }
}

/* always: the rows are written whenever the object is. */
static void add_rows(cJSON *object, const struct field *rows, bool always)
{
    for (const struct field *row = rows; field_is_row(row); row++) {
        const bool asked = row->when != FIELD_ALWAYS && row->kind != FIELD_TABLE, there = always && !row->left_out;
        if (row->kind == FIELD_OWN) continue;
        if (row->kind == FIELD_INLINE || (row->kind == FIELD_MADE && !row->key))
            add_rows(object, row->rows, there && !asked);
        else if (row->key)
            add_member(object, row->key, schema_of_value(row), there);
        for (size_t i = 0; row->kind == FIELD_NAMED && !row->key && i < row->count; i++)
            add_member(object, row->name((int)i), or_null(schema_of_number("number", row->any_sign)), there);
        if (asked && !row->left_out && row->key) add_member(object, row->key, NULL, row->kind == FIELD_INLINE && there);
    }
}

cJSON *fields_schema(const struct field *rows)
{
    cJSON *schema = schema_of_object();
    add_rows(schema, rows, true);
    return schema;
}
