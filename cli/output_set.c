#include "cli/output_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/files/directory.h"
#include "common/files/output_file.h"
#include "common/files/place.h"

static struct output_closing *files; /* complete; each owns its path */
static size_t count, capacity;
static bool failed;
static char *made; /* a directory that was not there before; NULL: none */

enum status output_set_directory(const char *path, struct err *err)
{
    bool there = true;
    if (!made) TRY(place_look(path, &there, err));
    if (!there && !(made = strdup(path))) return err_memory(err);
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
    files[count++] = (struct output_closing){copy, out, NULL};
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

bool output_set_bytes(const char *path, uint64_t *bytes, int *cause)
{
    struct stat about;
    size_t i = 0;
    while (i < count && strcmp(files[i].path, path) != 0) i++;
    if (i == count) return false;
    *cause = fstat(fileno(files[i].out), &about) == 0 ? 0 : errno;
    if (*cause == 0) *bytes = (uint64_t)about.st_size;
    return true;
}

enum status output_set_end(bool keep, struct err *err)
{
    keep = keep && !failed;
    enum status status = output_file_close_all(files, count, keep ? STATUS_OK : STATUS_DATA, keep ? err : NULL);
    for (size_t i = 0; i < count; i++) free((char *)(uintptr_t)files[i].path);
    if (!keep) status = STATUS_OK;
    if (made && !(keep && status == STATUS_OK)) rmdir(made); /* unless somebody's files are in it */
    free(made);
    free(files);
    made = NULL;
    files = NULL;
    count = capacity = 0;
    failed = false;
    return status;
}
