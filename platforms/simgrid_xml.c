#include "platforms/simgrid_xml.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/files/input_file.h"
#include "common/units.h"
#include "common/xml_attribute.h"

enum { HOSTS_MOST = 1 << 18, HOST_CORES_MOST = 1 << 20, VALUE_BYTES = 512 }; /* each costs SimGrid some KB */

void simgrid_xml_blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n') *from = ' ';
}

static void blank_comments(char *text)
{
    for (char *at = text; (at = strstr(at, "<!--")) != NULL;) {
        const char *end = strstr(at, "-->");
        simgrid_xml_blank(at, end ? end + 3 : at + strlen(at));
    }
}

enum status simgrid_xml_read(const char *file, char **text, struct err *err)
{
    struct input_file in;
    size_t bytes = 0;
    TRY(input_file_open(file, &in, err));
    *text = input_file_all(&in, &bytes);
    TRY(input_file_close(&in, STATUS_OK, err));
    bool whole = strlen(*text) == bytes;
    blank_comments(*text);
    if (whole) return STATUS_OK;
    free(*text);
    return err_set(err, STATUS_DATA, file, NULL, "a zero byte, expected a SimGrid platform");
}

bool simgrid_xml_next(const char **at, struct simgrid_tag *tag)
{
    const char *open = *at;
    while ((open = strchr(open, '<')) && !isalpha((unsigned char)open[1])) open++;
    if (!open) return false;
    const size_t length = strcspn(++open, XML_BLANKS "/>");
    const char *end = tag->attributes = open + length;
    for (; *end && *end != '>'; end++)
        if (*end == '"' || *end == '\'') {
            const char *close = strchr(end + 1, *end);
            if (close) end = close;
        }
    snprintf(tag->name, sizeof tag->name, "%.*s", (int)(length < sizeof tag->name ? length : 0), open);
    *at = tag->end = end;
    return true;
}

const char *simgrid_xml_value(const struct simgrid_tag *tag, const char *name, size_t *bytes)
{
    for (const char *at = tag->attributes; at < tag->end;) {
        at += strspn(at, XML_BLANKS "/");
        const size_t length = strcspn(at, XML_BLANKS "=/>");
        const char *begin = xml_attribute_value(at + length), *end = begin ? strchr(begin, begin[-1]) : NULL;
        if (!end || end > tag->end) return NULL;
        *bytes = (size_t)(end - begin);
        if (length == strlen(name) && strncmp(at, name, length) == 0) return begin;
        at = end + 1;
    }
    return NULL;
}

bool simgrid_xml_attribute(const struct simgrid_tag *tag, const char *name, char *value, size_t room)
{
    size_t bytes;
    const char *begin = simgrid_xml_value(tag, name, &bytes);
    if (!begin || bytes >= room) return false;
    snprintf(value, room, "%.*s", (int)bytes, begin);
    return true;
}

/* --- hosts --- */

struct host {
    char *name;
    double speed;
    int32_t cores;
};

struct hosts {
    struct host *items;
    size_t count, capacity;
    uint64_t named_count; /* the file's; above HOSTS_MOST they are not all in items */
};

/* "1Gf", "98.095Mf", "2kiloflops", "1e9", and the first of several. */
static double parse_speed(const char *text)
{
    static const char prefixes[] = "kMGTPEZY";
    char *unit;
    double speed = strtod(text, &unit);
    const char *prefix = *unit ? strchr(prefixes, *unit) : NULL;
    if (!prefix && strncmp(unit + strcspn(unit, "f"), "flops", 5) == 0 && strcspn(unit, "f") > 2) /* megaflops */
        prefix = strchr(prefixes, toupper((unsigned char)*unit));
    return prefix ? speed * pow(unit[1] == 'i' && unit[2] == 'f' ? 1024 : 1000, (double)(prefix - prefixes + 1)) : speed;
}

/* 0: none that SimGrid or a platform file takes. */
static int32_t cores_of(const char *text)
{
    char *end;
    const long count = strtol(text, &end, 10);
    return *end == '\0' && count > 0 && count <= HOST_CORES_MOST ? (int32_t)count : 0;
}

