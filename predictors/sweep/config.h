/* The configuration of a sweep: a JSON file with a list of values per axis (docs/sweep.md). Every combination is a
 * point. */
#ifndef PREDICTORS_SWEEP_CONFIG_H
#define PREDICTORS_SWEEP_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"
#include "simulate/engine/engine.h"

/* In the order of the points: the last one changes fastest. */
#define SWEEP_MOST_S 9223372.036854776 /* 2^63 ps: the longest time that a simulation can give of a rank (docs/security.md) */

enum sweep_axis { SWEEP_RANKS, SWEEP_PLATFORMS, SWEEP_MAPPINGS, SWEEP_TRANSFORMS, SWEEP_SEMANTICS, SWEEP_AXES };

/* "ranks", "platform", ...: the key in a result. */
const char *sweep_axis_name(enum sweep_axis axis);

struct sweep_value {
    char *name;     /* owned; no two of an axis are equal */
    uint32_t ranks; /* of SWEEP_RANKS; 0: as recorded */
    char *file;     /* owned; of SWEEP_PLATFORMS */
    char **texts;   /* owned: overrides of the platform (SWEEP_PLATFORMS, SWEEP_MAPPINGS), specs (SWEEP_TRANSFORMS) */
    size_t count, capacity;
};

struct sweep_values {
    struct sweep_value *items; /* owned */
    size_t count, capacity;
};

struct sweep_config {
    char *file;    /* owned */
    char **traces; /* owned */
    size_t trace_count, trace_capacity;
    bool model; /* the one trace is a program model, which every point opens at its number of ranks */
    struct sweep_values axes[SWEEP_AXES]; /* each with one value at least */
    const struct engine_descriptor *engine;
    uint64_t seed;
    double memory_bound; /* of ranks whose share was not recorded; below 0: not stated */
    bool keep_going, grow;
};

/* Returns STATUS_DATA "FILE:KEY: ..." for errors, also for traces and platforms that do not exist. Inits *config. */
enum status sweep_config_read(const char *file, struct sweep_config *config, struct err *err);
void sweep_config_clear(struct sweep_config *config);

#endif
