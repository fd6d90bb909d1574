/* Finds the repetitions in one rank's calls: first bodies that are executed once with each partner of a series, then
 * consecutive equal bodies, the shortest first. */
#ifndef PREDICTORS_SCALE_LOOPS_H
#define PREDICTORS_SCALE_LOOPS_H

#include "predictors/scale/observe.h"
#include "predictors/scale/program.h"

/* What of a call can follow a series: its partners, and the only member of its group. */
enum { NODE_MEMBER = STEP_PARTNERS, NODE_SLOTS };
enum { SIZE_BYTES, SIZE_AUX, SIZES };

struct node {
    enum step_kind kind;
    uint64_t hash;
    const struct observed *call;        /* of STEP_CALL: the first one of them; borrowed from the run */
    enum size_growth growth[SIZES];     /* of STEP_CALL in a series, of each of its sizes */
    uint16_t series[NODE_SLOTS];        /* of STEP_CALL: bits of the series that each may form; 0: as recorded */
    uint64_t rounds;                    /* of STEP_REPEAT and STEP_SERIES */
    struct node *body;                  /* owned */
    size_t count;
};

struct nodes {
    struct node *items; /* owned */
    size_t count, capacity;
};

/* Whether each rank has a body that it executes once with each of two partners, which are those of a hypercube or of doubled
 * distances in a communicator of four ranks, and makes a call in such bodies only. loops_find takes these for neighbours. *key is
 * that of a call of such a body. */
enum status loops_two_rounds(const struct run *run, bool *found, uint32_t *key, struct err *err);

enum status loops_find(const struct run *run, uint32_t rank, struct nodes *nodes, struct err *err);
void nodes_free(struct node *nodes, size_t count);

#endif
