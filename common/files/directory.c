#include "common/files/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum status directory_make(const char *path, struct err *err)
{
    struct stat about;
    if (mkdir(path, 0777) == 0) return STATUS_OK;
    int cause = errno;
    if (cause == EEXIST && stat(path, &about) == 0)
        cause = S_ISDIR(about.st_mode) ? 0 : ENOTDIR;
    else if (cause == EEXIST && errno != ENOENT) /* that is a link to nothing */
        cause = errno;
    return cause == 0 ? STATUS_OK : err_set(err, STATUS_SYSTEM, path, NULL, "cannot be made: %s", strerror(cause));
}

static bool is_still(int descriptor, const char *path)
{
    struct stat held, named;
    return fstat(descriptor, &held) == 0 && lstat(path, &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
}

int directory_lock(const char *path, int operation)
{
    for (;;) {
        int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (descriptor < 0) return -1;
        if (flock(descriptor, operation) != 0) {
            int cause = errno;
            close(descriptor);
            errno = cause;
            return -1;
        }
        if (is_still(descriptor, path)) return descriptor;
        close(descriptor);
    }
}
