/* docs/simulation.md, Messages: sending NICs are queues, first in, first out; receiving NICs take messages in the order
 * in which their heads come; within a node and to oneself nothing queues. */
#include "tests/reference/model.h"

#include "common/units.h"

struct flight {
    struct transport transport;
    int32_t to_node;
    int64_t lasts_ps;
};

static int64_t copy_ps(int64_t bytes, double rate_Bps)
{
    return bytes == 0 ? 0 : units_ps((double)bytes / rate_Bps);
}

static void arrive(struct model *model, void *what)
{
    struct flight *flight = what;
    if (flight->transport.arrived) flight->transport.arrived(model, flight->transport.what);
}

static void leave(struct model *model, void *what)
{
    struct flight *flight = what;
    if (flight->transport.left) flight->transport.left(model, flight->transport.what);
}

static void head_arrives(struct model *model, void *what)
{
    struct flight *flight = what;
    struct nic *nic = &model->nics[flight->to_node];
    int64_t begin_ps = nic->receive_ps > model->now_ps ? nic->receive_ps : model->now_ps;
    bool at_once = flight->lasts_ps == 0 && nic->receive_ps < model->now_ps; /* nobody is before it */
    if (flight->lasts_ps > 0) nic->receive_ps = begin_ps + flight->lasts_ps; /* else nobody is behind it */
    if (at_once)
        arrive(model, flight);
    else
        event_add(model, begin_ps + flight->lasts_ps, flight->transport.from, arrive, flight);
}

int64_t network_send(struct model *model, struct transport transport)
{
    const struct platform *platform = model->platform;
    int32_t from_node = model->ranks[transport.from].node, to_node = model->ranks[transport.to].node;
    struct flight *flight = model_new(model, sizeof *flight);
    bool to_self = transport.from == transport.to, alone = !platform->contention || from_node == to_node;
    double rate_Bps = to_self ? platform->memory_bandwidth_Bps
                              : platform_bandwidth_Bps(platform, from_node, to_node, transport.bytes);
    int64_t latency_ps = to_self ? 0 : units_ps(platform_latency_s(platform, from_node, to_node, transport.bytes));
    int64_t lasts_ps = copy_ps(transport.bytes, rate_Bps), begin_ps = model->now_ps;
    *flight = (struct flight){transport, to_node, lasts_ps};
    if (alone || (transport.bypass && platform->control_bypass)) {
        event_add(model, begin_ps + lasts_ps + latency_ps, transport.from, arrive, flight);
    } else {
        struct nic *nic = &model->nics[from_node];
        int64_t gap_ps = units_ps(platform->gap_s);
        if (nic->send_ps > begin_ps) begin_ps = nic->send_ps;
        nic->send_ps = begin_ps + (gap_ps > lasts_ps ? gap_ps : lasts_ps);
        event_add(model, begin_ps + latency_ps, transport.from, head_arrives, flight);
    }
    int64_t left_ps = begin_ps + lasts_ps;
    if (left_ps > model->now_ps && transport.left)
        event_add(model, left_ps, transport.from, leave, flight);
    else
        leave(model, flight);
    return left_ps;
}

void network_send_control(struct model *model, uint32_t from, uint32_t to, bool bypass, action *arrived, void *what)
{
    network_send(model, (struct transport){.from = from,
                                           .to = to,
                                           .bytes = model->platform->control_bytes,
                                           .bypass = bypass,
                                           .arrived = arrived,
                                           .what = what});
}
