#include "simulate/engine/simgrid/platform_files.h"

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

static enum status claim_named(const char *text, const char *xml, struct err *err)
{
    static const char word[] = "file";
    const char *slash = strrchr(xml, '/');
    int folder = slash ? (int)(slash - xml) + 1 : 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL;) {
        at += sizeof word - 1;
        const char *value = xml_attribute_value(at), *end = value ? strchr(value, value[-1]) : NULL;
        if (!end || end == value) continue;
        TRY(claim_in("", 0, value, (int)(end - value), err));
        if (folder > 0 && *value != '/') TRY(claim_in(xml, folder, value, (int)(end - value), err));
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

enum status platform_files_check(const char *xml, struct err *err)
{
    struct input_file in;
    size_t bytes;
    TRY(input_file_open(xml, &in, err));
    char *text = input_file_all(&in, &bytes);
    enum status status = text ? claim_named(text, xml, err) : STATUS_OK;
    if (status == STATUS_OK && text && strlen(text) != bytes)
        status = err_set(err, STATUS_DATA, xml, NULL, "a zero byte, expected a SimGrid platform");
    if (text) cut_comments(text);
    if (status == STATUS_OK && text) status = refuse_config(text, xml, err);
    free(text);
    return input_file_close(&in, status, err);
}
