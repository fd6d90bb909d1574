#include "platforms/untold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/json/json_write.h"
#include "platforms/profile.h"
#include "platforms/read.h"
#include "trace/calls/libraries.h"

enum { KEY_BYTES = 128, NAMES_BYTES = 1024, NOTE_BYTES = 2048 };

/* Names and lists of steps that both have and that are equal, less those that differ. */
static int count_agreements(const cJSON *mpi, const cJSON *of_profile)
{
    int count = 0;
    const cJSON *item;
    cJSON_ArrayForEach (item, of_profile) {
        const cJSON *own = cJSON_GetObjectItemCaseSensitive(mpi, item->string);
        if (cJSON_IsObject(item) && cJSON_IsObject(own)) count += count_agreements(own, item);
        const bool lists = cJSON_IsArray(item) && cJSON_IsString(item->child) && cJSON_IsArray(own);
        if (lists || (cJSON_IsString(item) && cJSON_IsString(own))) count += cJSON_Compare(item, own, true) ? 1 : -1;
    }
    return count;
}

/* *best is the profile's section that fits best so far, and *score how well. */
static enum status try_profile(const char *name, bool one_node, struct untold *untold, cJSON **best, int *score, struct err *err)
{
    char path[PROFILE_PATH_BYTES];
    struct json_document profile;
    TRY(profile_find(name, NULL, path, err));
    TRY(profile_open(path, &profile, err));
    const cJSON *mpi = cJSON_GetObjectItemCaseSensitive(profile.root, "mpi");
    const char *transport = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(profile.root, "transport"));
    const int own = 2 * count_agreements(untold->section, mpi) + ((strstr(transport, "one node") != NULL) == one_node);
    enum status status = STATUS_OK;
    if (library_is_of_series(untold->library, cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(profile.root, "library"))) &&
        (!*best || own > *score)) {
        cJSON_Delete(*best);
        *best = cJSON_Duplicate(mpi, true);
        *score = own;
        snprintf(untold->profile, sizeof untold->profile, "%s", name);
        if (!*best) status = err_memory(err);
    }
    json_close(&profile);
    return status;
}

static enum status find_profile(bool one_node, struct untold *untold, cJSON **found, struct err *err)
{
    char names[NAMES_BYTES], *rest = names;
    int score = 0;
    TRY(profile_list(NULL, names, sizeof names, err));
    for (char *name = strtok_r(names, ", ", &rest); name; name = strtok_r(NULL, ", ", &rest))
        TRY(try_profile(name, one_node, untold, found, &score, err));
    return STATUS_OK;
}

/* Adds what only the profile has, and its path to the keys. */
static enum status add_untold(cJSON *to, const cJSON *from, const char *above, cJSON *keys, struct err *err)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, from) {
        char path[KEY_BYTES];
        cJSON *own = cJSON_GetObjectItemCaseSensitive(to, item->string);
        if (strncmp(item->string, "comment", 7) == 0 || strcmp(item->string, "control_bytes") == 0) continue;
        snprintf(path, sizeof path, "%s.%s", above, item->string);
        if (!own && profile_is_section(path)) own = json_add_object(to, item->string);
        if (own && profile_is_section(path) && cJSON_IsObject(own) && cJSON_IsObject(item))
            TRY(add_untold(own, item, path, keys, err));
        if (own) continue;
        if (!json_put(to, item->string, cJSON_Duplicate(item, true)) || !json_append(keys, cJSON_CreateString(path)))
            return err_memory(err);
    }
    return STATUS_OK;
}

/* The choices that the section leaves to their defaults. */
static enum status add_assumed(const struct untold *untold, struct err *err)
{
    static const char within[] = "mpi.";
    for (const struct platform_key *key = platform_keys; key->path; key++) {
        if (!platform_key_chooses(key) || strncmp(key->path, within, sizeof within - 1) != 0) continue;
        if (json_find(untold->section, key->path + sizeof within - 1)) continue;
        if (!json_append(untold->keys, cJSON_CreateString(key->path))) return err_memory(err);
    }
    return STATUS_OK;
}

enum status untold_complete(const char *library, bool one_node, const cJSON *mpi, struct untold *untold, struct err *err)
{
    cJSON *profile = NULL;
    *untold = (struct untold){.section = mpi ? cJSON_Duplicate(mpi, true) : cJSON_CreateObject(),
                              .keys = cJSON_CreateArray()};
    snprintf(untold->library, sizeof untold->library, "%s", library);
    enum status status = untold->section && untold->keys ? find_profile(one_node, untold, &profile, err) : err_memory(err);
    if (status == STATUS_OK)
        status = profile ? add_untold(untold->section, profile, "mpi", untold->keys, err)
                         : add_assumed(untold, err);
    cJSON_Delete(profile);
    if (status != STATUS_OK) untold_clear(untold);
    return status;
}

void untold_clear(struct untold *untold)
{
    cJSON_Delete(untold->section);
    cJSON_Delete(untold->keys);
    untold->section = untold->keys = NULL;
}

/* "mpi.rma.protocol.visit" is "visit" there. */
static const char *short_name(const char *key)
{
    static const char *const above[] = {"mpi.rma.protocol.", "mpi."};
    for (size_t i = 0; i < sizeof above / sizeof *above; i++)
        if (strncmp(key, above[i], strlen(above[i])) == 0) return key + strlen(above[i]);
    return key;
}

static enum status add_note(const struct untold *untold, const cJSON *keys, cJSON *notes, struct err *err)
{
    char text[NOTE_BYTES];
    size_t used;
    const cJSON *key;
    if (*untold->profile)
        used = (size_t)snprintf(text, sizeof text, "from the profile %s, not measured: ", untold->profile);
    else
        used = (size_t)snprintf(text, sizeof text, "no profile of %s; assumed, as an ideal library does: ", untold->library);
    cJSON_ArrayForEach (key, keys)
        if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", key->prev->next ? ", " : "",
                                     short_name(key->valuestring));
    return json_append(notes, cJSON_CreateString(text)) ? STATUS_OK : err_memory(err);
}

enum status untold_tell(const struct untold *untold, cJSON *platform, struct err *err)
{
    static const size_t mpi = sizeof "mpi." - 1;
    cJSON *calibration = cJSON_GetObjectItem(platform, "$calibration"),
          *made = json_add_object(calibration, "not_measured"), *keys;
    const cJSON *key;
    if (*untold->profile) json_add_text(made, "profile", untold->profile);
    keys = json_add_array(made, "keys");
    cJSON_ArrayForEach (key, untold->keys) {
        const cJSON *has = json_find(platform, key->valuestring);
        const bool measured = *untold->profile ? !cJSON_Compare(has, json_find(untold->section, key->valuestring + mpi), true)
                                               : has != NULL;
        if (measured) continue;
        json_append(keys, cJSON_CreateString(key->valuestring));
    }
    TRY(json_whole(platform, err));
    if (cJSON_GetArraySize(keys) == 0) return STATUS_OK;
    return add_note(untold, keys, cJSON_GetObjectItem(calibration, "notes"), err);
}
