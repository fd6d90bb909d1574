#include "platforms/profile.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/files/installed.h"
#include "common/files/place.h"
#include "common/json/json_write.h"
#include "platforms/read.h"

static const char suffix[] = ".json";

enum status data_directories(char directories[DATA_DIRECTORIES][PROFILE_PATH_BYTES], struct err *err)
{
    static const char beside_program[] = "%.4000s/../" RMACAST_DATADIR "/rmacast/platforms";
    static const char above_library[] = "%.4000s/../../" RMACAST_DATADIR "/rmacast/platforms";
    char program[INSTALLED_PATH_BYTES], library[INSTALLED_PATH_BYTES];
    TRY(installed_program_directory(program, err));
    bool apart = installed_library_directory(library);
    snprintf(directories[0], PROFILE_PATH_BYTES, beside_program, program);
    snprintf(directories[1], PROFILE_PATH_BYTES, beside_program, apart ? library : program);
    snprintf(directories[2], PROFILE_PATH_BYTES, apart ? above_library : beside_program, apart ? library : program);
    snprintf(directories[3], PROFILE_PATH_BYTES, "%s", RMACAST_FULL_DATADIR "/rmacast/platforms");
    return STATUS_OK;
}

/* The folder of the file; false if it has none, like the built-in platform. */
static bool folder_of(const char *file, char folder[PROFILE_PATH_BYTES])
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (!file) return false;
    if (slash && slash - file >= PROFILE_PATH_BYTES) return false;
    snprintf(folder, PROFILE_PATH_BYTES, "%.*s", slash ? (int)(slash - file) : 1, slash ? file : ".");
    return true;
}

static int is_json(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length >= sizeof suffix && strcmp(entry->d_name + length - (sizeof suffix - 1), suffix) == 0;
}

enum status data_names(const char *folder, char *names, size_t room, struct err *err)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_json, alphasort);
    size_t used = 0;
    *names = '\0';
    if (count < 0 && err_refused(errno))
        return err_set(err, STATUS_SYSTEM, folder, NULL, "cannot be read: %s", strerror(errno));
    for (int i = 0; i < count; i++) {
        int length = (int)(strlen(entries[i]->d_name) - (sizeof suffix - 1));
        if (used < room)
            used += (size_t)snprintf(names + used, room - used, "%s%.*s", i > 0 ? ", " : "", length, entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
    return STATUS_OK;
}

static bool is_listed(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at++)
        if ((at == names || at[-1] == ' ') && (at[length] == ',' || !at[length])) return true;
    return false;
}

/* Adds the names that are not there yet: the same name in an earlier folder is found first. */
static enum status list_folder(const char *folder, char *names, size_t room, struct err *err)
{
    char path[PROFILE_PATH_BYTES + 8], found[PROFILE_NAMES_BYTES], *rest = found;
    snprintf(path, sizeof path, "%.4000s/mpi", folder);
    TRY(data_names(path, found, sizeof found, err));
    for (char *name; (name = strtok_r(rest, ", ", &rest)) != NULL;) {
        size_t used = strlen(names);
        if (!is_listed(names, name)) snprintf(names + used, room - used, "%s%s", used > 0 ? ", " : "", name);
    }
    return STATUS_OK;
}

enum status profile_list(const char *platform_file, char *names, size_t room, struct err *err)
{
    char folder[PROFILE_PATH_BYTES], directories[DATA_DIRECTORIES][PROFILE_PATH_BYTES];
    *names = '\0';
    if (folder_of(platform_file, folder)) TRY(list_folder(folder, names, room, err));
    TRY(data_directories(directories, err));
    for (int d = 0; d < DATA_DIRECTORIES; d++) TRY(list_folder(directories[d], names, room, err));
    return STATUS_OK;
}

/* An earlier find stays. */
static enum status find_in(const char *folder, const char *name, bool *there, char path[PROFILE_PATH_BYTES], struct err *err)
{
    if (*there || snprintf(path, PROFILE_PATH_BYTES, "%.3800s/mpi/%.200s%s", folder, name, suffix) < 0) return STATUS_OK;
    return place_look(path, there, err);
}

enum status profile_find(const char *name, const char *platform_file, char path[PROFILE_PATH_BYTES], struct err *err)
{
    char folder[PROFILE_PATH_BYTES], directories[DATA_DIRECTORIES][PROFILE_PATH_BYTES], names[PROFILE_NAMES_BYTES];
    bool has_folder = folder_of(platform_file, folder), there = false;
    if (strchr(name, '/')) {
        bool relative = name[0] != '/' && has_folder;
        snprintf(path, PROFILE_PATH_BYTES, "%.2000s%s%.2000s", relative ? folder : "", relative ? "/" : "", name);
        TRY(place_look(path, &there, err));
        if (there) return STATUS_OK;
        return err_set(err, STATUS_DATA, name, NULL, "no such MPI profile: %.1000s: %s", path, strerror(errno));
    }
    if (has_folder) TRY(find_in(folder, name, &there, path, err));
    TRY(data_directories(directories, err));
    for (int d = 0; d < DATA_DIRECTORIES; d++) TRY(find_in(directories[d], name, &there, path, err));
    if (there) return STATUS_OK;
    TRY(profile_list(platform_file, names, sizeof names, err));
    return err_set(err, STATUS_DATA, name, NULL, "no such MPI profile, expected a path with '/'%s%s",
                   *names ? " or one of " : "", names);
}

