#include "common/files/output_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/files/place.h"

/* A file that replaces another has a name of its own for a moment, and while it is written where files need a name:
 * ".NAME.rmacast-XXXXXX". It is locked as long as its maker lives. */
#define ASIDE ".rmacast-"
enum {
    DESCRIPTOR_PATH_BYTES = 64,
    ASIDE_CHARACTERS = 6,
    NAME_KEPT = 200,
    ASIDE_BYTES = NAME_KEPT + 32,
    TRIES_MOST = 100
};

static enum status fail_unwritable(const char *path, int cause, struct err *err)
{
    const char *name = strcmp(path, "-") == 0 ? "standard output" : *path ? path : "''";
    return err_set(err, STATUS_SYSTEM, name, NULL, "cannot be written: %s", place_error(cause));
}

enum status output_file_check(const char *path, struct err *err)
{
    struct stat about;
    char above[PATH_MAX];
    if (strcmp(path, "-") == 0) return STATUS_OK;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) return fail_unwritable(path, EISDIR, err);
    if (access(path, W_OK) == 0) return STATUS_OK;
    if (errno != ENOENT || *path == '\0' || strlen(path) >= sizeof above) return fail_unwritable(path, errno, err);
    char *slash = strrchr(strcpy(above, path), '/');
    if (slash) slash[slash == above] = '\0';
    return access(slash ? above : ".", W_OK | X_OK) == 0 ? STATUS_OK : fail_unwritable(path, errno, err);
}

/* Not a file of its own, as /dev/stdout, behind which there may be a file that others write, too. */
static bool is_device(const char *path)
{
    return (strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0) || strncmp(path, "/proc/", 6) == 0;
}

static bool is_aside(const char *entry, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(entry, prefix, length) == 0 && strlen(entry + length) == ASIDE_CHARACTERS;
}

static void write_prefix(const struct place *at, char prefix[ASIDE_BYTES])
{
    snprintf(prefix, ASIDE_BYTES, ".%.*s" ASIDE, NAME_KEPT, at->name);
}

