/* Results as JSON, schema rmacast.result/1 (docs/format.md). cJSON's adders give NULL when memory is out; they take
 * NULL trees, so a whole object is built first and checked once. */
#include <stdlib.h>
#include <string.h>

#include "model/waits/properties.h"
#include "model/result/result.h"
#include "model/result/result_schema.h"

struct writer {
    bool failed; /* memory ran out on the way */
};

static cJSON *keep_item(struct writer *writer, cJSON *item)
{
    if (!item) writer->failed = true;
    return item;
}

static void add_text(struct writer *writer, cJSON *object, const char *key, const char *text)
{
    keep_item(writer, text ? cJSON_AddStringToObject(object, key, text) : cJSON_AddNullToObject(object, key));
}

static void add_number(struct writer *writer, cJSON *object, const char *key, double value)
{
    keep_item(writer, cJSON_AddNumberToObject(object, key, value));
}

static void add_known(struct writer *writer, cJSON *object, const char *key, bool known, double value)
{
    keep_item(writer, known ? cJSON_AddNumberToObject(object, key, value) : cJSON_AddNullToObject(object, key));
}

/* Takes the item, which may be NULL for want of memory. */
static void add_item(struct writer *writer, cJSON *object, const char *key, cJSON *item)
{
    if (item && cJSON_AddItemToObject(object, key, item)) return;
    cJSON_Delete(item);
    writer->failed = true;
}

static void add_numbers(struct writer *writer, cJSON *object, const char *key, const double *values, uint32_t count)
{
    add_item(writer, object, key, cJSON_CreateDoubleArray(values, (int)count));
}

static cJSON *add_element(struct writer *writer, cJSON *array)
{
    cJSON *object = keep_item(writer, cJSON_CreateObject());
    if (object && cJSON_AddItemToArray(array, object)) return object;
    cJSON_Delete(object);
    writer->failed = true;
    return NULL;
}

/* The thread is written where the rank has several. */
static void add_who(struct writer *writer, cJSON *object, const struct result_who *who)
{
    add_known(writer, object, "rank", who->rank >= 0, (double)who->rank);
    if (who->thread >= 0) add_number(writer, object, "thread", who->thread);
    add_text(writer, object, "node", who->node);
}

static void add_place_ranks(struct writer *writer, cJSON *object, const struct result_place *place)
{
    cJSON *ranks = keep_item(writer, cJSON_AddArrayToObject(object, "ranks"));
    for (size_t i = 0; i < place->rank_count; i++) {
        cJSON *element = add_element(writer, ranks);
        add_who(writer, element, &place->ranks[i].who);
        add_number(writer, element, "severity_s", place->ranks[i].severity_s);
        add_number(writer, element, "count", (double)place->ranks[i].count);
    }
}

static void add_moves(struct writer *writer, cJSON *place, const struct result_moves *moves)
{
    if (moves->other_earlier_s == 0 && moves->own_later_s == 0 && moves->advised_s == 0) {
        add_text(writer, place, "moves", NULL);
        return;
    }
    cJSON *object = keep_item(writer, cJSON_AddObjectToObject(place, "moves"));
    add_known(writer, object, "other_earlier_s", moves->other_earlier_s > 0, moves->other_earlier_s);
    add_known(writer, object, "own_later_s", moves->own_later_s > 0, moves->own_later_s);
    add_known(writer, object, "distance_s", moves->advised_s > 0, moves->distance_s);
    add_known(writer, object, "advised_s", moves->advised_s > 0, moves->advised_s);
}

static void add_place(struct writer *writer, cJSON *places, const struct result_place *place)
{
    cJSON *object = add_element(writer, places);
    add_text(writer, object, "callpath", place->callpath);
    add_text(writer, object, "file", place->file);
    add_known(writer, object, "line", place->line > 0, place->line);
    add_who(writer, object, &place->who);
    add_number(writer, object, "severity_s", place->severity_s);
    add_number(writer, object, "count", (double)place->count);
    add_text(writer, object, "advice", place->advice);
    add_moves(writer, object, &place->moves);
    add_text(writer, object, "rows", place->rows);
    if (place->rank_count > 0) add_place_ranks(writer, object, place);
}

