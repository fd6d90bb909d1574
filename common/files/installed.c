#include "common/files/installed.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void cut_last_part(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash) *slash = '\0';
}

enum status installed_program_directory(char directory[INSTALLED_PATH_BYTES], struct err *err)
{
    static const char own[] = "/proc/self/exe";
    ssize_t bytes = readlink(own, directory, INSTALLED_PATH_BYTES - 1);
    if (bytes < 0 && err_refused(errno))
        return err_set(err, STATUS_SYSTEM, own, NULL, "cannot be read: %s", strerror(errno));
    directory[bytes > 0 ? bytes : 0] = '\0';
    cut_last_part(directory);
    return STATUS_OK;
}

/* An earlier find stays. */
static enum status find_in(const char *directory, const char *part, const char *file, char path[INSTALLED_PATH_BYTES],
                           struct err *err)
{
    char tried[2 * INSTALLED_PATH_BYTES];
    snprintf(tried, sizeof tried, "%s/%s/%s", directory, part, file);
    if (*path || realpath(tried, path)) return STATUS_OK;
    *path = '\0';
    if (!err_refused(errno)) return STATUS_OK;
    return err_set(err, STATUS_SYSTEM, tried, NULL, "cannot be looked up: %s", strerror(errno));
}

bool installed_library_directory(char directory[INSTALLED_PATH_BYTES])
{
    static const char here;
    struct link_map *map;
    Dl_info found;
    if (!dladdr1(&here, &found, (void **)&map, RTLD_DL_LINKMAP) || !map->l_name[0]) return false;
    snprintf(directory, INSTALLED_PATH_BYTES, "%s", map->l_name);
    cut_last_part(directory);
    return true;
}

enum status installed_library_find(const char *file, char path[INSTALLED_PATH_BYTES], struct err *err)
{
    static const char *const parts[] = {"../lib", "../" RMACAST_LIBDIR, "."};
    char directory[INSTALLED_PATH_BYTES];
    *path = '\0';
    if (installed_library_directory(directory)) TRY(find_in(directory, ".", file, path, err));
    TRY(installed_program_directory(directory, err));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) TRY(find_in(directory, parts[i], file, path, err));
    return find_in(RMACAST_FULL_LIBDIR, ".", file, path, err);
}
