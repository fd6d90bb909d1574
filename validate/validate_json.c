/* Writes a validation as JSON (docs/results.md, Validation). */
#include <math.h>

#include "common/json/json_write.h"
#include "validate/validate.h"

/* cJSON writes a number that is not finite as null. */
static bool add_value(cJSON *object, const struct validate_value *value)
{
    return json_add_number(object, "predicted_s", value->predicted_s) &&
           json_add_number(object, "measured_s", value->measured_s) &&
           json_add_number(object, "measured_min_s", value->measured_min_s) &&
           json_add_number(object, "measured_max_s", value->measured_max_s) &&
           json_add_number(object, "error_s", value->error_s) &&
           json_add_number(object, "relative", value->relative) &&
           json_add_number(object, "deviation", value->deviation) &&
           json_add_bool(object, "within_spread", value->within_spread);
}

static bool add_values(cJSON *object, const char *key, const struct validate_value *values, uint32_t count)
{
    cJSON *array = json_add_array(object, key);
    for (uint32_t i = 0; array && i < count; i++) {
        cJSON *one = cJSON_CreateObject();
        if (!one || !json_append(array, one) || !add_value(one, &values[i])) return false;
    }
    return array != NULL;
}

static bool add_text(cJSON *object, const char *key, const char *text)
{
    return text ? json_add_text(object, key, text) != NULL : json_add_null(object, key) != NULL;
}

static bool add_names(cJSON *root, const struct validation *v)
{
    cJSON *predicted = json_add_object(root, "predicted");
    bool whole = predicted && add_text(predicted, "file", v->predicted) &&
                 add_text(predicted, "platform", v->platform) && add_text(predicted, "semantics", v->semantics) &&
                 add_text(predicted, "engine", v->engine);
    cJSON *measured = whole ? json_add_array(root, "measured") : NULL;
    for (size_t i = 0; measured && i < v->repetitions; i++) {
        cJSON *name = cJSON_CreateString(v->measured[i]);
        if (!name || !json_append(measured, name)) return false;
    }
    return measured && json_add_number(root, "ranks", v->rank_count);
}

static bool add_notes(cJSON *root, const struct validation *v)
{
    cJSON *notes = json_add_array(root, "notes");
    for (size_t i = 0; notes && i < v->note_count; i++)
        if (!json_append(notes, cJSON_CreateString(v->notes[i]))) return false;
    return notes != NULL;
}

static bool add_section(cJSON *root, const struct result_section *section)
{
    if (!section->known) return json_add_null(root, "section") != NULL;
    cJSON *object = json_add_object(root, "section");
    return object && add_text(object, "from", section->from) && add_text(object, "to", section->to) &&
           add_text(object, "callpath", section->callpath) &&
           json_add_bool(object, "without_init", section->without_init);
}

/* One per measured run. */
static bool add_disturbance(cJSON *root, const struct validation *v)
{
    cJSON *array = json_add_array(root, "disturbance");
    for (size_t i = 0; array && i < v->repetitions; i++) {
        cJSON *one = result_disturbance_json(&v->disturbance[i]);
        if (!one || !json_append(array, one)) return false;
    }
    return array != NULL;
}

static bool add_times(cJSON *root, const struct validation *v)
{
    cJSON *run = json_add_object(root, "run_time");
    cJSON *error = json_add_object(root, "rank_error");
    return run && error && add_value(run, &v->run_time) && add_values(root, "rank_time", v->rank_time, v->rank_count) &&
           json_add_number(error, "median", v->rank_error_median) &&
           json_add_number(error, "p95", v->rank_error_p95) &&
           json_add_number(error, "worst", v->rank_error_worst) &&
           json_add_number(error, "worst_rank", v->worst_rank);
}

static bool add_patterns(cJSON *root, const struct validation *v)
{
    cJSON *patterns = json_add_array(root, "patterns");
    for (int p = 0; patterns && p < PATTERN_COUNT; p++) {
        cJSON *one = cJSON_CreateObject();
        if (!one || !json_append(patterns, one) ||
            !json_add_text(one, "name", pattern_row((enum pattern)p)->name) ||
            !add_value(one, &v->patterns[p].total) || !json_add_bool(one, "at_most", v->patterns[p].at_most) ||
            !json_add_number(one, "predicted_known_s", v->patterns[p].known_s) ||
            !add_values(one, "ranks", v->patterns[p].ranks, v->rank_count))
            return false;
    }
    return patterns != NULL;
}

