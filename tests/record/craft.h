/* Spool files written by hand, word for word as docs/format-spool.md says, for tests of the reader. A record is a head of
 * template 0 and its four words, so each takes five words. */
#ifndef TESTS_RECORD_CRAFT_H
#define TESTS_RECORD_CRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/spool/spool.h"
#include "trace/trace.h"

/* Calls by their line in the crafted SPOOL_NAMES. */
enum { CRAFT_INIT, CRAFT_BARRIER, CRAFT_FINALIZE };

struct craft_item { /* a record, or a part of the content of the one before */
    struct spool_record record;
    size_t bytes; /* of the part of a content; 0: a record */
    char content[32];
};

struct craft { /* the buffer of one rank, in memory */
    uint32_t rank, world;
    uint64_t base_ns;
    uint64_t ticks_per_s; /* times of the records are ticks since the base; 0: they are nanoseconds */
    struct craft_item *items;
    size_t count;
};

void craft_begin(struct craft *craft, uint32_t rank, uint32_t world, uint64_t base_ns);
void craft_define(struct craft *craft, enum spool_kind kind, struct spool_record head, const void *content,
                  size_t bytes);
/* Names and the world; every buffer begins so. */
void craft_prologue(struct craft *craft);
/* Ticks since the base, and CLOCK_MONOTONIC then. */
void craft_anchor(struct craft *craft, uint64_t ticks, uint64_t ns);
/* Entry and exit, in ns or ticks since the base. */
void craft_enter(struct craft *craft, uint16_t call, uint64_t enter_ns);
void craft_exit(struct craft *craft, uint16_t call, uint64_t exit_ns);
void craft_call(struct craft *craft, uint16_t call, uint64_t enter_ns, uint64_t exit_ns);
void craft_free(struct craft *craft);

/* Writes the first `count` items: whole chunks to the main file, the rest to the tail file. */
void craft_write(const struct craft *craft, const char *directory, size_t count, uint32_t state);

/* A directory for one test, and its removal. */
char *craft_directory(void);
void craft_remove(char *directory);

/* Its trace, which is one that trace_check() accepts; the caller frees it. */
struct trace *craft_read(const char *directory);

/* Overwrites or cuts a file of the directory. */
void craft_patch(const char *directory, const char *file, size_t at, const void *data, size_t bytes);
void craft_cut(const char *directory, const char *file, size_t bytes);

#endif
