/* The harnesses, and what some of them share. */
#ifndef TESTS_FUZZ_HARNESSES_H
#define TESTS_FUZZ_HARNESSES_H

#include "platforms/platform.h"
#include "tests/fuzz/fuzz.h"

extern const struct fuzz_harness harness_text, harness_platform, harness_result, harness_spool, harness_otf2,
    harness_command, harness_simgrid, harness_file, harness_extrap, harness_expression, harness_model, harness_bench,
    harness_sweep, harness_library;

/* The platform that lines "#! KEY=VALUE" choose; NULL: they choose none that is one. */
struct platform *platform_of_text(const uint8_t *data, size_t size);

/* Whether a run of a program model at so many ranks (0: as many as it says) takes no more than a mutant should; also where the
 * model is none. */
bool model_is_short(const char *file, uint32_t ranks);

#endif
