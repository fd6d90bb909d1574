/* Reads a platform file into a struct platform: tables of its keys, and the sections that are no table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/choices.h"
#include "platforms/profile.h"
#include "platforms/read.h"
#include "platforms/topology/topology.h"
#include "trace/calls/calls.h"

/* A bandwidth below 1 B/s or a latency of more than an hour is taken for a mistake in the unit. */
enum field_kind { FIELD_NUMBER, FIELD_RATE, FIELD_INT32, FIELD_INT64, FIELD_BOOLEAN, FIELD_NAME };

/* One key of an object, and the member that it sets. A missing key leaves the default, unless it is required. */
struct field {
    const char *key;
    enum field_kind kind;
    size_t offset; /* in the struct that the section is read into */
    double low, high;
    const char *const *names; /* FIELD_NAME */
    bool required;
};

enum { NODES_MAX = 1 << 24 }; /* of nodes.count: memory is up to 200 bytes for each node up to the last one with a
                                 rank */

#define AT(member) offsetof(struct platform, member)

static const struct field nodes_fields[] = {
    {"count", FIELD_INT32, AT(node_count), 1, NODES_MAX, NULL, true},
    {"cores", FIELD_INT32, AT(cores), 1, 1 << 20, NULL, false},
    {"speed", FIELD_NUMBER, AT(speed), 1e-9, 1e9, NULL, false},
    {"memory_bandwidth_Bps", FIELD_RATE, AT(memory_bandwidth_Bps), RATE_LEAST, RATE_MOST, NULL, false},
    {.key = NULL},
};
static const struct field network_fields[] = {
    {"overhead_s", FIELD_NUMBER, AT(overhead_s), 0, TIME_MOST, NULL, false},
    {"gap_s", FIELD_NUMBER, AT(gap_s), 0, TIME_MOST, NULL, false},
    {"jitter_s", FIELD_NUMBER, AT(jitter_s), 0, TIME_MOST, NULL, false},
    {"control_bypass", FIELD_BOOLEAN, AT(control_bypass), 0, 0, NULL, false},
    {.key = NULL},
};
static const struct field mpi_fields[] = {
    {"eager_bytes", FIELD_INT64, AT(eager_bytes), 0, BYTES_MOST, NULL, false},
    {"rendezvous", FIELD_NAME, AT(rendezvous), 0, 0, platform_rendezvous_names, false},
    {"init_s", FIELD_NUMBER, AT(init_s), 0, TIME_MOST, NULL, false},
    {"finalize_s", FIELD_NUMBER, AT(finalize_s), 0, TIME_MOST, NULL, false},
    {"unexpected_copy", FIELD_BOOLEAN, AT(unexpected_copy), 0, 0, NULL, false},
    {.key = NULL},
};
static const struct field pause_fields[] = {
    {"after_s", FIELD_NUMBER, offsetof(struct pause_cost, after_s), 0, TIME_MOST, NULL, false},
    {"full_s", FIELD_NUMBER, offsetof(struct pause_cost, full_s), 0, TIME_MOST, NULL, false},
    {"call_s", FIELD_NUMBER, offsetof(struct pause_cost, call_s), 0, TIME_MOST, NULL, false},
    {.key = NULL},
};
static const struct field rma_fields[] = {
    {"lock", FIELD_NAME, AT(lock), 0, 0, platform_lock_names, false},
    {"fence", FIELD_NAME, AT(fence), 0, 0, platform_fence_names, false},
    {"progress", FIELD_NAME, AT(progress), 0, 0, platform_progress_names, false},
    {"thread_delay_s", FIELD_NUMBER, AT(thread_delay_s), 0, TIME_MOST, NULL, false},
    {"issue", FIELD_NAME, AT(issue), 0, 0, platform_issue_names, false},
    {"aggregate", FIELD_BOOLEAN, AT(aggregate), 0, 0, NULL, false},
    {"control_bytes", FIELD_INT64, AT(control_bytes), 0, BYTES_MOST, NULL, false},
    {"eager_bytes", FIELD_INT64, AT(rma_eager_bytes), 0, BYTES_MOST, NULL, false},
    {"window_creation", FIELD_NAME, AT(window_creation), 0, 0, platform_window_creation_names, false},
    {"window_info_bytes", FIELD_INT64, AT(window_info_bytes), 0, BYTES_MOST, NULL, false},
    {.key = NULL},
};
static const struct field thread_fields[] = {
    {"create_s", FIELD_NUMBER, AT(thread_create_s), 0, TIME_MOST, NULL, false},
    {"start_s", FIELD_NUMBER, AT(thread_start_s), 0, TIME_MOST, NULL, false},
    {"join_s", FIELD_NUMBER, AT(thread_join_s), 0, TIME_MOST, NULL, false},
    {"lock_s", FIELD_NUMBER, AT(thread_lock_s), 0, TIME_MOST, NULL, false},
    {"unlock_s", FIELD_NUMBER, AT(thread_unlock_s), 0, TIME_MOST, NULL, false},
    {"barrier_s", FIELD_NUMBER, AT(thread_barrier_s), 0, TIME_MOST, NULL, false},
    {.key = NULL},
};
static const struct field engine_fields[] = {
    {"contention", FIELD_BOOLEAN, AT(contention), 0, 0, NULL, false},
    {"nic", FIELD_NAME, AT(nic), 0, 0, platform_nic_names, false},
    {"links", FIELD_NAME, AT(links), 0, 0, platform_links_names, false},
    {.key = NULL},
};
static const struct field mapping_fields[] = {
    {"ranks_per_node", FIELD_INT32, AT(ranks_per_node), 1, 1 << 20, NULL, false},
    {"round_robin", FIELD_BOOLEAN, AT(round_robin), 0, 0, NULL, false},
    {.key = NULL},
};

