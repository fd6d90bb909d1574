#include "trace/record/output/buffer.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "trace/record/output/uncancelled.h"

/* Stamps that are further apart are not told by their lower bits: there is an anchor between them. */
#define FAR (UINT64_C(1) << (SPOOL_STAMP_BITS - 3))

static bool write_some(int file, const char *at, size_t bytes)
{
    while (bytes > 0) {
        ssize_t done = rec_write(file, at, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return false;
        at += done;
        bytes -= (size_t)done;
    }
    return true;
}

struct guard {
    sigset_t limit, before;
    bool pending;
};

/* Beyond the file size that the user allows (ulimit -f) the kernel would end the program by SIGXFSZ. */
static void guard_begin(struct guard *guard)
{
    sigset_t pending;
    sigemptyset(&guard->limit);
    sigaddset(&guard->limit, SIGXFSZ);
    sigpending(&pending);
    guard->pending = sigismember(&pending, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &guard->limit, &guard->before);
}

/* failure: errno of what was tried, 0 if it went well. */
static void guard_end(const struct guard *guard, int failure)
{
    if (failure == EFBIG && !guard->pending) rec_take_signal(&guard->limit);
    pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
    errno = failure;
}

/* size: what the file then has, 0 as much as was written. */
static bool write_whole(int file, const void *data, size_t bytes, off_t size)
{
    struct guard guard;
    guard_begin(&guard);
    bool good = write_some(file, data, bytes) && (size == 0 || ftruncate(file, size) == 0);
    guard_end(&guard, good ? 0 : errno);
    return good;
}

/* A file system without fallocate, as some network file systems, is given zeros. */
static bool fill_with_zeros(int file, size_t bytes)
{
    static const char zeros[4096];
    _Static_assert(sizeof(struct spool_tail) % sizeof zeros == 0, "whole pages are reserved");
    for (size_t done = 0; done < bytes; done += sizeof zeros)
        if (!write_some(file, zeros, sizeof zeros)) return false;
    return true;
}

static int reserve_bytes(int file, size_t bytes)
{
    struct guard guard;
    guard_begin(&guard);
    bool good = syscall(SYS_fallocate, file, 0, (off_t)0, (off_t)bytes) == 0 ||
                ((errno == EOPNOTSUPP || errno == ENOSYS) && fill_with_zeros(file, bytes));
    int failure = good ? 0 : errno;
    guard_end(&guard, failure);
    return failure;
}

enum { PATH_BYTES = 4096 };

static bool make_path(char path[PATH_BYTES], const char *directory, const struct spool_header *header,
                      const char *suffix)
{
    int n = snprintf(path, PATH_BYTES, "%s/", directory);
    if (n < 0 || n >= PATH_BYTES - 64) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (header->thread == 0)
        snprintf(path + n, PATH_BYTES - (size_t)n, SPOOL_RANK_NAME "%s", header->rank, suffix);
    else
        snprintf(path + n, PATH_BYTES - (size_t)n, SPOOL_THREAD_NAME "%s", header->rank, header->thread, suffix);
    return true;
}

static int create_file(const char *directory, const struct spool_header *header, const char *suffix)
{
    char path[PATH_BYTES];
    if (!make_path(path, directory, header, suffix)) return -1;
    return rec_open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND);
}

bool rec_file_identify(int file, struct rec_file *is)
{
    struct stat about;
    if (fstat(file, &about) != 0) return false;
    *is = (struct rec_file){about.st_dev, about.st_ino};
    return true;
}

bool rec_file_is(int file, const struct rec_file *expected)
{
    struct rec_file is;
    return file >= 0 && rec_file_identify(file, &is) && is.device == expected->device && is.inode == expected->inode;
}

/* Opens a file that create_file() made, by its name; -1 (errno): it no longer exists, or is another file. */
static int open_again(const struct rec_buffer *buffer, const char *suffix, const struct rec_file *expected, int flags)
{
    char path[PATH_BYTES];
    if (!make_path(path, buffer->directory, &buffer->header, suffix)) return -1;
    int file = rec_open(path, flags | O_NOFOLLOW);
    if (file < 0 || rec_file_is(file, expected)) return file;
    rec_close(file);
    errno = ESTALE;
    return -1;
}

/* Another file under our number is the program's: it is left alone. */
static bool hold_main_file(struct rec_buffer *buffer)
{
    if (rec_file_is(buffer->file, &buffer->main_file)) return true;
    int file = open_again(buffer, SPOOL_MAIN_SUFFIX, &buffer->main_file, O_WRONLY | O_APPEND);
    buffer->file = file >= 0 ? file : REC_CLOSED;
    return file >= 0;
}

static void begin_tail(struct spool_tail *tail, const struct spool_header *header, uint64_t chunk)
{
    tail->rank = header->rank;
    tail->base_ns = header->base_ns;
    tail->words[0] = SPOOL_MARK(chunk);
    __atomic_store_n(&tail->magic, SPOOL_TAIL_MAGIC, __ATOMIC_RELEASE);
}

