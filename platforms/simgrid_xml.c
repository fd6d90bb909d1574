#include "platforms/simgrid_xml.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/files/input_file.h"
#include "common/xml_attribute.h"

enum { HOSTS_MOST = 1 << 18, VALUE_BYTES = 512 }; /* of all clusters, as the engine takes them */

/* What is left keeps its order. */
static void cut_comments(char *text)
{
    for (char *at = text; (at = strstr(at, "<!--")) != NULL;) {
        const char *end = strstr(at, "-->");
        memmove(at, end ? end + 3 : "", strlen(end ? end + 3 : "") + 1);
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
    cut_comments(*text);
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

bool simgrid_xml_attribute(const struct simgrid_tag *tag, const char *name, char *value, size_t room)
{
    for (const char *at = tag->attributes; at < tag->end;) {
        at += strspn(at, XML_BLANKS "/");
        const size_t length = strcspn(at, XML_BLANKS "=/>");
        const char *begin = xml_attribute_value(at + length), *end = begin ? strchr(begin, begin[-1]) : NULL;
        if (!end || end > tag->end) return false;
        if (length == strlen(name) && strncmp(at, name, length) == 0)
            return (size_t)snprintf(value, room, "%.*s", (int)(end - begin), begin) < room;
        at = end + 1;
    }
    return false;
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
    char prefix[VALUE_BYTES] = "", suffix[VALUE_BYTES] = "", radical[VALUE_BYTES] = "", *rest = radical;
    simgrid_xml_attribute(tag, "prefix", prefix, sizeof prefix);
    simgrid_xml_attribute(tag, "suffix", suffix, sizeof suffix);
    simgrid_xml_attribute(tag, "radical", radical, sizeof radical);
    for (char *range; (range = strsep(&rest, ",")) != NULL;) {
        char *end, number[32];
        long first = strtol(range, &end, 10), last = *end == '-' ? strtol(end + 1, NULL, 10) : first;
        for (long i = first; i <= last && hosts->count <= HOSTS_MOST; i++) {
            snprintf(number, sizeof number, "%ld", i);
            TRY(add_host(hosts, prefix, number, suffix, host, err));
        }
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
        const struct host host = {NULL, speed_of(&tag), atoi(core) > 0 && atoi(core) <= 1 << 20 ? atoi(core) : 1};
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

/* The speed that counts as 1; 0: there is none. */
static enum status find_unit(const struct json_node *topology, const struct hosts *hosts, double *unit, struct err *err)
{
    const struct json_node stated = json_member(topology, "speed_host");
    const char *name = hosts->items[0].name;
    *unit = 0;
    if (stated.item) TRY(json_string(&stated, &name, err));
    for (size_t i = 0; i < hosts->count; i++)
        if (strcmp(hosts->items[i].name, name) == 0) *unit = hosts->items[i].speed;
    if (*unit > 0 || !stated.item) return STATUS_OK;
    return json_error(&stated, err, "no host '%s' with a speed, expected one as %s", name, hosts->items[0].name);
}

static enum status apply_hosts(const struct json_node *topology, const struct hosts *hosts, struct platform *platform,
                               struct err *err)
{
    struct node_group *groups = NULL;
    size_t count = 0;
    double unit;
    TRY(find_unit(topology, hosts, &unit, err));
    for (int32_t i = 0; i < platform->node_count; i++)
        if (!(hosts->items[i].speed > 0)) unit = 0; /* the engine refuses it */
    if (unit == 0) return STATUS_OK;
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

enum status simgrid_hosts_apply(const struct json_node *topology, struct platform *platform, struct err *err)
{
    struct hosts hosts = {NULL, 0, 0};
    char *text;
    TRY(simgrid_xml_read(platform->simgrid_xml, &text, err));
    enum status status = find_hosts(text, &hosts, err);
    if (status == STATUS_OK && hosts.count >= (size_t)platform->node_count && hosts.count <= HOSTS_MOST) {
        qsort(hosts.items, hosts.count, sizeof *hosts.items, by_name);
        status = apply_hosts(topology, &hosts, platform, err);
    }
    clear_hosts(&hosts);
    free(text);
    return status;
}
