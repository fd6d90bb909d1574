/* The platform of a random program: tests/cases/base.json with one of several values for each of some keys. */
#ifndef TESTS_PROPERTY_KNOBS_H
#define TESTS_PROPERTY_KNOBS_H

#include <stdio.h>

#include "platforms/platform.h"
#include "tests/property/program.h"
#include "tests/property/random.h"

#define KNOBS_BASE "tests/cases/base.json"

enum { KNOB_VALUES_MAX = 12, KNOB_BYTES = 512 };

struct knob {
    const char *key;
    const char *values[KNOB_VALUES_MAX]; /* [0]: the plain one */
};
/* Those of knobs.c, and behind them one for each further choice of mpi.rma.protocol in platforms/keys.def. */
const struct knob *knobs_all(size_t *count);

/* Turns every knob of the program at random. */
void knobs_turn(struct random *random, uint32_t values[KNOBS_MAX]);

/* extra (may be NULL): one more KEY=VALUE. The caller frees *platform. */
enum status knobs_platform(const struct program *program, const char *extra, struct platform **platform,
                           struct err *err);

/* As options of rmacast simulate; knobs at their plain value are left out. */
void knobs_print(const struct program *program, FILE *out);

#endif
