/* Applies --set KEY=VALUE to the JSON of a platform file before it is checked (docs/platforms.md, Overrides). */
#include <stdlib.h>
#include <string.h>

#include "common/json/json_write.h"
#include "common/units.h"
#include "platforms/read.h"

/* What the value of such a key is; KEY_OTHER: there is no such key. */
static enum key_kind kind_of(const char *path)
{
    const struct platform_key *key = platform_key_of(path);
    return key ? key->kind : KEY_OTHER;
}

/* NULL: no memory. A bare string is a quantity where its key has a unit ("network.latency_s=10us"), else text. */
static cJSON *value_from_text(enum key_kind kind, const char *text)
{
    double number;
    int64_t bytes;
    if ((kind == KEY_TIME || kind == KEY_PAUSE) && units_parse_duration(text, &number)) return cJSON_CreateNumber(number);
    if (kind == KEY_RATE && units_parse_rate(text, &number)) return cJSON_CreateNumber(number);
    if ((kind == KEY_SIZE || kind == KEY_LIMIT) && units_parse_size(text, &bytes)) return cJSON_CreateNumber((double)bytes);
    return cJSON_CreateString(text);
}

/* Text that begins as an array or an object is JSON, and an error where it is none. */
enum status override_value(const char *override, const char *path, const char *text, cJSON **value, struct err *err)
{
    struct json_document document;
    struct err why = {0};
    enum status status = json_parse(text, "--set", &document, &why);
    if (status == STATUS_OK) {
        *value = document.root;
        document.root = NULL;
        json_close(&document);
        return STATUS_OK;
    }
    if (status != STATUS_SYSTEM && (*text == '[' || *text == '{')) {
        const char *cause = why.text + strlen("--set:");
        json_cut_line(why.text);
        return err_set(err, STATUS_USAGE, "--set", override, "%s", cause + (strncmp(cause, "1: ", 3) == 0 ? 3 : 0));
    }
    *value = status == STATUS_SYSTEM ? NULL : value_from_text(kind_of(path), text);
    return *value ? STATUS_OK : err_memory(err);
}

/* The end of the key: its '=', or the end of the text. Parts in quotes may contain any character. */
static const char *end_of_key(const char *override)
{
    const char *at = override;
    for (; *at && *at != '='; at++) {
        const char *close = *at == '"' ? strchr(at + 1, '"') : NULL;
        if (close) at = close;
    }
    return at;
}

/* Gives the key as paths in messages are, without the quotes of its parts. */
static char *key_path(const char *override, char path[JSON_PATH_BYTES])
{
    size_t used = 0;
    for (const char *at = override, *end = end_of_key(override); at < end && used + 1 < JSON_PATH_BYTES; at++)
        if (*at != '"') path[used++] = *at;
    path[used] = '\0';
    return path;
}

/* Ends the first part of the key, which may be in quotes. Returns the rest after its dot; NULL: it is the last part. */
static char *end_part(char **part)
{
    char *close = **part == '"' ? strchr(*part + 1, '"') : NULL;
    char *dot = strchr(close ? close : *part, '.');
    if (close) {
        ++*part;
        *close = '\0';
    }
    if (dot) *dot++ = '\0';
    return dot;
}

/* Puts an object in the place of a null, with the same meaning: no server is the profile's. NULL: out of memory. */
static cJSON *open_null(cJSON *root, const char *key)
{
    static const char serves[] = "mpi.rma.protocol.serves.";
    cJSON *object = cJSON_CreateObject();
    for (const struct platform_key *row = platform_keys; row->path && strcmp(key, "serves") == 0; row++)
        if (strncmp(row->path, serves, sizeof serves - 1) == 0) json_add_null(object, row->path + sizeof serves - 1);
    return json_replace(root, key, object) && json_whole(object, NULL) == STATUS_OK ? object : NULL;
}

/* The object that the last part of the key belongs to; *last is that part. */
static enum status walk_path(cJSON *root, char *key, const char *override, cJSON **object, char **last, struct err *err)
{
    char *part = key;
    for (char *rest = end_part(&part); rest; part = rest, rest = end_part(&part)) {
        cJSON *next = cJSON_GetObjectItemCaseSensitive(root, part);
        if (!next && *part && !(next = json_add_object(root, part))) return err_memory(err);
        if (*part && cJSON_IsNull(next) && !(next = open_null(root, part))) return err_memory(err);
        if (!*part || !cJSON_IsObject(next))
            return err_set(err, STATUS_USAGE, "--set", override, "'%s' is no object, expected SECTION.KEY=VALUE", part);
        root = next;
    }
    *object = root;
    *last = part;
    return STATUS_OK;
}

