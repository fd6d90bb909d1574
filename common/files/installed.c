#include "common/files/installed.h"

#include <dlfcn.h>
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

void installed_program_directory(char directory[INSTALLED_PATH_BYTES])
{
    ssize_t bytes = readlink("/proc/self/exe", directory, INSTALLED_PATH_BYTES - 1);
    directory[bytes > 0 ? bytes : 0] = '\0';
    cut_last_part(directory);
}

static bool find_in(const char *directory, const char *part, const char *file, char path[INSTALLED_PATH_BYTES])
{
    char tried[2 * INSTALLED_PATH_BYTES];
    snprintf(tried, sizeof tried, "%s/%s/%s", directory, part, file);
    return realpath(tried, path) != NULL;
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

bool installed_library_find(const char *file, char path[INSTALLED_PATH_BYTES])
{
    static const char *const parts[] = {"../lib", "../" RMACAST_LIBDIR, "."};
    char directory[INSTALLED_PATH_BYTES];
    if (installed_library_directory(directory) && find_in(directory, ".", file, path)) return true;
    installed_program_directory(directory);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (find_in(directory, parts[i], file, path)) return true;
    return find_in(RMACAST_FULL_LIBDIR, ".", file, path);
}
