/* Reads results. Required keys must be there and valid; unknown keys, which other versions write, are ignored. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json.h"
#include "common/json/json_write.h"
#include "model/waits/properties.h"
#include "model/result/result.h"
#include "model/result/result_schema.h"
#include "trace/limits.h"

static const double LARGEST = 1e300, MOST_WALL_S = 1e9; /* limits of a result's times, and of a simulation's own
                                                           duration */

typedef enum status element_reader(const struct json_node *node, size_t index, void *into, struct err *err);

/* Walks an array once; json_element would search from the start for every index. */
static enum status for_elements(const struct json_node *array, element_reader *read, void *into, struct err *err)
{
    TRY(json_array(array, err));
    size_t index = 0;
    for (cJSON *item = array->item->child; item; item = item->next, index++) {
        struct json_node node = {.document = array->document, .item = item};
        snprintf(node.path, sizeof node.path, "%.*s[%zu]", (int)sizeof node.path - 24, array->path, index);
        TRY(read(&node, index, into, err));
    }
    return STATUS_OK;
}

static enum status read_number(const struct json_node *object, const char *key, double low, double *value,
                               struct err *err)
{
    struct json_node node = json_member(object, key);
    return json_number(&node, low, LARGEST, value, err);
}

static enum status read_count(const struct json_node *object, const char *key, uint64_t *value, struct err *err)
{
    struct json_node node = json_member(object, key);
    int64_t found;
    TRY(json_integer(&node, 0, INT64_C(1) << 53, &found, err));
    *value = (uint64_t)found;
    return STATUS_OK;
}

/* Reads a sum of bytes, which may be larger than other numbers. */
static enum status read_bytes(const struct json_node *object, const char *key, uint64_t *value, struct err *err)
{
    struct json_node node = json_member(object, key);
    int64_t found;
    TRY(json_integer(&node, 0, INT64_C(1) << 62, &found, err));
    *value = (uint64_t)found;
    return STATUS_OK;
}

/* NULL and a missing key give NULL. */
static enum status read_text(const struct json_node *object, const char *key, char **text, struct err *err)
{
    struct json_node node = json_member(object, key);
    const char *found;
    if (!node.item || cJSON_IsNull(node.item)) return STATUS_OK;
    TRY(json_string(&node, &found, err));
    *text = strdup(found);
    return *text ? STATUS_OK : err_memory(err);
}

struct numbers {
    double *values;
    size_t count;
};

static enum status read_element(const struct json_node *node, size_t index, void *into, struct err *err)
{
    struct numbers *numbers = into;
    if (index >= numbers->count)
        return json_error(node, err, "one too many, expected one number for each of the ranks");
    return json_number(node, 0, LARGEST, &numbers->values[index], err);
}

static enum status read_per_rank(const struct json_node *object, const char *key, double *values, uint32_t count,
                                 struct err *err)
{
    struct json_node node = json_member(object, key);
    struct numbers numbers = {values, count};
    TRY(for_elements(&node, read_element, &numbers, err));
    if (json_count(&node) == count) return STATUS_OK;
    return json_error(&node, err, "%zu numbers, expected one for each of the %u ranks", json_count(&node), count);
}

/* Not known: a rank of null, no thread, a node of null. */
static enum status read_who(const struct json_node *node, struct result_who *who, struct err *err)
{
    struct json_node rank = json_member(node, "rank"), thread = json_member(node, "thread");
    int64_t number;
    who->rank = who->thread = -1;
    if (rank.item && !cJSON_IsNull(rank.item)) TRY(json_integer(&rank, 0, TRACE_RANKS_MAX, &who->rank, err));
    if (thread.item && !cJSON_IsNull(thread.item)) {
        TRY(json_integer(&thread, 0, UINT16_MAX, &number, err));
        who->thread = (int32_t)number;
    }
    return read_text(node, "node", &who->node, err);
}

static enum status read_place_rank(const struct json_node *node, size_t index, void *into, struct err *err)
{
    struct result_place_rank *rank = &((struct result_place *)into)->ranks[index];
    ((struct result_place *)into)->rank_count++;
    TRY(read_who(node, &rank->who, err));
    TRY(read_number(node, "severity_s", 0, &rank->severity_s, err));
    return read_count(node, "count", &rank->count, err);
}

