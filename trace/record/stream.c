#include "trace/record/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static bool write_some(int file, const char *at, size_t bytes)
{
    while (bytes > 0) {
        ssize_t done = write(file, at, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return false;
        at += done;
        bytes -= (size_t)done;
    }
    return true;
}

/* Beyond the file size that the user allows (ulimit -f) the kernel would end the program by SIGXFSZ. */
static bool write_whole(int file, const void *data, size_t bytes)
{
    sigset_t limit, before, pending;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &limit, &before);
    bool good = write_some(file, data, bytes);
    int failure = errno;
    if (!good && failure == EFBIG && !sigismember(&pending, SIGXFSZ))
        sigtimedwait(&limit, NULL, &(struct timespec){.tv_sec = 0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = failure;
    return good;
}

static int create(const char *directory, const struct spool_header *header, const char *suffix)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/", directory);
    if (n < 0 || (size_t)n >= sizeof path - 64) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (header->thread == 0)
        snprintf(path + n, sizeof path - (size_t)n, SPOOL_RANK_NAME "%s", header->rank, suffix);
    else
        snprintf(path + n, sizeof path - (size_t)n, SPOOL_THREAD_NAME "%s", header->rank, header->thread, suffix);
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
}

/* The blocks are reserved: a full disk would otherwise end the program with SIGBUS at a store. */
static struct spool_tail *map_tail(const char *directory, const struct spool_header *header)
{
    int file = create(directory, header, SPOOL_TAIL_SUFFIX);
    if (file < 0) return NULL;
    struct spool_tail *tail = NULL;
    int failure = posix_fallocate(file, 0, sizeof *tail);
    if (failure == 0) {
        tail = mmap(NULL, sizeof *tail, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
        if (tail == MAP_FAILED) tail = NULL;
        failure = tail ? 0 : errno;
    }
    close(file);
    if (!tail) {
        errno = failure;
        return NULL;
    }
    tail->rank = header->rank;
    tail->base_ns = header->base_ns;
    __atomic_store_n(&tail->magic, SPOOL_TAIL_MAGIC, __ATOMIC_RELEASE);
    return tail;
}

void rec_stream_begin(struct rec_stream *stream, struct spool_tail *tail, const struct spool_header *header)
{
    bool ticks = header->clock == SPOOL_TICKS;
    *stream = (struct rec_stream){.file = -1,
                                  .tail = tail,
                                  .next = tail->records,
                                  .end = tail->records + SPOOL_CHUNK_RECORDS,
                                  .lap = SPOOL_LAP(0),
                                  .base = ticks ? header->base_ticks : header->base_ns,
                                  .rate = header->ticks_per_s,
                                  .settled_for = ticks ? 0 : UINT64_MAX};
}

const char *rec_stream_open(struct rec_stream *stream, const char *directory, const struct spool_header *header)
{
    int file = create(directory, header, SPOOL_MAIN_SUFFIX);
    if (file < 0 && errno == EEXIST)
        return "the spool holds a recording of this rank already, an empty spool is expected";
    if (file < 0) return "the spool's main file cannot be made";
    struct spool_tail *tail = map_tail(directory, header);
    if (!tail || !write_whole(file, header, sizeof *header)) {
        int failure = errno;
        close(file);
        if (tail) munmap(tail, sizeof *tail);
        errno = failure;
        return tail ? "the spool's main file cannot be written" : "the spool's tail file cannot be made";
    }
    rec_stream_begin(stream, tail, header);
    stream->file = file;
    return NULL;
}

bool rec_stream_flush(struct rec_stream *stream)
{
    stream->limited = stream->limit > 0 && (stream->chunk + 1) * sizeof stream->tail->records > stream->limit;
    if (stream->limited) return false;
    if (stream->file >= 0 && !write_whole(stream->file, stream->tail->records, sizeof stream->tail->records))
        return false;
    stream->chunk++;
    stream->lap = SPOOL_LAP(stream->chunk);
    stream->next = stream->tail->records;
    return true;
}

bool rec_stream_define(struct rec_stream *stream, struct spool_record head, const void *first, size_t first_bytes,
                       const void *second, size_t second_bytes)
{
    head.time = rec_stamp();
    head.bytes = (int64_t)(first_bytes + second_bytes);
    if (!rec_stream_put(stream, &head)) return false;
    size_t total = first_bytes + second_bytes;
    for (size_t done = 0; done < total; done += SPOOL_MORE_BYTES) {
        struct spool_record more = {.time = head.time};
        char *to = (char *)&more + sizeof more.time;
        size_t room = total - done < SPOOL_MORE_BYTES ? total - done : SPOOL_MORE_BYTES;
        size_t from_first = done >= first_bytes ? 0 : first_bytes - done < room ? first_bytes - done : room;
        if (from_first > 0) memcpy(to, (const char *)first + done, from_first);
        if (room > from_first)
            memcpy(to + from_first, (const char *)second + (done + from_first - first_bytes), room - from_first);
        if (!rec_stream_put(stream, &more)) return false;
    }
    return true;
}

/* The counter goes on where it was, by what the clock says has passed. */
static void set_forward(struct rec_stream *stream, const struct rec_anchor *now)
{
    double passed = (double)(now->ns - stream->anchor.ns) * 1e-9 * (double)stream->rate;
    stream->base = now->ticks - (stream->anchor.ticks - stream->base) - (uint64_t)passed;
}

bool rec_stream_anchor(struct rec_stream *stream)
{
    enum { PER_SECOND = 100 };
    if (stream->rate == 0) return true;
    uint64_t between = stream->rate / PER_SECOND;
    struct rec_anchor now = rec_anchor_read();
    if (now.ticks < stream->anchor.ticks) set_forward(stream, &now);
    struct spool_record record = {.time = now.ticks,
                                  .kind = SPOOL_ANCHOR,
                                  .id = SPOOL_NO_ID,
                                  .peer = SPOOL_PEER_NONE,
                                  .tag = (int32_t)(now.half_ticks & INT32_MAX),
                                  .extra = (int64_t)now.ns};
    stream->anchor = now;
    stream->settled = now.ticks - between;
    stream->settled_for = 2 * between;
    return rec_stream_put(stream, &record);
}

void rec_stream_close(struct rec_stream *stream)
{
    __atomic_fetch_or(&stream->tail->state, (uint32_t)SPOOL_CLOSED, __ATOMIC_RELEASE);
    if (stream->file >= 0) close(stream->file);
    munmap(stream->tail, sizeof *stream->tail);
}
