/* Finds, maps and checks the files of a spool (trace/spool/reader.h). */
#include "trace/spool/reader.h" /* before unistd.h, whose F_LOCK is another one */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/files/file_claims.h"
#include "common/files/input_file.h"
#include "common/files/place.h"
#include "trace/limits.h"
#include "common/parallel.h"
#include "common/search.h"
#include "trace/spool/read.h"

enum { NAME_BYTES = 64 };

static enum status fault_at(const char *file, size_t byte, struct err *err, const char *message)
{
    char place[32];
    snprintf(place, sizeof place, "%zu", byte);
    return err_set(err, STATUS_DATA, file, place, "%s", message);
}

enum status spool_fault(const struct spool_rank *rank, size_t at, struct err *err, const char *format, ...)
{
    char message[ERR_TEXT_BYTES];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    if (at < rank->chunk_words || !rank->tail)
        return fault_at(rank->main_name, SPOOL_FIRST_CHUNK + at * SPOOL_WORD_BYTES, err, message);
    return fault_at(rank->tail_name, SPOOL_TAIL_HEAD_BYTES + (at - rank->chunk_words) * SPOOL_WORD_BYTES, err, message);
}

enum status spool_end_at(struct spool_rank *rank, size_t at, const char *why, struct err *err)
{
    char *damage = strdup(why);
    if (!damage) return err_memory(err);
    free(rank->damage);
    rank->damage = damage;
    if (at < rank->chunk_words) {
        rank->chunk_words = at;
        rank->tail_words = 0;
    } else {
        rank->tail_words = at - rank->chunk_words;
    }
    return STATUS_OK;
}

/* "rank-000003" or "rank-000003-00001", and what it ends with. */
static void make_name(char name[NAME_BYTES], unsigned rank, unsigned thread, const char *suffix)
{
    if (thread == 0)
        snprintf(name, NAME_BYTES, SPOOL_RANK_NAME "%s", rank, suffix);
    else
        snprintf(name, NAME_BYTES, SPOOL_THREAD_NAME "%s", rank, thread, suffix);
}

/* Reads rank and thread from the name of a main file. */
static bool name_rank(const char *name, unsigned *rank, unsigned *thread)
{
    char again[NAME_BYTES];
    *thread = 0;
    if (sscanf(name, "rank-%u-%u", rank, thread) < 1) return false;
    make_name(again, *rank, *thread, SPOOL_MAIN_SUFFIX);
    return strcmp(again, name) == 0;
}

enum status spool_find(const char *directory, bool *found, struct err *err)
{
    DIR *listing = opendir(directory);
    int cause = errno;
    unsigned rank, thread;
    struct stat about;
    *found = false;
    for (const struct dirent *entry; listing && !*found && (errno = 0, entry = readdir(listing)) != NULL;) {
        if (!name_rank(entry->d_name, &rank, &thread)) continue;
        if (fstatat(dirfd(listing), entry->d_name, &about, 0) == 0) *found = about.st_size > 0;
        else if (err_refused(errno)) break;
    }
    if (listing) cause = errno;
    if (listing) closedir(listing);
    if (*found || !err_refused(cause)) return STATUS_OK;
    return err_set(err, STATUS_SYSTEM, directory, NULL, "cannot be read: %s", strerror(cause));
}

/* Maps a whole file; *data is NULL for an empty one. */
static enum status map_file(const char *name, const void **data, size_t *bytes, struct err *err)
{
    struct stat about;
    int file;
    TRY(input_file_descriptor(name, &file, err));
    void *mapped = NULL;
    bool good = fstat(file, &about) == 0;
    if (good && about.st_size > 0) {
        mapped = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        good = mapped != MAP_FAILED;
    }
    int failure = errno;
    close(file);
    if (!good) return err_set(err, STATUS_SYSTEM, name, NULL, "%s", strerror(failure));
    *data = mapped;
    *bytes = (size_t)about.st_size;
    return STATUS_OK;
}

#define TICKS_MIN UINT64_C(1000000)
#define TICKS_MAX UINT64_C(100000000000)

static enum status refuse_version(const struct spool_rank *rank, struct err *err)
{
    char message[ERR_TEXT_BYTES];
    snprintf(message, sizeof message,
             "spool of version %" PRIu32 "; this rmacast reads version %d: pack it with the rmacast that recorded it",
             rank->header->version, SPOOL_VERSION);
    return fault_at(rank->main_name, 8, err, message);
}

