#include "platforms/simgrid_file.h"

#include <math.h>

#include "common/units.h"
#include "platforms/topology/topology.h"

/* As SimGrid knows them, by speed and cores. */
static bool hosts_are_alike(const struct platform *platform)
{
    for (size_t i = 1; i < platform->group_count; i++)
        if (platform->groups[i].speed != platform->groups[0].speed || platform->groups[i].cores != platform->groups[0].cores)
            return false;
    return true;
}

enum status platform_write_simgrid(const struct platform *platform, FILE *out, struct err *err)
{
    double peak = platform_peak_Bps(platform);
    if (platform->simgrid_xml)
        return err_set(err, STATUS_DATA, platform->file, "network.topology.simgrid_xml", "is a SimGrid platform already (%s)",
                       platform->simgrid_xml);
    if (peak <= 0)
        return err_set(err, STATUS_DATA, platform->file, "network.bandwidth_Bps",
                       "infinite, expected a rate that SimGrid can have");
    const bool alike = hosts_are_alike(platform);
    if (!alike && !topology_is_crossbar(platform->topology))
        return err_set(err, STATUS_DATA, platform->file, "nodes",
                       "groups of other speed or cores in a topology that SimGrid makes of hosts that are alike, "
                       "expected a crossbar");
    struct topology_rates rates = {peak, platform->segments[0].latency_s / topology_nearest_links(platform->topology), 0, 0,
                                   platform->groups, alike ? 1 : platform->group_count};
    if (isfinite(platform->loopback[0].bandwidth_Bps)) {
        rates.loopback_Bps = platform->loopback[0].bandwidth_Bps;
        rates.loopback_latency_s = platform->loopback[0].latency_s;
    }
    TRY(topology_write_simgrid(platform->topology, platform->node_count, &rates, out, err));
    double link_latency_s = rates.latency_s;
    int32_t far = platform->node_count > 1 ? platform->node_count - 1 : 0;
    double hop_latency_s = 0;
    int32_t more = far ? topology_links(platform->topology, 0, far) - topology_nearest_links(platform->topology) : 0;
    if (more > 0) hop_latency_s = topology_extra_latency_s(platform->topology, 0, far) / more;
    fprintf(out, "<!-- Made by rmacast platform export. %zu size segment%s of which this file has one, overhead %g s, gap %g s.",
            platform->segment_count, units_plural((uint64_t)platform->segment_count), platform->overhead_s, platform->gap_s);
    if (more > 0 && fabs(hop_latency_s - link_latency_s) > 1e-3 * link_latency_s)
        fprintf(out, " Each link has %g s here, each one beyond the nearest %g s there.", link_latency_s, hop_latency_s);
    if (platform->groups[0].speed != 1)
        fprintf(out, " 1 Gf is the speed of the recording's machine: to read the file, nodes.speed is %.9g, that of node 0.",
                platform->groups[0].speed);
    for (size_t i = 0; i < platform->group_count; i++)
        if (platform->groups[i].memory_rows > 0) {
            fputs(" nodes.memory_curve is left out.", out);
            break;
        }
    fputs(" -->\n", out);
    return STATUS_OK;
}
