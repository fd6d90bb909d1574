/* Which ranks run which test, and when: a plan of rounds. The tests of a round are on disjoint nodes.
 *
 * The plan depends on its arguments only: every rank of a bench run makes the same one from the gathered host names. So no rank
 * is the scheduler, no node is lost to it, and the whole run is planned ahead without a message. */
#ifndef PLATFORMS_BENCH_SCHEDULE_H
#define PLATFORMS_BENCH_SCHEDULE_H

#include <stdbool.h>

#include "platforms/bench/environment.h"

/* What a test asks for: so many ranks in all, on so many nodes. */
struct bench_demand {
    int nodes, ranks;
    bool fixed; /* one rank on each of two nodes: at[0], which is the first in the test, and at[1] */
    int at[2];  /* indices of nodes */
};

enum bench_fit {
    BENCH_FIT_PERFECT, /* all ranks of its nodes, shared out evenly */
    BENCH_FIT_NEAR,    /* shared out evenly; other ranks of these nodes are idle */
    BENCH_FIT_UNEVEN,  /* no nodes of this machine can share the ranks out evenly */
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
    struct bench_placement *placements; /* in the order of rounds, in a round in the order of finding */
    int count, rounds;
    enum bench_fit *fits; /* of each demand; BENCH_FIT_NONE is in no round */
    int demand_count;
};

/* Demands are sorted by nodes, then ranks, both descending, then index. Each round takes perfect fits first, then near ones, then
 * uneven ones of demands that have no other, as long as one more test fits on the free nodes. A demand's ranks are shared out over
 * its nodes as evenly as they can be; the first nodes have one more. */
enum status bench_schedule_init(const struct bench_environment *environment, const struct bench_demand *demands, int demand_count,
                                struct bench_schedule *schedule, struct err *err);
void bench_schedule_clear(struct bench_schedule *schedule);

#endif