/* Whose pstate is not the first one, has another speed of the list. */
static double speed_of(const struct simgrid_tag *tag)
{
    char text[VALUE_BYTES] = "", state[16] = "0", *rest = text;
    simgrid_xml_attribute(tag, "speed", text, sizeof text);
    simgrid_xml_attribute(tag, "pstate", state, sizeof state);
    for (int i = atoi(state); i > 0 && rest; i--) strsep(&rest, ",");
    return rest ? parse_speed(rest + strspn(rest, " ")) : 0;
}

static enum status add_host(struct hosts *hosts, const char *prefix, const char *number, const char *suffix, struct host host,
                            struct err *err)
{
    if (asprintf(&host.name, "%s%s%s", prefix, number, suffix) < 0) return err_memory(err);
    enum status status = array_reserve((void **)&hosts->items, &hosts->capacity, hosts->count + 1, sizeof host, err);
    if (status == STATUS_OK)
        hosts->items[hosts->count++] = host;
    else
        free(host.name);
    return status;
}

/* The hosts of a cluster or cabinet, whose radical is numbers and ranges, "0-9,12". */
static enum status add_cluster(struct hosts *hosts, const struct simgrid_tag *tag, struct host host, struct err *err)
{
    char prefix[VALUE_BYTES] = "", suffix[VALUE_BYTES] = "";
    size_t bytes = 0;
    const char *at = simgrid_xml_value(tag, "radical", &bytes), *const radical_end = at + bytes;
    simgrid_xml_attribute(tag, "prefix", prefix, sizeof prefix);
    simgrid_xml_attribute(tag, "suffix", suffix, sizeof suffix);
    while (at && at < radical_end) {
        char *end, number[32];
        const uint64_t first = strtoull(at, &end, 10), last = *end == '-' ? strtoull(end + 1, &end, 10) : first;
        const uint64_t count = last < first ? 0 : (last < UINT32_MAX ? last : UINT32_MAX) - first + 1;
        hosts->named_count += count;
        for (uint64_t i = first; i < first + count && hosts->named_count <= HOSTS_MOST; i++) {
            snprintf(number, sizeof number, "%" PRIu64, i);
            TRY(add_host(hosts, prefix, number, suffix, host, err));
        }
        at = end + strcspn(end, ",\"'") + 1;
    }
    return STATUS_OK;
}

static enum status find_hosts(const char *text, struct hosts *hosts, struct err *err)
{
    struct simgrid_tag tag;
    for (const char *at = text; simgrid_xml_next(&at, &tag);) {
        char id[VALUE_BYTES] = "", core[16] = "1";
        const bool one = strcmp(tag.name, "host") == 0 || strcmp(tag.name, "peer") == 0;
        if (!one && strcmp(tag.name, "cluster") != 0 && strcmp(tag.name, "cabinet") != 0) continue;
        simgrid_xml_attribute(&tag, "core", core, sizeof core);
        simgrid_xml_attribute(&tag, "id", id, sizeof id);
        const struct host host = {NULL, speed_of(&tag), cores_of(core)};
        hosts->named_count += one;
        TRY(one ? add_host(hosts, id, "", "", host, err) : add_cluster(hosts, &tag, host, err));
    }
    return STATUS_OK;
}

/* As engine simgrid numbers them. */
static int by_name(const void *a, const void *b)
{
    return strverscmp(((const struct host *)a)->name, ((const struct host *)b)->name);
}

static void clear_hosts(struct hosts *hosts)
{
    for (size_t i = 0; i < hosts->count; i++) free(hosts->items[i].name);
    free(hosts->items);
}

/* --- groups --- */

/* Whether the file's nodes, one group or several, say how many cores they have. */
static bool states_cores(const struct json_node *topology)
{
    const struct json_node root = json_root(topology->document), nodes = json_member(&root, "nodes");
    const cJSON *group;
    if (!cJSON_IsArray(nodes.item)) return cJSON_HasObjectItem(nodes.item, "cores");
    cJSON_ArrayForEach (group, nodes.item)
        if (cJSON_HasObjectItem(group, "cores")) return true;
    return false;
}

