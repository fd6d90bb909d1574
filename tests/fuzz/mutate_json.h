/* Changes of JSON files that know members, elements and values, so that most mutants are JSON still. */
#ifndef TESTS_FUZZ_MUTATE_JSON_H
#define TESTS_FUZZ_MUTATE_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "tests/property/random.h"

size_t mutate_json(struct random *random, uint8_t *data, size_t size, size_t room);

#endif
