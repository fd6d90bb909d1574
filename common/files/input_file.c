#include "common/files/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/files/file_claims.h"

static atomic_bool standard_input_taken;

/* What the machine refuses for the moment is no fault of the file. */
static enum status fail_opening(const char *path, int cause, struct err *err)
{
    return err_set(err, err_refused(cause) ? STATUS_SYSTEM : STATUS_DATA, *path ? path : "''", NULL, "cannot be opened: %s",
                   strerror(cause));
}

static enum status refuse_twice(struct err *err)
{
    return err_set(err, STATUS_USAGE, NULL, NULL, "two inputs are standard input, expected a file for one of them");
}

static enum status open_standard_input(struct input_file *in, struct err *err)
{
    struct stat about;
    if (atomic_exchange(&standard_input_taken, true)) return refuse_twice(err);
    if (fstat(STDIN_FILENO, &about) == 0) TRY(file_claim_input("standard input", &about, err));
    *in = (struct input_file){.path = "-", .file = stdin};
    return STATUS_OK;
}

/* flags: O_NONBLOCK for what must be a file, since nobody may ever write to a pipe. */
static enum status open_descriptor(const char *path, bool own, int flags, int *descriptor, struct err *err)
{
    struct stat about;
    if (strcmp(path, "/dev/stdin") == 0 && standard_input_taken) return refuse_twice(err); /* so platforms name it */
    int file = open(path, O_RDONLY | O_CLOEXEC | flags);
    if (file < 0) return fail_opening(path, errno, err);
    enum status status = fstat(file, &about) == 0 ? STATUS_OK : fail_opening(path, errno, err);
    if (status == STATUS_OK && S_ISDIR(about.st_mode))
        status = err_set(err, STATUS_DATA, path, NULL, "is a directory, expected a file");
    if (status == STATUS_OK && flags && !S_ISREG(about.st_mode))
        status = err_set(err, STATUS_DATA, path, NULL, "is a pipe or a device, expected a file");
    if (status == STATUS_OK && !own) status = file_claim_input(path, &about, err);
    GIVE(status, *descriptor = file, close(file));
}

static enum status open_input(const char *path, bool own, struct input_file *in, struct err *err)
{
    int descriptor;
    TRY(open_descriptor(path, own, 0, &descriptor, err));
    *in = (struct input_file){.path = path, .file = fdopen(descriptor, "r")};
    if (in->file) return STATUS_OK;
    close(descriptor);
    return err_memory(err);
}

enum status input_file_open(const char *path, struct input_file *in, struct err *err)
{
    return strcmp(path, "-") == 0 ? open_standard_input(in, err) : open_input(path, false, in, err);
}

enum status input_file_open_own(const char *path, struct input_file *in, struct err *err)
{
    return open_input(path, true, in, err);
}

enum status input_file_descriptor(const char *path, int *descriptor, struct err *err)
{
    return open_descriptor(path, false, O_NONBLOCK, descriptor, err);
}

enum status input_file_of_text(const char *text, size_t bytes, const char *path, struct input_file *in, struct err *err)
{
    *in = (struct input_file){.path = path, .file = fmemopen((void *)(uintptr_t)text, bytes, "r")};
    return in->file ? STATUS_OK : err_memory(err);
}

char *input_file_line(struct input_file *in)
{
    errno = 0;
    ssize_t length = getline(&in->line, &in->room, in->file);
    if (length < 0 && !feof(in->file)) in->cause = errno;
    in->length = length > 0 ? (size_t)length : 0;
    return length > 0 ? in->line : NULL;
}

size_t input_file_read(struct input_file *in, void *to, size_t bytes)
{
    errno = 0;
    size_t got = fread(to, 1, bytes, in->file);
    if (got < bytes && ferror(in->file)) in->cause = errno;
    return got;
}

char *input_file_all(struct input_file *in, size_t *bytes)
{
    size_t used = 0, capacity = 0;
    char *text = NULL;
    for (;;) {
        if (used + 1 >= capacity) {
            capacity = capacity ? capacity * 2 : 65536;
            char *moved = realloc(text, capacity);
            if (!moved) in->cause = ENOMEM;
            if (!moved) break;
            text = moved;
        }
        size_t got = input_file_read(in, text + used, capacity - used - 1);
        used += got;
        if (got == 0) break;
    }
    if (in->cause != 0) free(text);
    if (in->cause != 0) return NULL;
    text[used] = '\0';
    *bytes = used;
    return text;
}

/* What failed in a call of somebody else's, and is to be known: what fails for good fails again. */
static int cause_of_fault(const struct input_file *in)
{
    char byte;
    if (in->cause != 0 || !ferror(in->file)) return in->cause;
    return fileno(in->file) < 0 || read(fileno(in->file), &byte, 1) >= 0 ? EIO : errno;
}

enum status input_file_close(struct input_file *in, enum status status, struct err *err)
{
    int cause = cause_of_fault(in);
    if (in->file != stdin) fclose(in->file);
    free(in->line);
    in->file = NULL;
    in->line = NULL;
    if (cause == 0) return status;
    const char *name = strcmp(in->path, "-") == 0 ? "standard input" : in->path;
    if (cause == ENOMEM) return err_memory(err);
    return err_set(err, STATUS_SYSTEM, name, NULL, "cannot be read: %s", strerror(cause));
}
