/* The property of what-if transforms (predictors/transforms/transform.h). */
#ifndef TESTS_PROPERTY_TRANSFORMS_H
#define TESTS_PROPERTY_TRANSFORMS_H

#include "tests/property/property.h"

/* Whatever transforms rewrite the program: computing of each rank, operations and bytes of each pair stay, the rewritten
 * trace passes trace_check, breaks no rule of MPI-3.1 that the program keeps (tests/property/lawful.h), replays under a-d,
 * and rewriting it again changes nothing. */
enum status check_transforms(const struct trial *trial, const struct program *program, const struct trace *trace,
                             struct verdict *verdict, struct err *err);

#endif