static void add_patterns(struct writer *writer, cJSON *root, const struct result *result)
{
    cJSON *patterns = keep_item(writer, cJSON_AddArrayToObject(root, "patterns"));
    for (int p = 0; p < PATTERN_COUNT; p++) {
        const struct result_pattern *pattern = &result->patterns[p];
        cJSON *object = add_element(writer, patterns);
        add_text(writer, object, "name", pattern_row((enum pattern)p)->name);
        add_number(writer, object, "severity_s", pattern->severity_s);
        add_number(writer, object, "count", (double)pattern->count);
        add_numbers(writer, object, "rank_severity_s", pattern->rank_severity_s, result->rank_count);
        add_text(writer, object, "advice", pattern->place_count > 0 ? pattern->places[0].advice : NULL);
        add_text(writer, object, "rows", pattern->place_count > 0 ? pattern->places[0].rows : NULL);
        cJSON *places = keep_item(writer, cJSON_AddArrayToObject(object, "places"));
        for (size_t i = 0; i < pattern->place_count; i++) add_place(writer, places, &pattern->places[i]);
    }
}

static void add_properties(struct writer *writer, cJSON *root, const struct result *result)
{
    cJSON *inclusive = keep_item(writer, cJSON_AddObjectToObject(root, "properties"));
    cJSON *exclusive = keep_item(writer, cJSON_AddObjectToObject(root, "properties_exclusive"));
    for (size_t i = 0; i < result->property_count; i++) {
        add_number(writer, inclusive, result->properties[i].name, result->properties[i].inclusive_s);
        add_number(writer, exclusive, result->properties[i].name, result->properties[i].exclusive_s);
    }
}

static void add_distribution(struct writer *writer, cJSON *object, const char *key,
                             const struct result_distribution *rates)
{
    cJSON *made = keep_item(writer, cJSON_AddObjectToObject(object, key));
    add_number(writer, made, "count", (double)rates->count);
    add_number(writer, made, "unbounded", (double)rates->unbounded);
    add_known(writer, made, "min", rates->count > 0, rates->min);
    add_known(writer, made, "median", rates->count > 0, rates->median);
    add_known(writer, made, "mean", rates->count > 0, rates->mean);
    add_known(writer, made, "max", rates->count > 0, rates->max);
}

static void add_rates(struct writer *writer, cJSON *object, const char *key, const struct result_rates *rates)
{
    cJSON *made = keep_item(writer, cJSON_AddObjectToObject(object, key));
    add_number(writer, made, "count", (double)rates->count);
    add_number(writer, made, "unbounded", (double)rates->unbounded);
    add_known(writer, made, "min", rates->count > 0, rates->min);
    add_known(writer, made, "median", rates->count > 0, rates->median);
    add_known(writer, made, "max", rates->count > 0, rates->max);
    add_known(writer, made, "overall", rates->count > 0, rates->overall);
}

static void add_group(struct writer *writer, cJSON *object, const struct result_group *group)
{
    add_number(writer, object, "count", (double)group->count);
    add_number(writer, object, "bytes", (double)group->bytes);
    add_rates(writer, object, "lower_bound_Bps", &group->lower_bound_Bps);
    add_rates(writer, object, "upper_bound_Bps", &group->upper_bound_Bps);
}

static void add_transfers(struct writer *writer, cJSON *root, const struct result *result)
{
    cJSON *transfers = keep_item(writer, cJSON_AddObjectToObject(root, "transfers"));
    add_number(writer, transfers, "count", (double)result->transfer_count);
    add_number(writer, transfers, "bytes", (double)result->transfer_bytes);
    cJSON *gaps = keep_item(writer, cJSON_AddObjectToObject(transfers, "non_contiguous"));
    add_number(writer, gaps, "count", (double)result->gap_count);
    add_number(writer, gaps, "bytes", (double)result->gap_bytes);
    add_distribution(writer, transfers, "lower_bound_Bps", &result->lower_bound_Bps);
    add_distribution(writer, transfers, "upper_bound_Bps", &result->upper_bound_Bps);
    add_known(writer, transfers, "within_bounds", result->within_known, (double)result->within_bounds);
    cJSON *pairs = keep_item(writer, cJSON_AddArrayToObject(transfers, "pairs"));
    const struct result_groups *groups = &result->transfer_groups[TRANSFERS_OF_PAIR];
    for (size_t i = 0; i < groups->count; i++) {
        cJSON *pair = add_element(writer, pairs);
        add_number(writer, pair, "origin", groups->items[i].origin);
        add_number(writer, pair, "target", groups->items[i].target);
        add_text(writer, pair, "kind", groups->items[i].kind);
        add_group(writer, pair, &groups->items[i]);
    }
}