static enum status check_profile(const struct json_document *profile, struct err *err)
{
    static const char *const keys[] = {"schema", "name", "library", "transport", "summary", "mpi", NULL};
    static const char *const texts[] = {"name", "library", "transport", "summary"};
    struct json_node root = json_root(profile), schema = json_member(&root, "schema"), mpi = json_member(&root, "mpi");
    const char *text;
    TRY(json_object(&root, err));
    TRY(json_string(&schema, &text, err));
    if (strcmp(text, "rmacast.mpi-profile/1") != 0)
        return json_error(&schema, err, "unknown schema '%s', expected rmacast.mpi-profile/1", text);
    TRY(json_known_keys(&root, keys, err));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct json_node node = json_member(&root, texts[i]);
        TRY(json_string(&node, &text, err));
    }
    TRY(json_object(&mpi, err));
    struct json_node nested = json_member(&mpi, "profile");
    if (nested.item) return json_error(&nested, err, "a profile takes no other profile");
    return platform_check_mpi(&root, err);
}

bool profile_is_section(const char *path)
{
    const struct platform_key *key = platform_key_find(path);
    return key && key->kind == KEY_SECTION;
}

/* path: of the objects. */
static enum status add_missing(cJSON *to, const cJSON *from, const char *path, struct err *err)
{
    for (const cJSON *item = from->child; item; item = item->next) {
        cJSON *there = cJSON_GetObjectItemCaseSensitive(to, item->string);
        char below[JSON_PATH_BYTES];
        snprintf(below, sizeof below, "%s.%s", path, item->string);
        if (there && profile_is_section(below) && cJSON_IsObject(there) && cJSON_IsObject(item))
            TRY(add_missing(there, item, below, err));
        if (there) continue;
        if (!json_put(to, item->string, cJSON_Duplicate(item, true))) return err_memory(err);
    }
    return STATUS_OK;
}

enum status profile_open(const char *path, struct json_document *profile, struct err *err)
{
    TRY(json_open(path, profile, err));
    enum status status = check_profile(profile, err);
    if (status != STATUS_OK) json_close(profile);
    return status;
}

/* What a launch takes is the machine's as much as the library's. */
static const char *const start_keys[] = {"init_s", "finalize_s"};
static const char kept_start[] = "$start"; /* of the document, between profile_keep_start() and profile_apply() */

static bool copy_start(const cJSON *from, cJSON *to)
{
    for (size_t i = 0; i < sizeof start_keys / sizeof *start_keys; i++) {
        const cJSON *stated = cJSON_GetObjectItemCaseSensitive(from, start_keys[i]);
        if (stated && !cJSON_GetObjectItemCaseSensitive(to, start_keys[i]) &&
            !json_put(to, start_keys[i], cJSON_Duplicate(stated, true)))
            return false;
    }
    return true;
}

enum status profile_keep_start(struct json_document *document, struct err *err)
{
    const cJSON *mpi = cJSON_GetObjectItemCaseSensitive(document->root, "mpi");
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(mpi, "profile"));
    char path[PROFILE_PATH_BYTES];
    if (!cJSON_IsObject(document->root)) return STATUS_OK; /* its reader reports the error */
    cJSON *kept = json_add_object(document->root, kept_start);
    if (!kept || !copy_start(mpi, kept)) return err_memory(err);
    struct json_document profile;
    if (!name || profile_find(name, strcmp(document->file, "ideal") == 0 ? NULL : document->file, path, NULL) != STATUS_OK)
        return STATUS_OK;
    TRY(profile_open(path, &profile, err));
    const bool copied = copy_start(cJSON_GetObjectItemCaseSensitive(profile.root, "mpi"), kept);
    json_close(&profile);
    return copied ? STATUS_OK : err_memory(err);
}

enum status profile_apply(struct json_document *document, char **library, char **transport, struct err *err)
{
    struct json_node root = json_root(document), mpi = json_member(&root, "mpi"), name = json_member(&mpi, "profile");
    const char *text;
    char path[PROFILE_PATH_BYTES];
    if (!cJSON_IsObject(mpi.item) || !name.item) return STATUS_OK;
    TRY(json_string(&name, &text, err));
    struct err found = {0};
    enum status finding = profile_find(text, strcmp(document->file, "ideal") == 0 ? NULL : document->file, path, &found);
    if (finding == STATUS_DATA) return json_error(&name, err, "%s", found.text);
    if (finding != STATUS_OK) return err_set(err, finding, NULL, NULL, "%s", found.text);
    struct json_document profile;
    TRY(profile_open(path, &profile, err));
    enum status status = override_drop_names(&profile, &profile, err);
    if (status == STATUS_OK) status = override_drop_names(document, &profile, err);
    if (status == STATUS_OK) status = add_missing(mpi.item, cJSON_GetObjectItemCaseSensitive(profile.root, "mpi"), "mpi", err);
    const cJSON *kept = cJSON_GetObjectItemCaseSensitive(document->root, kept_start);
    if (status == STATUS_OK && kept) status = add_missing(mpi.item, kept, "mpi", err);
    json_remove(document->root, kept_start);
    const char *whose = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(profile.root, "library"));
    const char *carries = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(profile.root, "transport"));
    if (status == STATUS_OK && (!(*library = strdup(whose)) || !(*transport = strdup(carries)))) status = err_memory(err);
    json_close(&profile);
    return status;
}
