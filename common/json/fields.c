#include "common/json/fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/csv.h"
#include "common/json/json_write.h"
#include "common/units.h"

static const double NUMBER_MOST = 1e300;
static const int64_t COUNT_MOST = INT64_C(1) << 62; /* sums of bytes are larger than other numbers */

#define POINTER_AT(AT, TYPE) (*(TYPE *const *)(const void *)(AT))

bool field_is_row(const struct field *row)
{
    return row->key || row->rows || row->name || row->read;
}

static double number_at(const struct field *row, const char *at)
{
    const void *value = at;
    switch (row->kind) {
    case FIELD_U64: return (double)*(const uint64_t *)value;
    case FIELD_I64: return (double)*(const int64_t *)value;
    case FIELD_U32: return *(const uint32_t *)value;
    case FIELD_I32: return *(const int32_t *)value;
    case FIELD_PS: return units_s(*(const int64_t *)value);
    case FIELD_WIDE: return wide_s(*(const wide_ps *)value);
    default: return *(const double *)value;
    }
}

/* The value of a member, or what `make` makes of it in room. */
union room {
    double number;
    uint64_t whole;
    bool flag;
    const char *text;
};

static const char *value_at(const struct field *row, const char *item, union room *room)
{
    if (!row->make || row->kind == FIELD_MADE) return item + row->offset;
    row->make(item, room);
    return (const char *)room;
}

static bool is_set(const char *at, size_t bytes)
{
    while (bytes > 0 && at[bytes - 1] == 0) bytes--;
    return bytes > 0;
}

static bool is_known(const struct field *row, const char *item)
{
    union room room;
    const char *at = row->when == FIELD_ALWAYS || row->when >= FIELD_FLAG ? item : value_at(row, item, &room);
    switch (row->when) {
    case FIELD_POSITIVE: return number_at(row, at) > 0;
    case FIELD_NOT_NEGATIVE: return number_at(row, at) >= 0;
    case FIELD_FINITE: return isfinite(number_at(row, at));
    case FIELD_THERE: return row->kind == FIELD_CHARS ? *at != '\0' : POINTER_AT(at, void) != NULL;
    case FIELD_FLAG: return is_set(item + row->flag, row->flag_bytes);
    case FIELD_ASKED: return row->known(item);
    default: return true;
    }
}

static size_t count_of(const struct field *row, const char *item, size_t many)
{
    size_t count;
    if (row->kind == FIELD_TABLE) return row->count;
    if (row->count == FIELD_MANY || (row->kind == FIELD_NUMBERS && !row->counted)) return many;
    memcpy(&count, item + row->count, sizeof count);
    return count;
}

/* --- writing --- */

/* The elements of a FIELD_EACH; or what FIELD_MADE is. */
static void write_made(const struct field *row, const char *item, size_t many, cJSON *owner)
{
    void *made = calloc(1, row->bytes);
    enum field_each each = FIELD_ELEMENT;
    if (!made) {
        json_append(owner, NULL); /* spoils it */
        return;
    }
    if (row->make) {
        row->make(item, made);
        fields_write(row->rows, made, many, owner);
    }
    for (size_t i = 0; row->each && (each = row->each(item, i, made)) != FIELD_END; i++) {
        if (each == FIELD_ELEMENT)
            fields_write(row->rows, made, many,
                         row->name ? json_add_object(owner, row->name((int)i)) : json_append_object(owner));
        if (each == FIELD_NULL) json_append(owner, cJSON_CreateNull());
        if (row->owned) fields_clear(row->rows, made);
        memset(made, 0, row->bytes);
    }
    free(made);
}

static void write_struct(const struct field *row, const char *at, size_t many, cJSON *object)
{
    uint32_t ranks;
    if (row->pointed) at = POINTER_AT(at, char);
    if (row->ranks > 0) memcpy(&ranks, at + row->ranks - 1, sizeof ranks);
    fields_write(row->rows, at, row->ranks > 0 ? ranks : many, object);
}

static void write_elements(const struct field *row, const char *items, size_t count, size_t many, cJSON *array)
{
    for (size_t i = 0; i < count; i++, items += row->bytes) {
        if (row->kind == FIELD_TABLE && row->known && !row->known(items)) continue;
        cJSON *element = json_append_object(array);
        if (row->kind == FIELD_TABLE) json_add_text(element, "name", row->name((int)i));
        fields_write(row->rows, items, many, element);
    }
}

static void write_texts(const struct field *row, const char *item, cJSON *array)
{
    const char *at = item + row->offset;
    if (row->kind == FIELD_FLAGS)
        for (size_t i = 0; i < row->count; i++)
            if (((const bool *)at)[i]) json_append(array, cJSON_CreateString(row->name((int)i)));
    if (row->kind == FIELD_TEXTS)
        for (size_t i = 0; i < count_of(row, item, 0); i++)
            json_append(array, cJSON_CreateString(POINTER_AT(at, char *)[i]));
}

