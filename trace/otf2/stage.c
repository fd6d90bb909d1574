#include "trace/otf2/stage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/files/directory.h"
#include "common/files/place.h"
#include "trace/otf2/otf2.h"
#include "trace/otf2/archive_entries.h"

#define OLD "old" /* in a stage: the archive that was moved out */

static enum status system_error(struct err *err, const char *path, const char *what)
{
    return err_set(err, STATUS_SYSTEM, path, NULL, "cannot %s: %s", what, strerror(errno));
}

struct path {
    char text[PATH_MAX]; /* "", which nothing has: it would be longer */
};

static struct path path_in(const char *directory, const char *name)
{
    struct path path;
    int length = snprintf(path.text, sizeof path.text, "%s/%s", directory, name);
    if (length >= 0 && (size_t)length < sizeof path.text) return path;
    errno = ENAMETOOLONG;
    path.text[0] = '\0';
    return path;
}

static bool exists_in(const char *directory, const char *name)
{
    return access(path_in(directory, name).text, F_OK) == 0;
}

static void unlock_file(int *lock)
{
    if (*lock >= 0) close(*lock);
    *lock = -1;
}

/* Moves an entry; one that is not there is no fault. */
static enum status move_file(const char *from, const char *to, const char *name, struct err *err)
{
    const struct path source = path_in(from, name), target = path_in(to, name);
    if (*source.text && *target.text && (rename(source.text, target.text) == 0 || errno == ENOENT)) return STATUS_OK;
    return system_error(err, target.text, "move the archive there");
}

/* The maker was killed while it moved files one by one, so there is no anchor in the directory. Up to a moment its
 * files are old ones that were still to go, then new ones: the events, which come first, are no more in the stage. */
static void put_old_back(const char *stage, const char *old, const char *directory)
{
    if (exists_in(directory, ARCHIVE_ANCHOR) || !exists_in(old, ARCHIVE_ANCHOR)) return;
    if (!exists_in(stage, ARCHIVE_NAME)) {
        for (int i = 0; archive_entries[i]; i++)
            if (strcmp(archive_entries[i], ARCHIVE_NAME) != 0) unlink(path_in(directory, archive_entries[i]).text);
        if (move_file(directory, stage, ARCHIVE_NAME, NULL) != STATUS_OK) return;
    }
    int count = 0;
    while (archive_entries[count]) count++;
    while (count-- > 0)
        if (move_file(old, directory, archive_entries[count], NULL) != STATUS_OK) return;
}

static void remove_stage(const char *stage, const char *directory)
{
    const struct path old = path_in(stage, OLD);
    /* After the exchange of names, moves other content of the directory back: a spool, further programs' archives. */
    DIR *listing = opendir(stage);
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        const char *name = entry->d_name;
        if (archive_has_entry(name) || strcmp(name, OLD) == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        renameat2(dirfd(listing), name, AT_FDCWD, path_in(directory, name).text, RENAME_NOREPLACE);
    }
    if (listing) closedir(listing);
    put_old_back(stage, old.text, directory);
    archive_remove_files(old.text);
    rmdir(old.text);
    archive_remove_files(stage);
    rmdir(stage);
}

/* Stages of this directory, whose names begin with prefix; those of living makers are locked. */
static void remove_stale(const char *place, const char *prefix, const char *directory)
{
    DIR *listing = opendir(place);
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        struct stat about;
        if (!archive_is_stage(entry->d_name, prefix)) continue;
        if (fstatat(dirfd(listing), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 || about.st_uid != geteuid())
            continue;
        const struct path stage = path_in(place, entry->d_name);
        int lock = directory_lock(stage.text, LOCK_EX | LOCK_NB);
        if (lock >= 0) remove_stage(stage.text, directory);
        unlock_file(&lock);
    }
    if (listing) closedir(listing);
}

/* ".NAME", with which the names of neighbouring stages begin, and the directory above; *above is to be freed. */
static char *neighbour_prefix(const char *target, char **above)
{
    char *prefix;
    const char *slash = strrchr(target, '/');
    *above = slash ? strndup(target, slash == target ? 1 : (size_t)(slash - target)) : NULL;
    if (!*above || asprintf(&prefix, ".%s", slash + 1) < 0) return NULL;
    return prefix;
}

