#include "common/json/json_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory_text.h"
#include "common/text/json_text.h"

/* --- building --- */

static void spoil_owner(cJSON *owner)
{
    if (owner) owner->type = cJSON_Invalid;
}

/* The caller may go on with an item that has no place: it lives as long as the owner or, where there is none, the thread. */
static void keep_lost(cJSON *owner, cJSON *item)
{
    static _Thread_local cJSON lost = {.type = cJSON_Array};
    spoil_owner(owner);
    cJSON_AddItemToArray(owner ? owner : &lost, item);
}

static cJSON *put_item(cJSON *object, const char *key, cJSON *item)
{
    if (item && cJSON_AddItemToObject(object, key, item)) return item;
    keep_lost(object, item);
    return NULL;
}

bool json_put(cJSON *object, const char *key, cJSON *item)
{
    return put_item(object, key, item) != NULL;
}

bool json_append(cJSON *array, cJSON *item)
{
    if (item && cJSON_AddItemToArray(array, item)) return true;
    keep_lost(array, item);
    return false;
}

void json_remove(cJSON *object, const char *key)
{
    cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(object, key);
    if (item) json_drop(object, item);
}

bool json_replace(cJSON *object, const char *key, cJSON *item)
{
    cJSON *old = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!old || !item) return json_put(object, key, item);
    if (json_whole(old, NULL) != STATUS_OK) spoil_owner(object);
    item->string = old->string; /* cJSON_ReplaceItemInObject() loses the member where it finds no memory for the key */
    old->string = NULL;
    return cJSON_ReplaceItemViaPointer(object, old, item);
}

cJSON *json_append_object(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    return json_append(array, object) ? object : NULL;
}

void json_drop(cJSON *owner, cJSON *item)
{
    if (json_whole(item, NULL) != STATUS_OK) spoil_owner(owner);
    cJSON_Delete(item);
}

cJSON *json_add_number(cJSON *object, const char *key, double value)
{
    return put_item(object, key, cJSON_CreateNumber(value));
}

cJSON *json_add_text(cJSON *object, const char *key, const char *text)
{
    return put_item(object, key, text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

cJSON *json_add_bool(cJSON *object, const char *key, bool value)
{
    return put_item(object, key, cJSON_CreateBool(value));
}

cJSON *json_add_null(cJSON *object, const char *key)
{
    return put_item(object, key, cJSON_CreateNull());
}

cJSON *json_add_object(cJSON *object, const char *key)
{
    return put_item(object, key, cJSON_CreateObject());
}

cJSON *json_add_array(cJSON *object, const char *key)
{
    return put_item(object, key, cJSON_CreateArray());
}

cJSON *json_add_known(cJSON *object, const char *key, bool known, double value)
{
    return known ? json_add_number(object, key, value) : json_add_null(object, key);
}

/* An array without elements whose valuestring, which cJSON frees with it, has valueint numbers. */
cJSON *json_add_numbers(cJSON *object, const char *key, const double *values, size_t count)
{
    cJSON *array = json_add_array(object, key);
    if (!array || (values && count == 0)) return array;
    array->valuestring = values ? malloc(count * sizeof *values) : NULL;
    if (!array->valuestring) {
        spoil_owner(array);
        return NULL;
    }
    memcpy(array->valuestring, values, count * sizeof *values);
    array->valueint = (int)count;
    return array;
}

/* --- writing --- */

enum status json_whole(const cJSON *json, struct err *err)
{
    if (!json || (json->type & 0xff) == cJSON_Invalid) return err_memory(err);
    for (const cJSON *item = json->child; item; item = item->next) TRY(json_whole(item, err));
    return STATUS_OK;
}

enum status json_made(cJSON *made, cJSON **json, struct err *err)
{
    enum status status = json_whole(made, err);
    GIVE(status, *json = made, cJSON_Delete(made));
}

struct writer {
    FILE *out;
    bool lines;
};

/* Escapes the two signs that JSON needs escaped, and what is not visible. */
static void write_string(const struct writer *writer, const char *text)
{
    static const char controls[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";
    fputc('"', writer->out);
    for (const char *at = text ? text : ""; *at;) {
        size_t plain = 0;
        while (at[plain] >= ' ' && at[plain] <= '~' && at[plain] != '"' && at[plain] != '\\') plain++;
        fwrite(at, 1, plain, writer->out);
        at += plain;
        const char *control = *at ? strchr(controls, *at) : NULL;
        if (control) fprintf(writer->out, "\\%c", letters[control - controls]);
        at += control ? 1 : json_text_character(writer->out, at);
    }
    fputc('"', writer->out);
}

static void write_number(const struct writer *writer, double value)
{
    char text[64];
    cJSON item = {.type = cJSON_Number};
    if (fabs(value) < 1e15 && (double)(int64_t)value == value && (value != 0 || !signbit(value))) {
        fprintf(writer->out, "%" PRId64, (int64_t)value); /* as cJSON does, in a tenth of its time */
        return;
    }
    cJSON_SetNumberHelper(&item, value);
    cJSON_PrintPreallocated(&item, text, sizeof text, false);
    fputs(text, writer->out);
}

static void write_item(const struct writer *writer, const cJSON *item, int depth);

static void write_array(const struct writer *writer, const cJSON *array, int depth)
{
    const char *between = writer->lines ? ", " : ",";
    const double *numbers = (const double *)(const void *)array->valuestring;
    fputc('[', writer->out);
    for (int i = 0; numbers && i < array->valueint; i++) {
        if (i > 0) fputs(between, writer->out);
        write_number(writer, numbers[i]);
    }
    for (const cJSON *item = array->child; item; item = item->next) {
        write_item(writer, item, depth + 1);
        if (item->next) fputs(between, writer->out);
    }
    fputc(']', writer->out);
}

static void write_object(const struct writer *writer, const cJSON *object, int depth)
{
    fputs(writer->lines ? "{\n" : "{", writer->out);
    for (const cJSON *item = object->child; item; item = item->next) {
        for (int i = 0; writer->lines && i <= depth; i++) fputc('\t', writer->out);
        write_string(writer, item->string);
        fputs(writer->lines ? ":\t" : ":", writer->out);
        write_item(writer, item, depth + 1);
        if (item->next) fputc(',', writer->out);
        if (writer->lines) fputc('\n', writer->out);
    }
    for (int i = 0; writer->lines && i < depth; i++) fputc('\t', writer->out);
    fputc('}', writer->out);
}

static void write_item(const struct writer *writer, const cJSON *item, int depth)
{
    switch (item->type & 0xff) {
    case cJSON_Object: write_object(writer, item, depth); break;
    case cJSON_Array: write_array(writer, item, depth); break;
    case cJSON_Number: write_number(writer, item->valuedouble); break;
    case cJSON_String: write_string(writer, item->valuestring); break;
    case cJSON_True: fputs("true", writer->out); break;
    case cJSON_False: fputs("false", writer->out); break;
    default: fputs("null", writer->out); break;
    }
}

enum status json_write(const cJSON *json, enum json_layout layout, FILE *out, struct err *err)
{
    const struct writer writer = {out, layout == JSON_LINES};
    TRY(json_whole(json, err));
    write_item(&writer, json, 0);
    return STATUS_OK;
}

char *json_print(const cJSON *json, enum json_layout layout)
{
    struct memory_text made = {.text = NULL};
    if (memory_text_open(&made, NULL) != STATUS_OK) return NULL;
    (void)memory_text_close(&made, json_write(json, layout, made.out, NULL), NULL);
    return made.text;
}