static enum status read_place_ranks(const struct json_node *node, struct result_place *place, struct err *err)
{
    struct json_node ranks = json_member(node, "ranks");
    if (!ranks.item) return STATUS_OK;
    TRY(json_array(&ranks, err));
    place->ranks = calloc(json_count(&ranks) + 1, sizeof *place->ranks);
    return place->ranks ? for_elements(&ranks, read_place_rank, place, err) : err_memory(err);
}

/* null is 0. */
static enum status read_if_known(const struct json_node *object, const char *key, double low, double *value,
                                 struct err *err)
{
    struct json_node node = json_member(object, key);
    if (node.item && cJSON_IsNull(node.item)) return STATUS_OK;
    return json_number(&node, low, LARGEST, value, err);
}

static enum status read_moves(const struct json_node *node, struct result_moves *moves, struct err *err)
{
    struct json_node object = json_member(node, "moves");
    if (!object.item || cJSON_IsNull(object.item)) return STATUS_OK;
    TRY(read_if_known(&object, "other_earlier_s", 0, &moves->other_earlier_s, err));
    TRY(read_if_known(&object, "own_later_s", 0, &moves->own_later_s, err));
    TRY(read_if_known(&object, "distance_s", -LARGEST, &moves->distance_s, err));
    return read_if_known(&object, "advised_s", 0, &moves->advised_s, err);
}

static enum status fill_place(const struct json_node *node, struct result_place *place, struct err *err)
{
    struct json_node line = json_member(node, "line");
    int64_t number = 0;
    TRY(read_text(node, "callpath", &place->callpath, err));
    if (!place->callpath) return json_error(node, err, "callpath is missing, expected a string");
    TRY(read_text(node, "file", &place->file, err));
    if (line.item && !cJSON_IsNull(line.item)) TRY(json_integer(&line, 0, INT32_MAX, &number, err));
    place->line = (int32_t)number;
    TRY(read_who(node, &place->who, err));
    TRY(read_place_ranks(node, place, err));
    TRY(read_number(node, "severity_s", 0, &place->severity_s, err));
    TRY(read_text(node, "advice", &place->advice, err));
    TRY(read_moves(node, &place->moves, err));
    TRY(read_text(node, "rows", &place->rows, err));
    return read_count(node, "count", &place->count, err);
}

static enum status read_place(const struct json_node *node, size_t index, void *into, struct err *err)
{
    (void)index;
    struct result_pattern *pattern = into;
    struct result_place place = {0};
    ARRAY_PUSH(pattern->places, pattern->place_count, pattern->place_capacity, place, err);
    return fill_place(node, &pattern->places[pattern->place_count - 1], err);
}

static bool pattern_by_name(const char *name, enum pattern *pattern)
{
    for (int p = 0; p < PATTERN_COUNT; p++) {
        if (strcmp(pattern_row((enum pattern)p)->name, name) != 0) continue;
        *pattern = (enum pattern)p;
        return true;
    }
    return false;
}

static enum status read_pattern(const struct json_node *node, size_t index, void *into, struct err *err)
{
    (void)index;
    struct result *result = into;
    struct json_node name = json_member(node, "name"), places = json_member(node, "places"),
                     at_most = json_member(node, "at_most");
    const char *text;
    enum pattern id;
    TRY(json_string(&name, &text, err));
    if (!pattern_by_name(text, &id)) return json_error(&name, err, "\"%s\" is no known pattern", text);
    struct result_pattern *pattern = &result->patterns[id];
    TRY(read_number(node, "severity_s", 0, &pattern->severity_s, err));
    TRY(read_count(node, "count", &pattern->count, err));
    TRY(json_boolean(&at_most, &pattern->at_most, err));
    TRY(read_per_rank(node, "rank_severity_s", pattern->rank_severity_s, result->rank_count, err));
    return for_elements(&places, read_place, pattern, err);
}