static enum status group_hosts(const struct host *hosts, double unit, bool keep_cores, const struct platform *platform,
                               struct node_group **groups, size_t *count, struct err *err)
{
    size_t capacity = 0;
    const struct node_group *before = NULL;
    for (int32_t node = 0; node < platform->node_count; node++) {
        const struct node_group *from = platform_group_of(platform, node);
        struct node_group made = *from, *last = *count > 0 ? &(*groups)[*count - 1] : NULL;
        made.count = 1;
        made.speed = from->speed * hosts[node].speed / unit;
        if (!keep_cores) made.cores = hosts[node].cores;
        if (from == before && last->speed == made.speed && last->cores == made.cores) {
            last->count++;
            continue;
        }
        before = from;
        TRY(array_reserve((void **)groups, &capacity, *count + 1, sizeof made, err));
        made.name = from->name ? strdup(from->name) : NULL;
        if (from->name && !made.name) return err_memory(err);
        (*groups)[(*count)++] = made;
    }
    return STATUS_OK;
}

/* The speed that counts as 1. */
static enum status find_unit(const struct json_node *topology, const struct hosts *hosts, double *unit, struct err *err)
{
    const struct json_node stated = json_member(topology, "speed_host");
    const char *name = hosts->items[0].name;
    *unit = 0;
    if (stated.item) TRY(json_string(&stated, &name, err));
    for (size_t i = 0; i < hosts->count; i++)
        if (strcmp(hosts->items[i].name, name) == 0) *unit = hosts->items[i].speed;
    if (*unit > 0) return STATUS_OK;
    return json_error(&stated, err, "no host '%s' with a speed, expected one as %s", name, hosts->items[0].name);
}

/* What engine simgrid, too, would refuse. Hosts are in the order of their names. */
static enum status check_host(const struct json_node *topology, const struct host *hosts, int32_t i,
                              const struct platform *platform, struct err *err)
{
    const char *file = platform->simgrid_xml, *name = hosts[i].name;
    if (i > 0 && strcmp(hosts[i - 1].name, name) == 0)
        return json_error(topology, err, "%s: there are two hosts '%s', expected one of that name", file, name);
    if (!(hosts[i].speed > 0))
        return json_error(topology, err, "%s: the speed of host '%s' is none, expected one above 0", file, name);
    if (hosts[i].cores < 1)
        return json_error(topology, err, "%s: the cores of host '%s' are none, expected 1 to %d", file, name, HOST_CORES_MOST);
    return STATUS_OK;
}

static enum status apply_hosts(const struct json_node *topology, const struct hosts *hosts, struct platform *platform,
                               struct err *err)
{
    struct node_group *groups = NULL;
    size_t count = 0;
    double unit;
    for (int32_t i = 0; i < platform->node_count; i++) TRY(check_host(topology, hosts->items, i, platform, err));
    TRY(find_unit(topology, hosts, &unit, err));
    enum status status = group_hosts(hosts->items, unit, states_cores(topology), platform, &groups, &count, err);
    if (status == STATUS_OK) {
        struct node_group *old = platform->groups;
        const size_t old_count = platform->group_count;
        platform->groups = groups;
        platform->group_count = count;
        groups = old;
        count = old_count;
    }
    for (size_t i = 0; i < count; i++) free(groups[i].name);
    free(groups);
    return status;
}

static enum status check_count(const struct json_node *topology, const struct hosts *hosts, const struct platform *platform,
                               struct err *err)
{
    const struct json_node xml = json_member(topology, "simgrid_xml");
    if (hosts->named_count > HOSTS_MOST)
        return json_error(&xml, err, "%s: %" PRIu64 " hosts, expected at most %d", platform->simgrid_xml, hosts->named_count,
                          HOSTS_MOST);
    if (hosts->count >= (size_t)platform->node_count) return STATUS_OK;
    if (hosts->count == 0)
        return json_error(&xml, err, "%s: no host, expected a SimGrid platform with at least nodes.count = %" PRId32,
                          platform->simgrid_xml, platform->node_count);
    return json_error(&xml, err, "%s: %zu host%s, expected at least nodes.count = %" PRId32, platform->simgrid_xml, hosts->count,
                      units_plural(hosts->count), platform->node_count);
}

enum status simgrid_hosts_apply(const struct json_node *topology, struct platform *platform, struct err *err)
{
    struct hosts hosts = {.items = NULL};
    char *text;
    TRY(simgrid_xml_read(platform->simgrid_xml, &text, err));
    enum status status = find_hosts(text, &hosts, err);
    free(text);
    if (status == STATUS_OK) status = check_count(topology, &hosts, platform, err);
    if (status == STATUS_OK) {
        qsort(hosts.items, hosts.count, sizeof *hosts.items, by_name);
        status = apply_hosts(topology, &hosts, platform, err);
    }
    clear_hosts(&hosts);
    return status;
}
