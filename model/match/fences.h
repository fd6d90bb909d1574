/* Which ranks a fence must synchronise, by the operations of the program, and which it synchronises needlessly. */
#ifndef MODEL_MATCH_FENCES_H
#define MODEL_MATCH_FENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/wide.h"
#include "model/match/relations.h"

struct fence_pairs {
    uint64_t pairs;    /* of two ranks, over all fences that synchronise */
    uint64_t unneeded; /* without an operation between the two in the epoch before the fence or the one after it */
    wide_ps saved_ps;  /* time that ranks would not wait if every rank waited only for the ranks that it needs */
    uint64_t empty;    /* fences that synchronise without MPI_MODE_NOPRECEDE, and before which no rank has an operation */
    wide_ps empty_ps;  /* waiting in these */
};

/* Of a fence of another shard's rank (model/shards/shards.h): the rank has an operation in the epoch that it closes. */
enum { FENCE_CLOSES_OPERATIONS = TRACE_FLAG };

/* A complete instance that nobody left before the last member came. */
bool fence_synchronises(const struct relations *relations, const struct instance *instance);

/* Adds to *pairs. */
enum status fence_pairs_count(const struct relations *relations, struct fence_pairs *pairs, struct err *err);

#endif