static enum status read_property(const struct json_node *properties, const struct json_node *exclusive,
                                 enum property property, struct result *result, struct err *err)
{
    const struct property_row *row = property_row(property);
    struct json_node value = json_member(properties, row->name), own = json_member(exclusive, row->name);
    struct result_property made = {.depth = property_depth(property)};
    if (!value.item) return STATUS_OK;
    TRY(json_number(&value, -LARGEST, LARGEST, &made.inclusive_s, err));
    TRY(json_number(&own, -LARGEST, LARGEST, &made.exclusive_s, err));
    TRY(array_reserve((void **)&result->properties, &result->property_capacity, result->property_count + 1,
                      sizeof *result->properties, err));
    made.name = strdup(row->name);
    if (!made.name) return err_memory(err);
    result->properties[result->property_count++] = made;
    return STATUS_OK;
}

static enum status read_properties(const struct json_node *root, struct result *result, struct err *err)
{
    struct json_node properties = json_member(root, "properties");
    struct json_node exclusive = json_member(root, "properties_exclusive");
    TRY(json_object(&properties, err));
    for (int p = 0; p < PROPERTY_COUNT; p++) TRY(read_property(&properties, &exclusive, (enum property)p, result, err));
    return STATUS_OK;
}

static enum status read_known(const struct json_node *object, const char *key, double *value, struct err *err)
{
    struct json_node node = json_member(object, key);
    return !node.item || cJSON_IsNull(node.item) ? STATUS_OK : json_number(&node, 0, LARGEST, value, err);
}

static enum status read_distribution(const struct json_node *transfers, const char *key,
                                     struct result_distribution *rates, struct err *err)
{
    struct json_node node = json_member(transfers, key);
    TRY(json_object(&node, err));
    TRY(read_count(&node, "count", &rates->count, err));
    TRY(read_count(&node, "unbounded", &rates->unbounded, err));
    TRY(read_known(&node, "min", &rates->min, err));
    TRY(read_known(&node, "median", &rates->median, err));
    TRY(read_known(&node, "mean", &rates->mean, err));
    return read_known(&node, "max", &rates->max, err);
}

/* If absent or null, the rates are unknown. */
static enum status read_rates(const struct json_node *group, const char *key, struct result_rates *rates,
                              struct err *err)
{
    struct json_node node = json_member(group, key);
    if (!node.item || cJSON_IsNull(node.item)) return STATUS_OK;
    TRY(json_object(&node, err));
    TRY(read_count(&node, "count", &rates->count, err));
    TRY(read_count(&node, "unbounded", &rates->unbounded, err));
    TRY(read_known(&node, "min", &rates->min, err));
    TRY(read_known(&node, "median", &rates->median, err));
    TRY(read_known(&node, "max", &rates->max, err));
    return read_known(&node, "overall", &rates->overall, err);
}

static enum status read_pair(const struct json_node *node, size_t index, void *into, struct err *err)
{
    (void)index;
    struct result *result = into;
    struct result_group pair = {0};
    struct json_node origin = json_member(node, "origin"), target = json_member(node, "target"),
                     kind = json_member(node, "kind");
    int64_t ranks[2];
    const char *text;
    TRY(json_integer(&origin, 0, (int64_t)result->rank_count - 1, &ranks[0], err));
    TRY(json_integer(&target, 0, (int64_t)result->rank_count - 1, &ranks[1], err));
    TRY(json_string(&kind, &text, err));
    TRY(read_count(node, "count", &pair.count, err));
    TRY(read_bytes(node, "bytes", &pair.bytes, err));
    TRY(read_rates(node, "lower_bound_Bps", &pair.lower_bound_Bps, err));
    TRY(read_rates(node, "upper_bound_Bps", &pair.upper_bound_Bps, err));
    pair.origin = (int32_t)ranks[0];
    pair.target = (int32_t)ranks[1];
    snprintf(pair.kind, sizeof pair.kind, "%s", text);
    struct result_groups *pairs = &result->transfer_groups[TRANSFERS_OF_PAIR];
    ARRAY_PUSH(pairs->items, pairs->count, pairs->capacity, pair, err);
    return STATUS_OK;
}

