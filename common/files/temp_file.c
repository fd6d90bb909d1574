#include "common/files/temp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *temp_directory(void)
{
    const char *named = getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

static enum status fail_file(const char *what, int error, struct err *err)
{
    return err_set(err, STATUS_SYSTEM, temp_directory(), NULL,
                   "a temporary file cannot be %s: %s, expected room for 10 to 80 bytes per call (TMPDIR)", what,
                   strerror(error));
}

/* Without a name from its making on: whatever ends the process, nothing stays. */
static int open_nameless(void)
{
    return open(temp_directory(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
}

enum status temp_file_open(struct temp_file *temp, struct err *err)
{
    char *path;
    *temp = (struct temp_file){.descriptor = open_nameless()};
    if (temp->descriptor >= 0) return STATUS_OK; /* else the file system has none, or takes no files at all */
    if (asprintf(&path, "%s/rmacast.XXXXXX", temp_directory()) < 0) return err_memory(err);
    int descriptor = mkostemp(path, O_CLOEXEC), error = errno;
    if (descriptor >= 0) unlink(path);
    free(path);
    if (descriptor < 0) return fail_file("made", error, err);
    temp->descriptor = descriptor;
    return STATUS_OK;
}

void temp_file_close(struct temp_file *temp)
{
    if (temp->descriptor >= 0) close(temp->descriptor);
    temp->descriptor = -1;
}

enum status temp_file_append(struct temp_file *temp, const void *data, size_t bytes, int64_t *offset, struct err *err)
{
    if (offset) *offset = temp->bytes;
    return temp_file_write(temp, temp->bytes, data, bytes, err);
}

enum status temp_file_write(struct temp_file *temp, int64_t offset, const void *data, size_t bytes, struct err *err)
{
    const char *from = data;
    while (bytes > 0) {
        ssize_t written = pwrite(temp->descriptor, from, bytes, offset);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return fail_file("written", written < 0 ? errno : ENOSPC, err);
        from += written;
        bytes -= (size_t)written;
        offset += written;
        if (offset > temp->bytes) temp->bytes = offset;
    }
    return STATUS_OK;
}

enum status temp_file_read(const struct temp_file *temp, int64_t offset, void *data, size_t bytes, struct err *err)
{
    char *to = data;
    while (bytes > 0) {
        ssize_t got = pread(temp->descriptor, to, bytes, offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return fail_file("read", got < 0 ? errno : EIO, err);
        to += got;
        bytes -= (size_t)got;
        offset += got;
    }
    return STATUS_OK;
}
