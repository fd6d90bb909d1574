/* The reader of nodes and the overrides of single nodes are declared in platforms/read.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json/json_write.h"
#include "platforms/nodes.h"
#include "platforms/read.h"

static const char section[] = "nodes.";
#define SLOWDOWN_MOST 1e6

/* The key of a group's member; NULL: there is none. */
static const struct platform_key *group_key(const char *name)
{
    char path[JSON_PATH_BYTES];
    snprintf(path, sizeof path, "%s%.200s", section, name);
    return platform_key_find(path);
}

static enum status read_name(const struct json_node *group, char **name, struct err *err)
{
    const struct json_node node = json_member(group, "name");
    const char *text;
    *name = NULL;
    if (!node.item) return STATUS_OK;
    TRY(json_string(&node, &text, err));
    if (!*text || strpbrk(text, "[].=\"") || strspn(text, "0123456789") > 0)
        return json_error(&node, err, "'%s', expected a name that begins with no digit and has none of [].=\"", text);
    *name = strdup(text);
    return *name ? STATUS_OK : err_memory(err);
}

/* An override may have split a group: its parts keep the name. */
static const char part[] = "$part";

static enum status check_name(const struct json_node *group, const struct node_group *made, const struct platform *platform,
                              struct err *err)
{
    const struct json_node node = json_member(group, "name");
    for (size_t i = 0; made->name && i < platform->group_count && !cJSON_HasObjectItem(group->item, part); i++)
        if (platform->groups[i].name && strcmp(platform->groups[i].name, made->name) == 0)
            return json_error(&node, err, "'%s' is the name of nodes[%zu], too, expected another one", made->name, i);
    return STATUS_OK;
}

/* Whether the measured value is smaller than it may be by more than twice the errors: so far may they have moved it, by
 * platform_shift_make() and in platform.erring. */
static bool is_below(double value, double least, double errors)
{
    return value < least - 2 * errors - 1e-9;
}

/* A row that falls within twice the errors does not fall. */
static enum status read_curve_row(const struct json_node *row, const struct memory_row *before, double *error,
                                  struct memory_row *made, struct err *err)
{
    static const char *const keys[] = {"ranks", "slowdown", NULL};
    const struct json_node ranks = json_member(row, "ranks"), slowdown = json_member(row, "slowdown");
    int64_t count;
    TRY(json_object(row, err));
    TRY(json_known_keys(row, keys, err));
    TRY(json_integer(&ranks, 1, CORES_MAX, &count, err));
    TRY(measured_read(&slowdown, 1, SLOWDOWN_MOST, &made->slowdown, err));
    if (before && count <= before->ranks)
        return json_error(&ranks, err, "%" PRId64 " behind %" PRId32 ", expected more ranks from row to row", count,
                          before->ranks);
    const double own = measured_error(&slowdown);
    if (count == 1 && is_below(1, made->slowdown, own))
        return json_error(&slowdown, err, "%g for one rank, expected 1: the others are relative to it", made->slowdown);
    if (before && is_below(made->slowdown, before->slowdown, *error + own))
        return json_error(&slowdown, err, "%g behind %g, expected no smaller slowdown for more ranks", made->slowdown,
                          before->slowdown);
    made->ranks = (int32_t)count;
    if (count == 1) made->slowdown = 1;
    if (before && made->slowdown < before->slowdown) made->slowdown = before->slowdown;
    *error = own;
    return STATUS_OK;
}

static enum status read_curve(const struct json_node *curve, struct node_group *group, struct err *err)
{
    double error = 0;
    if (!curve->item) return STATUS_OK;
    TRY(json_array(curve, err));
    const size_t count = json_count(curve);
    if (count < 1 || count > MEMORY_ROWS_MAX)
        return json_error(curve, err, "%zu rows, expected 1 to %d", count, MEMORY_ROWS_MAX);
    for (size_t i = 0; i < count; i++) {
        const struct json_node row = json_element(curve, i);
        TRY(read_curve_row(&row, i > 0 ? &group->memory_curve[i - 1] : NULL, &error, &group->memory_curve[i], err));
    }
    group->memory_rows = (int32_t)count;
    return STATUS_OK;
}

