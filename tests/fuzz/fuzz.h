/* Mutants of every kind of input, against what must hold whatever the input is: no crash, no hang, an error is one line
 * that names a place, and what is accepted keeps the laws. tests/fuzz/README.md.
 *
 * A harness knows how one kind of input is run and how it is changed. Two drivers share the harnesses: driver.c, which
 * knows seeds and counts only, and libfuzzer.c, which is led by what a mutant reaches. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"
#include "tests/property/random.h"

enum { FUZZ_ROOM = 32768 }; /* bytes of the largest input */

struct fuzz_harness {
    const char *name, *summary;
    /* Ends the process, by fuzz_finding() or on its own, where something does not hold. */
    void (*run)(const uint8_t *data, size_t size);
    /* Changes data in place; returns its new size, at most room. */
    size_t (*mutate)(struct random *random, uint8_t *data, size_t size, size_t room);
    /* A correct input made of nothing; NULL: all come from the corpus. */
    size_t (*make)(struct random *random, uint8_t *data, size_t room);
    bool splices; /* inputs of the corpus are also joined with each other, by lines */
    bool leaves;  /* a library that is not ours leaves memory allocated: OTF2, of an anchor that it cannot open */
};

/* NULL-terminated. */
extern const struct fuzz_harness *const fuzz_harnesses[];
const struct fuzz_harness *fuzz_harness_by_name(const char *name);

/* Prints "finding: ..." and aborts. */
_Noreturn void fuzz_finding(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* An error of the input must be one line that says where. what: the step. Environment FUZZ_TELL=1: all are told. */
void fuzz_check_error(const char *what, enum status status, const struct err *err);

/* What costs much runs once in so many inputs: their bytes choose, so that an input always runs alike; environment
 * FUZZ_EVERY=1: always. */
void fuzz_choose(const uint8_t *data, size_t size);
bool fuzz_once_in(unsigned count);
/* Chosen by the input's bytes, too. */
struct random fuzz_random(void);

/* A file in memory that holds the bytes; its path is good until the next call. */
const char *fuzz_file(const void *data, size_t size);

/* Once in the process that starts others. */
void fuzz_begin(void);

/* An empty directory in memory, where there is such a place, and its removal. One name at a time. */
void fuzz_directory(const char *name, char *path, size_t room);
void fuzz_remove(const char *directory);

#endif
