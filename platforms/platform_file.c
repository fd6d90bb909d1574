#include "platforms/platform_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "platforms/profile.h"

enum { NAMES_BYTES = 400 };
static const char suffix[] = ".json";

enum status platform_file_find(const char *name, char path[PLATFORM_PATH_BYTES], struct err *err)
{
    char directories[DATA_DIRECTORIES][PROFILE_PATH_BYTES], names[NAMES_BYTES] = "";
    if (strlen(name) >= PLATFORM_PATH_BYTES)
        return err_set(err, STATUS_USAGE, "--platform", NULL, "%zu characters, expected less than %d", strlen(name),
                       PLATFORM_PATH_BYTES);
    snprintf(path, PLATFORM_PATH_BYTES, "%s", name);
    if (strcmp(name, "ideal") == 0 || strchr(name, '/') || access(name, F_OK) == 0) return STATUS_OK;
    data_directories(directories);
    for (int d = 0; d < DATA_DIRECTORIES; d++)
        for (int with = 0; with < 2; with++)
            if (snprintf(path, PLATFORM_PATH_BYTES, "%.3800s/%.200s%s", directories[d], name, with ? suffix : "") > 0 &&
                access(path, R_OK) == 0 && (with || strstr(name, suffix)))
                return STATUS_OK;
    for (int d = 0; d < DATA_DIRECTORIES && !*names; d++) data_names(directories[d], names, sizeof names);
    return err_set(err, STATUS_DATA, name, NULL, "no such file or installed platform, expected a file, ideal%s%s",
                   *names ? " or one of " : "", names);
}
