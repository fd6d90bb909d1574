/* Changes of text traces that know lines, words and keys, so that most mutants are read as traces still. Lines "#!
 * KEY=VALUE" choose the platform of the replay, a comment to the reader. */
#ifndef TESTS_FUZZ_MUTATE_TEXT_H
#define TESTS_FUZZ_MUTATE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "tests/property/random.h"

size_t mutate_text(struct random *random, uint8_t *data, size_t size, size_t room);

/* A correct random program of tests/property with its platform. */
size_t make_text(struct random *random, uint8_t *data, size_t room);

/* Of any input in lines: lines and words taken out, copied, moved, changed, and lines of `more` put in. */
size_t mutate_lines(struct random *random, const char *const *more, size_t more_count, uint8_t *data, size_t size,
                    size_t room);

/* A number anywhere becomes another one near it, or near a limit. */
size_t mutate_digits(struct random *random, uint8_t *data, size_t size, size_t room);

/* The lines of one input up to some place, and those of another from some place on. */
size_t mutate_splice(struct random *random, uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                     size_t room);

/* mutate_lines(), or the number in its place is changed, or a byte. */
size_t mutate_any(struct random *random, const char *const *more, size_t more_count, uint8_t *data, size_t size,
                  size_t room);

/* A byte put in, taken out or changed. */
size_t mutate_bytes(struct random *random, uint8_t *data, size_t size, size_t room);

#endif
