/* Noise of computing times: how single executions differ by chance is drawn from the distribution that is fitted to
 * what was recorded, a log-normal one of mean 1 per place of the program. What differs by rank and by execution stays.
 *
 * Order of calls: noise_open, noise_draw and program_model_make as often as wanted, noise_close. */
#ifndef PREDICTORS_SCALE_NOISE_H
#define PREDICTORS_SCALE_NOISE_H

#include "trace/program_model/program_model.h"

struct noise_place;

struct noise {
    struct noise_place *places; /* owned; of places whose executions differ by chance */
    size_t count, capacity;
};

/* Changes the model until noise_close(). */
enum status noise_open(struct program_model *model, struct noise *noise, struct err *err);

/* Draws all executions anew. The same seed draws the same. */
enum status noise_draw(struct noise *noise, uint64_t seed, struct err *err);

/* The executions are the recorded ones again. */
void noise_close(struct noise *noise);

#endif
