#include "cli/simgrid_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/xml_attribute.h"

static enum status add_path(struct simgrid_files *files, const char *folder, size_t folder_bytes, const char *name,
                            size_t name_bytes, struct err *err)
{
    TRY(array_reserve((void **)&files->paths, &files->capacity, files->count + 1, sizeof *files->paths, err));
    char *path = malloc(folder_bytes + name_bytes + 1);
    if (!path) return err_memory(err);
    memcpy(path, folder, folder_bytes);
    memcpy(path + folder_bytes, name, name_bytes);
    path[folder_bytes + name_bytes] = '\0';
    files->paths[files->count++] = path;
    return STATUS_OK;
}

static enum status add_named(const char *text, const char *xml, struct simgrid_files *files, struct err *err)
{
    static const char word[] = "file";
    const char *slash = strrchr(xml, '/');
    size_t folder = slash ? (size_t)(slash - xml) + 1 : 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL;) {
        at += sizeof word - 1;
        const char *value = xml_attribute_value(at), *end = value ? strchr(value, value[-1]) : NULL;
        if (!end || end == value) continue;
        TRY(add_path(files, "", 0, value, (size_t)(end - value), err));
        if (folder > 0 && *value != '/') TRY(add_path(files, xml, folder, value, (size_t)(end - value), err));
    }
    return STATUS_OK;
}

enum status simgrid_files_find(const char *xml, struct simgrid_files *files, struct err *err)
{
    char *text = NULL;
    size_t capacity = 0;
    FILE *in = fopen(xml, "r");
    if (!in) return STATUS_OK;
    ssize_t bytes = getdelim(&text, &capacity, '\0', in);
    fclose(in);
    enum status status = bytes > 0 ? add_named(text, xml, files, err) : STATUS_OK;
    free(text);
    return status;
}

void simgrid_files_clear(struct simgrid_files *files)
{
    for (size_t i = 0; i < files->count; i++) free(files->paths[i]);
    free(files->paths);
    *files = (struct simgrid_files){.count = 0};
}
