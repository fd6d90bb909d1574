#include "simulate/computing/memory_bound.h"

#include <stdlib.h>

#include "common/array.h"

static bool has_curve(const struct platform *platform)
{
    for (size_t i = 0; i < platform->group_count; i++)
        if (platform->groups[i].memory_rows > 0) return true;
    return false;
}

/* The part of the recorded time that memory takes grows as the slowdown does, which the recorded time already has. */
static double factor_of(const struct trace_rank *rank, const struct node_group *group, uint32_t recorded, uint32_t predicted)
{
    if (!rank->memory_known) return 1;
    const double ratio = platform_memory_slowdown(group, predicted) / platform_memory_slowdown(group, recorded);
    return 1 - rank->memory_bound + rank->memory_bound * ratio;
}

static void count_ranks(const struct trace *trace, const struct platform *platform, uint32_t *before, uint32_t *now,
                        struct memory_bound *bound)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        before[trace->ranks[r].node]++;
        now[platform_node_of(platform, r)]++;
        bound->nowhere += trace->ranks[r].node == 0;
        bound->unknown += !trace->ranks[r].memory_known;
    }
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *rank = &trace->ranks[r];
        const int32_t node = platform_node_of(platform, r);
        bound->recorded[r] = rank->node > 0 ? before[rank->node] : 1;
        bound->predicted[r] = now[node];
        const struct node_group *group = platform_group_of(platform, node);
        bound->factors[r] = factor_of(rank, group, bound->recorded[r], now[node]);
        if (group->memory_rows == 0 && rank->memory_bound > 0 && bound->recorded[r] != now[node] && bound->uncurved++ == 0)
            bound->uncurved_rank = r;
    }
}

enum status memory_bound_find(const struct trace *trace, const struct platform *platform, struct memory_bound *bound,
                              struct err *err)
{
    bool known = false;
    *bound = (struct memory_bound){.factors = NULL};
    for (uint32_t r = 0; r < trace->rank_count; r++) known = known || trace->ranks[r].memory_known;
    if (!known || !has_curve(platform)) return STATUS_OK;
    bound->factors = calloc(trace->rank_count, sizeof *bound->factors);
    bound->recorded = calloc(trace->rank_count, sizeof *bound->recorded);
    bound->predicted = calloc(trace->rank_count, sizeof *bound->predicted);
    uint32_t *before = calloc(trace->definitions.node_count + 1, sizeof *before),
             *now = calloc((size_t)platform->node_count, sizeof *now);
    const bool enough = bound->factors && bound->recorded && bound->predicted && before && now;
    if (enough)
        count_ranks(trace, platform, before, now, bound);
    else
        memory_bound_clear(bound);
    FREE_ALL(before, now);
    return enough ? STATUS_OK : err_memory(err);
}

void memory_bound_clear(struct memory_bound *bound)
{
    FREE_ALL(bound->factors, bound->recorded, bound->predicted);
    *bound = (struct memory_bound){.factors = NULL};
}

double memory_bound_factor(const struct memory_bound *bound, uint32_t rank)
{
    return bound->factors ? bound->factors[rank] : 1;
}
