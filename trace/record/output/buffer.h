/* The recorder's buffer of one thread: records go to a mapped tail file, and whole chunks are appended to the main
 * file.
 *
 * A record is one word if it equals the last record of the same template, plus one word for each word that differs. So
 * a call that a program repeats costs 8 bytes and few cache lines. In a program that computes, a call finds little of
 * the recorder in the first-level cache. Therefore all data that every call reads is in one place (REC_HOT), a record
 * is compared and written without a function call, and rare work (the tail is full, an anchor is due, a record differs)
 * is the last call of a function, which needs no saved registers. */
#ifndef TRACE_RECORD_OUTPUT_BUFFER_H
#define TRACE_RECORD_OUTPUT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "trace/record/core_lost.h"
#include "trace/record/output/ticks.h"
#include "trace/spool/spool.h"

/* Who has which template is the recorder's choice: pairs, for the entry and the exit of calls, then one for each kind of
 * the other records, then those of functions and of extents. */
enum {
    REC_CALL_TEMPLATES = 512,
    REC_KIND_TEMPLATES = REC_CALL_TEMPLATES,
    REC_FUNCTION_TEMPLATES = REC_KIND_TEMPLATES + 64,
    REC_FUNCTION_TEMPLATE_COUNT = 256,
    REC_EXTENT_TEMPLATES = REC_FUNCTION_TEMPLATES + REC_FUNCTION_TEMPLATE_COUNT,
    REC_EXTENT_TEMPLATE_COUNT = 128,
};
_Static_assert(REC_EXTENT_TEMPLATES + REC_EXTENT_TEMPLATE_COUNT <= SPOOL_CONTENT, "the last one is none");
_Static_assert((int)SPOOL_KIND_COUNT <= REC_FUNCTION_TEMPLATES - REC_KIND_TEMPLATES, "one for each kind");

enum rec_no_file {
    REC_MEASURED = -1, /* a buffer that is only measured and wraps around */
    REC_CLOSED = -2,   /* the program has closed the main file */
};

struct rec_file { /* which file it is, whatever file has its name or descriptor by now */
    dev_t device;
    ino_t inode;
};

extern struct rec_size { /* of all main files of the process */
    uint64_t limit;      /* bytes, 0: none */
    uint64_t chunks;
} rec_size;

bool rec_file_identify(int file, struct rec_file *is);
bool rec_file_is(int file, const struct rec_file *expected);

struct rec_schedstat { /* the thread's schedstat file (trace/record/core_wait.c) */
    int file;
    struct rec_file is;
    struct rec_core_times last; /* when it was read last */
};

struct rec_buffer {
    uint64_t *next;                /* in tail->words, a word of 0: the end */
    uint64_t *last;                /* a record may begin here or before */
    uint64_t base;                 /* the stamp that times count from */
    uint64_t anchor_from, final_for; /* no anchor is due for stamps from anchor_from on, for so many ticks */
    uint64_t event, long_ticks;    /* stamp of the last event; core waits are read after so many ticks */
    int file;                      /* main file, enum rec_no_file: none */
    bool limited;                  /* the limit has been reached */
    struct spool_tail *tail;
    uint64_t chunk;
    struct rec_anchor anchor; /* the last */
    uint64_t rate;            /* ticks per second; 0: stamps are nanoseconds */
    const char *directory;    /* of both files, borrowed */
    struct spool_header header;
    struct rec_file main_file, tail_file;
    struct rec_schedstat schedstat;
    uint64_t templates[SPOOL_TEMPLATES][SPOOL_RECORD_WORDS] __attribute__((aligned(64)));
} __attribute__((aligned(64)));

/* A buffer into tail alone. */
void rec_buffer_begin(struct rec_buffer *buffer, struct spool_tail *tail, const struct spool_header *header);

/* Makes both files in directory, which is borrowed until the buffer is closed. They must not exist: a second program of
 * the same job does not write into the first one's. Returns NULL, or what went wrong (errno is set or 0). */
const char *rec_buffer_open(struct rec_buffer *buffer, const char *directory, const struct spool_header *header);

/* Marks the buffer of an ending thread as closed. */
void rec_buffer_close(struct rec_buffer *buffer);