static bool add_properties(cJSON *root, const struct validation *v)
{
    cJSON *properties = json_add_array(root, "properties");
    for (size_t i = 0; properties && i < v->property_count; i++) {
        cJSON *one = cJSON_CreateObject();
        if (!one || !json_append(properties, one) ||
            !json_add_text(one, "name", v->properties[i].name) || !add_value(one, &v->properties[i].value))
            return false;
    }
    return properties != NULL;
}

static bool add_targets(cJSON *root, const struct validation *v)
{
    if (!v->targets) return json_add_null(root, "target_waits") != NULL;
    return add_values(root, "target_waits", v->targets, v->rank_count);
}

static bool add_summary(cJSON *object, const char *key, const struct sample_summary *summary)
{
    cJSON *one = json_add_object(object, key);
    return one && json_add_number(one, "median", summary->median) &&
           json_add_number(one, "p95", summary->p95) && json_add_number(one, "worst", summary->worst);
}

static bool add_place(cJSON *object, const struct validate_place *place)
{
    return json_add_text(object, "function", place->function) &&
           json_add_text(object, "callpath", place->callpath) && add_text(object, "file", place->file) &&
           json_add_number(object, "line", place->line);
}

static bool add_callpath(cJSON *array, const struct validate_calls *calls, size_t index)
{
    const struct validate_call_group *group = &calls->groups[index];
    cJSON *one = cJSON_CreateObject();
    return one && json_append(array, one) && add_place(one, &calls->places[index]) &&
           json_add_number(one, "count", (double)group->count) &&
           json_add_number(one, "predicted_s", group->predicted_s) &&
           json_add_number(one, "measured_s", group->measured_s) &&
           json_add_number(one, "error_s", group->error_s) &&
           json_add_number(one, "predicted_median_s", group->predicted_median_s) &&
           json_add_number(one, "measured_median_s", group->measured_median_s) &&
           json_add_number(one, "absolute_error_s", group->absolute_s) &&
           json_add_number(one, "spread_s", group->spread_s) &&
           json_add_number(one, "share", group->share) &&
           json_add_number(one, "two_groups", (double)group->two_groups) &&
           json_add_number(one, "two_groups_error_s", group->two_groups_s) &&
           json_add_bool(one, "race", group->race);
}

static bool add_worst_call(cJSON *object, const struct validate_calls *calls)
{
    if (calls->count == 0) return json_add_null(object, "worst") != NULL;
    const struct validate_call *call = &calls->calls[calls->worst];
    cJSON *one = json_add_object(object, "worst");
    return one && add_place(one, &calls->places[call->place]) && json_add_number(one, "rank", call->rank) &&
           json_add_number(one, "thread", call->thread) &&
           json_add_number(one, "occurrence", call->occurrence) &&
           json_add_number(one, "predicted_s", call->predicted_s) &&
           json_add_number(one, "measured_s", call->measured_s) &&
           json_add_number(one, "measured_min_s", call->measured_min_s) &&
           json_add_number(one, "measured_max_s", call->measured_max_s);
}

/* measured: the names of the measured runs. */
static bool add_other(cJSON *object, const struct validate_calls *calls, char *const *measured)
{
    const struct validate_other *other = &calls->other;
    cJSON *one = json_add_object(object, "other_arguments");
    if (!one || !json_add_number(one, "count", (double)calls->other_count)) return false;
    if (calls->other_count == 0) return json_add_null(one, "first") != NULL;
    cJSON *first = json_add_object(one, "first");
    return first && add_text(first, "measured", measured[other->run]) && add_place(first, &calls->places[other->place]) &&
           json_add_number(first, "rank", other->rank) &&
           json_add_number(first, "event", (double)other->event) &&
           json_add_number(first, "bytes", (double)other->bytes) &&
           json_add_number(first, "predicted_bytes", (double)other->predicted_bytes) &&
           json_add_number(first, "peer", other->peer) &&
           json_add_number(first, "predicted_peer", other->predicted_peer);
}

