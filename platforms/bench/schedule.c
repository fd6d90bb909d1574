#include "platforms/bench/schedule.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/units.h"

/* A plan under construction. sizes[i]: ranks of node i; order: nodes by size, ascending, then index. */
struct planner {
    const struct bench_environment *environment;
    const struct bench_demand *demands;
    struct bench_schedule *schedule;
    int *order;   /* of nodes */
    int *pending; /* demands, sorted; -1: placed */
    bool *busy;   /* nodes of this round */
    int *shares;  /* of the current demand: ranks on node i; 0: it does not use the node */
    int round;
};

static int size_of(const struct planner *planner, int node)
{
    return planner->environment->nodes[node].rank_count;
}

/* Ranks of the demand's i-th node, i from 0. */
static int even_share(const struct bench_demand *demand, int i)
{
    return demand->ranks / demand->nodes + (i < demand->ranks % demand->nodes);
}

static void clear_shares(struct planner *planner)
{
    for (int i = 0; i < planner->environment->node_count; i++) planner->shares[i] = 0;
}

/* The smallest free node with at least (exact: exactly) so many ranks that the demand does not use yet; -1: none. */
static int find_node(const struct planner *planner, int ranks, bool exact)
{
    for (int i = 0; i < planner->environment->node_count; i++) {
        int node = planner->order[i], size = size_of(planner, node);
        if (planner->busy[node] || planner->shares[node]) continue;
        if (exact ? size == ranks : size >= ranks) return node;
    }
    return -1;
}

/* Places larger shares first. Each takes the smallest node that has enough ranks, which leaves most for the others. */
static bool share_evenly(struct planner *planner, const struct bench_demand *demand, bool exact)
{
    clear_shares(planner);
    for (int i = 0; i < demand->nodes; i++) {
        int ranks = even_share(demand, i), node = find_node(planner, ranks, exact);
        if (node < 0) return false;
        planner->shares[node] = ranks;
    }
    return true;
}

/* Takes the largest free nodes. Each gets a rank in turn until the demand is met or all are full. */
static bool share_unevenly(struct planner *planner, const struct bench_demand *demand)
{
    clear_shares(planner);
    int taken = 0, left = demand->ranks, room = 0;
    for (int i = planner->environment->node_count - 1; i >= 0 && taken < demand->nodes; i--) {
        int node = planner->order[i];
        if (planner->busy[node]) continue;
        planner->shares[node] = 1;
        room += size_of(planner, node);
        taken++;
        left--;
    }
    if (taken < demand->nodes || room < demand->ranks || left < 0) return false;
    while (left > 0)
        for (int i = planner->environment->node_count - 1; i >= 0 && left > 0; i--) {
            int node = planner->order[i];
            if (!planner->shares[node] || planner->shares[node] == size_of(planner, node)) continue;
            planner->shares[node]++;
            left--;
        }
    return true;
}

/* A perfect fit has no other rank on its nodes. */
static bool share_fixed(struct planner *planner, const struct bench_demand *demand, bool exact)
{
    clear_shares(planner);
    for (int i = 0; i < 2; i++) {
        int node = demand->at[i];
        if (node >= planner->environment->node_count || planner->busy[node] || (exact && size_of(planner, node) > 1))
            return false;
        planner->shares[node] = 1;
    }
    return true;
}

static bool share_out(struct planner *planner, const struct bench_demand *demand, enum bench_fit fit)
{
    if (demand->fixed) return fit != BENCH_FIT_UNEVEN && share_fixed(planner, demand, fit == BENCH_FIT_PERFECT);
    if (demand->nodes < 1 || demand->ranks < demand->nodes || demand->nodes > planner->environment->node_count) return false;
    return fit == BENCH_FIT_UNEVEN ? share_unevenly(planner, demand) : share_evenly(planner, demand, fit == BENCH_FIT_PERFECT);
}

