#include "common/array.h"
#include "common/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/files/input_file.h"
#include "common/json/json_line.h"
#include "common/json/json_write.h"

#define LINE " (line "
enum { MEMORY_NEEDED = 4096 };

/* The path of a member, or with key NULL of an element; cut where it is too long. */
static void name_child(const struct json_node *node, const char *key, size_t index, struct json_node *child)
{
    int n = key ? snprintf(child->path, sizeof child->path, "%s%s%s", node->path, *node->path ? "." : "", key)
                : snprintf(child->path, sizeof child->path, "%s[%zu]", node->path, index);
    if (n >= (int)sizeof child->path) child->path[sizeof child->path - 1] = '\0';
}

/* cJSON keeps both of two members with one key and finds the first: one of them would be ignored silently. */
static enum status no_key_twice(const struct json_node *node, struct err *err)
{
    size_t index = 0;
    for (cJSON *item = node->item->child; item; item = item->next, index++) {
        struct json_node child = {.document = node->document, .item = item};
        bool twice = item->string && cJSON_GetObjectItemCaseSensitive(node->item, item->string) != item &&
                     !json_key_ignored(item->string);
        if (!twice && !cJSON_IsObject(item) && !cJSON_IsArray(item)) continue;
        name_child(node, item->string, index, &child);
        if (twice) return json_error(&child, err, "stands twice, expected once");
        TRY(no_key_twice(&child, err));
    }
    return STATUS_OK;
}

static void write_line_of(const char *text, const char *at, char line[12])
{
    int number = 1;
    for (const char *c = text; at && c < at && *c; c++) number += *c == '\n';
    snprintf(line, 12, "%d", number);
}

/* cJSON ends a string at a null character: the rest would be lost silently. A backslash begins an escape of two or more. */
static const char *find_null(const char *text)
{
    static const char null[] = "\\u0000";
    for (const char *at = text; (at = strchr(at, '\\')) != NULL && at[1]; at += 2)
        if (strncmp(at, null, sizeof null - 1) == 0) return at;
    return NULL;
}

/* Owns the text. */
static enum status parse_text(char *text, const char *file, struct json_document *document, struct err *err)
{
    const char *end = NULL, *null = find_null(text);
    char place[12];
    if (null) {
        write_line_of(text, null, place);
        free(text);
        return err_set(err, STATUS_DATA, file, place, "a string with \\u0000, expected characters");
    }
    cJSON *root = cJSON_ParseWithOpts(text, &end, 1);
    if (!root) { /* cJSON does not say if it lacked memory: then the second time says more */
        root = cJSON_ParseWithOpts(text, &end, 1);
        void *volatile room = malloc(MEMORY_NEEDED);
        free(room);
        if (!root && !room) {
            free(text);
            return err_memory(err);
        }
    }
    if (!root) {
        write_line_of(text, end, place);
        if (!end || !*end)
            err_set(err, STATUS_DATA, file, place, "the text ends, expected a JSON value");
        else if (strchr("[{", *end) && end[1 + strspn(end + 1, " \t\r\n")])
            err_set(err, STATUS_DATA, file, place, "nested too deeply, expected less than %d levels", CJSON_NESTING_LIMIT);
        else
            err_set(err, STATUS_DATA, file, place, "not JSON near '%.20s', expected a JSON value", end);
        free(text);
        return STATUS_DATA;
    }
    *document = (struct json_document){strdup(file), text, root};
    if (!document->file) {
        json_close(document);
        return err_memory(err);
    }
    struct json_node node = json_root(document);
    enum status status = no_key_twice(&node, err);
    if (status != STATUS_OK) json_close(document);
    return status;
}

enum status json_parse(const char *text, const char *file, struct json_document *document, struct err *err)
{
    char *copy = strdup(text);
    return copy ? parse_text(copy, file, document, err) : err_memory(err);
}

enum status json_open(const char *file, struct json_document *document, struct err *err)
{
    struct input_file in;
    size_t bytes;
    TRY(input_file_open(file, &in, err));
    char *text = input_file_all(&in, &bytes);
    TRY(input_file_close(&in, STATUS_OK, err));
    return parse_text(text, file, document, err);
}

void json_close(struct json_document *document)
{
    cJSON_Delete(document->root);
    FREE_ALL(document->text, document->file);
    *document = (struct json_document){0};
}

struct json_node json_root(const struct json_document *document)
{
    return (struct json_node){.document = document, .item = document->root};
}

cJSON *json_find(const cJSON *root, const char *path)
{
    char copy[JSON_PATH_BYTES], *rest = copy;
    cJSON *item = (cJSON *)root;
    snprintf(copy, sizeof copy, "%s", path);
    for (char *part; item && (part = strsep(&rest, "."));) item = cJSON_GetObjectItemCaseSensitive(item, part);
    return item;
}

