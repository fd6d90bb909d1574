/* The property of recordings that break off (predictors/replayable_prefix.h). */
#ifndef TESTS_PROPERTY_BROKEN_OFF_H
#define TESTS_PROPERTY_BROKEN_OFF_H

#include "tests/property/property.h"

/* Wherever the calls of one or two ranks break off: what is left of the program when it is cut replays, keeps the laws,
 * and is a beginning of each rank's calls; what replays uncut is not cut. */
enum status check_broken_off(const struct trial *trial, const struct program *program, const struct trace *trace,
                             struct verdict *verdict, struct err *err);

#endif