/* Gives the new directory group and mode of the one whose name it takes. */
static bool make_alike(const char *path, const struct stat *target)
{
    struct stat own;
    if (stat(path, &own) != 0 || own.st_dev != target->st_dev || own.st_uid != target->st_uid) return false;
    if (own.st_gid != target->st_gid && chown(path, (uid_t)-1, target->st_gid) != 0) return false;
    return chmod(path, target->st_mode & 07777) == 0;
}

/* Makes path and locks it. A process that removes stale stages may have locked it first. */
static bool make_locked(const char *place, const char *prefix, struct archive_stage *stage)
{
    for (int tries = 0; tries < 100; tries++) {
        if (asprintf(&stage->path, "%s/%s" ARCHIVE_STAGE "XXXXXX", place, prefix) < 0) stage->path = NULL;
        if (!stage->path) return false;
        bool made = mkdtemp(stage->path) != NULL;
        if (made) stage->lock = directory_lock(stage->path, LOCK_EX);
        if (made && (stage->lock >= 0 || errno != ENOENT)) return true;
        int cause = errno;
        free(stage->path);
        stage->path = NULL;
        errno = cause;
        if (!made) return false;
    }
    return false;
}

/* Returns false if the exchange is not possible; then nothing has changed. */
static bool make_beside(const char *above, const char *prefix, struct archive_stage *stage)
{
    struct stat here, target;
    struct statx about;
    if (!exists_in(stage->target, ARCHIVE_ANCHOR) || stat(stage->target, &target) != 0) return false;
    if (stat(".", &here) == 0 && here.st_dev == target.st_dev && here.st_ino == target.st_ino) return false;
    bool told = statx(AT_FDCWD, stage->target, 0, STATX_TYPE, &about) == 0;
    if (told && (about.stx_attributes & STATX_ATTR_MOUNT_ROOT)) return false;
    if (!make_locked(above, prefix, stage)) return false;
    stage->beside = make_alike(stage->path, &target);
    if (stage->beside) return true;
    rmdir(stage->path);
    unlock_file(&stage->lock);
    free(stage->path);
    stage->path = NULL;
    return false;
}

/* Whoever puts something into its place meanwhile has not put a link there. */
static enum status make_directory(struct archive_stage *stage, struct err *err)
{
    struct stat about;
    int cause = place_path(stage->directory, &stage->target);
    if (cause == 0) {
        stage->made = mkdir(stage->target, 0777) == 0;
        if (!stage->made && errno != EEXIST)
            cause = errno;
        else if (lstat(stage->target, &about) != 0)
            cause = errno;
        else if (!S_ISDIR(about.st_mode))
            cause = ENOTDIR;
    }
    if (cause == 0) return STATUS_OK;
    if (stage->made) rmdir(stage->target);
    free(stage->target);
    stage->target = NULL;
    return err_set(err, STATUS_SYSTEM, stage->directory, NULL, "cannot make this directory: %s", place_error(cause));
}

enum status archive_stage_open(const char *directory, struct archive_stage *stage, struct err *err)
{
    *stage = (struct archive_stage){.directory = directory, .lock = -1, .target_lock = -1};
    TRY(otf2_check_place(directory, err));
    TRY(make_directory(stage, err));
    enum status status = archive_check_unread(stage->directory, err);
    char *above, *prefix = neighbour_prefix(stage->target, &above);
    if (status == STATUS_OK && !prefix) status = err_memory(err);
    if (status == STATUS_OK) {
        stage->target_lock = directory_lock(stage->target, LOCK_EX);
        remove_stale(above, prefix, stage->target);
        remove_stale(stage->target, "", stage->target);
        unlock_file(&stage->target_lock);
        if (!make_beside(above, prefix, stage) && !make_locked(stage->target, "", stage))
            status = system_error(err, stage->directory, "write there");
    }
    FREE_ALL(above, prefix);
    if (status != STATUS_OK) archive_stage_close(stage);
    return status;
}

