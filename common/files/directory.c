#include "common/files/directory.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum status directory_make(const char *path, struct err *err)
{
    struct stat about;
    if (mkdir(path, 0777) == 0) return STATUS_OK;
    int cause = errno;
    if (cause == EEXIST && stat(path, &about) == 0) cause = S_ISDIR(about.st_mode) ? 0 : ENOTDIR;
    return cause == 0 ? STATUS_OK : err_set(err, STATUS_SYSTEM, path, NULL, "cannot be made: %s", strerror(cause));
}
