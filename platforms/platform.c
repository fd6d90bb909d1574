#include "platforms/platform.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/units.h"
#include "platforms/topology/topology.h"

void platform_free(struct platform *platform)
{
    if (!platform) return;
    topology_free(platform->topology);
    FREE_ALL(platform->name, platform->file, platform->profile, platform->library, platform->transport,
             platform->profile_replaced, platform->simgrid_xml);
    for (size_t i = 0; i < platform->group_count; i++) free(platform->groups[i].name);
    FREE_ALL(platform->groups, platform->segments, platform->loopback, platform->two_sided, platform->loopback_two_sided,
             platform->rank_nodes, platform->call_s, platform->loopback_call_s);
    for (size_t i = 0; i < platform->window_rule_count; i++) free(platform->window_rules[i].window);
    free(platform->window_rules);
    for (int i = 0; i < ERROR_SOURCES; i++) platform_free(platform->erring[i]);
    free(platform);
}

struct platform platform_erring(const struct platform *platform, enum error_source source)
{
    struct platform made = *platform->erring[source];
    made.semantics = platform->semantics;
    made.contention = platform->contention;
    made.draw = platform->draw;
    made.decide = platform->decide;
    return made;
}

void platform_ideal_init(struct platform_ideal *ideal, const struct platform *platform)
{
    ideal->segment = (struct net_segment){.upto_bytes = INT64_MAX, .latency_s = 0, .bandwidth_Bps = INFINITY};
    ideal->platform = *platform;
    struct platform *made = &ideal->platform;
    made->topology = NULL;
    made->simgrid_xml = NULL;
    made->segments = made->loopback = &ideal->segment;
    made->segment_count = made->loopback_count = 1;
    made->two_sided = made->loopback_two_sided = NULL;
    made->two_sided_count = made->loopback_two_sided_count = 0;
    made->overhead_s = made->gap_s = made->jitter_s = made->loopback_overhead_s = 0;
    made->call_s = made->loopback_call_s = NULL;
    made->pause = made->loopback_pause = (struct pause_cost){0};
    made->free_copies = true;
    made->links = LINKS_FREE;
    made->contention = false;
}

double platform_memory_slowdown(const struct node_group *group, uint32_t ranks)
{
    struct memory_row before = {1, 1};
    for (int32_t i = 0; i < group->memory_rows; i++) {
        const struct memory_row row = group->memory_curve[i];
        if (ranks <= (uint32_t)row.ranks) {
            if (row.ranks == before.ranks) return row.slowdown;
            const double part = ((double)ranks - before.ranks) / (row.ranks - before.ranks);
            return before.slowdown + (row.slowdown - before.slowdown) * part;
        }
        before = row;
    }
    return before.slowdown;
}

int32_t platform_rank_cores(const struct platform *platform, const struct node_group *group)
{
    return group->cores - platform->progress_ranks;
}

int32_t platform_least_cores(const struct platform *platform)
{
    int32_t least = INT32_MAX;
    for (size_t i = 0; i < platform->group_count; i++) {
        const int32_t cores = platform_rank_cores(platform, &platform->groups[i]);
        if (cores < least) least = cores;
    }
    return least;
}

double platform_slowness(const struct platform *platform, uint32_t rank_count)
{
    double sum = 0;
    for (uint32_t rank = 0; rank < rank_count; rank++)
        sum += 1 / platform_group_of(platform, platform_node_of(platform, rank))->speed;
    return rank_count > 0 ? sum / rank_count : 1;
}

double platform_copy_s(const struct platform *platform, int32_t node, int64_t bytes)
{
    double rate_Bps = platform_group_of(platform, node)->memory_bandwidth_Bps;
    return platform->free_copies || isinf(rate_Bps) ? 0 : (double)bytes / rate_Bps;
}

int64_t platform_all_cores(const struct platform *platform)
{
    int64_t cores = 0;
    for (size_t i = 0; i < platform->group_count; i++)
        cores += (int64_t)platform->groups[i].count * platform_rank_cores(platform, &platform->groups[i]);
    return cores;
}

enum status platform_check_ranks(const struct platform *platform, uint32_t rank_count, struct err *err)
{
    const int32_t free_cores = platform_least_cores(platform);
    if (free_cores < 1)
        return err_set(err, STATUS_DATA, platform->file, "mpi.rma.progress",
                       "%d progress rank%s on nodes with %d core%s, expected a core for the program's ranks",
                       platform->progress_ranks, units_plural((uint64_t)platform->progress_ranks),
                       free_cores + platform->progress_ranks, units_plural((uint64_t)(free_cores + platform->progress_ranks)));
    if (platform->rank_nodes) {
        if (rank_count <= platform->rank_node_count) return STATUS_OK;
        return err_set(err, STATUS_DATA, platform->file, "mapping.ranks",
                       "platform '%s' places %zu rank%s, expected a node for each of the trace's %u", platform->name,
                       platform->rank_node_count, units_plural(platform->rank_node_count), rank_count);
    }
    int64_t room = platform->ranks_per_node == RANKS_BY_CORES ? platform_all_cores(platform)
                                                              : (int64_t)platform->node_count * platform->ranks_per_node;
    if ((int64_t)rank_count <= room) return STATUS_OK;
    if (platform->ranks_per_node == RANKS_BY_CORES)
        return err_set(err, STATUS_DATA, platform->file, "nodes.cores",
                       "platform '%s' has too few cores: %" PRId64 " on %d node%s, expected one for each of the trace's %u ranks",
                       platform->name, room, platform->node_count, units_plural((uint64_t)platform->node_count), rank_count);
    return err_set(err, STATUS_DATA, platform->file, "nodes.count",
                   "platform '%s' has too few nodes: %d with %d rank%s each, expected room for the trace's %u ranks",
                   platform->name, platform->node_count, platform->ranks_per_node,
                   units_plural((uint64_t)platform->ranks_per_node), rank_count);
}