/* Adds the parts that were only in the file from which the result was read. */
static void add_carried(struct writer *writer, cJSON *root, const struct result *result, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(result->carried, key);
    add_item(writer, root, key, item ? cJSON_Duplicate(item, true) : cJSON_CreateNull());
}

static void add_behaviour(struct writer *writer, cJSON *root, const struct result *result)
{
    if (result->behaviour_known)
        add_item(writer, root, "behaviour", result_behaviour_json(result));
    else
        add_carried(writer, root, result, "behaviour");
}

static void add_creations(struct writer *writer, cJSON *root, const struct result *result)
{
    if (!result->behaviour_known) {
        add_carried(writer, root, result, "window_creations");
        return;
    }
    cJSON *array = keep_item(writer, cJSON_AddArrayToObject(root, "window_creations"));
    for (size_t i = 0; i < result->creation_count; i++) {
        const struct result_creation *creation = &result->creations[i];
        cJSON *object = add_element(writer, array);
        add_text(writer, object, "call", call_name(creation->call));
        add_text(writer, object, "file", creation->file);
        add_number(writer, object, "line", creation->line);
        add_number(writer, object, "count", (double)creation->count);
        add_number(writer, object, "most_on_a_rank", (double)creation->most);
        add_number(writer, object, "time_s", creation->time_s);
    }
}

static void add_fence_pairs(struct writer *writer, cJSON *root, const struct result *result)
{
    if (!result->fences_known) {
        add_text(writer, root, "fence_pairs", NULL);
        return;
    }
    cJSON *pairs = keep_item(writer, cJSON_AddObjectToObject(root, "fence_pairs"));
    add_number(writer, pairs, "count", (double)result->fence_pairs);
    add_number(writer, pairs, "unneeded", (double)result->unneeded_fence_pairs);
    add_number(writer, pairs, "saved_s", result->fence_saved_s);
    add_number(writer, pairs, "empty", (double)result->empty_fences);
    add_number(writer, pairs, "empty_s", result->empty_fence_s);
}

static void add_efficiency(struct writer *writer, cJSON *root, const struct result *result)
{
    if (result->efficiency)
        add_item(writer, root, "efficiency", efficiency_json(result->efficiency, result->per_rank));
    else
        add_carried(writer, root, result, "efficiency");
}

static void add_window(struct writer *writer, cJSON *object, const struct result_group *group)
{
    add_number(writer, object, "window", group->window);
    add_text(writer, object, "name", group->name);
}

static void add_transfer_place(struct writer *writer, cJSON *object, const struct result_group *group)
{
    add_text(writer, object, "callpath", group->name);
    add_text(writer, object, "operation", group->function);
    add_text(writer, object, "file", group->file);
    add_known(writer, object, "line", group->line > 0, group->line);
}

static void add_size(struct writer *writer, cJSON *object, const struct result_group *group)
{
    add_number(writer, object, "from_bytes", (double)group->from_bytes);
    add_number(writer, object, "to_bytes", (double)group->to_bytes);
}

/* Those by pair are in transfers.pairs. */
static void add_transfer_groups(struct writer *writer, cJSON *root, const struct result *result)
{
    static const struct {
        enum transfer_grouping grouping;
        const char *key;
        void (*add)(struct writer *, cJSON *, const struct result_group *);
    } lists[] = {{TRANSFERS_OF_WINDOW, "windows", add_window},
                 {TRANSFERS_OF_PLACE, "callpaths", add_transfer_place},
                 {TRANSFERS_OF_SIZE, "size_classes", add_size}};
    if (result->carried) {
        add_carried(writer, root, result, "transfer_groups");
        return;
    }
    cJSON *object = keep_item(writer, cJSON_AddObjectToObject(root, "transfer_groups"));
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
        const struct result_groups *groups = &result->transfer_groups[lists[l].grouping];
        cJSON *array = keep_item(writer, cJSON_AddArrayToObject(object, lists[l].key));
        for (size_t i = 0; i < groups->count; i++) {
            cJSON *element = add_element(writer, array);
            lists[l].add(writer, element, &groups->items[i]);
            add_group(writer, element, &groups->items[i]);
        }
    }
}

