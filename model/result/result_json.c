/* Results as JSON, schema rmacast.result/1 (docs/format.md). */
#include <stdlib.h>
#include <string.h>

#include "common/json/json_write.h"
#include "model/waits/properties.h"
#include "model/result/result.h"
#include "model/result/result_schema.h"

void result_who_json(const struct result_who *who, cJSON *object)
{
    json_add_known(object, "rank", who->rank >= 0, (double)who->rank);
    if (who->thread >= 0) json_add_number(object, "thread", who->thread);
    json_add_text(object, "node", who->node);
}

static void add_place_ranks(cJSON *object, const struct result_place *place)
{
    cJSON *ranks = json_add_array(object, "ranks");
    for (size_t i = 0; i < place->rank_count; i++) {
        cJSON *element = json_append_object(ranks);
        result_who_json(&place->ranks[i].who, element);
        json_add_number(element, "severity_s", place->ranks[i].severity_s);
        json_add_number(element, "count", (double)place->ranks[i].count);
    }
}

static void add_moves(cJSON *place, const struct result_moves *moves)
{
    if (moves->other_earlier_s == 0 && moves->own_later_s == 0 && moves->advised_s == 0) {
        json_add_text(place, "moves", NULL);
        return;
    }
    cJSON *object = json_add_object(place, "moves");
    json_add_known(object, "other_earlier_s", moves->other_earlier_s > 0, moves->other_earlier_s);
    json_add_known(object, "own_later_s", moves->own_later_s > 0, moves->own_later_s);
    json_add_known(object, "distance_s", moves->advised_s > 0, moves->distance_s);
    json_add_known(object, "advised_s", moves->advised_s > 0, moves->advised_s);
}

static void add_place(cJSON *places, const struct result_place *place)
{
    cJSON *object = json_append_object(places);
    json_add_text(object, "callpath", place->callpath);
    json_add_text(object, "file", place->file);
    json_add_known(object, "line", place->line > 0, place->line);
    result_who_json(&place->who, object);
    json_add_number(object, "severity_s", place->severity_s);
    json_add_number(object, "count", (double)place->count);
    json_add_text(object, "advice", place->advice);
    add_moves(object, &place->moves);
    json_add_text(object, "rows", place->rows);
    if (place->rank_count > 0) add_place_ranks(object, place);
}

static void add_patterns(cJSON *root, const struct result *result)
{
    cJSON *patterns = json_add_array(root, "patterns");
    for (int p = 0; p < PATTERN_COUNT; p++) {
        const struct result_pattern *pattern = &result->patterns[p];
        cJSON *object = json_append_object(patterns);
        json_add_text(object, "name", pattern_row((enum pattern)p)->name);
        json_add_number(object, "severity_s", pattern->severity_s);
        json_add_number(object, "count", (double)pattern->count);
        json_add_bool(object, "at_most", pattern->at_most);
        json_add_numbers(object, "rank_severity_s", pattern->rank_severity_s, result->rank_count);
        json_add_text(object, "advice", pattern->place_count > 0 ? pattern->places[0].advice : NULL);
        json_add_text(object, "rows", pattern->place_count > 0 ? pattern->places[0].rows : NULL);
        cJSON *places = json_add_array(object, "places");
        for (size_t i = 0; i < pattern->place_count; i++) add_place(places, &pattern->places[i]);
    }
}

static void add_properties(cJSON *root, const struct result *result)
{
    cJSON *inclusive = json_add_object(root, "properties");
    cJSON *exclusive = json_add_object(root, "properties_exclusive");
    if (result->property_count > 0)
        json_add_number(inclusive, "mpi_share", result_mpi_share(result));
    for (size_t i = 0; i < result->property_count; i++) {
        json_add_number(inclusive, result->properties[i].name, result->properties[i].inclusive_s);
        json_add_number(exclusive, result->properties[i].name, result->properties[i].exclusive_s);
    }
}

static void add_distribution(cJSON *object, const char *key,
                             const struct result_distribution *rates)
{
    cJSON *made = json_add_object(object, key);
    json_add_number(made, "count", (double)rates->count);
    json_add_number(made, "unbounded", (double)rates->unbounded);
    json_add_known(made, "min", rates->count > 0, rates->min);
    json_add_known(made, "median", rates->count > 0, rates->median);
    json_add_known(made, "mean", rates->count > 0, rates->mean);
    json_add_known(made, "max", rates->count > 0, rates->max);
}

