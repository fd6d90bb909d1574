/* Inputs of several files: each behind a line "@ NAME", or "@/ NAME" for a directory in its place. What is before the first such
 * line is the first part, which has no name. */
#ifndef TESTS_FUZZ_PARTS_H
#define TESTS_FUZZ_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/property/random.h"

enum { PARTS_MAX = 64, PART_NAME_BYTES = 64 };

struct part {
    const char *line, *body; /* the line that begins it, and what is behind that */
    size_t line_length, size;
};

size_t parts_split(const char *text, size_t size, struct part parts[PARTS_MAX]);
size_t parts_line_length(const char *at, const char *end);

/* False: the name leads elsewhere, or has no letter. */
bool parts_name(const struct part *part, char name[PART_NAME_BYTES], bool *directory);

/* The part's file below the place, unless one of its name is there. */
void parts_write(const char *place, const struct part *part);
/* A directory with all parts but the first one; fuzz_remove() removes it. */
size_t parts_place(const uint8_t *data, size_t size, struct part parts[PARTS_MAX], char *place, size_t room);

/* Changes one part: lines, words, members, bytes; it is empty, missing, a directory. lines: of such files. */
size_t parts_mutate(struct random *random, const char *const *lines, size_t line_count, uint8_t *data, size_t size,
                    size_t room);

#endif
