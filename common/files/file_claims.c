/* What is read or has been written is noted in memory that child processes share: a child reads platforms whose outputs its
 * parent writes. An entry is filled before a slot of the index names it, and never changed then but for its last member, so
 * nobody waits for anybody, whenever a child is killed. What is to be written (struct output) is known before children are
 * made. */
#include "common/files/file_claims.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/array.h"
#include "common/files/place.h"

/* Room for the files of an archive of 1,048,576 ranks; pages that are not used take no memory. */
enum { ENTRIES_MOST = 3 << 20, SLOTS = 1 << 23, NAMES_BYTES = 192 << 20 };

struct entry {
    dev_t device;
    ino_t inode;
    uint32_t name; /* in names */
    bool directory, written;
    _Atomic bool gone; /* it has been removed */
};

struct noted {
    _Atomic uint32_t entry_count, name_bytes;
    _Atomic uint32_t refusals;
    char refusal[ERR_TEXT_BYTES]; /* the first one's text */
    _Atomic uint32_t slots[SLOTS]; /* 1 + number of an entry, by device and inode; 0: free */
    struct entry entries[ENTRIES_MOST];
    char names[NAMES_BYTES];
};

struct output {
    char *name, *shown;
    char *path; /* absolute, without links, also where nothing has this name yet */
    bool whole, exists;
    struct stat about; /* if it exists */
};

