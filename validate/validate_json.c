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

static bool add_times(cJSON *root, const struct validation *v)
{
    cJSON *run = cJSON_AddObjectToObject(root, "run_time");
    cJSON *error = cJSON_AddObjectToObject(root, "rank_error");
    return run && error && add_value(run, &v->run_time) && add_values(root, "rank_time", v->rank_time, v->rank_count) &&
           cJSON_AddNumberToObject(error, "median", v->rank_error_median) &&
           cJSON_AddNumberToObject(error, "p95", v->rank_error_p95);
}

static bool add_patterns(cJSON *root, const struct validation *v)
{
    cJSON *patterns = cJSON_AddArrayToObject(root, "patterns");
    for (int p = 0; patterns && p < PATTERN_COUNT; p++) {
        cJSON *one = cJSON_CreateObject();
        if (!one || !cJSON_AddItemToArray(patterns, one) ||
            !cJSON_AddStringToObject(one, "name", pattern_row((enum pattern)p)->name) ||
            !add_value(one, &v->patterns[p].total) || !add_values(one, "ranks", v->patterns[p].ranks, v->rank_count))
            return false;
    }
    return patterns != NULL;
}

static bool add_tolerance(cJSON *root, const struct validation *v, double tolerance)
{
    if (tolerance < 0) return cJSON_AddNullToObject(root, "tolerance") != NULL;
    struct err err = {.status = STATUS_OK};
    bool holds = validate_tolerance(v, tolerance, &err) == STATUS_OK;
    return cJSON_AddNumberToObject(root, "tolerance", tolerance) && cJSON_AddBoolToObject(root, "holds", holds) &&
           add_text(root, "worst", holds ? NULL : err.text);
}

enum status validation_to_json(const struct validation *validation, double tolerance, cJSON **json, struct err *err)
{
    cJSON *root = cJSON_CreateObject();
    bool whole = root && cJSON_AddStringToObject(root, "schema", "rmacast.validation/1") &&
                 add_names(root, validation) && add_times(root, validation) && add_patterns(root, validation) &&
                 add_tolerance(root, validation, tolerance);
    if (!whole) {
        cJSON_Delete(root);
        return err_memory(err);
    }
    *json = root;
    return STATUS_OK;
}