/* The best fit that an empty machine allows for the demand. */
static enum bench_fit best_fit(struct planner *planner, const struct bench_demand *demand)
{
    enum bench_fit fit = BENCH_FIT_PERFECT;
    while (fit < BENCH_FIT_NONE && !share_out(planner, demand, fit)) fit++;
    return fit;
}

/* Makes a placement of the shares and marks its nodes as busy. */
static enum status place_demand(struct planner *planner, int demand, enum bench_fit fit, struct err *err)
{
    const struct bench_demand *asked = &planner->demands[demand];
    struct bench_placement *made = &planner->schedule->placements[planner->schedule->count++];
    *made = (struct bench_placement){.demand = demand, .round = planner->round, .fit = fit};
    made->nodes = malloc(sizeof *made->nodes * (size_t)asked->nodes);
    made->ranks = malloc(sizeof *made->ranks * (size_t)asked->ranks);
    if (!made->nodes || !made->ranks) return err_memory(err);
    for (int node = 0; node < planner->environment->node_count; node++) {
        if (planner->shares[node] || planner->environment->shares_cores) planner->busy[node] = true;
        if (!planner->shares[node]) continue;
        made->nodes[made->node_count++] = node;
        for (int i = 0; i < planner->shares[node]; i++)
            made->ranks[made->rank_count++] = planner->environment->nodes[node].ranks[i];
    }
    for (int i = 0; asked->fixed && i < 2; i++) {
        made->nodes[i] = asked->at[i];
        made->ranks[i] = planner->environment->nodes[asked->at[i]].ranks[0];
    }
    return STATUS_OK;
}

/* One pass over the pending demands. A demand that has an even fit on the machine does not take an uneven one. */
static enum status place_fits(struct planner *planner, enum bench_fit fit, struct err *err)
{
    for (int i = 0; i < planner->schedule->demand_count; i++) {
        int demand = planner->pending[i];
        if (demand < 0 || (fit == BENCH_FIT_UNEVEN && planner->schedule->fits[demand] != BENCH_FIT_UNEVEN)) continue;
        if (!share_out(planner, &planner->demands[demand], fit)) continue;
        TRY(place_demand(planner, demand, fit, err));
        planner->pending[i] = -1;
    }
    return STATUS_OK;
}

static const struct bench_demand *sorted_demands; /* of the call that sorts */
static const struct bench_environment *sorted_nodes;

static int compare_demands(const void *a, const void *b)
{
    int i = *(const int *)a, k = *(const int *)b;
    const struct bench_demand *x = &sorted_demands[i], *y = &sorted_demands[k];
    if (x->nodes != y->nodes) return x->nodes > y->nodes ? -1 : 1;
    if (x->ranks != y->ranks) return x->ranks > y->ranks ? -1 : 1;
    return i < k ? -1 : 1;
}

static int compare_nodes(const void *a, const void *b)
{
    int i = *(const int *)a, k = *(const int *)b;
    int x = sorted_nodes->nodes[i].rank_count, y = sorted_nodes->nodes[k].rank_count;
    if (x != y) return x < y ? -1 : 1;
    return i < k ? -1 : 1;
}

static void sort_all(struct planner *planner)
{
    sorted_demands = planner->demands;
    sorted_nodes = planner->environment;
    for (int i = 0; i < planner->schedule->demand_count; i++) planner->pending[i] = i;
    for (int i = 0; i < planner->environment->node_count; i++) planner->order[i] = i;
    qsort(planner->pending, (size_t)planner->schedule->demand_count, sizeof *planner->pending, compare_demands);
    qsort(planner->order, (size_t)planner->environment->node_count, sizeof *planner->order, compare_nodes);
}

