/* Plans which ranks run which test, in rounds. The tests of a round use disjoint nodes. If the nodes share cores, a round has one
 * test.
 *
 * The plan depends on its arguments only. Every rank of a bench run makes the same plan from the gathered host names.
 * So the bench needs no scheduler rank, no node for it, and no message. */
#ifndef PLATFORMS_BENCH_SCHEDULE_H
#define PLATFORMS_BENCH_SCHEDULE_H

#include <stdbool.h>

#include "platforms/bench/environment.h"

/* The demand of a test: the number of ranks in all, and the number of nodes. */
struct bench_demand {
    int nodes, ranks;
    bool fixed; /* one rank on each of two nodes: at[0], which is the first in the test, and at[1] */
    int at[2];  /* indices of nodes */
};

/* "2 ranks on 1 node"; returns text. */
enum { BENCH_DEMAND_BYTES = 48 };
const char *bench_demand_text(int nodes, int ranks, char text[BENCH_DEMAND_BYTES]);

enum bench_fit {
    BENCH_FIT_PERFECT, /* all ranks of its nodes, evenly distributed */
    BENCH_FIT_NEAR,    /* evenly distributed; other ranks of these nodes are idle */
    BENCH_FIT_UNEVEN,  /* no nodes of this machine allow an even distribution */
    BENCH_FIT_NONE     /* the machine is too small */
};

struct bench_placement {
    int demand; /* index */
    int round;  /* from 0 */
    enum bench_fit fit;
    int *nodes, *ranks; /* indices of nodes, ascending unless the demand is fixed; ranks node by node */
    int node_count, rank_count;
};

struct bench_schedule {
    struct bench_placement *placements; /* by round, within a round in the order in which they were found */
    int count, rounds;
    enum bench_fit *fits; /* of each demand; BENCH_FIT_NONE is in no round */
    int demand_count;
};

/* Sorts demands by nodes, then ranks, both descending, then index. Each round takes perfect fits first, then near ones,
 * then uneven ones of demands that have no other, while one more test fits on the free nodes. The ranks of a demand are
 * distributed over its nodes as evenly as possible; the first nodes have one more. */
enum status bench_schedule_init(const struct bench_environment *environment, const struct bench_demand *demands, int demand_count,
                                struct bench_schedule *schedule, struct err *err);
void bench_schedule_clear(struct bench_schedule *schedule);

/* The machine, as the reason why a demand with BENCH_FIT_NONE does not fit: "2 ranks on 1 node". Where there are enough nodes and
 * enough ranks in all: "6 ranks on 3 nodes, 3 of them on the 2 largest". Returns text. */
enum { BENCH_MACHINE_BYTES = 128 };
const char *bench_machine_text(const struct bench_environment *environment, const struct bench_demand *demand,
                               char text[BENCH_MACHINE_BYTES]);

#endif
