#include "tests/fuzz/mutate_json.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/fuzz/mutate_text.h"

static size_t count_items(const cJSON *item)
{
    size_t count = 1;
    for (const cJSON *child = item->child; child; child = child->next) count += count_items(child);
    return count;
}

/* The n-th of the tree, the root is 0; *n becomes smaller by those that were passed. */
static cJSON *find_item(cJSON *item, cJSON *parent, size_t *n, cJSON **parent_of)
{
    if ((*n)-- == 0) {
        *parent_of = parent;
        return item;
    }
    for (cJSON *child = item->child; child; child = child->next) {
        cJSON *found = find_item(child, item, n, parent_of);
        if (found) return found;
    }
    return NULL;
}

static cJSON *any_item(struct random *random, cJSON *root, cJSON **parent)
{
    size_t n = random_below(random, (uint32_t)count_items(root));
    return find_item(root, NULL, &n, parent);
}

static cJSON *make_value(struct random *random, cJSON *root, const cJSON *old)
{
    static const char *const texts[] = {"null",
                                        "true",
                                        "[]",
                                        "{}",
                                        "[{}]",
                                        "[[]]",
                                        "[null]",
                                        "{\"value\":1}",
                                        "{\"value\":null}",
                                        "\"\"",
                                        "\"infinite\"",
                                        "\"unlimited\"",
                                        "\"a\"",
                                        "\"call\"",
                                        "\"torus\"",
                                        "\"fat_tree\"",
                                        "\"dragonfly\"",
                                        "[1,1]",
                                        "[4294967296,2]",
                                        "[1000000,1000000]",
                                        "-0.0",
                                        "0",
                                        "1",
                                        "-1",
                                        "1e300",
                                        "-1e300",
                                        "1e308",
                                        "1e-300",
                                        "4e18",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "2147483648",
                                        "16777217",
                                        "0.1",
                                        "1e9",
                                        "1000000000"};
    cJSON *parent;
    uint32_t choice = random_below(random, 10);
    if (choice < 3) return cJSON_Duplicate(any_item(random, root, &parent), true);
    if (choice < 6 && cJSON_IsNumber(old)) {
        static const double factors[] = {2, 0.5, -1, 10, 1e9, 1e-9, 0, 1.0000001};
        return cJSON_CreateNumber(old->valuedouble * factors[random_below(random, 8)] +
                                  (double)random_below(random, 3) - 1);
    }
    return cJSON_Parse(texts[random_below(random, sizeof texts / sizeof *texts)]);
}

static void replace_item(struct random *random, cJSON *root, cJSON *parent, cJSON *item)
{
    cJSON *made = make_value(random, root, item);
    if (!made) return;
    if (item->string) { /* a member keeps its key; a copy brings one of its own */
        if (made->string && !(made->type & cJSON_StringIsConst)) free(made->string);
        made->string = strdup(item->string);
        made->type &= ~cJSON_StringIsConst;
    }
    if (!cJSON_ReplaceItemViaPointer(parent, item, made)) cJSON_Delete(made);
}

/* Beside it, or in any other place that takes it. */
static void copy_item(struct random *random, cJSON *root, cJSON *parent, const cJSON *item)
{
    cJSON *other = parent, *above;
    cJSON *copy = cJSON_Duplicate(item, true);
    if (random_chance(random, 50)) other = any_item(random, root, &above);
    bool added = false;
    if (copy && cJSON_IsArray(other)) added = cJSON_AddItemToArray(other, copy);
    if (copy && cJSON_IsObject(other)) added = cJSON_AddItemToObject(other, item->string ? item->string : "name", copy);
    if (!added) cJSON_Delete(copy);
}

static void rename_item(struct random *random, cJSON *root, cJSON *item)
{
    cJSON *parent;
    const cJSON *other = any_item(random, root, &parent);
    if (!item->string || !other->string || other == item) return;
    char *name = strdup(other->string);
    if (!(item->type & cJSON_StringIsConst)) free(item->string);
    item->type &= ~cJSON_StringIsConst;
    item->string = name;
}

static void change_tree(struct random *random, cJSON *root)
{
    cJSON *parent, *item = any_item(random, root, &parent);
    if (!parent) return;
    switch (random_below(random, 8)) {
    case 0: cJSON_Delete(cJSON_DetachItemViaPointer(parent, item)); break;
    case 1: copy_item(random, root, parent, item); break;
    case 2: rename_item(random, root, item); break;
    default: replace_item(random, root, parent, item); break;
    }
}

size_t mutate_json(struct random *random, uint8_t *data, size_t size, size_t room)
{
    cJSON *root = random_chance(random, 3) ? NULL : cJSON_ParseWithLength((const char *)data, size);
    if (!root) return mutate_bytes(random, data, size, room);
    change_tree(random, root);
    char *text = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    size_t length = text ? strlen(text) : 0;
    if (length > 0 && length <= room) {
        memcpy(data, text, length);
        size = length;
    }
    free(text);
    return size;
}
