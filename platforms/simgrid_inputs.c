#include "platforms/simgrid_inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/files/file_claims.h"
#include "common/xml_attribute.h"
#include "platforms/simgrid_xml.h"

enum { CONFIG_BYTES = 256 };

static enum status claim_in(const char *folder, int folder_bytes, const char *name, int name_bytes, struct err *err)
{
    char *path;
    if (asprintf(&path, "%.*s%.*s", folder_bytes, folder, name_bytes, name) < 0) return err_memory(err);
    enum status status = file_claim_input_path(path, err);
    free(path);
    return status;
}

/* The value of the next attribute whose name ends in "file" and that is not empty; *bytes is its length; NULL: none is left. */
static const char *next_named(const char *text, int *bytes)
{
    static const char word[] = "file";
    for (const char *at = text; (at = strstr(at, word)) != NULL;) {
        at += sizeof word - 1;
        const char *value = xml_attribute_value(at), *end = value ? strchr(value, value[-1]) : NULL;
        if (!end || end == value) continue;
        *bytes = (int)(end - value);
        return value;
    }
    return NULL;
}

static enum status claim_named(const char *text, const char *xml, struct err *err)
{
    const char *slash = strrchr(xml, '/');
    int folder = slash ? (int)(slash - xml) + 1 : 0, bytes = 0;
    for (const char *value = text; (value = next_named(value + bytes, &bytes)) != NULL;) {
        TRY(claim_in("", 0, value, bytes, err));
        if (folder > 0 && *value != '/') TRY(claim_in(xml, folder, value, bytes, err));
    }
    return STATUS_OK;
}

/* Keys of <config>: all are left out, since the engine sets its own. */
static const struct {
    const char *begin, *would;
} configs[] = {
    {"network/model", "flows would follow another model than CM02"},
    {"network/latency-factor", "latencies would be multiplied by it"},
    {"network/bandwidth-factor", "rates would be multiplied by it"},
    {"network/weight-S", "a flow's share would depend on its latency"},
    {"network/crosstraffic", "flows would take some of the way back"},
    {"network/TCP-gamma", "a flow's rate would be limited by its latency"},
    {"network/loopback", "messages within a node would take it, here network.loopback has their times"},
    {"smpi/host-speed", "SMPI would scale computing by it, here a host's speed relative to that of speed_host does"},
    {"smpi/simulate-computation", "SMPI would leave computing out"},
    {"smpi/bw-factor", "rates would be multiplied by it"},
    {"smpi/lat-factor", "latencies would be multiplied by it"},
    {"smpi/", "SMPI would take it for MPI's own times, here mpi has them"},
    {"cpu/", "SimGrid would compute so, here a host's speed counts"},
    {"host/model", "SimGrid would compute so, here a host's speed counts"},
    {"surf/precision", "SimGrid would round so"},
    {"precision/", "SimGrid would round so"},
    {"maxmin/", "SimGrid would share links so"},
    {"contexts/", "SimGrid's actors would have it"},
    {"tracing", "SimGrid would write files"},
    {"", "it is SimGrid's own, here the engine sets what counts"},
};

static const char *would_change(const char *key)
{
    size_t i = 0;
    while (strncmp(key, configs[i].begin, strlen(configs[i].begin)) != 0) i++;
    return configs[i].would;
}

/* The keys of <config> one after another. False: there is none any more. */
static bool next_config(const char **at, bool *inside, char key[CONFIG_BYTES], char value[CONFIG_BYTES])
{
    struct simgrid_tag tag;
    while (simgrid_xml_next(at, &tag)) {
        if (strcmp(tag.name, "prop") != 0) *inside = strcmp(tag.name, "config") == 0;
        if (strcmp(tag.name, "prop") != 0 || !*inside) continue;
        *key = *value = '\0';
        simgrid_xml_attribute(&tag, "id", key, CONFIG_BYTES);
        simgrid_xml_attribute(&tag, "value", value, CONFIG_BYTES);
        return true;
    }
    return false;
}

static const char same_speed[] = "it computes at its stated speed all the time",
                  same_latency[] = "its latency stays what it is at the begin",
                  own_node[] = "messages within a node take network.loopback";

/* What a tag says that no engine takes: by an attribute; by the kind of a <trace_connect>; by two attributes that are alike. */
static const struct untaken {
    const char *attribute, *value, *alike, *what, *of, *stays;
} untaken[] = {{"speed_file", NULL, NULL, "speed_file", "id", same_speed},
               {"availability_file", NULL, NULL, "availability_file", "id", same_speed},
               {"latency_file", NULL, NULL, "latency_file", "id", same_latency},
               {"loopback_bw", NULL, NULL, "loopback_bw", "id", own_node},
               {"src", NULL, "dst", "src = dst", "src", own_node},
               {"kind", "SPEED", NULL, "SPEED", "element", same_speed},
               {"kind", "LATENCY", NULL, "LATENCY", "element", same_latency}};