struct json_node json_member(const struct json_node *node, const char *key)
{
    struct json_node member = {.document = node->document};
    member.item = cJSON_IsObject(node->item) ? cJSON_GetObjectItemCaseSensitive(node->item, key) : NULL;
    name_child(node, key, 0, &member);
    return member;
}

struct json_node json_element(const struct json_node *node, size_t index)
{
    struct json_node element = {.document = node->document};
    element.item = cJSON_IsArray(node->item) ? cJSON_GetArrayItem(node->item, (int)index) : NULL;
    name_child(node, NULL, index, &element);
    return element;
}

struct json_node json_next(const struct json_node *array, const struct json_node *element, size_t index)
{
    struct json_node next = {.document = array->document, .item = element->item ? element->item->next : NULL};
    name_child(array, NULL, index, &next);
    return next;
}

size_t json_count(const struct json_node *node)
{
    return (size_t)cJSON_GetArraySize(node->item);
}

enum status json_error(const struct json_node *node, struct err *err, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    const struct json_document *document = node->document;
    char line[32] = "";
    if (document->text) snprintf(line, sizeof line, LINE "%d)", json_line(document->text, node->path));
    return err_set(err, STATUS_DATA, document->file, *node->path ? node->path : "(root)", "%s%s", message, line);
}

void json_cut_line(char *text)
{
    char *line = NULL;
    for (char *at = text; (at = strstr(at, LINE)) != NULL; at++) line = at;
    if (line) *line = '\0';
}

static enum status expect_type(const struct json_node *node, bool right, const char *what, struct err *err)
{
    if (!node->item) return json_error(node, err, "missing, expected %s", what);
    return right ? STATUS_OK : json_error(node, err, "wrong type, expected %s", what);
}

enum status json_number(const struct json_node *node, double low, double high, double *value, struct err *err)
{
    if (cJSON_IsObject(node->item)) {
        struct json_node inner = json_member(node, "value");
        return json_number(&inner, low, high, value, err);
    }
    TRY(expect_type(node, cJSON_IsNumber(node->item), "a number", err));
    double found = node->item->valuedouble;
    if (!(found >= low && found <= high))
        return json_error(node, err, "%.15g is impossible here, expected a number from %.15g to %.15g", found, low, high);
    *value = found;
    return STATUS_OK;
}

enum status json_integer(const struct json_node *node, int64_t low, int64_t high, int64_t *value, struct err *err)
{
    double found;
    TRY(json_number(node, (double)low, (double)high, &found, err));
    if (found != floor(found)) return json_error(node, err, "%g is no whole number", found);
    *value = (int64_t)found;
    return STATUS_OK;
}

enum status json_string(const struct json_node *node, const char **value, struct err *err)
{
    TRY(expect_type(node, cJSON_IsString(node->item), "a string", err));
    *value = node->item->valuestring;
    return STATUS_OK;
}

enum status json_boolean(const struct json_node *node, bool *value, struct err *err)
{
    TRY(expect_type(node, cJSON_IsBool(node->item), "true or false", err));
    *value = cJSON_IsTrue(node->item);
    return STATUS_OK;
}

enum status json_object(const struct json_node *node, struct err *err)
{
    return expect_type(node, cJSON_IsObject(node->item), "an object", err);
}

enum status json_array(const struct json_node *node, struct err *err)
{
    return expect_type(node, cJSON_IsArray(node->item), "an array", err);
}

bool json_key_ignored(const char *key)
{
    return strncmp(key, "comment", 7) == 0 || key[0] == '$';
}

static bool is_known(const char *key, const char *const *keys)
{
    if (json_key_ignored(key)) return true;
    for (; *keys; keys++)
        if (strcmp(key, *keys) == 0) return true;
    return false;
}

enum status json_known_keys(const struct json_node *node, const char *const *keys, struct err *err)
{
    for (const cJSON *item = node->item ? node->item->child : NULL; item; item = item->next) {
        if (is_known(item->string, keys)) continue;
        char list[400] = "";
        size_t used = 0;
        for (const char *const *key = keys; *key && used < sizeof list; key++)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", key == keys ? "" : ", ", *key);
        struct json_node at = json_member(node, item->string);
        return json_error(&at, err, "unknown key, expected one of %s", list);
    }
    return STATUS_OK;
}

cJSON *json_measured(double value, double error, size_t n)
{
    cJSON *object = cJSON_CreateObject();
    json_add_number(object, "value", value);
    json_add_number(object, "error", error);
    json_add_number(object, "n", (double)n);
    return object;
}
