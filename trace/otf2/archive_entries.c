#include "trace/otf2/archive_entries.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/files/file_claims.h"
#include "common/files/place.h"
#include "trace/otf2/otf2.h"
#include "trace/otf2/archive_file.h"
#include "trace/spool/spool.h"

enum { STAGE_CHARACTERS = 6 };

const char *const archive_entries[] = {ARCHIVE_ANCHOR, ARCHIVE_NAME ".def", ARCHIVE_NAME ".marker", ARCHIVE_NAME, NULL};

bool archive_has_entry(const char *name)
{
    int i = 0;
    while (archive_entries[i] && strcmp(archive_entries[i], name) != 0) i++;
    return archive_entries[i] != NULL;
}

enum status otf2_fail_without_anchor(const char *directory, const char *expected, struct err *err)
{
    char *anchor = NULL;
    DIR *listing = opendir(directory);
    for (const struct dirent *entry; listing && (entry = readdir(listing)) != NULL;) {
        if (!archive_is_stage(entry->d_name, "")) continue;
        if (asprintf(&anchor, "%s/%s/old/" ARCHIVE_ANCHOR, directory, entry->d_name) < 0) anchor = NULL;
        if (anchor && access(anchor, F_OK) == 0) break;
        free(anchor);
        anchor = NULL;
    }
    if (listing) closedir(listing);
    if (!anchor) return err_set(err, STATUS_DATA, directory, NULL, "a directory without a trace, %s", expected);
    int length = (int)(strlen(anchor) - strlen("/" ARCHIVE_ANCHOR));
    (void)err_set(err, STATUS_DATA, directory, NULL,
                  "a command was killed while it replaced the archive here; the old one is in %.*s, and its files that are not "
                  "there are still here: move those of %.*s back to have it again",
                  length, anchor, length, anchor);
    free(anchor);
    return STATUS_DATA;
}

bool archive_is_stage(const char *name, const char *prefix)
{
    size_t before = strlen(prefix), mark = strlen(ARCHIVE_STAGE);
    return strncmp(name, prefix, before) == 0 && strncmp(name + before, ARCHIVE_STAGE, mark) == 0 &&
           strlen(name + before + mark) == STAGE_CHARACTERS;
}

/* A file of a location: "7.evt". */
static bool is_location_file(const char *name)
{
    static const char *const kinds[] = {".evt", ".def", ".snap"};
    size_t digits = strspn(name, "0123456789");
    bool known = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) known = known || strcmp(name + digits, kinds[i]) == 0;
    return digits > 0 && known;
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* By content; a writer that was killed may leave empty files. */
static bool is_otf2_file(int directory, const char *name)
{
    struct stat about;
    if (fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode)) return false;
    int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    bool known = file >= 0 && (about.st_size == 0 || archive_file_has_mark(file));
    if (file >= 0) close(file);
    return known;
}

static DIR *open_listing(int at, const char *name)
{
    int descriptor = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (at == AT_FDCWD ? 0 : O_NOFOLLOW));
    DIR *listing = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    if (descriptor >= 0 && !listing) close(descriptor);
    return listing;
}

static enum status refuse_entry(const char *directory, const char *below, const char *name, struct err *err)
{
    return err_set(err, STATUS_DATA, directory, NULL,
                   "holds %s%s%s, which is no part of an OTF2 archive, expected a new or empty directory or an archive "
                   "alone: name another directory, or move that away",
                   below, *below ? "/" : "", name);
}

static enum status fail_reading(const char *directory, struct err *err)
{
    if (errno == ENOMEM) return err_memory(err);
    return err_set(err, STATUS_SYSTEM, directory, NULL, "cannot be read: %s", strerror(errno));
}

/* NULL with errno 0 at the end. */
static struct dirent *next_entry(DIR *listing)
{
    errno = 0;
    return readdir(listing);
}

/* `part`: an archive has files of that name. */
static enum status check_file(int at, const char *directory, const char *below, const char *name, bool part, struct err *err)
{
    errno = 0;
    if (part && is_otf2_file(at, name)) return STATUS_OK;
    return errno != 0 ? fail_reading(directory, err) : refuse_entry(directory, below, name, err);
}

static enum status check_locations(int at, const char *directory, struct err *err)
{
    enum status status = STATUS_OK;
    DIR *listing = open_listing(at, ARCHIVE_NAME);
    if (!listing) return fail_reading(directory, err);
    for (struct dirent *entry; status == STATUS_OK && (entry = next_entry(listing));)
        if (!is_dots(entry->d_name))
            status = check_file(dirfd(listing), directory, ARCHIVE_NAME, entry->d_name, is_location_file(entry->d_name), err);
    if (status == STATUS_OK && errno != 0) status = fail_reading(directory, err);
    closedir(listing);
    return status;
}

static bool is_world(const char *name)
{
    char again[64];
    unsigned number;
    if (sscanf(name, SPOOL_WORLD_NAME, &number) != 1) return false;
    snprintf(again, sizeof again, SPOOL_WORLD_NAME, number);
    return strcmp(again, name) == 0;
}