static void add_shares(struct writer *writer, cJSON *root, const char *key, const struct result *result,
                       const struct result_shares *shares)
{
    if (!result->causes_known) {
        add_carried(writer, root, result, key);
        return;
    }
    cJSON *made = keep_item(writer, cJSON_AddObjectToObject(root, key));
    add_number(writer, made, "total_s", shares->total_s);
    cJSON *places = keep_item(writer, cJSON_AddArrayToObject(made, "places"));
    for (size_t i = 0; i < shares->count; i++) {
        const struct result_share *share = &shares->items[i];
        cJSON *object = add_element(writer, places);
        add_text(writer, object, "callpath", share->callpath);
        add_text(writer, object, "activity", share->activity);
        add_text(writer, object, "file", share->file);
        add_known(writer, object, "line", share->line > 0, share->line);
        add_number(writer, object, "worst_rank", (double)share->who.rank);
        add_who(writer, object, &share->who);
        add_number(writer, object, "time_s", share->time_s);
        add_number(writer, object, "share", share->share);
    }
}

static void add_checks(struct writer *writer, cJSON *root, const struct result *result)
{
    if (result->check_count == 0) return;
    cJSON *checks = keep_item(writer, cJSON_AddArrayToObject(root, "verify"));
    for (size_t i = 0; i < result->check_count; i++) {
        cJSON *object = add_element(writer, checks);
        add_text(writer, object, "name", result->checks[i].name);
        add_text(writer, object, "state", result->checks[i].holds ? "holds" : "broken");
        add_text(writer, object, "detail", result->checks[i].detail);
    }
}

static void add_buffer(struct writer *writer, cJSON *root, const struct result_buffer *buffer)
{
    if (!buffer->known) return;
    cJSON *object = keep_item(writer, cJSON_AddObjectToObject(root, "buffer"));
    add_number(writer, object, "limit_bytes", (double)buffer->limit_bytes);
    add_number(writer, object, "waits", (double)buffer->waits);
    add_number(writer, object, "wait_s", buffer->wait_s);
    add_number(writer, object, "peak_bytes", (double)buffer->peak_bytes);
}

static void add_engine_stats(struct writer *writer, cJSON *root, const struct result *result)
{
    if (result->events == 0 && result->wall_ns == 0 && result->peak_bytes == 0) {
        add_text(writer, root, "engine_stats", NULL);
        return;
    }
    cJSON *stats = keep_item(writer, cJSON_AddObjectToObject(root, "engine_stats"));
    add_number(writer, stats, "events", (double)result->events);
    add_number(writer, stats, "wall_s", (double)result->wall_ns * 1e-9);
    add_number(writer, stats, "peak_bytes", (double)result->peak_bytes);
}

static void add_left_out(struct writer *writer, cJSON *root, const struct result *result)
{
    cJSON *array = keep_item(writer, cJSON_AddArrayToObject(root, "left_out"));
    for (size_t i = 0; i < result->left_out_count; i++) {
        const struct result_left_out *part = &result->left_out[i];
        cJSON *object = add_element(writer, array);
        add_known(writer, object, "rank", part->rank >= 0, (double)part->rank);
        add_known(writer, object, "event", part->rank >= 0, (double)part->event);
        add_known(writer, object, "time_s", part->time_known, part->time_s);
        add_known(writer, object, "calls", part->calls >= 0, (double)part->calls);
        add_text(writer, object, "reason", part->reason);
    }
}

static void add_call(struct writer *writer, cJSON *object, const struct result_call *call)
{
    add_number(writer, object, "rank", call->rank);
    add_number(writer, object, "thread", call->thread);
    add_number(writer, object, "event", (double)call->event);
    add_text(writer, object, "call", call->function);
    add_number(writer, object, "time_s", call->time_s);
    add_text(writer, object, "callpath", call->callpath);
    add_text(writer, object, "file", call->file);
    add_known(writer, object, "line", call->line > 0, call->line);
}

