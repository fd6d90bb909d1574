#include "tests/fuzz/harnesses.h"

#include <string.h>

const struct fuzz_harness *const fuzz_harnesses[] = {
    &harness_text,   &harness_platform, &harness_result,     &harness_spool, &harness_otf2,  &harness_command, &harness_simgrid,
    &harness_file,   &harness_extrap,   &harness_expression, &harness_model, &harness_bench, &harness_sweep,   &harness_library,
    NULL};

const struct fuzz_harness *fuzz_harness_by_name(const char *name)
{
    for (size_t i = 0; fuzz_harnesses[i]; i++)
        if (strcmp(fuzz_harnesses[i]->name, name) == 0) return fuzz_harnesses[i];
    return NULL;
}