static bool exchange_names(struct archive_stage *stage)
{
    if (!stage->beside || !exists_in(stage->target, ARCHIVE_ANCHOR)) return false;
    if (renameat2(AT_FDCWD, stage->path, AT_FDCWD, stage->target, RENAME_EXCHANGE) != 0) return false;
    int lock = stage->lock;
    stage->lock = stage->target_lock;
    stage->target_lock = lock;
    return true;
}

/* Where it fails, new files are in the stage again, and old ones in `old`. */
static enum status move_all(const struct archive_stage *stage, const char *old, struct err *err)
{
    int count = 0;
    enum status status = STATUS_OK;
    if (mkdir(old, 0777) != 0) return system_error(err, old, "make this directory");
    for (; archive_entries[count]; count++) TRY(move_file(stage->target, old, archive_entries[count], err));
    while (status == STATUS_OK && count-- > 0) status = move_file(stage->path, stage->target, archive_entries[count], err);
    for (int i = count + 1; status != STATUS_OK && archive_entries[i]; i++)
        (void)move_file(stage->target, stage->path, archive_entries[i], NULL);
    return status;
}

static enum status move_one_by_one(const struct archive_stage *stage, struct err *err)
{
    sigset_t all, before;
    const struct path old = path_in(stage->path, OLD);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    enum status status = move_all(stage, old.text, err);
    if (status != STATUS_OK) put_old_back(stage->path, old.text, stage->target);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* Where the locked stage is now; false: it is where it was made, or is not locked, or has been removed. */
static bool find_moved(const struct archive_stage *stage, char now[PATH_MAX])
{
    char link[64];
    struct stat about;
    snprintf(link, sizeof link, "/proc/self/fd/%d", stage->lock);
    ssize_t bytes = stage->lock >= 0 ? readlink(link, now, PATH_MAX - 1) : -1;
    if (bytes < 0 || fstat(stage->lock, &about) != 0 || about.st_nlink == 0) return false;
    now[bytes] = '\0';
    return strcmp(now, stage->path) != 0;
}

enum status archive_stage_check(const struct archive_stage *stage, enum status written, struct err *err)
{
    char now[PATH_MAX];
    if (access(stage->path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)) return written;
    if (!find_moved(stage, now))
        return err_set(err, STATUS_SYSTEM, stage->directory, NULL, "was removed while the archive was written");
    return err_set(err, STATUS_SYSTEM, stage->directory, NULL, "%s moved to %s while the archive was written",
                   stage->beside ? "its directory was" : "was", dirname(now));
}

enum status archive_stage_commit(struct archive_stage *stage, struct err *err)
{
    const bool there = exists_in(stage->path, ARCHIVE_ANCHOR);
    if (!there && errno == ENOENT)
        return err_set(err, STATUS_SYSTEM, stage->path, NULL, "lost its files while the archive was written");
    if (!there) return system_error(err, stage->directory, "find the new archive");
    if (mkdir(stage->target, 0777) != 0 && errno != EEXIST)
        return system_error(err, stage->directory, "make this directory");
    stage->target_lock = directory_lock(stage->target, LOCK_EX); /* where there are no locks: without */
    TRY(otf2_check_place(stage->directory, err));
    TRY(archive_check_unread(stage->directory, err));
    if (!exchange_names(stage)) TRY(move_one_by_one(stage, err));
    stage->done = true;
    return STATUS_OK;
}

void archive_stage_close(struct archive_stage *stage)
{
    char now[PATH_MAX];
    if (stage->path && !stage->done && find_moved(stage, now)) {
        archive_remove_files(now);
        rmdir(now);
    }
    if (stage->path) remove_stage(stage->path, stage->target);
    if (stage->made && !stage->done) rmdir(stage->directory);
    unlock_file(&stage->lock);
    unlock_file(&stage->target_lock);
    FREE_ALL(stage->path, stage->target);
    stage->path = stage->target = NULL;
}