static enum status read_transfers(const struct json_node *root, struct result *result, struct err *err)
{
    struct json_node transfers = json_member(root, "transfers");
    TRY(json_object(&transfers, err));
    struct json_node within = json_member(&transfers, "within_bounds"), pairs = json_member(&transfers, "pairs");
    TRY(read_count(&transfers, "count", &result->transfer_count, err));
    TRY(read_bytes(&transfers, "bytes", &result->transfer_bytes, err));
    struct json_node gaps = json_member(&transfers, "non_contiguous");
    TRY(read_count(&gaps, "count", &result->gap_count, err));
    TRY(read_bytes(&gaps, "bytes", &result->gap_bytes, err));
    TRY(read_distribution(&transfers, "lower_bound_Bps", &result->lower_bound_Bps, err));
    TRY(read_distribution(&transfers, "upper_bound_Bps", &result->upper_bound_Bps, err));
    if (json_member(&transfers, "platform_bound_Bps").item)
        TRY(read_distribution(&transfers, "platform_bound_Bps", &result->platform_bound_Bps, err));
    result->within_known = within.item && !cJSON_IsNull(within.item);
    if (result->within_known) TRY(read_count(&transfers, "within_bounds", &result->within_bounds, err));
    return for_elements(&pairs, read_pair, result, err);
}

static enum status read_note(const struct json_node *node, size_t index, void *into, struct err *err)
{
    (void)index;
    const char *text;
    TRY(json_string(node, &text, err));
    return result_add_note(into, err, "%s", text);
}

static enum status read_fence_pairs(const struct json_node *root, struct result *result, struct err *err)
{
    struct json_node pairs = json_member(root, "fence_pairs");
    if (!pairs.item || cJSON_IsNull(pairs.item)) return STATUS_OK;
    result->fences_known = true;
    TRY(read_count(&pairs, "count", &result->fence_pairs, err));
    TRY(read_count(&pairs, "unneeded", &result->unneeded_fence_pairs, err));
    TRY(read_count(&pairs, "empty", &result->empty_fences, err));
    TRY(read_number(&pairs, "empty_s", 0, &result->empty_fence_s, err));
    return read_number(&pairs, "saved_s", 0, &result->fence_saved_s, err);
}

static enum status read_buffer(const struct json_node *root, struct result_buffer *buffer, struct err *err)
{
    struct json_node object = json_member(root, "buffer");
    if (!object.item || cJSON_IsNull(object.item)) return STATUS_OK;
    buffer->known = true;
    TRY(read_count(&object, "limit_bytes", &buffer->limit_bytes, err));
    TRY(read_count(&object, "waits", &buffer->waits, err));
    TRY(read_count(&object, "peak_bytes", &buffer->peak_bytes, err));
    return read_number(&object, "wait_s", 0, &buffer->wait_s, err);
}

static enum status read_section(const struct json_node *root, struct result_section *section, struct err *err)
{
    struct json_node object = json_member(root, "section");
    if (!object.item || cJSON_IsNull(object.item)) return STATUS_OK;
    struct json_node without = json_member(&object, "without_init");
    section->known = true;
    TRY(json_object(&object, err));
    TRY(read_text(&object, "from", &section->from, err));
    TRY(read_text(&object, "to", &section->to, err));
    TRY(read_text(&object, "callpath", &section->callpath, err));
    return json_boolean(&without, &section->without_init, err);
}

static enum status read_disturbance(const struct json_node *root, struct result *result, struct err *err)
{
    struct result_disturbance *into = &result->disturbance;
    struct json_node object = json_member(root, "disturbance");
    int64_t rank;
    if (!object.item || cJSON_IsNull(object.item)) return STATUS_OK;
    struct json_node crowded = json_member(&object, "more_ranks_than_cores"), worst = json_member(&object, "worst_rank");
    into->known = true;
    TRY(json_object(&object, err));
    TRY(read_number(&object, "computing_s", 0, &into->computing_s, err));
    TRY(read_number(&object, "waited_s", 0, &into->waited_s, err));
    TRY(read_number(&object, "worst_share", 0, &into->worst_share, err));
    TRY(read_number(&object, "mpi_s", 0, &into->mpi_s, err));
    TRY(read_number(&object, "mpi_waited_s", 0, &into->mpi_waited_s, err));
    TRY(json_integer(&worst, 0, (int64_t)result->rank_count - 1, &rank, err));
    into->worst_rank = (uint32_t)rank;
    return json_boolean(&crowded, &into->crowded, err);
}

