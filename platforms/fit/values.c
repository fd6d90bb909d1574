#include "platforms/fit/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json.h"
#include "common/json/json_write.h"
#include "common/text/text.h"
#include "platforms/nodes.h"

enum { PATH_BYTES = 256, TEXT_BYTES = 128 };

/* One key that has a value of its own. */
struct leaf {
    char path[PATH_BYTES];
    const cJSON *item;
};

struct leaves {
    struct leaf *items;
    size_t count, capacity;
};

static bool is_measured(const cJSON *item)
{
    return cJSON_IsObject(item) && cJSON_IsNumber(cJSON_GetObjectItem(item, "value"));
}

/* A list of steps, which may be empty, is one value. */
static bool is_list_of_texts(const cJSON *item)
{
    const cJSON *child;
    cJSON_ArrayForEach (child, item)
        if (!cJSON_IsString(child)) return false;
    return cJSON_IsArray(item);
}

static enum status collect_leaves(const cJSON *item, const char *path, struct leaves *leaves, struct err *err)
{
    const cJSON *child;
    struct leaf leaf = {.item = item};
    int index = 0;
    if (is_measured(item) || is_list_of_texts(item) || !(cJSON_IsObject(item) || cJSON_IsArray(item))) {
        snprintf(leaf.path, sizeof leaf.path, "%s", path);
        ARRAY_PUSH(leaves->items, leaves->count, leaves->capacity, leaf, err);
        return STATUS_OK;
    }
    cJSON_ArrayForEach (child, item) {
        char below[PATH_BYTES];
        if (child->string && json_key_ignored(child->string)) continue;
        char range[NODES_RANGE_BYTES];
        if (child->string)
            snprintf(below, sizeof below, "%.150s%s%.90s", path, *path ? "." : "", child->string);
        else if (strcmp(path, "nodes") == 0 && (nodes_range(item, child, range), true))
            snprintf(below, sizeof below, "nodes[%s]", range);
        else
            snprintf(below, sizeof below, "%.200s[%d]", path, index++);
        TRY(collect_leaves(child, below, leaves, err));
    }
    return STATUS_OK;
}

static const struct leaf *find_leaf(const struct leaves *leaves, const char *path)
{
    for (size_t i = 0; i < leaves->count; i++)
        if (strcmp(leaves->items[i].path, path) == 0) return &leaves->items[i];
    return NULL;
}

/* False: it is no number. *error is 0 if the number has none. */
static bool number_of(const cJSON *item, double *value, double *error)
{
    const cJSON *number = is_measured(item) ? cJSON_GetObjectItem(item, "value") : item,
                *stated = cJSON_GetObjectItem(item, "error");
    if (!cJSON_IsNumber(number)) return false;
    *value = number->valuedouble;
    *error = cJSON_IsNumber(stated) ? stated->valuedouble : 0;
    return true;
}

/* False: no memory. */
static bool print_value(const cJSON *item, char text[TEXT_BYTES])
{
    double value, error;
    if (!item) {
        snprintf(text, TEXT_BYTES, "-");
    } else if (number_of(item, &value, &error)) {
        int used = snprintf(text, TEXT_BYTES, "%.5g", value);
        if (error > 0) snprintf(text + used, (size_t)(TEXT_BYTES - used), " +- %.2g", error);
    } else {
        char *printed = json_print(item, JSON_LINE);
        if (!printed) return false;
        snprintf(text, TEXT_BYTES, "%s", printed);
        free(printed);
    }
    return true;
}

enum status platform_print_values(const cJSON *platform, bool measured_only, FILE *out, struct err *err)
{
    struct leaves leaves = {0};
    enum status status = collect_leaves(platform, "", &leaves, err);
    for (size_t i = 0; status == STATUS_OK && i < leaves.count; i++) {
        const struct leaf *leaf = &leaves.items[i];
        char text[TEXT_BYTES];
        if (is_measured(leaf->item)) {
            double value, error;
            const cJSON *n = cJSON_GetObjectItem(leaf->item, "n");
            number_of(leaf->item, &value, &error);
            text_print(out, "%-42s %12.4g +- %-10.2g %6.1f %%", leaf->path, value, error,
                       value != 0 ? 100 * error / fabs(value) : 0);
            text_print(out, "  n = %g\n", cJSON_IsNumber(n) ? n->valuedouble : 0);
        } else if (!measured_only) {
            if (print_value(leaf->item, text)) text_print(out, "%-42s %12s\n", leaf->path, text);
            else status = err_memory(err);
        }
    }
    free(leaves.items);
    return status;
}

/* a or b may be NULL. */
static bool values_differ(const cJSON *a, const cJSON *b)
{
    double x, y, error_x, error_y;
    if (!a || !b) return true;
    if (number_of(a, &x, &error_x) && number_of(b, &y, &error_y)) return x != y || error_x != error_y;
    return !cJSON_Compare(a, b, true);
}

static void add_difference(cJSON *list, const char *path, const cJSON *a, const cJSON *b)
{
    cJSON *row = json_append_object(list);
    json_add_text(row, "key", path);
    if (a) json_put(row, "first", cJSON_Duplicate(a, true));
    if (b) json_put(row, "second", cJSON_Duplicate(b, true));
}

enum status platform_differences(const cJSON *a, const cJSON *b, cJSON **differences, struct err *err)
{
    struct leaves of_a = {0}, of_b = {0};
    cJSON *list = cJSON_CreateArray();
    enum status status = collect_leaves(a, "", &of_a, err);
    if (status == STATUS_OK) status = collect_leaves(b, "", &of_b, err);
    if (status == STATUS_OK) {
        for (size_t i = 0; i < of_a.count; i++) {
            const struct leaf *own = &of_a.items[i], *other = find_leaf(&of_b, own->path);
            if (values_differ(own->item, other ? other->item : NULL))
                add_difference(list, own->path, own->item, other ? other->item : NULL);
        }
        for (size_t i = 0; i < of_b.count; i++)
            if (!find_leaf(&of_a, of_b.items[i].path)) add_difference(list, of_b.items[i].path, NULL, of_b.items[i].item);
    }
    FREE_ALL(of_a.items, of_b.items);
    if (status == STATUS_OK) return json_made(list, differences, err);
    cJSON_Delete(list);
    return status;
}

enum status platform_print_differences(const cJSON *differences, FILE *out, struct err *err)
{
    const cJSON *row;
    cJSON_ArrayForEach (row, differences) {
        const cJSON *a = cJSON_GetObjectItem(row, "first"), *b = cJSON_GetObjectItem(row, "second");
        char text_a[TEXT_BYTES], text_b[TEXT_BYTES];
        double x, y, error_x, error_y;
        bool numbers = a && b && number_of(a, &x, &error_x) && number_of(b, &y, &error_y);
        if (!print_value(a, text_a) || !print_value(b, text_b)) return err_memory(err);
        text_print(out, "%-42s %-24s %-24s", cJSON_GetStringValue(cJSON_GetObjectItem(row, "key")), text_a, text_b);
        if (numbers && x != 0) text_print(out, " %+8.1f %%", 100 * (y - x) / fabs(x));
        if (numbers && hypot(error_x, error_y) > 0) text_print(out, " %6.1f errors", fabs(y - x) / hypot(error_x, error_y));
        fputc('\n', out);
    }
    return STATUS_OK;
}
