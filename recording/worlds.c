#include "recording/worlds.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/files/place.h"
#include "recording/run.h"
#include "trace/otf2/otf2.h"
#include "trace/spool/spool.h"

void record_world_path(const char *directory, unsigned number, char *path, size_t bytes)
{
    snprintf(path, bytes, "%s/" SPOOL_WORLD_NAME, directory, number);
}

/* The recorder uses the first free number. */
enum status record_count_worlds(const char *spool, unsigned *count, struct err *err)
{
    char path[RECORD_PATH_BYTES + 32];
    bool there = true;
    for (*count = 0; there; *count += there) {
        record_world_path(spool, *count + 1, path, sizeof path);
        TRY(place_look(path, &there, err));
    }
    return STATUS_OK;
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