static enum status plan_rounds(struct planner *planner, struct err *err)
{
    struct bench_schedule *schedule = planner->schedule;
    int possible = 0;
    sort_all(planner);
    for (int i = 0; i < schedule->demand_count; i++) {
        int demand = planner->pending[i];
        schedule->fits[demand] = best_fit(planner, &planner->demands[demand]);
        if (schedule->fits[demand] == BENCH_FIT_NONE)
            planner->pending[i] = -1;
        else
            possible++;
    }
    for (planner->round = 0; schedule->count < possible; planner->round++) {
        for (int i = 0; i < planner->environment->node_count; i++) planner->busy[i] = false;
        for (enum bench_fit fit = BENCH_FIT_PERFECT; fit < BENCH_FIT_NONE; fit++) TRY(place_fits(planner, fit, err));
    }
    schedule->rounds = planner->round;
    for (int i = 0; i < schedule->count; i++) schedule->fits[schedule->placements[i].demand] = schedule->placements[i].fit;
    return STATUS_OK;
}

enum status bench_schedule_init(const struct bench_environment *environment, const struct bench_demand *demands, int demand_count,
                                struct bench_schedule *schedule, struct err *err)
{
    size_t nodes = (size_t)environment->node_count, tests = (size_t)demand_count;
    struct bench_schedule made = {.demand_count = demand_count};
    made.placements = calloc(tests + 1, sizeof *made.placements);
    made.fits = calloc(tests + 1, sizeof *made.fits);
    struct planner planner = {environment,
                              demands,
                              &made,
                              .order = calloc(nodes, sizeof(int)),
                              .pending = calloc(tests + 1, sizeof(int)),
                              .busy = calloc(nodes, sizeof(bool)),
                              .shares = calloc(nodes, sizeof(int))};
    bool memory = made.placements && made.fits && planner.order && planner.pending && planner.busy && planner.shares;
    enum status status = memory ? plan_rounds(&planner, err) : err_memory(err);
    FREE_ALL(planner.order, planner.pending, planner.busy, planner.shares);
    GIVE(status, *schedule = made, bench_schedule_clear(&made));
}

void bench_schedule_clear(struct bench_schedule *schedule)
{
    for (int i = 0; i < schedule->count; i++) {
        FREE_ALL(schedule->placements[i].nodes, schedule->placements[i].ranks);
    }
    FREE_ALL(schedule->placements, schedule->fits);
    *schedule = (struct bench_schedule){0};
}

/* --- texts --- */

const char *bench_demand_text(int nodes, int ranks, char text[BENCH_DEMAND_BYTES])
{
    snprintf(text, BENCH_DEMAND_BYTES, "%d rank%s on %d node%s", ranks, units_plural((uint64_t)ranks), nodes,
             units_plural((uint64_t)nodes));
    return text;
}

/* The ranks of the so many nodes that have the most. */
static int ranks_of_largest(const struct bench_environment *environment, int nodes)
{
    const struct bench_node *all = environment->nodes;
    int ranks = 0;
    for (int i = 0; i < environment->node_count; i++) {
        int before = 0; /* nodes that are larger, or as large and earlier */
        for (int k = 0; k < environment->node_count; k++)
            before += all[k].rank_count > all[i].rank_count || (all[k].rank_count == all[i].rank_count && k < i);
        if (before < nodes) ranks += all[i].rank_count;
    }
    return ranks;
}

const char *bench_machine_text(const struct bench_environment *environment, const struct bench_demand *demand,
                               char text[BENCH_MACHINE_BYTES])
{
    char whole[BENCH_DEMAND_BYTES];
    bench_demand_text(environment->node_count, environment->rank_count, whole);
    if (demand->nodes > environment->node_count || demand->ranks > environment->rank_count)
        snprintf(text, BENCH_MACHINE_BYTES, "%s", whole);
    else if (demand->nodes == 1)
        snprintf(text, BENCH_MACHINE_BYTES, "%s, %d of them on the largest", whole, ranks_of_largest(environment, 1));
    else
        snprintf(text, BENCH_MACHINE_BYTES, "%s, %d of them on the %d largest", whole,
                 ranks_of_largest(environment, demand->nodes), demand->nodes);
    return text;
}