static void write_value(const struct field *row, const char *item, size_t many, cJSON *object)
{
    union room room;
    const char *at = value_at(row, item, &room);
    const double *numbers = (const double *)(const void *)at;
    cJSON *made;
    switch (row->kind) {
    case FIELD_BOOL:
        if (row->name)
            json_add_text(object, row->key, row->name(*(const bool *)at));
        else
            json_add_bool(object, row->key, *(const bool *)at);
        break;
    case FIELD_TEXT:
    case FIELD_WORD: json_add_text(object, row->key, POINTER_AT(at, char)); break;
    case FIELD_CHARS: json_add_text(object, row->key, at); break;
    case FIELD_NAME: json_add_text(object, row->key, row->name(*(const int *)(const void *)at)); break;
    case FIELD_NUMBERS: json_add_numbers(object, row->key, POINTER_AT(at, double), count_of(row, item, many)); break;
    case FIELD_TEXTS:
    case FIELD_FLAGS: write_texts(row, item, json_add_array(object, row->key)); break;
    case FIELD_TREE:
        made = POINTER_AT(at, cJSON);
        json_put(object, row->key, made ? cJSON_Duplicate(made, true) : row->tree ? row->tree(item) : cJSON_CreateNull());
        break;
    case FIELD_OBJECT: write_struct(row, at, many, json_add_object(object, row->key)); break;
    case FIELD_INLINE: write_struct(row, at, many, object); break;
    case FIELD_MADE: write_made(row, item, many, row->key ? json_add_object(object, row->key) : object); break;
    case FIELD_EACH:
        write_made(row, item, many, row->name ? json_add_object(object, row->key) : json_add_array(object, row->key));
        break;
    case FIELD_ARRAY:
    case FIELD_LIST:
    case FIELD_TABLE:
        write_elements(row, row->kind == FIELD_ARRAY ? POINTER_AT(at, char) : at, count_of(row, item, many), many,
                       json_add_array(object, row->key));
        break;
    case FIELD_NAMED:
        made = row->key ? json_add_object(object, row->key) : object;
        for (size_t i = 0; i < row->count; i++)
            if (!isnan(numbers[i]) || !row->left_out)
                json_add_known(made, row->name((int)i), !isnan(numbers[i]), numbers[i]);
        break;
    case FIELD_CONSTANT: json_add_text(object, row->key, row->text); break;
    case FIELD_OWN: break;
    default: json_add_number(object, row->key, number_at(row, at)); break;
    }
}

void fields_write(const struct field *rows, const void *item, size_t many, cJSON *object)
{
    for (const struct field *row = rows; field_is_row(row); row++) {
        if (row->kind == FIELD_TABLE || is_known(row, item))
            write_value(row, item, many, object);
        else if (!row->left_out && row->key)
            json_add_null(object, row->key);
    }
}

enum status fields_to_json(const struct field *rows, const void *item, size_t many, cJSON **json, struct err *err)
{
    cJSON *root = cJSON_CreateObject();
    fields_write(rows, item, many, root);
    return json_made(root, json, err);
}

cJSON *fields_array(const struct field *rows, const void *items, size_t bytes, size_t count)
{
    cJSON *array = cJSON_CreateArray();
    const char *item = items;
    for (size_t i = 0; i < count; i++, item += bytes) fields_write(rows, item, 0, json_append_object(array));
    return array;
}

/* --- reading --- */

static enum status read_integer(const struct field *row, const struct json_node *node, size_t many, void *at, struct err *err)
{
    const int64_t most = row->below              ? (int64_t)many - 1
                         : row->most > 0          ? (int64_t)row->most
                         : row->kind == FIELD_I32 ? INT32_MAX
                         : row->kind == FIELD_U32 ? UINT32_MAX
                                                  : COUNT_MOST;
    int64_t value;
    TRY(json_integer(node, 0, most, &value, err));
    switch (row->kind) {
    case FIELD_U32: *(uint32_t *)at = (uint32_t)value; break;
    case FIELD_I32: *(int32_t *)at = (int32_t)value; break;
    default: *(int64_t *)at = value; break;
    }
    return STATUS_OK;
}

static enum status read_name(const struct field *row, const struct json_node *node, size_t *index, struct err *err)
{
    const char *text, *name;
    char list[200] = "";
    TRY(json_string(node, &text, err));
    const size_t count = row->kind == FIELD_BOOL ? 2 : row->count;
    for (*index = 0; *index < count; ++*index)
        if ((name = row->name((int)*index)) != NULL && strcmp(name, text) == 0) return STATUS_OK;
    for (size_t i = 0, used = 0; i < count && used < sizeof list; i++)
        if ((name = row->name((int)i)) != NULL)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", !used ? "" : i + 1 < count ? ", " : " or ", name);
    return json_error(node, err, "\"%s\" is unknown, expected %s", text, list);
}

