#include "cli/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/files/output_file.h"
#include "trace/open.h"
#include "trace/otf2/otf2.h"

enum { LINKS_MOST = 40 };

/* One file or directory that is read or written. */
struct claim {
    const struct cli_file *file;
    char *path;  /* absolute, without links, also where nothing has this name yet */
    bool whole;  /* a directory with all that is in it */
    bool exists; /* the rest is known */
    struct stat at;
};

struct claims {
    struct claim *items;
    size_t count, capacity;
};

static char *join_path(const char *directory, const char *name)
{
    char *path;
    const char *slash = strcmp(directory, "/") == 0 ? "" : "/";
    return asprintf(&path, "%s%s%s", directory, slash, name) < 0 ? NULL : path;
}

/* The file that opening a dangling link would make; NULL if path is no link. */
static char *link_target(const char *path, const char *directory)
{
    char target[PATH_MAX];
    ssize_t bytes = readlink(path, target, sizeof target - 1);
    if (bytes <= 0) return NULL;
    target[bytes] = '\0';
    return *target == '/' ? strdup(target) : join_path(directory, target);
}

/* realpath() for a file that need not exist. NULL: no memory, or links without end. */
static char *absolute_path(const char *path, int links)
{
    char *whole = realpath(path, NULL), *own = whole ? NULL : strdup(path), *last = NULL;
    if (whole || !own || links > LINKS_MOST) goto done;
    for (size_t n = strlen(own); n > 1 && own[n - 1] == '/'; n--) own[n - 1] = '\0';
    char *slash = strrchr(own, '/');
    last = strdup(slash ? slash + 1 : own);
    if (slash) slash[slash == own] = '\0';
    char *above = last ? absolute_path(slash ? own : ".", links + 1) : NULL;
    whole = above ? join_path(above, last) : NULL;
    char *target = whole ? link_target(whole, above) : NULL;
    free(above);
    if (target) {
        free(whole);
        whole = absolute_path(target, links + 1);
        free(target);
    }
done:
    free(last);
    free(own);
    return whole;
}

static enum status add_claim(struct claims *claims, const struct cli_file *file, const char *path, bool whole,
                             struct err *err)
{
    TRY(array_reserve((void **)&claims->items, &claims->capacity, claims->count + 1, sizeof *claims->items, err));
    struct claim claim = {.file = file, .path = absolute_path(path, 0), .whole = whole};
    if (!claim.path) return STATUS_OK; /* nothing can be opened there */
    claim.exists = stat(claim.path, &claim.at) == 0;
    if (claim.exists && !S_ISREG(claim.at.st_mode) && !S_ISDIR(claim.at.st_mode)) {
        free(claim.path); /* a terminal, a pipe */
        return STATUS_OK;
    }
    claims->items[claims->count++] = claim;
    return STATUS_OK;
}

struct adder {
    struct claims *claims;
    const struct cli_file *file;
};

static enum status add_part(void *context, const char *path, bool directory, struct err *err)
{
    const struct adder *adder = context;
    return add_claim(adder->claims, adder->file, path, directory, err);
}

static bool writes_archive(const struct cli_file *file)
{
    return file->kind == CLI_WRITES_ARCHIVE || (file->kind == CLI_WRITES_TRACE && !trace_is_text_name(file->path));
}

static enum status add_file(struct claims *claims, const struct cli_file *file, struct err *err)
{
    struct adder adder = {claims, file};
    const char *path = file->path;
    if (strcmp(path, "-") == 0) path = file->kind == CLI_READS ? "/dev/stdin" : "/dev/stdout";
    TRY(add_claim(claims, file, path, false, err));
    if (file->kind == CLI_READS) return trace_visit_read(path, add_part, &adder, err);
    return writes_archive(file) ? otf2_visit_written(path, add_part, &adder, err) : STATUS_OK;
}

