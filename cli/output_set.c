#include "cli/output_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/files/directory.h"
#include "common/files/output_file.h"

static struct complete {
    char *path;
    FILE *out;
} *files;
static size_t count, capacity;
static bool failed;
static char *made; /* a directory that was not there before; NULL: none */

enum status output_set_directory(const char *path, struct err *err)
{
    bool missing = !made && access(path, F_OK) != 0 && errno == ENOENT;
    if (missing && !(made = strdup(path))) return err_memory(err);
    return directory_make(path, err);
}

enum status output_set_open(const char *path, FILE **out, struct err *err)
{
    enum status status = output_file_open(path, out, err);
    if (status != STATUS_OK) failed = true;
    return status;
}

static enum status keep_open(const char *path, FILE *out, struct err *err)
{
    TRY(array_reserve((void **)&files, &capacity, count + 1, sizeof *files, err));
    char *copy = strdup(path);
    if (!copy) return err_memory(err);
    files[count++] = (struct complete){copy, out};
    return STATUS_OK;
}

enum status output_set_close(const char *path, FILE *out, enum status written, struct err *err)
{
    bool complete = written == STATUS_OK && out != stdout && fflush(out) == 0 && !ferror(out);
    if (complete && (written = keep_open(path, out, err)) == STATUS_OK) return STATUS_OK;
    enum status status = output_file_close(path, out, written, err);
    if (status != STATUS_OK) failed = true;
    return status;
}

bool output_set_bytes(const char *path, uint64_t *bytes)
{
    struct stat about;
    size_t i = 0;
    while (i < count && strcmp(files[i].path, path) != 0) i++;
    if (i == count || fstat(fileno(files[i].out), &about) != 0) return false;
    *bytes = (uint64_t)about.st_size;
    return true;
}

/* What would refuse a name is found before the first one is given. */
enum status output_set_end(bool keep, struct err *err)
{
    enum status status = STATUS_OK;
    keep = keep && !failed;
    for (size_t i = 0; keep && status == STATUS_OK && i < count; i++) status = output_file_check(files[i].path, err);
    for (size_t i = 0; i < count; i++) {
        bool named = keep && status == STATUS_OK;
        enum status closed = output_file_close(files[i].path, files[i].out, named ? STATUS_OK : STATUS_DATA, named ? err : NULL);
        if (named) status = closed;
        free(files[i].path);
    }
    if (made && !(keep && status == STATUS_OK)) rmdir(made); /* unless somebody's files are in it */
    free(made);
    free(files);
    made = NULL;
    files = NULL;
    count = capacity = 0;
    failed = false;
    return status;
}
