#include "recording/worlds.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/run.h"
#include "trace/otf2/otf2.h"
#include "trace/spool/spool.h"

void record_world_path(const char *directory, unsigned number, char *path, size_t bytes)
{
    snprintf(path, bytes, "%s/" SPOOL_WORLD_NAME, directory, number);
}

/* The recorder uses the first free number. */
unsigned record_world_count(const char *spool)
{
    char path[RECORD_PATH_BYTES + 32];
    struct stat about;
    unsigned count = 0;
    do record_world_path(spool, ++count, path, sizeof path);
    while (stat(path, &about) == 0 && S_ISDIR(about.st_mode));
    return count - 1;
}

void record_remove_worlds(const char *directory)
{
    char path[2 * RECORD_PATH_BYTES], again[64];
    unsigned number;
    DIR *listing = opendir(directory);
    for (const struct dirent *entry; listing && (entry = readdir(listing)) != NULL;) {
        if (sscanf(entry->d_name, SPOOL_WORLD_NAME, &number) != 1) continue;
        snprintf(again, sizeof again, SPOOL_WORLD_NAME, number);
        if (strcmp(again, entry->d_name) != 0) continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        otf2_remove(path);
    }
    if (listing) closedir(listing);
}
