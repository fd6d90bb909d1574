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

enum status platform_files_claim(const char *xml, struct err *err)
{
    struct input_file in;
    size_t bytes;
    TRY(input_file_open(xml, &in, err));
    char *text = input_file_all(&in, &bytes);
    enum status status = text ? claim_named(text, xml, err) : STATUS_OK;
    free(text);
    return input_file_close(&in, status, err);
}
