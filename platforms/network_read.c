/* Reads sizes, topology and loopback of the network (platforms/read.h), and measured values. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platforms/read.h"
#include "platforms/simgrid_inputs.h"
#include "platforms/simgrid_xml.h"
#include "platforms/topology/topology.h"

/* A measured value may carry its error and sample size; json_number takes its "value". */
enum status measured_check(const struct json_node *node, struct err *err)
{
    static const char *const keys[] = {"value", "error", "n", NULL};
    if (!cJSON_IsObject(node->item)) return STATUS_OK;
    struct json_node error = json_member(node, "error"), n = json_member(node, "n");
    double stated;
    int64_t count;
    TRY(json_known_keys(node, keys, err));
    if (error.item) TRY(json_number(&error, 0, DBL_MAX, &stated, err));
    return n.item ? json_integer(&n, 1, (int64_t)BYTES_MOST, &count, err) : STATUS_OK;
}

enum status measured_read(const struct json_node *node, double low, double high, double *value, struct err *err)
{
    TRY(measured_check(node, err));
    return json_number(node, low, high, value, err);
}

double measured_error(const struct json_node *measured)
{
    const cJSON *error = cJSON_IsObject(measured->item) ? cJSON_GetObjectItemCaseSensitive(measured->item, "error") : NULL;
    return error ? error->valuedouble : 0;
}

/* Bytes per second, or "infinite". */
enum status rate_read(const struct json_node *node, double *value, struct err *err)
{
    if (cJSON_IsString(node->item) && strcmp(node->item->valuestring, "infinite") == 0) {
        *value = INFINITY;
        return STATUS_OK;
    }
    return measured_read(node, RATE_LEAST, RATE_MOST, value, err);
}

static enum status read_line(const struct json_node *latency, const struct json_node *rate, struct net_segment *segment,
                             struct err *err)
{
    TRY(measured_read(latency, 0, TIME_MOST, &segment->latency_s, err));
    TRY(rate_read(rate, &segment->bandwidth_Bps, err));
    segment->latency_error_s = measured_error(latency);
    segment->bandwidth_error_Bps = measured_error(rate);
    return STATUS_OK;
}

/* Reads one row of a list of segments; keys that it lacks are beside the list in parent. */
static enum status read_segment(const struct json_node *parent, const struct json_node *row, bool last, int64_t above,
                                struct net_segment *segment, struct err *err)
{
    static const char *const keys[] = {"upto_bytes", "latency_s", "bandwidth_Bps", NULL};
    TRY(json_object(row, err));
    TRY(json_known_keys(row, keys, err));
    struct json_node upto = json_member(row, "upto_bytes");
    TRY(upto_read(&upto, last, above, &segment->upto_bytes, err));
    struct json_node latency = json_member(row, "latency_s"), rate = json_member(row, "bandwidth_Bps");
    struct json_node beside_latency = json_member(parent, "latency_s"),
                     beside_rate = json_member(parent, "bandwidth_Bps");
    if (!latency.item && beside_latency.item && !cJSON_IsArray(beside_latency.item)) latency = beside_latency;
    if (!rate.item && beside_rate.item && !cJSON_IsArray(beside_rate.item)) rate = beside_rate;
    return read_line(&latency, &rate, segment, err);
}

/* The list of segments of parent: "segments", or a list in the place of latency_s or bandwidth_Bps. item is NULL if
 * none. */
static enum status find_list(const struct json_node *parent, struct json_node *list, struct err *err)
{
    static const char *const places[] = {"segments", "latency_s", "bandwidth_Bps"};
    *list = (struct json_node){.document = parent->document};
    for (int i = 0; i < 3; i++) {
        struct json_node node = json_member(parent, places[i]);
        if (!node.item || (i > 0 && !cJSON_IsArray(node.item))) continue;
        if (list->item) return json_error(&node, err, "a second list of size segments, expected one (%s)", list->path);
        TRY(json_array(&node, err));
        *list = node;
    }
    return STATUS_OK;
}

static enum status read_single(const struct json_node *parent, struct net_segment *segment, struct err *err)
{
    struct json_node latency = json_member(parent, "latency_s"), rate = json_member(parent, "bandwidth_Bps");
    segment->upto_bytes = INT64_MAX;
    return read_line(&latency, &rate, segment, err);
}