static enum status check_world(const char *directory, const char *name, struct err *err)
{
    char *path;
    if (asprintf(&path, "%s/%s", directory, name) < 0) return err_memory(err);
    enum status status = otf2_check_place(path, err);
    free(path);
    return status;
}

static enum status check_entry(int at, const char *directory, const char *name, struct err *err)
{
    struct stat about; /* the writer makes no links */
    if (fstatat(at, name, &about, AT_SYMLINK_NOFOLLOW) != 0) return fail_reading(directory, err);
    bool folder = S_ISDIR(about.st_mode);
    if (is_dots(name) || (folder && (archive_is_stage(name, "") || strcmp(name, "spool") == 0))) return STATUS_OK;
    if (folder && strcmp(name, ARCHIVE_NAME) == 0) return check_locations(at, directory, err);
    if (folder && is_world(name)) return check_world(directory, name, err);
    return check_file(at, directory, "", name, !folder && archive_has_entry(name), err);
}

enum status otf2_check_place(const char *directory, struct err *err)
{
    enum status status = STATUS_OK;
    char *whole;
    int cause = place_path(directory, &whole);
    if (cause == PLACE_LINK_OF_OTHERS)
        return err_set(err, STATUS_SYSTEM, directory, NULL, "cannot be written: %s", place_error(cause));
    if (cause == 0) free(whole);
    DIR *listing = open_listing(AT_FDCWD, directory);
    if (!listing && (errno == ENOENT || errno == ENOTDIR)) return STATUS_OK; /* who writes there says what is wrong */
    if (!listing) return fail_reading(directory, err);
    for (struct dirent *entry; status == STATUS_OK && (entry = next_entry(listing));)
        status = check_entry(dirfd(listing), directory, entry->d_name, err);
    if (status == STATUS_OK && errno != 0) status = fail_reading(directory, err);
    closedir(listing);
    return status;
}

/* The files of one directory that archive_remove_files() would remove. */
static enum status check_files_unread(DIR *listing, bool (*is_part)(const char *), const char *directory, struct err *err)
{
    enum status status = listing ? STATUS_OK : fail_reading(directory, err);
    for (struct dirent *entry; status == STATUS_OK && (entry = readdir(listing));) {
        struct stat about;
        if (is_part(entry->d_name) && fstatat(dirfd(listing), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0)
            status = file_claims_check_open(&about, directory, false, err);
    }
    return status;
}

enum status archive_check_unread(const char *directory, struct err *err)
{
    DIR *listing = open_listing(AT_FDCWD, directory), *locations = NULL;
    enum status status = check_files_unread(listing, archive_has_entry, directory, err);
    if (status == STATUS_OK) status = file_claims_check(dirfd(listing), ".", directory, false, err);
    if (status == STATUS_OK) locations = open_listing(dirfd(listing), ARCHIVE_NAME);
    if (locations) {
        status = check_files_unread(locations, is_location_file, directory, err);
        closedir(locations);
    }
    if (listing) closedir(listing);
    return status;
}

void archive_remove_files(const char *directory)
{
    DIR *listing = open_listing(AT_FDCWD, directory), *locations;
    if (!listing) return;
    for (int i = 0; archive_entries[i]; i++) file_claims_remove(dirfd(listing), archive_entries[i], 0);
    locations = open_listing(dirfd(listing), ARCHIVE_NAME);
    for (struct dirent *entry; locations && (entry = readdir(locations));)
        if (is_location_file(entry->d_name)) file_claims_remove(dirfd(locations), entry->d_name, 0);
    if (locations) closedir(locations);
    file_claims_remove(dirfd(listing), ARCHIVE_NAME, AT_REMOVEDIR);
    closedir(listing);
}

void otf2_remove(const char *directory)
{
    if (otf2_check_place(directory, NULL) != STATUS_OK) return;
    archive_remove_files(directory);
    rmdir(directory);
}

enum status otf2_visit_files(const char *anchor, otf2_file_visitor *visit, void *context, struct err *err)
{
    static const char *const ends[] = {".otf2", ".def", ".marker", ""};
    enum status status = STATUS_OK;
    int base = (int)(strlen(anchor) - strlen(".otf2"));
    for (size_t i = 0; status == STATUS_OK && i < sizeof ends / sizeof *ends; i++) {
        char *path;
        if (asprintf(&path, "%.*s%s", base, anchor, ends[i]) < 0) return err_memory(err);
        status = visit(context, path, *ends[i] == '\0', err);
        free(path);
    }
    return status;
}

enum status otf2_visit_written(const char *directory, otf2_file_visitor *visit, void *context, struct err *err)
{
    char *anchor;
    if (asprintf(&anchor, "%s/" ARCHIVE_ANCHOR, directory) < 0) return err_memory(err);
    enum status status = otf2_visit_files(anchor, visit, context, err);
    free(anchor);
    return status;
}