/* Ranks fill the cores of one node after another. */
static int32_t node_by_cores(const struct platform *platform, int64_t rank)
{
    int32_t first = 0;
    for (const struct node_group *group = platform->groups;; group++) {
        const int32_t cores = platform_rank_cores(platform, group);
        int64_t room = (int64_t)group->count * cores;
        if (rank < room) return first + (int32_t)(rank / cores);
        first += group->count;
        rank -= room;
    }
}

/* The nodes with more than so many cores; the least number of cores of them. */
static int64_t nodes_above(const struct platform *platform, int32_t cores, int32_t *least)
{
    int64_t count = 0;
    *least = INT32_MAX;
    for (size_t i = 0; i < platform->group_count; i++) {
        const struct node_group *group = &platform->groups[i];
        const int32_t own = platform_rank_cores(platform, group);
        if (own <= cores) continue;
        count += group->count;
        if (own < *least) *least = own;
    }
    return count;
}

/* Ranks are dealt to the nodes in turn; a node whose cores have ranks takes none any more. */
static int32_t node_by_turns(const struct platform *platform, int64_t rank)
{
    int32_t dealt = 0, least, first = 0;
    int64_t open = nodes_above(platform, dealt, &least);
    while (rank >= open * (least - dealt)) {
        rank -= open * (least - dealt);
        dealt = least;
        open = nodes_above(platform, dealt, &least);
    }
    rank %= open;
    for (const struct node_group *group = platform->groups;; first += group->count, group++) {
        if (platform_rank_cores(platform, group) <= dealt) continue;
        if (rank < group->count) return first + (int32_t)rank;
        rank -= group->count;
    }
}

int32_t platform_node_of(const struct platform *platform, uint32_t rank)
{
    if (platform->rank_nodes) return platform->rank_nodes[rank];
    if (platform->ranks_per_node == RANKS_BY_CORES)
        return platform->round_robin ? node_by_turns(platform, rank) : node_by_cores(platform, rank);
    if (platform->round_robin) return (int32_t)(rank % (uint32_t)platform->node_count);
    return (int32_t)(rank / (uint32_t)platform->ranks_per_node);
}

static const struct net_segment *segment_for(const struct platform *platform, bool within, int64_t bytes, bool two_sided)
{
    const struct net_segment *segment = within ? platform->loopback : platform->segments;
    const struct net_segment *own = within ? platform->loopback_two_sided : platform->two_sided;
    if (two_sided && own) segment = own;
    while (segment->upto_bytes < bytes) segment++;
    return segment;
}

double platform_latency_s(const struct platform *platform, int32_t src_node, int32_t dst_node, int64_t bytes, bool two_sided)
{
    bool within = src_node == dst_node;
    double latency_s = segment_for(platform, within, bytes, two_sided)->latency_s;
    return within ? latency_s : latency_s + topology_extra_latency_s(platform->topology, src_node, dst_node);
}

bool platform_same_latency(const struct platform *platform)
{
    return platform->topology && topology_is_flat(platform->topology);
}

double platform_bandwidth_Bps(const struct platform *platform, int32_t src_node, int32_t dst_node, int64_t bytes, bool two_sided)
{
    return segment_for(platform, src_node == dst_node, bytes, two_sided)->bandwidth_Bps;
}

bool platform_has_inner_links(const struct platform *platform)
{
    return platform->topology && !topology_is_crossbar(platform->topology);
}

double platform_apply_s(const struct platform *platform, int64_t bytes)
{
    const struct apply_cost *cost = platform->atomics;
    while (cost->upto_bytes < bytes) cost++;
    return cost->fixed_s + (double)bytes * cost->s_per_byte;
}

static double highest_Bps(const struct net_segment *segments, size_t count, double peak_Bps)
{
    for (size_t i = 0; i < count; i++) {
        double rate_Bps = segments[i].bandwidth_Bps;
        if (rate_Bps > peak_Bps && !isinf(rate_Bps)) peak_Bps = rate_Bps;
    }
    return peak_Bps;
}

double platform_peak_Bps(const struct platform *platform)
{
    double peak_Bps = highest_Bps(platform->segments, platform->segment_count, 0);
    return highest_Bps(platform->two_sided, platform->two_sided_count, peak_Bps);
}