static void add_rates(cJSON *object, const char *key, const struct result_rates *rates)
{
    cJSON *made = json_add_object(object, key);
    json_add_number(made, "count", (double)rates->count);
    json_add_number(made, "unbounded", (double)rates->unbounded);
    json_add_known(made, "min", rates->count > 0, rates->min);
    json_add_known(made, "median", rates->count > 0, rates->median);
    json_add_known(made, "max", rates->count > 0, rates->max);
    json_add_known(made, "overall", rates->count > 0, rates->overall);
}

static void add_group(cJSON *object, const struct result_group *group)
{
    json_add_number(object, "count", (double)group->count);
    json_add_number(object, "bytes", (double)group->bytes);
    add_rates(object, "lower_bound_Bps", &group->lower_bound_Bps);
    add_rates(object, "upper_bound_Bps", &group->upper_bound_Bps);
}

static void add_transfers(cJSON *root, const struct result *result)
{
    cJSON *transfers = json_add_object(root, "transfers");
    json_add_number(transfers, "count", (double)result->transfer_count);
    json_add_number(transfers, "bytes", (double)result->transfer_bytes);
    cJSON *gaps = json_add_object(transfers, "non_contiguous");
    json_add_number(gaps, "count", (double)result->gap_count);
    json_add_number(gaps, "bytes", (double)result->gap_bytes);
    add_distribution(transfers, "lower_bound_Bps", &result->lower_bound_Bps);
    add_distribution(transfers, "upper_bound_Bps", &result->upper_bound_Bps);
    if (result->platform_bound_Bps.count + result->platform_bound_Bps.unbounded > 0)
        add_distribution(transfers, "platform_bound_Bps", &result->platform_bound_Bps);
    json_add_known(transfers, "within_bounds", result->within_known, (double)result->within_bounds);
    cJSON *pairs = json_add_array(transfers, "pairs");
    const struct result_groups *groups = &result->transfer_groups[TRANSFERS_OF_PAIR];
    for (size_t i = 0; i < groups->count; i++) {
        cJSON *pair = json_append_object(pairs);
        json_add_number(pair, "origin", groups->items[i].origin);
        json_add_number(pair, "target", groups->items[i].target);
        json_add_text(pair, "kind", groups->items[i].kind);
        add_group(pair, &groups->items[i]);
    }
}

/* Adds the parts that were only in the file from which the result was read. */
static void add_carried(cJSON *root, const struct result *result, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(result->carried, key);
    json_put(root, key, item ? cJSON_Duplicate(item, true) : cJSON_CreateNull());
}

static void add_calls(cJSON *root, const struct result *result)
{
    if (!result->carried) {
        result_calls_json(result, root);
        return;
    }
    add_carried(root, result, "calls");
    add_carried(root, result, "calls_replay");
    add_carried(root, result, "user_code");
}

static void add_behaviour(cJSON *root, const struct result *result)
{
    if (result->behaviour_known)
        json_put(root, "behaviour", result_behaviour_json(result));
    else
        add_carried(root, result, "behaviour");
}

static void add_creations(cJSON *root, const struct result *result)
{
    if (!result->behaviour_known) {
        add_carried(root, result, "window_creations");
        return;
    }
    cJSON *array = json_add_array(root, "window_creations");
    for (size_t i = 0; i < result->creation_count; i++) {
        const struct result_creation *creation = &result->creations[i];
        cJSON *object = json_append_object(array);
        json_add_text(object, "call", call_name(creation->call));
        json_add_text(object, "file", creation->file);
        json_add_number(object, "line", creation->line);
        json_add_number(object, "count", (double)creation->count);
        json_add_number(object, "most_on_a_rank", (double)creation->most);
        json_add_number(object, "time_s", creation->time_s);
    }
}

static void add_fence_pairs(cJSON *root, const struct result *result)
{
    if (!result->fences_known) {
        json_add_text(root, "fence_pairs", NULL);
        return;
    }
    cJSON *pairs = json_add_object(root, "fence_pairs");
    json_add_number(pairs, "count", (double)result->fence_pairs);
    json_add_number(pairs, "unneeded", (double)result->unneeded_fence_pairs);
    json_add_number(pairs, "saved_s", result->fence_saved_s);
    json_add_number(pairs, "empty", (double)result->empty_fences);
    json_add_number(pairs, "empty_s", result->empty_fence_s);
}