/* The lists of steps that have short names, mpi.rma.lock and mpi.rma.fence. */
enum { NAMED_CALLS = 2 };
static const enum steps_call named_calls[NAMED_CALLS] = {STEPS_LOCK, STEPS_FENCE};
static const char *const named_keys[NAMED_CALLS] = {"mpi.rma.lock", "mpi.rma.fence"};

/* A short name of an override changes the file's list, as it does a profile's. A name or a list that is wrong is left for its
 * reader. False: out of memory. */
static bool rename_list(cJSON *rma, const char *path, const char *name)
{
    cJSON *calls = json_find(rma, "protocol.calls");
    for (size_t i = 0; i < NAMED_CALLS; i++) {
        const char *key = steps_call_names[named_calls[i]];
        struct json_document document = {.file = ""};
        const struct json_node list = {&document, cJSON_GetObjectItemCaseSensitive(calls, key), ""};
        struct call_steps steps;
        struct err err = {0};
        if (strcmp(path, named_keys[i]) != 0 || !list.item || !name) continue;
        const int index = platform_name_index(platform_key_find(path)->names, name);
        if (index < 0 || steps_read(&list, named_calls[i], &steps, &err) != STATUS_OK) continue;
        steps_rename(&steps, named_calls[i], index > 0);
        cJSON *made;
        return json_made(steps_json(&steps), &made, NULL) == STATUS_OK && json_replace(calls, key, made);
    }
    return true;
}

enum status override_drop_names(const struct json_document *lists, const struct json_document *names, struct err *err)
{
    const cJSON *calls = json_find(lists->root, "mpi.rma.protocol.calls");
    const struct json_node root = json_root(names);
    for (size_t i = 0; i < NAMED_CALLS; i++) {
        const struct json_node name = key_node(&root, named_keys[i]);
        int index;
        if (!name.item || !cJSON_HasObjectItem(calls, steps_call_names[named_calls[i]])) continue;
        TRY(name_read(&name, platform_key_find(named_keys[i])->names, &index, err));
        cJSON_DeleteItemFromObjectCaseSensitive(json_find(names->root, "mpi.rma"), steps_call_names[named_calls[i]]);
    }
    return STATUS_OK;
}

/* Removes the key from the rows of size segments. */
static void drop_from_rows(cJSON *lines, const char *key)
{
    static const char *const places[] = {"segments", "latency_s", "bandwidth_Bps"};
    cJSON *row;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(lines, places[i]);
        if (!cJSON_IsArray(list)) continue;
        cJSON_ArrayForEach(row, list) cJSON_DeleteItemFromObjectCaseSensitive(row, key);
    }
}

/* Whether the override is one of the network's latency or rate, which may have size segments beside it. */
static bool is_line(const char *path, const char *key)
{
    char beside[JSON_PATH_BYTES + 16];
    if (strcmp(key, "latency_s") != 0 && strcmp(key, "bandwidth_Bps") != 0) return false;
    snprintf(beside, sizeof beside, "%.*ssegments", (int)(strlen(path) - strlen(key)), path);
    return platform_key_find(beside) != NULL;
}

/* A latency or rate that is no list holds for all messages: of each size, and for those of sends and collectives, too. False: out
 * of memory. */
static bool spread_line(cJSON *lines, const char *key)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(lines, key);
    cJSON *two_sided = cJSON_GetObjectItemCaseSensitive(lines, "two_sided");
    if (cJSON_IsArray(value)) return true;
    drop_from_rows(lines, key);
    if (!cJSON_IsObject(two_sided)) return true;
    drop_from_rows(two_sided, key);
    cJSON_DeleteItemFromObjectCaseSensitive(two_sided, key);
    return json_put(two_sided, key, cJSON_Duplicate(value, true));
}

static bool scale_item(cJSON *item, const char *key, double factor)
{
    bool scaled = false;
    cJSON *row;
    if (cJSON_IsNumber(item)) return cJSON_SetNumberHelper(item, item->valuedouble * factor), true;
    if (cJSON_IsArray(item))
        cJSON_ArrayForEach(row, item) scaled |= scale_item(cJSON_GetObjectItemCaseSensitive(row, key), key, factor);
    if (cJSON_IsObject(item)) {
        scaled = scale_item(cJSON_GetObjectItemCaseSensitive(item, "value"), key, factor);
        scale_item(cJSON_GetObjectItemCaseSensitive(item, "error"), key, factor);
    }
    return scaled;
}