enum status platform_choices_visit(platform_choice_visitor *visit, void *context, struct err *err)
{
    static const struct {
        const char *name;
        const struct field *fields;
    } sections[] = {{"network", network_fields}, {"mpi", mpi_fields}, {"mpi.rma", rma_fields}, {"engine", engine_fields}};
    static const char *const letters[] = {"a", "b", "c", "d", NULL}, *const truths[] = {"false", "true", NULL};
    char key[64];
    TRY(visit(context, "mpi.rma.semantics", letters, err));
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        for (const struct field *field = sections[i].fields; field->key; field++) {
            if (field->kind != FIELD_NAME && field->kind != FIELD_BOOLEAN) continue;
            snprintf(key, sizeof key, "%s.%s", sections[i].name, field->key);
            TRY(visit(context, key, field->kind == FIELD_NAME ? field->names : truths, err));
        }
    return protocol_choices_visit(visit, context, err);
}

static enum status read_field(const struct json_node *node, const struct field *field, void *into, struct err *err)
{
    char *at = (char *)into + field->offset;
    int64_t integer;
    switch (field->kind) {
    case FIELD_NUMBER: return measured_read(node, field->low, field->high, (double *)(void *)at, err);
    case FIELD_RATE: return rate_read(node, (double *)(void *)at, err);
    case FIELD_INT32:
    case FIELD_INT64:
        TRY(measured_check(node, err));
        TRY(json_integer(node, (int64_t)field->low, (int64_t)field->high, &integer, err));
        if (field->kind == FIELD_INT64)
            *(int64_t *)(void *)at = integer;
        else
            *(int32_t *)(void *)at = (int32_t)integer;
        return STATUS_OK;
    case FIELD_BOOLEAN: return json_boolean(node, (bool *)at, err);
    case FIELD_NAME: {
        int index;
        TRY(name_read(node, field->names, &index, err));
        memcpy(at, &index, sizeof index); /* all these enums are ints */
        return STATUS_OK;
    }
    }
    return STATUS_OK;
}

/* A section of fields and of the keys in more (NULL-terminated, may be NULL), which the caller reads. A missing section
 * has all defaults. */
static enum status read_section(const struct json_node *section, const struct field *fields, const char *const *more,
                                void *into, struct err *err)
{
    const char *keys[24];
    size_t count = 0;
    for (const struct field *field = fields; field->key; field++) keys[count++] = field->key;
    for (; more && *more; more++) keys[count++] = *more;
    keys[count] = NULL;
    if (section->item) {
        TRY(json_object(section, err));
        TRY(json_known_keys(section, keys, err));
    }
    for (const struct field *field = fields; field->key; field++) {
        struct json_node node = json_member(section, field->key);
        if (node.item || field->required) TRY(read_field(&node, field, into, err));
    }
    return STATUS_OK;
}

