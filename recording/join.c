#include "recording/join.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/files/directory.h"
#include "common/files/file_claims.h"
#include "recording/guests.h"
#include "recording/run.h"
#include "recording/worlds.h"
#include "trace/spool/spool.h"

enum { LINK_BYTES = RECORD_PATH_BYTES + 64, WORLDS_MOST = 4096 };

/* What a node says of the whole program others may say, too; a rank has one node. */
static enum status link_file(const char *from, const char *name, const char *spool, struct err *err)
{
    char file[PATH_MAX + 256], path[LINK_BYTES + 256], other[sizeof file] = "";
    snprintf(file, sizeof file, "%s/%s", from, name);
    snprintf(path, sizeof path, "%s/%s", spool, name);
    if (symlink(file, path) == 0) return STATUS_OK;
    if (errno != EEXIST) return err_set(err, STATUS_SYSTEM, path, NULL, "cannot be made: %s", strerror(errno));
    if (!record_is_rank_file(name)) return STATUS_OK;
    if (readlink(path, other, sizeof other - 1) < 0) *other = '\0';
    return err_set(err, STATUS_DATA, file, NULL, "is of the same rank as %s, expected each rank in one directory", other);
}

/* Links to what the recorder has written to a directory, and below it for further programs, which are counted. */
static enum status link_directory(const char *directory, const char *spool, unsigned *worlds, struct err *err)
{
    char from[PATH_MAX], below[PATH_MAX + 32], made[LINK_BYTES];
    unsigned number, most = 0;
    bool found = false;
    enum status status = file_claim_input_path(directory, err);
    DIR *listing = status == STATUS_OK && realpath(directory, from) ? opendir(from) : NULL;
    TRY(status);
    if (!listing) return err_set(err, STATUS_DATA, directory, NULL, "%s, expected a spool directory", strerror(errno));
    for (const struct dirent *entry; status == STATUS_OK && (errno = 0, entry = readdir(listing)) != NULL;) {
        const char *name = entry->d_name;
        if (worlds && sscanf(name, SPOOL_WORLD_NAME, &number) == 1 && number > most) most = number;
        if (!record_is_rank_file(name) && strcmp(name, SPOOL_UNRECORDED_NAME) != 0 && strcmp(name, SPOOL_REACHED_NAME) != 0)
            continue;
        found = true;
        status = link_file(from, name, spool, err);
    }
    if (status == STATUS_OK && errno != 0)
        status = err_set(err, STATUS_SYSTEM, directory, NULL, "cannot be read: %s", strerror(errno));
    closedir(listing);
    if (status == STATUS_OK && most > WORLDS_MOST)
        status = err_set(err, STATUS_DATA, directory, NULL, "has world-%u, expected at most %d programs", most, WORLDS_MOST);
    if (status == STATUS_OK && worlds && !found && most == 0)
        status = err_set(err, STATUS_DATA, directory, NULL, "no spool, expected files of the recorder, as rank-000000.spool");
    for (unsigned i = 1; worlds && status == STATUS_OK && i <= most; i++) {
        record_world_path(from, i, below, sizeof below);
        record_world_path(spool, i, made, sizeof made);
        if (i > *worlds) status = directory_make(made, err);
        if (status == STATUS_OK && i > *worlds) *worlds = i;
        if (status == STATUS_OK && access(below, F_OK) == 0) status = link_directory(below, made, NULL, err);
    }
    return status;
}

static enum status pack_links(const char *directory, const char *spool, const struct record_observer *observer, struct err *err)
{
    struct record_observer silent = *observer;
    int writer;
    silent.kept = NULL;
    if (silent.ended) silent.ended(silent.context);
    TRY(record_await_writers(spool, &writer, err));
    if (writer == 0) return record_pack(directory, spool, NULL, &silent, err);
    return err_set(err, STATUS_DATA, directory, NULL,
                   "process %d still writes to a rank's file, expected the program to have ended", writer);
}

enum status record_join(const char *const *directories, size_t count, const char *directory,
                        const struct record_observer *observer, struct err *err)
{
    char spool[RECORD_PATH_BYTES + 8], archive[LINK_BYTES], made[LINK_BYTES];
    unsigned worlds = 0;
    int lock;
    snprintf(spool, sizeof spool, "%s/spool", directory);
    TRY(record_make_spool(directory, spool, &lock, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) status = link_directory(directories[i], spool, &worlds, err);
    if (status == STATUS_OK) status = pack_links(directory, spool, observer, err);
    for (unsigned i = 1; i <= worlds; i++) {
        record_world_path(directory, i, archive, sizeof archive);
        record_world_path(spool, i, made, sizeof made);
        record_remove_spool(archive, made);
    }
    record_remove_spool(directory, spool);
    if (lock >= 0) close(lock);
    return status;
}