static enum status check_header(struct spool_rank *rank, unsigned number, unsigned thread, struct err *err)
{
    const struct spool_header *header = rank->header;
    const char *name = rank->main_name;
    if (rank->main_bytes < sizeof *header)
        return fault_at(name, rank->main_bytes, err, "the file ends in its header, expected 64 bytes");
    if (header->magic != SPOOL_MAGIC) return fault_at(name, 0, err, "not a spool file of rmacast's recorder");
    if (header->version != SPOOL_VERSION) return refuse_version(rank, err);
    if (header->unit_bytes != SPOOL_WORD_BYTES || header->chunk_units != SPOOL_CHUNK_WORDS)
        return fault_at(name, 12, err, "words or chunks of another size, expected 8 bytes and 8192 words");
    if (header->rank != number) return fault_at(name, 20, err, "the header names another rank than the file's name");
    if (header->thread != thread)
        return fault_at(name, 40, err, "the header names another thread than the file's name");
    if (header->clock > SPOOL_TICKS)
        return fault_at(name, 44, err, "a clock that this rmacast does not know, expected 0 or 1");
    if (spool_ticks(header) && (header->ticks_per_s < TICKS_MIN || header->ticks_per_s > TICKS_MAX))
        return fault_at(name, 56, err, "the ticks per second are beyond belief");
    if (header->world > TRACE_RANKS_MAX)
        return fault_at(name, 24, err, "more ranks than an analysis takes, expected at most 1048576");
    if (header->world <= header->rank) return fault_at(name, 24, err, "the rank is not below the number of ranks");
    return STATUS_OK;
}

/* Whole chunks of the main file. */
static size_t chunk_count(const struct spool_rank *rank)
{
    return rank->main_bytes < SPOOL_FIRST_CHUNK ? 0 : (rank->main_bytes - SPOOL_FIRST_CHUNK) / SPOOL_CHUNK_BYTES;
}

/* Only whole chunks of the main file count. */
static enum status check_chunks(struct spool_rank *rank, struct err *err)
{
    rank->chunks = (const uint64_t *)((const char *)rank->header + SPOOL_FIRST_CHUNK);
    rank->chunk_words = chunk_count(rank) * SPOOL_CHUNK_WORDS;
    /* The first chunk that does not begin with its mark. */
    size_t wrong = 0;
    while (wrong < rank->chunk_words && rank->chunks[wrong] == SPOOL_MARK(wrong / SPOOL_CHUNK_WORDS)) wrong += SPOOL_CHUNK_WORDS;
    if (wrong == rank->chunk_words) return STATUS_OK;
    (void)spool_fault(rank, wrong, err, "the record is not of chunk %zu, the file has been damaged",
                      wrong / SPOOL_CHUNK_WORDS);
    rank->chunk_words = wrong;
    return STATUS_DATA;
}

/* The number of the chunk that the tail is, counted from 1; 0: there is nothing in it yet. */
static uint64_t tail_chunk(const struct spool_rank *rank)
{
    uint64_t mark = rank->tail->words[0];
    return (mark & ~(uint64_t)UINT32_MAX) == SPOOL_MARK(0) ? (uint32_t)mark + UINT64_C(1) : 0;
}

/* The tail holds what follows the last chunk, or (killed after writing it) still the last chunk itself. */
static enum status check_tail(struct spool_rank *rank, size_t tail_bytes, struct err *err)
{
    const struct spool_tail *tail = rank->tail;
    uint64_t chunks = chunk_count(rank);
    if (tail_bytes != sizeof *tail) {
        char expected[64];
        snprintf(expected, sizeof expected, "the file ends here, expected %zu bytes", sizeof *tail);
        return fault_at(rank->tail_name, tail_bytes, err, expected);
    }
    if (tail->magic == 0) return STATUS_OK;
    if (tail->magic != SPOOL_TAIL_MAGIC)
        return fault_at(rank->tail_name, 0, err, "not a tail file of rmacast's recorder");
    if (tail->rank != rank->header->rank || tail->base_ns != rank->header->base_ns)
        return fault_at(rank->tail_name, 8, err, "the tail belongs to another main file");
    rank->state = tail->state;
    uint64_t number = tail_chunk(rank);
    if (number == chunks + 1) rank->tail_words = SPOOL_CHUNK_WORDS;
    if (number == chunks + 1 || number == chunks) return STATUS_OK;
    return fault_at(rank->main_name, rank->main_bytes, err,
                    "the file ends here, but its tail continues a longer one: it was cut");
}

static enum status open_tail(struct spool_rank *rank, struct err *err)
{
    const void *data;
    size_t bytes;
    bool there;
    TRY(place_look(rank->tail_name, &there, err));
    if (!there) return STATUS_OK;
    TRY(map_file(rank->tail_name, &data, &bytes, err));
    rank->tail = data;
    enum status status = check_tail(rank, bytes, err);
    if (rank->tail && bytes != sizeof *rank->tail) {
        munmap((void *)(uintptr_t)data, bytes);
        rank->tail = NULL;
    }
    return status;
}

