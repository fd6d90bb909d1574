/* A random generator of GSL in the caller's memory: gsl_rng_alloc() ends the program where there is none. Not for random programs
 * of tests (tests/property). */
#ifndef COMMON_GENERATOR_H
#define COMMON_GENERATOR_H

#include <assert.h>

#include <gsl/gsl_rng.h>

enum { GENERATOR_WORDS = 640 }; /* of the largest type in use, gsl_rng_mt19937: 624 and a counter */
struct generator {
    gsl_rng gsl;
    unsigned long state[GENERATOR_WORDS];
};

/* Returns the generator of this type with this seed; it needs no release. */
static inline const gsl_rng *generator_begin(struct generator *generator, const gsl_rng_type *type, unsigned long seed)
{
    assert(type->size <= sizeof generator->state);
    generator->gsl = (gsl_rng){.type = type, .state = generator->state};
    gsl_rng_set(&generator->gsl, seed);
    return &generator->gsl;
}

#endif
