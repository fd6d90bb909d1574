/* Compares the order of variants of a run, such as semantics a to d, in predictions and in real runs. Seconds. */
#ifndef VALIDATE_RANKING_H
#define VALIDATE_RANKING_H

#include <stddef.h>
#include <stdio.h>

#include "common/json/fields.h"

struct ranking_variant {
    const char *name; /* borrowed */
    double predicted_s, measured_s; /* run times; measured_s: median of the repetitions */
    double measured_min_s, measured_max_s;
};

struct ranking {
    const struct ranking_variant *variants; /* borrowed */
    size_t count;
    double tau;          /* Kendall's tau of predicted and measured run times; NAN if one of them is equal for all
                            variants */
    /* apart: pairs whose measured ranges are disjoint; right: those of them with the measured order in the
     * prediction */
    size_t apart, right;
};

enum { RANKING_VARIANTS_MAX = 64 };
/* count is up to RANKING_VARIANTS_MAX. */
struct ranking ranking_of(const struct ranking_variant *variants, size_t count);

/* Schema rmacast.ranking/1. */
extern const struct field ranking_fields[];
void ranking_print(const struct ranking *ranking, FILE *out);

#endif