/* Of a link (recording/join.h) the file itself, which messages name. */
static char *file_name(const char *directory, unsigned rank, unsigned thread, const char *suffix)
{
    char name[NAME_BYTES], target[PATH_MAX];
    char *path = NULL;
    make_name(name, rank, thread, suffix);
    if (asprintf(&path, "%s/%s", directory, name) < 0) return NULL;
    ssize_t length = readlink(path, target, sizeof target);
    if (length <= 0 || *target != '/' || (size_t)length == sizeof target) return path;
    free(path);
    return strndup(target, (size_t)length);
}

static enum status open_files(struct spool_rank *rank, const char *directory, unsigned number, unsigned thread,
                              struct err *err)
{
    const void *data;
    rank->main_name = file_name(directory, number, thread, SPOOL_MAIN_SUFFIX);
    rank->tail_name = file_name(directory, number, thread, SPOOL_TAIL_SUFFIX);
    if (!rank->main_name || !rank->tail_name) return err_memory(err);
    TRY(map_file(rank->main_name, &data, &rank->main_bytes, err));
    rank->header = data;
    if (!data) return STATUS_OK; /* killed before the header was written */
    TRY(check_header(rank, number, thread, err));
    rank->present = true;
    TRY(check_chunks(rank, err));
    return open_tail(rank, err);
}

/* Damage behind the header leaves what is before it; damage in the header leaves nothing of this rank. */
static enum status open_rank(struct spool *spool, struct spool_rank *rank, unsigned number, unsigned thread,
                             struct err *err)
{
    struct err cause = {.status = STATUS_OK};
    enum status status = open_files(rank, spool->directory, number, thread, &cause);
    if (status == STATUS_OK) return STATUS_OK;
    if (err) *err = cause;
    if (status != STATUS_DATA || !spool->keep_going) return status;
    if (!rank->present) {
        struct spool_unread made = {number, strdup(cause.text)};
        if (!made.why) return err_memory(err);
        ARRAY_PUSH(spool->unread, spool->unread_count, spool->unread_capacity, made, err);
        return STATUS_OK;
    }
    return spool_end_at(rank, spool_words(rank), cause.text, err);
}

static void close_rank(struct spool_rank *rank)
{
    spool_scan_clear(&rank->scan);
    struct spool_ids *ids[] = {&rank->comms, &rank->groups, &rank->windows, &rank->regions,
                               &rank->counts, &rank->calls, &rank->ops};
    for (size_t i = 0; i < rank->thread_count; i++) close_rank(&rank->threads[i]);
    free(rank->threads);
    if (rank->header) munmap((void *)(uintptr_t)rank->header, rank->main_bytes);
    if (rank->tail) munmap((void *)(uintptr_t)rank->tail, sizeof *rank->tail);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) free(ids[i]->items);
    for (size_t i = 0; i < rank->module_count; i++) free(rank->modules[i].path);
    free(rank->modules);
    for (size_t i = 0; i < rank->line_count; i++) {
        FREE_ALL(rank->lines[i].function, rank->lines[i].file);
    }
    FREE_ALL(rank->lines, rank->clocks, rank->anchors, rank->unrecorded, rank->library, rank->tls, rank->mpich_version,
             rank->cores, rank->misses, rank->misses_per_s, rank->launcher, rank->launched, rank->btl, rank->rdma,
             rank->mpich_device, rank->rcache, rank->run, rank->damage, rank->main_name, rank->tail_name);
}

static enum status place_rank(struct spool *spool, struct spool_rank *rank, size_t *capacity, struct err *err)
{
    if (!rank->present) {
        close_rank(rank);
        return STATUS_OK;
    }
    uint32_t world = rank->header->world;
    if (spool->world == 0) {
        TRY(array_reserve((void **)&spool->ranks, capacity, world, sizeof *spool->ranks, err));
        memset(spool->ranks, 0, *capacity * sizeof *spool->ranks);
        spool->world = world;
    }
    if (world != spool->world)
        return fault_at(rank->main_name, 24, err,
                        "the number of ranks differs from the other files', expected one program's spool");
    struct spool_rank *place = &spool->ranks[rank->header->rank];
    if (rank->header->thread > 0) {
        ARRAY_PUSH(place->threads, place->thread_count, place->thread_capacity, *rank, err);
        return STATUS_OK;
    }
    rank->threads = place->threads;
    rank->thread_count = place->thread_count;
    rank->thread_capacity = place->thread_capacity;
    *place = *rank;
    return STATUS_OK;
}

ORDER(by_thread, struct spool_rank, UP(header->thread))

struct file { /* of the directory, in its order */
    unsigned number, thread;
    struct spool_rank rank;
    bool is_open;
};

struct files {
    const char *directory;
    struct file *items;
    size_t count, capacity, per_block;
};