bool override_scale(cJSON *object, const struct platform_key *key, const char *name, double factor)
{
    cJSON *stated = cJSON_GetObjectItemCaseSensitive(object, name);
    if (stated || !key || strncmp(key->path, "nodes.", strlen("nodes.")) != 0 || !(key->standard > 0))
        return scale_item(stated, name, factor);
    return json_put(object, name, cJSON_CreateNumber(key->standard * factor));
}

enum status override_factor(const char *override, const char *text, double *factor, struct err *err)
{
    char *end;
    *factor = strtod(text + 1, &end);
    if (!*end && end > text + 1 && *factor > 0 && *factor < 1e12) return STATUS_OK;
    return err_set(err, STATUS_USAGE, "--set", override, "expected *FACTOR, a factor above 0, as *0.5");
}

enum status override_states_none(const char *override, struct err *err)
{
    return err_set(err, STATUS_USAGE, "--set", override, "the platform file states no value to multiply");
}

/* KEY=*FACTOR: what the file states, times the factor; of a line its size segments and those of sends, all alike. */
static enum status scale_key(cJSON *object, const char *path, const char *key, const char *override, double factor,
                             struct err *err)
{
    static const char *const beside[] = {"segments", "latency_s", "bandwidth_Bps"};
    bool scaled = override_scale(object, platform_key_find(path), key, factor);
    for (size_t i = 0; is_line(path, key) && i < sizeof beside / sizeof *beside; i++) {
        cJSON *list = cJSON_GetObjectItemCaseSensitive(object, beside[i]);
        if (cJSON_IsArray(list) && strcmp(beside[i], key) != 0) scaled |= scale_item(list, key, factor);
    }
    cJSON *two_sided = is_line(path, key) ? cJSON_GetObjectItemCaseSensitive(object, "two_sided") : NULL;
    if (cJSON_IsObject(two_sided) && scale_key(two_sided, path, key, override, factor, NULL) == STATUS_OK) scaled = true;
    if (scaled) return STATUS_OK;
    return override_states_none(override, err);
}

/* The override names one server for all messages, so it removes other ones of the file and its profile. Progress ranks serve
 * what the library's software serves, so they need them. False: out of memory. */
static bool drop_servers(cJSON *rma, const char *path, const cJSON *value)
{
    const char *text = cJSON_GetStringValue(value);
    if (strcmp(path, "mpi.rma.progress") != 0 || (text && strncmp(text, "ranks:", 6) == 0)) return true;
    cJSON *protocol = cJSON_GetObjectItemCaseSensitive(rma, "protocol");
    if (!protocol) protocol = json_add_object(rma, "protocol");
    if (!protocol) return false;
    if (!cJSON_IsObject(protocol)) return true; /* its reader reports the error */
    cJSON_DeleteItemFromObjectCaseSensitive(protocol, "serves");
    return json_add_null(protocol, "serves") != NULL;
}

enum status override_apply(struct json_document *document, const char *override, struct err *err)
{
    const char *equals = end_of_key(override);
    if (!*equals || equals == override || equals[-1] == '.' || !cJSON_IsObject(document->root))
        return err_set(err, STATUS_USAGE, "--set", override, "not understood, expected SECTION.KEY=VALUE");
    cJSON *object = NULL, *value = NULL;
    char *last = NULL, path[JSON_PATH_BYTES];
    bool of_nodes;
    TRY(override_nodes(document, override, key_path(override, path), &of_nodes, err));
    if (of_nodes) return STATUS_OK;
    char *key = strndup(override, (size_t)(equals - override));
    if (!key) return err_memory(err);
    enum status status = walk_path(document->root, key, override, &object, &last, err);
    if (status == STATUS_OK && equals[1] == '*') {
        double factor;
        status = override_factor(override, equals + 1, &factor, err);
        if (status == STATUS_OK) status = scale_key(object, path, last, override, factor, err);
        free(key);
        return status;
    }
    if (status == STATUS_OK) status = override_value(override, path, equals + 1, &value, err);
    if (status == STATUS_OK) {
        const char *name = cJSON_GetStringValue(value);
        cJSON_DeleteItemFromObjectCaseSensitive(object, last);
        /* Removes keys that state the same value in another form: the override replaces the file's form. */
        static const char *const alternatives[][2] = {
            {"mapping.ranks", "ranks_per_node"},
            {"mapping.ranks", "round_robin"},
            {"mapping.ranks_per_node", "ranks"},
            {"mapping.round_robin", "ranks"},
        };
        for (size_t i = 0; i < sizeof alternatives / sizeof *alternatives; i++)
            if (strcmp(path, alternatives[i][0]) == 0) cJSON_DeleteItemFromObjectCaseSensitive(object, alternatives[i][1]);
        bool made = rename_list(object, path, name) && drop_servers(object, path, value), put = json_put(object, last, value);
        if (!made || !put || (is_line(path, last) && !spread_line(object, last))) status = err_memory(err);
    }
    free(key);
    return status;
}

