#include "predictors/crowding.h"

#include <stdlib.h>

#include "common/units.h"

enum status crowding_note(const struct platform *platform, uint32_t rank_count, struct result *result, struct err *err)
{
    uint32_t cores = (uint32_t)platform->cores, crowded = 0;
    int32_t fullest = 0;
    uint32_t *ranks = calloc((size_t)platform->node_count, sizeof *ranks); /* of each node */
    if (!ranks) return err_memory(err);
    for (uint32_t rank = 0; rank < rank_count; rank++) {
        int32_t node = platform_node_of(platform, rank);
        if (++ranks[node] == cores + 1) crowded++;
    }
    for (int32_t node = 1; crowded > 0 && node < platform->node_count; node++)
        if (ranks[node] > ranks[fullest]) fullest = node;
    uint32_t most = ranks[fullest];
    int32_t first = rank_count > 0 ? platform_node_of(platform, 0) : 0;
    bool together = platform->node_count > 1 && rank_count > 1 && ranks[first] == rank_count;
    free(ranks);
    if (together)
        TRY(result_add_note(result, err,
                            "all %u ranks are on one of %d nodes, so no message crosses the network (mapping.ranks_per_node)",
                            rank_count, platform->node_count));
    if (crowded == 0) return STATUS_OK;
    return result_add_note(result, err,
                           "more ranks than cores on %u node%s: %u ranks share the %u core%s of node %d, so that computing "
                           "takes %.3g times as long there (nodes.cores, mapping)",
                           crowded, units_plural(crowded), most, cores, units_plural(cores), fullest,
                           (double)most / cores);
}