static bool is_untaken(const struct simgrid_tag *tag, const struct untaken *row)
{
    char value[CONFIG_BYTES], other[CONFIG_BYTES];
    if (!simgrid_xml_attribute(tag, row->attribute, value, sizeof value) || !*value) return false;
    if (row->alike) return simgrid_xml_attribute(tag, row->alike, other, sizeof other) && strcmp(value, other) == 0;
    return !row->value || strcmp(value, row->value) == 0;
}

/* One line for all tags of a row, which names the first. */
static enum status tell_row(const char *text, const char *xml, const struct untaken *row, simgrid_tell *tell, void *context,
                            struct err *err)
{
    struct simgrid_tag tag;
    char name[CONFIG_BYTES] = "", id[CONFIG_BYTES] = "", more[32] = "", line[SIMGRID_LINE_BYTES];
    size_t count = 0;
    for (const char *at = text; simgrid_xml_next(&at, &tag);) {
        if (!is_untaken(&tag, row) || count++ > 0) continue;
        snprintf(name, sizeof name, "%s", tag.name);
        simgrid_xml_attribute(&tag, row->of, id, sizeof id);
    }
    if (count == 0) return STATUS_OK;
    if (count > 1) snprintf(more, sizeof more, " and %zu more", count - 1);
    snprintf(line, sizeof line, "%.200s: %s of %.100s '%.100s'%s is left out: %s", xml, row->what, name, id, more, row->stays);
    return tell(context, line, err);
}

static enum status tell_files(const char *text, const char *xml, simgrid_tell *tell, void *context, struct err *err)
{
    for (size_t i = 0; i < sizeof untaken / sizeof *untaken; i++) TRY(tell_row(text, xml, &untaken[i], tell, context, err));
    return STATUS_OK;
}

enum status simgrid_inputs_tell(const char *xml, simgrid_tell *tell, void *context, struct err *err)
{
    char *text, key[CONFIG_BYTES], value[CONFIG_BYTES], line[SIMGRID_LINE_BYTES];
    bool inside = false;
    TRY(simgrid_xml_read(xml, &text, err));
    enum status status = tell_files(text, xml, tell, context, err);
    for (const char *at = text; status == STATUS_OK && next_config(&at, &inside, key, value);) {
        snprintf(line, sizeof line, "%.200s: <config> %.80s = %.80s is left out: %s", xml, key, value,
                 would_change(key));
        status = tell(context, line, err);
    }
    free(text);
    return status;
}

enum status simgrid_inputs_claim(const char *xml, struct err *err)
{
    char *text;
    TRY(simgrid_xml_read(xml, &text, err));
    enum status status = claim_named(text, xml, err);
    free(text);
    return status;
}

/* Adds ", NAME" to the list, which has it once. */
static void add_name(char names[SIMGRID_LINE_BYTES], const char *name)
{
    char entry[CONFIG_BYTES];
    snprintf(entry, sizeof entry, ", %s", name);
    for (const char *at = names; (at = strstr(at, entry)) != NULL; at++)
        if (at[strlen(entry)] == ',' || at[strlen(entry)] == '\0') return;
    const size_t used = strlen(names);
    snprintf(names + used, SIMGRID_LINE_BYTES - used, "%s", entry);
}

/* Profiles that engine simgrid obeys: a file, or a <trace> by its name. */
static void add_profiles(const struct simgrid_tag *tag, char names[SIMGRID_LINE_BYTES])
{
    static const char *const files[] = {"state_file", "bandwidth_file"};
    char value[CONFIG_BYTES - 2], kind[CONFIG_BYTES];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (simgrid_xml_attribute(tag, files[i], value, sizeof value) && *value) add_name(names, value);
    const bool connects = strcmp(tag->name, "trace_connect") == 0 && simgrid_xml_attribute(tag, "kind", kind, sizeof kind) &&
                          strcmp(kind, "SPEED") != 0 && strcmp(kind, "LATENCY") != 0;
    if (connects && simgrid_xml_attribute(tag, "trace", value, sizeof value)) add_name(names, value);
}

enum status simgrid_inputs_named(const char *xml, char names[SIMGRID_LINE_BYTES], struct err *err)
{
    char *text;
    struct simgrid_tag tag;
    memset(names, 0, SIMGRID_LINE_BYTES);
    TRY(simgrid_xml_read(xml, &text, err));
    for (const char *at = text; simgrid_xml_next(&at, &tag);) add_profiles(&tag, names);
    memmove(names, names + strspn(names, ", "), strlen(names) + 1 - strspn(names, ", "));
    free(text);
    return STATUS_OK;
}
