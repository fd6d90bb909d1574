#include "predictors/sweep/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/files/place.h"
#include "common/json.h"
#include "common/json/json_write.h"
#include "platforms/platform_file.h"
#include "platforms/semantics_text.h"
#include "predictors/transforms/transform.h"
#include "trace/limits.h"
#include "trace/open.h"

/* Reads one value of an axis. */
typedef enum status value_reader(const struct json_node *node, struct sweep_value *value, struct err *err);
static value_reader read_ranks, read_platform, read_mapping, read_transforms, read_semantics;

static const struct {
    const char *key, *name;
    const char *fallback[4]; /* the values where the key is missing */
    value_reader *read;
} axes[SWEEP_AXES] = {
    [SWEEP_RANKS] = {"ranks", "ranks", {NULL}, read_ranks},
    [SWEEP_PLATFORMS] = {"platforms", "platform", {NULL}, read_platform},
    [SWEEP_MAPPINGS] = {"mappings", "mapping", {"platform"}, read_mapping},
    [SWEEP_TRANSFORMS] = {"transforms", "transforms", {"none"}, read_transforms},
    [SWEEP_SEMANTICS] = {"semantics", "semantics", {"a", "b", "c", "d"}, read_semantics},
};

const char *sweep_axis_name(enum sweep_axis axis)
{
    return axes[axis].name;
}

static enum status set_name(struct sweep_value *value, const char *name, struct err *err)
{
    free(value->name);
    value->name = strdup(name);
    return value->name ? STATUS_OK : err_memory(err);
}

static enum status add_text(struct sweep_value *value, const char *text, struct err *err)
{
    char *copy = strdup(text);
    if (!copy) return err_memory(err);
    enum status status = array_reserve((void **)&value->texts, &value->capacity, value->count + 1, sizeof copy, err);
    if (status == STATUS_OK)
        value->texts[value->count++] = copy;
    else
        free(copy);
    return status;
}

/* "PREFIXKEY=VALUE": JSON, or a bare string as "10us". */
static enum status add_override(struct sweep_value *value, const char *prefix, const cJSON *item, struct err *err)
{
    char *json = cJSON_IsString(item) ? NULL : json_print(item, JSON_LINE), *text = NULL;
    const char *shown = json ? json : cJSON_GetStringValue(item);
    int length = shown ? asprintf(&text, "%s%s=%s", prefix, item->string, shown) : -1;
    free(json);
    if (length < 0) return err_memory(err);
    enum status status = add_text(value, text, err);
    free(text);
    return status;
}

/* --- the axes' values --- */

static enum status read_ranks(const struct json_node *node, struct sweep_value *value, struct err *err)
{
    int64_t ranks;
    char text[24];
    TRY(json_integer(node, 1, TRACE_RANKS_MAX, &ranks, err));
    value->ranks = (uint32_t)ranks;
    snprintf(text, sizeof text, "%u", value->ranks);
    return set_name(value, text, err);
}

/* A file is looked for from the configuration's directory, then from the working directory. The caller frees *path. */
static enum status find_file(const struct json_node *node, const char *name, char **path, struct err *err)
{
    const char *configuration = node->document->file, *slash = strrchr(configuration, '/');
    int length = slash ? (int)(slash - configuration) + 1 : 0;
    if (asprintf(path, "%.*s%s", *name == '/' ? 0 : length, configuration, name) < 0) return err_memory(err);
    bool there = false;
    enum status status = place_look(*path, &there, err);
    if (there) return STATUS_OK;
    free(*path);
    TRY(status);
    *path = strdup(name);
    return *path ? STATUS_OK : err_memory(err);
}

static enum status find_platform(const struct json_node *node, const char *name, char **file, struct err *err)
{
    char *path, found[PLATFORM_PATH_BYTES];
    struct err why;
    if (strcmp(name, "ideal") == 0) {
        *file = strdup(name);
        return *file ? STATUS_OK : err_memory(err);
    }
    TRY(find_file(node, name, &path, err));
    bool there = true;
    enum status status = platform_file_find(path, found, &why);
    if (status == STATUS_OK) status = place_look(found, &there, &why);
    if (!there) status = err_set(&why, STATUS_DATA, name, NULL, "no such file, expected a platform file");
    free(path);
    if (status == STATUS_DATA) return json_error(node, err, "%s", why.text);
    if (status != STATUS_OK) return err_set(err, status, NULL, NULL, "%s", why.text);
    *file = strdup(found);
    return *file ? STATUS_OK : err_memory(err);
}

/* "NAME", or {"file": "NAME", "name": ..., "set": {"KEY.PATH": VALUE}}. */
static enum status read_platform(const struct json_node *node, struct sweep_value *value, struct err *err)
{
    static const char *const keys[] = {"file", "name", "set", NULL};
    const char *file, *name;
    if (cJSON_IsString(node->item)) {
        TRY(set_name(value, node->item->valuestring, err));
        return find_platform(node, node->item->valuestring, &value->file, err);
    }
    struct json_node at = json_member(node, "file"), named = json_member(node, "name"), set = json_member(node, "set");
    TRY(json_object(node, err));
    TRY(json_known_keys(node, keys, err));
    TRY(json_string(&at, &file, err));
    TRY(find_platform(&at, file, &value->file, err));
    name = file;
    if (named.item) TRY(json_string(&named, &name, err));
    TRY(set_name(value, name, err));
    if (!set.item) return STATUS_OK;
    TRY(json_object(&set, err));
    const cJSON *item;
    cJSON_ArrayForEach(item, set.item) TRY(add_override(value, "", item, err));
    return STATUS_OK;
}

