/* Reads a platform file into a struct platform: the readers of single keys of platforms/keys.def, overrides and profile. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/profile.h"
#include "platforms/read.h"
#include "platforms/stated_errors.h"
#include "platforms/topology/topology.h"
#include "trace/calls/calls.h"

/* mpi.call_s, network.loopback.call_s: seconds by function. */
static enum status calls_read(const struct json_node *calls, const struct platform_key *key, struct platform *platform,
                              struct err *err)
{
    if (!calls->item) return STATUS_OK;
    TRY(json_object(calls, err));
    double *made = calloc(MPI_FUNCTION_COUNT, sizeof *made);
    if (!made) return err_memory(err);
    *(double **)(void *)((char *)platform + key->offset) = made;
    const cJSON *item;
    cJSON_ArrayForEach(item, calls->item)
    {
        struct json_node node = json_member(calls, item->string);
        enum mpi_call call;
        if (json_key_ignored(item->string)) continue;
        if (!call_by_name(item->string, &call) || call >= MPI_FUNCTION_COUNT || call_kind(call) == CALL_LOCAL)
            return json_error(&node, err, "no function whose calls are simulated, expected one as MPI_Win_start");
        TRY(measured_read(&node, 0, TIME_MOST, &made[call], err));
    }
    return STATUS_OK;
}

static enum status profile_name_read(const struct json_node *node, const struct platform_key *key, struct platform *platform,
                                     struct err *err)
{
    const char *text;
    (void)key;
    if (!node->item) return STATUS_OK;
    TRY(json_string(node, &text, err));
    platform->profile = strdup(text);
    return platform->profile ? STATUS_OK : err_memory(err);
}

/* There is one name, and no member. */
static enum status collectives_read(const struct json_node *node, const struct platform_key *key, struct platform *platform,
                                    struct err *err)
{
    int index;
    (void)platform;
    return node->item ? name_read(node, key->names, &index, err) : STATUS_OK;
}

static enum status loopback_overhead_read(const struct json_node *node, const struct platform_key *key, struct platform *platform,
                                          struct err *err)
{
    (void)key;
    platform->loopback_follows.overhead = !node->item;
    platform->loopback_overhead_s = platform->overhead_s;
    return node->item ? measured_read(node, 0, TIME_MOST, &platform->loopback_overhead_s, err) : STATUS_OK;
}

static enum status loopback_pause_read(const struct json_node *node, const struct platform_key *key, struct platform *platform,
                                       struct err *err)
{
    if (node->item) return section_read(node, key, platform, err);
    platform->loopback_pause = platform->pause;
    platform->loopback_follows.pause = true;
    return STATUS_OK;
}

static enum status links_read(const struct json_node *node, const struct platform_key *key, struct platform *platform,
                              struct err *err)
{
    int index = platform->simgrid_xml ? LINKS_FREE : LINKS_QUEUE;
    if (node->item) TRY(name_read(node, key->names, &index, err));
    platform->links = (enum links_mode)index;
    if (platform->links == LINKS_FREE || !platform->simgrid_xml) return STATUS_OK;
    return json_error(node, err, "the links of a simgrid_xml platform are known to SimGrid only, expected free");
}

static enum status read_rank_nodes(const struct json_node *list, struct platform *platform, struct err *err)
{
    TRY(json_array(list, err));
    size_t count = json_count(list);
    if (count == 0) return json_error(list, err, "empty, expected the node of each rank");
    platform->rank_nodes = calloc(count, sizeof *platform->rank_nodes);
    if (!platform->rank_nodes) return err_memory(err);
    platform->rank_node_count = count;
    size_t i = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, list->item)
    {
        double node = cJSON_IsNumber(item) ? item->valuedouble : -1;
        if (node < 0 || node >= platform->node_count || node != floor(node)) {
            struct json_node element = json_element(list, i);
            return json_error(&element, err, "no node of this platform, expected a whole number from 0 to %d",
                              platform->node_count - 1);
        }
        platform->rank_nodes[i++] = (int32_t)node;
    }
    return STATUS_OK;
}

