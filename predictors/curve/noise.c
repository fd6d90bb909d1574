#include "predictors/curve/noise.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/generator.h"
#include "common/scramble.h"

struct noise_place {
    struct executions *executions; /* borrowed from the model */
    float *recorded;               /* owned: their values */
    double zeta, sigma;            /* mean and deviation of the logarithm */
};

/* Squared relative deviation of the values from their mean. */
static double compute_variation(const struct executions *executions)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < executions->count; i++) { /* B. P. Welford, Technometrics 4 (1962) */
        double from_mean = executions->values[i] - mean;
        mean += from_mean / (double)(i + 1);
        squares += from_mean * (executions->values[i] - mean);
    }
    return executions->count > 1 && mean > 0 ? squares / (double)(executions->count - 1) / (mean * mean) : 0;
}

static enum status add_place(struct noise *noise, struct executions *executions, struct err *err)
{
    double log_variance = log1p(compute_variation(executions));
    if (!(log_variance > 0)) return STATUS_OK;
    struct noise_place place = {.executions = executions, .zeta = -log_variance / 2, .sigma = sqrt(log_variance)};
    TRY(array_reserve((void **)&noise->places, &noise->capacity, noise->count + 1, sizeof place, err));
    place.recorded = malloc(executions->count * sizeof *place.recorded);
    if (!place.recorded) return err_memory(err);
    memcpy(place.recorded, executions->values, executions->count * sizeof *place.recorded);
    noise->places[noise->count++] = place;
    return STATUS_OK;
}

enum status noise_open(struct program_model *model, struct noise *noise, struct err *err)
{
    *noise = (struct noise){.count = 0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < model->computing_count; i++)
        status = add_place(noise, &model->computings[i].executions, err);
    for (size_t i = 0; status == STATUS_OK && i < model->computing_count; i++)
        for (size_t k = 0; status == STATUS_OK && k < model->computings[i].recorded_count; k++)
            status = add_place(noise, &model->computings[i].recorded[k].executions, err);
    if (status != STATUS_OK) noise_close(noise);
    return status;
}

void noise_draw(struct noise *noise, uint64_t seed)
{
    struct generator generator;
    const gsl_rng *random = generator_begin(&generator, gsl_rng_taus2, scramble_bits(seed) | 1); /* 0: GSL's own seed */
    for (size_t i = 0; i < noise->count; i++) {
        const struct noise_place *place = &noise->places[i];
        for (size_t k = 0; k < place->executions->count; k++)
            place->executions->values[k] = (float)gsl_ran_lognormal(random, place->zeta, place->sigma);
    }
}

void noise_close(struct noise *noise)
{
    for (size_t i = 0; i < noise->count; i++) {
        struct noise_place *place = &noise->places[i];
        memcpy(place->executions->values, place->recorded, place->executions->count * sizeof *place->recorded);
        free(place->recorded);
    }
    free(noise->places);
    *noise = (struct noise){.count = 0};
}