static void add_efficiency(cJSON *root, const struct result *result)
{
    if (result->efficiency)
        json_put(root, "efficiency", efficiency_json(result->efficiency, result->per_rank));
    else
        add_carried(root, result, "efficiency");
}

static void add_window(cJSON *object, const struct result_group *group)
{
    json_add_number(object, "window", group->window);
    json_add_text(object, "name", group->name);
}

static void add_transfer_place(cJSON *object, const struct result_group *group)
{
    json_add_text(object, "callpath", group->name);
    json_add_text(object, "operation", group->function);
    json_add_text(object, "file", group->file);
    json_add_known(object, "line", group->line > 0, group->line);
}

static void add_size(cJSON *object, const struct result_group *group)
{
    json_add_number(object, "from_bytes", (double)group->from_bytes);
    json_add_number(object, "to_bytes", (double)group->to_bytes);
}

/* Those by pair are in transfers.pairs. */
static void add_transfer_groups(cJSON *root, const struct result *result)
{
    static const struct {
        enum transfer_grouping grouping;
        const char *key;
        void (*add)(cJSON *, const struct result_group *);
    } lists[] = {{TRANSFERS_OF_WINDOW, "windows", add_window},
                 {TRANSFERS_OF_PLACE, "callpaths", add_transfer_place},
                 {TRANSFERS_OF_SIZE, "size_classes", add_size}};
    if (result->carried) {
        add_carried(root, result, "transfer_groups");
        return;
    }
    cJSON *object = json_add_object(root, "transfer_groups");
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
        const struct result_groups *groups = &result->transfer_groups[lists[l].grouping];
        cJSON *array = json_add_array(object, lists[l].key);
        for (size_t i = 0; i < groups->count; i++) {
            cJSON *element = json_append_object(array);
            lists[l].add(element, &groups->items[i]);
            add_group(element, &groups->items[i]);
        }
    }
}

static void add_shares(cJSON *root, const char *key, const struct result *result,
                       const struct result_shares *shares)
{
    if (!result->causes_known) {
        add_carried(root, result, key);
        return;
    }
    cJSON *made = json_add_object(root, key);
    json_add_number(made, "total_s", shares->total_s);
    cJSON *places = json_add_array(made, "places");
    for (size_t i = 0; i < shares->count; i++) {
        const struct result_share *share = &shares->items[i];
        cJSON *object = json_append_object(places);
        json_add_text(object, "callpath", share->callpath);
        json_add_text(object, "activity", share->activity);
        json_add_text(object, "file", share->file);
        json_add_known(object, "line", share->line > 0, share->line);
        json_add_number(object, "worst_rank", (double)share->who.rank);
        result_who_json(&share->who, object);
        json_add_number(object, "time_s", share->time_s);
        json_add_number(object, "share", share->share);
        json_add_bool(object, "stands_out", share->stands_out);
    }
}

static void add_checks(cJSON *root, const struct result *result)
{
    if (result->check_count == 0) return;
    cJSON *checks = json_add_array(root, "verify");
    for (size_t i = 0; i < result->check_count; i++) {
        cJSON *object = json_append_object(checks);
        json_add_text(object, "name", result->checks[i].name);
        json_add_text(object, "state", result->checks[i].holds ? "holds" : "broken");
        json_add_text(object, "detail", result->checks[i].detail);
    }
}

static void add_buffer(cJSON *root, const struct result_buffer *buffer)
{
    if (!buffer->known) return;
    cJSON *object = json_add_object(root, "buffer");
    json_add_number(object, "limit_bytes", (double)buffer->limit_bytes);
    json_add_number(object, "waits", (double)buffer->waits);
    json_add_number(object, "wait_s", buffer->wait_s);
    json_add_number(object, "peak_bytes", (double)buffer->peak_bytes);
}

static void add_engine_stats(cJSON *root, const struct result *result)
{
    if (result->events == 0 && result->wall_ns == 0 && result->peak_bytes == 0) {
        json_add_text(root, "engine_stats", NULL);
        return;
    }
    cJSON *stats = json_add_object(root, "engine_stats");
    json_add_number(stats, "events", (double)result->events);
    json_add_number(stats, "wall_s", (double)result->wall_ns * 1e-9);
    json_add_number(stats, "peak_bytes", (double)result->peak_bytes);
}