/* Into platform->group. The name, which makes groups differ, is left out. */
static enum status read_value(const struct json_node *node, const struct platform_key *key, struct platform *platform,
                              struct err *err)
{
    if (key->kind == KEY_OTHER) return STATUS_OK;
    return key->kind == KEY_SLOWDOWN ? read_curve(node, &platform->group, err) : value_read(node, key, platform, err);
}

/* Into platform->group, whose values so far are the defaults. */
static enum status read_values(const struct json_node *group, const struct platform_key *nodes, struct platform *platform,
                               struct err *err)
{
    TRY(section_read(group, nodes, platform, err));
    for (const struct platform_key *key = platform_keys; key->path; key++) {
        if (strncmp(key->path, section, sizeof section - 1) != 0) continue;
        const struct json_node node = json_member(group, key->path + sizeof section - 1);
        TRY(read_value(&node, key, platform, err));
    }
    return STATUS_OK;
}

static enum status read_group(const struct json_node *node, const struct platform_key *key, struct platform *platform,
                              size_t *capacity, struct err *err)
{
    const struct node_group standard = platform->group;
    TRY(read_values(node, key, platform, err));
    struct node_group made = platform->group;
    platform->group = standard;
    if (made.count > NODES_MAX - platform->node_count)
        return json_error(node, err, "more than %d nodes in all groups, expected fewer", NODES_MAX);
    TRY(read_name(node, &made.name, err));
    platform->node_count += made.count;
    enum status status = check_name(node, &made, platform, err);
    if (status == STATUS_OK)
        status = array_reserve((void **)&platform->groups, capacity, platform->group_count + 1, sizeof made, err);
    if (status == STATUS_OK)
        platform->groups[platform->group_count++] = made;
    else
        free(made.name);
    return status;
}

enum status nodes_read(const struct json_node *nodes, const struct platform_key *key, struct platform *platform, struct err *err)
{
    size_t capacity = 0, i = 0;
    if (!cJSON_IsArray(nodes->item)) return read_group(nodes, key, platform, &capacity, err);
    if (json_count(nodes) == 0) return json_error(nodes, err, "empty, expected groups of nodes");
    for (struct json_node node = json_element(nodes, 0); node.item; node = json_next(nodes, &node, ++i))
        TRY(read_group(&node, key, platform, &capacity, err));
    return STATUS_OK;
}

/* --- in the JSON of a file --- */

static int32_t nodes_of(const cJSON *group)
{
    const cJSON *count = cJSON_GetObjectItemCaseSensitive(group, "count");
    return cJSON_IsNumber(count) && count->valuedouble >= 1 && count->valuedouble <= NODES_MAX ? count->valueint : 0;
}

/* The list of the root's groups, which takes the place of a single one. NULL: no memory, or there is no list. */
static cJSON *list_groups(cJSON *root)
{
    cJSON *nodes = cJSON_GetObjectItemCaseSensitive(root, "nodes");
    if (!cJSON_IsObject(nodes)) return nodes;
    cJSON *list = cJSON_CreateArray(), *group = json_append_object(list), *copy = cJSON_Duplicate(nodes, true);
    bool made = group && copy && cJSON_ReplaceItemInObjectCaseSensitive(root, "nodes", list);
    if (made) {
        group->child = copy->child;
        copy->child = NULL;
    } else {
        cJSON_Delete(list);
    }
    cJSON_Delete(copy);
    return made ? list : NULL;
}

/* Makes a group begin with this node, if there is one. False: no memory. */
static bool split_groups(cJSON *groups, int64_t node)
{
    int at = 0;
    cJSON *group;
    cJSON_ArrayForEach (group, groups) {
        const int32_t count = nodes_of(group);
        at++;
        if (node <= 0) return true;
        if (node < count) {
            cJSON *rest = cJSON_Duplicate(group, true);
            bool made = json_replace(rest, "count", cJSON_CreateNumber((double)(count - node))) &&
                        json_replace(rest, part, cJSON_CreateTrue()) &&
                        json_replace(group, "count", cJSON_CreateNumber((double)node)) && json_append(groups, rest);
            for (int behind = cJSON_GetArraySize(groups) - 1; made && behind > at; behind--)
                made = json_append(groups, cJSON_DetachItemFromArray(groups, at));
            return made;
        }
        node -= count;
    }
    return true;
}

