#include "cli/platform_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DIRECTORIES = 2, NAMES_BYTES = 400 };
static const char suffix[] = ".json";

/* Beside the program, then where this build is to be installed. */
static void find_directories(char directories[DIRECTORIES][PLATFORM_PATH_BYTES])
{
    char program[PLATFORM_PATH_BYTES - 64];
    ssize_t bytes = readlink("/proc/self/exe", program, sizeof program - 1);
    program[bytes > 0 ? bytes : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash) *slash = '\0';
    snprintf(directories[0], PLATFORM_PATH_BYTES, "%s/../" RMACAST_DATADIR "/rmacast/platforms", program);
    snprintf(directories[1], PLATFORM_PATH_BYTES, "%s", RMACAST_FULL_DATADIR "/rmacast/platforms");
}

static int is_platform(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length >= sizeof suffix && strcmp(entry->d_name + length - (sizeof suffix - 1), suffix) == 0;
}

/* "dragonfly-512, two-nodes". */
static void list_names(const char *directory, char names[NAMES_BYTES])
{
    struct dirent **entries;
    int count = scandir(directory, &entries, is_platform, alphasort);
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        int length = (int)(strlen(entries[i]->d_name) - (sizeof suffix - 1));
        if (used < NAMES_BYTES)
            used += (size_t)snprintf(names + used, NAMES_BYTES - used, "%s%.*s", i > 0 ? ", " : "", length,
                                     entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

enum status platform_file_find(const char *name, char path[PLATFORM_PATH_BYTES], struct err *err)
{
    char directories[DIRECTORIES][PLATFORM_PATH_BYTES], names[NAMES_BYTES] = "";
    if (strlen(name) >= PLATFORM_PATH_BYTES)
        return err_set(err, STATUS_USAGE, "--platform", NULL, "%zu characters, expected less than %d", strlen(name),
                       PLATFORM_PATH_BYTES);
    snprintf(path, PLATFORM_PATH_BYTES, "%s", name);
    if (strcmp(name, "ideal") == 0 || strchr(name, '/') || access(name, F_OK) == 0) return STATUS_OK;
    find_directories(directories);
    for (int d = 0; d < DIRECTORIES; d++)
        for (int with = 0; with < 2; with++)
            if (snprintf(path, PLATFORM_PATH_BYTES, "%.3800s/%.200s%s", directories[d], name, with ? suffix : "") > 0 &&
                access(path, R_OK) == 0 && (with || strstr(name, suffix)))
                return STATUS_OK;
    for (int d = 0; d < DIRECTORIES && !*names; d++) list_names(directories[d], names);
    return err_set(err, STATUS_DATA, name, NULL, "no such file or installed platform, expected a file, ideal%s%s",
                   *names ? " or one of " : "", names);
}
