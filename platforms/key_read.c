/* Readers of keys by their rows (platforms/read.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "platforms/read.h"

enum { KEYS_MAX = 32 }; /* of one section */

static enum status read_integer(const struct json_node *node, const struct platform_key *key, int64_t *value, struct err *err)
{
    TRY(measured_check(node, err));
    return json_integer(node, (int64_t)key->least, (int64_t)key->most, value, err);
}

/* Into the key's member, which is at `at`. */
static enum status read_value(const struct json_node *node, const struct platform_key *key, void *at, struct err *err)
{
    int64_t integer;
    switch (key->kind) {
    case KEY_CHOICE: return name_read(node, key->names, at, err);
    case KEY_SWITCH: return json_boolean(node, at, err);
    case KEY_LIMIT:
    case KEY_SIZE: return read_integer(node, key, at, err);
    case KEY_COUNT:
        TRY(read_integer(node, key, &integer, err));
        *(int32_t *)at = (int32_t)integer;
        return STATUS_OK;
    case KEY_STEPS: return steps_read(node, (enum steps_call)key->standard, at, err);
    case KEY_RATE: return rate_read(node, at, err);
    default: return measured_read(node, key->least, key->most, at, err);
    }
}

enum status section_read(const struct json_node *node, const struct platform_key *key, struct platform *platform, struct err *err)
{
    const char *names[KEYS_MAX + 1];
    size_t count = 0, length = strlen(key->path);
    (void)platform;
    for (const struct platform_key *row = platform_keys; row->path && count < KEYS_MAX; row++) {
        if (length > 0 && (strncmp(row->path, key->path, length) != 0 || row->path[length] != '.')) continue;
        const char *name = row->path + length + (length > 0);
        if (*name && !strchr(name, '.')) names[count++] = name;
    }
    names[count] = NULL;
    if (!node->item && !isnan(key->standard)) return STATUS_OK;
    TRY(json_object(node, err));
    return json_known_keys(node, names, err);
}

enum status by_operation_read(const struct json_node *node, const struct platform_key *key, struct platform *platform,
                              struct err *err)
{
    static const char *const operations[] = {"put", "accumulate", NULL};
    static const enum rma_kind kinds[] = {RMA_PUT, RMA_ACCUMULATE};
    int *members = (int *)(void *)((char *)platform + key->offset); /* enums are ints */
    bool table = cJSON_IsObject(node->item);
    if (table) TRY(json_known_keys(node, operations, err));
    for (int i = 0; i < 2; i++) {
        struct json_node one = table ? json_member(node, operations[i]) : *node;
        if (one.item) TRY(name_read(&one, key->names, &members[kinds[i]], err));
    }
    return STATUS_OK;
}

enum status by_size_read(const struct json_node *node, const struct platform_key *key, struct platform *platform, struct err *err)
{
    char *at = (char *)platform + key->offset;
    int64_t above = -1;
    if (!node->item) return STATUS_OK;
    if (!cJSON_IsArray(node->item)) return read_value(node, key, at + key->rows->offset, err);
    size_t count = json_count(node);
    if (count < 1 || count > (size_t)key->rows->most)
        return json_error(node, err, "%zu rows, expected 1 to %d", count, key->rows->most);
    for (size_t i = 0; i < count; i++, at += key->rows->bytes) {
        struct json_node row = json_element(node, i);
        bool last = i + 1 == count;
        const struct key_rows *rows = key->rows;
        const char *const names[] = {"upto_bytes", rows->time ? rows->time : rows->value, rows->time ? rows->value : NULL, NULL};
        TRY(json_object(&row, err));
        TRY(json_known_keys(&row, names, err));
        struct json_node upto = json_member(&row, "upto_bytes"), value = json_member(&row, rows->value);
        if (rows->time) {
            struct json_node time = json_member(&row, rows->time);
            if (time.item) TRY(measured_read(&time, 0, TIME_MOST, (double *)(void *)(at + rows->time_offset), err));
        }
        TRY(read_value(&value, key, at + rows->offset, err));
        TRY(upto_read(&upto, last, above, (int64_t *)(void *)at, err));
        memcpy(&above, at, sizeof above);
    }
    return STATUS_OK;
}

enum status value_read(const struct json_node *node, const struct platform_key *key, struct platform *platform, struct err *err)
{
    if (!node->item && !isnan(key->standard)) return STATUS_OK;
    return read_value(node, key, (char *)platform + key->offset, err);
}

enum status part_read(const struct json_node *node, const struct platform_key *key, struct platform *platform, struct err *err)
{
    (void)node, (void)key, (void)platform, (void)err;
    return STATUS_OK;
}

struct json_node key_node(const struct json_node *root, const char *path)
{
    struct json_node node = *root;
    char copy[JSON_PATH_BYTES], *rest = copy;
    snprintf(copy, sizeof copy, "%s", path);
    for (char *part; *path && (part = strsep(&rest, "."));) node = json_member(&node, part);
    return node;
}

struct json_node key_section(const struct json_node *root, const struct platform_key *key)
{
    char above[JSON_PATH_BYTES];
    snprintf(above, sizeof above, "%.*s", (int)(strrchr(key->path, '.') - key->path), key->path);
    return key_node(root, above);
}