static enum status list_files(struct files *files, struct err *err)
{
    DIR *listing = opendir(files->directory);
    struct file file = {0};
    enum status status = STATUS_OK;
    if (!listing)
        return err_set(err, STATUS_DATA, files->directory, NULL, "%s, expected a spool directory", strerror(errno));
    for (const struct dirent *entry; status == STATUS_OK && (errno = 0, entry = readdir(listing)) != NULL;) {
        if (!name_rank(entry->d_name, &file.number, &file.thread)) continue;
        status = array_reserve((void **)&files->items, &files->capacity, files->count + 1, sizeof file, err);
        if (status == STATUS_OK) files->items[files->count++] = file;
    }
    if (status == STATUS_OK && errno != 0)
        status = err_set(err, STATUS_SYSTEM, files->directory, NULL, "cannot be read: %s", strerror(errno));
    closedir(listing);
    return status;
}

/* If a file cannot be opened, one thread tries again in the directory's order and reports the error. */
static enum status open_block(void *context, size_t block, struct err *err)
{
    const struct files *files = context;
    (void)err;
    for (size_t i = block * files->per_block; i < files->count && i < (block + 1) * files->per_block; i++) {
        struct file *file = &files->items[i];
        file->is_open = open_files(&file->rank, files->directory, file->number, file->thread, NULL) == STATUS_OK;
        if (file->is_open) continue;
        close_rank(&file->rank);
        file->rank = (struct spool_rank){0};
    }
    return STATUS_OK;
}

static enum status take_files(struct spool *spool, struct files *files, struct err *err)
{
    size_t capacity = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < files->count; i++) {
        struct file *file = &files->items[i];
        if (status == STATUS_OK && !file->is_open)
            status = open_rank(spool, &file->rank, file->number, file->thread, err);
        if (status == STATUS_OK) status = place_rank(spool, &file->rank, &capacity, err);
        if (status != STATUS_OK) close_rank(&file->rank);
    }
    /* A directory lists its files in any order. */
    for (uint32_t i = 0; i < spool->world; i++)
        if (spool->ranks[i].thread_count > 1)
            qsort(spool->ranks[i].threads, spool->ranks[i].thread_count, sizeof *spool->ranks[i].threads, by_thread);
    return status;
}

/* Threads for opening and closing files, which take longer than reading if there are many short ones. */
enum { FEW_FILES = 32 };
static unsigned file_threads(const struct spool *spool, size_t files)
{
    if (spool->threads > 0) return spool->threads;
    return files < (size_t)2 * FEW_FILES ? 1 : parallel_processors();
}

static enum status open_all(struct spool *spool, struct files *files, struct err *err)
{
    TRY(list_files(files, err));
    unsigned threads = file_threads(spool, files->count);
    files->per_block = spool->threads > 0 ? 1 : FEW_FILES;
    if (threads > 1)
        TRY(parallel_run((files->count + files->per_block - 1) / files->per_block, threads, open_block, files, err));
    return take_files(spool, files, err);
}

enum status spool_open(const char *directory, unsigned threads, bool keep_going, struct spool *spool, struct err *err)
{
    struct files listed = {.directory = directory};
    *spool = (struct spool){.directory = directory, .threads = threads, .keep_going = keep_going};
    enum status status = file_claim_input_path(directory, err);
    if (status == STATUS_OK) status = open_all(spool, &listed, err);
    size_t files = listed.count;
    free(listed.items);
    if (status == STATUS_OK && files == 0)
        status = err_set(err, STATUS_DATA, directory, NULL,
                         "no spool, expected rank-000000.spool and others of the recorder");
    if (status == STATUS_OK && spool->world == 0)
        status = err_set(err, STATUS_DATA, directory, NULL,
                         "the recorder ended before it wrote anything, expected a header in one file");
    if (status != STATUS_OK) spool_close(spool);
    return status;
}

static enum status close_block(void *context, size_t block, struct err *err)
{
    const struct spool *spool = context;
    (void)err;
    for (size_t i = block * FEW_FILES; i < spool->world && i < (block + 1) * FEW_FILES; i++)
        close_rank(&spool->ranks[i]);
    return STATUS_OK;
}

void spool_close(struct spool *spool)
{
    size_t blocks = (spool->world + FEW_FILES - 1) / FEW_FILES;
    (void)parallel_run(blocks, file_threads(spool, spool->world), close_block, spool, NULL);
    for (size_t i = 0; i < spool->window_count; i++) {
        FREE_ALL(spool->windows[i].bytes, spool->windows[i].name, spool->windows[i].disp_unit, spool->windows[i].base,
                 spool->windows[i].known);
    }
    for (size_t i = 0; i < spool->unread_count; i++) free(spool->unread[i].why);
    free(spool->unread);
    map_clear(&spool->locks);
    FREE_ALL(spool->windows, spool->ranks);
    *spool = (struct spool){0};
}