static void add_violations(struct writer *writer, cJSON *root, const struct result_violations *violations)
{
    if (!violations->known) return;
    add_number(writer, root, "violation_count", (double)violations->total);
    cJSON *array = keep_item(writer, cJSON_AddArrayToObject(root, "violations"));
    for (size_t i = 0; i < violations->count; i++) {
        const struct result_violation *violation = &violations->items[i];
        cJSON *object = add_element(writer, array);
        add_text(writer, object, "kind", violation->kind);
        add_text(writer, object, "section", violation->section);
        add_text(writer, object, "sentence", violation->sentence);
        add_call(writer, object, &violation->call);
        cJSON *other = keep_item(writer, violation->other_known ? cJSON_AddObjectToObject(object, "other")
                                                           : cJSON_AddNullToObject(object, "other"));
        if (violation->other_known) add_call(writer, other, &violation->other);
    }
}

static void add_section(struct writer *writer, cJSON *root, const struct result_section *section)
{
    if (!section->known) {
        keep_item(writer, cJSON_AddNullToObject(root, "section"));
        return;
    }
    cJSON *object = keep_item(writer, cJSON_AddObjectToObject(root, "section"));
    add_text(writer, object, "from", section->from);
    add_text(writer, object, "to", section->to);
    add_text(writer, object, "callpath", section->callpath);
    keep_item(writer, cJSON_AddBoolToObject(object, "without_init", section->without_init));
}

static void add_disturbance(struct writer *writer, cJSON *root, const struct result_disturbance *disturbance)
{
    add_item(writer, root, "disturbance", result_disturbance_json(disturbance));
}

static void add_notes(struct writer *writer, cJSON *root, const struct result *result)
{
    cJSON *notes = keep_item(writer, cJSON_AddArrayToObject(root, "notes"));
    for (size_t i = 0; i < result->note_count; i++) {
        cJSON *note = keep_item(writer, cJSON_CreateString(result->notes[i]));
        if (!note || cJSON_AddItemToArray(notes, note)) continue;
        cJSON_Delete(note);
        writer->failed = true;
    }
}

enum status result_to_json(const struct result *result, cJSON **json, struct err *err)
{
    struct writer writer = {false};
    cJSON *root = cJSON_CreateObject();
    if (!root) return err_memory(err);
    add_text(&writer, root, "schema", RESULT_SCHEMA);
    add_text(&writer, root, "trace", result->trace);
    add_text(&writer, root, "origin", result->simulated ? "simulated" : "recorded");
    add_text(&writer, root, "platform", result->platform);
    add_text(&writer, root, "semantics", result->semantics);
    add_text(&writer, root, "engine", result->engine);
    keep_item(&writer, cJSON_AddBoolToObject(root, "incomplete", result->incomplete));
    add_number(&writer, root, "epsilon_s", result->epsilon_s);
    add_text(&writer, root, "late_post", *result->late_post ? result->late_post : NULL);
    add_number(&writer, root, "ranks", result->rank_count);
    add_number(&writer, root, "run_time_s", result->run_time_s);
    add_numbers(&writer, root, "rank_time_s", result->rank_time_s, result->rank_count);
    add_section(&writer, root, &result->section);
    add_disturbance(&writer, root, &result->disturbance);
    add_patterns(&writer, root, result);
    add_properties(&writer, root, result);
    add_transfers(&writer, root, result);
    add_transfer_groups(&writer, root, result);
    add_fence_pairs(&writer, root, result);
    add_behaviour(&writer, root, result);
    add_creations(&writer, root, result);
    add_efficiency(&writer, root, result);
    add_shares(&writer, root, "causes", result, &result->causes);
    add_shares(&writer, root, "critical_path", result, &result->critical_path);
    add_checks(&writer, root, result);
    add_buffer(&writer, root, &result->buffer);
    add_engine_stats(&writer, root, result);
    add_violations(&writer, root, &result->violations);
    add_left_out(&writer, root, result);
    add_notes(&writer, root, result);
    if (writer.failed) {
        cJSON_Delete(root);
        return err_memory(err);
    }
    *json = root;
    return STATUS_OK;
}