/* Removes files of the same name that dead writers left. */
static void remove_left(const struct place *at, const char *prefix)
{
    int here = openat(at->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = here >= 0 ? fdopendir(here) : NULL;
    if (here >= 0 && !listing) close(here);
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        struct stat about;
        if (!is_aside(entry->d_name, prefix)) continue;
        int left = openat(here, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (left >= 0 && fstat(left, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
            flock(left, LOCK_EX | LOCK_NB) == 0)
            unlinkat(here, entry->d_name, 0);
        if (left >= 0) close(left);
    }
    if (listing) closedir(listing);
}

static bool make_aside(const char *prefix, char name[ASIDE_BYTES])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    unsigned char bytes[ASIDE_CHARACTERS];
    char *end = stpcpy(name, prefix);
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
    for (int i = 0; i < ASIDE_CHARACTERS; i++) *end++ = letters[bytes[i] % (sizeof letters - 1)];
    *end = '\0';
    return true;
}

/* Whether the open file has such a name, which is not `path` itself: the whole path of it. */
static bool find_aside(int descriptor, const char *path, char aside[PATH_MAX])
{
    char from[DESCRIPTOR_PATH_BYTES];
    struct stat held, named;
    snprintf(from, sizeof from, "/proc/self/fd/%d", descriptor);
    ssize_t bytes = readlink(from, aside, PATH_MAX - 1);
    if (bytes < 0) return false;
    aside[bytes] = '\0';
    const char *slash = strrchr(aside, '/'), *own = strrchr(path, '/');
    const char *name = slash ? slash + 1 : aside;
    size_t length = strlen(name), end = strlen(ASIDE) + ASIDE_CHARACTERS;
    return name[0] == '.' && length > end && strncmp(name + length - end, ASIDE, strlen(ASIDE)) == 0 &&
           strcmp(name, own ? own + 1 : path) != 0 && fstat(descriptor, &held) == 0 && lstat(aside, &named) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/* Opens a file under an unused name; -1: not possible. Another writer of the same file may remove it while it is not
 * locked. */
static int open_aside(const struct place *at)
{
    char prefix[ASIDE_BYTES], name[ASIDE_BYTES], whole[PATH_MAX];
    write_prefix(at, prefix);
    remove_left(at, prefix);
    for (int tries = 0; tries < TRIES_MOST; tries++) {
        if (!make_aside(prefix, name)) return -1;
        int descriptor = openat(at->directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno == EEXIST) continue;
        if (descriptor < 0) return -1;
        flock(descriptor, LOCK_EX | LOCK_NB);
        if (find_aside(descriptor, at->name, whole)) return descriptor;
        unlinkat(at->directory, name, 0);
        close(descriptor);
    }
    return -1;
}

static void remove_own(const struct place *at, int descriptor)
{
    char aside[PATH_MAX];
    if (find_aside(descriptor, at->name, aside)) unlink(aside);
}

/* Apart from what has the name, in the directory of `at`; -1: not possible there, or what has the name is no file that
 * we may write. */
static int open_apart(const struct place *at)
{
    struct stat there;
    bool exists = fstatat(at->directory, at->name, &there, AT_SYMLINK_NOFOLLOW) == 0;
    if (!exists && errno != ENOENT) return -1;
    if (exists && (!S_ISREG(there.st_mode) || faccessat(at->directory, at->name, W_OK, 0) != 0)) return -1;
    int descriptor = openat(at->directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor < 0) descriptor = open_aside(at);
    if (descriptor < 0) return -1;
    flock(descriptor, LOCK_EX | LOCK_NB);
    if (exists && fchmod(descriptor, there.st_mode & 07777) != 0) {
        remove_own(at, descriptor);
        close(descriptor);
        return -1;
    }
    return descriptor;
}

static int open_there(const struct place *at)
{
    int links = at->magic ? 0 : O_NOFOLLOW;
    return openat(at->directory, at->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | links, 0666);
}

/* -1 with *cause. */
static int open_place(const char *path, int *cause)
{
    struct place at;
    size_t length = strlen(path);
    *cause = length > 0 && path[length - 1] == '/' ? EISDIR : place_open(path, &at);
    if (*cause != 0) return -1;
    int descriptor = open_apart(&at);
    if (descriptor < 0) descriptor = open_there(&at);
    if (descriptor < 0) *cause = errno;
    place_close(&at);
    return descriptor;
}

enum status output_file_open(const char *path, FILE **out, struct err *err)
{
    int cause = 0;
    if (strcmp(path, "-") == 0) {
        *out = stdout;
        return STATUS_OK;
    }
    int descriptor =
        is_device(path) ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : open_place(path, &cause);
    if (descriptor < 0) return fail_unwritable(path, is_device(path) ? errno : cause, err);
    FILE *file = fdopen(descriptor, "w");
    if (!file) {
        cause = errno;
        close(descriptor);
        return fail_unwritable(path, cause, err);
    }
    *out = file;
    return STATUS_OK;
}

static bool is_nameless(int descriptor)
{
    struct stat of;
    return fstat(descriptor, &of) == 0 && S_ISREG(of.st_mode) && of.st_nlink == 0;
}

static int link_to(const char *from, const struct place *at, const char *name)
{
    return linkat(AT_FDCWD, from, at->directory, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

/* Links it to an unused name. */
static int link_aside(const char *from, const struct place *at, const char *prefix, char name[ASIDE_BYTES])
{
    int cause = EEXIST;
    for (int tries = 0; tries < TRIES_MOST && cause == EEXIST; tries++) {
        if (!make_aside(prefix, name)) return errno;
        cause = link_to(from, at, name);
    }
    return cause;
}

/* A name can be given only where there is none: what has the name is replaced by way of another name. */
static int name_it(int descriptor, const struct place *at)
{
    char from[DESCRIPTOR_PATH_BYTES], prefix[ASIDE_BYTES], aside[ASIDE_BYTES];
    snprintf(from, sizeof from, "/proc/self/fd/%d", descriptor);
    write_prefix(at, prefix);
    remove_left(at, prefix);
    int cause = link_to(from, at, at->name);
    if (cause != EEXIST) return cause;
    cause = link_aside(from, at, prefix, aside);
    if (cause == 0 && renameat(at->directory, aside, at->directory, at->name) != 0) {
        cause = errno;
        unlinkat(at->directory, aside, 0);
    }
    return cause;
}

/* Written apart, it takes its place if it is `whole`, else it goes. 0 or the cause. */
static int finish_apart(const char *path, int descriptor, bool whole)
{
    char aside[PATH_MAX];
    struct place at;
    bool nameless = is_nameless(descriptor), named = !nameless && find_aside(descriptor, path, aside);
    int cause = 0;
    if (!nameless && !named) return 0;
    if (whole) cause = place_open(path, &at);
    if (whole && cause == 0) {
        if (nameless)
            cause = name_it(descriptor, &at);
        else if (renameat(AT_FDCWD, aside, at.directory, at.name) != 0)
            cause = errno;
        place_close(&at);
    }
    if (named && (!whole || cause != 0)) unlink(aside);
    return cause;
}

/* Why not everything could be written; 0: it could. What a write failed of before is forgotten, but what fails for good
 * fails again. */
static int cause_of_fault(FILE *out)
{
    if (fflush(out) != 0) return errno;
    if (!ferror(out)) return 0;
    clearerr(out);
    return fputc('\n', out) == EOF || fflush(out) != 0 ? errno : EIO;
}

enum status output_file_close(const char *path, FILE *out, enum status written, struct err *err)
{
    int cause = cause_of_fault(out);
    if (out != stdout) {
        int unfinished = finish_apart(path, fileno(out), written == STATUS_OK && cause == 0);
        if (cause == 0) cause = unfinished;
        if (fclose(out) != 0 && cause == 0) cause = errno;
    }
    if (written == STATUS_DATA || written == STATUS_USAGE || cause == 0) return written;
    return fail_unwritable(path, cause, err); /* also where the writer has seen it: this names file and cause */
}