static enum status copy_text(const struct json_node *node, char **text, struct err *err)
{
    const char *found;
    TRY(json_string(node, &found, err));
    *text = strdup(found);
    return *text ? STATUS_OK : err_memory(err);
}

static enum status read_numbers(const struct json_node *node, size_t many, double **numbers, struct err *err)
{
    TRY(json_array(node, err));
    if (json_count(node) != many)
        return json_error(node, err, "%zu numbers, expected one for each of the %zu ranks", json_count(node), many);
    if (!*numbers && !(*numbers = calloc(many + 1, sizeof **numbers))) return err_memory(err);
    struct json_node number = json_element(node, 0);
    for (size_t i = 0; number.item; number = json_next(node, &number, ++i))
        TRY(json_number(&number, 0, NUMBER_MOST, &(*numbers)[i], err));
    return STATUS_OK;
}

static enum status read_element(const struct field *row, const struct json_node *node, size_t index, size_t many, char *items,
                                struct err *err)
{
    if (row->kind == FIELD_TEXTS) return copy_text(node, &((char **)(void *)items)[index], err);
    TRY(json_object(node, err));
    if (row->kind == FIELD_TABLE) {
        struct json_node name = json_member(node, "name");
        TRY(read_name(row, &name, &index, err));
    }
    return fields_read(row->rows, node, many, items + index * row->bytes, err);
}

/* Counts each element before it is read, so that fields_clear() frees what there is of it. */
static enum status read_elements(const struct field *row, const struct json_node *node, size_t many, char *item,
                                 struct err *err)
{
    void **at = (void **)(void *)(item + row->offset);
    size_t count = 0;
    TRY(json_array(node, err));
    if (row->kind != FIELD_TABLE)
        if (!(*at = calloc(json_count(node) + 1, row->kind == FIELD_TEXTS ? sizeof(char *) : row->bytes)))
            return err_memory(err);
    char *items = row->kind == FIELD_TABLE ? (char *)at : *at;
    struct json_node element = json_element(node, 0);
    for (; element.item; element = json_next(node, &element, count)) {
        const size_t index = count++;
        if (row->kind != FIELD_TABLE) memcpy(item + row->count, &count, sizeof count);
        TRY(read_element(row, &element, index, many, items, err));
    }
    return STATUS_OK;
}

static enum status read_number(const struct field *row, const struct json_node *node, double *at, struct err *err)
{
    const double most = row->most > 0 ? row->most : NUMBER_MOST;
    return json_number(node, row->any_sign ? -most : 0, most, at, err);
}

static enum status read_value(const struct field *row, const struct json_node *node, size_t many, char *item, struct err *err)
{
    void *at = item + row->offset;
    const char *text;
    size_t index;
    switch (row->kind) {
    case FIELD_DOUBLE: return read_number(row, node, at, err);
    case FIELD_BOOL: return json_boolean(node, at, err);
    case FIELD_TEXT: return copy_text(node, at, err);
    case FIELD_CHARS:
        TRY(json_string(node, &text, err));
        snprintf(at, row->bytes, "%s", text);
        return STATUS_OK;
    case FIELD_WORD:
        TRY(read_name(row, node, &index, err));
        *(const char **)at = row->name((int)index);
        return STATUS_OK;
    case FIELD_NAME:
        TRY(read_name(row, node, &index, err));
        *(int *)at = (int)index;
        return STATUS_OK;
    case FIELD_NUMBERS: return read_numbers(node, many, at, err);
    case FIELD_TEXTS:
    case FIELD_ARRAY:
    case FIELD_TABLE: return read_elements(row, node, many, item, err);
    case FIELD_TREE:
        *(cJSON **)at = cJSON_Duplicate(node->item, true);
        return *(cJSON **)at ? STATUS_OK : err_memory(err);
    case FIELD_OBJECT:
        TRY(json_object(node, err));
        return fields_read(row->rows, node, many, at, err);
    case FIELD_NAMED:
        TRY(json_object(node, err));
        for (size_t i = 0; i < row->count; i++) {
            struct json_node one = json_member(node, row->name((int)i));
            ((double *)at)[i] = NAN;
            if (one.item && !cJSON_IsNull(one.item)) TRY(read_number(row, &one, &((double *)at)[i], err));
        }
        return STATUS_OK;
    default: return read_integer(row, node, many, at, err);
    }
}

