/* Writes a validation as JSON (docs/results.md, Validation). */
#include <math.h>

#include "validate/validate.h"

/* cJSON writes a number that is not finite as null. */
static bool add_value(cJSON *object, const struct validate_value *value)
{
    return cJSON_AddNumberToObject(object, "predicted_s", value->predicted_s) &&
           cJSON_AddNumberToObject(object, "measured_s", value->measured_s) &&
           cJSON_AddNumberToObject(object, "measured_min_s", value->measured_min_s) &&
           cJSON_AddNumberToObject(object, "measured_max_s", value->measured_max_s) &&
           cJSON_AddNumberToObject(object, "error_s", value->error_s) &&
           cJSON_AddNumberToObject(object, "relative", value->relative) &&
           cJSON_AddNumberToObject(object, "deviation", value->deviation) &&
           cJSON_AddBoolToObject(object, "within_spread", value->within_spread);
}

static bool add_values(cJSON *object, const char *key, const struct validate_value *values, uint32_t count)
{
    cJSON *array = cJSON_AddArrayToObject(object, key);
    for (uint32_t i = 0; array && i < count; i++) {
        cJSON *one = cJSON_CreateObject();
        if (!one || !cJSON_AddItemToArray(array, one) || !add_value(one, &values[i])) return false;
    }
    return array != NULL;
}

static bool add_text(cJSON *object, const char *key, const char *text)
{
    return text ? cJSON_AddStringToObject(object, key, text) != NULL : cJSON_AddNullToObject(object, key) != NULL;
}

static bool add_names(cJSON *root, const struct validation *v)
{
    cJSON *predicted = cJSON_AddObjectToObject(root, "predicted");
    bool whole = predicted && add_text(predicted, "file", v->predicted) &&
                 add_text(predicted, "platform", v->platform) && add_text(predicted, "semantics", v->semantics) &&
                 add_text(predicted, "engine", v->engine);
    cJSON *measured = whole ? cJSON_AddArrayToObject(root, "measured") : NULL;
    for (size_t i = 0; measured && i < v->repetitions; i++) {
        cJSON *name = cJSON_CreateString(v->measured[i]);
        if (!name || !cJSON_AddItemToArray(measured, name)) return false;
    }
    return measured && cJSON_AddNumberToObject(root, "ranks", v->rank_count);
}

static bool add_section(cJSON *root, const struct result_section *section)
{
    if (!section->known) return cJSON_AddNullToObject(root, "section") != NULL;
    cJSON *object = cJSON_AddObjectToObject(root, "section");
    return object && add_text(object, "from", section->from) && add_text(object, "to", section->to) &&
           add_text(object, "callpath", section->callpath) &&
           cJSON_AddBoolToObject(object, "without_init", section->without_init);
}

/* One per measured run. */
static bool add_disturbance(cJSON *root, const struct validation *v)
{
    cJSON *array = cJSON_AddArrayToObject(root, "disturbance");
    for (size_t i = 0; array && i < v->repetitions; i++) {
        cJSON *one = result_disturbance_json(&v->disturbance[i]);
        if (!one || !cJSON_AddItemToArray(array, one)) return false;
    }
    return array != NULL;
}

static bool add_times(cJSON *root, const struct validation *v)
{
    cJSON *run = cJSON_AddObjectToObject(root, "run_time");
    cJSON *error = cJSON_AddObjectToObject(root, "rank_error");
    return run && error && add_value(run, &v->run_time) && add_values(root, "rank_time", v->rank_time, v->rank_count) &&
           cJSON_AddNumberToObject(error, "median", v->rank_error_median) &&
           cJSON_AddNumberToObject(error, "p95", v->rank_error_p95) &&
           cJSON_AddNumberToObject(error, "worst", v->rank_error_worst) &&
           cJSON_AddNumberToObject(error, "worst_rank", v->worst_rank);
}

static bool add_patterns(cJSON *root, const struct validation *v)
{
    cJSON *patterns = cJSON_AddArrayToObject(root, "patterns");
    for (int p = 0; patterns && p < PATTERN_COUNT; p++) {
        cJSON *one = cJSON_CreateObject();
        if (!one || !cJSON_AddItemToArray(patterns, one) ||
            !cJSON_AddStringToObject(one, "name", pattern_row((enum pattern)p)->name) ||
            !add_value(one, &v->patterns[p].total) ||
            !cJSON_AddNumberToObject(one, "predicted_known_s", v->patterns[p].known_s) ||
            !add_values(one, "ranks", v->patterns[p].ranks, v->rank_count))
            return false;
    }
    return patterns != NULL;
}