static bool add_calls(cJSON *root, const struct validate_calls *calls, char *const *measured)
{
    if (!calls) return json_add_null(root, "calls") != NULL;
    cJSON *object = json_add_object(root, "calls");
    bool whole = object && json_add_number(object, "count", (double)calls->count) &&
                 json_add_number(object, "within_spread", (double)calls->within_spread) &&
                 json_add_number(object, "absolute_error_s", calls->absolute_s) &&
                 json_add_number(object, "computing_error_s", calls->computing_error_s) &&
                 json_add_number(object, "calls_error_s", calls->calls_error_s) &&
                 add_summary(object, "error_s", &calls->error_s) && add_summary(object, "relative", &calls->relative) &&
                 add_worst_call(object, calls) && add_other(object, calls, measured);
    cJSON *callpaths = whole ? json_add_array(object, "callpaths") : NULL;
    for (size_t i = 0; callpaths && i < calls->place_count; i++)
        if (calls->groups[calls->order[i]].count > 0 && !add_callpath(callpaths, calls, calls->order[i])) return false;
    return callpaths != NULL;
}

static bool add_transfers(cJSON *root, const struct validation *v)
{
    const struct validate_transfers *transfers = &v->transfers;
    if (!v->calls) return json_add_null(root, "transfers") != NULL;
    cJSON *object = json_add_object(root, "transfers");
    double count = (double)transfers->count;
    return object && json_add_number(object, "count", count) &&
           json_add_number(object, "ends_known", (double)transfers->ends_known) &&
           json_add_number(object, "within_bounds", (double)transfers->within) &&
           json_add_number(object, "within_spread", (double)transfers->within_spread) &&
           json_add_number(object, "share", count > 0 ? (double)transfers->within / count : NAN) &&
           json_add_number(object, "between_nodes", (double)transfers->between_nodes) &&
           json_add_number(object, "between_nodes_within", (double)transfers->between_nodes_within) &&
           add_summary(object, "width", &transfers->width) && add_summary(object, "error_s", &transfers->error_s) &&
           add_summary(object, "relative", &transfers->relative) &&
           json_add_number(object, "worst_rank", transfers->worst_rank) &&
           json_add_number(object, "worst_event", (double)transfers->worst_event);
}

static bool add_tolerance(cJSON *root, const struct validation *v, double tolerance)
{
    if (tolerance < 0) return json_add_null(root, "tolerance") != NULL;
    struct err err = {.status = STATUS_OK};
    bool holds = validate_tolerance(v, tolerance, &err) == STATUS_OK;
    return json_add_number(root, "tolerance", tolerance) && json_add_bool(root, "holds", holds) &&
           add_text(root, "worst", holds ? NULL : err.text);
}

static bool add_not_inferred(cJSON *root, const struct validation *v)
{
    cJSON *functions = json_add_array(root, "not_inferred");
    for (int f = 0; functions && f < MPI_CALL_COUNT; f++) {
        if (!v->not_inferred[f]) continue;
        cJSON *name = cJSON_CreateString(call_name((enum mpi_call)f));
        if (!json_append(functions, name)) return false;
    }
    return functions != NULL;
}

enum status validation_to_json(const struct validation *validation, double tolerance, cJSON **json, struct err *err)
{
    cJSON *root = cJSON_CreateObject();
    bool whole = root && json_add_text(root, "schema", "rmacast.validation/1") &&
                 add_names(root, validation) && add_notes(root, validation) && add_section(root, &validation->section) &&
                 add_disturbance(root, validation) &&
                 json_add_bool(root, "waits_inferred", validation->inferred) &&
                 add_not_inferred(root, validation) && add_times(root, validation) &&
                 add_patterns(root, validation) &&
                 add_properties(root, validation) && add_targets(root, validation) &&
                 add_calls(root, validation->calls, validation->measured) && add_transfers(root, validation) &&
                 add_text(root, "other_control_flow", validation->difference) &&
                 add_tolerance(root, validation, tolerance);
    if (!whole) {
        cJSON_Delete(root);
        return err_memory(err);
    }
    *json = root;
    return STATUS_OK;
}
