/* Points of a curve: a program replayed at a number of ranks under several semantics, with the band of its computing
 * times and of the platform, and with noise.
 *
 * Order of calls: points_find_strong, then points_add by rising numbers of ranks. */
#ifndef PREDICTORS_SCALE_POINTS_H
#define PREDICTORS_SCALE_POINTS_H

#include "predictors/curve/curve.h"
#include "predictors/scenes.h"
#include "trace/program_model/program_model.h"

/* The source of points: a program model, whose times noise changes temporarily, or one run that is replicated.
 * Borrowed. */
struct points_origin {
    struct program_model *model;
    const struct trace *replicated;
};

/* Borrowed. With rewrites, keep_going or a section the whole run is made in memory first, however long it is. */
struct points_options {
    const char *const *semantics; /* of the rows, up to POINTS_ROWS_MAX */
    size_t rows;
    struct scene_options scenes;
    struct scene_options faster, slower; /* on platforms that differ by their stated errors; open NULL: they state none */
    const struct engine_descriptor *engine;
    const struct analyze_options *analyze;
    bool totals; /* replay runs while they are made */
    uint64_t seed, noise_seed;
    size_t noisy_runs; /* per point; 0: none */
};
enum { POINTS_ROWS_MAX = 8, POINTS_CALLS_KEPT = 1 << 22 }; /* a longer run is not kept in memory, where it would take
                                                              some hundred MB per row */

/* Makes the run at so many ranks, without rewriting or replaying it. The caller owns *trace. */
enum status points_make(const struct points_origin *origin, const struct points_options *options, uint32_t ranks,
                        struct trace **trace, struct err *err);

/* Whether the program scales strongly, by the computing of a rank in the smallest and the largest recorded run: curve->strong.
 * Copies scale weakly. */
enum status points_find_strong(const struct points_origin *origin, bool *strong, struct err *err);

/* Adds a point per row. */
enum status points_add(const struct points_origin *origin, const struct points_options *options, uint32_t ranks,
                       struct curve *curve, struct err *err);

#endif
