/* A profile has lines "TIME VALUE", 0 for off, that repeat after "PERIODICITY P" or "LOOPAFTER P": what is off first is in the
 * first round. It is a file, or the text of a <trace>. */
#include "simulate/engine/simgrid/user_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/files/input_file.h"
#include "platforms/simgrid_xml.h"

enum { NAME_BYTES = 256 };

void user_states_clear(struct user_states *states)
{
    for (size_t i = 0; i < states->count; i++) free(states->items[i].name);
    free(states->items);
    *states = (struct user_states){.items = NULL};
}

/* Whether the tag gives a profile to what goes off. */
static bool connects_state(const struct simgrid_tag *tag)
{
    char kind[NAME_BYTES];
    return strcmp(tag->name, "trace_connect") == 0 && simgrid_xml_attribute(tag, "kind", kind, sizeof kind) &&
           (strcmp(kind, "HOST_AVAIL") == 0 || strcmp(kind, "LINK_AVAIL") == 0);
}

static void take_line(const char *line, double *off_s)
{
    double at_s, value;
    if (sscanf(line, "%lf %lf", &at_s, &value) == 2 && !(value > 0) && at_s < *off_s) *off_s = at_s;
}

/* As SimGrid searches it: from the working directory, else from the platform's. */
static enum status read_profile(const char *xml, const char *name, double *off_s, struct err *err)
{
    const char *slash = strrchr(xml, '/');
    struct input_file in;
    char *path = NULL;
    if (*name != '/' && slash && asprintf(&path, "%.*s%s", (int)(slash - xml) + 1, xml, name) < 0) return err_memory(err);
    enum status status = input_file_open(name, &in, path ? NULL : err);
    if (status == STATUS_DATA && path) status = input_file_open(path, &in, err);
    if (status == STATUS_OK) {
        for (const char *line; (line = input_file_line(&in)) != NULL;) take_line(line, off_s);
        status = input_file_close(&in, STATUS_OK, err);
    }
    free(path);
    return status;
}

/* The profile of a <trace>, by its name. */
static enum status read_trace(const char *xml, const char *text, const char *name, double *off_s, struct err *err)
{
    struct simgrid_tag tag;
    char id[NAME_BYTES], file[NAME_BYTES];
    for (const char *at = text; simgrid_xml_next(&at, &tag);) {
        if (strcmp(tag.name, "trace") != 0 || !simgrid_xml_attribute(&tag, "id", id, sizeof id)) continue;
        if (strcmp(id, name) != 0) continue;
        if (simgrid_xml_attribute(&tag, "file", file, sizeof file) && *file) return read_profile(xml, file, off_s, err);
        for (const char *line = tag.end + 1; line && *line != '<'; line = strpbrk(line + 1, "\n<")) take_line(line, off_s);
    }
    return STATUS_OK;
}

static enum status add_state(struct user_states *states, const char *name, bool link, double off_s, struct err *err)
{
    const struct user_state made = {strdup(name), link, off_s};
    if (!made.name) return err_memory(err);
    enum status status = array_reserve((void **)&states->items, &states->capacity, states->count + 1, sizeof made, err);
    if (status == STATUS_OK)
        states->items[states->count++] = made;
    else
        free(made.name);
    return status;
}

static enum status read_tag(const char *xml, const char *text, const struct simgrid_tag *tag, struct user_states *states,
                            struct err *err)
{
    char name[NAME_BYTES] = "", profile[NAME_BYTES] = "";
    double off_s = INFINITY;
    bool link = strcmp(tag->name, "link") == 0;
    if (connects_state(tag)) {
        simgrid_xml_attribute(tag, "element", name, sizeof name);
        simgrid_xml_attribute(tag, "kind", profile, sizeof profile);
        link = *profile == 'L';
        simgrid_xml_attribute(tag, "trace", profile, sizeof profile);
        TRY(read_trace(xml, text, profile, &off_s, err));
    } else if (simgrid_xml_attribute(tag, "state_file", profile, sizeof profile) && *profile) {
        simgrid_xml_attribute(tag, "id", name, sizeof name);
        TRY(read_profile(xml, profile, &off_s, err));
    }
    return off_s < INFINITY ? add_state(states, name, link, off_s, err) : STATUS_OK;
}

enum status user_states_read(const char *xml, struct user_states *states, struct err *err)
{
    char *text;
    struct simgrid_tag tag;
    *states = (struct user_states){.items = NULL};
    TRY(simgrid_xml_read(xml, &text, err));
    enum status status = STATUS_OK;
    for (const char *at = text; status == STATUS_OK && simgrid_xml_next(&at, &tag);)
        status = read_tag(xml, text, &tag, states, err);
    free(text);
    return status;
}

const struct user_state *user_states_find(const struct user_states *states, bool link, const char *name)
{
    for (size_t i = 0; i < states->count; i++) {
        const struct user_state *state = &states->items[i];
        const size_t length = strlen(state->name);
        const char *rest = strncmp(name, state->name, length) == 0 ? name + length : "?";
        if (state->link == link && (!*rest || (link && (strcmp(rest, "_UP") == 0 || strcmp(rest, "_DOWN") == 0)))) return state;
    }
    return NULL;
}

/* --- the text --- */

/* With all that is in it. */
static void blank_element(char *text, const struct simgrid_tag *tag)
{
    char close[sizeof tag->name + 3];
    snprintf(close, sizeof close, "</%s", tag->name);
    const char *end = tag->end[-1] == '/' ? tag->end : strstr(tag->end, close);
    char *open = text + (tag->attributes - text) - strlen(tag->name) - 1;
    if (end) end = strchr(end, '>');
    if (end) simgrid_xml_blank(open, end + 1);
}

/* As if the attribute were empty. */
static void empty_value(char *text, const char *value, size_t bytes)
{
    char *at = text + (value - text);
    if (bytes == 0) return;
    *at = at[-1];
    simgrid_xml_blank(at + 1, at + bytes + 1);
}

enum status user_file_text(const char *xml, char **text, struct err *err)
{
    struct simgrid_tag tag;
    TRY(simgrid_xml_read(xml, text, err));
    for (const char *at = *text; simgrid_xml_next(&at, &tag);) {
        size_t bytes;
        const char *file = simgrid_xml_value(&tag, "state_file", &bytes);
        if (file) empty_value(*text, file, bytes);
        if (strcmp(tag.name, "config") == 0 || connects_state(&tag)) blank_element(*text, &tag);
    }
    return STATUS_OK;
}
