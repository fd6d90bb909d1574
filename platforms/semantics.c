/* Blocking semantics, letters and tables: which call waits for the post, and their reading (platforms/platform.h, read.h). */
#include <string.h>

#include "platforms/read.h"

static const char *const waits_names[] = {"start", "call", "complete", "never", NULL};
static const char *const kind_names[RMA_KIND_COUNT] = {"put", "get", "accumulate"};

bool semantics_by_letter(const char *letter, struct rma_semantics *semantics)
{
    if (letter[0] < 'a' || letter[0] > 'd' || letter[1] != '\0') return false;
    enum rma_waits waits = (enum rma_waits)(letter[0] - 'a');
    *semantics = (struct rma_semantics){.start_waits = waits == WAITS_START, .buffer_bytes = INT64_MAX};
    semantics->name[0] = letter[0];
    for (int kind = 0; kind < RMA_KIND_COUNT; kind++)
        semantics->rules[kind][0] = (struct rma_rule){.upto_bytes = INT64_MAX, .waits = waits};
    return true;
}

static const struct rma_rule *find_rule(const struct rma_semantics *semantics, enum rma_kind kind, int64_t bytes)
{
    const struct rma_rule *rule = semantics->rules[kind];
    while (rule->upto_bytes < bytes) rule++;
    return rule;
}

enum rma_waits semantics_waits(const struct rma_semantics *semantics, enum rma_kind kind, int64_t bytes)
{
    const struct rma_rule *rule = find_rule(semantics, kind, bytes);
    bool fits = kind == RMA_GET || bytes <= semantics->buffer_bytes;
    return rule->waits == WAITS_NEVER && !fits ? WAITS_CALL : rule->waits;
}

bool semantics_waits_for_group(const struct rma_semantics *semantics, enum rma_kind kind, int64_t bytes)
{
    return find_rule(semantics, kind, bytes)->group;
}

/* "start" | "call" | "complete" | "never", or the letter. */
static enum status read_waits(const struct json_node *node, enum rma_waits *waits, struct err *err)
{
    const char *text;
    TRY(json_string(node, &text, err));
    int index = platform_name_index(waits_names, text);
    if (index < 0 && text[0] >= 'a' && text[0] <= 'd' && text[1] == '\0') index = text[0] - 'a';
    if (index < 0) return json_error(node, err, "unknown value '%s', expected start, call, complete or never", text);
    *waits = (enum rma_waits)index;
    return STATUS_OK;
}

/* "target" | "group": only for operations that wait in their call or in complete. */
static enum status read_posts(const struct json_node *node, enum rma_waits waits, bool *group, struct err *err)
{
    const char *text;
    TRY(json_string(node, &text, err));
    if (strcmp(text, "target") != 0 && strcmp(text, "group") != 0)
        return json_error(node, err, "unknown value '%s', expected target or group", text);
    if (waits != WAITS_CALL && waits != WAITS_COMPLETE)
        return json_error(node, err, "contradicts waits = %s, expected waits = call or complete beside it",
                          waits_names[waits]);
    *group = strcmp(text, "group") == 0;
    return STATUS_OK;
}

enum status upto_read(const struct json_node *upto, bool last, int64_t above, int64_t *upto_bytes, struct err *err)
{
    if (upto->item) TRY(measured_check(upto, err));
    if (upto->item || !last) TRY(json_integer(upto, 0, INT64_C(1) << 50, upto_bytes, err));
    if (upto->item && *upto_bytes <= above)
        return json_error(upto, err, "not ascending, expected more than the row before");
    if (last) *upto_bytes = INT64_MAX;
    return STATUS_OK;
}

static enum status read_row(const struct json_node *row, bool last, int64_t above, struct rma_rule *rule,
                            struct err *err)
{
    static const char *const keys[] = {"upto_bytes", "waits", "posts", NULL};
    TRY(json_object(row, err));
    TRY(json_known_keys(row, keys, err));
    struct json_node waits = json_member(row, "waits");
    TRY(read_waits(&waits, &rule->waits, err));
    struct json_node posts = json_member(row, "posts");
    if (posts.item) TRY(read_posts(&posts, rule->waits, &rule->group, err));
    struct json_node upto = json_member(row, "upto_bytes");
    return upto_read(&upto, last, above, &rule->upto_bytes, err);
}

static enum status read_rules(const struct json_node *node, struct rma_rule rules[RMA_RULES_MAX], struct err *err)
{
    if (cJSON_IsString(node->item)) {
        rules[0].upto_bytes = INT64_MAX;
        return read_waits(node, &rules[0].waits, err);
    }
    if (!cJSON_IsArray(node->item))
        return json_error(node, err, "%s, expected start, call, complete, never or an array of rows",
                          node->item ? "wrong type" : "missing");
    size_t count = json_count(node);
    if (count < 1 || count > RMA_RULES_MAX)
        return json_error(node, err, "%zu rows, expected 1 to %d", count, RMA_RULES_MAX);
    for (size_t i = 0; i < count; i++) {
        struct json_node row = json_element(node, i);
        TRY(read_row(&row, i + 1 == count, i ? rules[i - 1].upto_bytes : -1, &rules[i], err));
    }
    return STATUS_OK;
}