static bool same_inode(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

static bool same_file(const struct claim *one, const struct claim *other)
{
    if (one->exists && other->exists) return same_inode(&one->at, &other->at);
    return !one->exists && !other->exists && strcmp(one->path, other->path) == 0;
}

/* Whether a directory above the path is the directory. */
static bool is_below(const char *path, const struct claim *directory)
{
    struct stat at;
    char above[PATH_MAX];
    size_t length = strlen(directory->path);
    if (strncmp(path, directory->path, length) == 0 && path[length] == '/') return true;
    if (!directory->exists || strlen(path) >= sizeof above) return false;
    strcpy(above, path);
    for (char *slash; (slash = strrchr(above, '/')) && slash > above;) {
        *slash = '\0';
        if (stat(above, &at) == 0 && same_inode(&at, &directory->at)) return true;
    }
    return false;
}

/* A file with several names may have one of them in the directory, which has no directories in it. */
static bool is_linked_in(const struct claim *file, const struct claim *directory)
{
    struct stat at;
    bool found = false;
    if (!file->exists || !directory->exists || !S_ISREG(file->at.st_mode) || file->at.st_nlink < 2) return false;
    DIR *listing = opendir(directory->path);
    for (struct dirent *entry; listing && !found && (entry = readdir(listing));)
        found = entry->d_ino == file->at.st_ino && fstatat(dirfd(listing), entry->d_name, &at, 0) == 0 &&
                same_inode(&at, &file->at);
    if (listing) closedir(listing);
    return found;
}

static bool holds_file(const struct claim *directory, const struct claim *file)
{
    return directory->whole && (is_below(file->path, directory) || is_linked_in(file, directory));
}

static bool in_conflict(const struct claim *one, const struct claim *other)
{
    return same_file(one, other) || holds_file(one, other) || holds_file(other, one);
}

static enum status report_clash(const struct cli_file *one, const struct cli_file *other, struct err *err)
{
    if (one->kind != CLI_READS && other->kind != CLI_READS)
        return err_set(err, STATUS_USAGE, NULL, NULL, "%s and %s both write %s, expected two files", one->name,
                       other->name, other->path);
    const struct cli_file *input = one->kind == CLI_READS ? one : other, *output = input == one ? other : one;
    return err_set(err, STATUS_USAGE, NULL, NULL, "%s %s would replace %s that is read, expected another name",
                   output->name, output->path, input->name);
}

static enum status compare_claims(const struct claims *claims, struct err *err)
{
    for (size_t i = 0; i < claims->count; i++)
        for (size_t k = i + 1; k < claims->count; k++) {
            const struct cli_file *one = claims->items[i].file, *other = claims->items[k].file;
            if (one == other || (one->kind == CLI_READS && other->kind == CLI_READS)) continue;
            if (in_conflict(&claims->items[i], &claims->items[k])) return report_clash(one, other, err);
        }
    return STATUS_OK;
}

static enum status check_standard_input(const struct cli_file *files, size_t count, struct err *err)
{
    const char *name = NULL;
    for (size_t i = 0; i < count; i++) {
        if (files[i].kind != CLI_READS || !files[i].path || strcmp(files[i].path, "-") != 0) continue;
        if (name)
            return err_set(err, STATUS_USAGE, NULL, NULL, "%s and %s are both standard input, expected a file for one of them",
                           name, files[i].name);
        name = files[i].name;
    }
    return STATUS_OK;
}

/* The directory of several files may be missing: the command makes it. */
static enum status check_file_in(const char *path, struct err *err)
{
    char *above = strdup(path), *end = above ? strrchr(above, '/') : NULL;
    if (!above) return err_memory(err);
    while (end && end > above && end[-1] == '/') end--;
    if (end && end > above) *end = '\0';
    bool missing = end && end > above && access(above, F_OK) != 0 && errno == ENOENT;
    enum status status = output_file_check(missing ? above : path, err);
    free(above);
    return status;
}

/* The directory of an archive may be missing, too. */
static enum status check_archive(const char *path, struct err *err)
{
    struct stat about;
    TRY(otf2_check_place(path, err));
    if (stat(path, &about) != 0) return output_file_check(path, err);
    if (!S_ISDIR(about.st_mode))
        return err_set(err, STATUS_SYSTEM, path, NULL, "is a file, expected the directory of an archive or a new name");
    if (access(path, W_OK | X_OK) == 0) return STATUS_OK;
    return err_set(err, STATUS_SYSTEM, path, NULL, "cannot be written: %s", strerror(errno));
}

static enum status check_writable(const struct cli_file *file, struct err *err)
{
    if (!file->path || file->kind == CLI_READS) return STATUS_OK;
    if (writes_archive(file)) return check_archive(file->path, err);
    return file->kind == CLI_WRITES_IN ? check_file_in(file->path, err) : output_file_check(file->path, err);
}

enum status cli_check_files(const struct cli_file *files, size_t count, struct err *err)
{
    struct claims claims = {.count = 0};
    enum status status = check_standard_input(files, count, err);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        if (files[i].path && *files[i].path) status = add_file(&claims, &files[i], err);
    if (status == STATUS_OK) status = compare_claims(&claims, err);
    for (size_t i = 0; i < claims.count; i++) free(claims.items[i].path);
    free(claims.items);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) status = check_writable(&files[i], err);
    return status;
}
