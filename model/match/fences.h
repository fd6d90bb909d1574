/* Counts the pairs of ranks that a fence synchronises, and those that no operation of the program needs. */
#ifndef MODEL_MATCH_FENCES_H
#define MODEL_MATCH_FENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/wide.h"
#include "model/match/relations.h"

struct fence_pairs {
    uint64_t pairs;    /* pairs of ranks, summed over all fences that synchronise */
    uint64_t unneeded; /* pairs without an operation between the two in the epoch before the fence or in the one after
                          it */
    wide_ps saved_ps;  /* waiting time that would vanish if every rank waited only for the ranks that it needs */
    uint64_t empty;    /* fences that synchronise without MPI_MODE_NOPRECEDE, and before which no rank has an operation */
    wide_ps empty_ps;  /* waiting in these */
};

/* Whether the instance is complete and no member left it before the last member entered. */
bool fence_synchronises(const struct relations *relations, const struct instance *instance);

/* Adds to *pairs. */
enum status fence_pairs_count(const struct relations *relations, struct fence_pairs *pairs, struct err *err);

#endif