static struct noted *noted;
static struct output *outputs;
static size_t output_count, output_capacity;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static enum status refuse_file(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
static enum status refuse_file(struct err *err, const char *format, ...)
{
    char text[ERR_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (noted && atomic_fetch_add(&noted->refusals, 1) == 0) strcpy(noted->refusal, text);
    return err_set(err, STATUS_USAGE, NULL, NULL, "%s", text);
}

static bool is_counted(const struct stat *about)
{
    return noted && (S_ISREG(about->st_mode) || S_ISDIR(about->st_mode));
}

static bool same_file(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* The slot that names the file, or the free one where it belongs. */
static _Atomic uint32_t *find_slot(const struct stat *about)
{
    uint64_t key = ((uint64_t)about->st_ino + ((uint64_t)about->st_dev << 40)) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t at = (uint32_t)(key >> 41);; at++) {
        _Atomic uint32_t *slot = &noted->slots[at % SLOTS];
        uint32_t number = atomic_load(slot);
        const struct entry *entry = &noted->entries[number - (number > 0)];
        bool same = entry->device == about->st_dev && entry->inode == about->st_ino && !atomic_load(&entry->gone);
        if (number == 0 || same) return slot;
    }
}

/* NULL: neither read nor written. */
static const struct entry *find_entry(const struct stat *about)
{
    uint32_t number = noted ? atomic_load(find_slot(about)) : 0;
    return number > 0 ? &noted->entries[number - 1] : NULL;
}

static const char *entry_name(const struct entry *entry)
{
    return noted->names + entry->name;
}

static enum status note_file(const char *path, const struct stat *about, bool written, struct err *err)
{
    if (!is_counted(about) || find_entry(about)) return STATUS_OK;
    size_t length = strlen(path) + 1;
    uint32_t number = atomic_fetch_add(&noted->entry_count, 1), name = atomic_fetch_add(&noted->name_bytes, (uint32_t)length);
    if (number >= ENTRIES_MOST || name + length > NAMES_BYTES)
        return err_set(err, STATUS_SYSTEM, path, NULL, "more files than can be told apart, expected at most %d", ENTRIES_MOST);
    memcpy(noted->names + name, path, length);
    noted->entries[number] = (struct entry){about->st_dev, about->st_ino, name, S_ISDIR(about->st_mode), written, false};
    for (uint32_t none = 0; !atomic_compare_exchange_strong(find_slot(about), &none, number + 1); none = 0)
        if (find_entry(about)) return STATUS_OK; /* another thread noted the same file */
    return STATUS_OK;
}

/* --- outputs --- */

/* The output's path without links, also where it or directories above it are missing; NULL: nothing can be opened there. */
static char *resolve_path(const char *path)
{
    char *whole = NULL, *last, *above = strdup(path);
    if (!above) return NULL;
    if (place_path(path, &whole) == 0) goto done;
    for (size_t n = strlen(above); n > 1 && above[n - 1] == '/'; n--) above[n - 1] = '\0';
    last = strrchr(above, '/');
    if (last == above) goto done;
    if (last) *last = '\0';
    char *upper = last ? resolve_path(above) : NULL;
    bool itself = upper && strcmp(last + 1, ".") == 0;
    if (upper && asprintf(&whole, "%s%s%s", upper, itself ? "" : "/", itself ? "" : last + 1) < 0) whole = NULL;
    free(upper);
done:
    free(above);
    return whole;
}

static bool is_below(const char *path, const char *directory)
{
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && path[length] == '/';
}

static bool in_conflict(const struct output *one, const struct output *other)
{
    if (one->exists && other->exists && same_file(&one->about, &other->about)) return true;
    return strcmp(one->path, other->path) == 0 || (one->whole && is_below(other->path, one->path)) ||
           (other->whole && is_below(one->path, other->path));
}

/* Of the outputs it is the one with the path that the user gave it. Under the lock. */
static enum status refuse_input(const char *path, const char *verb, const char *input, struct err *err)
{
    const char *name = "";
    for (size_t i = 0; i < output_count; i++)
        if (strcmp(outputs[i].shown, path) == 0) name = outputs[i].name;
    return refuse_file(err, "%s%s%s would %s %s that is read, expected another name", name, *name ? " " : "", path, verb,
                       input);
}

static enum status compare_outputs(const struct output *output, struct err *err)
{
    const struct entry *entry = output->exists ? find_entry(&output->about) : NULL;
    if (entry && !entry->written)
        return refuse_file(err, "%s %s would replace %s that is read, expected another name", output->name, output->shown,
                           entry_name(entry));
    for (size_t i = 0; i < output_count; i++) {
        const struct output *other = &outputs[i];
        bool parts = strcmp(output->name, other->name) == 0 && strcmp(output->shown, other->shown) == 0;
        if (!parts && in_conflict(output, other))
            return refuse_file(err, "%s and %s both write %s, expected two files", other->name, output->name, output->shown);
    }
    return STATUS_OK;
}

/* Owns its texts, also on failure. */
static enum status add_output(struct output *output, struct err *err)
{
    enum status status = output->name && output->shown && output->path ? STATUS_OK : err_memory(err);
    pthread_mutex_lock(&lock);
    if (status == STATUS_OK) status = compare_outputs(output, err);
    if (status == STATUS_OK)
        status = array_reserve((void **)&outputs, &output_capacity, output_count + 1, sizeof *outputs, err);
    if (status == STATUS_OK) outputs[output_count++] = *output;
    pthread_mutex_unlock(&lock);
    if (status != STATUS_OK) {
        FREE_ALL(output->name, output->shown, output->path);
    }
    return status;
}

enum status file_claim_output(const char *name, const char *shown, const char *path, bool whole, struct err *err)
{
    struct output output = {.whole = whole};
    char *resolved = noted ? resolve_path(path) : NULL;
    if (!resolved) return STATUS_OK; /* who opens it says what is wrong */
    output.path = resolved;
    output.exists = stat(resolved, &output.about) == 0;
    if (output.exists && !is_counted(&output.about)) {
        free(resolved);
        return STATUS_OK;
    }
    output.name = strdup(name);
    output.shown = strdup(shown);
    return add_output(&output, err);
}

enum status file_claims_begin(struct err *err)
{
    struct stat about;
    void *memory = mmap(NULL, sizeof *noted, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return err_memory(err);
    noted = memory;
    if (fstat(STDOUT_FILENO, &about) != 0 || !S_ISREG(about.st_mode)) return STATUS_OK;
    struct output output = {strdup("standard output"), strdup("-"), strdup("-"), false, true, about};
    return add_output(&output, err);
}

enum status file_claims_end(enum status status, struct err *err)
{
    if (!noted || atomic_load(&noted->refusals) == 0) return status;
    return err_set(err, STATUS_USAGE, NULL, NULL, "%s", noted->refusal);
}

/* --- inputs --- */

enum status file_claim_input(const char *path, const struct stat *about, struct err *err)
{
    const struct entry *entry = is_counted(about) ? find_entry(about) : NULL;
    if (!is_counted(about) || (entry && entry->written)) return STATUS_OK; /* what the program has written it may read back */
    enum status status = STATUS_OK;
    char *resolved = output_count > 0 ? realpath(path, NULL) : NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < output_count && status == STATUS_OK; i++) {
        const struct output *output = &outputs[i];
        bool in = S_ISDIR(about->st_mode) && resolved && is_below(output->path, resolved);
        if ((output->exists && same_file(&output->about, about)) || (resolved && strcmp(resolved, output->path) == 0) ||
            (output->whole && resolved && is_below(resolved, output->path)))
            status = refuse_input(output->shown, "replace", path, err);
        else if (in && output->exists)
            status = refuse_input(output->shown, "replace", output->shown, err);
        else if (in)
            status = refuse_input(output->shown, "be in", path, err);
    }
    pthread_mutex_unlock(&lock);
    free(resolved);
    return status == STATUS_OK ? note_file(path, about, false, err) : status;
}

enum status file_claim_input_path(const char *path, struct err *err)
{
    struct stat about;
    return noted && stat(path, &about) == 0 ? file_claim_input(path, &about, err) : STATUS_OK;
}

void file_claims_forget(const struct stat *about)
{
    bool last = is_counted(about) && (S_ISDIR(about->st_mode) || about->st_nlink == 1);
    uint32_t number = last ? atomic_load(find_slot(about)) : 0;
    if (number > 0) atomic_store(&noted->entries[number - 1].gone, true);
}

int file_claims_remove(int directory, const char *name, int flags)
{
    struct stat about;
    bool known = fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) == 0;
    int failed = unlinkat(directory, name, flags);
    if (known && failed == 0) file_claims_forget(&about);
    return failed;
}

/* --- writing --- */

static enum status check_file(const struct stat *about, const char *path, bool again, const char *verb, struct err *err)
{
    const struct entry *entry = is_counted(about) ? find_entry(about) : NULL;
    if (!entry || (entry->written && again)) return STATUS_OK;
    if (entry->written)
        return refuse_file(err, "%s would replace %s that has just been written, expected two files", path,
                           entry_name(entry));
    pthread_mutex_lock(&lock);
    enum status status = refuse_input(path, verb, entry_name(entry), err);
    pthread_mutex_unlock(&lock);
    return status;
}

enum status file_claims_check_open(const struct stat *about, const char *path, bool again, struct err *err)
{
    return check_file(about, path, again, "replace", err);
}

/* The directory, and those above it. */
static enum status check_above(int directory, const char *path, struct err *err)
{
    struct stat about, below = {0};
    enum status status = STATUS_OK;
    int here = openat(directory, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    while (status == STATUS_OK && here >= 0 && fstat(here, &about) == 0 && !same_file(&about, &below)) {
        status = check_file(&about, path, false, "be in", err);
        int above = openat(here, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(here);
        here = above;
        below = about;
    }
    if (here >= 0) close(here);
    return status;
}

enum status file_claims_check(int directory, const char *name, const char *path, bool again, struct err *err)
{
    struct stat about;
    if (!noted) return STATUS_OK;
    TRY(check_above(directory, path, err));
    return fstatat(directory, name, &about, 0) == 0 ? file_claims_check_open(&about, path, again, err) : STATUS_OK;
}

enum status file_claim_written(const char *path, const struct stat *about, struct err *err)
{
    return note_file(path, about, true, err);
}
