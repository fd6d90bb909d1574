/* Noise of computing times. The random differences of single executions are drawn from a log-normal distribution of
 * mean 1, fitted to the recorded times at each place of the program. Systematic differences by rank and by execution
 * remain.
 *
 * Order of calls: noise_open, noise_draw and program_model_make as often as wanted, noise_close. */
#ifndef PREDICTORS_SCALE_NOISE_H
#define PREDICTORS_SCALE_NOISE_H

#include "trace/program_model/program_model.h"

struct noise_place;

struct noise {
    struct noise_place *places; /* owned; places whose executions differ randomly */
    size_t count, capacity;
};

/* Changes the model until noise_close(). */
enum status noise_open(struct program_model *model, struct noise *noise, struct err *err);

/* Draws all executions again. The same seed gives the same times. */
void noise_draw(struct noise *noise, uint64_t seed);

/* Restores the recorded executions. */
void noise_close(struct noise *noise);

#endif