/* "platform" for the platform file's mapping, or an object like a platform file's "mapping". */
static enum status read_mapping(const struct json_node *node, struct sweep_value *value, struct err *err)
{
    static const char *const keys[] = {"name", "ranks_per_node", "round_robin", "ranks", NULL};
    const char *name;
    if (cJSON_IsString(node->item)) {
        if (strcmp(node->item->valuestring, "platform") == 0) return set_name(value, "platform", err);
        return json_error(node, err, "'%s', expected platform or an object as platform files have it",
                          node->item->valuestring);
    }
    TRY(json_object(node, err));
    TRY(json_known_keys(node, keys, err));
    const cJSON *item;
    cJSON_ArrayForEach(item, node->item) if (!json_key_ignored(item->string) && strcmp(item->string, "name") != 0)
        TRY(add_override(value, "mapping.", item, err));
    struct json_node named = json_member(node, "name");
    if (!named.item) {
        char *json = json_print(node->item, JSON_LINE);
        enum status status = json ? set_name(value, json, err) : err_memory(err);
        free(json);
        return status;
    }
    TRY(json_string(&named, &name, err));
    return set_name(value, name, err);
}

/* "none", or "post-early+put=rput". */
static enum status read_transforms(const struct json_node *node, struct sweep_value *value, struct err *err)
{
    const char *name;
    TRY(json_string(node, &name, err));
    TRY(set_name(value, name, err));
    if (strcmp(name, "none") == 0) return STATUS_OK;
    char *copy = strdup(name), *rest = copy;
    enum status status = copy ? STATUS_OK : err_memory(err);
    for (char *spec; status == STATUS_OK && (spec = strsep(&rest, "+"));) {
        struct err why;
        status = transform_check(spec, &why);
        status = status == STATUS_OK ? add_text(value, spec, err) : json_error(node, err, "%s", why.text);
    }
    free(copy);
    return status;
}

static enum status read_semantics(const struct json_node *node, struct sweep_value *value, struct err *err)
{
    const char *text;
    struct err why;
    TRY(json_string(node, &text, err));
    if (semantics_text_check(text, &why) != STATUS_OK) return json_error(node, err, "semantics %s", why.text);
    return set_name(value, text, err);
}

/* --- the whole --- */

static void value_clear(struct sweep_value *value)
{
    for (size_t i = 0; i < value->count; i++) free(value->texts[i]);
    FREE_ALL(value->texts, value->name, value->file);
}

static enum status add_value(const struct json_node *node, enum sweep_axis axis, struct sweep_values *values,
                             struct err *err)
{
    struct sweep_value value = {.name = NULL};
    enum status status = axes[axis].read(node, &value, err);
    for (size_t i = 0; status == STATUS_OK && i < values->count; i++)
        if (strcmp(values->items[i].name, value.name) == 0)
            status = json_error(node, err, "'%s' stands twice, expected each once", value.name);
    if (status == STATUS_OK)
        status = array_reserve((void **)&values->items, &values->capacity, values->count + 1, sizeof value, err);
    if (status == STATUS_OK)
        values->items[values->count++] = value;
    else
        value_clear(&value);
    return status;
}

static enum status add_fallbacks(const struct json_node *list, enum sweep_axis axis, struct sweep_values *values,
                                 struct err *err)
{
    for (size_t i = 0; i < sizeof axes[0].fallback / sizeof *axes[0].fallback && axes[axis].fallback[i]; i++) {
        cJSON item = {.type = cJSON_String, .valuestring = (char *)(uintptr_t)axes[axis].fallback[i]};
        struct json_node node = *list;
        node.item = &item;
        TRY(add_value(&node, axis, values, err));
    }
    return STATUS_OK;
}

static enum status read_axis(const struct json_node *root, enum sweep_axis axis, struct sweep_values *values,
                             struct err *err)
{
    struct json_node list = json_member(root, axes[axis].key), item;
    if (!list.item && axes[axis].fallback[0]) return add_fallbacks(&list, axis, values, err);
    TRY(json_array(&list, err));
    if (json_count(&list) == 0) return json_error(&list, err, "is empty, expected one value at least");
    item = json_element(&list, 0);
    for (size_t i = 0; item.item; item = json_next(&list, &item, ++i)) TRY(add_value(&item, axis, values, err));
    return STATUS_OK;
}

