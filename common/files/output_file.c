#include "common/files/output_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/files/file_claims.h"
#include "common/files/place.h"
#include "common/files/temp_file.h"

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

/* An open one; found by its FILE. */
struct output {
    struct output *next;
    FILE *file;
    int descriptor;
    struct place at;         /* without name: a device */
    struct stat about;       /* of the file that is written */
    char aside[ASIDE_BYTES]; /* its name for the moment; "": it has none */
    bool there;              /* it is written under its own name */
    int place;               /* the file that takes at the end what is in a temporary file until then; -1: none */
    bool named;              /* it has taken its name */
    bool replaces, kept;     /* something had the name; that is aside now */
    struct stat replaced;
    bool again;              /* as output_file_open_again() says */
};

static struct output *outputs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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

/* What is written apart, and not finished. */
static void remove_apart(struct output *output)
{
    if (output->descriptor < 0) return;
    if (!output->there && output->aside[0]) unlinkat(output->at.directory, output->aside, 0);
    close(output->descriptor);
    output->descriptor = -1;
}

static bool is_named(const struct place *at, const char *name, int descriptor)
{
    struct stat held, named;
    return fstat(descriptor, &held) == 0 && fstatat(at->directory, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/* Opens a file under an unused name. Another writer of the same file may remove it while it is not locked. 0 or the cause. */
static int open_aside(struct output *output)
{
    char prefix[ASIDE_BYTES];
    const struct place *at = &output->at;
    write_prefix(at, prefix);
    remove_left(at, prefix);
    for (int tries = 0; tries < TRIES_MOST; tries++) {
        if (!make_aside(prefix, output->aside)) return EIO;
        output->descriptor = openat(at->directory, output->aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (output->descriptor < 0 && errno == EEXIST) continue;
        if (output->descriptor < 0) return errno;
        flock(output->descriptor, LOCK_EX | LOCK_NB);
        if (is_named(at, output->aside, output->descriptor)) return 0;
        remove_apart(output);
    }
    return EEXIST;
}

/* Apart from what has the name, in its directory. 0 or the cause. */
static int open_apart(struct output *output)
{
    int cause = 0;
    output->aside[0] = '\0';
    output->descriptor = openat(output->at.directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (output->descriptor >= 0)
        flock(output->descriptor, LOCK_EX | LOCK_NB);
    else
        cause = open_aside(output);
    return cause;
}

/* A file that is written in its place stays as it is to the end, too. 0 or the cause. */
static int hold_back(struct output *output)
{
    struct temp_file held;
    struct err err;
    if (output->descriptor < 0 || fstat(output->descriptor, &output->about) != 0) return errno;
    if (!S_ISREG(output->about.st_mode)) return 0;
    if (temp_file_open(&held, &err) != STATUS_OK) return errno;
    output->place = output->descriptor;
    output->descriptor = held.descriptor;
    return 0;
}

/* In the place of what has the name, which may be no file. 0 or the cause. */
static int open_there(struct output *output, bool growing)
{
    int flags = (output->at.magic ? 0 : O_NOFOLLOW) | (growing ? O_TRUNC : 0);
    output->there = true;
    output->descriptor = openat(output->at.directory, output->at.name, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
    return growing && output->descriptor >= 0 ? 0 : hold_back(output);
}

/* A file is written apart unless its directory cannot be written. */
static int open_new(struct output *output, bool growing)
{
    struct stat old;
    const struct place *at = &output->at;
    bool exists = fstatat(at->directory, at->name, &old, AT_SYMLINK_NOFOLLOW) == 0;
    if (!exists && errno != ENOENT) return errno;
    if (growing || (exists && !S_ISREG(old.st_mode))) return open_there(output, growing);
    if (exists && faccessat(at->directory, at->name, W_OK, 0) != 0) return errno;
    int cause = open_apart(output);
    if (cause == EACCES || cause == EPERM || cause == EROFS) return open_there(output, false);
    if (cause == 0 && exists && fchmod(output->descriptor, old.st_mode & 07777) != 0) cause = errno;
    return cause;
}

static enum status open_device(const char *path, struct output *output, struct err *err)
{
    output->there = true;
    output->descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    int cause = hold_back(output);
    return cause == 0 ? file_claims_check_open(&output->about, path, output->again, err) : fail_unwritable(path, cause, err);
}

static enum status open_place(const char *path, bool growing, struct output *output, struct err *err)
{
    size_t length = strlen(path);
    int cause = length > 0 && path[length - 1] == '/' ? EISDIR : place_open(path, &output->at);
    if (cause != 0) return fail_unwritable(path, cause, err);
    TRY(file_claims_check(output->at.directory, output->at.name, path, output->again, err));
    cause = open_new(output, growing);
    return cause == 0 ? STATUS_OK : fail_unwritable(path, cause, err);
}

static void free_output(struct output *output)
{
    if (output->at.name) place_close(&output->at);
    if (output->place >= 0) close(output->place);
    free(output);
}

static enum status open_output(const char *path, bool growing, bool again, FILE **out, struct err *err)
{
    struct output *output = calloc(1, sizeof *output);
    if (!output) return err_memory(err);
    output->descriptor = output->place = -1;
    output->again = again;
    enum status status =
        is_device(path) ? open_device(path, output, err) : open_place(path, growing, output, err);
    const int written = output->place >= 0 ? output->place : output->descriptor;
    if (status == STATUS_OK && fstat(written, &output->about) != 0) status = fail_unwritable(path, errno, err);
    if (status == STATUS_OK && !(output->file = fdopen(output->descriptor, "w"))) status = fail_unwritable(path, errno, err);
    if (status != STATUS_OK) {
        remove_apart(output);
        free_output(output);
        return status;
    }
    pthread_mutex_lock(&lock);
    output->next = outputs;
    outputs = output;
    pthread_mutex_unlock(&lock);
    *out = output->file;
    return STATUS_OK;
}

enum status output_file_open(const char *path, FILE **out, struct err *err)
{
    struct stat about;
    if (strcmp(path, "-") != 0) return open_output(path, false, false, out, err);
    if (fstat(STDOUT_FILENO, &about) == 0) TRY(file_claims_check_open(&about, "standard output", true, err));
    *out = stdout;
    return STATUS_OK;
}

enum status output_file_open_growing(const char *path, FILE **out, struct err *err)
{
    return open_output(path, true, false, out, err);
}

enum status output_file_open_again(const char *path, FILE **out, struct err *err)
{
    return open_output(path, false, true, out, err);
}

/* Links what is written apart to an unused name beside its own: a name can be given only where there is none. 0 or the cause. */
static int name_aside(struct output *output)
{
    const struct place *at = &output->at;
    char from[DESCRIPTOR_PATH_BYTES], prefix[ASIDE_BYTES];
    int cause = EEXIST;
    if (output->there || output->aside[0]) return 0;
    snprintf(from, sizeof from, "/proc/self/fd/%d", output->descriptor);
    write_prefix(at, prefix);
    remove_left(at, prefix);
    for (int tries = 0; tries < TRIES_MOST && cause == EEXIST; tries++) {
        bool made = make_aside(prefix, output->aside);
        cause = made && linkat(AT_FDCWD, from, at->directory, output->aside, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
    }
    if (cause != 0) output->aside[0] = '\0';
    return cause;
}

/* 0 or the cause. */
static int write_in_place(const struct output *output)
{
    char part[65536];
    ssize_t bytes;
    if (ftruncate(output->place, 0) != 0) return errno;
    for (off_t at = 0; (bytes = pread(output->descriptor, part, sizeof part, at)) > 0;) {
        ssize_t done = pwrite(output->place, part, (size_t)bytes, at);
        if (done <= 0) return done < 0 ? errno : EIO;
        at += done;
    }
    return bytes < 0 ? errno : 0;
}

/* The file takes its name. What had the name is aside then, where the file system can exchange both. 0 or the cause. */
static int take_name(struct output *output)
{
    const struct place *at = &output->at;
    if (output->place >= 0) {
        output->named = true;
        return write_in_place(output);
    }
    if (output->there) return 0;
    output->replaces = fstatat(at->directory, at->name, &output->replaced, AT_SYMLINK_NOFOLLOW) == 0;
    if (!output->replaces && errno != ENOENT) return errno;
    output->kept = output->replaces && S_ISREG(output->replaced.st_mode) &&
                   renameat2(at->directory, output->aside, at->directory, at->name, RENAME_EXCHANGE) == 0;
    if (!output->kept && renameat(at->directory, output->aside, at->directory, at->name) != 0) return errno;
    if (!output->kept) output->aside[0] = '\0';
    output->named = true;
    return 0;
}

/* Whether what had the name has it again. */
static bool put_back(struct output *output)
{
    const struct place *at = &output->at;
    bool done = !output->named;
    if (output->place >= 0) return done;
    if (!done && output->kept) done = renameat(at->directory, output->aside, at->directory, at->name) == 0;
    else if (!done && !output->replaces) done = unlinkat(at->directory, at->name, 0) == 0;
    if (done && output->named) output->aside[0] = '\0';
    return done;
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

static struct output *take_output(FILE *out)
{
    pthread_mutex_lock(&lock);
    struct output **link = &outputs, *found;
    while (*link && (*link)->file != out) link = &(*link)->next;
    found = *link;
    if (found) *link = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

/* All that can be asked is asked before the first name is taken. */
static enum status name_all(struct output_closing *files, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct output *output = files[i].output;
        int cause = output ? name_aside(files[i].output) : 0;
        if (cause != 0) return fail_unwritable(files[i].path, cause, err);
        if (output && output->place >= 0) TRY(file_claims_check_open(&output->about, files[i].path, output->again, err));
        if (output && !output->there)
            TRY(file_claims_check(output->at.directory, output->at.name, files[i].path, output->again, err));
    }
    for (size_t i = 0; i < count; i++) {
        int cause = files[i].output ? take_name(files[i].output) : 0;
        if (cause != 0) return fail_unwritable(files[i].path, cause, err);
    }
    return STATUS_OK;
}

static enum status close_all(struct output_closing *files, size_t count, struct err *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count; i++)
        if (files[i].output && fclose(files[i].out) != 0 && status == STATUS_OK)
            status = fail_unwritable(files[i].path, errno, err);
    return status;
}

/* The old files take their names again. One that cannot is told. */
static void put_all_back(struct output_closing *files, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        struct err before;
        if (!files[i].output || put_back(files[i].output) || !err) continue;
        before = *err;
        err_set(err, before.status, NULL, NULL, "%s; %s is the new one already", before.text, files[i].path);
    }
}

static enum status forget_all(struct output_closing *files, size_t count, bool whole, struct err *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count; i++) {
        struct output *output = files[i].output;
        if (!output) continue;
        if (output->aside[0]) unlinkat(output->at.directory, output->aside, 0);
        if (whole && output->named && output->replaces) file_claims_forget(&output->replaced);
        if (whole && status == STATUS_OK) status = file_claim_written(files[i].path, &output->about, err);
        free_output(output);
    }
    return status;
}

enum status output_file_close_all(struct output_closing *files, size_t count, enum status written, struct err *err)
{
    enum status status = written;
    struct err *told = written == STATUS_DATA || written == STATUS_USAGE ? NULL : err; /* else the caller's own */
    for (size_t i = 0; i < count; i++) {
        int cause = cause_of_fault(files[i].out);
        files[i].output = take_output(files[i].out);
        /* also where the writer has seen it: this names file and cause */
        if (cause != 0 && (status == STATUS_OK || status == written)) status = fail_unwritable(files[i].path, cause, told);
    }
    if (status == STATUS_OK) status = name_all(files, count, told);
    enum status closed = close_all(files, count, status == STATUS_OK ? told : NULL);
    if (status == STATUS_OK) status = closed;
    if (status != STATUS_OK) put_all_back(files, count, told);
    enum status noted = forget_all(files, count, status == STATUS_OK, told);
    if (written == STATUS_DATA || written == STATUS_USAGE) return written;
    return status == STATUS_OK ? noted : status;
}

enum status output_file_close(const char *path, FILE *out, enum status written, struct err *err)
{
    struct output_closing file = {path, out, NULL};
    return output_file_close_all(&file, 1, written, err);
}
