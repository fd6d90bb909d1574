/* The recorder's output of one rank: fixed records into a mapped tail file, whole chunks appended to the main file. */
#ifndef RECORD_STREAM_H
#define RECORD_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "trace/record/ticks.h"
#include "trace/spool.h"

struct rec_stream {
    struct spool_record *next, *end; /* in tail->records */
    uint64_t lap;                    /* as it stands in the time word */
    uint64_t base;                   /* the stamp that the time words count from */
    uint64_t settled, settled_for;   /* no anchor is due for stamps from settled on, for so many ticks */
    int file;                        /* main file, -1: a stream that is only measured and wraps around */
    bool limited;                    /* the limit has been reached */
    struct spool_tail *tail;
    uint64_t chunk;
    uint64_t limit;           /* bytes of the main file, 0 none */
    struct rec_anchor anchor; /* the last */
    uint64_t rate;            /* ticks per second; 0: stamps are nanoseconds, and there are no anchors */
} __attribute__((aligned(64)));

/* A stream into tail alone. */
void rec_stream_begin(struct rec_stream *stream, struct spool_tail *tail, const struct spool_header *header);

/* Makes both files in directory. They must not exist: a second program of the same job does not write into the first
 * one's. Returns NULL, or what went wrong (errno is set or 0). */
const char *rec_stream_open(struct rec_stream *stream, const char *directory, const struct spool_header *header);

/* Of a thread that ends: marks the stream as closed. */
void rec_stream_close(struct rec_stream *stream);

/* Appends the full tail to the main file and begins the next lap; false on failure (errno) and at the limit. */
bool rec_stream_flush(struct rec_stream *stream);

/* All but the time, member by member: the last stores into record may still be on their way to the cache, and only
 * loads that are no wider than the stores get their values from there without waiting. */
static inline void rec_stream_copy(struct spool_record *to, const volatile struct spool_record *from)
{
    to->kind = from->kind;
    to->flags = from->flags;
    to->call = from->call;
    to->id = from->id;
    to->peer = from->peer;
    to->tag = from->tag;
    to->bytes = from->bytes;
    to->extra = from->extra;
}

/* record->time is absolute. False if the tail was full and could not be flushed. The release store makes a record whose
 * time word has this lap complete, whenever the process dies. */
static inline bool rec_stream_put(struct rec_stream *stream, const struct spool_record *record)
{
    if (stream->next == stream->end && !rec_stream_flush(stream)) return false;
    struct spool_record *slot = stream->next++;
    rec_stream_copy(slot, record);
    __atomic_store_n(&slot->time, stream->lap | ((record->time - stream->base) & SPOOL_TIME_MASK), __ATOMIC_RELEASE);
    return true;
}

/* Puts an anchor. False as rec_stream_put. */
bool rec_stream_anchor(struct rec_stream *stream);

/* True if the stamp is far from the last anchor; also where the counter has been set back. */
static inline bool rec_stream_unanchored(const struct rec_stream *stream, uint64_t stamp)
{
    return stamp - stream->settled > stream->settled_for;
}

/* A definition: head (its bytes are set here) and its content in two parts. */
bool rec_stream_define(struct rec_stream *stream, struct spool_record head, const void *first, size_t first_bytes,
                       const void *second, size_t second_bytes);

#endif