static bool add_properties(cJSON *root, const struct validation *v)
{
    cJSON *properties = cJSON_AddArrayToObject(root, "properties");
    for (size_t i = 0; properties && i < v->property_count; i++) {
        cJSON *one = cJSON_CreateObject();
        if (!one || !cJSON_AddItemToArray(properties, one) ||
            !cJSON_AddStringToObject(one, "name", v->properties[i].name) || !add_value(one, &v->properties[i].value))
            return false;
    }
    return properties != NULL;
}

static bool add_targets(cJSON *root, const struct validation *v)
{
    if (!v->targets) return cJSON_AddNullToObject(root, "target_waits") != NULL;
    return add_values(root, "target_waits", v->targets, v->rank_count);
}

static bool add_summary(cJSON *object, const char *key, const struct sample_summary *summary)
{
    cJSON *one = cJSON_AddObjectToObject(object, key);
    return one && cJSON_AddNumberToObject(one, "median", summary->median) &&
           cJSON_AddNumberToObject(one, "p95", summary->p95) && cJSON_AddNumberToObject(one, "worst", summary->worst);
}

static bool add_place(cJSON *object, const struct validate_place *place)
{
    return cJSON_AddStringToObject(object, "function", place->function) &&
           cJSON_AddStringToObject(object, "callpath", place->callpath) && add_text(object, "file", place->file) &&
           cJSON_AddNumberToObject(object, "line", place->line);
}

static bool add_callpath(cJSON *array, const struct validate_calls *calls, size_t index)
{
    const struct validate_call_group *group = &calls->groups[index];
    cJSON *one = cJSON_CreateObject();
    return one && cJSON_AddItemToArray(array, one) && add_place(one, &calls->places[index]) &&
           cJSON_AddNumberToObject(one, "count", (double)group->count) &&
           cJSON_AddNumberToObject(one, "predicted_s", group->predicted_s) &&
           cJSON_AddNumberToObject(one, "measured_s", group->measured_s) &&
           cJSON_AddNumberToObject(one, "error_s", group->error_s) &&
           cJSON_AddNumberToObject(one, "predicted_median_s", group->predicted_median_s) &&
           cJSON_AddNumberToObject(one, "measured_median_s", group->measured_median_s) &&
           cJSON_AddNumberToObject(one, "absolute_error_s", group->absolute_s) &&
           cJSON_AddNumberToObject(one, "spread_s", group->spread_s) &&
           cJSON_AddNumberToObject(one, "share", group->share) &&
           cJSON_AddNumberToObject(one, "two_groups", (double)group->two_groups) &&
           cJSON_AddNumberToObject(one, "two_groups_error_s", group->two_groups_s) &&
           cJSON_AddBoolToObject(one, "race", group->race);
}

static bool add_worst_call(cJSON *object, const struct validate_calls *calls)
{
    if (calls->count == 0) return cJSON_AddNullToObject(object, "worst") != NULL;
    const struct validate_call *call = &calls->calls[calls->worst];
    cJSON *one = cJSON_AddObjectToObject(object, "worst");
    return one && add_place(one, &calls->places[call->place]) && cJSON_AddNumberToObject(one, "rank", call->rank) &&
           cJSON_AddNumberToObject(one, "thread", call->thread) &&
           cJSON_AddNumberToObject(one, "occurrence", call->occurrence) &&
           cJSON_AddNumberToObject(one, "predicted_s", call->predicted_s) &&
           cJSON_AddNumberToObject(one, "measured_s", call->measured_s) &&
           cJSON_AddNumberToObject(one, "measured_min_s", call->measured_min_s) &&
           cJSON_AddNumberToObject(one, "measured_max_s", call->measured_max_s);
}

/* measured: the names of the measured runs. */
static bool add_other(cJSON *object, const struct validate_calls *calls, char *const *measured)
{
    const struct validate_other *other = &calls->other;
    cJSON *one = cJSON_AddObjectToObject(object, "other_arguments");
    if (!one || !cJSON_AddNumberToObject(one, "count", (double)calls->other_count)) return false;
    if (calls->other_count == 0) return cJSON_AddNullToObject(one, "first") != NULL;
    cJSON *first = cJSON_AddObjectToObject(one, "first");
    return first && add_text(first, "measured", measured[other->run]) && add_place(first, &calls->places[other->place]) &&
           cJSON_AddNumberToObject(first, "rank", other->rank) &&
           cJSON_AddNumberToObject(first, "event", (double)other->event) &&
           cJSON_AddNumberToObject(first, "bytes", (double)other->bytes) &&
           cJSON_AddNumberToObject(first, "predicted_bytes", (double)other->predicted_bytes) &&
           cJSON_AddNumberToObject(first, "peer", other->peer) &&
           cJSON_AddNumberToObject(first, "predicted_peer", other->predicted_peer);
}