static enum status per_node_read(const struct json_node *node, const struct platform_key *key, struct platform *platform,
                                 struct err *err)
{
    int64_t count = 1;
    bool by_cores = cJSON_IsString(node->item) && strcmp(node->item->valuestring, "cores") == 0;
    (void)key;
    if (cJSON_IsString(node->item) && !by_cores)
        return json_error(node, err, "'%s', expected a number of ranks or cores", node->item->valuestring);
    if (node->item && !by_cores) {
        TRY(measured_check(node, err));
        TRY(json_integer(node, 1, CORES_MAX, &count, err));
    }
    platform->ranks_per_node = by_cores ? RANKS_BY_CORES : (int32_t)count;
    return STATUS_OK;
}

static enum status ranks_read(const struct json_node *ranks, const struct platform_key *key, struct platform *platform,
                              struct err *err)
{
    if (!ranks->item) return STATUS_OK;
    static const char *const others[] = {"ranks_per_node", "round_robin"};
    const struct json_node root = json_root(ranks->document), mapping = key_section(&root, key);
    for (int i = 0; i < 2; i++) {
        struct json_node other = json_member(&mapping, others[i]);
        if (other.item) return json_error(&other, err, "contradicts mapping.ranks, expected one of the two");
    }
    return read_rank_nodes(ranks, platform, err);
}

static enum status root_read(const struct json_node *root, const struct platform_key *key, struct platform *platform,
                             struct err *err)
{
    struct json_node schema = json_member(root, "schema"), name = json_member(root, "name");
    const char *text;
    TRY(json_object(root, err));
    TRY(json_string(&schema, &text, err));
    if (strcmp(text, "rmacast.platform/1") != 0)
        return json_error(&schema, err, "unknown schema '%s', expected rmacast.platform/1", text);
    TRY(section_read(root, key, platform, err));
    text = platform->file;
    if (name.item) TRY(json_string(&name, &text, err));
    platform->name = strdup(text);
    return platform->name ? STATUS_OK : err_memory(err);
}

#define SECTION(PATH, DEFAULT) section_read,
#define WHOLE(PATH) section_read,
#define NUMBER(PATH, ...) value_read,
#define OF_NODES(PATH, ...) part_read,
#define TIME(PATH, MEMBER) value_read,
#define SWITCH(PATH, MEMBER, DEFAULT) value_read,
#define CHOICE(PATH, MEMBER, ...) value_read,
#define CHOICES(PATH, MEMBER, ...) by_operation_read,
#define CHOICE_READ(PATH, READ, DEFAULT, ...) READ,
#define BY_SIZE(PATH, ...) by_size_read,
#define SERVER(NAME, SERVICE) server_read,
#define STEPS(NAME, CALL) value_read,
#define OWN(PATH, KIND, MEMBER, READ) READ,
#define PART(PATH, KIND) part_read,
/* In the order of platform_keys. */
static key_reader *const readers[] = {
#include "platforms/keys.def"
};

/* Reads the keys whose path begins so. */
static enum status read_keys(const struct json_node *root, const char *begin, struct platform *platform, struct err *err)
{
    for (const struct platform_key *key = platform_keys; key->path; key++) {
        const struct json_node node = key_node(root, key->path);
        if (strncmp(key->path, begin, strlen(begin)) == 0) TRY(readers[key - platform_keys](&node, key, platform, err));
    }
    return STATUS_OK;
}

static enum status new_with_defaults(const char *file, struct platform **platform, struct err *err)
{
    struct platform *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    platform_keys_default(made);
    made->file = strdup(file);
    if (!made->file) {
        free(made);
        return err_memory(err);
    }
    *platform = made;
    return STATUS_OK;
}

enum status platform_check_mpi(const struct json_node *root, struct err *err)
{
    struct platform *checked;
    TRY(new_with_defaults(root->document->file, &checked, err));
    enum status status = read_keys(root, "mpi", checked, err);
    platform_free(checked);
    return status;
}