static enum status read_traces(const struct json_node *root, struct sweep_config *config, struct err *err)
{
    struct json_node list = json_member(root, "traces"), item;
    TRY(json_array(&list, err));
    if (json_count(&list) == 0) return json_error(&list, err, "is empty, expected one trace at least");
    item = json_element(&list, 0);
    for (size_t i = 0; item.item; item = json_next(&list, &item, ++i)) {
        const char *name;
        char *path;
        TRY(json_string(&item, &name, err));
        TRY(find_file(&item, name, &path, err));
        enum status status =
            array_reserve((void **)&config->traces, &config->trace_capacity, config->trace_count + 1, sizeof path, err);
        if (status == STATUS_OK)
            config->traces[config->trace_count++] = path;
        else
            free(path);
        TRY(status);
        bool there;
        TRY(place_look(path, &there, err));
        if (!there) return json_error(&item, err, "no such file '%s', expected a trace", name);
    }
    return STATUS_OK;
}

/* One trace is replayed unchanged; several traces, or a program model, define the program at other numbers of ranks. */
static enum status read_scales(const struct json_node *root, struct sweep_config *config, struct err *err)
{
    struct json_node ranks = json_member(root, "ranks");
    struct sweep_values *values = &config->axes[SWEEP_RANKS];
    enum trace_form form = TRACE_FORM_TRACE;
    if (config->trace_count == 1) TRY(trace_recognise(config->traces[0], &form, err));
    config->model = form == TRACE_FORM_MODEL;
    if (config->trace_count > 1 || (config->model && ranks.item)) return read_axis(root, SWEEP_RANKS, values, err);
    if (ranks.item)
        return json_error(&ranks, err,
                          "one trace is replayed at its own number of ranks, expected several traces for others");
    struct sweep_value value = {.ranks = 0};
    TRY(set_name(&value, "recorded", err));
    enum status status = array_reserve((void **)&values->items, &values->capacity, 1, sizeof value, err);
    if (status == STATUS_OK)
        values->items[values->count++] = value;
    else
        value_clear(&value);
    return status;
}

static enum status read_engine(const struct json_node *root, struct sweep_config *config, struct err *err)
{
    struct json_node node = json_member(root, "engine");
    const char *name;
    config->engine = engine_descriptors()[0];
    if (!node.item) return STATUS_OK;
    TRY(json_string(&node, &name, err));
    config->engine = engine_by_name(name);
    return config->engine ? STATUS_OK : json_error(&node, err, "engine '%s', expected simgrid or loggp", name);
}

static enum status read_root(const struct json_node *root, struct sweep_config *config, struct err *err)
{
    static const char *const keys[] = {"schema",    "traces", "ranks", "platforms",  "mappings", "transforms",
                                       "semantics", "engine", "seed",  "keep_going", "grow",     "memory_bound",
                                       NULL};
    struct json_node schema = json_member(root, "schema"), seed = json_member(root, "seed"),
                     keep_going = json_member(root, "keep_going"), grow = json_member(root, "grow"),
                     memory_bound = json_member(root, "memory_bound");
    const char *text;
    int64_t number = 1;
    TRY(json_object(root, err));
    TRY(json_known_keys(root, keys, err));
    if (schema.item) TRY(json_string(&schema, &text, err));
    if (schema.item && strcmp(text, "rmacast.sweep-config/1") != 0)
        return json_error(&schema, err, "unknown schema '%s', expected rmacast.sweep-config/1", text);
    if (seed.item) TRY(json_integer(&seed, 0, INT32_MAX, &number, err));
    config->seed = (uint64_t)number;
    if (keep_going.item) TRY(json_boolean(&keep_going, &config->keep_going, err));
    if (grow.item) TRY(json_boolean(&grow, &config->grow, err));
    TRY(read_engine(root, config, err));
    TRY(read_traces(root, config, err));
    config->memory_bound = -1;
    if (memory_bound.item) TRY(json_number(&memory_bound, 0, 1, &config->memory_bound, err));
    if (memory_bound.item && (config->model || config->trace_count > 1))
        return json_error(&memory_bound, err, "is of one trace that is replayed as it is, expected such a one");
    TRY(read_scales(root, config, err));
    for (enum sweep_axis axis = SWEEP_PLATFORMS; axis < SWEEP_AXES; axis++)
        TRY(read_axis(root, axis, &config->axes[axis], err));
    return STATUS_OK;
}

enum status sweep_config_read(const char *file, struct sweep_config *config, struct err *err)
{
    struct json_document document;
    struct sweep_config made = {.file = strdup(file)};
    if (!made.file) return err_memory(err);
    enum status status = json_open(file, &document, err);
    if (status == STATUS_OK) {
        struct json_node root = json_root(&document);
        status = read_root(&root, &made, err);
        json_close(&document);
    }
    GIVE(status, *config = made, sweep_config_clear(&made));
}

void sweep_config_clear(struct sweep_config *config)
{
    for (enum sweep_axis axis = 0; axis < SWEEP_AXES; axis++) {
        for (size_t i = 0; i < config->axes[axis].count; i++) value_clear(&config->axes[axis].items[i]);
        free(config->axes[axis].items);
    }
    for (size_t i = 0; i < config->trace_count; i++) free(config->traces[i]);
    FREE_ALL(config->traces, config->file);
    *config = (struct sweep_config){.file = NULL};
}