static enum status read_call(const struct json_node *node, size_t index, void *into, struct err *err)
{
    struct result_share *call = &((struct result *)into)->calls.items[index];
    struct json_node line = json_member(node, "line");
    int64_t number = 0;
    ((struct result *)into)->calls.count++;
    TRY(read_text(node, "call", &call->activity, err));
    TRY(read_text(node, "callpath", &call->callpath, err));
    TRY(read_text(node, "file", &call->file, err));
    if (line.item && !cJSON_IsNull(line.item)) TRY(json_integer(&line, 0, INT32_MAX, &number, err));
    call->line = (int32_t)number;
    TRY(read_number(node, "time_s", 0, &call->time_s, err));
    return read_number(node, "waits_s", 0, &call->wait_s, err);
}

/* What result_explain() needs; the rest is carried. */
static enum status read_calls(const struct json_node *root, struct result *result, struct err *err)
{
    struct json_node calls = json_member(root, "calls");
    if (!calls.item || cJSON_IsNull(calls.item)) return STATUS_OK;
    TRY(json_array(&calls, err));
    result->calls.items = calloc(json_count(&calls) + 1, sizeof *result->calls.items);
    if (!result->calls.items) return err_memory(err);
    result->calls_known = true;
    return for_elements(&calls, read_call, result, err);
}

static enum status check_text(const struct json_node *node, struct err *err)
{
    const char *text;
    return json_string(node, &text, err);
}

static enum status read_carried(const struct json_node *root, struct result *result, struct err *err)
{
    static const struct {
        const char *key;
        enum status (*check)(const struct json_node *node, struct err *err);
    } rows[] = {{"calls", json_array},           {"calls_replay", check_text},    {"user_code", json_object},
                {"efficiency", json_object},     {"causes", json_object},         {"critical_path", json_object},
                {"transfer_groups", json_object}, {"behaviour", json_array},       {"window_creations", json_array}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct json_node node = json_member(root, rows[i].key);
        if (!node.item || cJSON_IsNull(node.item)) continue;
        TRY(rows[i].check(&node, err));
        if (!result->carried) result->carried = cJSON_CreateObject();
        if (!json_put(result->carried, rows[i].key, cJSON_Duplicate(node.item, true))) return err_memory(err);
    }
    return STATUS_OK;
}

static enum status read_left_out(const struct json_node *node, size_t index, void *into, struct err *err)
{
    struct result *result = into;
    struct json_node rank = json_member(node, "rank"), calls = json_member(node, "calls"),
                     reason = json_member(node, "reason");
    const char *text;
    struct result_left_out part = {.rank = -1, .calls = -1};
    (void)index;
    TRY(json_object(node, err));
    if (cJSON_IsNumber(rank.item)) {
        TRY(json_integer(&rank, 0, (int64_t)result->rank_count - 1, &part.rank, err));
        TRY(read_count(node, "event", &part.event, err));
    }
    if (cJSON_IsNumber(calls.item)) TRY(json_integer(&calls, 0, INT64_C(1) << 53, &part.calls, err));
    part.time_known = cJSON_IsNumber(json_member(node, "time_s").item);
    if (part.time_known) TRY(read_number(node, "time_s", -LARGEST, &part.time_s, err)); /* as the trace counts it */
    TRY(json_string(&reason, &text, err));
    part.reason = (char *)(uintptr_t)text; /* copied, never written to */
    return result_add_left_out(result, &part, err);
}

static enum status read_extras(const struct json_node *root, struct result *result, struct err *err)
{
    struct json_node stats = json_member(root, "engine_stats"), notes = json_member(root, "notes"),
                     late_post = json_member(root, "late_post"), incomplete = json_member(root, "incomplete");
    double wall_s;
    if (stats.item && !cJSON_IsNull(stats.item)) {
        TRY(read_count(&stats, "events", &result->events, err));
        struct json_node wall = json_member(&stats, "wall_s");
        TRY(json_number(&wall, 0, MOST_WALL_S, &wall_s, err));
        TRY(read_count(&stats, "peak_bytes", &result->peak_bytes, err));
        result->wall_ns = (uint64_t)(wall_s * 1e9 + 0.5);
    }
    if (cJSON_IsString(late_post.item))
        snprintf(result->late_post, sizeof result->late_post, "%s", late_post.item->valuestring);
    if (incomplete.item) TRY(json_boolean(&incomplete, &result->incomplete, err));
    TRY(read_known(root, "epsilon_s", &result->epsilon_s, err));
    struct json_node left_out = json_member(root, "left_out");
    if (left_out.item) TRY(for_elements(&left_out, read_left_out, result, err));
    return notes.item ? for_elements(&notes, read_note, result, err) : STATUS_OK;
}