void nodes_range(const cJSON *groups, const cJSON *group, char text[NODES_RANGE_BYTES])
{
    int64_t first = 0;
    for (const cJSON *before = groups->child; before != group; before = before->next) first += nodes_of(before);
    const int64_t last = first + nodes_of(group) - 1;
    snprintf(text, NODES_RANGE_BYTES, last > first ? "%" PRId64 "-%" PRId64 : "%" PRId64, first, last);
}

enum status nodes_align(cJSON *a, cJSON *b, struct err *err)
{
    const cJSON *of_a = cJSON_GetObjectItemCaseSensitive(a, "nodes"), *of_b = cJSON_GetObjectItemCaseSensitive(b, "nodes");
    if (!cJSON_IsArray(of_a) && !cJSON_IsArray(of_b)) return STATUS_OK;
    cJSON *const sides[] = {list_groups(a), list_groups(b)};
    if (!sides[0] || !sides[1]) return err_memory(err);
    for (int side = 0; side < 2; side++) {
        int64_t border = 0;
        const cJSON *group;
        cJSON_ArrayForEach (group, sides[side])
            if (!split_groups(sides[1 - side], border += nodes_of(group))) return err_memory(err);
    }
    return STATUS_OK;
}

/* --- overrides --- */

struct nodes_override {
    const char *text;    /* "nodes[3].speed=0.8" */
    const char *key;     /* "speed" */
    char chosen[64];     /* "3", "2-5" or a group's name */
    bool all;            /* nothing is in brackets */
    int64_t first, last; /* by number; first -1: by name, or all */
    double factor;       /* of what the groups state; 0: there is a value */
};

/* False: the path is of another form. */
static bool split_path(const char *path, struct nodes_override *override)
{
    const char *rest = strncmp(path, "nodes", 5) == 0 ? path + 5 : "", *end = strchr(rest, ']');
    int read = 0;
    override->all = *rest != '[';
    if (*rest == '[' && end && end - rest < (int)sizeof override->chosen) {
        snprintf(override->chosen, sizeof override->chosen, "%.*s", (int)(end - rest - 1), rest + 1);
        rest = end + 1;
    }
    if (sscanf(override->chosen, "%9" SCNd64 "%n-%9" SCNd64 "%n", &override->first, &read, &override->last, &read) == 1)
        override->last = override->first;
    if (read == 0 || override->chosen[strspn(override->chosen, "0123456789-")]) override->first = -1;
    override->key = rest + 1;
    return *rest == '.';
}

/* The value as the reader of the file takes it. */
static enum status check_value(const struct nodes_override *override, const struct platform_key *key, cJSON *value,
                               struct err *err)
{
    struct platform *made = calloc(1, sizeof *made);
    struct json_document document = {.file = (char *)(uintptr_t)"--set"};
    struct json_node node = {&document, value, ""};
    if (!made) return err_memory(err);
    snprintf(node.path, sizeof node.path, "%s", override->text);
    enum status status = read_value(&node, key, made, err);
    free(made);
    if (status != STATUS_DATA) return status;
    if (err) err->status = STATUS_USAGE;
    return STATUS_USAGE;
}

static enum status refuse_choice(const cJSON *groups, const struct nodes_override *override, int64_t nodes, struct err *err)
{
    char names[200] = "";
    size_t used = 0;
    const cJSON *group;
    cJSON_ArrayForEach (group, groups) {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(group, "name"));
        if (cJSON_HasObjectItem(group, part)) continue;
        if (name && used < sizeof names) used += (size_t)snprintf(names + used, sizeof names - used, ", %s", name);
    }
    return err_set(err, STATUS_USAGE, "--set", override->text,
                   "no such node or group '%s', expected a number from 0 to %" PRId64 ", a range as 0-%" PRId64
                   " or the name of a group%s%s", override->chosen, nodes - 1, nodes - 1, *names ? ": " : "",
                   *names ? names + 2 : "");
}

