#include "validate/explain/platform_changes.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/array.h"
#include "common/json.h"
#include "common/json/json_write.h"
#include "platforms/keys.h"
#include "platforms/profile.h"

enum { PATH_BYTES = 512 };

/* Whether a value without an error is tried with an assumed one: a measured quantity, and no number of things or limit. */
static bool is_quantity(const struct platform_key *key)
{
    return key && (key->kind == KEY_SIZE || key->kind == KEY_TIME || key->kind == KEY_PAUSE || key->kind == KEY_COST ||
                   key->kind == KEY_RATE || key->kind == KEY_SPEED || key->kind == KEY_SHARE);
}

/* Whether it is a whole number. */
static bool is_whole(const struct platform_key *key)
{
    return key && (key->kind == KEY_SIZE || key->kind == KEY_LIMIT || key->kind == KEY_COUNT);
}

static char *join_texts(const char *a, const char *between, const char *b)
{
    size_t bytes = strlen(a) + strlen(between) + strlen(b) + 1;
    char *text = malloc(bytes);
    if (text) snprintf(text, bytes, "%s%s%s", a, between, b);
    return text;
}

static void clear_change(struct platform_change *change)
{
    FREE_ALL(change->key, change->from, change->to, change->override);
}

static enum status add_change(struct platform_changes *changes, const char *key, const char *from, const char *to, const char *of,
                       const char *value, enum change_why why, struct err *err)
{
    struct platform_change change = {strdup(key), strdup(from), strdup(to), join_texts(of, "=", value), why};
    enum status status = change.key && change.from && change.to && change.override ? STATUS_OK : err_memory(err);
    if (status == STATUS_OK && changes->count == changes->capacity)
        status = array_reserve((void **)&changes->items, &changes->capacity, changes->count + 1, sizeof change, err);
    if (status == STATUS_OK)
        changes->items[changes->count++] = change;
    else
        clear_change(&change);
    return status;
}

/* The position of a walk through the platform's values. */
struct walk {
    struct platform_changes *changes;
    const cJSON *array; /* the outermost array around the value, NULL: none; an override cannot name a part of it */
    char of[PATH_BYTES];   /* the key of the array, or of the value */
    char path[PATH_BYTES]; /* of the value */
};

/* Changes the value in place while it is printed. */
static enum status add_number(const struct walk *walk, cJSON *number, double to, enum change_why why, struct err *err)
{
    char texts[2][32];
    double from = number->valuedouble;
    if (!(to >= 0) || to == from) return STATUS_OK;
    if (is_whole(platform_key_of(walk->path))) to = round(to);
    snprintf(texts[0], sizeof texts[0], "%.6g", from);
    snprintf(texts[1], sizeof texts[1], "%.6g", to);
    cJSON_SetNumberHelper(number, to);
    char *value = json_print(walk->array ? walk->array : number, JSON_LINE);
    cJSON_SetNumberHelper(number, from);
    enum status status =
        value ? add_change(walk->changes, walk->path, texts[0], texts[1], walk->of, value, why, err) : err_memory(err);
    free(value);
    return status;
}

static enum status add_both(const struct walk *walk, cJSON *number, double by, enum change_why why, struct err *err)
{
    TRY(add_number(walk, number, number->valuedouble - by, why, err));
    return add_number(walk, number, number->valuedouble + by, why, err);
}