/* Appends the full tail to the main file and begins the next chunk; false on failure (errno) and at the limit. Where the
 * program has closed the main file, and maybe got its descriptor for a file of its own, it is opened again. */
bool rec_buffer_flush(struct rec_buffer *buffer);

/* The tail becomes plain memory without records, since its file was truncated; false: there is none. */
bool rec_buffer_detach(struct rec_buffer *buffer);
/* Writes such a tail to the file, which so ends with the main file's last chunk. Nothing if that cannot be. */
void rec_buffer_restore(const struct rec_buffer *buffer);

/* The next place is 0 before this one is not: so a word that ends the buffer is there, whenever the process dies. */
static inline void rec_buffer_publish(struct rec_buffer *buffer, uint64_t *next, uint64_t head)
{
    uint64_t *to = buffer->next;
    *next = 0;
    buffer->next = next;
    __atomic_store_n(to, head, __ATOMIC_RELEASE);
}

/* The words of a record without its time. Loads are as wide as the stores into it, which may still be on their way to the
 * cache, or narrower: only so they need not wait. Kind, flags and call are mostly stored as one. */
static inline void rec_buffer_words(const struct spool_record *record, uint64_t words[SPOOL_RECORD_WORDS])
{
    typedef const volatile uint32_t __attribute__((may_alias)) * half;
    half halves = (half)&record->kind;
    words[0] = halves[0] | (uint64_t)halves[1] << 32;
    words[1] = halves[2] | (uint64_t)halves[3] << 32;
    words[2] = (uint64_t)record->bytes;
    words[3] = (uint64_t)record->extra;
}

/* record->time is absolute. False, and nothing is done: there is no room, or the record is not as its template. */
static inline bool rec_buffer_put_same(struct rec_buffer *buffer, const struct spool_record *record, unsigned pattern)
{
    const uint64_t *known = buffer->templates[pattern];
    uint64_t words[SPOOL_RECORD_WORDS];
    rec_buffer_words(record, words);
    uint64_t differs = (words[0] ^ known[0]) | (words[1] ^ known[1]) | (words[2] ^ known[2]) | (words[3] ^ known[3]);
    if (__builtin_expect(differs != 0 || buffer->next > buffer->last, 0)) return false;
    rec_buffer_publish(buffer, buffer->next + 1, SPOOL_HEAD(0, pattern, record->time - buffer->base));
    return true;
}

/* Any record, with the words that differ from its template or from that of the other half of the calls', whichever is
 * nearer: two calls of which one takes the other's template in turns have both. False if the tail was full and could not be
 * flushed. */
bool rec_buffer_put_as(struct rec_buffer *buffer, const struct spool_record *record, unsigned pattern);

static inline unsigned rec_buffer_template(const struct spool_record *record)
{
    if (record->kind <= SPOOL_EXIT) return (record->call * 2u + (record->kind == SPOOL_EXIT)) % REC_CALL_TEMPLATES;
    if (record->kind != SPOOL_FUNCTION_ENTER && record->kind != SPOOL_FUNCTION_LEAVE)
        return (unsigned)REC_KIND_TEMPLATES + record->kind;
    uint64_t key = (uint64_t)record->extra * 2 + record->kind;
    return REC_FUNCTION_TEMPLATES +
           (unsigned)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % REC_FUNCTION_TEMPLATE_COUNT;
}

static inline bool rec_buffer_put(struct rec_buffer *buffer, const struct spool_record *record)
{
    return rec_buffer_put_as(buffer, record, rec_buffer_template(record));
}

/* Puts an anchor. False as rec_buffer_put. */
bool rec_buffer_anchor(struct rec_buffer *buffer);

/* True if the stamp is far from the last anchor; also where the counter has been set back. */
static inline bool rec_buffer_unanchored(const struct rec_buffer *buffer, uint64_t stamp)
{
    return stamp - buffer->anchor_from > buffer->final_for;
}

/* A definition: head (its bytes are set here; its time is absolute) and its content in two parts. */
bool rec_buffer_define(struct rec_buffer *buffer, struct spool_record head, const void *first, size_t first_bytes,
                       const void *second, size_t second_bytes);

#endif
