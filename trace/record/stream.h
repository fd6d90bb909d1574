/* The recorder's output of one rank: fixed records into a mapped tail file, whole chunks appended to the main file. */
#ifndef RECORD_STREAM_H
#define RECORD_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "trace/spool.h"

struct rec_stream {
    int file; /* main file, -1: a stream that is only measured and wraps around */
    struct spool_tail *tail;
    struct spool_record *next, *end; /* in tail->records */
    uint64_t lap;                    /* as it stands in the time word */
    uint64_t chunk;
    uint64_t base_ns;
    uint64_t limit; /* bytes of the main file, 0 none */
    bool limited;   /* the limit has been reached */
};

/* CLOCK_MONOTONIC. */
static inline uint64_t rec_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Makes both files in directory. They must not exist: a second program of the same job does not write into the first
 * one's. Returns NULL, or what went wrong (errno is set or 0). */
const char *rec_stream_open(struct rec_stream *stream, const char *directory, const struct spool_header *header);

/* Of a thread that ends: marks the stream as closed. */
void rec_stream_close(struct rec_stream *stream);

/* Appends the full tail to the main file and begins the next lap; false on failure (errno) and at the limit. */
bool rec_stream_flush(struct rec_stream *stream);

/* record->time is absolute. False if the tail was full and could not be flushed. The release store makes a record whose
 * time word has this lap complete, whenever the process dies. */
static inline bool rec_stream_put(struct rec_stream *stream, const struct spool_record *record)
{
    if (stream->next == stream->end && !rec_stream_flush(stream)) return false;
    struct spool_record *slot = stream->next++;
    memcpy((char *)slot + sizeof slot->time, (const char *)record + sizeof record->time,
           sizeof *slot - sizeof slot->time);
    __atomic_store_n(&slot->time, stream->lap | ((record->time - stream->base_ns) & SPOOL_TIME_MASK), __ATOMIC_RELEASE);
    return true;
}

/* A definition: head (its bytes are set here) and its content in two parts. */
bool rec_stream_define(struct rec_stream *stream, struct spool_record head, const void *first, size_t first_bytes,
                       const void *second, size_t second_bytes);

#endif
