/* The harnesses, and what some of them share. */
#ifndef TESTS_FUZZ_HARNESSES_H
#define TESTS_FUZZ_HARNESSES_H

#include "platforms/platform.h"
#include "tests/fuzz/fuzz.h"

extern const struct fuzz_harness harness_text, harness_platform, harness_result, harness_spool, harness_otf2,
    harness_command, harness_simgrid, harness_file;

/* The platform that lines "#! KEY=VALUE" choose; NULL: they choose none that is one. */
struct platform *platform_of_text(const uint8_t *data, size_t size);

#endif
