#include "platforms/stated_errors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/json.h"
#include "common/json/json_write.h"
#include "platforms/platform.h"
#include "platforms/profile.h"

static bool ends_in(const char *key, const char *end)
{
    size_t length = strlen(key), tail = strlen(end);
    return length >= tail && strcmp(key + length - tail, end) == 0;
}

static const char reverse_share[] = "reverse_share";

/* The value on the other platform; false: the key is neither a time, a rate nor a share that makes others slower. */
static bool shift_value(const char *key, double error, bool slower, double *value)
{
    if (ends_in(key, "_Bps") || strcmp(key, "speed") == 0) {
        if (*value > 0) *value *= slower ? 1 / (1 + error / *value) : 1 + error / *value;
        return true;
    }
    if (!ends_in(key, "_s") && !ends_in(key, "s_per_byte") && strcmp(key, reverse_share) != 0) return false;
    if (strcmp(key, "after_s") == 0 || strcmp(key, "full_s") == 0) slower = !slower;
    const double least = strcmp(key, reverse_share) == 0 && *value < 0 ? REVERSE_WITHIN_LEAST : 0;
    *value = slower ? *value + error : fmax(*value - error, least);
    return true;
}

/* The key that says what the child is: elements of lists, functions of MPI and kinds of operations have that of their section. */
static const char *key_of(const cJSON *child, const char *section)
{
    bool own = child->string && strncmp(child->string, "MPI_", strlen("MPI_")) != 0 && strcmp(section, reverse_share) != 0;
    return own ? child->string : section;
}

/* Returns the number of values that move. */
static size_t shift_values(cJSON *item, const char *key, enum platform_errors errors)
{
    cJSON *value = cJSON_GetObjectItem(item, "value"), *error = cJSON_GetObjectItem(item, "error"), *child;
    if (cJSON_IsNumber(value) && cJSON_IsNumber(error)) {
        double moved = value->valuedouble;
        if (error->valuedouble <= 0 || !shift_value(key, error->valuedouble, errors == PLATFORM_SLOWER, &moved)) return 0;
        if (errors != PLATFORM_AS_STATED) cJSON_SetNumberValue(value, moved);
        return 1;
    }
    size_t count = 0;
    cJSON_ArrayForEach (child, item)
        if (!child->string || !json_key_ignored(child->string))
            count += shift_values(child, key_of(child, key), errors);
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
        size_t values = shift_values(section, sections[i], errors);
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