static bool any_waits(const struct rma_rule *rules, enum rma_waits waits)
{
    for (;; rules++) {
        if (rules->waits == waits) return true;
        if (rules->upto_bytes == INT64_MAX) return false;
    }
}

bool semantics_run_ahead(const struct rma_semantics *semantics)
{
    for (int kind = 0; kind < RMA_KIND_COUNT; kind++)
        if (any_waits(semantics->rules[kind], WAITS_NEVER)) return true;
    return false;
}

bool semantics_defer(const struct rma_semantics *semantics)
{
    for (int kind = 0; kind < RMA_KIND_COUNT; kind++)
        if (any_waits(semantics->rules[kind], WAITS_COMPLETE)) return true;
    return semantics_run_ahead(semantics);
}

bool semantics_limited(const struct rma_semantics *semantics)
{
    return semantics->buffer_bytes != INT64_MAX && (any_waits(semantics->rules[RMA_PUT], WAITS_NEVER) ||
                                                    any_waits(semantics->rules[RMA_ACCUMULATE], WAITS_NEVER));
}

static enum status read_start(const struct json_node *table, struct rma_semantics *semantics, struct err *err)
{
    struct json_node start = json_member(table, "start");
    bool needed = false;
    for (int kind = 0; kind < RMA_KIND_COUNT; kind++) needed = needed || any_waits(semantics->rules[kind], WAITS_START);
    semantics->start_waits = needed;
    if (!start.item) return STATUS_OK;
    const char *text;
    TRY(json_string(&start, &text, err));
    if (strcmp(text, "waits") != 0 && strcmp(text, "returns") != 0)
        return json_error(&start, err, "unknown value '%s', expected waits or returns", text);
    semantics->start_waits = strcmp(text, "waits") == 0;
    if (needed && !semantics->start_waits)
        return json_error(&start, err, "'returns' contradicts an operation that waits in start, expected waits");
    return STATUS_OK;
}

enum status semantics_read(const struct json_node *node, struct rma_semantics *semantics, struct err *err)
{
    static const char *const keys[] = {"put", "get", "accumulate", "start", NULL};
    if (cJSON_IsString(node->item)) {
        if (semantics_by_letter(node->item->valuestring, semantics)) return STATUS_OK;
        return json_error(node, err, "unknown semantics '%s', expected a, b, c, d or a table", node->item->valuestring);
    }
    if (!cJSON_IsObject(node->item))
        return json_error(node, err, "wrong type, expected a letter from a to d or a table");
    TRY(json_known_keys(node, keys, err));
    struct rma_semantics table = {.name = "table", .buffer_bytes = INT64_MAX};
    for (int kind = 0; kind < RMA_KIND_COUNT; kind++) {
        struct json_node rules = json_member(node, kind_names[kind]);
        if (!rules.item && kind != RMA_PUT) {
            memcpy(table.rules[kind], table.rules[RMA_PUT], sizeof table.rules[kind]);
            continue;
        }
        TRY(read_rules(&rules, table.rules[kind], err));
    }
    TRY(read_start(node, &table, err));
    *semantics = table;
    return STATUS_OK;
}

enum status semantics_key_read(const struct json_node *node, const struct platform_key *key, struct platform *platform,
                               struct err *err)
{
    semantics_by_letter(key->names[0], &platform->semantics);
    return node->item ? semantics_read(node, &platform->semantics, err) : STATUS_OK;
}

/* A number, or "unlimited". */
static enum status read_limit(const struct json_node *node, int64_t least, int64_t most, const char *what, int64_t *value,
                              struct err *err)
{
    if (cJSON_IsString(node->item) && strcmp(node->item->valuestring, "unlimited") == 0) {
        *value = INT64_MAX;
        return STATUS_OK;
    }
    if (cJSON_IsString(node->item)) return json_error(node, err, "wrong text, expected %s or \"unlimited\"", what);
    TRY(measured_check(node, err));
    return json_integer(node, least, most, value, err);
}

enum status buffer_read(const struct json_node *node, const struct platform_key *key, struct platform *platform, struct err *err)
{
    (void)key;
    if (!node->item) return STATUS_OK;
    TRY(read_limit(node, 0, (int64_t)BYTES_MOST, "bytes", &platform->semantics.buffer_bytes, err));
    if (platform->semantics.buffer_bytes == INT64_MAX || platform->issue != ISSUE_DEFERRED) return STATUS_OK;
    return json_error(node, err,
                      "a limit contradicts mpi.rma.issue = deferred, under which buffers empty only as epochs "
                      "close, expected \"unlimited\"");
}

enum status ahead_read(const struct json_node *node, const struct platform_key *key, struct platform *platform, struct err *err)
{
    (void)key;
    platform->epochs_ahead = 1;
    return node->item ? read_limit(node, 1, INT32_MAX, "a number", &platform->epochs_ahead, err) : STATUS_OK;
}
