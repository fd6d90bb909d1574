#include "platforms/stated_errors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/json.h"
#include "common/json/json_write.h"
#include "platforms/keys.h"
#include "platforms/profile.h"

/* The value on the other platform; false: the key is neither a time, a rate nor a share that makes others slower. */
static bool shift_value(const struct platform_key *key, double error, bool slower, double *value)
{
    switch (key ? key->kind : KEY_OTHER) {
    case KEY_RATE:
    case KEY_SPEED:
        if (*value > 0) *value *= slower ? 1 / (1 + error / *value) : 1 + error / *value;
        return true;
    case KEY_PAUSE: *value = slower ? fmax(*value - error, 0) : *value + error; return true;
    case KEY_SLOWDOWN: *value = slower ? *value + error : fmax(*value - error, 1); return true;
    case KEY_TIME:
    case KEY_COST:
    case KEY_SHARE:
        *value = slower ? *value + error : fmax(*value - error, *value < 0 ? key->least : 0);
        if (key->kind == KEY_SHARE) *value = fmin(*value, key->most);
        return true;
    default: return false;
    }
}

static enum error_source source_of(const struct platform_key *key, const char *path)
{
    if (strncmp(path, "nodes", strlen("nodes")) == 0 || strncmp(path, "threads", strlen("threads")) == 0) return ERROR_NODES;
    if (strncmp(path, "mpi.rma", strlen("mpi.rma")) == 0) return ERROR_ONE_SIDED;
    if (key && key->kind == KEY_RATE) return ERROR_RATE;
    return strstr(path, "latency_s") ? ERROR_LATENCY : ERROR_CALLS;
}

size_t platform_shift_values(cJSON *item, const char *path, enum platform_errors errors, enum error_source only)
{
    cJSON *value = cJSON_GetObjectItem(item, "value"), *error = cJSON_GetObjectItem(item, "error"), *child;
    if (cJSON_IsNumber(value) && cJSON_IsNumber(error)) {
        double moved = value->valuedouble;
        const struct platform_key *key = platform_key_of(path);
        if (only != ERROR_SOURCES && source_of(key, path) != only) return 0;
        if (error->valuedouble <= 0 || !shift_value(key, error->valuedouble, errors == PLATFORM_SLOWER, &moved)) return 0;
        if (errors != PLATFORM_AS_STATED) cJSON_SetNumberValue(value, moved);
        return 1;
    }
    size_t count = 0;
    cJSON_ArrayForEach (child, item) {
        char below[JSON_PATH_BYTES];
        if (child->string && json_key_ignored(child->string)) continue;
        const char *const joint = !child->string ? "[]" : *path ? "." : "";
        snprintf(below, sizeof below, "%s%s%s", path, joint, child->string ? child->string : "");
        count += platform_shift_values(child, below, errors, only);
    }
    return count;
}

/* Sections are overridden as a whole: a key of the network may stand for several values. */
static enum status add_section(struct platform_shift *shift, const char *name, const cJSON *section, struct err *err)
{
    char *text = json_print(section, JSON_LINE);
    int length = text ? asprintf(&shift->overrides[shift->count], "%s=%s", name, text) : -1;
    free(text);
    if (length < 0) return err_memory(err);
    shift->count++;
    return STATUS_OK;
}

enum status platform_shift_make(const char *file, const char *const *overrides, size_t count, enum platform_errors errors,
                                struct platform_shift *shift, struct err *err)
{
    static const char *const sections[ERROR_SECTIONS] = {"nodes", "network", "mpi", "threads"};
    cJSON *platform;
    *shift = (struct platform_shift){.count = 0};
    TRY(platform_effective(file, overrides, count, &platform, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < ERROR_SECTIONS; i++) {
        cJSON *section = cJSON_GetObjectItemCaseSensitive(platform, sections[i]);
        size_t values = platform_shift_values(section, sections[i], errors, ERROR_SOURCES);
        shift->values += values;
        if (values > 0 && errors != PLATFORM_AS_STATED) status = add_section(shift, sections[i], section, err);
    }
    cJSON_Delete(platform);
    if (status != STATUS_OK) platform_shift_clear(shift);
    return status;
}

void platform_shift_clear(struct platform_shift *shift)
{
    for (size_t i = 0; i < shift->count; i++) free(shift->overrides[i]);
    *shift = (struct platform_shift){.count = 0};
}