/* Appends "KEY" or "SECTION.KEY" of each member that states a value; the list is cut where it is full. */
static void list_keys(const cJSON *object, const char *section, char *list, size_t room)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        size_t used = strlen(list);
        if (json_key_ignored(item->string) || strcmp(item->string, "profile") == 0) continue;
        if (strcmp(item->string, "rma") == 0 && cJSON_IsObject(item))
            list_keys(item, "mpi.rma.", list, room);
        else
            snprintf(list + used, room - used, "%s%s%s", used ? ", " : "", section, item->string);
    }
}

bool override_asks(const char *const *overrides, size_t override_count, const char *key)
{
    char path[JSON_PATH_BYTES];
    for (size_t i = 0; i < override_count; i++)
        if (strcmp(key_path(overrides[i], path), key) == 0) return true;
    return false;
}

enum status override_library(struct json_document *document, const char *const *overrides, size_t override_count,
                             char **replaced, struct err *err)
{
    char list[1000] = "";
    if (!override_asks(overrides, override_count, "mpi.profile")) return STATUS_OK;
    if (!cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(document->root, "mpi"))) return STATUS_OK;
    list_keys(cJSON_GetObjectItemCaseSensitive(document->root, "mpi"), "mpi.", list, sizeof list);
    cJSON_DeleteItemFromObjectCaseSensitive(document->root, "mpi");
    if (!*list) return STATUS_OK;
    *replaced = strdup(list);
    return *replaced ? STATUS_OK : err_memory(err);
}

/* Whether the paths are equal, or one is a prefix of the other ("a.b" of "a.b.c" or "a.b[0]"). */
static bool keys_related(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t common = a_length < b_length ? a_length : b_length;
    if (common == 0 || memcmp(a, b, common) != 0) return false;
    char next = a_length > common ? a[common] : b_length > common ? b[common] : '.';
    return next == '.' || next == '[';
}

enum status override_blame(const struct json_document *document, const char *const *overrides, size_t override_count,
                           struct err *err)
{
    static const char *const examples[] = {[KEY_TIME] = "10us",  [KEY_PAUSE] = "10us",     [KEY_SIZE] = "64K",
                                           [KEY_LIMIT] = "64K", [KEY_RATE] = "12.5GB/s", [KEY_SHARE] = NULL};
    size_t skip = strlen(document->file);
    if (strncmp(err->text, document->file, skip) != 0 || err->text[skip] != ':') return err->status;
    const char *path = err->text + skip + 1;
    const char *message = strstr(path, ": ");
    if (!message) return err->status;
    for (size_t i = 0; i < override_count; i++) {
        char key[JSON_PATH_BYTES];
        size_t key_length = strlen(key_path(overrides[i], key));
        if (!keys_related(path, (size_t)(message - path), key, key_length)) continue;
        char text[ERR_TEXT_BYTES]; /* the fault, after the position inside the value if there is one */
        const char *inside = path + key_length;
        bool deeper = inside < message && (*inside == '.' || *inside == '[');
        strcpy(text, deeper ? inside + (*inside == '.') : message + 2);
        json_cut_line(text); /* of the file, which the option overrides */
        bool wrong_type = strncmp(text, "wrong type", strlen("wrong type")) == 0 && !strstr(text, "an object");
        const char *example = wrong_type ? examples[kind_of(key)] : NULL;
        return err_set(err, STATUS_USAGE, "--set", overrides[i], "%s%s%s", text, example ? ", or with its unit, as " : "",
                       example ? example : "");
    }
    return err->status;
}