static enum status visit_item(const struct walk *walk, cJSON *item, struct err *err)
{
    cJSON *value = cJSON_GetObjectItemCaseSensitive(item, "value"), *error = cJSON_GetObjectItemCaseSensitive(item, "error");
    if (cJSON_IsNumber(value) && cJSON_IsNumber(error) && error->valuedouble > 0)
        return add_both(walk, value, error->valuedouble, CHANGE_STATED_ERROR, err);
    if (cJSON_IsNumber(value)) item = value;
    if (cJSON_IsNumber(item) && is_quantity(platform_key_of(walk->path)) && item->valuedouble > 0)
        return add_both(walk, item, item->valuedouble * PLATFORM_CHANGES_ASSUMED, CHANGE_ASSUMED, err);
    if (!cJSON_IsObject(item) && !cJSON_IsArray(item)) return STATUS_OK;
    int index = 0;
    cJSON *child;
    cJSON_ArrayForEach(child, item) {
        struct walk inner = *walk;
        const char *name = child->string ? child->string : "";
        size_t used = strlen(inner.path);
        if (used + strlen(name) + 16 >= sizeof inner.path || strchr(name, '.')) continue;
        if (cJSON_IsArray(item)) {
            inner.array = inner.array ? inner.array : item;
            snprintf(inner.path + used, sizeof inner.path - used, "[%d]", index++);
        } else {
            snprintf(inner.path + used, sizeof inner.path - used, "%s%s", used ? "." : "", name);
            if (!inner.array) memcpy(inner.of, inner.path, sizeof inner.of);
        }
        TRY(visit_item(&inner, child, err));
    }
    return STATUS_OK;
}

/* A key that the file lacks has its default. Where other keys say what that is, each of its values is tried: one of them changes
 * nothing, and the replay shows that. */
static enum status add_choices(const cJSON *root, const struct platform_key *key, struct platform_changes *changes,
                               struct err *err)
{
    const cJSON *now = json_find(root, key->path);
    char value[KEY_VALUE_BYTES] = "default";
    if (!isnan(key->standard)) platform_key_value(key, key->kind == KEY_STEPS ? 0 : (int)key->standard, value);
    char *printed = now ? json_print(now, JSON_LINE) : strdup(value);
    if (!printed) return err_memory(err);
    const char *from = cJSON_IsString(now) ? now->valuestring : printed;
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && platform_key_value(key, i, value); i++)
        if (strcmp(from, value) != 0)
            status = add_change(changes, key->path, from, value, key->path, value, CHANGE_OTHER_VALUE, err);
    free(printed);
    return status;
}

/* The default of a quantity that the file lacks. */
static enum status add_default(const cJSON *root, const struct platform_key *key, struct platform_changes *changes,
                               struct err *err)
{
    struct walk walk = {.changes = changes};
    if (json_find(root, key->path)) return STATUS_OK;
    cJSON *standard = cJSON_CreateNumber(key->standard);
    if (!standard) return err_memory(err);
    snprintf(walk.of, sizeof walk.of, "%s", key->path);
    snprintf(walk.path, sizeof walk.path, "%s", key->path);
    enum status status = add_both(&walk, standard, key->standard * PLATFORM_CHANGES_ASSUMED, CHANGE_ASSUMED, err);
    cJSON_Delete(standard);
    return status;
}

enum status platform_changes_find(const char *platform, const char *const *overrides, size_t override_count,
                         struct platform_changes *changes, struct err *err)
{
    cJSON *root;
    *changes = (struct platform_changes){0};
    TRY(platform_effective(platform, overrides, override_count, &root, err));
    const struct walk walk = {.changes = changes};
    enum status status = visit_item(&walk, root, err);
    for (const struct platform_key *key = platform_keys; status == STATUS_OK && key->path; key++) {
        if (platform_key_chooses(key))
            status = add_choices(root, key, changes, err);
        else if (is_quantity(key) && key->standard > 0)
            status = add_default(root, key, changes, err);
    }
    cJSON_Delete(root);
    return status;
}

void platform_changes_clear(struct platform_changes *changes)
{
    for (size_t i = 0; i < changes->count; i++) clear_change(&changes->items[i]);
    free(changes->items);
    *changes = (struct platform_changes){0};
}

const char *change_why_name(enum change_why why)
{
    static const char *const names[] = {[CHANGE_STATED_ERROR] = "stated error",
                                        [CHANGE_ASSUMED] = "10 % assumed",
                                        [CHANGE_OTHER_VALUE] = "other value"};
    return names[why];
}
