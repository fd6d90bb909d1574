/* The property of what-if transforms (predictors/transform.h). */
#ifndef TESTS_PROPERTY_TRANSFORMS_H
#define TESTS_PROPERTY_TRANSFORMS_H

#include "tests/property/property.h"

/* Whatever transform rewrites the program: computing of each rank and bytes of each pair stay, the rewritten trace
 * replays under a-d, and rewriting it again changes nothing. */
enum status check_transforms(const struct trial *trial, const struct program *program, const struct trace *trace,
                             struct verdict *verdict, struct err *err);

#endif