/* Only a group with a name can be chosen whole, unless an override has split it. */
static enum status refuse_count(const cJSON *groups, const struct nodes_override *override, struct err *err)
{
    const char *name = NULL;
    const cJSON *group;
    if (!override->all)
        return err_set(err, STATUS_USAGE, "--set", override->text,
                       "an override before it has split the group, expected the count as the first one");
    cJSON_ArrayForEach (group, groups)
        if (!name) name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(group, "name"));
    if (name)
        return err_set(err, STATUS_USAGE, "--set", override->text,
                       "several groups of nodes, expected that of a group with a name, as nodes[%s].count", name);
    return err_set(err, STATUS_USAGE, "--set", override->text,
                   "several groups of nodes, none with a name, expected all of them: nodes=[{\"count\": 2}, ...]");
}

static enum status set_group(cJSON *group, const struct nodes_override *override, const cJSON *value, struct err *err)
{
    const struct platform_key *key = group_key(override->key);
    if (override->factor == 0 && !json_replace(group, override->key, cJSON_Duplicate(value, true))) return err_memory(err);
    if (override->factor == 0) return STATUS_OK;
    if (!override_scale(group, key, override->key, override->factor)) return override_states_none(override->text, err);
    return check_value(override, key, cJSON_GetObjectItemCaseSensitive(group, override->key), err);
}

static enum status set_nodes(cJSON *groups, const struct nodes_override *override, const cJSON *value, struct err *err)
{
    const bool numbers = override->first >= 0;
    int64_t node = 0;
    int set = 0;
    cJSON *group;
    if (numbers && (!split_groups(groups, override->first) || !split_groups(groups, override->last + 1))) return err_memory(err);
    cJSON_ArrayForEach (group, groups) {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(group, "name"));
        const bool inside = node >= override->first && node <= override->last;
        node += nodes_of(group);
        if (!cJSON_IsObject(group)) continue;
        if (numbers ? !inside : !override->all && (!name || strcmp(name, override->chosen) != 0)) continue;
        if (set++ > 0 && strcmp(override->key, "count") == 0)
            return refuse_count(groups, override, err);
        TRY(set_group(group, override, value, err));
    }
    const bool beyond = numbers && (override->last >= node || override->last < override->first);
    return set == 0 || beyond ? refuse_choice(groups, override, node, err) : STATUS_OK;
}

enum status override_nodes(struct json_document *document, const char *text, const char *path, bool *done, struct err *err)
{
    struct nodes_override override = {.text = text, .chosen = ""};
    const cJSON *nodes = cJSON_GetObjectItemCaseSensitive(document->root, "nodes");
    *done = split_path(path, &override) && (cJSON_IsArray(nodes) || (!override.all && cJSON_IsObject(nodes)));
    if (!*done) return STATUS_OK;
    const struct platform_key *key = group_key(override.key);
    const char *said = strchr(text, '=') + 1;
    cJSON *value = NULL, *groups;
    const bool named = override.first < 0; /* by its name, or all */
    if (!key || (key->kind == KEY_OTHER && named) || (!named && strcmp(override.key, "count") == 0))
        return err_set(err, STATUS_USAGE, "--set", text,
                       "no key of a node, expected cores, speed, memory_bandwidth_Bps or memory_curve");
    enum status status = *said == '*' ? override_factor(text, said, &override.factor, err)
                                      : override_value(text, key->path, said, &value, err);
    if (status == STATUS_OK && value) status = check_value(&override, key, value, err);
    if (status == STATUS_OK && !(groups = list_groups(document->root))) status = err_memory(err);
    if (status == STATUS_OK) status = set_nodes(groups, &override, value, err);
    cJSON_Delete(value);
    return status;
}