static enum status read_segments(const struct json_node *parent, struct net_segment **segments, size_t *count,
                                 struct err *err)
{
    struct json_node list;
    TRY(find_list(parent, &list, err));
    size_t rows = list.item ? json_count(&list) : 1;
    if (rows == 0) return json_error(&list, err, "no size segments, expected at least one");
    struct net_segment *made = calloc(rows, sizeof *made);
    if (!made) return err_memory(err);
    enum status status = list.item ? STATUS_OK : read_single(parent, made, err);
    struct json_node row = json_element(&list, 0);
    for (size_t i = 0; row.item && status == STATUS_OK; row = json_next(&list, &row, ++i))
        status = read_segment(parent, &row, i + 1 == rows, i ? made[i - 1].upto_bytes : -1, &made[i], err);
    if (status != STATUS_OK) {
        free(made);
        return status;
    }
    *segments = made;
    *count = rows;
    return STATUS_OK;
}

/* The default loopback: 0.2 us, 20 GB/s. */
static enum status default_loopback(struct platform *platform, struct err *err)
{
    platform->loopback = malloc(sizeof *platform->loopback);
    if (!platform->loopback) return err_memory(err);
    platform->loopback[0] = (struct net_segment){.upto_bytes = INT64_MAX, .latency_s = 2e-7, .bandwidth_Bps = 2e10};
    platform->loopback_count = 1;
    return STATUS_OK;
}

/* Of the section that has the key; nothing where there is no such section. */
enum status segments_read(const struct json_node *node, const struct platform_key *key, struct platform *platform,
                          struct err *err)
{
    static const struct {
        size_t segments, count;
    } members[] = {{offsetof(struct platform, segments), offsetof(struct platform, segment_count)},
                   {offsetof(struct platform, two_sided), offsetof(struct platform, two_sided_count)},
                   {offsetof(struct platform, loopback), offsetof(struct platform, loopback_count)},
                   {offsetof(struct platform, loopback_two_sided), offsetof(struct platform, loopback_two_sided_count)}};
    const struct json_node root = json_root(node->document), section = key_section(&root, key);
    size_t i = 0;
    while (members[i].segments != key->offset) i++;
    if (!section.item) return STATUS_OK;
    return read_segments(&section, (struct net_segment **)(void *)((char *)platform + members[i].segments),
                         (size_t *)(void *)((char *)platform + members[i].count), err);
}

enum status loopback_read(const struct json_node *node, const struct platform_key *key, struct platform *platform,
                          struct err *err)
{
    return node->item ? section_read(node, key, platform, err) : default_loopback(platform, err);
}

/* Relative to the folder of the platform file. */
static enum status read_simgrid_xml(const struct json_node *node, struct platform *platform, struct err *err)
{
    static const char *const keys[] = {"simgrid_xml", "speed_host", NULL};
    struct json_node xml = json_member(node, "simgrid_xml");
    const char *name;
    TRY(json_known_keys(node, keys, err));
    TRY(json_string(&xml, &name, err));
    const char *slash = strrchr(platform->file, '/');
    size_t folder = name[0] == '/' || !slash ? 0 : (size_t)(slash - platform->file) + 1;
    platform->simgrid_xml = malloc(folder + strlen(name) + 1);
    if (!platform->simgrid_xml) return err_memory(err);
    memcpy(platform->simgrid_xml, platform->file, folder);
    strcpy(platform->simgrid_xml + folder, name);
    struct err why;
    enum status status = simgrid_inputs_claim(platform->simgrid_xml, &why);
    if (status == STATUS_DATA) return json_error(&xml, err, "%s, expected a SimGrid platform", why.text);
    if (status != STATUS_OK) return err_set(err, status, NULL, NULL, "%s", why.text);
    TRY(simgrid_hosts_apply(node, platform, err));
    return topology_new_crossbar(platform->node_count, &platform->topology, err);
}

enum status topology_key_read(const struct json_node *topology, const struct platform_key *key, struct platform *platform,
                              struct err *err)
{
    (void)key;
    if (!topology->item) return topology_new_crossbar(platform->node_count, &platform->topology, err);
    TRY(json_object(topology, err));
    struct json_node xml = json_member(topology, "simgrid_xml");
    if (xml.item) return read_simgrid_xml(topology, platform, err);
    return topology_read(topology, platform->node_count, &platform->topology, err);
}
