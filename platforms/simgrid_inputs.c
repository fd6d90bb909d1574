#include "platforms/simgrid_inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/files/file_claims.h"
#include "common/files/input_file.h"
#include "common/xml_attribute.h"

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

/* Removes comments; what is left keeps its order. */
static void cut_comments(char *text)
{
    for (char *at = text; (at = strstr(at, "<!--")) != NULL;) {
        const char *end = strstr(at, "-->");
        memmove(at, end ? end + 3 : "", strlen(end ? end + 3 : "") + 1);
    }
}

/* A key of <config> may change the network's model, load a plugin, or name a file that is written: none is taken. */
static enum status refuse_config(const char *text, const char *xml, struct err *err)
{
    static const char tag[] = "<config";
    const char *config = text, *value = NULL;
    while ((config = strstr(config, tag)) && !strchr(XML_BLANKS "/>", config[sizeof tag - 1])) config++;
    if (!config) return STATUS_OK;
    const char *prop = strstr(config, "<prop"), *id = prop ? strstr(prop, "id") : NULL;
    if (id) value = xml_attribute_value(id + strlen("id"));
    int bytes = value ? (int)strcspn(value, "\"'") : 0;
    return err_set(err, STATUS_DATA, xml, NULL, "<config> sets '%.*s', expected a platform without <config>: "
                   "the engine has settings of its own", bytes, value ? value : "");
}

static enum status read_platform(const char *xml, char **text, struct err *err)
{
    struct input_file in;
    size_t bytes = 0;
    TRY(input_file_open(xml, &in, err));
    *text = input_file_all(&in, &bytes);
    TRY(input_file_close(&in, STATUS_OK, err));
    if (strlen(*text) == bytes) return STATUS_OK;
    free(*text);
    return err_set(err, STATUS_DATA, xml, NULL, "a zero byte, expected a SimGrid platform");
}

enum status simgrid_inputs_claim(const char *xml, struct err *err)
{
    char *text;
    TRY(read_platform(xml, &text, err));
    enum status status = claim_named(text, xml, err);
    free(text);
    return status;
}

enum status simgrid_inputs_named(const char *xml, char **name, struct err *err)
{
    char *text;
    int bytes;
    *name = NULL;
    TRY(read_platform(xml, &text, err));
    cut_comments(text);
    const char *value = next_named(text, &bytes);
    if (value) *name = strndup(value, (size_t)bytes);
    free(text);
    return !value || *name ? STATUS_OK : err_memory(err);
}

enum status simgrid_inputs_check(const char *xml, struct err *err)
{
    char *text;
    TRY(read_platform(xml, &text, err));
    cut_comments(text);
    enum status status = refuse_config(text, xml, err);
    free(text);
    return status;
}
