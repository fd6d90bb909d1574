#include "common/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DESCRIPTOR_PATH_BYTES = 64 };

static enum status unwritable(const char *path, int cause, struct err *err)
{
    const char *name = strcmp(path, "-") == 0 ? "standard output" : *path ? path : "''";
    return err_set(err, STATUS_SYSTEM, name, NULL, "cannot be written: %s", strerror(cause));
}

/* Where the file is to be: links are followed, so that they stay links. NULL: not known, or not a file of its own, as
 * /dev/stdout, behind which there may be a file that others write, too. */
static char *destination(const char *path, mode_t *mode)
{
    struct stat at;
    *mode = 0;
    if (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0) return NULL;
    if (lstat(path, &at) != 0) return errno == ENOENT ? strdup(path) : NULL;
    if (stat(path, &at) != 0 || !S_ISREG(at.st_mode) || access(path, W_OK) != 0) return NULL;
    *mode = at.st_mode & 07777;
    return realpath(path, NULL);
}

/* Without a name, in the directory of `at`; -1: not possible there. */
static int open_nameless(const char *at, mode_t mode)
{
    const char *slash = strrchr(at, '/');
    char *directory = !slash ? strdup(".") : strndup(at, slash == at ? 1 : (size_t)(slash - at));
    int descriptor = directory ? open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;
    free(directory);
    if (descriptor >= 0 && mode != 0 && fchmod(descriptor, mode) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

enum status output_file_open(const char *path, FILE **out, struct err *err)
{
    mode_t mode;
    if (strcmp(path, "-") == 0) {
        *out = stdout;
        return STATUS_OK;
    }
    char *at = destination(path, &mode);
    int descriptor = at ? open_nameless(at, mode) : -1;
    free(at);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : fopen(path, "w");
    if (!file) {
        int cause = errno;
        if (descriptor >= 0) close(descriptor);
        return unwritable(path, cause, err);
    }
    *out = file;
    return STATUS_OK;
}

static bool is_nameless(int descriptor)
{
    struct stat of;
    return fstat(descriptor, &of) == 0 && S_ISREG(of.st_mode) && of.st_nlink == 0;
}

/* A name can be given only where there is none: what has the name is replaced by way of another name. */
static int name_it(int descriptor, const char *at)
{
    char from[DESCRIPTOR_PATH_BYTES], *other;
    snprintf(from, sizeof from, "/proc/self/fd/%d", descriptor);
    if (linkat(AT_FDCWD, from, AT_FDCWD, at, AT_SYMLINK_FOLLOW) == 0) return 0;
    if (errno != EEXIST) return errno;
    if (asprintf(&other, "%s.%ld", at, (long)getpid()) < 0) return ENOMEM;
    int cause = linkat(AT_FDCWD, from, AT_FDCWD, other, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
    if (cause == 0 && rename(other, at) != 0) {
        cause = errno;
        unlink(other);
    }
    free(other);
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
        if (written == STATUS_OK && cause == 0 && is_nameless(fileno(out))) {
            mode_t mode;
            char *at = destination(path, &mode);
            cause = at ? name_it(fileno(out), at) : EEXIST;
            free(at);
        }
        if (fclose(out) != 0 && cause == 0) cause = errno;
    }
    if (written != STATUS_OK) return written;
    return cause ? unwritable(path, cause, err) : STATUS_OK;
}