/* mpi.call_s, network.loopback.call_s: seconds by function. */
static enum status read_calls(const struct json_node *calls, double **call_s, struct err *err)
{
    TRY(json_object(calls, err));
    double *made = *call_s = calloc(MPI_FUNCTION_COUNT, sizeof *made);
    if (!made) return err_memory(err);
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

static enum status read_mpi(const struct json_node *root, struct platform *platform, struct err *err)
{
    static const char *const more[] = {"collectives", "rma", "profile", "call_s", "pause", NULL};
    static const char *const more_rma[] = {"semantics", "buffer_bytes", "epochs_ahead", "windows", "protocol",
                                           "atomic_s_per_byte", NULL};
    static const char *const collectives[] = {"mpich", NULL};
    struct json_node mpi = json_member(root, "mpi");
    TRY(read_section(&mpi, mpi_fields, more, platform, err));
    struct json_node algorithms = json_member(&mpi, "collectives"), rma = json_member(&mpi, "rma");
    struct json_node profile = json_member(&mpi, "profile"), calls = json_member(&mpi, "call_s"),
                     pause = json_member(&mpi, "pause");
    const char *text = NULL;
    if (profile.item) TRY(json_string(&profile, &text, err));
    if (text && !(platform->profile = strdup(text))) return err_memory(err);
    int index;
    if (calls.item) TRY(read_calls(&calls, &platform->call_s, err));
    TRY(read_section(&pause, pause_fields, NULL, &platform->pause, err));
    if (algorithms.item) TRY(name_read(&algorithms, collectives, &index, err));
    TRY(read_section(&rma, rma_fields, more_rma, platform, err));
    struct json_node semantics = json_member(&rma, "semantics"), buffer = json_member(&rma, "buffer_bytes"),
                     ahead = json_member(&rma, "epochs_ahead"), windows = json_member(&rma, "windows"),
                     protocol = json_member(&rma, "protocol"), atomics = json_member(&rma, "atomic_s_per_byte");
    semantics_by_letter("a", &platform->semantics);
    if (semantics.item) TRY(semantics_read(&semantics, &platform->semantics, err));
    if (buffer.item) TRY(buffer_read(&buffer, platform, &platform->semantics, err));
    if (ahead.item) TRY(ahead_read(&ahead, &platform->epochs_ahead, err));
    TRY(atomics_read(&atomics, platform->atomics, err));
    TRY(protocol_read(&protocol, platform->progress, &platform->protocol, err));
    return windows.item ? windows_read(&windows, platform, err) : STATUS_OK;
}

/* What calls within a node take, beside the messages: as calls between nodes where nothing else is said. */
static enum status read_loopback_calls(const struct json_node *network, struct platform *platform, struct err *err)
{
    struct json_node loopback = json_member(network, "loopback"), pause = json_member(&loopback, "pause"),
                     overhead = json_member(&loopback, "overhead_s"), calls = json_member(&loopback, "call_s");
    platform->loopback_overhead_s = platform->overhead_s;
    if (overhead.item) TRY(measured_read(&overhead, 0, TIME_MOST, &platform->loopback_overhead_s, err));
    if (calls.item) TRY(read_calls(&calls, &platform->loopback_call_s, err));
    if (!pause.item) platform->loopback_pause = platform->pause;
    return read_section(&pause, pause_fields, NULL, &platform->loopback_pause, err);
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

static enum status read_mapping(const struct json_node *root, struct platform *platform, struct err *err)
{
    static const char *const more[] = {"ranks", NULL};
    struct json_node mapping = json_member(root, "mapping");
    TRY(read_section(&mapping, mapping_fields, more, platform, err));
    struct json_node ranks = json_member(&mapping, "ranks");
    if (!ranks.item) return STATUS_OK;
    static const char *const others[] = {"ranks_per_node", "round_robin"};
    for (int i = 0; i < 2; i++) {
        struct json_node other = json_member(&mapping, others[i]);
        if (other.item) return json_error(&other, err, "contradicts mapping.ranks, expected one of the two");
    }
    return read_rank_nodes(&ranks, platform, err);
}

static enum status read_head(const struct json_node *root, struct platform *platform, struct err *err)
{
    static const char *const keys[] = {"schema",  "name",   "nodes",   "network", "mpi",
                                       "threads", "engine", "mapping", NULL};
    struct json_node schema = json_member(root, "schema"), name = json_member(root, "name");
    const char *text;
    TRY(json_object(root, err));
    TRY(json_string(&schema, &text, err));
    if (strcmp(text, "rmacast.platform/1") != 0)
        return json_error(&schema, err, "unknown schema '%s', expected rmacast.platform/1", text);
    TRY(json_known_keys(root, keys, err));
    text = platform->file;
    if (name.item) TRY(json_string(&name, &text, err));
    platform->name = strdup(text);
    return platform->name ? STATUS_OK : err_memory(err);
}

static enum status read_platform(const struct json_document *document, struct platform *platform, struct err *err)
{
    struct json_node root = json_root(document);
    TRY(read_head(&root, platform, err));
    struct json_node nodes = json_member(&root, "nodes"), network = json_member(&root, "network");
    struct json_node engine = json_member(&root, "engine"), threads = json_member(&root, "threads");
    TRY(json_object(&nodes, err));
    TRY(read_section(&nodes, nodes_fields, NULL, platform, err));
    TRY(json_object(&network, err));
    TRY(read_section(&network, network_fields, network_keys, platform, err));
    TRY(network_read(&network, platform, err));
    TRY(read_mpi(&root, platform, err));
    TRY(read_loopback_calls(&network, platform, err));
    TRY(read_section(&threads, thread_fields, NULL, platform, err));
    TRY(read_section(&engine, engine_fields, NULL, platform, err));
    struct json_node links = json_member(&engine, "links");
    if (!links.item) platform->links = platform->simgrid_xml ? LINKS_FREE : LINKS_QUEUE;
    if (platform->links == LINKS_QUEUE && platform->simgrid_xml)
        return json_error(&links, err, "the links of a simgrid_xml platform are known to SimGrid only, expected free");
    return read_mapping(&root, platform, err);
}

static enum status new_with_defaults(const char *file, struct platform **platform, struct err *err)
{
    struct platform *made = malloc(sizeof *made);
    if (!made) return err_memory(err);
    *made = (struct platform){
        .cores = 1,
        .speed = 1,
        .memory_bandwidth_Bps = 1e10,
        .eager_bytes = 65536,
        .rma_eager_bytes = 8192,
        .window_info_bytes = 16,
        .epochs_ahead = 1,
        .ranks_per_node = 1,
        .contention = true,
    };
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
    enum status status = read_mpi(root, checked, err);
    platform_free(checked);
    return status;
}

static const char ideal[] = "{ \"schema\": \"rmacast.platform/1\", \"name\": \"ideal\","
                            "  \"nodes\": { \"count\": 1048576, \"memory_bandwidth_Bps\": \"infinite\" },"
                            "  \"network\": { \"latency_s\": 0, \"bandwidth_Bps\": \"infinite\","
                            "                 \"loopback\": { \"latency_s\": 0, \"bandwidth_Bps\": \"infinite\" } },"
                            "  \"engine\": { \"contention\": false } }";

static enum status apply_overrides(struct json_document *document, const char *const *overrides, size_t count, char **replaced,
                                   struct err *err)
{
    TRY(override_library(document, overrides, count, replaced, err));
    for (size_t i = 0; i < count; i++) TRY(override_apply(document, overrides[i], err));
    return STATUS_OK;
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

static enum status open_document(struct json_document *document, const char *const *overrides, size_t override_count,
                                 struct platform **platform, struct err *err)
{
    struct platform *made = NULL;
    TRY(new_with_defaults(document->file, &made, err));
    struct err found = {0};
    if (apply_overrides(document, overrides, override_count, &made->profile_replaced, &found) != STATUS_OK ||
        profile_apply(document, &made->library, &made->transport, &found) != STATUS_OK ||
        name_calibrated(document, made, &found) != STATUS_OK ||
        read_platform(document, made, &found) != STATUS_OK) {
        platform_free(made);
        if (found.status == STATUS_DATA) override_blame(document, overrides, override_count, &found);
        if (err) *err = found;
        return found.status;
    }
    *platform = made;
    return STATUS_OK;
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