/* The blocks are reserved: a full disk would otherwise end the program with SIGBUS at a store. */
static struct spool_tail *map_tail(const char *directory, const struct spool_header *header, struct rec_file *is)
{
    int file = create_file(directory, header, SPOOL_TAIL_SUFFIX);
    if (file < 0) return NULL;
    struct spool_tail *tail = NULL;
    int failure = reserve_bytes(file, sizeof *tail);
    if (failure == 0 && !rec_file_identify(file, is)) failure = errno;
    if (failure == 0) {
        tail = mmap(NULL, sizeof *tail, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
        if (tail == MAP_FAILED) tail = NULL;
        failure = tail ? 0 : errno;
    }
    rec_close(file);
    if (!tail) {
        errno = failure;
        return NULL;
    }
    begin_tail(tail, header, 0);
    return tail;
}

static void set_anchor_due(struct rec_buffer *buffer, uint64_t stamp, uint64_t around)
{
    buffer->anchor_from = stamp - around;
    buffer->final_for = 2 * around;
}

/* A record and the word behind it fit. */
static void begin_chunk(struct rec_buffer *buffer)
{
    uint64_t *words = buffer->tail->words;
    buffer->next = words + 1;
    buffer->last = words + SPOOL_CHUNK_WORDS - SPOOL_RECORD_WORDS - 2;
    __atomic_store_n(buffer->next, 0, __ATOMIC_RELEASE);
    __atomic_store_n(words, SPOOL_MARK(buffer->chunk), __ATOMIC_RELEASE);
}

void rec_buffer_begin(struct rec_buffer *buffer, struct spool_tail *tail, const struct spool_header *header)
{
    bool ticks = header->clock == SPOOL_TICKS;
    memset(buffer, 0, sizeof *buffer);
    buffer->file = REC_MEASURED;
    buffer->tail = tail;
    buffer->base = ticks ? header->base_ticks : header->base_ns;
    if (!ticks) set_anchor_due(buffer, buffer->base, FAR);
    buffer->rate = header->ticks_per_s;
    buffer->long_ticks = UINT64_MAX;
    begin_chunk(buffer);
}

const char *rec_buffer_open(struct rec_buffer *buffer, const char *directory, const struct spool_header *header)
{
    int file = create_file(directory, header, SPOOL_MAIN_SUFFIX);
    if (file < 0 && errno == EEXIST)
        return "the spool holds a recording of this rank already, an empty spool is expected";
    if (file < 0) return "the spool's main file cannot be made";
    struct rec_file main_file, tail_file;
    struct spool_tail *tail = map_tail(directory, header, &tail_file);
    if (!tail || !rec_file_identify(file, &main_file) || !write_whole(file, header, sizeof *header, SPOOL_FIRST_CHUNK)) {
        int failure = errno;
        rec_close(file);
        if (tail) munmap(tail, sizeof *tail);
        errno = failure;
        return tail ? "the spool's main file cannot be written" : "the spool's tail file cannot be made";
    }
    rec_buffer_begin(buffer, tail, header);
    buffer->file = file;
    buffer->directory = directory;
    buffer->header = *header;
    buffer->main_file = main_file;
    buffer->tail_file = tail_file;
    return NULL;
}

struct rec_size rec_size;

static bool is_beyond_limit(void)
{
    uint64_t bytes = __atomic_add_fetch(&rec_size.chunks, 1, __ATOMIC_RELAXED) * SPOOL_CHUNK_BYTES;
    return rec_size.limit > 0 && bytes > rec_size.limit;
}

/* Killed before the next chunk has its mark the tail is what the main file ends with. */
bool rec_buffer_flush(struct rec_buffer *buffer)
{
    buffer->limited = buffer->file != REC_MEASURED && is_beyond_limit();
    if (buffer->limited) return false;
    if (buffer->file != REC_MEASURED &&
        (!hold_main_file(buffer) || !write_whole(buffer->file, buffer->tail->words, SPOOL_CHUNK_BYTES, 0)))
        return false;
    buffer->chunk++;
    begin_chunk(buffer);
    return true;
}

static unsigned differing_words(const uint64_t *known, const uint64_t *words)
{
    unsigned changed = 0;
    for (unsigned i = 0; i < SPOOL_RECORD_WORDS; i++) changed |= (unsigned)(words[i] != known[i]) << i;
    return changed;
}

/* Of a call that differs from its template by more than what changes from one call of a place to the next. */
static unsigned nearer_template(const struct rec_buffer *buffer, const uint64_t *words, unsigned pattern)
{
    static const uint8_t bits[] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    const uint64_t *known = buffer->templates[pattern];
    unsigned other = pattern ^ (REC_CALL_TEMPLATES / 2), far = bits[differing_words(known, words)];
    if (far < 2 || known[0] == 0 || pattern >= REC_CALL_TEMPLATES) return pattern;
    known = buffer->templates[other];
    return known[0] == 0 || bits[differing_words(known, words)] < far ? other : pattern;
}

bool rec_buffer_put_as(struct rec_buffer *buffer, const struct spool_record *record, unsigned pattern)
{
    uint64_t words[SPOOL_RECORD_WORDS];
    if (buffer->next > buffer->last && !rec_buffer_flush(buffer)) return false;
    rec_buffer_words(record, words);
    pattern = nearer_template(buffer, words, pattern);
    uint64_t *known = buffer->templates[pattern], *at = buffer->next;
    unsigned changed = differing_words(known, words);
    for (unsigned i = 0; i < SPOOL_RECORD_WORDS; i++)
        if (changed >> i & 1) *++at = known[i] = words[i];
    rec_buffer_publish(buffer, at + 1, SPOOL_HEAD(changed, pattern, record->time - buffer->base));
    return true;
}

struct content { /* what is left of both parts */
    const char *first, *second;
    size_t first_bytes, second_bytes;
};

static void take_bytes(struct content *from, char *to, size_t bytes)
{
    size_t n = bytes < from->first_bytes ? bytes : from->first_bytes;
    if (n > 0) memcpy(to, from->first, n);
    if (bytes > n) memcpy(to + n, from->second, bytes - n);
    from->first += n;
    from->first_bytes -= n;
    from->second += bytes - n;
    from->second_bytes -= bytes - n;
}

/* Writes as much of the content as fits into the chunk. */
static bool put_part(struct rec_buffer *buffer, struct content *content)
{
    if (buffer->next > buffer->last && !rec_buffer_flush(buffer)) return false;
    size_t left = content->first_bytes + content->second_bytes;
    size_t room = (size_t)(buffer->tail->words + SPOOL_CHUNK_WORDS - 2 - buffer->next) * SPOOL_WORD_BYTES;
    size_t bytes = left < room ? left : room, words = (bytes + SPOOL_WORD_BYTES - 1) / SPOOL_WORD_BYTES;
    uint64_t *to = buffer->next;
    to[words] = 0;
    take_bytes(content, (char *)(to + 1), bytes);
    rec_buffer_publish(buffer, to + 1 + words, SPOOL_HEAD(0, SPOOL_CONTENT, bytes));
    return true;
}

bool rec_buffer_define(struct rec_buffer *buffer, struct spool_record head, const void *first, size_t first_bytes,
                       const void *second, size_t second_bytes)
{
    struct content content = {first, second, first_bytes, second_bytes};
    head.bytes = (int64_t)(first_bytes + second_bytes);
    if (!rec_buffer_put(buffer, &head)) return false;
    while (content.first_bytes + content.second_bytes > 0)
        if (!put_part(buffer, &content)) return false;
    return true;
}

bool rec_buffer_anchor(struct rec_buffer *buffer)
{
    enum { PER_SECOND = 100 };
    uint64_t between = buffer->rate > 0 ? buffer->rate / PER_SECOND : FAR;
    struct rec_anchor now = rec_anchor_read();
    if (buffer->rate == 0) now.ticks = now.ns;
    if (buffer->rate > 0 && buffer->anchor.ns > 0) {
        /* A counter that was set, or that ran while the machine slept, is continued by the clock. */
        const double most = 1.2, slack = 0.005 * (double)buffer->rate;
        double passed = (double)(now.ns - buffer->anchor.ns) * 1e-9 * (double)buffer->rate;
        double counted = (double)(int64_t)(now.ticks - buffer->anchor.ticks);
        if (counted > passed * most + slack || passed > counted * most + slack)
            buffer->base = now.ticks - (buffer->anchor.ticks - buffer->base) - (uint64_t)passed;
    }
    struct spool_record record = {.time = now.ticks,
                                  .kind = SPOOL_ANCHOR,
                                  .id = SPOOL_NO_ID,
                                  .peer = SPOOL_PEER_NONE,
                                  .tag = (int32_t)(now.half_ticks & INT32_MAX),
                                  .bytes = (int64_t)(now.ticks - buffer->base),
                                  .extra = (int64_t)now.ns};
    buffer->anchor = now;
    set_anchor_due(buffer, now.ticks, between);
    return rec_buffer_put(buffer, &record);
}

bool rec_buffer_detach(struct rec_buffer *buffer)
{
    struct spool_tail *tail = buffer->tail;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    if (mmap(tail, sizeof *tail, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED) return false;
    begin_tail(tail, &buffer->header, buffer->chunk);
    return true;
}

void rec_buffer_restore(const struct rec_buffer *buffer)
{
    struct guard guard;
    int file = open_again(buffer, SPOOL_TAIL_SUFFIX, &buffer->tail_file, O_WRONLY);
    if (file < 0) return;
    guard_begin(&guard);
    ssize_t written = rec_write(file, buffer->tail, sizeof *buffer->tail);
    guard_end(&guard, written < 0 ? errno : 0);
    rec_close(file);
}

void rec_buffer_close(struct rec_buffer *buffer)
{
    __atomic_fetch_or(&buffer->tail->state, (uint32_t)SPOOL_CLOSED, __ATOMIC_RELEASE);
    if (rec_file_is(buffer->file, &buffer->main_file)) rec_close(buffer->file);
    munmap(buffer->tail, sizeof *buffer->tail);
}