static const char ideal[] = "{ \"schema\": \"rmacast.platform/1\", \"name\": \"ideal\","
                            "  \"nodes\": { \"count\": 1048576, \"cores\": 1048576, \"memory_bandwidth_Bps\": \"infinite\" },"
                            "  \"network\": { \"latency_s\": 0, \"bandwidth_Bps\": \"infinite\","
                            "                 \"loopback\": { \"latency_s\": 0, \"bandwidth_Bps\": \"infinite\" } },"
                            "  \"engine\": { \"contention\": false } }";

static enum status apply_overrides(struct json_document *document, const char *const *overrides, size_t count, char **replaced,
                                   struct err *err)
{
    if (override_asks(overrides, count, "mpi.profile")) TRY(profile_keep_start(document, err));
    TRY(override_library(document, overrides, count, replaced, err));
    for (size_t i = 0; i < count; i++) TRY(override_apply(document, overrides[i], err));
    return override_drop_names(document, document, err);
}

/* A calibration says which library it measured, which another profile replaces. */
static enum status name_calibrated(const struct json_document *document, struct platform *platform, struct err *err)
{
    const cJSON *calibration = cJSON_GetObjectItemCaseSensitive(document->root, "$calibration");
    const char *library = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(calibration, "library"));
    if (platform->library || !library) return STATUS_OK;
    platform->library = strdup(library);
    return platform->library ? STATUS_OK : err_memory(err);
}

/* The same document with errors of a source. */
static enum status read_erring(const struct json_document *document, enum error_source source, struct platform **erring,
                               struct err *err)
{
    if (platform_shift_values(document->root, "", PLATFORM_AS_STATED, source) == 0) return STATUS_OK;
    struct json_document moved = {.file = document->file, .root = cJSON_Duplicate(document->root, true)};
    if (!moved.root) return err_memory(err);
    platform_shift_values(moved.root, "", PLATFORM_SLOWER, source);
    const struct json_node root = json_root(&moved);
    enum status status = new_with_defaults(document->file, erring, err);
    if (status == STATUS_OK) status = read_keys(&root, "", *erring, err);
    cJSON_Delete(moved.root);
    return status;
}

static enum status open_document(struct json_document *document, const char *const *overrides, size_t override_count,
                                 struct platform **platform, struct err *err)
{
    struct platform *made = NULL;
    TRY(new_with_defaults(document->file, &made, err));
    struct json_node root = json_root(document);
    struct err found = {0};
    if (apply_overrides(document, overrides, override_count, &made->profile_replaced, &found) != STATUS_OK ||
        profile_apply(document, &made->library, &made->transport, &found) != STATUS_OK ||
        name_calibrated(document, made, &found) != STATUS_OK ||
        read_keys(&root, "", made, &found) != STATUS_OK) {
        platform_free(made);
        if (found.status == STATUS_DATA) override_blame(document, overrides, override_count, &found);
        if (err) *err = found;
        return found.status;
    }
    enum status status = STATUS_OK;
    for (int source = 0; status == STATUS_OK && source < ERROR_SOURCES; source++)
        status = read_erring(document, (enum error_source)source, &made->erring[source], err);
    GIVE(status, *platform = made, platform_free(made));
}

enum status platform_effective(const char *file, const char *const *overrides, size_t override_count, cJSON **json,
                               struct err *err)
{
    struct json_document document;
    struct platform *platform;
    if (strcmp(file, "ideal") == 0)
        TRY(json_parse(ideal, file, &document, err));
    else
        TRY(json_open(file, &document, err));
    enum status status = open_document(&document, overrides, override_count, &platform, err);
    if (status == STATUS_OK) {
        platform_free(platform);
        *json = cJSON_Duplicate(document.root, true);
        if (!*json) status = err_memory(err);
    }
    json_close(&document);
    return status;
}

enum status platform_open(const char *file, const char *const *overrides, size_t override_count,
                          struct platform **platform, struct err *err)
{
    struct json_document document;
    if (strcmp(file, "ideal") == 0)
        TRY(json_parse(ideal, file, &document, err));
    else
        TRY(json_open(file, &document, err));
    enum status status = open_document(&document, overrides, override_count, platform, err);
    json_close(&document);
    return status;
}