static void set_unknown(const struct field *row, void *at)
{
    if (row->when == FIELD_FINITE) *(double *)at = NAN;
    if (row->when != FIELD_NOT_NEGATIVE) return;
    if (row->kind == FIELD_I32)
        *(int32_t *)at = -1;
    else if (row->kind == FIELD_I64)
        *(int64_t *)at = -1;
    else
        *(double *)at = -1;
}

static enum status read_row(const struct field *row, const struct json_node *object, size_t many, char *item, struct err *err)
{
    if (row->kind == FIELD_OWN) return row->read(object, item, err);
    if (row->kind == FIELD_INLINE && row->when == FIELD_ALWAYS)
        return fields_read(row->rows, object, many, item + row->offset, err);
    struct json_node node = json_member(object, row->key);
    if (row->when != FIELD_ALWAYS && (!node.item || cJSON_IsNull(node.item))) {
        set_unknown(row, item + row->offset);
        return STATUS_OK;
    }
    if (row->optional && !node.item) return STATUS_OK;
    if (row->when == FIELD_FLAG && row->flag_bytes == sizeof(bool)) *(bool *)(item + row->flag) = true;
    if (row->kind == FIELD_INLINE) return fields_read(row->rows, object, many, item + row->offset, err);
    return read_value(row, &node, many, item, err);
}

enum status fields_read(const struct field *rows, const struct json_node *object, size_t many, void *item, struct err *err)
{
    for (const struct field *row = rows; field_is_row(row); row++)
        if (!row->unread && row->kind != FIELD_MADE && row->kind != FIELD_EACH && row->kind != FIELD_CONSTANT)
            TRY(read_row(row, object, many, item, err));
    return STATUS_OK;
}

/* --- freeing --- */

static void clear_pointer(const struct field *row, char *item)
{
    void **at = (void **)(void *)(item + row->offset);
    if (!*at) return;
    for (size_t i = 0; row->kind == FIELD_ARRAY && i < count_of(row, item, 0); i++)
        fields_clear(row->rows, (char *)*at + i * row->bytes);
    for (size_t i = 0; row->kind == FIELD_TEXTS && i < count_of(row, item, 0); i++) free(((char **)*at)[i]);
    if (row->kind == FIELD_TREE)
        cJSON_Delete(*at);
    else
        free(*at);
    *at = NULL;
}

void fields_clear(const struct field *rows, void *item)
{
    for (const struct field *row = rows; field_is_row(row); row++) {
        char *at = (char *)item + row->offset;
        switch (row->kind) {
        case FIELD_TEXT:
        case FIELD_NUMBERS:
        case FIELD_TEXTS:
        case FIELD_ARRAY:
        case FIELD_TREE: clear_pointer(row, item); break;
        case FIELD_OBJECT:
        case FIELD_INLINE:
            if (!row->pointed) fields_clear(row->rows, at);
            break;
        case FIELD_TABLE:
        case FIELD_LIST:
            for (size_t i = 0; i < count_of(row, item, 0); i++) fields_clear(row->rows, at + i * row->bytes);
            break;
        default: break;
        }
    }
}

/* --- lines of CSV --- */

static const struct field *find_field(const struct field *rows, const char *key, size_t length, const char **item)
{
    for (const struct field *row = rows; field_is_row(row); row++) {
        const bool inside = row->kind == FIELD_OBJECT || row->kind == FIELD_INLINE;
        if (!inside && row->key && strlen(row->key) == length && strncmp(row->key, key, length) == 0) return row;
        const char *at = *item + row->offset;
        if (inside && row->pointed && is_known(row, *item)) at = POINTER_AT(at, char);
        const struct field *found = inside && is_known(row, *item) ? find_field(row->rows, key, length, &at) : NULL;
        if (!found) continue;
        *item = at;
        return found;
    }
    return NULL;
}

void fields_write_csv(const struct field *rows, const char *columns, const void *item, FILE *out)
{
    for (size_t length; *columns; columns += length + (columns[length] == ',')) {
        const char *of = item;
        union room room;
        length = strcspn(columns, ",");
        const struct field *row = find_field(rows, columns, length, &of);
        if (row && is_known(row, of)) {
            const char *at = value_at(row, of, &room);
            switch (row->kind) {
            case FIELD_BOOL: fputs(*(const bool *)at ? "yes" : "no", out); break;
            case FIELD_TEXT:
            case FIELD_WORD: csv_write_text(out, "", POINTER_AT(at, char)); break;
            case FIELD_CHARS: csv_write_text(out, "", at); break;
            case FIELD_U64: fprintf(out, "%" PRIu64, *(const uint64_t *)(const void *)at); break;
            default: fprintf(out, "%.15g", number_at(row, at)); break;
            }
        }
        if (columns[length]) fputc(',', out);
    }
}
