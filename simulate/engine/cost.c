#include "simulate/engine/cost.h"

#include <math.h>

#include "common/units.h"

int64_t cost_duration_ps(double s)
{
    return s < (double)COST_BEYOND_PS / (double)UNITS_PS_PER_S ? units_ps(s) : COST_BEYOND_PS;
}

int64_t cost_in_grains_ps(const struct platform *platform, double ps)
{
    const int64_t grain_ps = platform->grain_ps > 1 ? platform->grain_ps : 1;
    return ps < (double)COST_BEYOND_PS ? llround(ps / (double)grain_ps) * grain_ps : COST_BEYOND_PS;
}

int64_t cost_of_bytes_ps(const struct platform *platform, double s)
{
    return cost_in_grains_ps(platform, s * (double)UNITS_PS_PER_S);
}

int64_t cost_pause_ps(const struct pause_cost *cost, int64_t lasts_ps)
{
    int64_t after_ps = cost_duration_ps(cost->after_s), full_ps = cost_duration_ps(cost->full_s);
    int64_t call_ps = cost_duration_ps(cost->call_s), beyond_ps = lasts_ps - after_ps;
    if (beyond_ps < 0) return 0;
    return lasts_ps >= full_ps ? call_ps : llround((double)call_ps * (double)beyond_ps / (double)(full_ps - after_ps));
}

static int64_t transmit_ps(const struct platform *platform, int64_t bytes, double bandwidth_Bps)
{
    return isinf(bandwidth_Bps) ? 0 : cost_of_bytes_ps(platform, (double)bytes / bandwidth_Bps);
}

struct cost cost_message(const struct platform *platform, const struct engine_message *message)
{
    struct cost cost = {0};
    if (message->to_self) {
        cost.transmit_ps = cost_of_bytes_ps(platform, platform_copy_s(platform, message->src_node, message->bytes));
        return cost;
    }
    int32_t src = message->src_node, dst = message->dst_node;
    double rate_Bps = platform_bandwidth_Bps(platform, src, dst, message->bytes, message->two_sided);
    cost.transmit_ps = transmit_ps(platform, message->bytes, rate_Bps);
    cost.latency_ps = units_ps(platform_latency_s(platform, src, dst, message->bytes, message->two_sided));
    cost.network = src != dst;
    if (cost.network) {
        int64_t gap_ps = units_ps(platform->gap_s);
        cost.occupy_ps = cost.transmit_ps > gap_ps ? cost.transmit_ps : gap_ps;
    }
    return cost;
}

void cost_memory_init(struct cost_memory *memory, const struct platform *platform)
{
    *memory = (struct cost_memory){.platform = platform, .same_latency = platform_same_latency(platform)};
    for (int i = 0; i < COST_MEMORY_ROWS; i++) memory->rows[i].bytes = -1;
}

const struct cost *cost_learn(struct cost_memory *memory, struct cost_row *row, const struct engine_message *message)
{
    *row = (struct cost_row){message->bytes, message->two_sided, cost_message(memory->platform, message)};
    return &row->cost;
}