static bool add_calls(cJSON *root, const struct validate_calls *calls, char *const *measured)
{
    if (!calls) return cJSON_AddNullToObject(root, "calls") != NULL;
    cJSON *object = cJSON_AddObjectToObject(root, "calls");
    bool whole = object && cJSON_AddNumberToObject(object, "count", (double)calls->count) &&
                 cJSON_AddNumberToObject(object, "within_spread", (double)calls->within_spread) &&
                 cJSON_AddNumberToObject(object, "absolute_error_s", calls->absolute_s) &&
                 cJSON_AddNumberToObject(object, "computing_error_s", calls->computing_error_s) &&
                 cJSON_AddNumberToObject(object, "calls_error_s", calls->calls_error_s) &&
                 add_summary(object, "error_s", &calls->error_s) && add_summary(object, "relative", &calls->relative) &&
                 add_worst_call(object, calls) && add_other(object, calls, measured);
    cJSON *callpaths = whole ? cJSON_AddArrayToObject(object, "callpaths") : NULL;
    for (size_t i = 0; callpaths && i < calls->place_count; i++)
        if (calls->groups[calls->order[i]].count > 0 && !add_callpath(callpaths, calls, calls->order[i])) return false;
    return callpaths != NULL;
}

static bool add_transfers(cJSON *root, const struct validation *v)
{
    const struct validate_transfers *transfers = &v->transfers;
    if (!v->calls) return cJSON_AddNullToObject(root, "transfers") != NULL;
    cJSON *object = cJSON_AddObjectToObject(root, "transfers");
    double count = (double)transfers->count;
    return object && cJSON_AddNumberToObject(object, "count", count) &&
           cJSON_AddNumberToObject(object, "ends_known", (double)transfers->ends_known) &&
           cJSON_AddNumberToObject(object, "within_bounds", (double)transfers->within) &&
           cJSON_AddNumberToObject(object, "within_spread", (double)transfers->within_spread) &&
           cJSON_AddNumberToObject(object, "share", count > 0 ? (double)transfers->within / count : NAN) &&
           cJSON_AddNumberToObject(object, "between_nodes", (double)transfers->between_nodes) &&
           cJSON_AddNumberToObject(object, "between_nodes_within", (double)transfers->between_nodes_within) &&
           add_summary(object, "width", &transfers->width) && add_summary(object, "error_s", &transfers->error_s) &&
           add_summary(object, "relative", &transfers->relative) &&
           cJSON_AddNumberToObject(object, "worst_rank", transfers->worst_rank) &&
           cJSON_AddNumberToObject(object, "worst_event", (double)transfers->worst_event);
}

static bool add_tolerance(cJSON *root, const struct validation *v, double tolerance)
{
    if (tolerance < 0) return cJSON_AddNullToObject(root, "tolerance") != NULL;
    struct err err = {.status = STATUS_OK};
    bool holds = validate_tolerance(v, tolerance, &err) == STATUS_OK;
    return cJSON_AddNumberToObject(root, "tolerance", tolerance) && cJSON_AddBoolToObject(root, "holds", holds) &&
           add_text(root, "worst", holds ? NULL : err.text);
}

static bool add_not_inferred(cJSON *root, const struct validation *v)
{
    cJSON *functions = cJSON_AddArrayToObject(root, "not_inferred");
    for (int f = 0; functions && f < MPI_CALL_COUNT; f++) {
        if (!v->not_inferred[f]) continue;
        cJSON *name = cJSON_CreateString(call_name((enum mpi_call)f));
        if (!cJSON_AddItemToArray(functions, name)) return false;
    }
    return functions != NULL;
}

enum status validation_to_json(const struct validation *validation, double tolerance, cJSON **json, struct err *err)
{
    cJSON *root = cJSON_CreateObject();
    bool whole = root && cJSON_AddStringToObject(root, "schema", "rmacast.validation/1") &&
                 add_names(root, validation) && add_section(root, &validation->section) &&
                 add_disturbance(root, validation) &&
                 cJSON_AddBoolToObject(root, "waits_inferred", validation->inferred) &&
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