static enum status read_head(const struct json_node *root, struct result *result, struct err *err)
{
    struct json_node origin = json_member(root, "origin");
    const char *text;
    TRY(read_text(root, "trace", &result->trace, err));
    TRY(read_text(root, "platform", &result->platform, err));
    TRY(read_text(root, "semantics", &result->semantics, err));
    TRY(read_text(root, "engine", &result->engine, err));
    TRY(read_text(root, "library", &result->library, err));
    TRY(read_text(root, "transport", &result->transport, err));
    TRY(json_string(&origin, &text, err));
    for (result->origin = 0; strcmp(text, trace_origin_name(result->origin)) != 0;)
        if (++result->origin == TRACE_ORIGIN_COUNT)
            return json_error(&origin, err, "\"%s\" is no origin, expected recorded, simulated, generated or described", text);
    TRY(read_number(root, "run_time_s", 0, &result->run_time_s, err));
    return read_per_rank(root, "rank_time_s", result->rank_time_s, result->rank_count, err);
}

static enum status read_body(const struct json_node *root, struct result *result, struct err *err)
{
    struct json_node patterns = json_member(root, "patterns");
    TRY(read_head(root, result, err));
    TRY(for_elements(&patterns, read_pattern, result, err));
    TRY(read_properties(root, result, err));
    TRY(uncertainty_from_json(root, result_in_mpi_s(result), &result->uncertainty, err));
    TRY(read_transfers(root, result, err));
    TRY(read_fence_pairs(root, result, err));
    TRY(read_buffer(root, &result->buffer, err));
    TRY(read_section(root, &result->section, err));
    TRY(read_disturbance(root, result, err));
    TRY(read_calls(root, result, err));
    TRY(read_carried(root, result, err));
    return read_extras(root, result, err);
}

static enum status check_schema(const struct json_node *root, struct err *err)
{
    TRY(json_object(root, err));
    struct json_node schema = json_member(root, "schema");
    const char *text;
    TRY(json_string(&schema, &text, err));
    if (strcmp(text, RESULT_SCHEMA) == 0) return STATUS_OK;
    if (strcmp(text, RESULT_COMPARISON_SCHEMA) == 0)
        return json_error(&schema, err,
                          "this is a comparison, expected one result: take one element of its \"results\"");
    return json_error(&schema, err, "\"%s\" is no result, expected \"%s\"", text, RESULT_SCHEMA);
}

static enum status read_result(const struct json_node *root, struct result **result, struct err *err)
{
    struct json_node ranks = json_member(root, "ranks"), times = json_member(root, "rank_time_s");
    struct result *made;
    int64_t rank_count;
    TRY(check_schema(root, err));
    TRY(json_integer(&ranks, 0, TRACE_RANKS_MAX, &rank_count, err));
    if (times.item && json_count(&times) != (size_t)rank_count) /* before memory is taken for so many */
        return json_error(&times, err, "%zu numbers, expected one for each of the %" PRId64 " ranks",
                          json_count(&times), rank_count);
    TRY(result_new((uint32_t)rank_count, &made, err));
    enum status status = read_body(root, made, err);
    if (status == STATUS_OK)
        *result = made;
    else
        result_free(made);
    return status;
}

enum status result_from_json(const cJSON *json, const char *file, struct result **result, struct err *err)
{
    /* Nodes never write to their document or item. */
    struct json_document document = {.file = (char *)(uintptr_t)file, .root = (cJSON *)(uintptr_t)json};
    struct json_node root = json_root(&document);
    return read_result(&root, result, err);
}

enum status result_open(const char *file, struct result **result, struct err *err)
{
    struct json_document document;
    TRY(json_open(file, &document, err));
    struct json_node root = json_root(&document);
    enum status status = read_result(&root, result, err);
    json_close(&document);
    return status;
}