static void add_left_out(cJSON *root, const struct result *result)
{
    cJSON *array = json_add_array(root, "left_out");
    for (size_t i = 0; i < result->left_out_count; i++) {
        const struct result_left_out *part = &result->left_out[i];
        cJSON *object = json_append_object(array);
        json_add_known(object, "rank", part->rank >= 0, (double)part->rank);
        json_add_known(object, "event", part->rank >= 0, (double)part->event);
        json_add_known(object, "time_s", part->time_known, part->time_s);
        json_add_known(object, "calls", part->calls >= 0, (double)part->calls);
        json_add_text(object, "reason", part->reason);
    }
}

static void add_call(cJSON *object, const struct result_call *call)
{
    json_add_number(object, "rank", call->rank);
    json_add_number(object, "thread", call->thread);
    json_add_number(object, "event", (double)call->event);
    json_add_text(object, "call", call->function);
    json_add_number(object, "time_s", call->time_s);
    json_add_text(object, "callpath", call->callpath);
    json_add_text(object, "file", call->file);
    json_add_known(object, "line", call->line > 0, call->line);
}

static void add_violations(cJSON *root, const struct result_violations *violations)
{
    if (!violations->known) return;
    json_add_number(root, "violation_count", (double)violations->total);
    cJSON *array = json_add_array(root, "violations");
    for (size_t i = 0; i < violations->count; i++) {
        const struct result_violation *violation = &violations->items[i];
        cJSON *object = json_append_object(array);
        json_add_text(object, "kind", violation->kind);
        json_add_text(object, "section", violation->section);
        json_add_text(object, "sentence", violation->sentence);
        add_call(object, &violation->call);
        cJSON *other = violation->other_known ? json_add_object(object, "other")
                                                           : json_add_null(object, "other");
        if (violation->other_known) add_call(other, &violation->other);
    }
}

static void add_section(cJSON *root, const struct result_section *section)
{
    if (!section->known) {
        json_add_null(root, "section");
        return;
    }
    cJSON *object = json_add_object(root, "section");
    json_add_text(object, "from", section->from);
    json_add_text(object, "to", section->to);
    json_add_text(object, "callpath", section->callpath);
    json_add_bool(object, "without_init", section->without_init);
}

static void add_disturbance(cJSON *root, const struct result_disturbance *disturbance)
{
    json_put(root, "disturbance", result_disturbance_json(disturbance));
}

static void add_notes(cJSON *root, const struct result *result)
{
    cJSON *notes = json_add_array(root, "notes");
    for (size_t i = 0; i < result->note_count; i++)
        json_append(notes, cJSON_CreateString(result->notes[i]));
}

enum status result_to_json(const struct result *result, cJSON **json, struct err *err)
{
    cJSON *root = cJSON_CreateObject();
    json_add_text(root, "schema", RESULT_SCHEMA);
    json_add_text(root, "trace", result->trace);
    json_add_text(root, "origin", trace_origin_name(result->origin));
    json_add_text(root, "platform", result->platform);
    json_add_text(root, "semantics", result->semantics);
    json_add_text(root, "engine", result->engine);
    json_add_text(root, "library", result->library);
    json_add_text(root, "transport", result->transport);
    json_add_bool(root, "incomplete", result->incomplete);
    json_add_number(root, "epsilon_s", result->epsilon_s);
    json_add_text(root, "late_post", *result->late_post ? result->late_post : NULL);
    json_add_number(root, "ranks", result->rank_count);
    json_add_number(root, "run_time_s", result->run_time_s);
    uncertainty_to_json(&result->uncertainty, root);
    json_add_numbers(root, "rank_time_s", result->rank_time_s, result->rank_count);
    add_section(root, &result->section);
    add_disturbance(root, &result->disturbance);
    add_calls(root, result);
    add_patterns(root, result);
    add_properties(root, result);
    add_transfers(root, result);
    add_transfer_groups(root, result);
    add_fence_pairs(root, result);
    add_behaviour(root, result);
    add_creations(root, result);
    add_efficiency(root, result);
    add_shares(root, "causes", result, &result->causes);
    add_shares(root, "critical_path", result, &result->critical_path);
    add_checks(root, result);
    add_buffer(root, &result->buffer);
    add_engine_stats(root, result);
    add_violations(root, &result->violations);
    add_left_out(root, result);
    add_notes(root, result);
    return json_made(root, json, err);
}
